//! What a step does and what it costs, in one sentence.

use crate::machine::AccessKind;
use crate::trace::access::{Access, Space};
use crate::trace::meaning;
use crate::trace::moment::{Gathering, Moment, Parting};
use crate::trace::words::{count, lanes_in_words};

/// The sentence of a moment.
pub(crate) fn of(moment: &Moment) -> String {
    if let Some(trap) = &moment.trap {
        return format!("The kernel traps here: {trap}.");
    }
    if let Some(parting) = &moment.parting {
        return diverges(parting);
    }
    if let Some(barrier) = &moment.barrier {
        return at_barrier(barrier);
    }
    if let Some(place) = &moment.goes_on {
        let lanes = capital(&lanes_in_words(moment.active));
        let one = moment.active.is_power_of_two();
        return match (place.line(), one) {
            (0, true) => format!("{lanes} ends."),
            (0, false) => format!("{lanes} end."),
            (line, true) => format!("{lanes} goes on at line {line}."),
            (line, false) => format!("{lanes} go on at line {line}."),
        };
    }
    if moment.executing == 0 {
        return "The guard is false in all active lanes: nothing happens.".to_owned();
    }
    if moment.printed.is_some() {
        let prints = if moment.executing.is_power_of_two() { "prints" } else { "print" };
        return format!("{} {prints} a text.", capital(&lanes_in_words(moment.executing)));
    }
    match &moment.access {
        Some(access) => match access.space {
            Space::Global => global(moment, access),
            Space::Shared => shared(moment, access),
            Space::Local if moment.cost.local_sectors > 0 => format!(
                "{} {} local memory: {}.",
                capital(&lanes_in_words(access.lanes)),
                verb(access),
                count(moment.cost.local_sectors, "sector")
            ),
            Space::Cluster => format!(
                "{} {} shared memory of another block of the cluster.",
                capital(&lanes_in_words(access.lanes)),
                verb(access)
            ),
            Space::Local | Space::Constant => plain(moment),
        },
        None => plain(moment),
    }
}

fn diverges(parting: &Parting) -> String {
    let Parting { taken, to, other, behind, waiting } = parting;
    let [taken_lanes, other_lanes] = [*taken, *other].map(lanes_in_words);
    let go = |lanes: u32, verb: &str| {
        let one = if lanes.is_power_of_two() { "s" } else { "" };
        format!("{verb}{one}")
    };
    let (to, behind) = (to.in_words(), behind.in_words());
    if waiting & taken != 0 {
        return format!(
            "The branch diverges: {taken_lanes} {} at {to} until {other_lanes} {} come from \
             {behind}.",
            go(*taken, "wait"),
            if other.is_power_of_two() { "has" } else { "have" }
        );
    }
    if waiting & other != 0 {
        return format!(
            "The branch diverges: {other_lanes} {} at {behind} until {taken_lanes} {} come from \
             {to}.",
            go(*other, "wait"),
            if taken.is_power_of_two() { "has" } else { "have" }
        );
    }
    let goes = |lanes: u32| if lanes.is_power_of_two() { "goes" } else { "go" };
    format!(
        "The branch diverges: {taken_lanes} {} to {to}, {other_lanes} to {behind}. The two \
         paths run one after the other.",
        goes(*taken)
    )
}

/// Nothing that costs more than the instruction itself.
fn plain(moment: &Moment) -> String {
    let idle = 32 - moment.active.count_ones();
    let lanes = lanes_in_words(moment.executing);
    let runs = if moment.executing.is_power_of_two() { "runs" } else { "run" };
    let word = &moment.place.word;
    let what = match meaning::of(word) {
        Some(meaning) => format!("{runs} `{word}`: {meaning}"),
        None => format!("{runs} `{word}`"),
    };
    if idle == 0 || moment.exited & !moment.active == !moment.active {
        return format!("{} {what}.", capital(&lanes));
    }
    let idle = count(u64::from(idle), "lane");
    let are = if idle == "1 lane" { "is" } else { "are" };
    format!("{} {what}. {idle} of the warp {are} idle.", capital(&lanes))
}

