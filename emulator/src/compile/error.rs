//! Why PTX cannot be run.

use crate::ptx::ParseError;

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
