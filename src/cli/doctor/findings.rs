//! What the facts come to, and what to do about each. Pure: the same facts give
//! the same findings.

use std::io;
use std::time::Duration;

use super::facts::{Cuda, Facts, Kept, Terminal, Trial};
use crate::backend::GpuHealth;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// It works.
    Good,
    /// It is not there, and need not be.
    Missing,
    /// It works, but what it gives deserves care.
    Care,
    /// It should work and does not.
    Bad,
}

impl Level {
    /// The word for it at the start of a line.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Missing => "missing",
            Self::Care => "CARE",
            Self::Bad => "BAD",
        }
    }
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// What was looked at.
    pub(super) name: &'static str,
    /// What it is like.
    pub(super) text: String,
    /// What to do about it.
    pub(super) advice: Option<String>,
}

impl Finding {
    fn good(name: &'static str, text: impl Into<String>) -> Self {
        Self { level: Level::Good, name, text: text.into(), advice: None }
    }

    fn new(level: Level, name: &'static str, text: impl Into<String>, advice: &str) -> Self {
        Self { level, name, text: text.into(), advice: Some(advice.to_owned()) }
    }
}

/// A terminal that takes longer than this to answer makes keys feel sticky.
const SLUGGISH: Duration = Duration::from_millis(80);

/// Share of time in percent from which on a GPU counts as busy.
const BUSY: u32 = 10;

/// Versions of CUDA and the Linux driver that each came with.
const DRIVERS: [((u32, u32), u32); 13] = [
    ((11, 0), 450),
    ((11, 4), 470),
    ((11, 8), 520),
    ((12, 0), 525),
    ((12, 1), 530),
    ((12, 2), 535),
    ((12, 3), 545),
    ((12, 4), 550),
    ((12, 5), 555),
    ((12, 6), 560),
    ((12, 8), 570),
    ((12, 9), 575),
    ((13, 0), 580),
];

/// Judges the facts.
pub(super) fn of(facts: &Facts) -> Vec<Finding> {
    let cores = format!("{} cores, all used by the emulator", facts.cores);
    let mut findings = vec![Finding::good("CPU", cores)];
    findings.extend(facts.emulator.as_ref().map(emulator));
    findings.extend(cuda(&facts.cuda));
    findings.extend(facts.cuda.health.iter().flat_map(gpu));
    findings.push(terminal(&facts.terminal));
    findings.extend(speed(&facts.terminal));
    findings.push(characters(facts.locale.as_deref()));
    findings.push(colours(facts));
    findings.push(settings(&facts.kept));
    findings.push(runs(&facts.kept));
    findings
}

/// The settings file, and whether it is understood.
fn settings(kept: &Kept) -> Finding {
    match (&kept.file, &kept.problem) {
        (_, Some(problem)) => Finding::new(
            Level::Bad,
            "settings",
            problem,
            "nothing is written over it; `--config none` goes without",
        ),
        (Some(file), None) => Finding::good("settings", format!("kept in {}", file.display())),
        (None, None) => Finding::new(
            Level::Missing,
            "settings",
            "not kept between starts",
            "name a file by --config or WARPSCOPE_CONFIG to keep them",
        ),
    }
}

/// Where runs of the screens are stored.
fn runs(kept: &Kept) -> Finding {
    match &kept.runs {
        Some(folder) => {
            Finding::good("runs", format!("{} stored in {}", kept.count, folder.display()))
        }
        None => Finding::new(
            Level::Missing,
            "runs",
            "results of the screens go to no file",
            "name a folder by --out or WARPSCOPE_RUNS to store them",
        ),
    }
}

fn ran(variants: &[String]) -> String {
    format!("PTX loads, runs and verifies ({})", variants.join(", "))
}

fn emulator(trial: &Trial) -> Finding {
    match trial {
        Ok(variants) => Finding::good("emulator", ran(variants)),
        Err(trouble) => Finding::new(
            Level::Bad,
            "emulator",
            trouble,
            "it needs nothing but this program: install it again, and report this if it stays",
        ),
    }
}

/// Driver, devices and kernels; the first thing that is wrong explains the rest.
fn cuda(cuda: &Cuda) -> Vec<Finding> {
    const DRIVER: &str = "CUDA driver";
    if !cuda.linux {
        let text = "this build drives GPUs on Linux only";
        let advice = "use the emulator here, or a worker on a Linux machine";
        return vec![Finding::new(Level::Missing, DRIVER, text, advice)];
    }
    if let Some(error) = &cuda.driver.load_error {
        return vec![no_library(cuda, error)];
    }
    let needed = cuda_for(cuda.isa);
    if let Some(has) = cuda.driver.cuda.filter(|has| *has < needed) {
        let text = format!(
            "the driver supports CUDA {}.{}, the kernels' PTX {}.{} needs {}.{}",
            has.0, has.1, cuda.isa.0, cuda.isa.1, needed.0, needed.1
        );
        let advice = format!(
            "update the NVIDIA driver to release {} or newer; until then --backend emulator",
            release(needed)
        );
        return vec![Finding::new(Level::Bad, DRIVER, text, &advice)];
    }
    match &cuda.devices {
        None => Vec::new(),
        Some(Err(reason)) => vec![no_device(cuda, reason)],
        Some(Ok(lines)) => {
            let devices: Vec<String> = lines.iter().map(|line| format!("device {line}")).collect();
            let mut findings = vec![Finding::good(DRIVER, devices.join("; "))];
            findings.extend(denied(cuda).map(|text| {
                let advice = "whatever it is needed for fails: ask for the right to open it";
                Finding::new(Level::Care, DRIVER, text, advice)
            }));
            findings.extend(cuda.kernels.as_ref().map(kernels));
            findings
        }
    }
}

