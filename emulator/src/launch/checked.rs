//! A launch that the sanitizer watches.

use crate::launch::job;
use crate::launch::outcome::{Options, Ran, Setting};
use crate::machine::Memory;
use crate::program::Kernel;
use crate::ptx::Module;
use crate::sanitizer::{Finding, Monitor};

/// What a checked launch gave.
#[derive(Debug)]
pub struct Checked {
    /// What the launch did. Lanes whose access was out of bounds or misaligned
    /// were left out of it.
    pub ran: Ran,
    /// What is wrong, by line.
    pub findings: Vec<Finding>,
    /// Findings beyond those kept.
    pub more: usize,
    /// What could not be looked for, in words.
    pub limits: Vec<String>,
}

/// Runs `kernel`, which was loaded from `module`, and watches it.
pub fn check(
    kernel: &Kernel,
    module: &Module,
    setting: Setting,
    memory: &Memory,
    options: Options,
) -> Checked {
    let mut monitor = Monitor::new(
        kernel,
        module,
        (setting.args, setting.unwritten),
        setting.block.count(),
        memory,
    );
    let ran = job::watch(kernel, setting, memory, options, &mut monitor);
    let (findings, more) = monitor.findings(kernel);
    let mut limits = monitor.blind_spots(kernel);
    if monitor.order.gave_up() {
        let text =
            "blocks tell each other too much: races between blocks were not looked for to the end";
        limits.push(text.to_owned());
    }
    Checked { ran, findings, more, limits }
}
