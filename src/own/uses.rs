//! What a kernel does with the pointers that it is given, from its PTX.
//!
//! Each register has the pointers that its value may be computed from, and those whose memory it may
//! have been read from. Instructions add to these sets until nothing changes; their order
//! does not matter.

use std::collections::HashMap;

use crate::emulator::ptx::{Address, Function, Instruction, Operand};

/// Most pointers that are followed: one bit each.
const MOST_POINTERS: usize = 64;

/// Limit of passes over a function.
const MOST_PASSES: usize = 50;

/// What a kernel does with its pointers, by parameter and by offset in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Uses(HashMap<(usize, u64), Use>);

/// What a kernel does with one pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Use {
    /// The bits of [`Does`].
    does: u8,
    /// End of the farthest place that is the same in all threads.
    end: u64,
}

/// One of the things that a kernel can do with a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// It loads what is there.
    Read = 1,
    /// It stores there.
    Store = 2,
    /// It changes it by atomics that calculate.
    Count = 4,
    /// It changes it by `atomicCAS` or `atomicExch`.
    Exchange = 8,
    /// What it loads becomes part of an address.
    Index = 16,
    /// It stores what atomics gave, or at places that they gave, which depends on the order of the threads.
    StoreByOrder = 32,
    /// It passes the pointer on, so that more may happen to it.
    PassOn = 64,
    /// It uses a place that is not the same in all threads.
    Vary = 128,
}

impl Use {
    /// Whether the kernel does this.
    pub(super) fn does(&self, what: Does) -> bool {
        self.does & what as u8 != 0
    }

    /// Whether it changes what is there.
    pub(super) fn changes(&self) -> bool {
        [Does::Store, Does::Count, Does::Exchange].iter().any(|it| self.does(*it))
    }

    /// Whether it changes it, and not by atomics.
    pub(super) fn only_stores(&self) -> bool {
        self.does(Does::Store) && !self.does(Does::Count) && !self.does(Does::Exchange)
    }

    /// Whether it does nothing but `atomicCAS` and `atomicExch`.
    pub(super) fn only_exchanges(&self) -> bool {
        let others = [Does::Read, Does::Store, Does::Count];
        self.does(Does::Exchange) && !others.iter().any(|it| self.does(*it))
    }

    /// Bytes that it uses, if they are the same in all threads.
    pub(super) fn bytes(&self) -> Option<u64> {
        (!self.does(Does::Vary) && self.end > 0).then_some(self.end)
    }

    fn add(&mut self, what: Does, if_so: bool) {
        self.does |= if if_so { what as u8 } else { 0 };
    }
}

impl Uses {
    /// What a kernel does with a pointer, if its PTX shows that it does anything and passes it to
    /// nobody.
    pub(super) fn of(&self, param: usize, offset: u64) -> Option<&Use> {
        self.0.get(&(param, offset)).filter(|it| !it.does(Does::PassOn) && **it != Use::default())
    }

    /// What a kernel does; nothing is known of one that takes too many pointers.
    pub(super) fn new(function: &Function) -> Self {
        let mut flow =
            Flow { function, pointers: Vec::new(), values: HashMap::new(), changed: false };
        for _ in 0..MOST_PASSES {
            flow.changed = false;
            function.instructions().for_each(|it| flow.follow(it));
            if flow.pointers.len() > MOST_POINTERS {
                break;
            }
            if !flow.changed {
                return flow.uses();
            }
        }
        Self::default()
    }
}

/// What is known of the value in a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Known {
    /// The pointers that it is computed from, a bit each.
    from: u64,
    /// The pointers to the memory that it was read from.
    read: u64,
    /// The distance to its one pointer.
    at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    #[default]
    Nowhere,
    Fixed(i64),
    Anywhere,
}

struct Flow<'a, 'b> {
    function: &'b Function<'a>,
    pointers: Vec<(usize, u64)>,
    values: HashMap<&'a str, Known>,
    changed: bool,
}

