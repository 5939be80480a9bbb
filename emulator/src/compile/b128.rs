//! Registers of 128 bits, which lie in two 64-bit slots: moves, loads, stores.

use crate::compile::compiler::Compiler;
use crate::compile::memory::{check_modifiers, without_policy};
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::Type;
use crate::program::{Bits, Cell, Function, Op, SiteKind, Slot, Transfer, Window};
use crate::ptx::{Instruction, Operand};

impl<'a> Compiler<'a> {
    /// The first of the two slots of a register.
    pub(crate) fn b128(&self, operand: &Operand<'a>) -> Compiled<Slot> {
        match operand {
            Operand::Name(name) => {
                self.names.b128(name).ok_or_else(|| format!("`{name}` is no register of 128 bits"))
            }
            _ => Err("expected a register of 128 bits".to_owned()),
        }
    }

    /// `mov.b128`: from a register, from two halves, to two halves.
    pub(crate) fn move_b128(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let (d, a) = match instruction.operands.as_slice() {
            [Operand::Vector(parts), a] if parts.len() == 2 => {
                let a = self.b128(a)?;
                let low = self.destination(Type::B64, &parts[0])?;
                ([low, self.destination(Type::B64, &parts[1])?], [a, a + 1])
            }
            [d, Operand::Vector(parts)] if parts.len() == 2 => {
                let d = self.b128(d)?;
                let low = self.value(Type::B64, &parts[0])?;
                ([d, d + 1], [low, self.value(Type::B64, &parts[1])?])
            }
            [Operand::Vector(parts), a] if parts.len() == 4 => {
                let a = self.b128(a)?;
                for (index, part) in parts.iter().enumerate() {
                    let d = self.destination(Type::B32, part)?;
                    let half = a + (index / 2) as Slot;
                    let f = Bits::Part { width: 32, index: (index % 2) as u8, signed: false };
                    self.push_each(Function::Bits(f), (d, false), &[(half, true)]);
                }
                return Ok(());
            }
            [d, Operand::Vector(parts)] if parts.len() == 4 => {
                let d = self.b128(d)?;
                for (half, parts) in parts.chunks(2).enumerate() {
                    let low = (self.value(Type::B32, &parts[0])?, false);
                    let high = (self.value(Type::B32, &parts[1])?, false);
                    self.push_each(Function::Join(32), (d + half as Slot, true), &[low, high]);
                }
                return Ok(());
            }
            [d, a] => {
                let (d, a) = (self.b128(d)?, self.b128(a)?);
                ([d, d + 1], [a, a + 1])
            }
            _ => return unsupported(instruction),
        };
        for (d, a) in d.into_iter().zip(a) {
            self.push(Op::Move64 { d, a });
        }
        Ok(())
    }

    /// `ld.b128` and `st.b128`.
    pub(crate) fn transfer_b128(&mut self, instruction: &Instruction<'a>) -> Compiled {
        check_modifiers(instruction, &["b128"])?;
        let (address, b128, kind) = match (instruction.opcode, without_policy(instruction)) {
            ("ld", [d, Operand::Address(address)]) => (address, d, SiteKind::Load),
            ("st", [Operand::Address(address), value]) => (address, value, SiteKind::Store),
            _ => return unsupported(instruction),
        };
        let window = self.window(instruction, address.base);
        if !matches!(window, Window::Global | Window::Shared | Window::Generic | Window::Local)
            || ["v2", "v4", "v8"].iter().any(|word| instruction.has(word))
        {
            return unsupported(instruction);
        }
        let slot = self.b128(b128)?;
        let (a, offset) = self.place(address, window)?;
        let site = self.site(kind, offset)?;
        self.polls |= kind == SiteKind::Load
            && ["volatile", "relaxed", "acquire"].iter().any(|word| instruction.has(word));
        let transfer = Transfer { window, cell: Cell::B64, count: 2, a, slot, site };
        let load = kind == SiteKind::Load;
        self.push(if load { Op::Load(transfer) } else { Op::Store(transfer) });
        Ok(())
    }
}
