//! `--predict`: runs only as many blocks as the model needs.

use crate::emulator::{self, Blocks, Kernel, Memory, Options, Ran, Setting};
use crate::work::TrapKind;

/// Blocks to run between the first and the last: several waves on the largest GPUs,
/// and cheap on a CPU.
const SAMPLE: u64 = 512;

/// The blocks behind the counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sampled {
    /// All, and why there is no sample.
    All(Option<&'static str>),
    /// A sample: how many ran, and how many there are.
    Some(u64, u64),
}

/// Runs a sample of the grid, if it is large and its blocks are independent.
pub(super) fn run(
    kernel: &Kernel,
    setting: &Setting,
    memory: &Memory,
    options: Options,
) -> (Ran, Sampled) {
    let Setting { grid, block, shared_bytes, args, .. } = *setting;
    let all = grid.count();
    let some = |blocks| {
        let options = Options { blocks, ..options };
        emulator::run(kernel, grid, block, shared_bytes, args, memory, options)
    };
    if all <= SAMPLE + 2 {
        return (some(Blocks::All), Sampled::All(None));
    }
    if let Some(why) = kernel.depends_on_blocks() {
        return (some(Blocks::All), Sampled::All(Some(why)));
    }
    let sampled = Sampled::Some(SAMPLE + 2, all);
    let ends = some(Blocks::Ends);
    if ends.trap.is_some() {
        return (hint(ends), sampled);
    }
    let between = some(Blocks::Between(SAMPLE));
    if between.trap.is_some() {
        return (hint(between), sampled);
    }
    let outcome = emulator::estimate(ends.outcome, &between.outcome, SAMPLE, all);
    (Ran { outcome, ..ends }, sampled)
}

/// An endless loop in a sample may wait for a block outside of it.
fn hint(mut ran: Ran) -> Ran {
    if let Some(trap) = &mut ran.trap
        && matches!(trap.kind, TrapKind::RunawayLoop | TrapKind::Livelock)
    {
        trap.message.push_str(
            "; only a sample of the blocks ran: if blocks wait for each other, omit --predict",
        );
    }
    ran
}
