//! Structures that kernels take by value: `A: { width: i32 = n, elements: f32[n * n] uniform }`.

use super::threads::Threads;
use super::writer::{Access, Writer};
use crate::own::args::Argument;
use crate::own::at::Names;
use crate::own::ctype::{CType, Scalar, scalar_of};
use crate::own::header::Located;
use crate::own::kernels::Kernel;
use crate::own::uses::Use;
use crate::syntax::{Field, Given};

/// Maximum number of words that stand for unknown members.
const MOST_WORDS: u64 = 64;

/// Maximum nesting of structures.
const MOST_DEPTH: u32 = 4;

/// The members of a structure.
pub(super) struct Structure {
    /// As an argument has them.
    pub(super) text: String,
    /// The last buffer that the kernel writes.
    pub(super) output: Option<String>,
}

/// What is known of a parameter: its kernel, what the launch gives for it, and its bytes.
pub(super) type Passed<'p> = (&'p Kernel, Option<&'p Given>, Option<u64>);

impl Writer<'_> {
    /// The members of a parameter. If those in the source do not have the bytes of the parameter,
    /// numbers stand for them.
    pub(super) fn structure(
        &mut self,
        name: &str,
        ctype: &CType,
        (kernel, given, bytes): Passed,
        threads: &Threads,
        length: &str,
    ) -> Structure {
        let of = ctype.to_string();
        let mut output = None;
        let text = self.members(name, &of, (kernel, given), (threads, length), &mut output, 0);
        let fits = |text: &String| {
            let written = Located { line: 0, value: format!("{name}: {text}") };
            let read = Argument::read(&written, &Names::FIXED);
            read.is_ok_and(|it| {
                bytes.is_some_and(|bytes| it.layout(false).0 == bytes || it.has_vectors(bytes))
            })
        };
        if let Some(text) = text.filter(fits) {
            return Structure { text, output };
        }
        let bytes = bytes.unwrap_or(4);
        let words = (0..bytes / 4).map(|it| format!("word{it}: u32 = 1"));
        let rest = (0..bytes % 4).map(|it| format!("byte{it}: u8 = 1"));
        let all: Vec<String> = words.take(MOST_WORDS as usize).chain(rest).collect();
        Structure { text: format!("{{ {} }}", all.join(", ")), output: None }
    }

    fn members(
        &mut self,
        path: &str,
        of: &str,
        (kernel, given): (&Kernel, Option<&Given>),
        (threads, length): (&Threads, &str),
        output: &mut Option<String>,
        depth: u32,
    ) -> Option<String> {
        let fields = match scalar_of(&of.split(' ').collect::<Vec<_>>()) {
            Some(Scalar::Vector(element, lanes)) => {
                let names = ["x", "y", "z", "w"].iter().take(lanes.into());
                let of = element.c_name().to_owned();
                let field = |name: &&str| Field {
                    name: (*name).to_owned(),
                    of: of.clone(),
                    pointer: false,
                };
                names.map(field).collect()
            }
            _ => self.host.fields(of).filter(|_| depth < MOST_DEPTH)?,
        };
        let mut texts = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let path = format!("{path}.{}", field.name);
            let given = given.filter(|_| depth == 0);
            let given = given.map(|it| self.host.field(&it.place, of, index, &field.name));
            let scalar = scalar_of(&field.of.split(' ').collect::<Vec<_>>());
            let text = if field.pointer {
                let to = scalar.unwrap_or_else(|| Scalar::Opaque(field.of.clone()));
                let written = self.host.writes(&kernel.entry, &path).unwrap_or(true);
                let memory = given.as_ref().and_then(|it| it.memory.as_ref());
                let only_written = written && !self.host.reads(&kernel.entry, &path);
                let access = Access { written: only_written, used: Use::default() };
                let (shape, fill) = self.buffer(&to, memory, threads, access, length);
                if written {
                    *output = Some(path);
                }
                format!("{shape} {fill}")
            } else if let Some(scalar @ (Scalar::Number(_) | Scalar::Bool)) = scalar {
                let ctype = CType::Scalar(scalar);
                let (element, said) = self.known_number(&ctype, given.as_ref(), threads);
                // Unknown integers are sizes more often than not.
                let large = element.is_integer() && element.bytes() >= 4;
                let usual = if large { "n" } else { "1" };
                format!("{} = {}", element.short(), said.as_deref().unwrap_or(usual))
            } else {
                let of = (kernel, None);
                self.members(&path, &field.of, of, (threads, length), output, depth + 1)?
            };
            texts.push(format!("{}: {text}", field.name));
        }
        Some(format!("{{ {} }}", texts.join(", ")))
    }
}
