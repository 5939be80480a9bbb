//! What a call passes: registers and literals through slots that all functions share, variables in
//! `.param` space from frame to frame.

use crate::compile::compiler::{Compiler, Fetched};
use crate::compile::names::{Register, Symbol};
use crate::compile::refuse::Compiled;
use crate::compile::types::{Kind, Type};
use crate::program::{FRAME_ALIGN, Op, SiteKind, Slot, Transfer, Window};
use crate::ptx::{Function, Operand, Param};

/// Arguments or results of a call.
#[derive(Default)]
pub(crate) struct Passed {
    /// Bytes of each.
    pub(crate) sizes: Vec<u64>,
    /// Those in frames: offset in the caller's, and bytes.
    pub(crate) frames: Vec<(u64, u64)>,
    /// What brings results to where the caller has them, behind the call.
    pub(crate) fetched: Vec<Fetched>,
}

impl<'a> Compiler<'a> {
    /// Gives every parameter and result in a register a slot to travel through. It belongs to its
    /// number and width, so that whoever calls a function by its address knows it too; and to no
    /// function, whose registers a call may save.
    pub(crate) fn share(&mut self, functions: &[&Function<'a>]) -> Compiled {
        for function in functions {
            self.position = function.position;
            for (params, result) in [(&function.params, false), (&function.returns, true)] {
                for (index, param) in params.iter().enumerate().filter(|(_, it)| it.register) {
                    let wide = scalar(param)?.wide();
                    if !self.shared.contains_key(&(result, index, wide)) {
                        let slot = self.names.fresh(wide)?;
                        self.shared.insert((result, index, wide), slot);
                    }
                }
            }
        }
        Ok(())
    }

    fn shared(&self, result: bool, index: usize, ty: Type) -> Compiled<Slot> {
        let found = self.shared.get(&(result, index, ty.wide()));
        found.copied().ok_or_else(|| "no function takes what this call passes".to_owned())
    }

    /// Makes the parameters of a device function known. Those in frames start its own. Registers
    /// of a function that calls no other are where they travel.
    pub(crate) fn parameters(&mut self, function: &Function<'a>) -> Compiled {
        let calls = function.instructions().any(|instruction| instruction.opcode == "call");
        for (params, result) in [(&function.params, false), (&function.returns, true)] {
            for (index, param) in params.iter().enumerate() {
                let (bytes, _) = Self::parameter_extent(param)?;
                if !param.register {
                    self.names.in_frame(param.name, bytes, FRAME_ALIGN)?;
                    continue;
                }
                let ty = scalar(param)?;
                let shared = self.shared(result, index, ty)?;
                if !calls {
                    self.names.declare_at(param.name, Register { ty, slot: shared });
                    continue;
                }
                let own = self.names.declare_one(param.name, ty)?.slot;
                if result {
                    self.gives.push(Op::mov(ty.wide(), [shared, own]));
                } else {
                    self.takes.push(Op::mov(ty.wide(), [own, shared]));
                }
            }
        }
        Ok(())
    }

    /// Brings parameters into their registers, where a function starts.
    pub(crate) fn take(&mut self) {
        for op in std::mem::take(&mut self.takes) {
            self.push(op);
        }
    }

    /// Brings results from their registers to where the caller finds them.
    pub(crate) fn give(&mut self) {
        for op in self.gives.clone() {
            self.push(op);
        }
    }

    /// What a call passes. `params` are those of the function, if it is known. Arguments are
    /// brought to where it finds them; `results` are not there yet.
    pub(crate) fn passed(
        &mut self,
        operands: &[Operand<'a>],
        params: Option<&[Param<'a>]>,
        results: bool,
    ) -> Compiled<Passed> {
        let mut passed = Passed::default();
        for (index, operand) in operands.iter().enumerate() {
            let declared = params.and_then(|params| params.get(index));
            let own = self.variable_place(operand);
            if !declared.map_or(own.is_none(), |param| param.register) {
                let (place, fetched) = self.framed(operand, declared, results)?;
                passed.sizes.push(place.1);
                passed.frames.push(place);
                passed.fetched.extend(fetched);
                continue;
            }
            let ty = self.passed_type(operand, declared)?;
            let shared = self.shared(results, index, ty)?;
            passed.sizes.push(u64::from(ty.bytes()));
            match (own, results) {
                (Some((offset, _)), false) => {
                    let op = self.in_frame(ty, shared, offset, SiteKind::Load)?;
                    self.push(op);
                }
                (Some((offset, _)), true) => {
                    let op = self.in_frame(ty, shared, offset, SiteKind::Store)?;
                    passed.fetched.push(Fetched { op, settled: None });
                }
                (None, false) => {
                    let value = self.value(ty, operand)?;
                    self.push(Op::mov(ty.wide(), [shared, value]));
                    self.settle(ty, shared);
                }
                (None, true) => {
                    let d = self.destination(ty, operand)?;
                    let op = Op::mov(ty.wide(), [d, shared]);
                    passed.fetched.push(Fetched { op, settled: Some((ty, d)) });
                }
            }
        }
        Ok(passed)
    }

    /// The place in the caller's frame of what is passed there, and of a result in a register what
    /// brings it there. Arguments in registers and literals are stored to a variable without a
    /// name.
    pub(crate) fn framed(
        &mut self,
        operand: &Operand<'a>,
        declared: Option<&Param>,
        result: bool,
    ) -> Compiled<((u64, u64), Option<Fetched>)> {
        if let Some(place) = self.variable_place(operand) {
            return Ok((place, None));
        }
        let ty = self.passed_type(operand, declared)?;
        let bytes = u64::from(ty.bytes());
        let offset = self.names.reserve("an argument", bytes, FRAME_ALIGN)?;
        let mut fetched = None;
        if result {
            let d = self.destination(ty, operand)?;
            let op = self.in_frame(ty, d, offset, SiteKind::Load)?;
            fetched = Some(Fetched { op, settled: Some((ty, d)) });
        } else {
            let value = self.value(ty, operand)?;
            let op = self.in_frame(ty, value, offset, SiteKind::Store)?;
            self.push(op);
        }
        Ok(((offset, bytes), fetched))
    }

    /// The place of a variable in the caller's frame.
    fn variable_place(&mut self, operand: &Operand<'a>) -> Option<(u64, u64)> {
        let Operand::Name(name) = operand else { return None };
        match self.names.symbol(name) {
            Some(Symbol::Frame { offset, bytes }) => Some((offset, bytes)),
            _ => None,
        }
    }

    /// The type of what is passed in a register.
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

    /// Brings results to where the caller has them.
    pub(crate) fn fetch(&mut self, results: Vec<Fetched>) {
        for Fetched { op, settled } in results {
            self.push(op);
            if let Some((ty, d)) = settled {
                self.settle(ty, d);
            }
        }
    }

    /// Loads a slot from a place in the frame or stores it there.
    fn in_frame(&mut self, ty: Type, slot: Slot, offset: u64, kind: SiteKind) -> Compiled<Op> {
        let (a, site) = (self.frame()?, self.site(kind, offset.cast_signed())?);
        let Some(cell) = ty.cell() else {
            return Err("values of this type cannot be passed to a function".to_owned());
        };
        let transfer = Transfer { window: Window::Param, cell, count: 1, a, slot, site };
        Ok(if kind == SiteKind::Load { Op::Load(transfer) } else { Op::Store(transfer) })
    }
}

/// The type of a parameter that fits a register.
fn scalar(param: &Param) -> Compiled<Type> {
    Type::parse(param.ty)
        .filter(|ty| param.count == 1 && ty.kind != Kind::Pred)
        .ok_or_else(|| format!("parameter `{}` does not fit a register", param.name))
}
