//! A class in a pseudo-terminal, with students over the network.

use crate::client::Client;
use crate::session::Session;
use serde_json::json;

/// Starts the teacher's screen on an address.
fn teacher(folder: &std::path::Path, bind: &str) -> Session {
    Session::start_with(&["class", "1", "--bind", bind, "--backend", "scripted"], folder, &[])
}

/// What the screen shows after `before`, up to a space.
fn word_after(session: &Session, before: &str) -> String {
    let text = session.text();
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{before}: {text}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_class_with_a_teacher_who_is_killed_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = teacher(folder.path(), "127.0.0.1:0");
    session.wait("n shows the first question");
    let page = word_after(&session, "http://");
    let code = word_after(&session, "room ");
    let address = page.trim_end_matches('/').parse().unwrap();
    let mut students: Vec<Client> = (0..3).map(|_| Client::new(address)).collect();
    for student in &mut students {
        assert_eq!(student.join(&code).status, 200);
    }
    session.wait("3 joined");
    session.keys("nn");
    session.wait("0 of 3 voted");
    for (choice, student) in students.iter().enumerate() {
        assert_eq!(student.choose(0, choice).status, 200);
    }
    session.wait("3 of 3 voted");
    session.signal("-KILL");
    session.child.wait().unwrap();
    assert!(std::net::TcpStream::connect(address).is_err(), "nobody answers");

    // The same command: same code, same phase, same votes, same seats.
    let mut session = teacher(folder.path(), &address.to_string());
    session.wait("3 of 3 voted");
    assert_eq!(word_after(&session, "room "), code);
    let seen = students[1].get("/state").json();
    assert_eq!(seen["you"]["votes"][0]["answer"], json!({ "choice": 1 }));
    // At once: the replay would take its time.
    session.keys("++++o");
    session.wait("33 % (1)");
    session.wait("Answer: ");
    let shown = students[0].get("/state").json();
    assert_eq!(shown["class"]["phase"], "reveal");
    // A second teacher on the same file is refused.
    let mut other = teacher(folder.path(), "127.0.0.1:0");
    other.wait("another `warpscope class` writes to this file");
    assert_eq!(other.end().exit_code(), 2);
    session.keys("E");
    session.wait("E again");
    session.keys("E");
    session.wait("The class has ended.");
    session.wait(".csv");
    assert_eq!(students[2].choose(0, 0).status, 410);
    session.keys("q");
    assert!(session.end().success());
    session.assert_restored();
    let files = std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().path());
    let table = files.into_iter().find(|it| it.extension().is_some_and(|it| it == "csv")).unwrap();
    let table = std::fs::read_to_string(table).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.lines().all(|line| line.split(',').count() == 7), "{table}");
}
