//! What a register holds after a load of fewer bits than it has.

use crate::compile::compiler::Compiler;
use crate::compile::memory::parts;
use crate::compile::refuse::{Compiled, last_type};
use crate::program::{Narrow, Op};
use crate::ptx::Instruction;

impl<'a> Compiler<'a> {
    /// Signed loads extend to the whole slot. Where the register has 16 bits,
    /// only those may stay: slots hold narrow registers zero-extended.
    pub(crate) fn settle_loaded(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ty = last_type(instruction)?;
        if !ty.signed() || ty.narrow().is_none() {
            return Ok(());
        }
        for destination in instruction.operands.first().map(parts).unwrap_or_default() {
            if let Some(register) = self.register_of(destination)?
                && register.ty.bits <= 16
                && register.ty.bits > 1
            {
                let f = if register.ty.bits == 8 { Narrow::U8 } else { Narrow::U16 };
                self.push(Op::Narrow { f, d: register.slot, a: register.slot });
            }
        }
        Ok(())
    }
}
