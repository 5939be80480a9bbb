//! One step of a recorded block in neutral parts: lanes, registers, memory. The Step screen and
//! the exported picture show the same.

pub mod picture;

use crate::units::text::line;
use crate::work::trace::{
    Access, AccessKind, Bank, Gathering, Group, Level, Moment, Place, Space, Value, ValueType, Why,
    lanes_in_words,
};

/// How a lane stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneMark {
    /// A character of its own, so that it is told without colour too.
    pub letter: char,
    /// Which colour its branch has; none for lanes that have ended.
    pub hue: Option<usize>,
    /// Whether it runs the instruction.
    pub lit: bool,
}

const ACTIVE: LaneMark = LaneMark { letter: '■', hue: Some(0), lit: true };
const GUARDED: LaneMark = LaneMark { letter: '□', hue: Some(0), lit: false };
const ENDED: LaneMark = LaneMark { letter: '·', hue: None, lit: false };
/// Lanes that jump, and those that go on behind the branch.
const TAKEN: LaneMark = LaneMark { letter: '1', hue: Some(0), lit: true };
const OTHER: LaneMark = LaneMark { letter: '2', hue: Some(1), lit: true };

/// The mark of a group of lanes that are elsewhere.
fn elsewhere(group: usize) -> LaneMark {
    let letter = char::from(b'a' + u8::try_from(group.min(25)).unwrap_or_default());
    LaneMark { letter, hue: Some(group + 1), lit: false }
}

/// The lanes of the warp, each mark with its lanes and what they do.
pub fn lanes(moment: &Moment, line: &dyn Fn(&Place) -> String) -> Vec<(LaneMark, u32, String)> {
    let words = lanes_in_words;
    let mut parts = Vec::new();
    if let Some(parting) = &moment.parting {
        let jump = if parting.taken.is_power_of_two() { "jumps" } else { "jump" };
        let go = if parting.other.is_power_of_two() { "goes" } else { "go" };
        let (to, behind) = (line(&parting.to), line(&parting.behind));
        let meets = |lanes: u32| {
            if parting.waiting & lanes == 0 { "" } else { ", where the paths meet" }
        };
        let text = format!("{} {jump} to {to}{}", words(parting.taken), meets(parting.taken));
        parts.push((TAKEN, parting.taken, text));
        let text = format!("{} {go} on at {behind}{}", words(parting.other), meets(parting.other));
        parts.push((OTHER, parting.other, text));
    } else {
        let run = if moment.executing.is_power_of_two() { "runs" } else { "run" };
        let text = format!("{} {run} this instruction", words(moment.executing));
        parts.push((ACTIVE, moment.executing, text));
        let off = moment.active & !moment.executing;
        if off != 0 {
            parts.push((GUARDED, off, format!("{}: the guard is false", words(off))));
        }
    }
    for (index, Group { lanes, why, at }) in moment.groups.iter().enumerate() {
        let one = lanes.is_power_of_two();
        let (wait, run) = if one { ("waits", "runs") } else { ("wait", "run") };
        let (who, at) = (words(*lanes), line(at));
        let text = match why {
            Why::Reconvergence => format!("{who} {wait} at {at}, where the paths meet"),
            Why::Later => format!("{who} {run} later, from {at}"),
            Why::Barrier => format!("{who} {wait} at the barrier, {at}"),
            Why::Cluster => format!("{who} {wait} at the barrier between blocks, {at}"),
            Why::Lanes => format!("{who} {wait} for other lanes, {at}"),
        };
        parts.push((elsewhere(index), *lanes, text));
    }
    if moment.exited != 0 {
        parts.push((ENDED, moment.exited, format!("{}: ended", words(moment.exited))));
    }
    parts
}

/// The mark of each lane.
pub fn marks(parts: &[(LaneMark, u32, String)]) -> [LaneMark; 32] {
    std::array::from_fn(|lane| {
        let of = parts.iter().find(|(_, lanes, _)| lanes >> lane & 1 != 0);
        of.map_or(ENDED, |(mark, ..)| *mark)
    })
}

