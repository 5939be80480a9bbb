//! `cp.async`: copies from global to shared memory that go on beside the
//! program. They are carried out at once, as the ISA allows: waiting for them
//! takes time only.

use crate::compile::compiler::Compiler;
use crate::compile::memory::without_policy;
use crate::compile::names::Register;
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::Kind;
use crate::program::{
    Cell, Compare, Exchange, Guard, Int2, Logic, Op, SiteKind, Slot, Transfer, Window,
};
use crate::ptx::{Address, Instruction, Operand};

/// How much of its source a lane reads.
enum Read {
    /// All of it.
    All,
    /// None where the predicate is true.
    Unless(Slot),
    /// As many bytes as the slot says; zeros stand for the rest.
    Bytes(Slot),
}

/// A copy's source, and the slots side by side that it goes through.
struct Source {
    a: Slot,
    offset: i64,
    bytes: u32,
    words: Vec<Slot>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn copy(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().collect();
        if instruction.has("tensor") {
            return self.tensor(instruction);
        }
        if instruction.has("bulk") {
            return self.bulk(instruction);
        }
        match (words.as_slice(), instruction.operands.as_slice()) {
            (["async", "commit_group"], []) => return self.exchange(Exchange::Group, None),
            (["async", "wait_all"], []) => {
                self.exchange(Exchange::Group, None)?;
                return self.exchange(Exchange::Groups { left: 0 }, None);
            }
            (["async", "wait_group"], [Operand::Int(left)]) => {
                let left = u8::try_from(*left).unwrap_or(u8::MAX);
                return self.exchange(Exchange::Groups { left }, None);
            }
            (["async", "mbarrier", "arrive", ..], _) => return self.copied(instruction),
            (["async", "ca" | "cg", "shared" | "shared::cta", "global", hints @ ..], _)
                if hints.iter().all(|word| word.starts_with("L2::")) => {}
            _ => return unsupported(instruction),
        }
        let [Operand::Address(to), Operand::Address(from), Operand::Int(size), read @ ..] =
            without_policy(instruction)
        else {
            return unsupported(instruction);
        };
        let known = if instruction.has("cg") { &[16][..] } else { &[4, 8, 16] };
        if !known.contains(size) {
            return Err(format!("`{}` does not copy {size} bytes", instruction.word));
        }
        let read = match read {
            [] => Read::All,
            [Operand::Int(bytes)] if bytes == size => Read::All,
            [operand] => self.read(operand)?,
            _ => return unsupported(instruction),
        };
        self.copy_from(from, to, *size as u32, &read)
    }

    fn read(&mut self, operand: &Operand<'a>) -> Compiled<Read> {
        let predicate = match operand {
            Operand::Not(_) => true,
            Operand::Name(name) => {
                matches!(self.names.find(name)?, Some(Register { ty, .. }) if ty.kind == Kind::Pred)
            }
            _ => false,
        };
        Ok(if predicate {
            Read::Unless(self.pred_value(operand)?)
        } else {
            Read::Bytes(self.value32(operand)?)
        })
    }

    fn copy_from(
        &mut self,
        from: &Address<'a>,
        to: &Address<'a>,
        bytes: u32,
        read: &Read,
    ) -> Compiled {
        let (a, offset) = self.place(from, Window::Global)?;
        let (target, target_offset) = self.place(to, Window::Shared)?;
        let words = (0..bytes / 4).map(|_| self.names.new32()).collect::<Compiled<Vec<Slot>>>()?;
        let (first, count) = (words[0], words.len() as u8);
        let source = Source { a, offset, bytes, words };
        if !matches!(read, Read::All) {
            let zero = self.constant32(0)?;
            for &d in &source.words {
                self.push(Op::Move32 { d, a: zero });
            }
        }
        let guard = self.guard;
        match *read {
            Read::All => self.whole(&source, guard, false)?,
            Read::Unless(p) => {
                let reads = self.both(guard, p, false)?;
                self.whole(&source, reads, false)?;
            }
            Read::Bytes(n) => self.some(&source, n, guard)?,
        }
        // The hardware counts it neither as a store nor with the stores' passes.
        let site = self.copy_site(SiteKind::Store, target_offset, true)?;
        let (window, cell) = (Window::Shared, Cell::B32);
        self.push_if(
            guard,
            Op::Store(Transfer { window, cell, count, a: target, slot: first, site }),
        );
        Ok(())
    }

