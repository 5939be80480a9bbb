//! A headless Chromium, spoken to through a pair of pipes (its
//! `--remote-debugging-pipe`): one JSON object per message, ended by a zero byte.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the browser may take for anything.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where it may be.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser with one page.
pub(crate) struct Browser {
    child: Child,
    requests: File,
    answers: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What it reported without being asked.
    pub(crate) events: Vec<Value>,
    _folder: TempDir,
}

/// The browser's command, if there is one.
pub(crate) fn find() -> Option<&'static str> {
    NAMES.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|output| output.status.success())
    })
}

impl Browser {
    /// Starts `program` with a profile of its own.
    pub(crate) fn start(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for pipe in ["in", "out"] {
            assert!(Command::new("mkfifo").arg(path(pipe)).status().unwrap().success());
        }
        // The browser reads messages from descriptor 3 and writes to 4. Opened for
        // both ways, a pipe opens at once.
        let script = "exec \"$0\" \"$@\" 3<>\"$IN\" 4<>\"$OUT\"";
        let child = Command::new("sh")
            .args(["-c", script, program])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", path("profile").display()))
            .env("IN", path("in"))
            .env("OUT", path("out"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let requests = File::options().read(true).write(true).open(path("in")).unwrap();
        let output = File::options().read(true).write(true).open(path("out")).unwrap();
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0) {
                let Ok(message) = message else { break };
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            requests,
            answers,
            session: None,
            last: 0,
            events: Vec::new(),
            _folder: folder,
        };
        let page = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.ask("Target.attachToTarget", &target);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility", "DOM"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, path: &Path) {
        self.open_url(&format!("file://{}", path.display()));
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn open_url(&mut self, url: &str) {
        self.load("Page.navigate", &json!({ "url": url }));
    }

    /// Loads the page again.
    pub(crate) fn reload(&mut self) {
        self.load("Page.reload", &json!({}));
    }

    fn load(&mut self, method: &str, params: &Value) {
        let loaded = |browser: &Self| {
            browser.events.iter().filter(|it| it["method"] == "Page.loadEventFired").count()
        };
        let before = loaded(self);
        self.ask(method, params);
        let deadline = Instant::now() + PATIENCE;
        while loaded(self) == before {
            self.receive(deadline);
        }
    }

    /// The result of a command.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.requests.write_all(format!("{message}\0").as_bytes()).unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.receive(deadline);
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true });
        let result = self.ask("Runtime.evaluate", &params);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&mut self, key: &str, code: u32, text: Option<&str>) {
        for kind in ["keyDown", "keyUp"] {
            let mut params =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if let (Some(text), "keyDown") = (text, kind) {
                params["text"] = json!(text);
            }
            self.ask("Input.dispatchKeyEvent", &params);
        }
    }

    fn receive(&mut self, deadline: Instant) -> Value {
        let left = deadline.saturating_duration_since(Instant::now());
        let message = self.answers.recv_timeout(left).expect("the browser answers in time");
        if message.get("id").is_none() {
            self.events.push(message.clone());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