fn verb(access: &Access) -> &'static str {
    let one = access.lanes.is_power_of_two();
    match access.kind {
        AccessKind::Store if one => "stores to",
        AccessKind::Store => "store to",
        AccessKind::Atomic if one => "updates",
        AccessKind::Atomic => "update",
        _ if one => "loads from",
        _ => "load from",
    }
}

fn global(moment: &Moment, access: &Access) -> String {
    let (cost, lanes) = (&moment.cost, capital(&lanes_in_words(access.lanes)));
    if access.kind == AccessKind::Atomic {
        let lanes = count(u64::from(access.lanes.count_ones()), "lane");
        let meet = match cost.addresses {
            1 if access.lanes.count_ones() > 1 && cost.l2_passes == 1 => {
                return format!("{lanes} update one address; the warp sends one atomic for all.");
            }
            addresses => count(addresses, "address"),
        };
        return format!("{lanes} update {meet}: {} at L2.", count(cost.l2_passes, "pass"));
    }
    let (used, fetched) = (access.used_bytes(), access.fetched_bytes());
    let moved = if access.kind == AccessKind::Store { "written" } else { "fetched" };
    let (from, to) = if moment.place.word.starts_with("cp.async") {
        let copies = if access.lanes.is_power_of_two() { "copies" } else { "copy" };
        (copies, " to shared memory")
    } else {
        (verb(access), "")
    };
    let mut text = format!(
        "{lanes} {from} {} in {}{to}: {used} of {fetched} bytes {moved} are used.",
        count(cost.sectors, "sector"),
        count(access.lines.len() as u64, "line"),
    );
    if cost.sectors == 0 {
        text = format!("{lanes} {} global memory.", verb(access));
    }
    text
}

fn shared(moment: &Moment, access: &Access) -> String {
    let cost = &moment.cost;
    let lanes = lanes_in_words(access.lanes);
    let least = cost.passes - cost.conflicts;
    match access.busiest_bank() {
        Some((bank, meet)) if access.kind == AccessKind::Atomic && cost.passes > 1 => format!(
            "{} meet in bank {bank}: {} instead of 1.",
            capital(&count(u64::from(meet.count_ones()), "lane")),
            count(cost.passes, "pass")
        ),
        Some((bank, meet)) if cost.conflicts > 0 => format!(
            "{} meet in bank {bank}: {} instead of {least}.",
            capital(&count(u64::from(meet.count_ones()), "lane")),
            count(cost.passes, "pass")
        ),
        _ if access.kind == AccessKind::Atomic => format!(
            "{} {} {} in shared memory: {}.",
            capital(&lanes),
            verb(access),
            count(access.meetings.len() as u64, "address"),
            count(cost.passes, "pass")
        ),
        _ => format!(
            "{} {} shared memory without a bank conflict: {}.",
            capital(&lanes),
            verb(access),
            count(cost.passes, "pass")
        ),
    }
}

fn at_barrier(barrier: &Gathering) -> String {
    let lanes = |masks: &[u32]| masks.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>();
    let missing = (0..barrier.missing.len()).filter(|&warp| barrier.missing[warp] != 0);
    let missing: u32 = missing.fold(0, |all, warp| all | 1 << warp);
    let name = if barrier.barrier == 0 {
        "the barrier".to_owned()
    } else {
        format!("barrier {}", barrier.barrier)
    };
    if missing == 0 {
        return format!("The last lanes come to {name}: it opens.");
    }
    let warps = lanes_in_words(missing).replace("lane", "warp");
    let are = if missing.is_power_of_two() { "is" } else { "are" };
    format!(
        "{} of {} threads are at {name}; {warps} {are} missing.",
        lanes(&barrier.there),
        lanes(&barrier.there) + lanes(&barrier.missing)
    )
}

/// The text with a capital first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