    /// Reads the whole source.
    fn whole(&mut self, source: &Source, guard: Guard, silent: bool) -> Compiled {
        let site = self.copy_site(SiteKind::Load, source.offset, silent)?;
        let (window, cell, count) = (Window::Global, Cell::B32, source.words.len() as u8);
        let (d, a) = (source.words[0], source.a);
        self.push_if(guard, Op::Load(Transfer { window, cell, count, a, slot: d, site }));
        Ok(())
    }

    /// Reads the first `n` bytes of the source, which none after them need follow.
    fn some(&mut self, source: &Source, n: Slot, guard: Guard) -> Compiled {
        let (window, cell, a) = (Window::Global, Cell::U8, source.a);
        let (size, byte) = (self.constant32(source.bytes)?, self.names.new32()?);
        // All lie in one sector: who reads any byte counts by the first.
        let zero = self.constant32(0)?;
        let any = self.compared(Compare::NotEqual, n, zero)?;
        let any = self.both(guard, any, true)?;
        let site = self.site(SiteKind::Load, source.offset)?;
        self.push_if(any, Op::Load(Transfer { window, cell, count: 1, a, slot: byte, site }));
        let all = self.compared(Compare::LessEqualU, size, n)?;
        let whole = self.both(guard, all, true)?;
        self.whole(source, whole, true)?;
        let part = self.both(guard, all, false)?;
        for index in 0..source.bytes - 1 {
            let at = self.constant32(index)?;
            let inside = self.compared(Compare::LessU, at, n)?;
            let inside = self.both(part, inside, true)?;
            let site = self.copy_site(SiteKind::Load, source.offset + i64::from(index), true)?;
            self.push_if(
                inside,
                Op::Load(Transfer { window, cell, count: 1, a, slot: byte, site }),
            );
            let by = self.constant32(index % 4 * 8)?;
            self.push_if(inside, Op::Binary32 { f: Int2::ShiftLeft, d: byte, a: byte, b: by });
            let d = source.words[index as usize / 4];
            self.push_if(inside, Op::Binary32 { f: Int2::Or, d, a: d, b: byte });
        }
        Ok(())
    }

    pub(crate) fn compared(&mut self, f: Compare, a: Slot, b: Slot) -> Compiled<Slot> {
        let d = self.names.new_pred()?;
        self.push_always(Op::Compare32 { f, d, a, b });
        Ok(d)
    }

    /// Where a guard holds and a predicate is `when`.
    pub(crate) fn both(&mut self, guard: Guard, p: Slot, when: bool) -> Compiled<Guard> {
        let (f, a, b) = match (guard, when) {
            (Guard::Always, true) => return Ok(Guard::If(p)),
            (Guard::Always, false) => return Ok(Guard::Unless(p)),
            (Guard::If(q), true) => (Logic::And, p, q),
            (Guard::If(q), false) => (Logic::AndNot, q, p),
            (Guard::Unless(q), true) => (Logic::AndNot, p, q),
            (Guard::Unless(q), false) => (Logic::Or, p, q),
        };
        let d = self.names.new_pred()?;
        self.push_always(Op::Logic { f, d, a, b });
        Ok(if f == Logic::Or { Guard::Unless(d) } else { Guard::If(d) })
    }

    /// A site that no counter sees if it is `silent`.
    fn copy_site(&mut self, kind: SiteKind, offset: i64, silent: bool) -> Compiled<u16> {
        let site = self.site(kind, offset)?;
        self.sites[usize::from(site)].silent = silent;
        Ok(site)
    }
}
