//! A file whose kernels belong to no built-in algorithm.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::args::{self, Argument, Fill};
use super::at::{At, Names};
use super::expr::Expr;
use super::header::{Header, LaunchKeys, Located};
use super::kernels::{Kernel, Kernels};
use super::{OwnFile, Problem, infer, leak, view};
use crate::algorithms::{Algorithm, Defaults, Param, ParamKind, Size, Spec};
use crate::experiment::{Distribution, Sizes};
use crate::units::{BlockSize, MOST_ELEMENTS};

mod case;
mod compared;
mod launching;
mod producers;
mod system;

/// Sizes of a sweep unless the file has some.
const SIZES: &str = "2^10..2^20:x4";

/// Highest value of a parameter.
const MOST_PARAM: u64 = 1 << 40;

/// Maximum number of parameters, and of values of one.
const MOST_PARAMS: usize = 8;
const MOST_STEPS: usize = 64;

/// The system of a file.
pub(super) struct Plain {
    spec: &'static Spec,
    /// Name of the file, for messages.
    file: &'static str,
    sizes: Sizes,
    /// Every buffer of any kernel, by name; what they hold does not depend on the kernel.
    buffers: Vec<Shared>,
    kernels: Vec<Launching>,
    tolerance: f64,
    view: view::Kind,
    bytes: Option<At>,
    flops: Option<At>,
    /// The last inputs that were looked through, and why one cannot be filled.
    checked: Mutex<(String, Option<String>)>,
}

/// A buffer.
struct Shared {
    arg: Argument,
    name: &'static str,
    len: Expr,
    fill: Fill,
    /// Index among the inputs, unless it starts with zeros.
    input: Option<usize>,
    /// The kernel that produces it, and the index of the buffer that this kernel writes.
    producer: Option<(usize, usize)>,
}

/// A kernel and how it is launched.
struct Launching {
    name: &'static str,
    /// Its name in the PTX.
    entry: &'static str,
    args: Vec<Bound>,
    grid: Vec<At>,
    shared: At,
    /// Threads in x, y and z; `None` for a block of one dimension and any size.
    block: Option<([u32; 3], u32)>,
    /// Elements per thread, if the kernel has its own number.
    coarsen: Option<(u32, u32)>,
    /// Whether the launch depends on the coarsening.
    coarsens: bool,
    /// Index in [`Plain::buffers`] of the output.
    output: usize,
    /// Index in [`Plain::kernels`] of the reference.
    reference: usize,
    /// Indices in [`Plain::buffers`] of those that it may write.
    written: BTreeSet<usize>,
}

/// An argument of a kernel.
enum Bound {
    /// Index in [`Plain::buffers`].
    Buffer(usize),
    /// A number.
    Scalar(Box<Argument>, Expr),
    /// A structure: its size, and its numbers and buffers with their offsets, all in bytes.
    Struct(u64, Vec<(u64, Bound)>),
}

impl Bound {
    /// Its numbers and buffers.
    fn leaves(&self) -> impl Iterator<Item = &Self> {
        let (own, members) = match self {
            Self::Struct(_, members) => (None, members.as_slice()),
            leaf => (Some(leaf), &[][..]),
        };
        own.into_iter().chain(members.iter().map(|it| &it.1))
    }

    /// The index of its buffer, if it is one.
    fn buffer(&self) -> Option<usize> {
        if let Self::Buffer(index) = self { Some(*index) } else { None }
    }
}

/// The system of a file without `like`.
pub(super) fn system(
    file: &OwnFile,
    header: &Header,
    kernels: &Kernels,
) -> Result<&'static dyn Algorithm, Problem> {
    let found = &kernels.found;
    if header.line.is_none() || (header.launch.args.is_none() && header.launch.grid.is_none()) {
        return Err(infer::problem(file, header, kernels));
    }
    let params = params(header)?;
    let known: Vec<&str> =
        Names::FIXED.into_iter().chain(params.iter().map(|param| param.name)).collect();
    for (name, _) in &header.kernels {
        super::known_kernel(name, kernels)?;
    }
    let mut buffers = Vec::new();
    let mut launching = Vec::new();
    for kernel in found {
        launching.push(launching::launching(file, header, kernel, &known, &mut buffers)?);
    }
    producers::resolve(kernels, &mut buffers, &launching)?;
    let expr =
        |key: &Option<Located<String>>| key.as_ref().map(|it| At::read(it, &known)).transpose();
    for (at, kernel) in found.iter().enumerate() {
        let own = keys(header, kernel).and_then(|it| it.output.as_ref());
        launching[at].output = compared::output(header, own, &buffers, &launching, at)?;
    }
    for (at, kernel) in found.iter().enumerate() {
        launching[at].reference = compared::reference(header, kernel, kernels, &launching, at)?;
    }
    let tolerance = tolerance(header)?;
    let uses_dist = buffers.iter().any(|it: &Shared| matches!(it.fill, Fill::Drawn(None, _)));
    let (defaults, sizes) = defaults(header)?;
    let coarsens = header.launch.coarsen.is_some() || launching.iter().any(|it| it.coarsens);
    let spec = Spec {
        name: leak(file.name.clone()),
        summary: leak(format!("kernels of {}", file.name)),
        variants: super::variants(file, found, &[], coarsens).leak(),
        params: params.leak(),
        options: &[],
        size: Size { noun: "elements", most: MOST_ELEMENTS },
        defaults,
        distributions: if uses_dist { &Distribution::ALL } else { &[Distribution::Uniform] },
        module: super::module(file, kernels),
        recording: &[],
    };
    let spec: &'static Spec = Box::leak(Box::new(spec));
    Ok(Box::leak(Box::new(Plain {
        spec,
        file: spec.name,
        sizes,
        view: view::Kind::read(header.view.as_ref())?,
        bytes: expr(&header.bytes)?,
        flops: expr(&header.flops)?,
        buffers,
        kernels: launching,
        tolerance,
        checked: Mutex::default(),
    })))
}