fn kernels(trial: &Trial) -> Finding {
    match trial {
        Ok(variants) => Finding::good("CUDA kernels", ran(variants)),
        Err(trouble) => Finding::new(
            Level::Bad,
            "CUDA kernels",
            trouble,
            "try `nvidia-smi`; if it hangs or shows errors too, the GPU needs a reset or the \
             machine a restart (`dmesg | grep -i xid` names the fault)",
        ),
    }
}

/// The driver's library cannot be loaded.
fn no_library(cuda: &Cuda, error: &str) -> Finding {
    let name = "CUDA driver";
    let text = format!("the driver's library cannot be loaded ({error})");
    if !cuda.nodes.is_empty() {
        // The kernel's part is there: a container without the library.
        let advice = "the machine has a driver that this place does not see; start the container \
                      with `--gpus all` (NVIDIA_DRIVER_CAPABILITIES=compute,utility), or install \
                      libcuda1 of the same release";
        return Finding::new(Level::Bad, name, text, advice);
    }
    if cuda.on_bus > 0 {
        let text = format!("{} on the bus, and no driver: {text}", several(cuda.on_bus));
        let advice = "install the NVIDIA driver (on Debian and Ubuntu nvidia-driver), restart";
        return Finding::new(Level::Bad, name, text, advice);
    }
    let advice = "without an NVIDIA GPU nothing is missing: the emulator runs the same kernels";
    Finding::new(Level::Missing, name, text, advice)
}

/// The library is there, and no device answers.
fn no_device(cuda: &Cuda, reason: &str) -> Finding {
    let name = "CUDA driver";
    if let Some(text) = denied(cuda) {
        let advice = "add yourself to the group that owns it (`ls -l /dev/nvidia*`, often video or \
                      render: `sudo usermod -aG video $USER`, then log in again), or ask the \
                      cluster's scheduler for a GPU";
        return Finding::new(Level::Bad, name, text, advice);
    }
    let advice = if cuda.nodes.is_empty() {
        "the driver's library is there, its device files are not: `sudo modprobe nvidia` on a \
         machine of your own, `--gpus all` for a container, a GPU from the scheduler on a cluster"
    } else {
        "try `nvidia-smi`; after an update of the driver the machine has to restart; look whether \
         CUDA_VISIBLE_DEVICES hides the GPUs"
    };
    Finding::new(Level::Bad, name, reason, advice)
}

/// The device files that may not be opened.
fn denied(cuda: &Cuda) -> Option<String> {
    let denied: Vec<&str> = cuda
        .nodes
        .iter()
        .filter(|(_, error)| *error == Some(io::ErrorKind::PermissionDenied))
        .map(|(path, _)| path.as_str())
        .collect();
    (!denied.is_empty()).then(|| format!("no permission to open {}", denied.join(", ")))
}

fn several(gpus: usize) -> String {
    if gpus == 1 { "an NVIDIA GPU is".to_owned() } else { format!("{gpus} NVIDIA GPUs are") }
}

/// The version of CUDA that came with a version of PTX.
fn cuda_for((major, minor): (u32, u32)) -> (u32, u32) {
    match (major, minor) {
        (..=6, _) => (10, 0),
        (7, minor) => (11, minor),
        (8, 0..=5) => (12, minor),
        // PTX 8.6 to 8.8 came with CUDA 12.7 to 12.9.
        (8, minor) => (12, minor + 1),
        (major, minor) => (major + 4, minor),
    }
}

/// The first release of the Linux driver that supports a version of CUDA.
fn release(cuda: (u32, u32)) -> u32 {
    let newer = DRIVERS.iter().find(|(version, _)| *version >= cuda);
    newer.or(DRIVERS.last()).map_or(0, |(_, release)| *release)
}

