//! Calls of device functions, and of those that the emulator carries out itself.

use std::collections::HashMap;

use crate::compile::call_abi::Passed;
use crate::compile::cluster::GRID_BARRIER;
use crate::compile::compiler::{Compiler, Fetched};
use crate::compile::layout::{Layout, extent};
use crate::compile::names::Symbol;
use crate::compile::refuse::{Compiled, unsupported};
use crate::program::{Call, Copy, FRAME_ALIGN, Guard, Op, Service, SiteKind, Target};
use crate::ptx::{Function, Instruction, Operand, Param};

/// The parts of a call: results, function, arguments.
type Parts<'i, 'a> = (&'i [Operand<'a>], &'i Operand<'a>, &'i [Operand<'a>]);

fn parts<'i, 'a>(instruction: &'i Instruction<'a>) -> Compiled<Parts<'i, 'a>> {
    let (results, rest) = match instruction.operands.as_slice() {
        [Operand::List(results), rest @ ..] => (results.as_slice(), rest),
        rest => (&[][..], rest),
    };
    match rest {
        [function, Operand::List(arguments), ..] => Ok((results, function, arguments)),
        // The name behind a register is the prototype.
        [function] | [function, Operand::Name(_)] => Ok((results, function, &[])),
        _ => unsupported(instruction),
    }
}

fn other_parameters(callee: &Function) -> String {
    format!("`{}` is called with other parameters than it is declared with", callee.name)
}

/// Places of the passed variables in the callee's frame. Caller and callee agree on them.
fn places(sizes: impl Iterator<Item = u64>) -> Vec<u64> {
    let place = |end: &mut u64, size: u64| {
        let at = *end;
        *end = (at + size).next_multiple_of(FRAME_ALIGN);
        Some(at)
    };
    sizes.scan(0, place).collect()
}

impl<'a> Compiler<'a> {
    /// Size and alignment of a parameter.
    pub(crate) fn parameter_extent(param: &Param) -> Compiled<(u64, u64)> {
        if param.count == 0 {
            return Err(format!("parameter `{}` has no size, which is not supported", param.name));
        }
        extent(param.ty, param.count, param.align)
    }

    /// Compiles a call; gives its index, and the results that have to be brought
    /// into registers behind it.
    pub(crate) fn call(&mut self, instruction: &Instruction<'a>) -> Compiled<(u16, Vec<Fetched>)> {
        let (results, function, arguments) = parts(instruction)?;
        let Operand::Name(name) = function else { return unsupported(instruction) };
        let target = match self.names.symbol(name) {
            Some(Symbol::Function { .. }) => {
                let index = self.functions.get(name).copied();
                Target::Direct(index.ok_or_else(|| {
                    format!("`{name}` has no body here, and calling it is not supported")
                })?)
            }
            _ => Target::Indirect(self.value64(function)?),
        };
        let callee = match target {
            Target::Direct(index) => self.callees.get(usize::from(index)).copied(),
            Target::Indirect(_) => None,
        };
        let params = callee.map(|callee| (callee.params.as_slice(), callee.returns.as_slice()));
        if let Some(callee) = callee
            && (callee.params.len(), callee.returns.len()) != (arguments.len(), results.len())
        {
            return Err(other_parameters(callee));
        }
        let arguments = self.passed(arguments, params.map(|it| it.0), false)?;
        let results = self.passed(results, params.map(|it| it.1), true)?;
        if let Target::Direct(index) = target {
            self.check_signature(index, &arguments, &results)?;
        }
        let framed = arguments.frames.iter().chain(&results.frames);
        let inside = places(framed.map(|&(_, bytes)| bytes));
        let copy = |(&(offset, bytes), &inside): (&(u64, u64), &u64)| Copy {
            caller: offset,
            callee: inside,
            bytes,
        };
        let (first, last) = inside.split_at(arguments.frames.len());
        let call = Call {
            target,
            caller: self.owner as u16,
            site: self.site(SiteKind::Save, 0)?,
            restore: self.site(SiteKind::Restore, 0)?,
            back: 0,
            advance: 0,
            arguments: arguments.frames.iter().zip(first).map(copy).collect(),
            results: results.frames.iter().zip(last).map(copy).collect(),
            saves: false,
        };
        let index = u16::try_from(self.calls.len())
            .map_err(|_| "the kernel has more than 65536 calls".to_owned())?;
        self.calls.push(call);
        Ok((index, results.fetched))
    }

