//! Workers behind a real `sshd` on this machine, with keys and a port of its
//! own. Says so and passes where OpenSSH is not installed.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::support::builders::experiment;
use crate::support::workers::{
    OWN, all_gone, options, own, processes, run, signal, stored, wrongs,
};
use crate::support::{Place, skip};
use warpscope::runner::scheduler::{self, Control, Event, WorkerSpec};

/// A server that lets in whoever holds the key that lies beside it.
struct Server {
    child: Child,
    place: Place,
}

impl Server {
    /// Starts one, or says why there is none.
    fn start() -> Result<Self, String> {
        let sshd = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"].map(PathBuf::from);
        let sshd = sshd.iter().find(|path| path.exists()).ok_or("sshd is not installed")?;
        let place = Place::new();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", key])
                .current_dir(place.path(""))
                .status();
            if !made.is_ok_and(|status| status.success()) {
                return Err("ssh-keygen does not work".to_owned());
            }
        }
        // sshd wants this folder when root starts it.
        if fs::create_dir_all("/run/sshd").is_err() && root() {
            return Err("/run/sshd cannot be made".to_owned());
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let path = |name: &str| place.path(name).display().to_string();
        let server = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n",
            path("host"),
            path("user.pub")
        );
        fs::write(place.path("sshd_config"), server).unwrap();
        let key = fs::read_to_string(place.path("host.pub")).unwrap();
        fs::write(place.path("known"), format!("[127.0.0.1]:{port} {key}")).unwrap();
        let client = format!(
            "Host here\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {}\n  IdentitiesOnly yes\n  \
             IdentityAgent none\n  UserKnownHostsFile {}\n  BatchMode yes\n",
            path("user"),
            path("known")
        );
        fs::write(place.path("ssh_config"), client).unwrap();
        let log = fs::File::create(place.path("log")).unwrap();
        let child = Command::new(sshd)
            .args(["-D", "-e", "-f", &path("sshd_config")])
            .stderr(log)
            .spawn()
            .map_err(|error| format!("sshd does not start: {error}"))?;
        let mut server = Self { child, place };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if !matches!(server.child.try_wait(), Ok(None)) {
                return Err(format!("sshd ended: {}", server.place.text("log")));
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Ok(server)
    }

    /// What is typed before a command that runs there.
    fn ssh(&self) -> String {
        format!("ssh -F '{}' here", self.place.path("ssh_config").display())
    }

    /// A worker there that writes down its process.
    fn worker(&self, pids: &Path, device: u32) -> WorkerSpec {
        let script = format!("echo $$ >> {}; exec {OWN} --device {device}", pids.display());
        let mut words: Vec<String> = vec!["ssh".into(), "-F".into()];
        words.push(self.place.path("ssh_config").display().to_string());
        words.extend(["here".to_owned(), script]);
        WorkerSpec::command(words)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn root() -> bool {
    let id = Command::new("id").arg("-u").output().map(|output| output.stdout);
    id.is_ok_and(|id| id.starts_with(b"0\n"))
}

/// The server. Without one, the test is skipped.
fn server() -> Option<Server> {
    Server::start().map_err(|reason| skip(&reason)).ok()
}

#[test]
fn a_sweep_spreads_over_this_machine_and_one_behind_ssh() {
    let Some(server) = server() else { return };
    let place = Place::new();
    let sweep =
        "sweep histogram --backend scripted --variant global,shared -n 2^10..2^16 -o s.jsonl";
    let remote = format!("{} {} worker --device 3", server.ssh(), env!("CARGO_BIN_EXE_warpscope"));
    let mut command = place.command(sweep);
    command.args(["--worker", OWN, "--worker", &remote]);
    let ran: crate::support::Ran = command.output().unwrap().into();
    assert!(ran.fine().err.contains("14 verified"));
    let mut devices: Vec<String> =
        stored(&place.path("s.jsonl")).into_iter().map(|record| record.device.id.clone()).collect();
    devices.sort();
    devices.dedup();
    assert_eq!(devices, ["scripted-0", "scripted-3"]);
}

#[test]
fn a_connection_that_breaks_costs_one_case_and_leaves_no_process_there() {
    let Some(server) = server() else { return };
    let place = Place::new();
    let (path, pids) = (place.path("a.jsonl"), place.path("pids"));
    let remote = server.worker(&pids, 1);
    let mut broken = false;
    let result = scheduler::run(
        &experiment(&[8, 6663]),
        &options(&path, vec![remote]),
        &Control::new(),
        &mut |event| {
            let slow = matches!(&event, Event::Started(case) if case.variant == "shared"
                && case.int("bins") == Some(6663));
            if slow && !broken {
                // The server's end of the connection is the shell's parent.
                let shell = processes(&pids).pop().unwrap();
                let stat = fs::read_to_string(format!("/proc/{shell}/stat"));
                let Ok(stat) = stat else { return };
                let parent = stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap();
                broken = signal(parent, "-KILL");
            }
        },
    );
    let tally = result.unwrap();
    assert!(broken, "the connection was not cut");
    assert_eq!((tally.verified, tally.failed), (7, 1));
    let records = stored(&path);
    assert_eq!((records.len(), wrongs(&records)), (8, vec!["worker-died"]));
    all_gone(&pids);
}

#[test]
fn cancelling_ends_the_worker_behind_ssh() {
    let Some(server) = server() else { return };
    let place = Place::new();
    let pids = place.path("pids");
    let control = Control::new();
    let workers = vec![server.worker(&pids, 0), server.worker(&pids, 1)];
    let mut started = 0;
    let result = scheduler::run(
        &experiment(&[6673]),
        &options(&place.path("a.jsonl"), workers),
        &control,
        &mut |event| {
            started +=
                usize::from(matches!(&event, Event::Started(case) if case.variant == "shared"));
            if started == 2 {
                control.cancel();
            }
        },
    );
    result.unwrap();
    assert_eq!(processes(&pids).len(), 2);
    all_gone(&pids);
}

#[test]
fn a_server_that_lets_nobody_in_is_told_in_its_own_words() {
    let Some(server) = server() else { return };
    fs::write(server.place.path("user.pub"), "").unwrap();
    let place = Place::new();
    let worker = server.worker(&place.path("pids"), 0);
    let path = place.path("a.jsonl");
    let error = run(&experiment(&[8]), &options(&path, vec![worker.clone()])).0.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("Permission denied") && text.contains("255"), "{text}");
    // With another worker it is told, and no reason to stop.
    let (result, events) = run(&experiment(&[8]), &options(&path, vec![worker, own(0)]));
    assert_eq!(result.unwrap().verified, 4);
    assert!(events.iter().any(|event| matches!(event, Event::Lost { worker: 0, .. })));
}
