//! What a call passes: variables in `.param` space, or registers and
//! literals, which then travel through variables without a name.

use crate::compile::compiler::{Compiler, InRegister};
use crate::compile::names::Symbol;
use crate::compile::refuse::Compiled;
use crate::compile::types::{Kind, Type};
use crate::program::{FRAME_ALIGN, Op, SiteKind, Transfer, Window};
use crate::ptx::{Function, Operand, Param};

/// Places of the variables that a call passes: offset and bytes.
pub(crate) type FramePlaces = Vec<(u64, u64)>;

impl<'a> Compiler<'a> {
    /// Makes the parameters of a device function known: they start its frame.
    pub(crate) fn parameters(&mut self, function: &Function<'a>) -> Compiled {
        let results = function.returns.iter().map(|param| (param, true));
        for (param, result) in function.params.iter().map(|param| (param, false)).chain(results) {
            let (bytes, _) = Self::parameter_extent(param)?;
            if !param.register {
                self.names.in_frame(param.name, bytes, FRAME_ALIGN)?;
                continue;
            }
            let offset = self.names.reserve(param.name, bytes, FRAME_ALIGN)?;
            let register = self.names.declare_one(param.name, scalar(param)?)?;
            let place = InRegister { ty: register.ty, slot: register.slot, offset };
            (if result { &mut self.gives } else { &mut self.takes }).push(place);
        }
        Ok(())
    }

    /// Brings parameters into their registers, where a function starts.
    pub(crate) fn take(&mut self) -> Compiled {
        let takes = std::mem::take(&mut self.takes);
        self.fetch(takes)
    }

    /// Brings results from their registers to where the caller finds them.
    pub(crate) fn give(&mut self) -> Compiled {
        self.gives.clone().into_iter().try_for_each(|place| self.pass(place, SiteKind::Store))
    }

    /// Places of what a call passes, and those of them that are in registers. `params` are
    /// those of the function, if it is known. Arguments are read, `results` are not.
    pub(crate) fn passed(
        &mut self,
        operands: &[Operand<'a>],
        params: Option<&[Param<'a>]>,
        results: bool,
    ) -> Compiled<(FramePlaces, Vec<InRegister>)> {
        let (mut places, mut registers) = (Vec::new(), Vec::new());
        for (index, operand) in operands.iter().enumerate() {
            if let Some(place) = self.variable_place(operand) {
                places.push(place);
                continue;
            }
            let declared = params.and_then(|params| params.get(index));
            let ty = self.passed_type(operand, declared)?;
            let slot =
                if results { self.destination(ty, operand)? } else { self.value(ty, operand)? };
            let bytes = u64::from(ty.bytes());
            let offset = self.names.reserve("an argument", bytes, FRAME_ALIGN)?;
            places.push((offset, bytes));
            registers.push(InRegister { ty, slot, offset });
            if !results {
                self.pass(InRegister { ty, slot, offset }, SiteKind::Store)?;
            }
        }
        Ok((places, registers))
    }

    /// The place of a variable in the caller's frame.
    fn variable_place(&mut self, operand: &Operand<'a>) -> Option<(u64, u64)> {
        let Operand::Name(name) = operand else { return None };
        match self.names.symbol(name) {
            Some(Symbol::Frame { offset, bytes }) => Some((offset, bytes)),
            _ => None,
        }
    }

    /// The type that a register or literal is passed as.
    fn passed_type(&mut self, operand: &Operand<'a>, declared: Option<&Param>) -> Compiled<Type> {
        if let Some(param) = declared {
            return scalar(param);
        }
        if let Operand::Name(name) = operand
            && let Some(register) = self.names.find(name)?
            && register.ty.kind != Kind::Pred
        {
            return Ok(register.ty);
        }
        Err("a call through a register can only be given registers and variables in `.param` \
             space"
            .to_owned())
    }

    /// Brings parameters or results into their registers.
    pub(crate) fn fetch(&mut self, places: Vec<InRegister>) -> Compiled {
        for place in places {
            self.pass(place, SiteKind::Load)?;
            self.settle(place.ty, place.slot);
        }
        Ok(())
    }

    /// Loads a register from its place in the frame or stores it there.
    fn pass(&mut self, InRegister { ty, slot, offset }: InRegister, kind: SiteKind) -> Compiled {
        let (a, site) = (self.frame()?, self.site(kind, offset.cast_signed())?);
        let Some(cell) = ty.cell() else {
            return Err("values of this type cannot be passed to a function".to_owned());
        };
        let transfer = Transfer { window: Window::Param, cell, count: 1, a, slot, site };
        let load = kind == SiteKind::Load;
        self.push(if load { Op::Load(transfer) } else { Op::Store(transfer) });
        Ok(())
    }
}

/// The type of a parameter that fits a register.
fn scalar(param: &Param) -> Compiled<Type> {
    Type::parse(param.ty)
        .filter(|ty| param.count == 1 && ty.kind != Kind::Pred)
        .ok_or_else(|| format!("parameter `{}` does not fit a register", param.name))
}