/// The value of an expression without names.
fn constant(text: &Located<String>, name: &str, most: u32) -> Result<u32, Problem> {
    let expr = Expr::read(&text.value, &[]);
    let value = expr.and_then(|expr| expr.whole(&|_| None));
    let value = value.map_err(|error| Problem::new(text.line, format!("`{name}`: {error}")))?;
    let fits = u32::try_from(value).ok().filter(|value| (1..=most).contains(value));
    fits.ok_or_else(|| {
        Problem::new(text.line, format!("`{name}` is {value}; allowed: 1 to {most}"))
    })
}

fn params(header: &Header) -> Result<Vec<Param>, Problem> {
    if let Some((name, _)) = header.params.get(MOST_PARAMS) {
        let message = format!("the file has more than {MOST_PARAMS} parameters");
        return Err(Problem::new(name.line, message));
    }
    let param = |(name, values): &(Located<String>, Vec<u64>)| {
        let wrong = |reason: String| {
            Problem::new(name.line, format!("parameter `{}`: {reason}", name.value))
        };
        let taken = Names::FIXED.contains(&name.value.as_str()) || name.value == args::INDEX;
        if !args::is_name(&name.value) || taken {
            return Err(wrong("choose another name, of letters and digits".to_owned()));
        }
        if let Some(value) = values.iter().find(|&&value| value > MOST_PARAM) {
            return Err(wrong(format!("{value} is above the maximum of 2^40")));
        }
        if values.len() > MOST_STEPS {
            return Err(wrong(format!("it has more than {MOST_STEPS} values")));
        }
        let Some(&default) = values.first() else {
            return Err(wrong("it has no values; the first is the default".to_owned()));
        };
        let mut steps = values.clone();
        steps.sort_unstable();
        steps.dedup();
        let kind = ParamKind::Int { low: 0, high: MOST_PARAM, default, steps: steps.leak() };
        Ok(Param::new(leak(name.value.clone()), "parameter of the file", kind))
    };
    header.params.iter().map(param).collect()
}

pub(super) fn defaults(header: &Header) -> Result<(Defaults, Sizes), Problem> {
    let (line, text) = match &header.sizes {
        Some(sizes) => (Some(sizes.line), sizes.value.as_str()),
        None => (None, SIZES),
    };
    let sizes: Sizes = text.parse().map_err(|error| Problem::new(line, format!("{error}")))?;
    let values = sizes.values();
    let low = values.iter().min().copied().unwrap_or_default();
    let high = values.iter().max().copied().unwrap_or_default();
    let block = match &header.launch.block {
        None => 256,
        Some(block) => block_dimensions(block)?.iter().product(),
    };
    let coarsen = match &header.launch.coarsen {
        None => 1,
        Some(coarsen) => constant(coarsen, "coarsen", 1 << 20)?,
    };
    Ok((Defaults { sizes: (low, high), block, coarsen }, sizes))
}

/// Threads in x, y and z.
fn block_dimensions(block: &Located<Vec<String>>) -> Result<[u32; 3], Problem> {
    let mut dimensions = [1; 3];
    for (place, text) in dimensions.iter_mut().zip(&block.value) {
        let text = Located { line: block.line, value: text.clone() };
        *place = constant(&text, "block", BlockSize::MOST)?;
    }
    let threads = dimensions.iter().map(|&it| u64::from(it)).product::<u64>();
    if threads > u64::from(BlockSize::MOST) {
        let message = format!("`block` has {threads} threads; the maximum is {}", BlockSize::MOST);
        return Err(Problem::new(block.line, message));
    }
    Ok(dimensions)
}

fn tolerance(header: &Header) -> Result<f64, Problem> {
    let Some(tolerance) = &header.tolerance else { return Ok(0.0) };
    let value = tolerance.value.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| {
        let message = format!("`tolerance` is {}; allowed: 0 to 1", tolerance.value);
        Problem::new(tolerance.line, message)
    })
}

/// The keys in `[kernel.NAME]`.
fn keys<'a>(header: &'a Header, kernel: &Kernel) -> Option<&'a LaunchKeys> {
    let own = header.kernels.iter().find(|(name, _)| name.value == kernel.signature.name);
    own.map(|(_, keys)| keys)
}
