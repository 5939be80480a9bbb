//! Copies of boxes of tensors: `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`.

use crate::compile::bulk::MBARRIER;
use crate::compile::compiler::Compiler;
use crate::compile::memory::without_policy;
use crate::compile::refuse::{Compiled, unsupported};
use crate::program::{Change, Op, SiteKind, Slot, Tensor, Window};
use crate::ptx::{Address, Instruction, Operand};

/// The function of a reduction.
fn change(word: &str) -> Option<Change> {
    Some(match word {
        "add" => Change::Add,
        "min" => Change::Min,
        "max" => Change::Max,
        "inc" => Change::Increment,
        "dec" => Change::Decrement,
        "and" => Change::And,
        "or" => Change::Or,
        "xor" => Change::Xor,
        _ => return None,
    })
}

/// `[map, {x, y, ...}]`.
fn place<'o, 'a>(operand: &'o Operand<'a>) -> Option<(&'o Address<'a>, &'o [Operand<'a>])> {
    let Operand::List(parts) = operand else { return None };
    let [Operand::Address(map), at] = parts.as_slice() else { return None };
    Some((map, crate::compile::memory::parts(at)))
}

impl<'a> Compiler<'a> {
    /// Everything that has `.tensor`. The copy is carried out at once, as the ISA allows.
    pub(crate) fn tensor(&mut self, instruction: &Instruction<'a>) -> Compiled {
        // Boxes of tiles are the default.
        let ignored = ["reduce", "tile", "L2::cache_hint", "multicast::cluster"];
        let words: Vec<&str> =
            instruction.modifiers().filter(|word| !ignored.contains(word)).collect();
        let (reduces, many) = (instruction.has("reduce"), instruction.has("multicast::cluster"));
        let given = without_policy(instruction);
        let (loads, change) = match words.as_slice() {
            ["async", "bulk", "prefetch", "tensor", rank, "L2", "global"] => {
                let [tensor] = given else { return unsupported(instruction) };
                return self.map(instruction, tensor, rank).map(|_| ());
            }
            [
                "async",
                "bulk",
                "tensor",
                _,
                "shared::cluster" | "shared::cta",
                "global",
                MBARRIER,
            ] if !reduces => (true, None),
            ["async", "bulk", "tensor", _, "global", "shared::cta", "bulk_group"]
                if !reduces && !many =>
            {
                (false, None)
            }
            ["async", "bulk", "tensor", _, "global", "shared::cta", op, "bulk_group"]
                if reduces && !many =>
            {
                let Some(change) = change(op) else { return unsupported(instruction) };
                (false, Some(change))
            }
            _ => return unsupported(instruction),
        };
        let (tensor, shared, barrier, blocks) = match (given, loads) {
            ([Operand::Address(to), tensor, Operand::Address(barrier)], true) if !many => {
                (tensor, to, Some(barrier), None)
            }
            ([Operand::Address(to), tensor, Operand::Address(barrier), mask], true) if many => {
                (tensor, to, Some(barrier), Some(mask))
            }
            ([tensor, Operand::Address(from)], false) => (tensor, from, None, None),
            _ => return unsupported(instruction),
        };
        let (map, offset, at) = self.map(instruction, tensor, words[3])?;
        let blocks = blocks.map(|mask| self.value32(mask)).transpose()?;
        let (of_shared, of_tensor) = match (loads, change) {
            (true, _) => (SiteKind::Store, SiteKind::Load),
            (false, None) => (SiteKind::Load, SiteKind::Store),
            (false, Some(_)) => (SiteKind::Load, SiteKind::Atomic),
        };
        let shared = self.end(shared, Window::Shared, of_shared)?;
        let barrier = barrier
            .map(|barrier| self.end(barrier, Window::Shared, SiteKind::Atomic))
            .transpose()?;
        let site = self.site(of_tensor, 0)?;
        let index = u16::try_from(self.tensors.len())
            .map_err(|_| "the kernel has more than 65536 copies of boxes".to_owned())?;
        self.tensors.push(Tensor { loads, map, offset, at, shared, site, barrier, blocks, change });
        self.push(Op::Tensor { index });
        Ok(())
    }

    /// The slot and offset of a map's address, and the slots of the coordinates.
    fn map(
        &mut self,
        instruction: &Instruction<'a>,
        tensor: &Operand<'a>,
        rank: &str,
    ) -> Compiled<(Slot, i64, Vec<Slot>)> {
        let Some((map, at)) = place(tensor) else { return unsupported(instruction) };
        let known = ["1d", "2d", "3d", "4d", "5d"].iter().position(|known| *known == rank);
        if known.is_none_or(|known| known + 1 != at.len()) {
            return Err(format!(
                "`{}` takes {rank} coordinates, not {}",
                instruction.word,
                at.len()
            ));
        }
        let (slot, offset) = self.place(map, Window::Generic)?;
        let at = at.iter().map(|at| self.value32(at)).collect::<Compiled<Vec<Slot>>>()?;
        Ok((slot, offset, at))
    }
}
