//! The kernels of a file: signatures of its source, checked against its PTX.

use std::collections::HashMap;

use super::args::is_name;
use super::ctype::{CType, Scalar};
use super::header::Header;
use super::signature::{LeftOut, Signature, SignatureParam, signatures};
use super::uses::Uses;
use super::{OwnFile, Problem, variables};
use crate::emulator::ptx::{self, Item, Space};
use crate::work::Element;

mod differs;

use differs::differs;

/// Maximum number of kernels of a file.
const MOST_KERNELS: usize = 256;

/// Maximum number of parameters of a kernel.
const MOST_PARAMS: usize = 64;

/// The kernels of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Kernels {
    /// Those that can be launched, in the order of the source.
    pub(super) found: Vec<Kernel>,
    /// Those that cannot.
    pub(super) left_out: Vec<LeftOut>,
    /// Rows of a [`crate::work::ResourceTable`] with their estimated registers.
    pub(super) estimates: String,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kernel {
    /// Its signature. The parameters of PTX without a source have positional names.
    pub(super) signature: Signature,
    /// Its name in the source, unless the header block launches it under another name.
    pub(super) entry: String,
    /// Bytes of each parameter.
    pub(super) bytes: Vec<u64>,
    /// Whether it declares `extern __shared__` memory, which the launch sizes.
    pub(super) dynamic_shared: bool,
    /// What it does with its pointers.
    pub(super) uses: Uses,
    /// Whether it asks for the second dimension of its block and of the grid.
    pub(super) second: [bool; 2],
    /// How many of its last parameters stand for variables.
    pub(super) variables: usize,
}

impl Kernel {
    /// Whether a parameter stands for a variable.
    pub(super) fn is_variable(&self, index: usize) -> bool {
        index + self.variables >= self.signature.params.len()
    }
}

impl Kernels {
    /// Adds the kernels that the header block launches under other names, such as
    /// `[kernel.init_y]` with `kernel = "init"`, behind the ones that they launch.
    ///
    /// # Errors
    /// For an unknown kernel, and for a name that is no name or another kernel has.
    fn add_named(&mut self, header: &Header) -> Result<(), Problem> {
        for (name, keys) in &header.kernels {
            let Some(entry) = &keys.kernel else { continue };
            let wrong = |reason: &str| {
                let reason = format!("`{}` {reason}", name.value);
                Err(Problem::new(name.line, reason))
            };
            let known = super::known_kernel(entry, self)?;
            if self.found.iter().any(|it| it.signature.name == name.value)
                || self.left_out.iter().any(|it| it.name == name.value)
            {
                return wrong("is a kernel of the file; choose another name, or remove `kernel`");
            }
            if !is_name(&name.value) {
                return wrong("is no name; use letters, digits and `_`");
            }
            let mut kernel = self.found[known].clone();
            name.value.clone_into(&mut kernel.signature.name);
            let last = self.found.iter().rposition(|it| it.entry == kernel.entry);
            self.found.insert(last.unwrap_or(known) + 1, kernel);
        }
        Ok(())
    }
}

/// A parameter as the PTX has it.
struct Entry {
    params: Vec<(String, u64)>,
    /// The variables that its last parameters stand for.
    variables: Vec<String>,
    line: u32,
    dynamic_shared: bool,
    second: [bool; 2],
    uses: Uses,
}

impl Entry {
    /// The kernel of this entry, `name` in the PTX.
    fn kernel(&self, name: &str, signature: Signature) -> Kernel {
        Kernel {
            signature,
            entry: name.to_owned(),
            bytes: self.bytes(),
            dynamic_shared: self.dynamic_shared,
            second: self.second,
            uses: self.uses.clone(),
            variables: self.variables.len(),
        }
    }

    /// Bytes of each parameter.
    fn bytes(&self) -> Vec<u64> {
        let bits = |ty: &str| ty.get(1..).and_then(|bits| bits.parse::<u64>().ok()).unwrap_or(0);
        self.params.iter().map(|(ty, count)| bits(ty) / 8 * count).collect()
    }
}