/// The reconvergence stack in words, the innermost place first.
pub fn stack(moment: &Moment, line: &dyn Fn(&Place) -> String) -> Vec<String> {
    let words = |Level { at, expected, waiting }: &Level| {
        let (line, coming) = (line(at), expected & !waiting);
        if *waiting == 0 {
            return format!("{} meet at {line}", lanes_in_words(*expected));
        }
        let wait = if waiting.is_power_of_two() { "waits" } else { "wait" };
        format!("{} {wait} at {line} for {}", lanes_in_words(*waiting), lanes_in_words(coming))
    };
    moment.stack.iter().map(words).collect()
}

/// The bits of a register as its type reads them, for a plot. Predicates are 0 and 1.
pub fn amount(bits: u64, ty: ValueType) -> f64 {
    match ty {
        ValueType::Float(32) => f64::from(f32::from_bits(bits as u32)),
        ValueType::Float(64) => f64::from_bits(bits),
        ValueType::Signed(width) => signed(bits, width) as f64,
        ValueType::Bits(32) => signed(bits, 32) as f64,
        _ => bits as f64,
    }
}

/// The bits of a register as its type reads them, in words.
pub fn number(bits: u64, ty: ValueType) -> String {
    match ty {
        ValueType::Predicate => if bits == 0 { "false" } else { "true" }.to_owned(),
        ValueType::Float(32) => short(f64::from(f32::from_bits(bits as u32))),
        ValueType::Float(64) => short(f64::from_bits(bits)),
        ValueType::Float(_) => format!("0x{bits:04x}"),
        ValueType::Signed(width) => signed(bits, width).to_string(),
        // Nobody says whether they have a sign: small negative numbers are told as such.
        ValueType::Bits(32) if (-65_536..0).contains(&signed(bits, 32)) => {
            signed(bits, 32).to_string()
        }
        ValueType::Bits(_) | ValueType::Unsigned(_) if bits > u64::from(u32::MAX) => {
            format!("0x{bits:x}")
        }
        ValueType::Bits(_) | ValueType::Unsigned(_) => bits.to_string(),
    }
}

fn signed(bits: u64, width: u32) -> i64 {
    let off = 64u32.saturating_sub(width.clamp(1, 64));
    (bits << off).cast_signed() >> off
}

fn short(value: f64) -> String {
    let text = format!("{value}");
    let size = value.abs();
    if text.len() <= 8 {
        text
    } else if value != 0.0 && !(1e-3..1e6).contains(&size) {
        format!("{value:.3e}")
    } else {
        format!("{value:.4}")
    }
}

/// A register over some lanes in one line, behind what it holds in terms of the source.
pub fn row(value: &Value, lanes: u32, most: usize) -> String {
    let numbers = summary(value, lanes, most);
    match &value.source {
        Some(source) => format!("{}: {numbers}", line(source)),
        None => numbers,
    }
}

/// A register over some lanes in one line: one number where all have the same, the first and
/// the distance where they are evenly spaced, else the numbers of as many lanes as asked for.
pub fn summary(value: &Value, lanes: u32, most: usize) -> String {
    let shown: Vec<(usize, u64)> = (0..32)
        .filter(|lane| lanes >> lane & 1 != 0)
        .map(|lane| (lane, value.lanes[lane]))
        .collect();
    let Some(&(_, first)) = shown.first() else { return String::new() };
    if shown.iter().all(|(_, bits)| *bits == first) {
        return if shown.len() == 1 {
            number(first, value.ty)
        } else {
            format!("{} in each lane", number(first, value.ty))
        };
    }
    if value.ty == ValueType::Predicate {
        let yes = shown.iter().filter(|(_, bits)| *bits != 0);
        let yes = yes.fold(0, |all, (lane, _)| all | 1 << lane);
        return format!("true in {}", lanes_in_words(yes));
    }
    let integer = !matches!(value.ty, ValueType::Predicate | ValueType::Float(_));
    if let (true, [(a, from), (b, to), _, ..]) = (integer, shown.as_slice()) {
        let by = to.wrapping_sub(*from).cast_signed() / (b - a) as i64;
        let at = |lane: usize| from.wrapping_add_signed(by.wrapping_mul((lane - a) as i64));
        if shown.iter().all(|(lane, bits)| *bits == at(*lane)) {
            let sign = if by < 0 { '-' } else { '+' };
            let by = by.unsigned_abs();
            return format!("{}, {sign}{by} per lane", number(*from, value.ty));
        }
    }
    let numbers: Vec<String> =
        shown.iter().take(most).map(|(_, bits)| number(*bits, value.ty)).collect();
    let more = if shown.len() > most { " …" } else { "" };
    format!("{}{more}", numbers.join(" "))
}

