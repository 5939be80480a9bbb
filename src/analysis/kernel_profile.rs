//! The profile of a kernel as rows: what each metric means, its reading for one or two
//! kernels, and in a short phrase what is bad about a bad reading.

#![allow(clippy::unnecessary_wraps, reason = "all rows are read by functions of one type")]

use super::explain::saved;
use super::mean;
use crate::results::record::{Cause, Ceilings, Counter, KernelProfile, Metric, Resource, Stored};
use crate::units::{Bytes, Seconds, grouped, significant};

/// Two readings differ when they are further apart than this share of the larger.
const LEAST_DIFFERENCE: f64 = 0.05;

/// One metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its group: `Global memory`.
    pub group: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it means, in a sentence.
    pub about: &'static str,
    /// Its reading for each kernel.
    pub readings: Vec<Option<Reading>>,
    /// Whether two kernels differ in it.
    pub differs: bool,
}

/// A metric of one kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The value as shown.
    pub text: String,
    /// The number behind it, if there is one.
    pub value: Option<f64>,
    /// What is bad about it, in a short phrase.
    pub bad: Option<String>,
}

impl Reading {
    fn new(text: String, value: f64) -> Self {
        Self { text, value: Some(value), bad: None }
    }

    fn text(text: String) -> Self {
        Self { text, value: None, bad: None }
    }

    fn bad_if(self, bad: bool, why: impl FnOnce() -> String) -> Option<Self> {
        Some(Self { bad: bad.then(why), ..self })
    }
}

/// A kernel and the GPU that its time is predicted for.
#[derive(Debug, Clone, Copy)]
pub struct Kernel<'a> {
    /// Its counts.
    pub kernel: &'a KernelProfile,
    /// The GPU.
    pub gpu: &'a Ceilings,
}

impl Kernel<'_> {
    fn count(&self, counter: Counter) -> f64 {
        super::count(&self.kernel.counters, counter)
    }

    fn ratio(&self, counter: Counter, other: Counter) -> Option<f64> {
        super::ratio(&self.kernel.counters, counter, other)
    }

    fn part(&self, resource: impl Into<Stored<Resource>>) -> f64 {
        self.kernel.parts.get(resource).unwrap_or_default()
    }
}

type Read = fn(&Kernel) -> Option<Reading>;

/// How a row reads a kernel; `None` where it does not apply.
enum Entry {
    /// A counter; left out where it is 0.
    Count(Counter),
    /// A counter with a judgement.
    Judged(Counter, Read),
    /// A name, what it means, and what it is derived from.
    Derived(&'static str, &'static str, Read),
}

impl Entry {
    fn name(&self) -> &'static str {
        match self {
            Derived(name, ..) => name,
            Count(counter) | Judged(counter, _) => counter.label(),
        }
    }
}

use Entry::{Count, Derived, Judged};

const TIME: &[Entry] = &[
    Derived("time", "Predicted from the counts below for the named GPU.", time),
    Derived(
        "bound by",
        "The cause that costs most: without its work the kernel is fastest.",
        bound_by,
    ),
];

const OCCUPANCY: &[Entry] = &[
    Derived("grid × block", "Blocks, and threads per block, of the largest launch.", shape),
    Derived("occupancy", "Resident warps per multiprocessor, of the most possible.", occupancy),
    Derived("limited by", "The resource that keeps another block out.", limit),
    Derived("blocks per SM", "Blocks over multiprocessors: below 1, some are idle.", per_sm),
    Derived("registers/thread", "As ptxas reports; a multiprocessor has 65 536.", |k| {
        Some(Reading::new(k.kernel.registers.to_string(), k.kernel.registers.into()))
    }),
    Derived("shared memory/block", "Static and dynamic shared memory of a block.", |k| {
        let bytes = k.kernel.shared;
        (bytes > 0).then(|| Reading::new(Bytes(bytes.into()).to_string(), bytes.into()))
    }),
];

const INSTRUCTIONS: &[Entry] = &[
    Count(Counter::WarpInstructions),
    Derived("active lanes", "Mean active lanes of a warp, of 32.", lanes),
    Judged(Counter::DivergentBranches, divergent),
    Count(Counter::Barriers),
    Derived("float operations", "Of all lanes; a multiply-add counts as two.", |k| {
        counted(k.kernel.float_operations as f64)
    }),
    Derived("integer operations", "Of all lanes, address arithmetic included.", |k| {
        counted(k.kernel.integer_operations as f64)
    }),
];

