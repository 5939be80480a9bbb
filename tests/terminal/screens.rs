//! The README's pictures, made from the real screen: the program runs in a
//! pseudo-terminal and every cell of it is written down as SVG.
//!
//! ```text
//! cargo test --release --test terminal screens -- --ignored
//! ```

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const ROWS: u16 = 36;
const COLUMNS: u16 = 120;
/// Size of a cell in the picture.
const CELL: (f64, f64) = (8.43, 18.0);
/// Colours where a cell has none of its own.
const INK: &str = "#d8dee9";
const PAPER: &str = "#14171c";

/// The sixteen terminal colours, as most dark terminals show them.
const BASIC: [&str; 16] = [
    "#14171c", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
    "#6b7380", "#ef8a92", "#b5e08f", "#f2d49b", "#8cc6f7", "#d9a0ea", "#7fd3dd", "#ffffff",
];

fn colour(colour: vt100::Color, default: &str) -> String {
    match colour {
        vt100::Color::Default => default.to_owned(),
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        vt100::Color::Idx(index @ 0..16) => BASIC[usize::from(index)].to_owned(),
        vt100::Color::Idx(index @ 16..232) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * u32::from(part) };
            let cube = index - 16;
            let (r, g, b) = (level(cube / 36), level(cube / 6 % 6), level(cube % 6));
            format!("#{r:02x}{g:02x}{b:02x}")
        }
        vt100::Color::Idx(index) => {
            let grey = 8 + 10 * u32::from(index - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Words and single symbols, each at its own place, so that the picture hardly
/// depends on the widths of the viewer's font.
fn svg(screen: &vt100::Screen) -> String {
    let mut body = String::new();
    let mut styles: Vec<String> = Vec::new();
    for row in 0..ROWS {
        let y = 12.0 + f64::from(row) * CELL.1;
        let mut word: Option<(usize, u16, String)> = None;
        for column in 0..=COLUMNS {
            let cell = (column < COLUMNS).then(|| screen.cell(row, column).unwrap());
            let text = cell.map_or("", |cell| cell.contents().trim());
            let style = cell.map_or_else(String::new, |cell| {
                let x = 12.0 + f64::from(column) * CELL.0;
                let (mut ink, mut paper) =
                    (colour(cell.fgcolor(), INK), colour(cell.bgcolor(), PAPER));
                if cell.inverse() {
                    std::mem::swap(&mut ink, &mut paper);
                }
                if paper != PAPER {
                    let (w, h) = (CELL.0 + 0.2, CELL.1 + 0.2);
                    writeln!(
                        body,
                        "<path fill=\"{paper}\" d=\"M{x:.1} {y:.1}h{w:.1}v{h:.1}h-{w:.1}\"/>"
                    )
                    .unwrap();
                }
                let weight = if cell.bold() { ";font-weight:bold" } else { "" };
                let opacity = if cell.dim() { ";opacity:.65" } else { "" };
                format!("fill:{ink}{weight}{opacity}")
            });
            let class = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            let plain = !text.is_empty() && text.is_ascii();
            if let Some((same, _, letters)) = &mut word
                && *same == class
                && plain
            {
                letters.push_str(text);
                continue;
            }
            if let Some((class, column, letters)) = word.take() {
                let (x, baseline) = (12.0 + f64::from(column) * CELL.0, y + 13.5);
                let letters = escape(&letters);
                writeln!(
                    body,
                    "<text class=\"s{class}\" x=\"{x:.1}\" y=\"{baseline}\">{letters}</text>"
                )
                .unwrap();
            }
            if plain {
                word = Some((class, column, text.to_owned()));
            } else if !text.is_empty() {
                let (x, baseline) = (12.0 + f64::from(column) * CELL.0, y + 13.5);
                writeln!(
                    body,
                    "<text class=\"s{class}\" x=\"{x:.1}\" y=\"{baseline}\">{text}</text>"
                )
                .unwrap();
            }
        }
    }
    let mut classes = String::new();
    for (class, style) in styles.iter().enumerate() {
        write!(classes, ".s{class}{{{style}}}").unwrap();
    }
    let (width, height) = (f64::from(COLUMNS) * CELL.0 + 24.0, f64::from(ROWS) * CELL.1 + 24.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"Hack, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <style>{classes}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n{body}</svg>\n"
    )
}

/// Reads the program's output until the screen shows `part`.
fn wait(output: &Receiver<Vec<u8>>, terminal: &mut vt100::Parser, part: &str) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !terminal.screen().contents().contains(part) {
        assert!(
            Instant::now() < deadline,
            "never saw `{part}` on\n{}",
            terminal.screen().contents()
        );
        if let Ok(bytes) = output.recv_timeout(Duration::from_millis(200)) {
            terminal.process(&bytes);
        }
    }
}

/// A picture: the name of its file, and how to get there: keys, and what the
/// screen then shows.
struct Scene {
    name: &'static str,
    arguments: &'static [&'static str],
    steps: &'static [(&'static str, &'static str)],
}

