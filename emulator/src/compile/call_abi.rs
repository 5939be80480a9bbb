//! What a call passes: variables in `.param` space, or registers and
//! literals, which then travel through variables without a name.

use crate::compile::compiler::{Compiler, InRegister};
use crate::compile::names::Symbol;
use crate::compile::refuse::Compiled;
use crate::compile::types::{Kind, Type};
use crate::program::{Op, SiteKind, Slot, Transfer, Window};
use crate::ptx::{Function, Operand, Param};

/// Frames, and every variable that is passed, start at multiples of this.
pub(crate) const FRAME_ALIGN: u64 = 16;

/// Why a value cannot be passed to a function.
const NOT_PASSED: &str = "values of this type cannot be passed to a function";

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
        self.gives.clone().into_iter().try_for_each(|place| self.put(place))
    }

    /// Places of arguments; `params` are those of the function, if it is known.
    pub(crate) fn arguments(
        &mut self,
        operands: &[Operand<'a>],
        params: Option<&[Param<'a>]>,
    ) -> Compiled<FramePlaces> {
        let mut places = Vec::with_capacity(operands.len());
        for (index, operand) in operands.iter().enumerate() {
            if let Some(place) = self.variable_place(operand) {
                places.push(place);
                continue;
            }
            let declared = params.and_then(|params| params.get(index));
            let ty = self.passed_type(operand, declared)?;
            let slot = self.value(ty, operand)?;
            let place = self.unnamed(ty, slot)?;
            self.put(place)?;
            places.push((place.offset, u64::from(ty.bytes())));
        }
        Ok(places)
    }

    /// Places of results, and those of them that go on to registers.
    pub(crate) fn results(
        &mut self,
        operands: &[Operand<'a>],
        params: Option<&[Param<'a>]>,
    ) -> Compiled<(FramePlaces, Vec<InRegister>)> {
        let (mut places, mut registers) = (Vec::new(), Vec::new());
        for (index, operand) in operands.iter().enumerate() {
            if let Some(place) = self.variable_place(operand) {
                places.push(place);
                continue;
            }
            let declared = params.and_then(|params| params.get(index));
            let ty = self.passed_type(operand, declared)?;
            let slot = self.destination(ty, operand)?;
            let place = self.unnamed(ty, slot)?;
            places.push((place.offset, u64::from(ty.bytes())));
            registers.push(place);
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

    fn unnamed(&mut self, ty: Type, slot: Slot) -> Compiled<InRegister> {
        let offset = self.names.reserve("an argument", u64::from(ty.bytes()), FRAME_ALIGN)?;
        Ok(InRegister { ty, slot, offset })
    }

    /// Brings parameters or results into their registers.
    pub(crate) fn fetch(&mut self, places: Vec<InRegister>) -> Compiled {
        for InRegister { ty, slot, offset } in places {
            let (a, site) = self.frame_place(offset, SiteKind::Load)?;
            let Some(cell) = ty.cell() else { return Err(NOT_PASSED.to_owned()) };
            let window = Window::Param;
            self.push(Op::Load(Transfer { window, cell, count: 1, a, slot, site }));
            self.settle(ty, slot);
        }
        Ok(())
    }

    fn put(&mut self, InRegister { ty, slot, offset }: InRegister) -> Compiled {
        let (a, site) = self.frame_place(offset, SiteKind::Store)?;
        let Some(cell) = ty.cell() else { return Err(NOT_PASSED.to_owned()) };
        let window = Window::Param;
        self.push(Op::Store(Transfer { window, cell, count: 1, a, slot, site }));
        Ok(())
    }

    /// The slot of the frame's start, and a site that adds the offset.
    fn frame_place(&mut self, offset: u64, kind: SiteKind) -> Compiled<(Slot, u16)> {
        let a = if self.owner == 0 { self.constant64(0)? } else { self.stack()? };
        Ok((a, self.site(kind, offset.cast_signed())?))
    }
}

/// The type of a parameter that fits a register.
fn scalar(param: &Param) -> Compiled<Type> {
    Type::parse(param.ty)
        .filter(|ty| param.count == 1 && ty.kind != Kind::Pred)
        .ok_or_else(|| format!("parameter `{}` does not fit a register", param.name))
}
