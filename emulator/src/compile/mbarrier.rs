//! Barriers that are words in shared memory (`mbarrier`).

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, operands, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{
    Bits, Cell, Compare, Function, Int2, NEW_BARRIER, Op, PER_ARRIVAL, PHASE, Rmw, SiteKind, Slot,
    Step, Transfer, Update, Window,
};
use crate::ptx::{Address, Instruction, Operand};

/// What may stand beside the function: order, scope and space, which change nothing here.
const KNOWN: &[&str] = &[
    "noComplete",
    "expect_tx",
    "parity",
    "release",
    "acquire",
    "relaxed",
    "cta",
    "cluster",
    "shared",
    "shared::cta",
    "shared::cluster",
    "b64",
];

impl<'a> Compiler<'a> {
    /// `mbarrier.*`. Copies are carried out at once, so that nobody waits for their bytes.
    pub(crate) fn mbarrier(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().collect();
        let [function, rest @ ..] = words.as_slice() else { return unsupported(instruction) };
        if rest.last() != Some(&"b64") || rest.iter().any(|word| !KNOWN.contains(word)) {
            return unsupported(instruction);
        }
        let given = instruction.operands.as_slice();
        match (*function, given) {
            ("init", [Operand::Address(at), count]) => self.init_barrier(instruction, at, count),
            // The word is memory like any other from then on.
            ("inval", [Operand::Address(at)]) => self.barrier_place(instruction, at).map(|_| ()),
            ("expect_tx" | "complete_tx", [Operand::Address(at), bytes]) => {
                let f = match *function {
                    "expect_tx" => Rmw::ExpectBytes,
                    _ => Rmw::CompleteBytes,
                };
                let (b, c) = (self.widened(bytes)?, self.constant64(0)?);
                self.arrival(instruction, at, None, (f, b, c))
            }
            ("arrive" | "arrive_drop", _) => self.arrive(instruction, function),
            ("test_wait" | "try_wait", [d, Operand::Address(at), phase])
            | ("try_wait", [d, Operand::Address(at), phase, _]) => {
                if let [_, _, _, time] = given {
                    self.value32(time)?;
                }
                self.wait(instruction, d, at, phase)
            }
            ("pending_count", _) => {
                let [d, state] = operands(instruction)?;
                let a = self.value64(state)?;
                let d = self.destination(Type::B32, d)?;
                let f = Function::Bits(Bits::Pending);
                self.push(Op::each(f, (d, false), &[(a, true)]));
                Ok(())
            }
            _ => unsupported(instruction),
        }
    }

    /// Memory that a barrier is in: shared, or generic.
    fn barrier_window(instruction: &Instruction<'a>) -> Window {
        let shared = instruction.modifiers().any(|word| word.starts_with("shared"));
        if shared { Window::Shared } else { Window::Generic }
    }

    fn barrier_place(
        &mut self,
        instruction: &Instruction<'a>,
        at: &Address<'a>,
    ) -> Compiled<(Window, Slot, i64)> {
        let window = Self::barrier_window(instruction);
        let (a, offset) = self.place(at, window)?;
        Ok((window, a, offset))
    }

    /// A 32-bit number in a 64-bit slot.
    fn widened(&mut self, operand: &Operand<'a>) -> Compiled<Slot> {
        if let Operand::Int(value) = operand {
            return self.constant64(u64::from(*value as u32));
        }
        let (a, d) = (self.value32(operand)?, self.names.new64()?);
        self.push(Op::Widen { signed: false, d, a });
        Ok(d)
    }

    fn init_barrier(
        &mut self,
        instruction: &Instruction<'a>,
        at: &Address<'a>,
        count: &Operand<'a>,
    ) -> Compiled {
        let (window, a, offset) = self.barrier_place(instruction, at)?;
        let count = self.widened(count)?;
        let [c, b] = [self.constant64(NEW_BARRIER)?, self.constant64(PER_ARRIVAL)?];
        let slot = self.names.new64()?;
        self.push(Op::MulAdd64 { d: slot, a: count, b, c });
        let site = self.site(SiteKind::Store, offset)?;
        self.push(Op::Store(Transfer { window, cell: Cell::B64, count: 1, a, slot, site }));
        Ok(())
    }