/// Every picture of the README. A view that is new is a line here.
const SCENES: &[Scene] = &[
    Scene { name: "sweep", arguments: EMULATOR, steps: &[("r", "sweep finished")] },
    Scene {
        name: "output",
        arguments: EMULATOR,
        steps: &[("r", "sweep finished"), ("2", "even share")],
    },
    Scene { name: "tune", arguments: EMULATOR, steps: &[("3", "block"), ("v", "shared at")] },
    Scene {
        name: "counters",
        arguments: EMULATOR,
        steps: &[("r", "sweep finished"), ("4", "DRAM")],
    },
    Scene {
        name: "source",
        arguments: EMULATOR,
        steps: &[("r", "sweep finished"), ("5", "atomicAdd")],
    },
    Scene {
        name: "runs",
        arguments: EMULATOR,
        steps: &[("r", "sweep finished"), ("6", "O overlay")],
    },
];

const EMULATOR: &[&str] = &["--backend", "emulator"];

/// The program in a pseudo-terminal, after the steps of a scene.
fn play(scene: &Scene) -> String {
    let folder = tempfile::tempdir().unwrap();
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    command.args(scene.arguments);
    command.cwd(folder.path());
    command.env("WARPSCOPE_CONFIG", "none");
    command.env("HOME", folder.path());
    command.env("XDG_CONFIG_HOME", folder.path());
    command.env("XDG_DATA_HOME", folder.path());
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    command.env("LC_ALL", "C.UTF-8");
    command.env_remove("NO_COLOR");
    let mut child = pair.slave.spawn_command(command).unwrap();
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut keys = pair.master.take_writer().unwrap();
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65_536];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let size = NonZeroU16::new(ROWS).zip(NonZeroU16::new(COLUMNS)).unwrap();
    let mut terminal = vt100::Parser::new(size.0, size.1, 0);
    wait(&output, &mut terminal, "Algorithm");
    for (pressed, shown) in scene.steps {
        keys.write_all(pressed.as_bytes()).unwrap();
        wait(&output, &mut terminal, shown);
    }
    // Whatever the last key has still to change.
    while let Ok(bytes) = output.recv_timeout(Duration::from_millis(400)) {
        terminal.process(&bytes);
    }
    let picture = svg(terminal.screen());
    let _ = child.kill();
    child.wait().unwrap();
    picture
}

#[test]
#[ignore = "writes assets/screens; run it when a screen has changed"]
fn the_screens_become_pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/screens");
    std::fs::create_dir_all(&folder).unwrap();
    for scene in SCENES {
        let picture = play(scene);
        assert!(picture.contains("warpscope"), "{}", scene.name);
        std::fs::write(folder.join(scene.name).with_extension("svg"), picture).unwrap();
    }
}
