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
    /// The first ones: how many ran, how many there are, and why there is no sample.
    First(u64, u64, &'static str),
}

/// Runs a sample of the grid, if it is large; the first blocks if others depend on them.
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
    if options.cluster.is_some() {
        return (some(emulator::Blocks::All), Sampled::All(Some("its blocks work in clusters")));
    }
    let mut counted = true;
    let run = |blocks| {
        let ran = some(blocks);
        counted &= ran.counted;
        if ran.trap.is_some() { Err(Box::new(ran)) } else { Ok(ran.outcome) }
    };
    let depends = kernel.depends_on_blocks();
    let size = SampleSize::of_one(1);
    let sample = match depends {
        Some(_) => emulator::prefix(all, size, run),
        None => emulator::sample(all, size, run),
    };
    match sample {
        Ok((outcome, ran)) => {
            let sampled = match depends {
                _ if ran >= all => Sampled::All(depends),
                Some(why) => Sampled::First(ran, all, why),
                None => Sampled::Some(ran, all),
            };
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
            "; only some of the blocks ran: if blocks wait for each other, omit --predict",
        );
    }
    ran
}
