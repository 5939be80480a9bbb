//! What a user's kernel has to accept to join the variants of a built-in algorithm.

use crate::experiment::Case;
use crate::work::{Element, Work};

/// The launch that a user's kernel takes in place of a built-in one.
#[derive(Debug)]
pub struct Contract {
    /// The built-in variant whose output, checks and view the kernel shares.
    pub variant: &'static str,
    /// Task of the kernel, in one sentence.
    pub task: &'static str,
    /// C parameters that a kernel can have, in the order of the arguments of the first
    /// launch of [`Contract::work`]. A kernel binds them by name; it may leave some out.
    pub params: &'static [CParam],
    /// The type `T` of the parameters, where it depends on the case.
    pub generic: Option<Generic>,
    /// Number of blocks, for people.
    pub grid: &'static str,
    /// Dynamic shared memory per block in bytes, for people. A kernel that declares no
    /// `extern __shared__` array gets none.
    pub shared: &'static str,
    /// Buffers and steps of a case. The first launch is the kernel's.
    pub work: fn(&Case) -> Work,
    /// Whether the template's work grows with the square of n.
    pub quadratic: bool,
    /// CUDA source of a kernel that fulfils the contract.
    pub template: &'static str,
}

/// A C parameter of a contract.
#[derive(Debug, Clone, Copy)]
pub struct CParam {
    /// Name in the kernel's signature.
    pub name: &'static str,
    /// Type.
    pub kind: CKind,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// A word parameter of the algorithm with a value that only kernels with this C
    /// parameter compute: `("binning", "range")`.
    pub needed_for: Option<(&'static str, &'static str)>,
}

/// The type of a C parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CKind {
    /// A pointer to elements that the kernel only reads.
    In(Of),
    /// A pointer to elements that the kernel writes.
    Out(Of),
    /// A number.
    Scalar(Element),
}

/// The element type behind a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// This one.
    Fixed(Element),
    /// [`Contract::generic`].
    T,
}

/// An element type that a parameter of the algorithm selects.
#[derive(Debug, Clone, Copy)]
pub struct Generic {
    /// The parameter, such as `dtype`.
    pub param: &'static str,
    /// The type in a case.
    pub of: fn(&Case) -> Element,
    /// Its value for each type: `("u32", Element::U32)`.
    pub values: &'static [(&'static str, Element)],
}

impl CParam {
    /// A pointer to elements that are read.
    pub const fn input(name: &'static str, of: Of, meaning: &'static str) -> Self {
        Self { name, kind: CKind::In(of), meaning, needed_for: None }
    }

    /// A pointer to elements that are written.
    pub const fn output(name: &'static str, of: Of, meaning: &'static str) -> Self {
        Self { name, kind: CKind::Out(of), meaning, needed_for: None }
    }

    /// A 32-bit unsigned integer.
    pub const fn count(name: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: CKind::Scalar(Element::U32), meaning, needed_for: None }
    }

    /// The same, needed wherever the algorithm's parameter has this value.
    pub const fn needed_for(self, param: &'static str, value: &'static str) -> Self {
        Self { needed_for: Some((param, value)), ..self }
    }

    /// Its declaration in C: `const unsigned int *values`.
    pub fn declaration(&self) -> String {
        let of = |of: Of| match of {
            Of::Fixed(element) => element.c_name(),
            Of::T => "T",
        };
        match self.kind {
            CKind::In(element) => format!("const {} *{}", of(element), self.name),
            CKind::Out(element) => format!("{} *{}", of(element), self.name),
            CKind::Scalar(element) => format!("{} {}", element.c_name(), self.name),
        }
    }
}
