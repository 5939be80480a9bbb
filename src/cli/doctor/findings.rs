//! The findings of `doctor`, each with advice. Pure: the same facts give the same
//! findings.

use std::io;
use std::time::Duration;

use Level::{Bad, Care, Good, Missing};

use super::facts::{Compilers, Cuda, Facts, Kept, Terminal, Trial};
use crate::backend::GpuHealth;
use crate::work::cuda_for;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// It works.
    Good,
    /// It is absent, and optional.
    Missing,
    /// It works, with a reservation.
    Care,
    /// It should work and does not.
    Bad,
}

impl Level {
    /// The word for it at the start of a line.
    pub(super) fn word(self) -> &'static str {
        match self {
            Good => "ok",
            Missing => "missing",
            Care => "WARNING",
            Bad => "ERROR",
        }
    }

    /// A finding with advice.
    fn finding(self, name: &'static str, text: impl Into<String>, advice: &str) -> Finding {
        Finding { level: self, name, text: text.into(), advice: Some(advice.to_owned()) }
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// What was checked.
    pub(super) name: &'static str,
    /// Its state.
    pub(super) text: String,
    /// What to do about it.
    pub(super) advice: Option<String>,
}

impl Finding {
    fn good(name: &'static str, text: impl Into<String>) -> Self {
        Self { level: Good, name, text: text.into(), advice: None }
    }
}

/// With a terminal that needs longer than this to answer, keys feel slow.
const SLUGGISH: Duration = Duration::from_millis(80);

/// Utilisation in percent from which a GPU counts as busy.
const BUSY: u32 = 10;

const DRIVER: &str = "CUDA driver";

/// Versions of CUDA, each with the Linux driver that it came with.
#[rustfmt::skip]
const DRIVERS: [((u32, u32), u32); 13] = [
    ((11, 0), 450), ((11, 4), 470), ((11, 8), 520), ((12, 0), 525), ((12, 1), 530),
    ((12, 2), 535), ((12, 3), 545), ((12, 4), 550), ((12, 5), 555), ((12, 6), 560),
    ((12, 8), 570), ((12, 9), 575), ((13, 0), 580),
];

/// Judges the facts.
pub(super) fn of(facts: &Facts) -> Vec<Finding> {
    let cores = format!("{} cores, all used by the emulator", facts.cores);
    let mut findings = vec![Finding::good("CPU", cores)];
    findings.extend(facts.emulator.as_ref().map(|found| {
        let advice = "the emulator needs only this program: reinstall it, and report this if it \
                      persists";
        trial("emulator", found, advice)
    }));
    findings.extend(cuda(&facts.cuda));
    findings.extend(facts.cuda.health.iter().flat_map(gpu));
    findings.extend(facts.compilers.iter().flat_map(compilers));
    findings.push(terminal(&facts.terminal, facts.windows));
    findings.extend(speed(&facts.terminal));
    findings.push(characters(facts.locale.as_deref()));
    findings.push(colours(facts));
    findings.push(settings(&facts.kept));
    findings.push(runs(&facts.kept));
    findings
}

/// What compiles a `.cu` file, and what reads its registers.
fn compilers(compilers: &Compilers) -> Vec<Finding> {
    let name = "CUDA compiler";
    let compiler = match (&compilers.compiler, compilers.command) {
        (Ok(found), _) => Finding::good(name, found),
        (Err(_), Some(command)) => {
            let advice = format!("only needed for your own .cu files: {command}");
            Missing.finding(name, "no NVRTC and no clang found", &advice)
        }
        (Err(reason), None) => {
            let advice = "set WARPSCOPE_NVRTC or WARPSCOPE_CLANG to the file of another one";
            Bad.finding(name, reason, advice)
        }
    };
    let headers = compilers.compiler.as_ref().ok().map(|_| {
        let name = "CUDA headers";
        match compilers.headers.as_slice() {
            [] => Missing.finding(
                name,
                "only those that are built in",
                "for kernels that include mma.h, curand_kernel.h, CUB or others: NVRTC from a CUDA \
                 toolkit, or pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 \
                 nvidia-cuda-nvcc-cu12 nvidia-cuda-cccl-cu12",
            ),
            folders => Finding::good(name, folders.join(", ")),
        }
    });
    let name = "registers";
    let tools = match &compilers.tools {
        [Some(ptxas), Some(nvdisasm)] => Finding::good(name, format!("{ptxas}, {nvdisasm}")),
        [Some(ptxas), None] => {
            let text = format!("{ptxas}; waits of your own kernels are estimated");
            Missing.finding(name, text, "pip install nvidia-cuda-nvdisasm")
        }
        [None, _] => Missing.finding(
            name,
            "of your own kernels are estimated: no ptxas",
            "pip install nvidia-cuda-nvcc-cu12 nvidia-cuda-nvdisasm",
        ),
    };
    [Some(compiler), headers, Some(tools)].into_iter().flatten().collect()
}

