//! The warp-level PTX emulator: runs the PTX that the GPU runs, with no GPU,
//! and counts what the hardware would have done.
//!
//! Text becomes a syntax tree ([`crate::ptx`]), the tree becomes compact ops
//! over register slots (`lower`), and warps run one op for 32 lanes at a time
//! (`exec`). Blocks spread over the threads of the host (`grid`). Results and
//! counters are the same on any number of threads, unless the kernel itself
//! depends on the order of its threads ([`Outcome::schedule_dependent`]).

#![allow(
    clippy::inline_always,
    reason = "the dispatch loop is compiled twice, with and without AVX2; what it calls has to come along"
)]
#![allow(
    clippy::many_single_char_names,
    reason = "d, a, b, c are the operand names of the PTX ISA"
)]

mod access;
mod atomic_cost;
mod barrier;
mod block;
mod call;
mod check;
mod collective;
mod counters;
mod data;
mod exec;
mod flow;
mod function;
mod grid;
mod kernel;
mod lane;
mod lane_atomic;
mod lane_bits;
mod lane_convert;
mod lane_exact;
mod lane_float;
mod lane_small;
mod lanes;
mod local;
mod lower;
mod memory;
mod op;
mod places;
mod print;
mod profile;
mod row_transfer;
mod rows;
mod sample;
mod service;
mod step;
mod step_each;
mod step_float;
mod transfer;
mod update;
mod warp;

pub use check::{Checked, Finding, FindingKind, Setting, check};
pub use counters::{CHUNK, Counters};
pub use grid::{Options, Outcome, Ran, launch, run};
pub use kernel::Kernel;
pub use memory::Memory;
pub use profile::{AccessKind, InstructionCount, InstructionPlace};
pub use sample::{Blocks, estimate};

use crate::launch::Dim3 as Dim;
use crate::ptx::{self, Item, ParseError};

/// Why PTX cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is not PTX.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It asks for something that this version does not do, or contradicts itself.
    #[error("{path}:{line}: {message}")]
    Refused {
        /// The file as named by the caller.
        path: String,
        /// Line in it.
        line: u32,
        /// What and why.
        message: String,
    },
    /// It has no such kernel.
    #[error("{path} has no kernel `{name}` (it has: {known})")]
    NoKernel {
        /// The file as named by the caller.
        path: String,
        /// The name asked for.
        name: String,
        /// The kernels it has.
        known: String,
    },
}

/// Prepares the kernel `name` of a PTX file for launching; `path` is what
/// messages call the file.
pub fn load(text: &str, path: &str, name: &str) -> Result<Kernel, LoadError> {
    let module = ptx::parse(text, path)?;
    if module.address_size != 64 {
        return Err(LoadError::Refused {
            path: path.to_owned(),
            line: 1,
            message: format!(
                "addresses of {} bits are not supported, only of 64",
                module.address_size
            ),
        });
    }
    let entries = || {
        module.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.entry => Some(function),
            _ => None,
        })
    };
    match entries().find(|function| function.name == name) {
        Some(function) => {
            let mut kernel = lower::lower(&module, function, path)?;
            kernel.data.module = fingerprint(text);
            Ok(kernel)
        }
        None => Err(LoadError::NoKernel {
            path: path.to_owned(),
            name: name.to_owned(),
            known: entries().map(|function| function.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Tells the texts of modules apart.
fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
