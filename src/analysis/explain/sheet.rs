//! The counters of a kernel as a sheet: what each means, what it says for one
//! or two kernels, and in a short phrase what is bad about a bad one.

#![allow(clippy::unnecessary_wraps, reason = "every row is written by a function of one type")]

use crate::results::record::{Ceilings, KernelAnatomy, resource};
use crate::units::{Bytes, Seconds, grouped, significant};

/// Values of two kernels that differ by less are not called different.
const LEAST_DIFFERENCE: f64 = 0.05;

/// One line of the sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The group that it belongs to: `Global memory`.
    pub group: &'static str,
    /// What is counted.
    pub name: &'static str,
    /// What that means, in a sentence.
    pub about: &'static str,
    /// For each kernel its reading.
    pub readings: Vec<Option<Reading>>,
    /// Whether two kernels differ in it.
    pub differs: bool,
}

/// What one kernel has in a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The value as shown.
    pub text: String,
    /// The number behind it, where there is one.
    pub value: Option<f64>,
    /// What is bad about it, in one short phrase.
    pub bad: Option<String>,
}

/// A kernel and the GPU that it is predicted for.
#[derive(Debug, Clone, Copy)]
pub struct Kernel<'a> {
    /// Its counts.
    pub kernel: &'a KernelAnatomy,
    /// The GPU.
    pub gpu: &'a Ceilings,
}

impl Kernel<'_> {
    fn count(&self, name: &str) -> f64 {
        self.kernel.counters.get(name).copied().unwrap_or_default() as f64
    }

    /// One counter over another, where the other counted anything.
    fn per(&self, name: &str, other: &str) -> Option<f64> {
        let other = self.count(other);
        (other > 0.0).then(|| self.count(name) / other)
    }

    fn blocks(&self) -> f64 {
        self.kernel.grid.iter().map(|extent| f64::from(*extent)).product()
    }
}

/// Writes down a row for one kernel; nothing where it does not apply.
type Write = fn(&Kernel) -> Option<Reading>;

