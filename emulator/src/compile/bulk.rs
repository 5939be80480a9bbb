//! Copies of many bytes by one thread: `cp.async.bulk`, `cp.reduce.async.bulk`.

use crate::compile::compiler::Compiler;
use crate::compile::memory::without_policy;
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::Type;
use crate::program::{Bulk, Cell, End, Exchange, Op, Rmw, SiteKind, Window};
use crate::ptx::{Address, Instruction, Operand};

pub(crate) const MBARRIER: &str = "mbarrier::complete_tx::bytes";

/// Memory that a word names.
fn window(word: &str) -> Option<Window> {
    match word {
        "global" => Some(Window::Global),
        "shared" | "shared::cta" | "shared::cluster" => Some(Window::Shared),
        _ => None,
    }
}

/// What a reduction does to each cell of its target.
fn change(function: &[&str], to: Window) -> Option<(Rmw, Cell)> {
    let global = to == Window::Global;
    Some(match function {
        ["add", "u32" | "s32"] => (Rmw::Add, Cell::B32),
        ["add", "u64"] => (Rmw::Add, Cell::B64),
        ["add", "s64"] if global => (Rmw::Add, Cell::B64),
        ["inc", "u32"] => (Rmw::Increment, Cell::B32),
        ["dec", "u32"] => (Rmw::Decrement, Cell::B32),
        ["min", "u32"] => (Rmw::MinU, Cell::B32),
        ["min", "s32"] => (Rmw::MinS, Cell::B32),
        ["max", "u32"] => (Rmw::MaxU, Cell::B32),
        ["max", "s32"] => (Rmw::MaxS, Cell::B32),
        ["min", "u64"] if global => (Rmw::MinU, Cell::B64),
        ["min", "s64"] if global => (Rmw::MinS, Cell::B64),
        ["max", "u64"] if global => (Rmw::MaxU, Cell::B64),
        ["max", "s64"] if global => (Rmw::MaxS, Cell::B64),
        ["and", "b32"] => (Rmw::And, Cell::B32),
        ["or", "b32"] => (Rmw::Or, Cell::B32),
        ["xor", "b32"] => (Rmw::Xor, Cell::B32),
        ["and", "b64"] if global => (Rmw::And, Cell::B64),
        ["or", "b64"] if global => (Rmw::Or, Cell::B64),
        ["xor", "b64"] if global => (Rmw::Xor, Cell::B64),
        ["add", "f32" | "f64"] if global => {
            (Rmw::AddFloat, if function[1] == "f32" { Cell::B32 } else { Cell::B64 })
        }
        ["add", "noftz", "f16"] if global => (Rmw::AddF16, Cell::B32),
        ["add", "noftz", "bf16"] if global => (Rmw::AddBf16, Cell::B32),
        _ => return None,
    })
}

impl<'a> Compiler<'a> {
    /// Everything that starts with `cp.async.bulk` or `cp.reduce.async.bulk`. The copy is
    /// carried out at once, as the ISA allows: waiting for it is nothing then.
    pub(crate) fn bulk(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().filter(|word| *word != "reduce").collect();
        let ["async", "bulk", words @ ..] = words.as_slice() else {
            return unsupported(instruction);
        };
        let given = without_policy(instruction);
        let (ends, rest) = match (words, given) {
            (["commit_group"], [])
            | (["wait_group"] | ["wait_group", "read"], [Operand::Int(_)]) => return Ok(()),
            (["prefetch", "L2", "global", ..], [Operand::Address(at), bytes]) => {
                self.place(at, Window::Global)?;
                self.value32(bytes)?;
                return Ok(());
            }
            ([to, from, rest @ ..], _) => (window(to).zip(window(from)), rest),
            _ => return unsupported(instruction),
        };
        let Some((to, from)) =
            ends.filter(|(to, from)| *to == Window::Shared || *from == Window::Shared)
        else {
            return unsupported(instruction);
        };
        let to_many = rest.contains(&"multicast::cluster");
        let rest: Vec<&str> = rest
            .iter()
            .copied()
            .filter(|word| !matches!(*word, "L2::cache_hint" | "multicast::cluster"))
            .collect();
        let reduces = instruction.has("reduce");
        let function = match rest.as_slice() {
            [MBARRIER, function @ ..] if to == Window::Shared => function,
            ["bulk_group", function @ ..] if to == Window::Global => function,
            _ => return unsupported(instruction),
        };
        let change = if reduces { change(function, to) } else { None };
        if reduces != change.is_some() || !reduces && !function.is_empty() {
            return unsupported(instruction);
        }
        let (given, blocks) = match given {
            [given @ .., mask] if to_many && from == Window::Global => (given, Some(mask)),
            given if !to_many => (given, None),
            _ => return unsupported(instruction),
        };
        let blocks = blocks.map(|mask| self.value32(mask)).transpose()?;
        let (target, source, bytes, barrier) = match given {
            [Operand::Address(to), Operand::Address(from), bytes] => (to, from, bytes, None),
            [Operand::Address(to), Operand::Address(from), bytes, Operand::Address(barrier)] => {
                (to, from, bytes, Some(barrier))
            }
            _ => return unsupported(instruction),
        };
        if barrier.is_some() != (to == Window::Shared) {
            return unsupported(instruction);
        }
        let bytes = self.value32(bytes)?;
        let from = self.end(source, from, SiteKind::Load)?;
        let kind = if reduces { SiteKind::Atomic } else { SiteKind::Store };
        let to = self.end(target, to, kind)?;
        let barrier = barrier
            .map(|barrier| self.end(barrier, Window::Shared, SiteKind::Atomic))
            .transpose()?;
        let index = u16::try_from(self.bulks.len())
            .map_err(|_| "the kernel has more than 65536 bulk copies".to_owned())?;
        self.bulks.push(Bulk { to, from, bytes, barrier, blocks, change });
        self.push(Op::Bulk { index });
        Ok(())
    }

    pub(crate) fn end(
        &mut self,
        address: &Address<'a>,
        window: Window,
        kind: SiteKind,
    ) -> Compiled<End> {
        let (a, offset) = self.place(address, window)?;
        Ok(End { window, a, site: self.site(kind, offset)? })
    }

    /// `cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [a]`: an arrival once the thread's copies
    /// are done, which they are. Without `.noinc`, one more is waited for.
    pub(crate) fn copied(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [Operand::Address(at)] = instruction.operands.as_slice() else {
            return unsupported(instruction);
        };
        self.exchange(Exchange::Copies, None)?;
        if !instruction.has("noinc") {
            let window = self.window(instruction, at.base);
            return self.place(at, window).map(|_| ());
        }
        let (one, none) = (self.constant(1, Type::B64.wide())?, self.constant64(0)?);
        self.arrival(instruction, at, None, (Rmw::Arrive, one, none))
    }
}
