//! 200 students vote while the teacher's computer runs a sweep on the emulator: how long it
//! takes from a vote until the count on the teacher's screen has it. The program runs in a
//! pseudo-terminal; every student has a connection for events and opens one for its vote.
//!
//! ```text
//! cargo bench --bench class
//! ```
#![allow(missing_docs, dead_code, clippy::unwrap_used)]

#[cfg(unix)]
#[path = "../tests/integration/class/client.rs"]
mod client;

fn main() {
    #[cfg(unix)]
    votes::measure();
    #[cfg(not(unix))]
    println!("skipped: needs a pseudo-terminal of Unix");
}

#[cfg(unix)]
mod votes {
    use std::io::{Read, Write};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Barrier};
    use std::thread;
    use std::time::{Duration, Instant};

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    use crate::client::Client;

    const STUDENTS: usize = 200;

    /// The votes come within this time: everybody has just read the question.
    const WITHIN: Duration = Duration::from_secs(4);

    /// How long anything may take.
    const PATIENCE: Duration = Duration::from_mins(2);

    /// The screen after each change, with its time.
    struct Screen {
        shown: Receiver<(Instant, String)>,
        text: String,
    }

    impl Screen {
        /// Waits until it shows this; returns when it did.
        fn wait(&mut self, what: &str, holds: impl Fn(&str) -> bool) -> Instant {
            loop {
                let next = self.shown.recv_timeout(PATIENCE);
                let (at, text) = next.unwrap_or_else(|_| panic!("no `{what}` in\n{}", self.text));
                self.text = text;
                if holds(&self.text) {
                    return at;
                }
            }
        }

        fn word_after(&self, before: &str) -> String {
            let (_, rest) = self.text.split_once(before).unwrap();
            rest.split_whitespace().next().unwrap().to_owned()
        }
    }

    /// The count on the screen: `12 of 200 voted`.
    fn voted(text: &str) -> Option<usize> {
        let (before, _) = text.split_once(&format!(" of {STUDENTS} voted"))?;
        before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    pub(crate) fn measure() {
        let folder = tempfile::tempdir().unwrap();
        let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
        command.args(["class", "1", "--bind", "127.0.0.1:0", "--backend", "emulator"]);
        command.cwd(folder.path());
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("LC_ALL", "C.UTF-8"),
            ("WARPSCOPE_CONFIG", "none"),
            ("WARPSCOPE_RUNS", "none"),
        ] {
            command.env(name, value);
        }
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().unwrap();
        let mut keys = pair.master.take_writer().unwrap();
        let (sender, shown) = channel();
        thread::spawn(move || {
            let mut terminal =
                vt100::Parser::new(40.try_into().unwrap(), 120.try_into().unwrap(), 0);
            let mut buffer = vec![0; 1 << 16];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                let at = Instant::now();
                terminal.process(&buffer[..read]);
                if sender.send((at, terminal.screen().contents())).is_err() {
                    break;
                }
            }
        });
        let mut screen = Screen { shown, text: String::new() };
        screen.wait("the lobby", |text| text.contains("n shows the first question"));
        let address = screen.word_after("http://").trim_end_matches('/').parse().unwrap();
        let code = screen.word_after("room ");
        let students: Vec<Client> = (0..STUDENTS)
            .map(|_| {
                let mut student = Client::new(address);
                assert_eq!(student.join(&code).status, 200);
                student
            })
            .collect();
        let streams: Vec<_> = students.iter().map(Client::listen).collect();
        for stream in streams {
            thread::spawn(move || stream.for_each(drop));
        }
        screen.wait("everybody", |text| text.contains("200 connected"));
        keys.write_all(b"nnr").unwrap();
        screen.wait("the vote", |text| voted(text) == Some(0));
        // The sweep runs while they vote, over and over.
        let done = Arc::new(AtomicBool::new(false));
        let again = {
            let done = Arc::clone(&done);
            thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(400));
                    let _ = keys.write_all(b"r");
                }
                keys
            })
        };
        let (start, began) = (Arc::new(Barrier::new(STUDENTS + 1)), Instant::now());
        let voters: Vec<_> = students
            .into_iter()
            .enumerate()
            .map(|(index, student)| {
                let start = Arc::clone(&start);
                thread::spawn(move || {
                    start.wait();
                    // Spread unevenly, the same at every run.
                    thread::sleep(WITHIN.mul_f64((index * 79 % STUDENTS) as f64 / STUDENTS as f64));
                    let sent = Instant::now();
                    assert_eq!(student.choose(0, index % 6).status, 200);
                    (sent, sent.elapsed())
                })
            })
            .collect();
        start.wait();
        let mut seen: Vec<Instant> = Vec::new();
        while seen.len() < STUDENTS {
            let before = seen.len();
            let at = screen.wait("more votes", |text| voted(text).is_some_and(|it| it > before));
            seen.resize(voted(&screen.text).unwrap(), at);
        }
        done.store(true, Ordering::Relaxed);
        let answers: Vec<(Instant, Duration)> =
            voters.into_iter().map(|it| it.join().unwrap()).collect();
        let mut sent: Vec<Instant> = answers.iter().map(|(sent, _)| *sent).collect();
        sent.sort_unstable();
        // The i-th vote is on the screen when the count is i.
        let counted =
            seen.iter().zip(&sent).map(|(seen, sent)| seen.saturating_duration_since(*sent));
        report("vote to teacher's count", counted.collect());
        report("vote to student's answer", answers.iter().map(|(_, took)| *took).collect());
        println!("{STUDENTS} votes in {:.1} s", began.elapsed().as_secs_f64());
        let _ = again.join().unwrap().write_all(b"\x03");
        let _ = child.wait();
    }

    fn report(what: &str, mut times: Vec<Duration>) {
        times.sort_unstable();
        let at = |share: f64| {
            let index = ((times.len() as f64 * share).ceil() as usize).clamp(1, times.len()) - 1;
            times[index].as_secs_f64() * 1e3
        };
        println!("{what}: median {:.1} ms, p99 {:.1} ms, max {:.1} ms", at(0.5), at(0.99), at(1.0));
    }
}