/// The settings file, and whether it is valid.
fn settings(kept: &Kept) -> Finding {
    let name = "settings";
    match (&kept.file, &kept.problem) {
        (_, Some(problem)) => {
            Bad.finding(name, problem, "the file is never overwritten; `--config none` ignores it")
        }
        (Some(file), None) => Finding::good(name, format!("stored in {}", file.display())),
        (None, None) => {
            Missing.finding(name, "not stored", "set a file with --config or WARPSCOPE_CONFIG")
        }
    }
}

/// Where runs of the terminal interface are stored.
fn runs(kept: &Kept) -> Finding {
    let name = "runs";
    match &kept.runs {
        Some(folder) => {
            Finding::good(name, format!("{} stored in {}", kept.count, folder.display()))
        }
        None => Missing.finding(name, "not stored", "set a folder with --out or WARPSCOPE_RUNS"),
    }
}

/// Kernels that ran from loading to verification.
fn trial(name: &'static str, trial: &Trial, advice: &str) -> Finding {
    match trial {
        Ok(variants) => {
            Finding::good(name, format!("PTX loads, runs and verifies ({})", variants.join(", ")))
        }
        Err(trouble) => Bad.finding(name, trouble, advice),
    }
}

/// Driver, devices and kernels; the first problem explains the rest.
fn cuda(cuda: &Cuda) -> Vec<Finding> {
    if !cuda.linux {
        let text = "CUDA works on Linux only; the emulator needs none";
        let advice = "to measure a GPU, use a Linux machine as the worker: --worker \"ssh HOST \
                      warpscope worker\"";
        return vec![Missing.finding(DRIVER, text, advice)];
    }
    if let Some(error) = &cuda.driver.load_error {
        return vec![no_library(cuda, error)];
    }
    let needed = cuda_for(cuda.isa);
    if let Some(has) = cuda.driver.cuda.filter(|has| *has < needed) {
        let text = format!(
            "the driver supports CUDA {}.{}, but the kernels' PTX {}.{} needs {}.{}",
            has.0, has.1, cuda.isa.0, cuda.isa.1, needed.0, needed.1
        );
        let release = release(needed);
        let advice = format!(
            "update the NVIDIA driver to release {release} or newer; until then use --backend \
             emulator"
        );
        return vec![Bad.finding(DRIVER, text, &advice)];
    }
    match &cuda.devices {
        None => Vec::new(),
        Some(Err(reason)) => vec![no_device(cuda, reason)],
        Some(Ok(lines)) => {
            let devices: Vec<String> = lines.iter().map(|line| format!("device {line}")).collect();
            let mut findings = vec![Finding::good(DRIVER, devices.join("; "))];
            findings.extend(denied(cuda).map(|text| {
                Care.finding(DRIVER, text, "request access; features that need it will fail")
            }));
            findings.extend(cuda.kernels.as_ref().map(|found| {
                let advice = "try `nvidia-smi`; if it hangs or fails, reset the GPU or restart the \
                              machine (`dmesg | grep -i xid` names the fault)";
                trial("CUDA kernels", found, advice)
            }));
            findings
        }
    }
}

