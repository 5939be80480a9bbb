//! Structures that kernels take by value: `A: { width: i32 = n, elements: f32[n * n] uniform }`.

use super::buffer::{Shaped, Wanted};
use super::threads::Threads;
use super::types::built_in;
use super::usual;
use super::writer::Writer;
use crate::own::args::{Argument, NULL};
use crate::own::at::Names;
use crate::own::ctype::{CType, Scalar, scalar_of};
use crate::own::header::Located;
use crate::own::kernels::Kernel;
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

/// A parameter.
pub(super) struct Passed<'p> {
    pub(super) kernel: &'p Kernel,
    pub(super) index: usize,
    /// What the launch gives for it.
    pub(super) given: Option<&'p Given>,
    pub(super) threads: &'p Threads,
    /// The length of buffers that are not known.
    pub(super) length: &'p str,
}

/// How far the members of a parameter have been read.
#[derive(Default)]
struct Progress {
    /// Bytes before the next member.
    offset: u64,
    /// The last buffer that the kernel writes.
    output: Option<String>,
}

impl Writer<'_> {
    /// The members of a parameter. If those in the source do not have the bytes of the parameter,
    /// numbers stand for them.
    pub(super) fn structure(&mut self, name: &str, ctype: &CType, passed: &Passed) -> Structure {
        let mut progress = Progress::default();
        let text = self.members(name, &ctype.to_string(), passed, &mut progress, 0);
        let bytes = passed.kernel.bytes.get(passed.index).copied();
        let fits = |text: &String| {
            let written = Located { line: 0, value: format!("{name}: {text}") };
            let read = Argument::read(&written, &Names::FIXED);
            read.is_ok_and(|it| {
                bytes.is_some_and(|bytes| it.layout(false).0 == bytes || it.has_vectors(bytes))
            })
        };
        if let Some(text) = text.filter(fits) {
            return Structure { text, output: progress.output };
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
        passed: &Passed,
        progress: &mut Progress,
        depth: u32,
    ) -> Option<String> {
        let &Passed { kernel, index: param, given, threads, length } = passed;
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
            let of = self.host.behind_name(&field.of);
            let scalar = scalar_of(&of.split(' ').collect::<Vec<_>>());
            let (bytes, align) =
                if field.pointer { (8, 8) } else { built_in(&of).unwrap_or((0, 1)) };
            let offset = progress.offset.next_multiple_of(align);
            progress.offset = offset + bytes;
            let text = if field.pointer && given.as_ref().is_some_and(|it| it.null) {
                NULL.to_owned()
            } else if field.pointer {
                let to = scalar.unwrap_or_else(|| Scalar::Opaque(field.of.clone()));
                let used = kernel.uses.of(param, offset).copied();
                let said = || self.host.writes(&kernel.entry, &path).unwrap_or(true);
                let changes = used.map_or_else(said, |it| it.changes());
                let reads = || self.host.reads(&kernel.entry, &path);
                let memory = given.as_ref().and_then(|it| it.memory.as_ref());
                let wanted = Wanted {
                    name: &field.name,
                    to: &to,
                    memory,
                    written: changes && (used.is_some() || !reads()),
                    used: used.unwrap_or_default(),
                    reached: None,
                };
                let Shaped { shape, fill, .. } = self.buffer(&wanted, threads, length);
                if changes {
                    progress.output = Some(path);
                }
                format!("{shape} {fill}")
            } else if let Some(scalar @ (Scalar::Number(_) | Scalar::Bool)) = scalar {
                let ctype = CType::Scalar(scalar);
                let (element, said) = self.known_number(&ctype, given.as_ref(), threads);
                // Unknown integers are sizes more often than not.
                let large = element.is_integer() && element.bytes() >= 4;
                let usual = usual::whole(&field.name).filter(|_| large);
                let usual = usual.unwrap_or_else(|| if large { "n" } else { "1" }.to_owned());
                format!("{} = {}", element.short(), said.unwrap_or(usual))
            } else {
                let inner = Passed { given: None, ..*passed };
                self.members(&path, &of, &inner, progress, depth + 1)?
            };
            texts.push(format!("{}: {text}", field.name));
        }
        Some(format!("{{ {} }}", texts.join(", ")))
    }
}
