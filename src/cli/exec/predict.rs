//! `--predict`: runs only as many blocks as the model needs.

use crate::emulator::{self, Kernel, Memory, Options, Ran, SampleSize, Setting};
use crate::work::TrapKind;

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
    let clusters = options.cluster.map(|_| "its blocks work in clusters");
    if let Some(why) = kernel.depends_on_blocks().or(clusters) {
        return (some(emulator::Blocks::All), Sampled::All(Some(why)));
    }
    let mut counted = true;
    let sample = emulator::sample(all, SampleSize::of_one(1), |blocks| {
        let ran = some(blocks);
        counted &= ran.counted;
        if ran.trap.is_some() { Err(Box::new(ran)) } else { Ok(ran.outcome) }
    });
    match sample {
        Ok((outcome, ran)) => {
            let sampled = if ran < all { Sampled::Some(ran, all) } else { Sampled::All(None) };
            (Ran { outcome, trap: None, counted }, sampled)
        }
        Err(ran) => (hint(*ran), Sampled::Some(0, all)),
    }
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
