//! Pictures of views that have no curves.

use anyhow::bail;

use crate::cli::interrupt;
use crate::cli::output::say;
use crate::figure::ladder::{self, Ladder};
use crate::figure::output::{self, Origin, Output};
use crate::figure::roofline::{self, Side};
use crate::figure::tune::{self, Tune};
use crate::figure::{Kernels, Picture, Time};
use crate::results::record::Record;
use crate::runner::scheduler::{self, Control, ProfiledCase};

/// The output of one of the cases, which the CPU computes again.
pub(super) fn output(records: &[Record]) -> anyhow::Result<Picture> {
    let Some(record) = output::select(records) else {
        bail!(
            "no case is verified and small enough to recompute its output on this CPU; sweep a \
             smaller size"
        );
    };
    let case = record.case();
    let Some(view) = output::reference(&case) else {
        bail!("cannot compute the output of {case}: its input file is not on this machine");
    };
    say(&format!("drawn: {case}; -n, --variant and other filters select another case"));
    Ok(Output::of(view, &case, Origin::EqualReference, Some(record)).into())
}

/// The map of one variant at one size.
pub(super) fn map(records: &[Record], time: Option<Time>) -> anyhow::Result<Picture> {
    let time = time.unwrap_or_else(|| Time::fitting(records));
    let Some(map) = tune::select(records, time).and_then(|chosen| Tune::of(&chosen, time)) else {
        bail!(
            "no variant has two block sizes or coarsenings at one size; sweep several, as in \
             --block 64,128,256 --coarsen 1,4,16"
        );
    };
    let variants = records.iter().any(|record| record.variant != records[0].variant);
    let sizes = records.iter().any(|record| record.n != records[0].n);
    if variants || sizes {
        say(&format!("drawn: {}; --variant and -n select others", map.subtitle));
    }
    Ok(map.into())
}

/// All variants at one size.
pub(super) fn ladder(records: &[Record], time: Option<Time>) -> anyhow::Result<Picture> {
    let time = time.unwrap_or_else(|| Time::fitting(records));
    let all: Vec<&Record> = records.iter().collect();
    let chosen = ladder::select(&all, time);
    let Some(ladder) = chosen.and_then(|chosen| Ladder::of(&chosen, time)) else {
        bail!("no case has a time: sweep several variants, as in --variant all");
    };
    let others = |of: fn(&Record) -> String| {
        let first = records.first().map(of);
        records.iter().any(|record| Some(of(record)) != first)
    };
    if others(|it| format!("{} {:?} {}", it.n, it.params, it.device.name)) {
        say(&format!("drawn: {} · {}; -n and --set select others", ladder.title, ladder.subtitle));
    }
    Ok(ladder.into())
}

/// The kernel profiles of one of the cases and of another variant with the same
/// settings, from the emulator. Nothing if interrupted.
pub(super) fn kernels(records: &[Record]) -> anyhow::Result<Option<Picture>> {
    let Some(first) = output::select(records) else {
        bail!(
            "no case is verified and small enough to profile on the emulator; sweep a smaller size"
        );
    };
    let beside = records.iter().find(|record| {
        let mut case = record.case();
        case.variant.clone_from(&first.variant);
        record.variant != first.variant && case == first.case() && record.seconds.is_some()
    });
    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let mut found: Vec<ProfiledCase> = Vec::new();
    for record in [Some(first), beside].into_iter().flatten() {
        say(&format!("profiling on the emulator: {}", record.case()));
        match scheduler::count(record, &control)? {
            Some(profiled) => found.push(profiled),
            None => return Ok(None),
        }
    }
    drop(listener);
    let sides: Vec<Side> = found
        .iter()
        .filter_map(|it| Some(Side { label: &it.record.variant, profile: it.profile.as_ref()? }))
        .collect();
    let Some(roofline) = roofline::build(&sides) else {
        bail!("no roofline: the peak rates of the GPU are unknown");
    };
    let records: Vec<&Record> = found.iter().map(|it| &it.record).collect();
    Ok(Some(Kernels::of(roofline, &records).into()))
}
