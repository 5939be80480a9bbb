//! How a kernel is launched, with the buffers that kernels share.

use std::collections::BTreeSet;

use super::{Bound, Fill, Launching, Shared, block_dimensions, constant, keys};
use crate::own::args::{self, Argument, Value, offsets};
use crate::own::at::At;
use crate::own::ctype::CType;
use crate::own::header::{Header, Located};
use crate::own::kernels::Kernel;
use crate::own::{OwnFile, Problem, leak};
use crate::syntax::{Host, written_out};

/// How a kernel is launched.
pub(super) fn launching(
    file: &OwnFile,
    header: &Header,
    kernel: &Kernel,
    known: &[&str],
    buffers: &mut Vec<Shared>,
) -> Result<Launching, Problem> {
    let (common, signature) = (&header.launch, &kernel.signature);
    let own = keys(header, kernel);
    let name = &signature.name;
    let missing =
        |key: &str| Problem::new(header.line, format!("`{key}` is missing for kernel `{name}`"));
    let args = own.and_then(|it| it.args.as_ref()).or(common.args.as_ref());
    let args = args.ok_or_else(|| missing("args"))?;
    let args = args.iter().map(|it| Argument::read(it, known)).collect::<Result<Vec<_>, _>>()?;
    args::check(kernel, &args, file.is_ptx())?;
    check_members(&file.source, kernel, &args)?;
    let grid = own.and_then(|it| it.grid.as_ref()).or(common.grid.as_ref());
    let grid = grid.ok_or_else(|| missing("grid"))?;
    let grid = At::dimensions(grid, known)?;
    let shared = own.and_then(|it| it.shared.as_ref()).or(common.shared.as_ref());
    let zero = Located { line: signature.line, value: "0".to_owned() };
    let shared = At::read(shared.unwrap_or(&zero), known)?;
    // A sweep varies neither blocks of several dimensions nor those in `[kernel.NAME]`.
    let own_block = own.and_then(|it| it.block.as_ref());
    let fixed = own_block.or_else(|| common.block.as_ref().filter(|it| it.value.len() > 1));
    let block = fixed.map(|it| Ok((block_dimensions(it)?, it.line))).transpose()?;
    let coarsen = own.and_then(|it| it.coarsen.as_ref());
    let coarsen = coarsen.map(|it| Ok((constant(it, "coarsen", 1 << 20)?, it.line))).transpose()?;
    let mut launching = Launching {
        name: leak(name.clone()),
        entry: leak(kernel.entry.clone()),
        args: Vec::new(),
        grid,
        shared,
        block,
        coarsen,
        coarsens: false,
        output: 0,
        reference: 0,
        written: BTreeSet::new(),
    };
    let params = signature.params.iter().zip(&kernel.bytes);
    for (arg, (param, &bytes)) in args.into_iter().zip(params) {
        let bound = bind(arg, bytes, buffers)?;
        if !matches!(param.ctype, CType::Pointer { constant: true, .. }) {
            launching.written.extend(bound.leaves().filter_map(Bound::buffer));
        }
        launching.args.push(bound);
    }
    launching.coarsens = launching.mentions("coarsen");
    Ok(launching)
}

/// Checks that structures with names of the source have all members that it declares, in their
/// order. Others may fill gaps. A missing one could go unnoticed, where a gap takes its place.
fn check_members(source: &str, kernel: &Kernel, args: &[Argument]) -> Result<(), Problem> {
    let structures = args.iter().zip(&kernel.signature.params).filter_map(|(arg, param)| {
        if let Value::Struct(members) = &arg.value { Some((arg, members, param)) } else { None }
    });
    let (text, mut host) = (written_out(source), None);
    for (arg, members, param) in structures {
        let host = host.get_or_insert_with(|| Host::new(&text));
        let of = param.ctype.to_string();
        let Some(fields) = host.fields(&of) else { continue };
        let mut names = members.iter().filter_map(|it| it.name.rsplit('.').next());
        let known = |name: &str| fields.iter().any(|it| it.name == name);
        if !names.clone().any(known) {
            continue;
        }
        if let Some(missing) = fields.iter().find(|field| !names.any(|it| it == field.name)) {
            let reason = format!(
                "`{}` has no member `{}` here, or not in the order of `{of}`",
                arg.name, missing.name
            );
            return Err(Problem::new(arg.line, reason));
        }
    }
    Ok(())
}

/// Binds an argument, whose parameter has this size in bytes. Its buffers are added to `buffers`.
fn bind(arg: Argument, bytes: u64, buffers: &mut Vec<Shared>) -> Result<Bound, Problem> {
    let vectors = arg.has_vectors(bytes);
    Ok(match &arg.value {
        Value::Scalar(expr) => Bound::Scalar(Box::new(arg.clone()), expr.clone()),
        Value::Buffer(..) => Bound::Buffer(share(arg, buffers)?),
        Value::Struct(members) => {
            let mut bound = Vec::new();
            for (offset, member) in offsets(members, vectors) {
                let bytes = member.layout(vectors).0;
                match bind(member.clone(), bytes, buffers)? {
                    Bound::Struct(_, inner) => {
                        bound.extend(inner.into_iter().map(|(at, it)| (offset + at, it)));
                    }
                    leaf => bound.push((offset, leaf)),
                }
            }
            Bound::Struct(bytes, bound)
        }
    })
}

/// Adds a buffer unless another kernel has it; its index.
fn share(arg: Argument, buffers: &mut Vec<Shared>) -> Result<usize, Problem> {
    let Value::Buffer(len, fill) = arg.value.clone() else { return Ok(0) };
    // A producer starts from a buffer of its own, which may be produced by another kernel.
    let is_produced = |fill: &Fill| matches!(fill, Fill::From(_));
    let same = |it: &Shared| {
        let alike = it.fill == fill || !is_produced(&it.fill) && !is_produced(&fill);
        it.name == arg.name && alike
    };
    if let Some(index) = buffers.iter().position(same) {
        let known = &buffers[index].arg;
        if (known.element, &known.value) != (arg.element, &arg.value) {
            return Err(Problem::new(
                arg.line,
                format!(
                    "`{}` differs from line {}; kernels share a buffer of one name, so that they \
                     can be compared",
                    arg.name, known.line
                ),
            ));
        }
        return Ok(index);
    }
    let inputs = buffers.iter().filter(|it| it.input.is_some()).count();
    let input = (fill != Fill::Zeros).then_some(inputs);
    buffers.push(Shared { name: leak(arg.name.clone()), arg, len, fill, input, producer: None });
    Ok(buffers.len() - 1)
}

impl Launching {
    /// The indices of its buffers.
    pub(super) fn buffers(&self) -> impl Iterator<Item = usize> + '_ {
        self.args.iter().flat_map(Bound::leaves).filter_map(Bound::buffer)
    }

    /// Whether its launch depends on a name.
    fn mentions(&self, name: &str) -> bool {
        let scalar = |bound: &Bound| matches!(bound, Bound::Scalar(_, expr) if expr.mentions(name));
        self.grid.iter().chain([&self.shared]).any(|it| it.expr.mentions(name))
            || self.args.iter().flat_map(Bound::leaves).any(scalar)
    }
}
