//! From a save to the first point: how long the screens take to compile, check and run a
//! changed file of the user.
//!
//! ```text
//! cargo bench --bench own
//! ```
//!
//! Drives the real program in a pseudo-terminal of 120 by 40 on a file like the built-in
//! histogram, saves it 20 times with another constant, and prints the median and the range.
//! Needs a CUDA compiler; `warpscope doctor` says which one it finds.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// Saves that are timed.
const SAVES: usize = 20;
/// How long to wait for anything on the screen.
const PATIENCE: Duration = Duration::from_mins(1);

const TEMPLATE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/histogram.cu"));

/// The file, with a comment and a constant of its own that make every save another version.
fn source(version: usize) -> String {
    format!(
        "/* warpscope\nlike = \"histogram\"\n*/\n{TEMPLATE}\n__device__ unsigned version() {{ \
         return {version}; }}\n"
    )
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.cu");
    std::fs::write(&path, source(0)).expect("the file is written");
    let size = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal opens");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    command.args([path.as_os_str(), "--backend".as_ref(), "emulator".as_ref()]);
    command.env("TERM", "xterm-256color");
    command.env("WARPSCOPE_CONFIG", "none");
    command.env("WARPSCOPE_RUNS", "none");
    // Another folder at every start: no compilation is found in the cache.
    command.env("XDG_CACHE_HOME", folder.path().join("cache"));
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    let mut reader = pair.master.try_clone_reader().expect("the terminal can be read");
    let mut input = pair.master.take_writer().expect("the terminal can be written");
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65_536];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let (rows, columns) = (NonZero::<u16>::MIN, NonZero::<u16>::MIN);
    let mut screen = vt100::Parser::new(rows.saturating_add(39), columns.saturating_add(119), 0);
    wait(&mut screen, &output, |text| text.contains("mine.cu v1") && text.contains("finished"));
    let mut times = Vec::new();
    for version in 1..=SAVES {
        let begin = Instant::now();
        std::fs::write(&path, source(version)).expect("the file is written");
        let name = format!("mine.cu v{} ", version + 1);
        // The status line counts the cases of the new version.
        wait(&mut screen, &output, |text| {
            text.contains(&name)
                && !text.contains("checking")
                && (text.contains(" 1 verified") || verified(text) > 0 && text.contains("sweep "))
        });
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        wait(&mut screen, &output, |text| text.contains("sweep finished"));
    }
    times.sort_by(f64::total_cmp);
    println!(
        "save to first point, {SAVES} saves {:>9.0} ms   ({:.0} to {:.0})",
        times[SAVES / 2],
        times[0],
        times[SAVES - 1]
    );
    input.write_all(b"q").expect("the terminal can be written");
    drop(child.wait());
}

/// The number before the word `verified` in the status line.
fn verified(text: &str) -> u32 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let counts = words.windows(2).filter(|pair| pair[1].starts_with("verified"));
    counts.filter_map(|pair| pair[0].parse().ok()).max().unwrap_or_default()
}

/// Waits until the screen fulfils a condition.
fn wait(screen: &mut vt100::Parser, output: &Receiver<Vec<u8>>, is: impl Fn(&str) -> bool) {
    let begin = Instant::now();
    while !is(&screen.screen().contents()) {
        let left = PATIENCE.saturating_sub(begin.elapsed());
        match output.recv_timeout(left) {
            Ok(bytes) => screen.process(&bytes),
            Err(error) => panic!("{error}, waiting in vain:\n{}", screen.screen().contents()),
        }
    }
}
