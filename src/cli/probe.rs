//! `warpscope probe`: measures a GPU, prints what it found, writes a profile.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::Args;

use super::Exit;
use super::output::say;
use crate::backend::{self, Backend, OpenError};
use crate::experiment::{BackendChoice, Target};
use crate::gpu::{self, Document, Number, Values};
use crate::runner::probe::{self, BackendRunner, DeviceFacts, GROUPS};

/// Measure a GPU and write its profile.
///
/// Runs about 400 microbenchmarks in half a minute: launch overhead, instruction
/// throughput and latency, shared memory, barriers, caches, DRAM and atomics. With -o,
/// writes a profile, from which the emulator predicts times for this GPU on any machine.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope probe --list                        list the quantities and their units
  warpscope probe                               measure the first GPU
  warpscope probe --device 1 -o mine.toml       write a profile of the second GPU
  warpscope run scan --backend emulator --gpu mine.toml")]
pub struct Probe {
    /// CUDA device to measure, as in `warpscope devices`
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: u32,
    /// Profile to write, .toml
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Name of the profile [default: the name of the GPU]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// List the quantities without measuring
    #[arg(long, conflicts_with_all = ["device", "output", "name"])]
    pub list: bool,
}

pub(super) fn run(given: &Probe, out: &mut impl Write) -> anyhow::Result<Exit> {
    if given.list {
        list(out)?;
        return Ok(Exit::Fine);
    }
    if let Some(path) = &given.output
        && path.extension().is_none_or(|extension| extension != "toml")
    {
        bail!("`-o {}`: a profile name ends in .toml", path.display());
    }
    let without = "`probe` needs a CUDA device; `warpscope doctor` says what is missing, \
                   `warpscope devices` lists the built-in profiles";
    let target =
        Target { backend: BackendChoice::Cuda, device: Some(given.device), ..Target::default() };
    let needs = |error| match error {
        OpenError::NoCuda(reason) => anyhow!("{reason}: {without}"),
        other => anyhow!(other),
    };
    let hardware = backend::hardware(given.device).map_err(needs)?;
    let mut cuda = backend::open(&target).map_err(needs)?;
    let facts = facts(cuda.as_ref(), &hardware, given.name.as_deref());
    say(&format!("{}, {}", facts.name, facts.occasion));
    let mut runner = BackendRunner::new(cuda.as_mut());
    let found = probe::measure(&mut runner, &facts, &mut |index, group| {
        say(&format!("[{}/{}] {}", index + 1, GROUPS.len(), group.name));
    })?;
    let throttled = runner.throttled();
    let document = probe::document(&facts, &found);
    table(&document, out)?;
    for key in found.missing() {
        let name = key.quantity().name;
        say(&format!("{name}: not measured; the profile uses the value of the H200"));
    }
    if throttled > 0 {
        say(&format!(
            "{throttled} samples ran below 75 % of the boost clock: the GPU was throttled, and \
             bandwidths may be too low; run again"
        ));
    }
    if let Some(path) = &given.output {
        fs::write(path, gpu::write_spec(&document))
            .with_context(|| format!("cannot write {}", path.display()))?;
        say(&format!("profile written to {0}; use it with --gpu {0}", path.display()));
    }
    Ok(Exit::Fine)
}

/// What the driver says of the GPU.
fn facts(cuda: &dyn Backend, hardware: &backend::Hardware, name: Option<&str>) -> DeviceFacts {
    let device = cuda.device();
    let today = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let driver = device.driver.as_deref().unwrap_or("unknown");
    DeviceFacts {
        name: name.unwrap_or(&device.name).to_owned(),
        compute_capability: device.limits.compute_capability,
        sms: hardware.sms,
        boost_hz: hardware.boost_hz,
        dram_peak: hardware.dram_peak,
        dram_bytes: (hardware.dram_bytes, device.limits.memory),
        l2_bytes: hardware.l2_bytes,
        shared_per_block: device.limits.shared_per_block,
        occasion: format!("{today}, driver {driver}"),
    }
}

/// The quantities, by group.
fn list(out: &mut impl Write) -> anyhow::Result<()> {
    for group in GROUPS {
        writeln!(out, "{}", group.name)?;
        for key in group.keys {
            let quantity = key.quantity();
            let by = quantity.by.map_or_else(String::new, |by| format!(" by {by}"));
            let unit = format!("{}{by}", quantity.unit);
            writeln!(out, "  {:<24} {:<34} {}", quantity.name, unit, quantity.about)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "The kernels are in kernels/device/probe_*.cu; each explains its method.")?;
    Ok(())
}

/// One line for each number; a curve has one for each point.
fn table(document: &Document, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "Medians; ± is half the interquartile range.")?;
    for (key, number) in &document.numbers {
        let quantity = key.quantity();
        let spread = spread(number);
        match &number.values {
            Values::One(value) => {
                let value = format!("{value:.4e}");
                let name = quantity.name;
                writeln!(out, "{name:<24} {value:>12} {:<12}{spread}", quantity.unit)?;
            }
            Values::Curve(points) => {
                let by = quantity.by.unwrap_or_default();
                writeln!(out, "{:<24} by {by}{spread}", quantity.name)?;
                for (x, y) in points {
                    writeln!(out, "  {x:>22} {:>12} {}", format!("{y:.4e}"), quantity.unit)?;
                }
            }
        }
    }
    Ok(())
}

/// Spread of the samples.
fn spread(number: &Number) -> String {
    number.spread.map_or_else(String::new, |spread| format!(" ±{:.1} %", 50.0 * spread))
}