const GLOBAL: &[Entry] = &[
    Derived("DRAM traffic", "Bytes read that are not in L2 yet, and bytes written.", |k| {
        let bytes = k.kernel.dram_bytes;
        Some(Reading::new(Bytes(bytes as u64).to_string(), bytes))
    }),
    Count(Counter::GlobalLoadRequests),
    Derived("sectors per load", "32-byte sectors that a warp's load touches.", |k| {
        let ideal = k.kernel.ideal_load_sectors;
        sectors(k, Counter::GlobalLoadSectors, Counter::GlobalLoadRequests, ideal, "reads")
    }),
    Count(Counter::GlobalStoreRequests),
    Derived("sectors per store", "32-byte sectors that a warp's store touches.", |k| {
        let ideal = k.kernel.ideal_store_sectors;
        sectors(k, Counter::GlobalStoreSectors, Counter::GlobalStoreRequests, ideal, "writes")
    }),
    Count(Counter::GlobalAtomicRequests),
    Derived("lanes per address", "Lanes of an atomic on one address: L2 serialises them.", meeting),
    Derived("busiest L2 slice", "Share of the atomics that one slice of L2 processes.", busiest),
    Derived("local memory", "Accesses to spilled registers and arrays of a thread.", |k| {
        let count = k.count(Counter::LocalLoadRequests) + k.count(Counter::LocalStoreRequests);
        let why = || "registers do not hold everything, so it goes through memory".to_owned();
        counted(count)?.bad_if(true, why)
    }),
];

const SHARED: &[Entry] = &[
    Derived("shared accesses", "Loads and stores of warps in shared memory.", |k| {
        counted(banks(k).0)
    }),
    Derived(
        "passes per access",
        "Passes through the 32 banks, of 4 bytes a lane at least 1.",
        |k| {
            let (requests, passes) = banks(k);
            (requests > 0.0).then(|| Reading::new(mean(passes / requests), passes / requests))
        },
    ),
    Judged(Counter::SharedBankConflicts, conflicts),
    Count(Counter::SharedAtomicRequests),
    Derived("passes per atomic", "Lanes on one word or bank take one pass each.", |k| {
        let each = k.ratio(Counter::SharedAtomicWavefronts, Counter::SharedAtomicRequests)?;
        Reading::new(mean(each), each).bad_if(each > 1.5, || {
            format!("{} lanes of a warp hit the same bank or word, one after the other", mean(each))
        })
    }),
];

/// Every group, in order.
const GROUPS: [(&str, &[Entry]); 5] = [
    ("Time", TIME),
    ("Occupancy", OCCUPANCY),
    ("Instructions", INSTRUCTIONS),
    ("Global memory", GLOBAL),
    ("Shared memory", SHARED),
];

/// The names of all rows.
pub fn names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, entries)| *entries).map(Entry::name)
}

/// The profiles of some kernels side by side; rows that none of them has are left out.
pub fn rows(kernels: &[Option<Kernel>]) -> Vec<Row> {
    let entries = GROUPS.iter().flat_map(|(group, rows)| rows.iter().map(move |it| (*group, it)));
    let rows = entries.map(|(group, entry)| {
        let (name, about) = match entry {
            Derived(name, about, _) => (*name, *about),
            Count(counter) | Judged(counter, _) => (counter.label(), counter.glossary()),
        };
        let read = |k: &Kernel| match entry {
            Count(counter) => counted(k.count(*counter)),
            Judged(_, read) | Derived(.., read) => read(k),
        };
        let readings: Vec<_> = kernels.iter().map(|kernel| read(kernel.as_ref()?)).collect();
        let differs = match readings.as_slice() {
            [Some(a), Some(b)] => different(a, b),
            [Some(_), None] | [None, Some(_)] => kernels.iter().all(Option::is_some),
            _ => false,
        };
        Row { group, name, about, readings, differs }
    });
    rows.filter(|row| row.readings.iter().any(Option::is_some)).collect()
}

fn different(a: &Reading, b: &Reading) -> bool {
    match (a.value, b.value) {
        (Some(x), Some(y)) => (x - y).abs() > LEAST_DIFFERENCE * x.abs().max(y.abs()),
        _ => a.text != b.text,
    }
}

fn counted(count: f64) -> Option<Reading> {
    (count > 0.0).then(|| Reading::new(grouped(count as u64), count))
}

fn time(k: &Kernel) -> Option<Reading> {
    let seconds = k.kernel.seconds;
    let launches = match k.kernel.launches {
        0 | 1 => String::new(),
        some => format!(" in {some} launches"),
    };
    Some(Reading::new(format!("{}{launches}", Seconds(seconds)), seconds))
}

fn bound_by(k: &Kernel) -> Option<Reading> {
    if let Some((cause, _)) = saved(&k.kernel.costs).first() {
        let bad = match cause {
            Cause::Launches => Some("the launch takes longer than the kernel's work"),
            Cause::Parallelism => Some("too few blocks or warps to fill the GPU"),
            Cause::BlockStart => Some("many small blocks: starting them takes longest"),
            _ => None,
        };
        let text = cause.label().to_owned();
        return Some(Reading { text, value: None, bad: bad.map(str::to_owned) });
    }
    let resource = &k.kernel.bound_by;
    let part = k.part(resource.clone());
    let share = if k.kernel.seconds > 0.0 { part / k.kernel.seconds } else { 0.0 };
    let text = format!("{} ({:.0} %)", resource.label(), 100.0 * share.min(1.0));
    let bad = match resource.known() {
        Some(Resource::Launch) => Some("the launch takes longer than the kernel's work"),
        Some(Resource::BlockStart) => Some("many small blocks: starting them takes longest"),
        _ => None,
    };
    Some(Reading { text, value: None, bad: bad.map(str::to_owned) })
}

