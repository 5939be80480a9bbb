//! The server of a class, as students reach it, and as others try to.

mod client;
#[cfg(unix)]
mod page;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use client::Client;
use serde_json::{Value, json};
use warpscope::class::journal::{Journal, Opened, SCHEMA};
use warpscope::class::{
    Answers, Class, Command, Grid, Hall, News, Options, Overview, Question, Shown, Tally,
};

/// A class of two questions on a port of its own.
struct Lesson {
    hall: Hall,
    address: SocketAddr,
    news: Receiver<News>,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

fn questions() -> Vec<Question> {
    let texts = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let grid = Grid {
        across: "n".to_owned(),
        sizes: texts(&["2^10", "2^16", "2^22"]),
        up: "time".to_owned(),
        heights: texts(&["1 µs", "10 µs", "100 µs", "1 ms"]),
    };
    let question = |id: &str, text: &str, answers| Question {
        id: id.to_owned(),
        text: text.to_owned(),
        answers,
        experiment: None,
        seen: false,
        context: Vec::new(),
    };
    vec![
        question(
            "first",
            "Which one is faster? <script>document.title = 'taken'</script>",
            Answers::Choice(texts(&["global", "shared", "<b>equal</b>"])),
        ),
        question("curve", "How does the time grow?", Answers::Curve(grid)),
    ]
}

fn opened() -> Opened {
    Opened {
        schema: SCHEMA,
        time: "2026-11-23T08:00:00Z".to_owned(),
        lesson: "test".to_owned(),
        title: "Histogram".to_owned(),
        code: "ABCD".to_owned(),
        questions: questions(),
    }
}

impl Lesson {
    fn new(most: usize, options: Options) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.class.jsonl");
        let journal = Journal::create(&path, &opened()).unwrap();
        let Opened { title, code, questions, .. } = opened();
        let class = Class::new(title, code, questions, most);
        Self::serve(class, journal, &path, options, folder)
    }

    fn serve(
        class: Class,
        journal: Journal,
        path: &Path,
        options: Options,
        folder: tempfile::TempDir,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, news) = channel();
        let tell = move |it| drop(sender.send(it));
        let hall = Hall::open(class, journal, listener, options, tell).unwrap();
        Self { hall, address, news, path: path.to_owned(), _folder: folder }
    }

    fn teach(&self, commands: &[Command]) {
        for command in commands {
            self.hall.teach(*command);
        }
    }

    /// The newest state that the teacher sees, once it is as wanted.
    fn wait(&self, wanted: impl Fn(&Overview) -> bool) -> Overview {
        loop {
            let news = self.news.recv_timeout(Duration::from_secs(30)).expect("it becomes so");
            match news {
                News::Class(overview) if wanted(&overview) => return *overview,
                _ => {}
            }
        }
    }

    /// The distributions of the first question.
    fn tallies(&self) -> [Tally; 2] {
        self.hall.look(|class| {
            let (question, round) = class.rounds().next().unwrap();
            round.tallies(question)
        })
    }
}

fn counts(tally: &Tally) -> Vec<u32> {
    let Tally::Choice(counts) = tally else { panic!("{tally:?}") };
    counts.iter().map(|it| it.iter().sum()).collect()
}

