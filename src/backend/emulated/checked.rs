//! One run of some work under the sanitizer.

use super::{Emulated, ReadyLaunch, ReadyStep, Running};
use crate::backend::Failure;
use crate::emulator::{self, Options, Setting, ptx};
use crate::work::{Checked, Finding, Inputs, Module, Trap, TrapKind, Work};

/// Maximum number of warp instructions of a block, and of a launch: some seconds. A check runs a small
/// case, which needs far fewer. A block above the limit counts as an endless loop. A launch above the
/// limit is checked up to there.
const BUDGET: u64 = 20_000_000;

impl Emulated {
    /// Runs every step of `work` once, on one thread, and watches the launches. Stops at
    /// the first trap.
    pub(super) fn checked(
        &mut self,
        work: &Work,
        inputs: &Inputs,
        outputs: &[usize],
    ) -> Result<Checked, Failure> {
        self.checked_within(BUDGET, work, inputs, outputs)
    }

    pub(super) fn checked_within(
        &mut self,
        budget: u64,
        work: &Work,
        inputs: &Inputs,
        outputs: &[usize],
    ) -> Result<Checked, Failure> {
        let running = self.load(work, inputs, false)?;
        let load = |error: ptx::ParseError| Failure::Load(error.to_string());
        let module = ptx::parse(work.module.ptx, work.module.path).map_err(load)?;
        let mut checked = Checked::default();
        for step in &running.steps {
            let ready = match step {
                ReadyStep::Host(stage) => {
                    running.stage(stage).map_err(Failure::Load)?;
                    continue;
                }
                ReadyStep::Launch(ready) => ready,
            };
            checked.place = ready.place(&work.module);
            let trapped = match ready.check(&self.spec) {
                Err(Failure::Trap(trap)) => Some(trap),
                Err(failure) => return Err(failure),
                Ok(()) => ready.watched(budget, &module, &running, &mut checked.findings),
            };
            checked.partial = trapped.as_ref().is_some_and(is_of_launch);
            if checked.partial {
                return Ok(checked);
            }
            if let Some(trap) = trapped {
                checked.findings.push(Finding::from(trap).at(checked.place.clone()));
                return Ok(checked);
            }
        }
        checked.outputs = outputs.iter().filter_map(|&buffer| running.read(buffer)).collect();
        Ok(checked)
    }
}

/// Whether all blocks together used up the budget.
fn is_of_launch(trap: &Trap) -> bool {
    trap.kind == TrapKind::RunawayLoop && trap.block.is_none()
}

impl ReadyLaunch {
    /// Runs its blocks under the sanitizer and adds what that finds; the trap, if any.
    fn watched(
        &self,
        budget: u64,
        module: &ptx::Module,
        running: &Running,
        findings: &mut Vec<Finding>,
    ) -> Option<Trap> {
        let Self { kernel, launch, args, .. } = self;
        let setting = Setting {
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            args,
            unwritten: &[],
        };
        let options = Options { budget, launch_budget: budget, ..Options::default() };
        let found = emulator::check(kernel, module, setting, &running.memory, options);
        findings.extend(found.findings.into_iter().map(|found| Finding {
            kind: found.kind.name().to_owned(),
            kernel: launch.kernel.clone(),
            file: Some(found.file),
            line: Some(found.line),
            block: Some(found.block),
            threads: found.lanes,
            message: found.message,
        }));
        found.ran.trap
    }

    /// File and line of the kernel's first instruction: the source if the PTX names it.
    fn place(&self, module: &Module) -> Option<(String, u32)> {
        let mut instructions = (0..).map_while(|index| self.kernel.instruction(index));
        let first = self.kernel.instruction(0)?;
        let source = instructions.find_map(|place| place.source);
        let (file, line) = source.unwrap_or((module.path, first.ptx_line));
        Some((file.to_owned(), line))
    }
}