/// The height of a register in each of some lanes, 0 to 1; `None` in the others.
pub fn heights(value: &Value, lanes: u32) -> [Option<f64>; 32] {
    let amounts: [Option<f64>; 32] = std::array::from_fn(|lane| {
        let amount = amount(value.lanes[lane], value.ty);
        (lanes >> lane & 1 != 0 && amount.is_finite()).then_some(amount)
    });
    let known = || amounts.iter().flatten().copied();
    let (low, high) =
        (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    amounts.map(|amount| {
        let amount = amount?;
        Some(if high > low { (amount - low) / (high - low) } else { 0.5 })
    })
}

/// What a step does at memory or at a barrier, in a line: the heading of its picture.
pub fn memory_title(moment: &Moment) -> String {
    if moment.barrier.is_some() {
        return "Barrier".to_owned();
    }
    if moment.printed.is_some() {
        return "Output of printf".to_owned();
    }
    let Some(access) = &moment.access else { return "Memory".to_owned() };
    let kind = match access.kind {
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
        _ => "load",
    };
    let space = match access.space {
        Space::Global => "Global",
        Space::Shared => "Shared",
        Space::Cluster => "Cluster shared",
        Space::Local => "Local",
        Space::Constant => "Constant",
    };
    format!("{space} {kind}, {} B per lane", access.bytes)
}

/// The costs of an access in numbers.
pub fn memory_facts(moment: &Moment) -> Vec<String> {
    if let Some(Gathering { there, missing, .. }) = &moment.barrier {
        let warp = |warp: usize| {
            let (come, off) = (there[warp], missing.get(warp).copied().unwrap_or_default());
            let text = match (come, off) {
                (_, 0) if come != 0 => "there".to_owned(),
                (_, 0) => "ended".to_owned(),
                (0, _) => "missing".to_owned(),
                (_, off) => format!("{} missing", lanes_in_words(off)),
            };
            format!("warp {warp}: {text}")
        };
        return (0..there.len()).map(warp).collect();
    }
    if let Some(printed) = &moment.printed {
        return printed.lines().map(|text| line(text).into_owned()).collect();
    }
    let Some(access) = &moment.access else { return Vec::new() };
    let cost = &moment.cost;
    let mut facts = Vec::new();
    match access.space {
        Space::Global if access.kind != AccessKind::Atomic => {
            let (used, fetched) = (access.used_bytes(), access.fetched_bytes());
            let moved = if access.kind == AccessKind::Store { "written" } else { "fetched" };
            let share = 100 * used / fetched.max(1);
            facts.push(format!("{used} of {fetched} bytes {moved} are used ({share} %)"));
            let (sectors, lines) = (cost.sectors, access.lines.len());
            facts.push(format!("{sectors} sectors of 32 B in {lines} lines of 128 B"));
        }
        Space::Shared => {
            let least = cost.passes.saturating_sub(cost.conflicts);
            if cost.conflicts > 0 {
                facts.push(format!("{} passes instead of {least}", cost.passes));
            } else {
                let es = if cost.passes == 1 { "" } else { "es" };
                facts.push(format!("{} pass{es}, no bank conflict", cost.passes));
            }
            if let Some((bank, lanes)) = access.busiest_bank().filter(|_| cost.passes > 1) {
                facts.push(format!("bank {bank}: {}", lanes_in_words(lanes)));
            }
        }
        _ => {}
    }
    if cost.l2_passes > 0 {
        let es = if cost.l2_passes == 1 { "" } else { "es" };
        facts.push(format!("{} pass{es} at L2", cost.l2_passes));
    }
    facts.extend(meetings(access));
    facts
}

/// The lanes on each address of an atomic, the most crowded first.
fn meetings(access: &Access) -> Vec<String> {
    let mut all: Vec<&(u64, u32)> = access.meetings.iter().collect();
    all.sort_by_key(|(_, lanes)| std::cmp::Reverse(lanes.count_ones()));
    let line = |(address, lanes): &&(u64, u32)| {
        format!("{}: {}", address_text(access.space, *address), lanes_in_words(*lanes))
    };
    all.iter().map(line).collect()
}

/// What each bank of shared memory serves one after the other, by lane: a broadcast serves all
/// lanes of a word at once and counts as its first lane. So does an atomic in one pass, whose
/// lanes are combined; another serves each lane for itself.
pub fn served_by_bank(access: &Access, passes: u64) -> Vec<Vec<usize>> {
    let atomic = access.kind == AccessKind::Atomic && passes > 1;
    let of_word = |word: &u32| -> Vec<usize> {
        let lanes = (0..32).filter(|lane| word >> lane & 1 != 0);
        lanes.take(if atomic { 32 } else { 1 }).collect()
    };
    let bank = |bank: &Bank| bank.words.iter().flat_map(|(_, word)| of_word(word)).collect();
    access.banks.iter().map(bank).collect()
}

/// An address: an offset of shared and local memory, else hexadecimal.
pub fn address_text(space: Space, address: u64) -> String {
    match space {
        Space::Global | Space::Cluster => format!("{address:#x}"),
        _ => format!("+{address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(ty: ValueType, of: impl Fn(u64) -> u64) -> Value {
        let lanes = std::array::from_fn(|lane| of(lane as u64));
        let name = "%r1".to_owned();
        Value { name, source: None, ty, lanes, before: [0; 32], changed: 0, written: true }
    }

    #[test]
    fn registers_are_told_in_one_line() {
        let all = u32::MAX;
        let b32 = ValueType::Bits(32);
        assert_eq!(summary(&value(b32, |_| 7), all, 4), "7 in each lane");
        assert_eq!(summary(&value(b32, |lane| 100 + 4 * lane), all, 4), "100, +4 per lane");
        assert_eq!(summary(&value(b32, |lane| 100 - 2 * lane), all, 4), "100, -2 per lane");
        assert_eq!(summary(&value(b32, |lane| 100 + 4 * lane), 0b1010, 4), "104 112");
        assert_eq!(summary(&value(b32, |lane| lane * lane), all, 4), "0 1 4 9 …");
        assert_eq!(summary(&value(b32, |_| u64::from(u32::MAX)), 1, 4), "-1");
        assert_eq!(summary(&value(b32, |_| 7), 0, 4), "");
        let predicate = value(ValueType::Predicate, |lane| u64::from(lane > 7));
        assert_eq!(summary(&predicate, all, 4), "true in lanes 8–31");
        let half = |_| u64::from(0.5f32.to_bits());
        assert_eq!(summary(&value(ValueType::Float(32), half), 1, 4), "0.5");
        assert_eq!(number(1, ValueType::Predicate), "true");
        assert_eq!(number(0xffff, ValueType::Signed(16)), "-1");
        assert_eq!(number(1 << 40, ValueType::Unsigned(64)), "0x10000000000");
    }

    #[test]
    fn heights_span_the_lanes_that_take_part() {
        let heights = heights(&value(ValueType::Unsigned(32), |lane| lane), 0b10101);
        assert_eq!(heights[..5], [Some(0.0), None, Some(0.5), None, Some(1.0)]);
        assert_eq!(heights[5..], [None; 27]);
    }
}