    fn check_signature(&self, index: u16, arguments: &Passed, results: &Passed) -> Compiled {
        let Some(callee) = self.callees.get(usize::from(index)) else { return Ok(()) };
        let sizes = |params: &[Param]| -> Compiled<Vec<u64>> {
            params.iter().map(|param| Ok(Self::parameter_extent(param)?.0)).collect()
        };
        if sizes(&callee.params)? != arguments.sizes || sizes(&callee.returns)? != results.sizes {
            return Err(other_parameters(callee));
        }
        Ok(())
    }

    /// Compiles a call of a function that the emulator carries out itself; false
    /// if it is not one.
    pub(crate) fn service(&mut self, instruction: &Instruction<'a>) -> Compiled<bool> {
        let (results, function, arguments) = parts(instruction)?;
        if let Operand::Name(name) = function
            && name.contains(GRID_BARRIER)
            && self.guard(instruction)? == Guard::Always
        {
            return self.grid_barrier().map(|()| true);
        }
        let Operand::Name(name @ ("vprintf" | "__assertfail")) = function else {
            return Ok(false);
        };
        if self.functions.contains_key(name) {
            return Ok(false);
        }
        let guard = self.guard(instruction)?;
        let mut offsets = Vec::new();
        for argument in arguments {
            offsets.push(self.framed(argument, None, false)?.0.0);
        }
        let result = results.first().map(|result| self.framed(result, None, true)).transpose()?;
        let stack = self.stack()?;
        let site = self.site(SiteKind::Trap, 0)?;
        let service = match (*name, offsets.as_slice()) {
            ("vprintf", &[format, values]) => Service::Print {
                stack,
                format,
                values,
                result: result.as_ref().map(|(place, _)| place.0),
                site,
            },
            ("__assertfail", &[message, file, line, function, ..]) => {
                Service::Assert { stack, message, file, line, function, site }
            }
            _ => return unsupported(instruction),
        };
        let index = u16::try_from(self.services.len())
            .map_err(|_| "the kernel has more than 65536 calls".to_owned())?;
        self.services.push(service);
        self.push_if(guard, Op::Service { index });
        self.fetch(result.and_then(|(_, fetched)| fetched).into_iter().collect());
        Ok(true)
    }
}

/// Fills in what is only known once every function is compiled: how far a call
/// moves the stack, and whether the caller may be entered again before it
/// returns, so that its registers have to be saved.
pub(crate) fn link(calls: &mut [Call], layout: &Layout, frames: &[u64]) {
    let numbers: HashMap<&str, usize> =
        layout.functions.iter().enumerate().map(|(index, f)| (f.name, index)).collect();
    let taken: Vec<usize> =
        layout.taken.iter().filter_map(|name| numbers.get(name).copied()).collect();
    let mut edges = vec![Vec::new(); frames.len()];
    for call in calls.iter() {
        match call.target {
            Target::Direct(index) => edges[usize::from(call.caller)].push(usize::from(index)),
            Target::Indirect(_) => edges[usize::from(call.caller)].extend(&taken),
        }
    }
    let reaches = |from: &[usize], to: usize| {
        let mut seen = vec![false; edges.len()];
        let mut stack = from.to_vec();
        while let Some(at) = stack.pop() {
            if at == to {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(&edges[at]);
            }
        }
        false
    };
    for call in calls {
        let caller = usize::from(call.caller);
        call.advance = frames[caller].next_multiple_of(FRAME_ALIGN);
        call.saves = match call.target {
            Target::Direct(index) => reaches(&[usize::from(index)], caller),
            Target::Indirect(_) => reaches(&taken, caller),
        };
    }
}
