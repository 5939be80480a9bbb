//! Type, length and content of buffers.

use super::simplify::simplify;
use super::text::{degree, text};
use super::threads::Threads;
use super::types::{elements_of, halves, of_members};
use super::usual;
use super::writer::Writer;
use crate::own::args::SUMS;
use crate::own::at::Names;
use crate::own::ctype::{CType, Scalar};
use crate::own::expr::Expr;
use crate::own::signature::SignatureParam;
use crate::own::uses::{Does, Use};
use crate::syntax::{Memory, Op, Value, Written};
use crate::work::Element;

/// A buffer of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    /// The parameter.
    pub(super) name: &'w str,
    /// The type of its elements.
    pub(super) to: &'w Scalar,
    /// The memory that host code gives.
    pub(super) memory: Option<&'w Memory>,
    /// Whether the kernel writes it, as far as is known.
    pub(super) written: bool,
    /// What its PTX shows.
    pub(super) used: Use,
    /// The length that was found by running the kernel.
    pub(super) reached: Option<&'w str>,
}

/// A buffer as an argument has it: its type and length, such as `f32[n]`, its content, and whether
/// the length is a guess.
pub(super) struct Shaped {
    pub(super) shape: String,
    pub(super) fill: String,
    pub(super) guessed: bool,
}

/// Random whole numbers from the first on, below the second.
pub(super) fn drawn(least: &str, below: &str) -> String {
    match least {
        "0" => format!("uniform below {below}"),
        _ => format!("uniform from {least} below {below}"),
    }
}

impl Wanted<'_> {
    /// Whether zeros will do for a buffer that host code fills with nothing: not for numbers that are
    /// changed in place, as by a sort, unless they are indices, such as links of a list.
    fn begins_with_zeros(&self) -> bool {
        let in_place = self.used.does(Does::Read) && self.used.only_stores();
        let is_data = in_place && !self.used.does(Does::Index) && self.used.bytes().is_none();
        self.written && !is_data
    }
}

impl Writer<'_> {
    /// Whether a parameter holds where rows begin, or is a structure with such a member.
    pub(super) fn has_offsets(&self, param: &SignatureParam) -> bool {
        match &param.ctype {
            CType::Pointer { .. } => usual::are_offsets(&param.name),
            CType::Other(of) => {
                let fields = self.host.fields(of).unwrap_or_default();
                fields.iter().any(|it| it.pointer && usual::are_offsets(&it.name))
            }
            CType::Scalar(_) => false,
        }
    }

    /// Type, length and content of a buffer. `length` is used if its memory is unknown.
    pub(super) fn buffer(&mut self, wanted: &Wanted, threads: &Threads, length: &str) -> Shaped {
        let Wanted { to, memory, used, .. } = *wanted;
        let listed = usual::of_rows(wanted.name).filter(|_| self.rows && memory.is_none());
        let length = listed.unwrap_or(length);
        let (element, lanes) = match to {
            Scalar::Vector(element, lanes) => (*element, u64::from(*lanes)),
            Scalar::Number(element) => (*element, 1),
            Scalar::Bool => (Element::U8, 1),
            Scalar::Opaque(name) => elements_of(self.host, name),
        };
        let elements = memory.and_then(|it| {
            let of_type = i128::from(element.bytes() * lanes);
            let (value, op, by) = match (&it.bytes, &it.elements) {
                (Some(bytes), _) => (bytes, Op::Divide, i128::from(element.bytes())),
                (None, elements) => (elements.as_ref()?, Op::Multiply, i128::from(lanes)),
            };
            // A length does not follow the block size just because both have the same value.
            let plain = Threads { name: None, numbers: threads.numbers.clone(), ..*threads };
            let value = self.simple(value, &plain, of_type as u64);
            let value = simplify(&Value::op(op, value, Value::Number(by)));
            Some((text(&value)?, degree(&value)))
        });
        let fixed = used.bytes().map(|it| (it.div_ceil(element.bytes()).to_string(), 0));
        let reached = wanted.reached.map(|it| {
            let power = Expr::read(it, &Names::FIXED).map_or(0, |it| u32::from(it.mentions("n")));
            (it.to_owned(), if it.contains("n * n") { 2 } else { power })
        });
        let known = elements.or(fixed).or(reached);
        let guessed = known.is_none();
        let (len, power) = known.unwrap_or_else(|| match (lanes, length) {
            (1, _) => (length.to_owned(), if length == "n * n" { 2 } else { 1 }),
            (lanes, _) => (format!("{lanes} * {length}"), if length == "n * n" { 2 } else { 1 }),
        });
        self.degree = self.degree.max(power);
        let written = memory.map_or(&Written::Nothing, |it| &it.written);
        let is_input = memory.is_some_and(|it| self.order.is_input(&it.name));
        let may_be_index = element.is_integer() && element.bytes() > 2;
        let say = |value: &Value| self.say(value, threads);
        let uniform = || "uniform".to_owned();
        let half = if let Scalar::Opaque(name) = to { halves(name) } else { None };
        let shape = format!("{}[{len}]", element.short());
        let shaped = |fill| Shaped { shape, fill, guessed };
        // What host code fills from a file, or by a loop that is not followed.
        let unknown = matches!(written, Written::Nothing | Written::Some);
        if self.rows && unknown && element.is_integer() && usual::are_offsets(wanted.name) {
            return shaped(usual::OFFSETS.to_owned());
        }
        let fill = match written {
            Written::Zeros | Written::Each(Value::Number(0)) => "zeros".to_owned(),
            Written::Nothing if wanted.begins_with_zeros() && !is_input => "zeros".to_owned(),
            Written::Sorted => "sorted".to_owned(),
            // Structures of several types: random bytes are no numbers, and no indices.
            _ if matches!(to, Scalar::Opaque(name) if of_members(self.host, name).is_none())
                && element == Element::U8 =>
            {
                "zeros".to_owned()
            }
            // The bits of numbers from 0 to 1.
            _ if let Some((_, one)) = half => format!("uniform below {}", one + 1),
            Written::Each(Value::Number(-1)) if element.range().is_some_and(|it| it.0 == 0) => {
                format!("= {}", element.range().map_or(0, |it| it.1))
            }
            Written::Each(value) if element.is_integer() => {
                say(value).map_or_else(uniform, |it| format!("= {it}"))
            }
            Written::Drawn(least, below) if let Some((smallest, largest)) = element.range() => {
                let ends = (least.number(), below.number().map(|it| it.saturating_sub(1)));
                let all = ends == (Some(smallest), Some(largest));
                let fits = !all
                    && ends.0.is_none_or(|it| (smallest..=largest).contains(&it))
                    && ends.1.is_none_or(|it| it <= largest);
                let said = say(least).zip(say(below)).filter(|_| fits);
                said.map_or_else(uniform, |(least, below)| drawn(&least, &below))
            }
            Written::Sums(least, below) if element.is_integer() => {
                let said = say(least).zip(say(below));
                said.map_or_else(uniform, |it| format!("{SUMS}{}", drawn(&it.0, &it.1)))
            }
            // They may be indices.
            _ if may_be_index && (memory.is_some() || used.does(Does::Index)) => {
                format!("uniform below {}", self.places)
            }
            _ => uniform(),
        };
        shaped(fill)
    }
}
