//! Addresses: of variables, between windows and generic, and what they point to.

use crate::compile::compiler::Compiler;
use crate::compile::names::{Register, Symbol};
use crate::compile::refuse::{Compiled, last_type, operands, unsupported};
use crate::compile::types::Kind;
use crate::program::{
    CLUSTER_WINDOW_BYTES, CONST_WINDOW, Compare, FillValue, Int2, LOCAL_WINDOW, Logic, Op, PARAMS,
    SHARED_WINDOW, SHARED_WINDOW_BYTES, Slot, WINDOW_BYTES, Window,
};
use crate::ptx::{Address, Instruction};

/// Generic address of a space's start, and how many bytes it has.
fn space(instruction: &Instruction) -> Option<(u64, u64)> {
    instruction.modifiers().find_map(|word| {
        Some(match word {
            "global" => (0, 0),
            "shared" | "shared::cta" => (SHARED_WINDOW, SHARED_WINDOW_BYTES),
            "shared::cluster" => (SHARED_WINDOW, CLUSTER_WINDOW_BYTES),
            "local" => (LOCAL_WINDOW, WINDOW_BYTES),
            "const" => (CONST_WINDOW, PARAMS),
            // A parameter's address is already one in the constant bank.
            "param" | "param::entry" => (CONST_WINDOW, WINDOW_BYTES),
            _ => return None,
        })
    })
}

impl<'a> Compiler<'a> {
    /// The address of a variable, parameter or function, as 64 bits.
    pub(crate) fn symbol(&mut self, name: &str, offset: i64, generic: bool) -> Compiled<Slot> {
        let window = |start: u64| if generic { start } else { 0 };
        let address = match self.names.symbol(name) {
            Some(Symbol::Shared { offset: at }) => {
                let at = (window(SHARED_WINDOW) + at).wrapping_add_signed(offset);
                return self.own_shared(at);
            }
            Some(Symbol::Constant { offset }) => window(CONST_WINDOW) + offset,
            Some(Symbol::Param { offset, .. }) => window(CONST_WINDOW) + PARAMS + offset,
            Some(Symbol::Global { address } | Symbol::Function { address }) => address,
            Some(Symbol::Frame { offset: at, .. }) => {
                let at = (window(LOCAL_WINDOW) + at).wrapping_add_signed(offset);
                let b = self.constant64(at)?;
                if self.owner == 0 {
                    return Ok(b);
                }
                let (a, d) = (self.stack()?, self.names.new64()?);
                self.push_always(Op::Binary64 { f: Int2::Add, d, a, b });
                return Ok(d);
            }
            Some(Symbol::Missing) => {
                return Err(format!("`{name}` is declared `.extern`, and defined nowhere"));
            }
            None => return Err(format!("`{name}` is neither a register nor a variable")),
        };
        self.constant64(address.wrapping_add_signed(offset))
    }

    /// The slot of an address without its offset, and the offset.
    pub(crate) fn place(&mut self, address: &Address<'a>, window: Window) -> Compiled<(Slot, i64)> {
        let Some(name) = address.base else { return Ok((self.constant64(0)?, address.offset)) };
        let slot = match self.names.find(name)? {
            Some(Register { ty, slot }) if ty.wide() => slot,
            Some(Register { ty, slot }) if ty.bits == 32 && ty.kind != Kind::Pred => {
                // Addresses in small windows may have 32 bits.
                let d = self.names.new64()?;
                self.push(Op::Widen { signed: false, d, a: slot });
                d
            }
            Some(_) => return Err(format!("`{name}` cannot hold an address")),
            None => {
                if let (Some(Symbol::Frame { offset, .. }), Window::Local | Window::Param) =
                    (self.names.symbol(name), window)
                {
                    return Ok((self.frame()?, address.offset.wrapping_add_unsigned(offset)));
                }
                self.symbol(name, 0, window == Window::Generic)?
            }
        };
        Ok((slot, address.offset))
    }

    /// `cvta.space` makes a generic address, `cvta.to.space` takes one.
    pub(crate) fn cvta(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a] = operands(instruction)?;
        let ty = last_type(instruction)?;
        let Some((start, _)) = space(instruction).filter(|_| ty.wide()) else {
            return unsupported(instruction);
        };
        let a = self.value64(a)?;
        if start == 0 && self.alias(d, a, true) {
            return Ok(());
        }
        let d = self.destination(ty, d)?;
        // Global addresses are generic addresses as they are. In a function,
        // parameters lie in its frame.
        let in_frame = instruction.has("param") && self.owner != 0;
        let start = if in_frame { LOCAL_WINDOW } else { start };
        if start == 0 {
            self.push(Op::Move64 { d, a });
        } else {
            let b = self.constant64(start)?;
            let f = if instruction.has("to") { Int2::Sub } else { Int2::Add };
            self.push(Op::Binary64 { f, d, a, b });
        }
        Ok(())
    }

    /// `isspacep.space p, a`: whether a generic address lies in the space.
    pub(crate) fn isspacep(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a] = operands(instruction)?;
        let Some((start, bytes)) = space(instruction) else { return unsupported(instruction) };
        let d = self.pred_destination(d)?;
        let a = self.value64(a)?;
        if instruction.has("global") {
            // What lies in no window.
            let mut outside = self.all_lanes()?;
            for (start, bytes) in [
                (SHARED_WINDOW, CLUSTER_WINDOW_BYTES),
                (LOCAL_WINDOW, WINDOW_BYTES),
                (CONST_WINDOW, WINDOW_BYTES),
            ] {
                let (inside, both) = (self.names.new_pred()?, self.names.new_pred()?);
                let start = self.constant64(start)?;
                self.inside(inside, a, start, bytes)?;
                let f = Logic::AndNot;
                self.push_always(Op::Logic { f, d: both, a: outside, b: inside });
                outside = both;
            }
            self.push(Op::MovePred { d, a: outside });
            return Ok(());
        }
        let (start, bytes) = match instruction.modifiers().next() {
            Some("param" | "param::entry") => (start + PARAMS, bytes - PARAMS),
            _ => (start, bytes),
        };
        let inside = self.names.new_pred()?;
        let start = match bytes {
            SHARED_WINDOW_BYTES => self.own_shared(start)?,
            _ => self.constant64(start)?,
        };
        self.inside(inside, a, start, bytes)?;
        self.push(Op::MovePred { d, a: inside });
        Ok(())
    }

    /// A slot with an address in the running block's shared memory.
    fn own_shared(&mut self, address: u64) -> Compiled<Slot> {
        if self.cluster.reaches {
            return self.fill(FillValue::Shared(address), true);
        }
        self.constant64(address)
    }

    /// Predicate `d` = whether `a` is one of the `bytes` addresses from `start` on.
    fn inside(&mut self, d: Slot, a: Slot, start: Slot, bytes: u64) -> Compiled {
        let bytes = self.constant64(bytes)?;
        let offset = self.names.new64()?;
        self.push_always(Op::Binary64 { f: Int2::Sub, d: offset, a, b: start });
        self.push_always(Op::Compare64 { f: Compare::LessU, d, a: offset, b: bytes });
        Ok(())
    }
}
