//! A student without a browser: one connection per request, by hand, so that it can also send
//! what no browser would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A student.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    /// The cookie with the seat.
    pub(crate) cookie: Option<String>,
}

/// An answer: status, headers, body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// What the server says is wrong.
    pub(crate) fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, cookie: None }
    }

    /// A student with a seat.
    pub(crate) fn joined(address: SocketAddr) -> Self {
        let mut client = Self::new(address);
        let answer = client.join("ABCD");
        assert_eq!(answer.status, 200, "{answer:?}");
        client
    }

    /// Connects and sends these bytes.
    pub(crate) fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // The server may close before it has read everything.
        let _ = stream.write_all(bytes);
        stream
    }

    /// The answer to these bytes, if there is one.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut text = Vec::new();
        let _ = self.send(bytes).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { status, head: head.to_owned(), body: body.to_owned() })
    }

    /// The head of a request with these headers more.
    pub(crate) fn head(&self, request: &str, headers: &[(&str, &str)]) -> String {
        let mut head = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(cookie) = &self.cookie {
            head.push_str(&format!("Cookie: theme=dark; {cookie}\r\n"));
        }
        head
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        let head = self.head(&format!("GET {path}"), &[]);
        self.raw(format!("{head}\r\n").as_bytes()).unwrap()
    }

    /// A POST as the page sends it.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let origin = format!("http://{}", self.address);
        let headers = [("Origin", origin.as_str()), ("Content-Type", "application/json")];
        self.post_with(path, &headers, &body.to_string())
    }

    pub(crate) fn post_with(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let head = self.head(&format!("POST {path}"), headers);
        let length = body.len();
        self.raw(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes()).unwrap()
    }

    pub(crate) fn join(&mut self, code: &str) -> Answer {
        let answer = self.post("/join", &json!({ "code": code }));
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        if let Some(cookie) = cookie {
            assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        answer
    }

    /// Votes for a choice of the first question.
    pub(crate) fn choose(&self, round: usize, choice: usize) -> Answer {
        let answer = json!({ "choice": choice });
        let vote = json!({ "question": 0, "round": round, "answer": answer, "confidence": 2 });
        self.post("/vote", &vote)
    }

    /// Listens: the messages as they come.
    pub(crate) fn listen(&self) -> impl Iterator<Item = Value> + use<> {
        let stream = self.send(format!("{}\r\n", self.head("GET /events", &[])).as_bytes());
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
    }
}
