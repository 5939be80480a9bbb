//! How the screen feels: time to the first frame, from `r` to the first point,
//! the whole default sweep on the emulator, and what an idle screen costs.
//!
//! ```text
//! cargo bench --bench interface
//! ```
//!
//! Drives the real program in a pseudo-terminal of 120 by 40 and prints the
//! median and the range of each figure over several starts.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use warpscope::experiment::{Case, Distribution, Experiment, ParamValue};
use warpscope::results::record::{DeviceRecord, Provenance, Record, Summary};
use warpscope::runner::trace::{self, Request};
use warpscope::tui::Start;
use warpscope::tui::app::model::{Look, Model, Screen as View};
use warpscope::tui::app::view;
use warpscope::tui::screens::step::recorded::Recorded;
use warpscope::tui::screens::step::state::{Known, Wanted};
use warpscope::units::BlockSize;
use warpscope::work::trace::Marks;

/// Starts of the program.
const ROUNDS: usize = 7;
/// How long to wait for anything on the screen.
const PATIENCE: Duration = Duration::from_mins(1);

/// The program in a pseudo-terminal.
struct Screen {
    terminal: vt100::Parser,
    output: Receiver<Vec<u8>>,
    input: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    _master: Box<dyn portable_pty::MasterPty + Send>,
}

impl Screen {
    fn open() -> Self {
        Self::open_with(&[], 120, 40)
    }

    fn open_with(arguments: &[&str], columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal opens");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env("WARPSCOPE_CONFIG", "none");
        command.env("WARPSCOPE_RUNS", "none");
        command.cwd(std::env::temp_dir());
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("the terminal can be read");
        let input = pair.master.take_writer().expect("the terminal can be written");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let (rows, columns) = (NonZero::new(rows), NonZero::new(columns));
        let (rows, columns) = rows.zip(columns).expect("the screen has a size");
        let terminal = vt100::Parser::new(rows, columns, 0);
        Self { terminal, output, input, child, _master: pair.master }
    }

    /// Reads until the screen satisfies `done`; gives how long that took.
    fn wait(&mut self, since: Instant, done: impl Fn(&str) -> bool) -> Duration {
        while !done(&self.terminal.screen().contents()) {
            assert!(since.elapsed() < PATIENCE, "{}", self.terminal.screen().contents());
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_secs(1)) {
                self.terminal.process(&bytes);
            }
        }
        since.elapsed()
    }

    fn send(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).expect("keys can be sent");
    }

    /// Bytes written to the screen, and CPU seconds spent, over `time`.
    fn idle(&mut self, time: Duration) -> (usize, f64) {
        let before = cpu_seconds(self.child.process_id());
        let end = Instant::now() + time;
        let mut bytes = 0;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if let Ok(more) = self.output.recv_timeout(left) {
                bytes += more.len();
                self.terminal.process(&more);
            }
        }
        (bytes, cpu_seconds(self.child.process_id()) - before)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Ctrl-C: `q` would ask while a run is in progress.
        self.send("\x03");
        let _ = self.child.wait();
    }
}

/// CPU seconds of a process so far (Linux; 0 elsewhere).
fn cpu_seconds(process: Option<u32>) -> f64 {
    let stat = process.and_then(|id| std::fs::read_to_string(format!("/proc/{id}/stat")).ok());
    let fields: Vec<f64> = stat
        .as_deref()
        .and_then(|stat| stat.rsplit(')').next())
        .map(|rest| rest.split_whitespace().filter_map(|field| field.parse().ok()).collect())
        .unwrap_or_default();
    // After the state: fields 14 and 15 of proc(5), in ticks of 10 ms.
    fields.get(10).zip(fields.get(11)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}

/// The number before the word `verified` in the status line.
fn cases_verified(text: &str) -> u32 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let counts = words.windows(2).filter(|pair| pair[1].starts_with("verified"));
    counts.filter_map(|pair| pair[0].parse().ok()).max().unwrap_or_default()
}

fn show(name: &str, mut values: Vec<f64>, unit: &str) {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values[0], values[values.len() - 1]);
    println!("{name:<44} {:>9.1} {unit}   ({low:.1} to {high:.1})", values[values.len() / 2]);
}