fn shape(k: &Kernel) -> Option<Reading> {
    let extent = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => grouped(x.into()),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    };
    Some(Reading::text(format!("{} × {}", extent(k.kernel.grid), extent(k.kernel.block))))
}

fn occupancy(k: &Kernel) -> Option<Reading> {
    let found = &k.kernel.residency;
    let share = found.fraction();
    let text = format!("{:.0} %: {} of {} warps", 100.0 * share, found.warps, found.most_warps);
    Reading::new(text, share).bad_if(share < 0.5, || {
        format!("limited by {}: few warps are left to work while others wait", found.limit)
    })
}

fn limit(k: &Kernel) -> Option<Reading> {
    let found = &k.kernel.residency;
    let name = if found.limit == "warps" { "threads" } else { &found.limit };
    let blocks = if found.blocks == 1 { "block" } else { "blocks" };
    Some(Reading::text(format!("{name} ({} {blocks})", found.blocks)))
}

fn per_sm(k: &Kernel) -> Option<Reading> {
    let sms = f64::from(k.gpu.multiprocessors);
    let blocks: f64 = k.kernel.grid.iter().map(|extent| f64::from(*extent)).product();
    (sms > 0.0).then_some(())?;
    let each = blocks / sms;
    Reading::new(format!("{} on {sms:.0}", significant(each)), each).bad_if(each < 1.0, || {
        format!("{:.0} of {sms:.0} multiprocessors get no block", sms - blocks)
    })
}

fn lanes(k: &Kernel) -> Option<Reading> {
    let lanes = k.ratio(Counter::ThreadInstructions, Counter::WarpInstructions)?;
    Reading::new(format!("{} of 32", mean(lanes)), lanes)
        .bad_if(lanes < 24.0, || format!("{:.0} of 32 lanes are idle", 32.0 - lanes))
}

fn divergent(k: &Kernel) -> Option<Reading> {
    let lanes = k.ratio(Counter::ThreadInstructions, Counter::WarpInstructions).unwrap_or(32.0);
    let why = || "warps execute both ways, one after the other".to_owned();
    counted(k.count(Counter::DivergentBranches))?.bad_if(lanes < 28.0, why)
}

fn sectors(k: &Kernel, all: Counter, of: Counter, ideal: u64, does: &str) -> Option<Reading> {
    let each = k.ratio(all, of)?;
    let least = ideal as f64 / k.count(of);
    let text = format!("{} (ideal {})", mean(each), mean(least));
    Reading::new(text, each).bad_if(each > 1.5 * least, || {
        format!("not coalesced: a warp {does} {}× the sectors needed", significant(each / least))
    })
}

fn meeting(k: &Kernel) -> Option<Reading> {
    let each = k.ratio(Counter::GlobalAtomicLanes, Counter::GlobalAtomicAddresses)?;
    let lanes = k.ratio(Counter::GlobalAtomicLanes, Counter::GlobalAtomicRequests)?;
    let addresses = mean(k.ratio(Counter::GlobalAtomicAddresses, Counter::GlobalAtomicRequests)?);
    Reading::new(mean(each), each).bad_if(each > 1.5, || {
        let noun = if addresses == "1" { "address" } else { "addresses" };
        format!("{} lanes of a warp hit {addresses} {noun}, so L2 serialises them", mean(lanes))
    })
}

fn busiest(k: &Kernel) -> Option<Reading> {
    let share = k.ratio(Counter::BusiestSlicePasses, Counter::GlobalAtomicPasses)?;
    // A slice that takes little of the time is not a problem.
    let bad = share > 0.5 && k.part(Resource::L2Atomics) > 0.2 * k.kernel.seconds;
    Reading::new(format!("{:.0} %", 100.0 * share.min(1.0)), share).bad_if(bad, || {
        let part = if share > 0.9 { "nearly all" } else { "more than half" };
        format!("{part} of the atomics go to one slice of L2; the other slices wait")
    })
}

/// Loads and stores in shared memory, and their passes. Passes of atomics that become
/// loops count as loads.
fn banks(k: &Kernel) -> (f64, f64) {
    (
        k.count(Counter::SharedLoadRequests) + k.count(Counter::SharedStoreRequests),
        k.count(Counter::SharedLoadWavefronts) + k.count(Counter::SharedStoreWavefronts),
    )
}

fn conflicts(k: &Kernel) -> Option<Reading> {
    let (requests, passes) = banks(k);
    let excess = k.count(Counter::SharedBankConflicts);
    (requests > 0.0 && passes > 0.0).then_some(())?;
    let text = format!("{} ({:.0} % of passes)", grouped(excess as u64), 100.0 * excess / passes);
    Reading::new(text, excess).bad_if(excess > 0.25 * passes, || {
        let each = excess / requests;
        format!("lanes of a warp hit the same bank: {each:.1} more passes per access on average")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