#[test]
fn forty_students_vote_discuss_vote_again_and_see_the_result() {
    let lesson = Lesson::new(200, Options::default());
    let students: Vec<Client> = (0..40).map(|_| Client::joined(lesson.address)).collect();
    let mut events = students[0].listen();
    assert_eq!(events.next().unwrap()["class"]["phase"], "lobby");
    lesson.teach(&[Command::Next, Command::Vote]);
    std::thread::scope(|scope| {
        for (index, student) in students.iter().enumerate() {
            scope.spawn(move || assert_eq!(student.choose(0, index % 2).status, 200));
        }
    });
    lesson.wait(|it| it.voted == 40);
    let seen = students[3].get("/state").json();
    assert_eq!((&seen["class"]["voted"], &seen["you"]["seat"]), (&json!(40), &json!(4)));
    assert_eq!(seen["you"]["votes"][0]["answer"]["choice"], 1);
    assert_eq!(seen["class"]["result"], Value::Null, "hidden until it is revealed");
    assert_eq!(students[3].get("/chart").status, 204);
    lesson.teach(&[Command::Vote]);
    assert_eq!(students[0].choose(0, 1).status, 409, "closed");
    lesson.teach(&[Command::Vote]);
    for student in &students[..39] {
        assert_eq!(student.choose(1, 1).status, 200);
    }
    lesson.teach(&[Command::Reveal]);
    let chart = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned();
    let answer = Shown {
        headline: "61x faster".to_owned(),
        explanation: vec!["Because.".to_owned()],
        right: Some(1),
        chart: chart.clone(),
        ..Shown::default()
    };
    lesson.hall.show(0, answer, false);
    let shown = events.find(|it| it["class"]["result"]["headline"] == "61x faster").unwrap();
    assert_eq!(shown["class"]["result"]["right"], 1);
    assert_eq!(shown["class"]["result"]["explanation"], Value::Null, "not yet");
    assert_eq!(students[7].get("/chart").body, chart);
    lesson.teach(&[Command::Next]);
    let shown = events.find(|it| it["class"]["phase"] == "explain").unwrap();
    assert_eq!(shown["class"]["result"]["explanation"], json!(["Because."]));
    let [first, second] = lesson.tallies();
    assert_eq!((counts(&first), counts(&second)), (vec![20, 20, 0], vec![0, 39, 0]));

    // The second question: a drawn curve.
    lesson.teach(&[Command::Next, Command::Next]);
    let draw = |heights: &[u8]| {
        let answer = json!({ "curve": heights });
        json!({ "question": 1, "round": 0, "answer": answer, "confidence": 1 })
    };
    for (index, student) in students.iter().enumerate() {
        let heights = [0, 1, (index % 3) as u8];
        assert_eq!(student.post("/vote", &draw(&heights)).status, 200);
    }
    for wrong in [&[0, 1][..], &[0, 1, 4], &[0, 0, 0, 0]] {
        assert_eq!(students[0].post("/vote", &draw(wrong)).status, 400, "{wrong:?}");
    }
    lesson.teach(&[Command::Reveal]);
    let shown = students[1].get("/state").json();
    let drawn = &shown["class"]["result"]["tallies"][0]["curve"];
    assert_eq!(drawn["median"], json!([0.0, 1.0, 1.0]));
    assert_eq!(drawn["curves"].as_array().unwrap().len(), 40);
}

#[test]
fn one_browser_has_one_seat_and_one_vote() {
    let lesson = Lesson::new(3, Options::default());
    let mut student = Client::joined(lesson.address);
    // Loading the page again joins again: the seat stays, and no cookie is new.
    let before = student.cookie.clone();
    let again = student.join("ABCD");
    assert_eq!((again.status, &student.cookie), (200, &before));
    assert_eq!(again.json()["you"]["seat"], 1);
    lesson.teach(&[Command::Next, Command::Vote]);
    for choice in [0, 1, 1, 2] {
        assert_eq!(student.choose(0, choice).status, 200);
    }
    let late = Client::joined(lesson.address);
    assert_eq!(late.choose(0, 2).status, 200);
    assert_eq!(counts(&lesson.tallies()[0]), [0, 0, 2]);
    // Nobody votes without a seat, with a made-up one, or when the class is full.
    assert_eq!(Client::new(lesson.address).choose(0, 0).status, 401);
    let mut stranger = Client::new(lesson.address);
    stranger.cookie =
        before.map(|it| it.split('=').next().unwrap().to_owned() + "=" + &"0".repeat(32));
    assert_eq!(stranger.choose(0, 0).status, 401);
    assert_eq!(stranger.get("/state").status, 401);
    assert_eq!(stranger.get("/events").status, 401);
    assert_eq!(stranger.get("/state?code=abcd").status, 200);
    stranger.cookie = None;
    assert_eq!(stranger.join("ABCE").status, 403);
    assert_eq!(stranger.join("ABCD").status, 200);
    let mut full = Client::new(lesson.address);
    let refused = full.join("ABCD");
    assert_eq!(
        (refused.status, refused.error().as_str()),
        (503, "the class is full; tell the teacher")
    );
    let tried: Vec<u16> = (0..80).map(|_| full.get("/state?code=AAAA").status).collect();
    assert!(tried.starts_with(&[403; 50]) && tried.contains(&429), "codes cannot be tried out");
}

