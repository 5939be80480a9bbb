//! What the program understood of a file.

use serde::Serialize;

use super::header::{self, Header, LaunchKeys};
use super::kernels::{self, Kernel};
use super::signature::SignatureParam;
use super::{OwnError, OwnFile, Problem};
use crate::algorithms::{self, Algorithm};
use crate::work::Resources;

/// A file in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Name of the file.
    pub file: String,
    /// The compiler; empty for PTX.
    pub compiler: String,
    /// The built-in algorithm that its kernels belong to.
    pub like: Option<String>,
    /// Sizes of a sweep.
    pub sizes: String,
    /// Threads per block, unless a case has others.
    pub block: u32,
    /// Elements per thread, unless a case has others.
    pub coarsen: u32,
    /// Parameters with their values; the first is the default.
    pub params: Vec<(String, Vec<u64>)>,
    /// The buffer that is compared.
    pub output: Option<String>,
    /// The kernel whose output is right; none where the CPU knows it.
    pub reference: Option<String>,
    /// Relative error that an output may have.
    pub tolerance: Option<String>,
    /// The kernels.
    pub kernels: Vec<DescribedKernel>,
    /// Kernels that cannot be launched.
    pub left_out: Vec<Unused>,
}

/// A kernel in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedKernel {
    /// Name.
    pub name: String,
    /// Its name in the source, if the header block gives it another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Line in the file.
    pub line: u32,
    /// C parameters with what they are given.
    pub args: Vec<(String, String)>,
    /// Number of blocks.
    pub grid: String,
    /// Threads per block, where the kernel has its own.
    pub block: Option<String>,
    /// Dynamic shared memory in bytes.
    pub shared: String,
    /// The kernel's own output buffer, if it differs from the file's.
    pub output: Option<String>,
    /// The kernel's own reference, if it differs from the file's.
    pub reference: Option<String>,
    /// Registers per thread.
    pub registers: u32,
    /// Whether that is an estimate, because no assembler was found.
    pub registers_estimated: bool,
}

/// A kernel that cannot be launched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unused {
    /// Name.
    pub name: String,
    /// Line in the file, if it has one.
    pub line: Option<u32>,
    /// The reason.
    pub reason: String,
}

/// Describes a file.
///
/// # Errors
/// If the file cannot be a system.
pub fn describe(file: &OwnFile) -> Result<Description, OwnError> {
    let system = super::version(file)?;
    let of = || -> Result<Description, Problem> {
        let header = header::read(&file.source)?;
        let kernels = kernels::kernels(file, &header)?;
        let like = file.like.clone().or_else(|| header.like.as_ref().map(|it| it.value.clone()));
        let base = like.as_deref().and_then(algorithms::find);
        let defaults = system.defaults();
        let of_kernel = |kernel: &Kernel| match base {
            Some(base) => like_kernel(kernel, &header, base),
            None => plain_kernel(kernel, &header),
        };
        let text = |it: &Option<header::Located<String>>| it.as_ref().map(|it| it.value.clone());
        let reference = kernels.found.first().map(|kernel| kernel.signature.name.clone());
        Ok(Description {
            file: file.name.clone(),
            compiler: file.compiler.clone(),
            sizes: system.sizes().to_string(),
            block: defaults.block,
            coarsen: defaults.coarsen,
            params: header.params.iter().map(|it| (it.0.value.clone(), it.1.clone())).collect(),
            output: text(&header.launch.output),
            reference: if base.is_some() {
                None
            } else {
                text(&header.launch.reference).or(reference)
            },
            tolerance: text(&header.tolerance),
            kernels: kernels
                .found
                .iter()
                .map(|kernel| {
                    let (name, described) = (&kernel.signature.name, of_kernel(kernel));
                    let found = system.module(name).resources(&kernel.entry, u32::MAX);
                    let Resources { registers, estimated, .. } = found.unwrap_or_default();
                    DescribedKernel { registers, registers_estimated: estimated, ..described }
                })
                .collect(),
            left_out: kernels
                .left_out
                .into_iter()
                .map(|it| Unused { name: it.name, line: it.line, reason: it.reason })
                .collect(),
            like,
        })
    };
    of().map_err(|problem| OwnError {
        file: file.name.clone(),
        line: problem.line,
        message: problem.message,
    })
}

/// The keys of a kernel, where it has its own, else those of the file.
fn key<'a, T>(
    header: &'a Header,
    kernel: &Kernel,
    of: impl Fn(&'a LaunchKeys) -> Option<&'a T>,
) -> Option<&'a T> {
    let own = header.kernels.iter().find(|(name, _)| name.value == kernel.signature.name);
    own.and_then(|(_, keys)| of(keys)).or_else(|| of(&header.launch))
}

fn plain_kernel(kernel: &Kernel, header: &Header) -> DescribedKernel {
    let args = key(header, kernel, |it| it.args.as_ref()).map_or(&[][..], Vec::as_slice);
    let params = kernel.signature.params.iter().map(SignatureParam::declaration);
    let given = args.iter().map(|arg| {
        arg.value.split_once(':').map_or(arg.value.clone(), |(_, given)| given.trim().to_owned())
    });
    described(kernel, header, params.zip(given).collect(), ("", "0"))
}

fn like_kernel(kernel: &Kernel, header: &Header, base: &dyn Algorithm) -> DescribedKernel {
    let contract = base.contract();
    let params = contract.map_or(&[][..], |contract| contract.params);
    let meaning = |(index, param): (usize, &SignatureParam)| {
        let named = params.iter().find(|it| it.name == param.name).or_else(|| params.get(index));
        (param.declaration(), named.map_or(String::new(), |it| it.meaning.to_owned()))
    };
    let args = kernel.signature.params.iter().enumerate().map(meaning).collect();
    let (grid, shared) = contract.map_or(("", "0"), |it| (it.grid, it.shared));
    described(kernel, header, args, (grid, if kernel.dynamic_shared { shared } else { "0" }))
}

fn described(
    kernel: &Kernel,
    header: &Header,
    args: Vec<(String, String)>,
    (grid, shared): (&str, &str),
) -> DescribedKernel {
    let own_grid = key(header, kernel, |it| it.grid.as_ref());
    let own_shared = key(header, kernel, |it| it.shared.as_ref());
    let own_block = key(header, kernel, |it| it.block.as_ref()).filter(|it| {
        it.value.len() > 1 || header.launch.block.as_ref().is_none_or(|common| common != *it)
    });
    let own = |of: fn(&LaunchKeys) -> Option<&header::Located<String>>| {
        let own = key(header, kernel, of).filter(|it| of(&header.launch) != Some(it));
        own.map(|it| it.value.clone())
    };
    DescribedKernel {
        name: kernel.signature.name.clone(),
        kernel: Some(kernel.entry.clone()).filter(|it| *it != kernel.signature.name),
        line: kernel.signature.line,
        args,
        grid: own_grid.map_or(grid.to_owned(), |it| it.value.join(" x ")),
        block: own_block.map(|it| it.value.join(" x ")),
        shared: own_shared.map_or(shared.to_owned(), |it| it.value.clone()),
        output: own(|it| it.output.as_ref()),
        reference: own(|it| it.reference.as_ref()),
        registers: 0,
        registers_estimated: false,
    }
}