/// The driver's library cannot be loaded.
fn no_library(cuda: &Cuda, error: &str) -> Finding {
    let text = format!("cannot load the driver library ({error})");
    if !cuda.nodes.is_empty() {
        // The kernel module is there: a container without the library.
        let advice = "the machine has a driver, but it is not visible here: start the container \
                      with `--gpus all` (NVIDIA_DRIVER_CAPABILITIES=compute,utility), or install \
                      libcuda1 of the same release";
        return Bad.finding(DRIVER, text, advice);
    }
    match cuda.on_bus {
        0 => {
            let advice = "only needed for an NVIDIA GPU: the emulator runs the same kernels";
            Missing.finding(DRIVER, text, advice)
        }
        gpus => {
            let text = format!("NVIDIA GPUs on the bus: {gpus}, but no driver: {text}");
            let advice = "install the NVIDIA driver (nvidia-driver on Debian and Ubuntu), restart";
            Bad.finding(DRIVER, text, advice)
        }
    }
}

/// The library is there, and no device answers.
fn no_device(cuda: &Cuda, reason: &str) -> Finding {
    if let Some(text) = denied(cuda) {
        let advice = "join the group that owns it (`ls -l /dev/nvidia*`, often video or render: \
                      `sudo usermod -aG video $USER`, then log in again), or request a GPU from \
                      the cluster's scheduler";
        return Bad.finding(DRIVER, text, advice);
    }
    let advice = if cuda.nodes.is_empty() {
        "the driver library is there, but its device files are not: `sudo modprobe nvidia` on your \
         own machine, `--gpus all` for a container, or a GPU from the scheduler on a cluster"
    } else {
        "try `nvidia-smi`; restart the machine after a driver update; check that \
         CUDA_VISIBLE_DEVICES does not hide the GPUs"
    };
    Bad.finding(DRIVER, reason, advice)
}

/// The device files that cannot be opened for lack of permission.
fn denied(cuda: &Cuda) -> Option<String> {
    let denied: Vec<&str> = cuda
        .nodes
        .iter()
        .filter(|(_, error)| *error == Some(io::ErrorKind::PermissionDenied))
        .map(|(path, _)| path.as_str())
        .collect();
    (!denied.is_empty()).then(|| format!("no permission to open {}", denied.join(", ")))
}

/// The first release of the Linux driver that supports a version of CUDA.
fn release(cuda: (u32, u32)) -> u32 {
    let newer = DRIVERS.iter().find(|(version, _)| *version >= cuda);
    newer.or(DRIVERS.last()).map_or(0, |(_, release)| *release)
}

/// What disturbs measurements on a GPU.
fn gpu(gpu: &GpuHealth) -> Vec<Finding> {
    let mut findings = Vec::new();
    let heat = gpu.celsius.map_or(String::new(), |celsius| format!(", {celsius} °C"));
    if gpu.prohibited {
        let text = format!("{} accepts no compute work (mode Prohibited)", gpu.name);
        let advice = "an administrator can allow it: `nvidia-smi -c DEFAULT`";
        findings.push(Bad.finding("GPU mode", text, advice));
    }
    if !gpu.processes.is_empty() || gpu.busy_percent >= BUSY {
        let name = |(pid, name): &(u32, String)| match name.as_str() {
            "" => pid.to_string(),
            name => format!("{name} ({pid})"),
        };
        let names: Vec<String> = gpu.processes.iter().map(name).collect();
        let who = match names.as_slice() {
            [] => "processes that are not visible here".to_owned(),
            names => names.join(", "),
        };
        let text = format!("{} is in use by {who}, {} % busy", gpu.name, gpu.busy_percent);
        let advice = if gpu.exclusive {
            "it serves one process at a time: wait, end that process, or use another --device"
        } else {
            "times will be longer and vary more: wait, end that process, or use another --device"
        };
        findings.push(Care.finding("GPU load", text, advice));
    }
    if !gpu.throttled.is_empty() {
        let clock = gpu
            .megahertz
            .map_or(String::new(), |(now, most)| format!(", last seen at {now} of {most} MHz"));
        let reasons = gpu.throttled.join(", ");
        let text = format!("{} is throttled by {reasons}{clock}{heat}", gpu.name);
        let by_hand = gpu.throttled.iter().all(|reason| *reason == "clocks set by hand");
        let (level, advice) = if by_hand {
            (Good, "good for comparisons; `nvidia-smi -rgc` and `-rac` reset the clocks")
        } else {
            let advice = "slow samples are repeated and points marked as throttled; let it cool, \
                          check its fans and `nvidia-smi -q -d POWER,TEMPERATURE`";
            (Care, advice)
        };
        findings.push(level.finding("GPU clocks", text, advice));
    }
    if findings.is_empty() {
        findings.push(Finding::good("GPU load", format!("{} is idle{heat}", gpu.name)));
    }
    findings
}