/// A frame of 24 curves of 40 points at 200x60: what each costs to build from
/// the model, and what of it is comparing it with the one before.
fn frames() {
    let records: Vec<Record> = [0, 1]
        .into_iter()
        .flat_map(|variant| (0..6).map(move |block| (variant, 32 << block)))
        .flat_map(|(variant, block)| [1, 4].map(|coarsen| (variant, block, coarsen)))
        .flat_map(|curve| (0..40).map(move |point| (curve, point)))
        .map(|((variant, block, coarsen), point)| record(variant, block, coarsen, point))
        .collect();
    let experiment = Experiment {
        blocks: (0..6).filter_map(|block| BlockSize::new(32 << block).ok()).collect(),
        coarsenings: vec![1, 4],
        ..Experiment::default()
    };
    let start =
        Start { experiment, shown: records.into(), source: "bench".to_owned(), ..Start::default() };
    let look = Look { colour: true, ..Look::default() };
    let mut model = Model::new(&start, look);
    let curves = model.chart.figure.as_ref().map_or(0, |figure| figure.series.len());
    assert_eq!(curves, 24);
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).expect("a terminal in memory");
    step(&mut model);
    for (name, screen) in View::ALL.map(|screen| (screen.name(), screen)) {
        model.screen = screen;
        let times = (0..300)
            .map(|_| {
                let begin = Instant::now();
                terminal.draw(|frame| drop(view::draw(frame, &model))).expect("a frame is drawn");
                begin.elapsed().as_secs_f64() * 1e6
            })
            .skip(20)
            .collect();
        show(&format!("frame of {name}, 24 curves of 40, 200x60"), times, "µs");
    }
}

/// Records a block of the selected case for the Step screen, at its first costly step.
fn step(model: &mut Model) {
    let case = model.selected.as_ref().expect("a case is selected").case.clone();
    let wanted = Wanted { case: Case { n: 1 << 14, ..case }, gpu: None, launch: None, block: 0 };
    let Wanted { case, gpu, launch, block } = wanted.clone();
    let request = Request { case, gpu, launch, block };
    let traced = trace::record(&request, &Arc::default(), &Arc::default());
    let recorded = Arc::new(Recorded::new(traced.expect("the block is recorded")));
    let costly = recorded.trace().find(0, |_, step| step.marks.has(Marks::SERIAL));
    let shown = recorded.show(costly.unwrap_or(0), &[]);
    model.step.shown = shown.map(Arc::new);
    (model.step.wanted, model.step.known) =
        (Some(wanted.clone()), Some((wanted, Known::Recorded(recorded))));
}

/// A point of a curve as if recorded.
fn record(variant: usize, block: u32, coarsen: u32, point: u32) -> Record {
    let n = (1024.0 * 1.35f64.powi(point as i32)) as u64;
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: ["global", "shared"][variant].to_owned(),
        block,
        coarsen,
        n,
        params: [
            ("bins".to_owned(), ParamValue::Int(8)),
            ("binning".to_owned(), ParamValue::Word("modulo".to_owned())),
        ]
        .into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let device = DeviceRecord { name: "NVIDIA H200".to_owned(), driver: None, id: String::new() };
    let mut record = Record::new(&case, device, "cuda", Provenance::Recorded);
    let rate = [8e-11, 4e-12][variant] * (1.0 + f64::from(block) / 700.0);
    let median = 2e-6 + n as f64 * rate / f64::from(coarsen);
    record.seconds = Some(Summary {
        median,
        q1: Some(median * 0.98),
        q3: Some(median * 1.03),
        samples: Box::default(),
        taken: Some(100),
    });
    record.verified = Some(true);
    record
}

/// From a key to the frame that shows what it did, while a sweep keeps every
/// core busy: opens and closes the help.
fn keys() {
    let mut screen = Screen::open_with(&[], 200, 60);
    screen.wait(Instant::now(), |text| text.contains("quit"));
    screen.send("r");
    let mut times = Vec::new();
    let mut running = 0;
    for press in 0..400 {
        let shows = press % 2 == 0;
        screen.idle(Duration::from_millis(5 + press % 7 * 4));
        let pressed = Instant::now();
        screen.send("?");
        let help = |text: &str| text.contains("pause or resume the run") == shows;
        times.push(screen.wait(pressed, help).as_secs_f64() * 1e3);
        let finished = screen.terminal.screen().contents().contains("sweep finished");
        running += usize::from(!finished);
        if finished && !shows {
            screen.send("r");
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "key to frame while a sweep runs, 200x60          {:.1} ms   (99th percentile {:.1}, most \
         {:.1}; {running} of {} keys during the sweep)",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
}

fn main() {
    frames();
    keys();
    let (mut frame, mut point, mut sweep) = (Vec::new(), Vec::new(), Vec::new());
    let (mut idle_bytes, mut idle_cpu) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut screen = Screen::open();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        frame.push(ms(
            screen.wait(start, |text| text.contains("Algorithm") && text.contains("quit"))
        ));
        screen.idle(Duration::from_millis(300));
        let (bytes, cpu) = screen.idle(Duration::from_secs(3));
        idle_bytes.push(bytes as f64);
        idle_cpu.push(cpu / 3.0 * 100.0);
        let pressed = Instant::now();
        screen.send("r");
        point.push(ms(screen.wait(pressed, |text| cases_verified(text) > 0)));
        sweep.push(ms(screen.wait(pressed, |text| text.contains("sweep finished"))));
    }
    println!(
        "{ROUNDS} starts, 120x40, {} cores",
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    show("start to first frame", frame, "ms");
    show("r to first modelled point", point, "ms");
    show("default sweep, 2^10..2^22, two variants", sweep, "ms");
    show("written to an idle screen in 3 s", idle_bytes, "bytes");
    show("CPU of an idle screen", idle_cpu, "%");
}
