//! A whole kernel: the entry and the functions that it calls.

use std::collections::HashMap;

use crate::compile::compiler::Compiler;
use crate::compile::error::LoadError;
use crate::compile::layout::Layout;
use crate::compile::names::Names;
use crate::compile::refuse::Compiled;
use crate::compile::{call, cluster, names, uniform};
use crate::program::{
    Block, Callable, Guard, Inst, Kernel, MachineCode, Op, ParamLayout, Quick, SAVED, Scopes, Slot,
    Slots,
};
use crate::ptx;

/// Bytes that the parameters of a kernel can take together.
const MOST_PARAMS: u64 = 32_764;

/// Compiles one entry of `module`; `named` keeps the names of its registers.
pub(crate) fn compile<'a>(
    module: &'a ptx::Module<'a>,
    function: &'a ptx::Function<'a>,
    path: &str,
    named: bool,
) -> Result<Kernel, LoadError> {
    let error = |(position, message): (ptx::Position, String)| LoadError::Refused {
        path: path.to_owned(),
        line: position.line,
        message,
    };
    let mut layout = Layout::new(module, function).map_err(error)?;
    let mut compiler = Compiler {
        names: Names::new(std::mem::take(&mut layout.symbols)),
        owner: 0,
        functions: HashMap::new(),
        callees: layout.functions.clone(),
        shared: HashMap::new(),
        takes: Vec::new(),
        gives: Vec::new(),
        position: function.position,
        guard: Guard::Always,
        insts: Vec::new(),
        quicks: Vec::new(),
        origins: Vec::new(),
        instructions: Vec::new(),
        sites: Vec::new(),
        collectives: Vec::new(),
        matrices: Vec::new(),
        tiles: Vec::new(),
        tensors: Vec::new(),
        bulks: Vec::new(),
        calls: Vec::new(),
        tables: Vec::new(),
        scopes: Scopes::default(),
        services: Vec::new(),
        fills: Vec::new(),
        block_start: 0,
        filled: HashMap::new(),
        schedule_dependent: false,
        polls: false,
        tests: false,
        cluster: cluster::of(function, &layout.functions),
    };
    compiler.names.kept = named.then(Vec::new);
    for (index, function) in layout.functions.iter().enumerate() {
        let index = u16::try_from(index).map_err(|_| {
            error((function.position, "the kernel calls more than 65536 functions".to_owned()))
        })?;
        compiler.functions.insert(function.name, index);
    }
    let mut blocks = Vec::new();
    let compiled = compiler.entry(&mut layout, &mut blocks);
    let (params, functions, stack) =
        compiled.map_err(|message| error((compiler.position, message)))?;
    compiler.names.keep_scopes();
    let mut by_address = Vec::new();
    for item in &module.items {
        if let ptx::Item::Function(function) = item {
            let defined = function.body.is_some();
            let number = compiler.functions.get(function.name).copied().filter(|&n| n != 0);
            by_address.push(number.filter(|_| defined));
        }
    }
    let mut kernel = Kernel {
        name: function.name.to_owned(),
        path: path.to_owned(),
        files: module.files.iter().map(|&(number, name)| (number, name.to_owned())).collect(),
        params,
        static_shared: layout.static_shared,
        cluster: compiler.cluster,
        steps: steps(&compiler.insts, &compiler.quicks),
        insts: compiler.insts,
        quicks: compiler.quicks,
        arms: Vec::new(),
        origins: compiler.origins,
        blocks,
        scopes: compiler.scopes,
        instructions: compiler.instructions,
        sites: compiler.sites,
        collectives: compiler.collectives,
        matrices: compiler.matrices,
        tiles: compiler.tiles,
        tensors: compiler.tensors,
        bulks: compiler.bulks,
        functions,
        by_address,
        calls: compiler.calls,
        tables: compiler.tables,
        services: compiler.services,
        stack,
        data: layout.data,
        slots32: compiler.names.slots32,
        slots64: compiler.names.slots64,
        preds: compiler.names.preds,
        fills: compiler.fills,
        schedule_dependent: compiler.schedule_dependent,
        tests: compiler.tests,
        polls: compiler.polls,
        registers: compiler.names.kept.take().unwrap_or_default(),
        code: MachineCode::default(),
        saved: 0,
    };
    if kernel.recurses() {
        kernel.saved = SAVED;
        kernel.functions[1..].iter_mut().for_each(|function| function.saves = SAVED);
    }
    kernel.arms = kernel.find_arms();
    uniform::mark(&mut kernel);
    Ok(kernel)
}

/// The ops, with steps in the place of those that begin one.
fn steps(insts: &[Inst], quicks: &[Quick]) -> Vec<Inst> {
    if quicks.is_empty() {
        return Vec::new();
    }
    let mut steps = insts.to_vec();
    for (index, &Quick { first, length, .. }) in (0..=u16::MAX).zip(quicks) {
        steps[first as usize].op = Op::Quick { index, length };
    }
    steps
}

impl<'a> Compiler<'a> {
    /// Compiles all functions. Returns the parameters, the functions and the slot of the stack.
    fn entry(
        &mut self,
        layout: &mut Layout<'a>,
        blocks: &mut Vec<Block>,
    ) -> Compiled<(Vec<ParamLayout>, Vec<Callable>, Slot)> {
        let params = self.entry_params(layout.functions[0])?;
        self.share(&layout.functions)?;
        let mut functions = Vec::new();
        for (index, own) in std::mem::take(&mut layout.own).into_iter().enumerate() {
            functions.push(self.function(index, layout.functions[index], own, blocks)?);
        }
        let frames: Vec<u64> = functions.iter().map(|function| function.frame).collect();
        call::link(&mut self.calls, layout, &frames);
        let stack = if self.calls.is_empty() { 0 } else { self.stack()? };
        Ok((params, functions, stack))
    }

    /// Compiles one function, appending its basic blocks.
    fn function(
        &mut self,
        index: usize,
        function: &'a ptx::Function<'a>,
        own: HashMap<&'a str, names::Symbol>,
        blocks: &mut Vec<Block>,
    ) -> Compiled<Callable> {
        let base = blocks.len() as u32;
        let body = function.body.as_deref().unwrap_or_default();
        self.position = function.position;
        self.owner = index;
        self.names.enter(own, function);
        self.gives.clear();
        let starts = (self.names.slots32, self.names.slots64, self.names.preds);
        if index != 0 {
            self.parameters(function)?;
        }
        blocks.extend(self.body(body, base)?);
        Ok(Callable {
            name: function.name.to_owned(),
            block: base,
            frame: self.names.frame_size,
            saves: 0,
            slots: Slots {
                words: starts.0..self.names.slots32,
                doubles: starts.1..self.names.slots64,
                preds: starts.2..self.names.preds,
            },
        })
    }

    /// Makes the kernel's parameters known.
    fn entry_params(&mut self, function: &ptx::Function<'a>) -> Compiled<Vec<ParamLayout>> {
        let (mut word, mut end) = (0_usize, 0_u64);
        let mut params = Vec::new();
        for param in &function.params {
            let (bytes, align) = Self::parameter_extent(param)?;
            let offset = end.next_multiple_of(align.max(8));
            end = offset + bytes;
            if end > MOST_PARAMS {
                return Err(format!("the parameters take more than {MOST_PARAMS} bytes"));
            }
            let layout = ParamLayout { bytes: bytes as u32, offset: offset as u32 };
            let symbol = names::Symbol::Param { word: word as u16, offset, bytes: layout.bytes };
            self.names.bind_param(param.name, symbol);
            word += layout.words();
            params.push(layout);
        }
        Ok(params)
    }
}
