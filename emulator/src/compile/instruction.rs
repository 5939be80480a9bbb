//! Which instruction is compiled where.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::Compiled;
use crate::program::{Op, SiteKind};

use crate::ptx;

impl<'a> Compiler<'a> {
    /// Compiles an instruction that is not a branch.
    pub(crate) fn instruction(&mut self, instruction: &ptx::Instruction<'a>) -> Compiled {
        let expanded = self.expand(instruction);
        let instruction = expanded.as_ref().unwrap_or(instruction);
        self.guard = self.guard(instruction)?;
        match instruction.opcode {
            "ld" | "st" if instruction.has("b128") => self.transfer_b128(instruction),
            "mov" if instruction.has("b128") => self.move_b128(instruction),
            "cp" => self.copy(instruction),
            "mapa" => self.mapa(instruction),
            "getctarank" => self.rank_of(instruction),
            "st" | "red" if instruction.has("async") => self.asynchronous(instruction),
            "ld" | "ldu" => {
                self.load(instruction)?;
                self.settle_loaded(instruction)
            }
            "st" => self.store(instruction),
            "atom" | "red" => self.atomic(instruction),
            "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
                self.collective(instruction)
            }
            "bar" | "barrier" if instruction.has("warp") => self.collective(instruction),
            "bar" | "barrier" => self.barrier(instruction),
            "mbarrier" => self.mbarrier(instruction),
            "mma" => self.mma(instruction),
            "wmma" => self.wmma(instruction),
            "wgmma" => self.wgmma(instruction),
            "movmatrix" => self.movmatrix(instruction),
            "ldmatrix" => self.ldmatrix(instruction),
            "stmatrix" => self.stmatrix(instruction),
            "membar" | "fence" => self.fence(instruction),
            // Hints to caches and to the scheduler.
            "prefetch" | "prefetchu" | "applypriority" | "nanosleep" | "discard" | "pmevent"
            | "griddepcontrol" | "setmaxnreg" => self.hint(instruction),
            // Without a debugger, a break point ends the kernel.
            "trap" | "brkpt" => {
                let site = self.site(SiteKind::Trap, 0)?;
                self.push(Op::Trap { site });
                Ok(())
            }
            "add" if self.fold_into_product(instruction)? => Ok(()),
            "mov" => self.mov(instruction),
            "cvta" => self.cvta(instruction),
            "isspacep" => self.isspacep(instruction),
            _ => self.arithmetic(instruction),
        }
    }
}