impl<'a> Flow<'a, '_> {
    fn known(&self, operand: &Operand<'a>) -> Known {
        let mut all = Known::default();
        operand.each_name(&mut |name| {
            let one = self.values.get(name).copied().unwrap_or_default();
            let at = if all == Known::default() { one.at } else { At::Anywhere };
            all = Known { from: all.from | one.from, read: all.read | one.read, at };
        });
        all
    }

    /// Adds to what is known of the registers that an operand names.
    fn add(&mut self, operand: Option<&Operand<'a>>, new: Known) {
        let values = &mut self.values;
        let mut changed = false;
        let mut set = |name| {
            let old: &mut Known = values.entry(name).or_default();
            let at = match old.at {
                At::Nowhere => new.at,
                same if same == new.at || new.at == At::Nowhere => same,
                _ => At::Anywhere,
            };
            let sum = Known { from: old.from | new.from, read: old.read | new.read, at };
            changed |= *old != sum;
            *old = sum;
        };
        if let Some(operand) = operand {
            operand.each_name(&mut set);
        }
        self.changed |= changed;
    }

    fn follow(&mut self, instruction: &Instruction<'a>) {
        let operands = &instruction.operands;
        let new = match (instruction.opcode, &operands[..]) {
            ("ld" | "ldu", [_, Operand::Address(address), ..]) if instruction.has("param") => {
                self.parameter(address)
            }
            ("ld" | "ldu" | "atom", [_, Operand::Address(address), ..]) => {
                let base = address.base.and_then(|it| self.values.get(it));
                Known { read: base.map_or(0, |it| it.from), ..Known::default() }
            }
            ("setp" | "set" | "st" | "red" | "call" | "bra", _) => return,
            ("mov" | "cvta", [_, from]) => self.known(from),
            ("add", [_, from, Operand::Int(more)]) => {
                let from = self.known(from);
                let at = match from.at {
                    At::Fixed(at) => At::Fixed(at.wrapping_add(*more as i64)),
                    other => other,
                };
                Known { at, ..from }
            }
            ("selp", [_, a, b, _]) => {
                let (a, b) = (self.known(a), self.known(b));
                Known { from: a.from | b.from, read: a.read | b.read, at: At::Anywhere }
            }
            (_, [_, rest @ ..]) => {
                let all = rest.iter().map(|it| self.known(it));
                let one = |sum: Known, it: Known| Known {
                    from: sum.from | it.from,
                    read: sum.read | it.read,
                    at: At::Anywhere,
                };
                all.fold(Known::default(), one)
            }
            _ => return,
        };
        self.add(operands.first(), new);
    }

    /// What is loaded from a parameter, or a part of it.
    fn parameter(&mut self, address: &Address<'a>) -> Known {
        let params = &self.function.params;
        let index = address.base.and_then(|base| params.iter().position(|it| it.name == base));
        let Some((index, offset)) = index.zip(u64::try_from(address.offset).ok()) else {
            return Known::default();
        };
        let place = self.pointers.iter().position(|it| *it == (index, offset));
        let place = place.unwrap_or_else(|| {
            self.pointers.push((index, offset));
            self.pointers.len() - 1
        });
        Known { from: 1 << (place % MOST_POINTERS), at: At::Fixed(0), ..Known::default() }
    }

    /// What the instructions do with each pointer.
    fn uses(&self) -> Uses {
        let mut all = vec![Use::default(); self.pointers.len()];
        let mut each = |bits: u64, change: &dyn Fn(&mut Use)| {
            let chosen = all.iter_mut().enumerate().filter(|it| bits >> it.0 & 1 == 1);
            chosen.for_each(|it| change(it.1));
        };
        // The pointers that atomics count through and return what they found.
        let counters = self.function.instructions().filter(|it| it.opcode == "atom");
        let counters = counters.filter_map(|it| match it.operands.get(1)? {
            Operand::Address(address) => Some(self.values.get(address.base?)?.from),
            _ => None,
        });
        let counters = counters.fold(0, |all, it| all | it);
        for instruction in self.function.instructions() {
            let operands = &instruction.operands;
            let op = instruction.opcode;
            let exchanges = instruction.has("cas") || instruction.has("exch");
            let atomic = op == "atom" || op == "red";
            let plain = atomic || op == "st" || op == "ld" || op == "ldu";
            let stored = operands.get(1).filter(|_| op == "st").map_or(0, |it| self.known(it).read);
            // What is written comes first.
            for (place, operand) in operands.iter().take(2).enumerate() {
                let Operand::Address(address) = operand else { continue };
                let Some(base) = address.base.and_then(|it| self.values.get(it)) else { continue };
                each(base.read, &|it| it.add(Does::Index, true));
                let end = match base.at {
                    At::Fixed(at) if plain => u64::try_from(at.wrapping_add(address.offset)).ok(),
                    _ => None,
                };
                each(base.from, &|it| {
                    it.add(Does::Read, !atomic && place == 1);
                    it.add(Does::Store, !atomic && place == 0 && op != "prefetch");
                    it.add(Does::StoreByOrder, place == 0 && (base.read | stored) & counters != 0);
                    it.add(Does::Exchange, atomic && exchanges);
                    it.add(Does::Count, atomic && !exchanges);
                    it.add(Does::Vary, end.is_none());
                    it.end = it.end.max(end.unwrap_or(0).saturating_add(bytes(instruction)));
                });
            }
            // A pointer that is stored, or an argument of a function.
            if op == "st" || op == "call" {
                for operand in operands.iter().skip(1) {
                    each(self.known(operand).from, &|it| it.add(Does::PassOn, true));
                }
            }
        }
        Uses(self.pointers.iter().copied().zip(all).collect())
    }
}

/// Bytes that an instruction loads or stores for a thread.
fn bytes(instruction: &Instruction) -> u64 {
    let of = instruction.modifiers().last().unwrap_or_default();
    let bits = of.trim_start_matches(|it: char| !it.is_ascii_digit()).split('x').next();
    let lanes = instruction.modifiers().find_map(|it| it.strip_prefix('v')?.parse::<u64>().ok());
    bits.and_then(|it| it.parse::<u64>().ok()).unwrap_or(8) / 8 * lanes.unwrap_or(1)
}