    /// `mbarrier.arrive{.expect_tx}{.noComplete} state, [a]{, count or bytes}`.
    fn arrive(&mut self, instruction: &Instruction<'a>, function: &str) -> Compiled {
        let (state, rest) = match instruction.operands.as_slice() {
            [Operand::Address(at)] => (None, (at, None)),
            [Operand::Address(at), more] => (None, (at, Some(more))),
            [state, Operand::Address(at)] => (Some(state), (at, None)),
            [state, Operand::Address(at), more] => (Some(state), (at, Some(more))),
            _ => return unsupported(instruction),
        };
        let (at, more) = rest;
        let f = if function == "arrive" { Rmw::Arrive } else { Rmw::ArriveDrop };
        let more = more.map(|more| self.widened(more)).transpose()?;
        let (one, none) = (self.constant64(1)?, self.constant64(0)?);
        let (b, c) = match (instruction.has("expect_tx"), more) {
            (true, Some(bytes)) => (one, bytes),
            (true, None) => return unsupported(instruction),
            (false, count) => (count.unwrap_or(one), none),
        };
        self.arrival(instruction, at, state, (f, b, c))
    }

    /// An atomic step of a barrier; `state` gets its word from before.
    pub(crate) fn arrival(
        &mut self,
        instruction: &Instruction<'a>,
        at: &Address<'a>,
        state: Option<&Operand<'a>>,
        (f, b, c): (Rmw, Slot, Slot),
    ) -> Compiled {
        let (window, a, offset) = self.barrier_place(instruction, at)?;
        let site = self.site(SiteKind::Atomic, offset)?;
        let update = Update { window, f, cell: Cell::B64, count: 1, a, b, c, site };
        let op = match state {
            None | Some(Operand::Name("_")) => Op::Reduce(update),
            Some(state) => Op::Atomic { d: self.destination(Type::B64, state)?, update },
        };
        self.push(op);
        Ok(())
    }

    /// Whether a phase has ended: that of the state, or that of the parity.
    fn wait(
        &mut self,
        instruction: &Instruction<'a>,
        d: &Operand<'a>,
        at: &Address<'a>,
        phase: &Operand<'a>,
    ) -> Compiled {
        self.polls = true;
        self.tests = true;
        let d = self.pred_destination(d)?;
        let (window, a, offset) = self.barrier_place(instruction, at)?;
        let site = self.site(SiteKind::Load, offset)?;
        let word = self.names.new64()?;
        let cell = Cell::B64;
        self.push(Op::Load(Transfer { window, cell, count: 1, a, slot: word, site }));
        let shift = self.constant64(u64::from(PHASE))?;
        let narrow = self.register_of(phase)?.filter(|it| it.ty.bits == 32);
        let mut start = self.insts.len();
        let begun = if instruction.has("parity")
            && let Operand::Int(parity) = phase
        {
            self.constant64(u64::from(*parity as u32) << PHASE)?
        } else if instruction.has("parity") {
            let wide = self.widened(phase)?;
            let moved = self.names.new64()?;
            let f = Int2::ShiftLeft;
            self.push(Op::Binary64 { f, d: moved, a: wide, b: shift });
            moved
        } else {
            self.value(Type { kind: Kind::Bits, bits: 64 }, phase)?
        };
        let parity = narrow.filter(|_| instruction.has("parity"));
        if parity.is_none() {
            start = self.insts.len();
        }
        let b = parity.map_or(begun, |register| register.slot);
        let parity = parity.is_some();
        let differ = self.names.new64()?;
        self.push(Op::Binary64 { f: Int2::Xor, d: differ, a: word, b: begun });
        let none = self.constant64(0)?;
        // As signed numbers: the highest bit tells.
        self.push(Op::Compare64 { f: Compare::LessS, d, a: differ, b: none });
        self.quick(start, Step::Differ { parity, d, a: word, b });
        Ok(())
    }
}