#[test]
fn a_full_class_gives_away_the_seat_of_a_browser_that_left_without_a_vote() {
    let patience = Duration::ZERO;
    let lesson = Lesson::new(3, Options { patience, ..Options::default() });
    let [listens, voted, gone] = [(); 3].map(|()| Client::joined(lesson.address));
    let mut events = listens.listen();
    assert!(events.next().is_some());
    lesson.teach(&[Command::Next, Command::Vote]);
    assert_eq!(voted.choose(0, 1).status, 200);
    let mut late = Client::new(lesson.address);
    let seat = late.join("ABCD");
    assert_eq!((seat.status, &seat.json()["you"]["seat"]), (200, &json!(3)));
    assert_eq!(gone.get("/state").status, 401, "who comes back joins again");
    assert_eq!(late.choose(0, 0).status, 200);
    let refused = Client::new(lesson.address).join("ABCD");
    assert_eq!(refused.status, 503, "the others listen or have voted");
    let told = lesson.news.try_iter().find_map(|it| match it {
        News::Problem(text) => Some(text),
        _ => None,
    });
    assert!(told.is_some_and(|it| it.contains("full (3 seats)") && it.contains("--clients 6")));
    // The file tells the same.
    let copy = tempfile::tempdir().unwrap();
    let path = copy.path().join("a.class.jsonl");
    std::fs::copy(&lesson.path, &path).unwrap();
    let again = Journal::resume(&path, 3).unwrap().2;
    lesson.hall.look(|class| assert_eq!(class, &again));
}

#[test]
fn rubbish_and_foreign_pages_disturb_nobody() {
    let lesson = Lesson::new(200, Options::default());
    let student = Client::joined(lesson.address);
    lesson.teach(&[Command::Next, Command::Vote]);
    let vote = json!({ "question": 0, "round": 0, "answer": { "choice": 0 }, "confidence": 2 });
    let (vote, own) = (vote.to_string(), format!("http://{}", lesson.address));
    let kind = ("Content-Type", "application/json");
    // Another page, another name for this address, a form, no origin at all.
    for (headers, status) in [
        (vec![("Origin", "http://evil.example"), kind], 403),
        (vec![("Origin", "null"), kind], 403),
        (vec![kind], 403),
        (vec![("Origin", &own), kind, ("Sec-Fetch-Site", "cross-site")], 403),
        (vec![("Host", "evil.example"), ("Origin", "http://evil.example"), kind], 421),
        (vec![("Origin", &own), ("Content-Type", "text/plain")], 415),
        (vec![("Origin", &own)], 415),
    ] {
        let answer = student.post_with("/vote", &headers, &vote);
        assert_eq!(answer.status, status, "{headers:?}: {answer:?}");
    }
    assert_eq!(lesson.tallies()[0].votes(), 0);
    // Bodies that mean nothing, or are far too long.
    for body in ["", "{", "[]", "null", "{\"question\":-1}", "\u{0}\u{1b}[2J", &"[".repeat(4000)] {
        let headers = [("Origin", own.as_str()), kind];
        assert_eq!(student.post_with("/vote", &headers, body).status, 400, "{body:?}");
    }
    let head = student.head("POST /vote", &[("Origin", &own), kind]);
    let huge = format!("{head}Content-Length: 10000000\r\n\r\n{}", "x".repeat(10_000_000));
    // It may close the connection before the client has read the answer.
    let refused = student.raw(huge.as_bytes());
    assert!(refused.as_ref().is_none_or(|it| it.status == 413), "{refused:?}");
    let chunk = format!("ff00\r\n{}\r\n", "x".repeat(0xff00)).repeat(150);
    let huge = format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n");
    let refused = student.raw(huge.as_bytes());
    assert!(refused.as_ref().is_none_or(|it| it.status == 413), "{refused:?}");
    let zeros = vec![0; 50_000];
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], b"GET\r\n\r\n", &zeros] {
        assert!(student.raw(bytes).is_none_or(|it| it.status >= 400));
    }
    let many = student.head("GET /", &[("X-Long", &"x".repeat(100_000))]);
    assert!(student.raw(format!("{many}\r\n").as_bytes()).is_none_or(|it| it.status >= 400));
    assert_eq!(student.get("/../../etc/passwd").status, 404);
    assert_eq!(student.post("/teach", &json!({})).status, 404);
    // A listener that vanishes, and one that never sends its request.
    drop(student.send(student.head("GET /events", &[]).as_bytes()));
    let silent = student.send(b"POST /vote HTTP/1.1\r\n");
    assert_eq!(student.choose(0, 1).status, 200);
    assert_eq!(counts(&lesson.tallies()[0]), [0, 1, 0]);
    drop(silent);
}