/// The kernels of a file, with those that its header block adds.
pub(super) fn kernels(file: &OwnFile, header: &Header) -> Result<Kernels, Problem> {
    let module = ptx::parse(&file.ptx, &file.name).map_err(|error| {
        let line = file.is_ptx().then_some(error.position.line);
        Problem::new(line, format!("the PTX cannot be read: {}", error.message))
    })?;
    let mut order = Vec::new();
    let mut entries = HashMap::new();
    let extern_shared: Vec<&str> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Variable(it) if it.space == Space::Shared && it.count.is_none() => Some(it.name),
            _ => None,
        })
        .collect();
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        Item::Variable(_) => None,
    });
    // A device function that is not inlined can use the memory of any kernel.
    let takes_extern = |function: &ptx::Function| {
        let own = function.variables().any(|it| it.space == Space::Shared && it.count.is_none());
        let mut named = false;
        for operand in function.instructions().flat_map(|it| &it.operands) {
            operand.each_name(&mut |name| named |= extern_shared.contains(&name));
        }
        own || named
    };
    let called = functions.clone().any(|it| !it.entry && takes_extern(it));
    for function in functions.filter(|it| it.entry) {
        let params = function.params.iter();
        let params = params.map(|it| (it.ty.to_owned(), it.count)).collect();
        let variables = function.params.iter().filter_map(|it| variables::variable(it.name));
        let variables = variables.map(str::to_owned).collect();
        let dynamic_shared = called || takes_extern(function);
        let (line, uses) = (function.position.line, Uses::new(function));
        let second = ["%tid.y", "%ctaid.y"].map(|it| variables::uses(function, it));
        order.push(function.name.to_owned());
        let entry = Entry { params, variables, line, dynamic_shared, second, uses };
        entries.insert(function.name.to_owned(), entry);
    }
    if order.len() > MOST_KERNELS {
        let message =
            format!("the file has {} kernels; the maximum is {MOST_KERNELS}", order.len());
        return Err(Problem::new(None, message));
    }
    let mut kernels =
        if file.is_ptx() { of_ptx(&order, &entries) } else { of_source(file, &order, &entries) };
    let left_out = &mut kernels.left_out;
    kernels.estimates = super::estimates::estimates(&module);
    kernels.found.retain(|kernel| {
        let fits = kernel.signature.params.len() <= MOST_PARAMS;
        if !fits {
            left_out.push(LeftOut {
                name: kernel.signature.name.clone(),
                line: Some(kernel.signature.line),
                reason: format!("it has more than {MOST_PARAMS} parameters"),
            });
        }
        fits
    });
    if kernels.found.is_empty() {
        return Err(none(&kernels.left_out));
    }
    kernels.add_named(header)?;
    Ok(kernels)
}

/// The error for a file without kernels.
fn none(left_out: &[LeftOut]) -> Problem {
    match left_out.first() {
        Some(LeftOut { name, line, reason }) => {
            Problem::new(*line, format!("no kernel can be launched. `{name}`: {reason}"))
        }
        None => {
            Problem::new(None, "the file has no kernel; write one as `__global__ void name(…)`")
        }
    }
}

/// The entries of a PTX file. Their parameters are named by their position.
fn of_ptx(order: &[String], entries: &HashMap<String, Entry>) -> Kernels {
    let kernel = |name: &String| {
        let entry = entries.get(name)?;
        let param = |(position, (ty, count)): (usize, &(String, u64))| SignatureParam {
            name: format!("arg{position}"),
            ctype: of_ptx_type(ty, *count),
        };
        let params = entry.params.iter().enumerate().map(param).collect();
        let signature = Signature { name: name.clone(), line: entry.line, params };
        Some(entry.kernel(name, signature))
    };
    Kernels { found: order.iter().filter_map(kernel).collect(), ..Kernels::default() }
}

/// What a PTX type can be in C. PTX does not tell pointers from 64-bit integers.
fn of_ptx_type(ty: &str, count: u64) -> CType {
    let element = match (ty, count) {
        ("u8" | "b8", 1) => Element::U8,
        ("s8", 1) => Element::I8,
        ("u16" | "b16", 1) => Element::U16,
        ("s16", 1) => Element::I16,
        ("u32" | "b32", 1) => Element::U32,
        ("s32", 1) => Element::I32,
        ("u64" | "b64", 1) => Element::U64,
        ("s64", 1) => Element::I64,
        ("f32", 1) => Element::F32,
        ("f64", 1) => Element::F64,
        _ => return CType::Other(format!(".{ty}[{count}]")),
    };
    CType::Scalar(Scalar::Number(element))
}

/// The kernels of a source that its PTX has, with the same parameters.
fn of_source(file: &OwnFile, order: &[String], entries: &HashMap<String, Entry>) -> Kernels {
    let (signatures, mut left_out) = signatures(&file.source);
    let mut found: Vec<Kernel> = Vec::new();
    for mut signature in signatures {
        let of_entry = entries.get(&signature.name).map_or(&[][..], |it| &it.variables);
        signature.params.extend(of_entry.iter().map(|it| of_variable(it)));
        if found.iter().any(|it| it.signature.name == signature.name) {
            continue;
        }
        let reason = match entries.get(&signature.name) {
            None => Some("the compiler did not make it: see `#if` and macros around it".to_owned()),
            Some(entry) => differs(&signature, entry),
        };
        match (reason, entries.get(&signature.name)) {
            (None, Some(entry)) => {
                found.push(entry.kernel(&signature.name.clone(), signature));
            }
            (reason, _) => left_out.push(LeftOut {
                name: signature.name,
                line: Some(signature.line),
                reason: reason.unwrap_or_default(),
            }),
        }
    }
    for name in order {
        let known = found.iter().any(|it| it.signature.name == *name)
            || left_out.iter().any(|it| it.name == *name || mangles(name, &it.name));
        if !known {
            let reason =
                "its declaration comes from a macro or a template; write it out".to_owned();
            left_out.push(LeftOut { name: name.clone(), line: None, reason });
        }
    }
    Kernels { found, left_out, ..Kernels::default() }
}

/// The parameter that stands for a variable.
fn of_variable(name: &str) -> SignatureParam {
    let to = Scalar::Opaque("void".to_owned());
    SignatureParam { name: name.to_owned(), ctype: CType::Pointer { to, constant: false } }
}

/// Whether `mangled` is the C++ name of a function `name`.
pub(super) fn mangles(mangled: &str, name: &str) -> bool {
    mangled.starts_with("_Z") && mangled.contains(&format!("{}{name}", name.len()))
}