/// What disturbs measurements on a GPU.
fn gpu(gpu: &GpuHealth) -> Vec<Finding> {
    let mut findings = Vec::new();
    if gpu.prohibited {
        findings.push(Finding::new(
            Level::Bad,
            "GPU mode",
            format!("{} takes no compute work (mode Prohibited)", gpu.name),
            "an administrator can allow it: `nvidia-smi -c DEFAULT`",
        ));
    }
    if !gpu.processes.is_empty() || gpu.busy_percent >= BUSY {
        let names: Vec<String> = gpu
            .processes
            .iter()
            .map(
                |(pid, name)| {
                    if name.is_empty() { pid.to_string() } else { format!("{name} ({pid})") }
                },
            )
            .collect();
        let who = if names.is_empty() {
            "by processes that are not seen from here".to_owned()
        } else {
            format!("by {}", names.join(", "))
        };
        let text = format!("{} is in use, {} % of the time, {who}", gpu.name, gpu.busy_percent);
        let advice = if gpu.exclusive {
            "it serves one process at a time: wait for it, end it, or take another with --device"
        } else {
            "times will be longer and spread: wait, end it, or take another with --device"
        };
        findings.push(Finding::new(Level::Care, "GPU load", text, advice));
    }
    if !gpu.throttled.is_empty() {
        let clock = gpu
            .megahertz
            .map_or(String::new(), |(now, most)| format!(", {now} of {most} MHz when last asked"));
        let heat = gpu.celsius.map_or(String::new(), |celsius| format!(", {celsius} °C"));
        let text =
            format!("{} is held down by {}{clock}{heat}", gpu.name, gpu.throttled.join(", "));
        let by_hand = gpu.throttled.iter().all(|reason| *reason == "clocks set by hand");
        let advice = if by_hand {
            "fine for comparing; `nvidia-smi -rgc` and `-rac` give the clocks back"
        } else {
            "slow samples are taken again and points marked throttled; let it cool, look at its \
             fans and at `nvidia-smi -q -d POWER,TEMPERATURE`"
        };
        let level = if by_hand { Level::Good } else { Level::Care };
        findings.push(Finding::new(level, "GPU clocks", text, advice));
    }
    if findings.is_empty() {
        let heat = gpu.celsius.map_or(String::new(), |celsius| format!(", {celsius} °C"));
        findings.push(Finding::good("GPU load", format!("{} is idle{heat}", gpu.name)));
    }
    findings
}

fn terminal(terminal: &Terminal) -> Finding {
    let name = "terminal";
    match &terminal.size {
        _ if !terminal.is_one => Finding::new(
            Level::Missing,
            name,
            "standard output is not a terminal",
            "the commands work; the screens need a terminal (over ssh: `ssh -t`)",
        ),
        Some(Ok((0, _) | (_, 0))) => Finding::new(
            Level::Missing,
            name,
            "the terminal does not tell its size",
            "the screens need 80x24: `stty cols 120 rows 40` sets it",
        ),
        Some(Ok((width, height))) if *width >= 80 && *height >= 24 => {
            Finding::good(name, format!("{width}x{height}"))
        }
        Some(Ok((width, height))) => Finding::new(
            Level::Missing,
            name,
            format!("{width}x{height}"),
            "the screens need 80x24: enlarge it, or choose a smaller font",
        ),
        Some(Err(error)) => Finding::new(
            Level::Missing,
            name,
            format!("does not tell its size ({error})"),
            "the screens need 80x24: `stty cols 120 rows 40` sets it",
        ),
        None => Finding::good(name, "there"),
    }
}

/// How fast the terminal answers.
fn speed(terminal: &Terminal) -> Option<Finding> {
    let name = "speed";
    terminal.is_one.then(|| match terminal.answer {
        None => Finding::new(
            Level::Care,
            name,
            "the terminal does not say where its cursor is",
            "the screens may still work; if keys do nothing, try another terminal",
        ),
        Some(took) if took > SLUGGISH => Finding::new(
            Level::Care,
            name,
            format!("the terminal takes {} ms to answer", took.as_millis()),
            "screens will lag; keep the screens on this machine and give a far GPU a worker \
             (or sweep there, and `warpscope show` the file here)",
        ),
        Some(took) => Finding::good(
            name,
            format!("the terminal answers in {:.1} ms", took.as_secs_f64() * 1e3),
        ),
    })
}

fn characters(locale: Option<&str>) -> Finding {
    let name = "characters";
    match locale {
        Some(locale) if is_utf8(locale) => Finding::good(name, format!("UTF-8 ({locale})")),
        Some(locale) => Finding::new(
            Level::Missing,
            name,
            format!("the locale {locale} is not UTF-8; the screens use ASCII"),
            "export LANG=C.UTF-8",
        ),
        None => Finding::new(
            Level::Missing,
            name,
            "no locale is set; the screens use ASCII",
            "export LANG=C.UTF-8",
        ),
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn colours(facts: &Facts) -> Finding {
    let (name, term) = ("colours", facts.term.as_str());
    if facts.no_color {
        Finding::good(name, "off, as NO_COLOR asks")
    } else if matches!(facts.colorterm.as_str(), "truecolor" | "24bit") {
        Finding::good(name, "16 million")
    } else if term.contains("256color") {
        Finding::good(name, "256")
    } else if term.is_empty() || term == "dumb" {
        Finding::new(
            Level::Missing,
            name,
            format!("TERM is `{term}`, which says nothing of colours"),
            "export TERM=xterm-256color, or whatever the terminal is",
        )
    } else {
        Finding::new(
            Level::Good,
            name,
            format!("16 (TERM is {term})"),
            "curves are told apart by marks too; `export TERM=xterm-256color` where it has more",
        )
    }
}

#[cfg(test)]
mod tests;