#[test]
fn a_flood_of_one_seat_is_refused_and_others_go_on() {
    let lesson = Lesson::new(200, Options::default());
    let [flood, calm] = [(); 2].map(|()| Client::joined(lesson.address));
    lesson.teach(&[Command::Next, Command::Vote]);
    let statuses: Vec<u16> = (0..60).map(|_| flood.choose(0, 0).status).collect();
    assert!(statuses.contains(&429) && statuses.starts_with(&[200; 10]), "{statuses:?}");
    assert_eq!(calm.choose(0, 1).status, 200);
    let streams: Vec<_> = (0..4).map(|_| calm.listen()).map(|mut it| (it.next(), it)).collect();
    assert!(streams.iter().all(|(first, _)| first.is_some()));
    assert_eq!(calm.get("/events").status, 429);
    drop(streams);
}

#[test]
fn every_answer_forbids_what_the_page_does_not_need() {
    let lesson = Lesson::new(200, Options::default());
    let client = Client::new(lesson.address);
    for path in ["/", "/state", "/nothing"] {
        let head = client.get(path).head;
        for header in [
            "content-security-policy: default-src 'none'; script-src 'sha256-",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
            "cache-control: no-store",
        ] {
            assert!(head.contains(header), "{path}: {header}: {head}");
        }
        assert!(!head.contains("unsafe") && !head.contains("access-control-allow"), "{head}");
    }
}

#[test]
fn names_are_kept_only_where_they_are_asked_for_and_without_what_a_terminal_obeys() {
    for names in [false, true] {
        let lesson = Lesson::new(200, Options { names, ..Options::default() });
        let client = Client::new(lesson.address);
        let name = "<script>alert(1)</script>\u{1b}[2J\u{202e}Ann";
        assert_eq!(client.post("/join", &json!({ "code": "ABCD", "name": name })).status, 200);
        let kept = lesson.hall.look(|class| class.seats()[0].name.clone());
        let clean = names.then(|| "<script>alert(1)</script>[2JAnn".to_owned());
        assert_eq!(kept, clean);
        let file = std::fs::read_to_string(&lesson.path).unwrap();
        assert_eq!(file.contains("Ann"), names);
        assert!(!client.get("/state?code=ABCD").body.contains("Ann"), "nobody else sees a name");
    }
}

#[test]
fn a_class_that_was_killed_goes_on_with_every_vote_and_seat() {
    let lesson = Lesson::new(200, Options::default());
    let students: Vec<Client> = (0..5).map(|_| Client::joined(lesson.address)).collect();
    lesson.teach(&[Command::Next, Command::Vote]);
    for student in &students {
        assert_eq!(student.choose(0, 1).status, 200);
    }
    // As the file was at this moment, with half a line more.
    let copy = tempfile::tempdir().unwrap();
    let path = copy.path().join("a.class.jsonl");
    let text = std::fs::read_to_string(&lesson.path).unwrap();
    std::fs::write(&path, text + "{\"time\":\"2026").unwrap();
    let (journal, read, class) = Journal::resume(&path, 200).unwrap();
    assert_eq!(read, opened());
    let again = Lesson::serve(class, journal, &path, Options::default(), copy);
    assert_eq!(counts(&again.tallies()[0]), [0, 5, 0]);
    // The browser still has its cookie; the vote is open as before.
    let mut student = students[2].clone();
    student.address = again.address;
    let port = |cookie: &str| {
        let (_, token) = cookie.split_once('=').unwrap();
        format!("warpscope_seat_{}={token}", again.address.port())
    };
    student.cookie = student.cookie.as_deref().map(port);
    assert_eq!(student.choose(0, 2).status, 200);
    assert_eq!(counts(&again.tallies()[0]), [0, 4, 1]);
}