fn terminal(terminal: &Terminal, windows: bool) -> Finding {
    let name = "terminal";
    let unknown = if windows {
        "the terminal interface needs 80x24: use Windows Terminal"
    } else {
        "the terminal interface needs 80x24: `stty cols 120 rows 40` sets it"
    };
    match &terminal.size {
        _ if !terminal.is_one => {
            let advice = "commands work; the terminal interface needs one (over ssh: `ssh -t`)";
            Missing.finding(name, "standard output is not a terminal", advice)
        }
        Some(Ok((0, _) | (_, 0))) => Missing.finding(name, "reports no size", unknown),
        Some(Ok((width, height))) if *width >= 80 && *height >= 24 => {
            Finding::good(name, format!("{width}x{height}"))
        }
        Some(Ok((width, height))) => {
            let advice = "the terminal interface needs 80x24: enlarge it or use a smaller font";
            Missing.finding(name, format!("{width}x{height}"), advice)
        }
        Some(Err(error)) => Missing.finding(name, format!("reports no size ({error})"), unknown),
        None => Finding::good(name, "present"),
    }
}

/// How fast the terminal answers.
fn speed(terminal: &Terminal) -> Option<Finding> {
    let name = "speed";
    terminal.is_one.then(|| match terminal.answer {
        None => {
            let advice = "the terminal interface may still work; if keys do nothing, try another \
                          terminal";
            Care.finding(name, "the terminal does not report its cursor position", advice)
        }
        Some(time) if time > SLUGGISH => {
            let text = format!("the terminal needs {} ms to answer", time.as_millis());
            let advice = "the screen will lag: run the terminal interface on this machine with a \
                          worker on the remote one (or sweep there and `warpscope show` the file \
                          here)";
            Care.finding(name, text, advice)
        }
        Some(time) => {
            let milliseconds = time.as_secs_f64() * 1e3;
            Finding::good(name, format!("the terminal answers in {milliseconds:.1} ms"))
        }
    })
}

fn characters(locale: Option<&str>) -> Finding {
    let name = "characters";
    let text = match locale {
        Some(locale) if is_utf8(locale) => {
            return Finding::good(name, format!("UTF-8 ({locale})"));
        }
        Some(locale) => format!("ASCII: the locale {locale} is not UTF-8"),
        None => return Finding::good(name, "UTF-8, as no locale is set"),
    };
    Missing.finding(name, text, "export LANG=C.UTF-8")
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn colours(facts: &Facts) -> Finding {
    let (name, term) = ("colours", facts.term.as_str());
    if facts.no_color {
        Finding::good(name, "off (NO_COLOR)")
    } else if facts.windows || matches!(facts.colorterm.as_str(), "truecolor" | "24bit") {
        Finding::good(name, "16 million")
    } else if term.contains("256color") {
        Finding::good(name, "256")
    } else if term.is_empty() || term == "dumb" {
        let text = format!("unknown: TERM is `{term}`");
        Missing.finding(name, text, "export TERM=xterm-256color, or the type of the terminal")
    } else {
        let advice = "curves also differ in their markers; `export TERM=xterm-256color` if the \
                      terminal has more";
        Good.finding(name, format!("16 (TERM is {term})"), advice)
    }
}

#[cfg(test)]
mod tests;
