//! Which instruction is compiled where.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::Refusal;
use crate::compile::{barrier, cluster};
use crate::program::kernel::SiteKind;
use crate::program::op::{Guard, Op};

use crate::ptx;

impl<'a> Compiler<'a> {
    /// Lowers an instruction that is not a branch.
    pub(crate) fn instruction(
        &mut self,
        instruction: &ptx::Instruction<'a>,
    ) -> Result<(), Refusal> {
        let guard = match instruction.guard {
            None => Guard::Always,
            Some(ptx::Guard { register, negated }) => {
                let slot = self.names.pred(register)?;
                if negated { Guard::Unless(slot) } else { Guard::If(slot) }
            }
        };
        cluster::refuse(instruction)?;
        match instruction.opcode {
            "ld" | "st" if instruction.has("b128") => self.transfer_quad(instruction, guard),
            "mov" if instruction.has("b128") => self.move_quad(instruction, guard),
            "cp" => self.copy(instruction, guard),
            "ld" | "ldu" => {
                self.load(instruction, guard)?;
                self.settle_loaded(instruction, guard)
            }
            "st" => self.store(instruction, guard),
            "atom" | "red" => self.atomic(instruction, guard),
            "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
                self.collective(instruction, guard)
            }
            "bar" | "barrier" if instruction.has("warp") => self.collective(instruction, guard),
            "bar" | "barrier" => self.barrier(instruction, guard),
            // Blocks run on one host thread each, and accesses to global memory
            // are carried out in program order: there is nothing to wait for.
            "membar" | "fence" => barrier::fence(instruction),
            // Hints to caches and to the scheduler.
            "prefetch" | "prefetchu" | "applypriority" | "nanosleep" | "discard" | "pmevent"
            | "griddepcontrol" | "setmaxnreg" => self.hint(instruction),
            "trap" => {
                let site = self.site(SiteKind::Trap, 0)?;
                self.push(guard, Op::Trap { site });
                Ok(())
            }
            "add" if self.fold_into_product(instruction, guard)? => Ok(()),
            "mov" => self.mov(instruction, guard),
            "cvta" => self.cvta(instruction, guard),
            "isspacep" => self.isspacep(instruction, guard),
            _ => self.arithmetic(instruction, guard),
        }
    }
}
