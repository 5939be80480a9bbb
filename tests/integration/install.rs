//! The shell installer, against a local server of archives.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{Place, skip};

/// The name of the archive for this machine.
fn archive() -> String {
    format!("warpscope-{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Serves the files of a folder until the test program ends; its address.
fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let request = lines.next().unwrap().unwrap();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let name = request.split(['/', ' ']).nth(2).unwrap();
            let (status, body) = match fs::read(folder.join(name)) {
                Ok(body) => ("200 OK", body),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let head = format!("HTTP/1.0 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&body).unwrap();
        }
    });
    address
}

fn install(from: &str, to: &Path) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/install/install.sh");
    let mut command = Command::new("sh");
    command.args([script, "--from", from, "--to"]).arg(to);
    command.output().unwrap()
}

#[test]
fn the_installer_installs_what_has_the_right_checksum_and_nothing_else() {
    let missing = |tool: &&str| Command::new(tool).arg("--version").output().is_err();
    if let Some(tool) = ["curl", "tar", "sha256sum"].iter().find(|tool| missing(tool)) {
        return skip(&format!("{tool} is not installed"));
    }
    let place = Place::new();
    let name = archive();
    fs::create_dir(place.path(&name)).unwrap();
    let program = "#!/bin/sh\necho warpscope 1.2.3\n";
    fs::write(place.path(&format!("{name}/warpscope")), program).unwrap();
    let pack = format!(
        "chmod +x {name}/warpscope && tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz"
    );
    let packed = Command::new("sh").args(["-c", &pack]).current_dir(place.path("")).output();
    let sum = String::from_utf8(packed.unwrap().stdout).unwrap();
    let file = place.path(&format!("{name}.tar.gz.sha256"));
    fs::write(&file, &sum).unwrap();
    let server = serve(&place.path(""));

    // Twice: the second replaces the first.
    for _ in 0..2 {
        let output = install(&server, &place.path("a folder/bin"));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.starts_with("installed warpscope 1.2.3 in "), "{said}");
        assert!(said.contains("export PATH="), "{said}");
        assert_eq!(fs::read_dir(place.path("a folder/bin")).unwrap().count(), 1);
    }
    for wrong in [format!("{:064}  {name}.tar.gz\n", 0), String::new(), "<html>".to_owned()] {
        fs::write(&file, &wrong).unwrap();
        let output = install(&server, &place.path("bad"));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains("error: the checksum of"), "{said}");
        assert!(said.contains("nothing was installed"), "{said}");
    }
    fs::remove_file(&file).unwrap();
    let output = install(&server, &place.path("bad"));
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("error: cannot download"));
    // A program that does not start here is not installed either.
    fs::write(place.path(&format!("{name}/warpscope")), "#!/bin/sh\nexit 1\n").unwrap();
    let packed = Command::new("sh").args(["-c", &pack]).current_dir(place.path("")).output();
    fs::write(&file, packed.unwrap().stdout).unwrap();
    let output = install(&server, &place.path("bad"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("does not start"));
    assert!(!place.path("bad").exists());
}