/// Group, name, meaning, and how to read it.
type Entry = (&'static str, &'static str, &'static str, Write);

const TIME: &str = "Time";
const OCCUPANCY: &str = "Occupancy";
const INSTRUCTIONS: &str = "Instructions";
const GLOBAL: &str = "Global memory";
const SHARED: &str = "Shared memory";

/// Every row, in order.
const ROWS: &[Entry] = &[
    (TIME, "time", "Predicted from the counts below for the named GPU.", time),
    (TIME, "bound by", "The part of the GPU that this kernel keeps busy longest.", bound),
    (OCCUPANCY, "grid × block", "Blocks, and threads in each, of the largest launch.", shape),
    (
        OCCUPANCY,
        "occupancy",
        "Warps that a multiprocessor holds at a time: others work while one waits.",
        occupancy,
    ),
    (
        OCCUPANCY,
        "limited by",
        "What there would have to be more of for another block to fit.",
        limit,
    ),
    (
        OCCUPANCY,
        "blocks per SM",
        "Blocks over multiprocessors: below one, some have nothing to do.",
        spread,
    ),
    (
        OCCUPANCY,
        "registers/thread",
        "As the assembler says; a multiprocessor has 65 536.",
        registers,
    ),
    (
        OCCUPANCY,
        "shared memory/block",
        "Declared in the kernel and asked for at the launch.",
        shared_bytes,
    ),
    (
        INSTRUCTIONS,
        "warp instructions",
        "PTX instructions, each counted once for a warp.",
        instructions,
    ),
    (
        INSTRUCTIONS,
        "active lanes",
        "Of the 32 lanes of a warp, those that take part on average.",
        lanes,
    ),
    (
        INSTRUCTIONS,
        "divergent branches",
        "Branches at which lanes of a warp part: it takes both ways in turn.",
        divergent,
    ),
    (
        INSTRUCTIONS,
        "barriers",
        "Warps that waited for the others of their block, once for each wait.",
        barriers,
    ),
    (INSTRUCTIONS, "float operations", "Of all lanes; a multiply-add counts as two.", float),
    (INSTRUCTIONS, "integer operations", "Of all lanes, computing addresses among them.", integer),
    (
        GLOBAL,
        "DRAM traffic",
        "Bytes read that no launch before left in L2, and bytes written.",
        dram,
    ),
    (GLOBAL, "load requests", "Loads of warps from global memory.", loads),
    (
        GLOBAL,
        "sectors per load",
        "32-byte sectors that a load of a warp touches; ideal: neighbours read neighbours.",
        load_sectors,
    ),
    (GLOBAL, "store requests", "Stores of warps to global memory.", stores),
    (GLOBAL, "sectors per store", "32-byte sectors that a store of a warp touches.", store_sectors),
    (GLOBAL, "atomic requests", "Atomics of warps on global memory.", atomics),
    (
        GLOBAL,
        "lanes per address",
        "Lanes of a warp whose atomics meet on one address: L2 takes them in turn.",
        meeting,
    ),
    (
        GLOBAL,
        "busiest L2 slice",
        "Share of the atomics that one slice of L2 has to do alone.",
        hottest,
    ),
    (
        GLOBAL,
        "local memory",
        "Accesses to a thread's own arrays and spilled registers, which live in memory.",
        local,
    ),
    (SHARED, "shared accesses", "Loads and stores of warps in shared memory.", shared),
    (
        SHARED,
        "passes per access",
        "Passes through the 32 banks; one is the least for 4 bytes a lane.",
        wavefronts,
    ),
    (
        SHARED,
        "bank conflicts",
        "Passes beyond the least: lanes want different words of one bank.",
        conflicts,
    ),
    (SHARED, "shared atomics", "Atomics of warps on shared memory.", shared_atomics),
    (
        SHARED,
        "passes per atomic",
        "Lanes on one word or bank take turns, one a pass.",
        atomic_passes,
    ),
];

/// The sheet of some kernels, as columns; rows that none of them has are left out.
pub fn sheet(kernels: &[Option<Kernel>]) -> Vec<Row> {
    let row = |&(group, name, about, write): &Entry| {
        let readings: Vec<Option<Reading>> =
            kernels.iter().map(|kernel| kernel.as_ref().and_then(write)).collect();
        let differs = match readings.as_slice() {
            [Some(a), Some(b)] => different(a, b),
            [Some(_), None] | [None, Some(_)] => kernels.iter().all(Option::is_some),
            _ => false,
        };
        Row { group, name, about, readings, differs }
    };
    let rows = ROWS.iter().map(row);
    rows.filter(|row| row.readings.iter().any(Option::is_some)).collect()
}

fn different(a: &Reading, b: &Reading) -> bool {
    match (a.value, b.value) {
        (Some(x), Some(y)) => (x - y).abs() > LEAST_DIFFERENCE * x.abs().max(y.abs()),
        _ => a.text != b.text,
    }
}

fn told(text: String, value: f64) -> Option<Reading> {
    Some(Reading { text, value: Some(value), bad: None })
}

fn counted(count: f64) -> Option<Reading> {
    (count > 0.0).then(|| grouped(count as u64)).and_then(|text| told(text, count))
}

fn judged(text: String, value: f64, bad: bool, why: impl FnOnce() -> String) -> Option<Reading> {
    Some(Reading { text, value: Some(value), bad: bad.then(why) })
}

/// A mean count: whole where it is nearly so.
fn mean(count: f64) -> String {
    if (count - count.round()).abs() < 0.005 { grouped(count as u64) } else { significant(count) }
}

fn time(k: &Kernel) -> Option<Reading> {
    let seconds = k.kernel.seconds;
    let launches = match k.kernel.launches {
        0 | 1 => String::new(),
        some => format!(" in {some} launches"),
    };
    told(format!("{}{launches}", Seconds(seconds)), seconds)
}

fn bound(k: &Kernel) -> Option<Reading> {
    let name = &k.kernel.bound_by;
    let part = k.kernel.parts.get(name).copied().unwrap_or_default();
    let share = if k.kernel.seconds > 0.0 { part / k.kernel.seconds } else { 0.0 };
    let text = format!("{} ({:.0} %)", resource(name), 100.0 * share.min(1.0));
    let bad = match name.as_str() {
        "launch" => Some("starting the kernel takes longer than its work"),
        "latency" => Some("warps wait, and too few others fill the time"),
        "block_start" => Some("too many small blocks: starting them takes longest"),
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
    let text = format!("{} × {}", extent(k.kernel.grid), extent(k.kernel.block));
    Some(Reading { text, value: None, bad: None })
}

fn occupancy(k: &Kernel) -> Option<Reading> {
    let found = &k.kernel.residency;
    let share = found.fraction();
    let text = format!("{:.0} %: {} of {} warps", 100.0 * share, found.warps, found.most_warps);
    judged(text, share, share < 0.5, || {
        format!("{} keep more warps out: few are left to work while others wait", found.limit)
    })
}

fn limit(k: &Kernel) -> Option<Reading> {
    let found = &k.kernel.residency;
    let name = if found.limit == "warps" { "threads" } else { &found.limit };
    let blocks =
        if found.blocks == 1 { "1 block".to_owned() } else { format!("{} blocks", found.blocks) };
    Some(Reading { text: format!("{name} ({blocks})"), value: None, bad: None })
}

fn spread(k: &Kernel) -> Option<Reading> {
    let sms = f64::from(k.gpu.multiprocessors);
    let blocks = k.blocks();
    (sms > 0.0).then_some(())?;
    let each = blocks / sms;
    judged(format!("{} on {sms:.0}", significant(each)), each, each < 1.0, || {
        format!("{:.0} of {sms:.0} multiprocessors get no block", sms - blocks)
    })
}

fn registers(k: &Kernel) -> Option<Reading> {
    told(k.kernel.registers.to_string(), f64::from(k.kernel.registers))
}

fn shared_bytes(k: &Kernel) -> Option<Reading> {
    let bytes = k.kernel.shared;
    (bytes > 0).then_some(())?;
    told(Bytes(bytes.into()).to_string(), f64::from(bytes))
}

fn instructions(k: &Kernel) -> Option<Reading> {
    counted(k.count("warp_instructions"))
}

fn lanes(k: &Kernel) -> Option<Reading> {
    let lanes = k.per("thread_instructions", "warp_instructions")?;
    judged(format!("{} of 32", mean(lanes)), lanes, lanes < 24.0, || {
        format!("{:.0} of 32 lanes sit idle", 32.0 - lanes)
    })
}

fn divergent(k: &Kernel) -> Option<Reading> {
    let parted = k.count("divergent_branches");
    let lanes = k.per("thread_instructions", "warp_instructions").unwrap_or(32.0);
    (parted > 0.0).then_some(())?;
    judged(grouped(parted as u64), parted, lanes < 28.0, || {
        "a warp goes both ways, one after the other".to_owned()
    })
}

fn barriers(k: &Kernel) -> Option<Reading> {
    counted(k.count("barriers"))
}

fn float(k: &Kernel) -> Option<Reading> {
    counted(k.kernel.float_operations as f64)
}

fn integer(k: &Kernel) -> Option<Reading> {
    counted(k.kernel.integer_operations as f64)
}

fn dram(k: &Kernel) -> Option<Reading> {
    let bytes = k.kernel.dram_bytes;
    told(Bytes(bytes as u64).to_string(), bytes)
}

fn loads(k: &Kernel) -> Option<Reading> {
    counted(k.count("global_load_requests"))
}

fn stores(k: &Kernel) -> Option<Reading> {
    counted(k.count("global_store_requests"))
}

fn load_sectors(k: &Kernel) -> Option<Reading> {
    let ideal = k.kernel.ideal_load_sectors as f64;
    sectors(k, "global_load_requests", "global_load_sectors", ideal, "reads")
}

fn store_sectors(k: &Kernel) -> Option<Reading> {
    let ideal = k.kernel.ideal_store_sectors as f64;
    sectors(k, "global_store_requests", "global_store_sectors", ideal, "writes")
}

fn sectors(k: &Kernel, of: &str, name: &str, ideal: f64, does: &str) -> Option<Reading> {
    let each = k.per(name, of)?;
    let least = ideal / k.count(of);
    let text = format!("{} (ideal {})", mean(each), mean(least));
    judged(text, each, each > 1.5 * least, || {
        format!("a warp {does} far apart: {}× the sectors needed", significant(each / least))
    })
}

fn atomics(k: &Kernel) -> Option<Reading> {
    counted(k.count("global_atomic_requests"))
}

fn meeting(k: &Kernel) -> Option<Reading> {
    let each = k.per("global_atomic_lanes", "global_atomic_addresses")?;
    let lanes = k.per("global_atomic_lanes", "global_atomic_requests")?;
    let addresses = k.per("global_atomic_addresses", "global_atomic_requests")?;
    judged(mean(each), each, each > 1.5, || {
        let address = if mean(addresses) == "1" { "address" } else { "addresses" };
        format!(
            "{} lanes of a warp want {} {address}, and wait in line",
            mean(lanes),
            mean(addresses)
        )
    })
}

fn hottest(k: &Kernel) -> Option<Reading> {
    let share = k.per("hottest_chunk_passes", "global_atomic_passes")?;
    // What hardly takes any time is nothing to worry about.
    let part = k.kernel.parts.get("l2_atomics").copied().unwrap_or_default();
    let bad = share > 0.5 && part > 0.2 * k.kernel.seconds;
    judged(format!("{:.0} %", 100.0 * share.min(1.0)), share, bad, || {
        let part = if share > 0.9 { "nearly all" } else { "more than half" };
        format!("{part} of the atomics go to one slice of L2, and the others wait for it")
    })
}

fn local(k: &Kernel) -> Option<Reading> {
    let count = k.count("local_load_requests") + k.count("local_store_requests");
    (count > 0.0).then_some(())?;
    judged(grouped(count as u64), count, true, || {
        "what does not fit in registers goes through memory".to_owned()
    })
}

/// Loads and stores in shared memory, and their passes. Passes of atomics that
/// become loops count among the loads.
fn banks(k: &Kernel) -> (f64, f64) {
    (
        k.count("shared_load_requests") + k.count("shared_store_requests"),
        k.count("shared_load_wavefronts") + k.count("shared_store_wavefronts"),
    )
}

fn shared(k: &Kernel) -> Option<Reading> {
    counted(banks(k).0)
}

fn wavefronts(k: &Kernel) -> Option<Reading> {
    let (requests, passes) = banks(k);
    (requests > 0.0).then_some(())?;
    told(mean(passes / requests), passes / requests)
}

fn conflicts(k: &Kernel) -> Option<Reading> {
    let (requests, passes) = banks(k);
    let excess = k.count("shared_bank_conflicts");
    (requests > 0.0 && passes > 0.0).then_some(())?;
    let text = format!("{} ({:.0} % of passes)", grouped(excess as u64), 100.0 * excess / passes);
    judged(text, excess, excess > 0.25 * passes, || {
        format!("up to {:.0} lanes of a warp want the same bank", (1.0 + excess / requests).ceil())
    })
}

fn shared_atomics(k: &Kernel) -> Option<Reading> {
    counted(k.count("shared_atomic_requests"))
}

fn atomic_passes(k: &Kernel) -> Option<Reading> {
    let each = k.per("shared_atomic_wavefronts", "shared_atomic_requests")?;
    judged(mean(each), each, each > 1.5, || {
        format!("{} lanes of a warp want the same bank or word, and take turns", mean(each))
    })
}
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
