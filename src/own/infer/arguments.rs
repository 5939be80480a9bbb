//! The arguments of a kernel.

use super::buffer::{Shaped, Wanted};
use super::output::{output, writes};
use super::structure::Passed;
use super::threads::Threads;
use super::writer::Writer;
use crate::own::args::NULL;
use crate::own::ctype::{CType, Scalar};
use crate::own::kernels::Kernel;
use crate::syntax::Launch;

/// The kernel whose arguments are wanted.
pub(super) struct Arguments<'a> {
    /// Its place among the kernels.
    pub(super) at: usize,
    pub(super) kernel: &'a Kernel,
    pub(super) launch: Option<&'a Launch>,
    pub(super) threads: &'a Threads,
    /// The length of buffers that are not known.
    pub(super) length: &'a str,
}

/// Arguments as text.
#[derive(Default)]
pub(super) struct Written {
    pub(super) args: Vec<String>,
    /// Whether each is a buffer whose length is a guess.
    pub(super) guessed: Vec<bool>,
    /// The name of the output.
    pub(super) output: Option<String>,
}

impl Writer<'_> {
    /// The arguments, with the lengths that were found by running the kernel.
    pub(super) fn arguments(&mut self, of: &Arguments, lengths: &[Option<String>]) -> Written {
        let &Arguments { at, kernel, launch, threads, length } = of;
        let square = length == "n * n";
        let output = output(self.host, kernel, launch);
        let params = &kernel.signature.params;
        let given = |index: usize| launch.and_then(|it| it.arguments.get(index));
        // If no length is known, the first integer is `n`.
        let mut sized = params.iter().enumerate().filter_map(|(index, _)| given(index)).any(|it| {
            it.memory.as_ref().is_some_and(|it| it.bytes.is_some() || it.elements.is_some())
                || it
                    .value
                    .as_ref()
                    .and_then(|it| self.say(it, threads))
                    .is_some_and(|it| it == "n")
        });
        let mut found = Written::default();
        for (index, param) in params.iter().enumerate() {
            let is_output = output == Some(index);
            let mut is_guess = false;
            let (name, text) = match &param.ctype {
                CType::Pointer { .. } if given(index).is_some_and(|it| it.null) => {
                    (param.name.clone(), NULL.to_owned())
                }
                CType::Pointer { to, .. } => {
                    let memory = given(index).and_then(|it| it.memory.clone());
                    let declared = || self.host.variable_memory(&param.name).map(|it| it.1);
                    let is_variable = kernel.is_variable(index);
                    let memory = memory.or_else(|| is_variable.then(declared).flatten());
                    let memory = memory.as_ref();
                    let used = kernel.uses.of(index, 0).copied().unwrap_or_default();
                    let written = is_output || writes(self.host, kernel, index);
                    let reached = lengths.get(index).and_then(Option::as_deref);
                    let wanted = Wanted { name: &param.name, to, memory, written, used, reached };
                    let Shaped { shape, fill, guessed } = self.buffer(&wanted, threads, length);
                    is_guess = guessed;
                    let left = memory.and_then(|it| self.produced_in(at, &it.name, &shape));
                    if let Some((name, first)) = left {
                        (name, format!("{shape} from {first}"))
                    } else {
                        let text = format!("{shape} {fill}");
                        (self.shared_name(kernel, param, memory, &text), text)
                    }
                }
                CType::Scalar(Scalar::Number(_) | Scalar::Bool) => {
                    let number = self.number(param, given(index), threads, (&mut sized, square));
                    (param.name.clone(), number)
                }
                ctype => {
                    let given = given(index);
                    let passed = Passed { kernel, index, given, threads, length };
                    let structure = self.structure(&param.name, ctype, &passed);
                    found.output = structure.output.or(found.output);
                    (param.name.clone(), structure.text)
                }
            };
            if is_output {
                found.output = Some(name.clone());
            }
            found.args.push(format!("{name}: {text}"));
            found.guessed.push(is_guess);
        }
        found
    }
}
