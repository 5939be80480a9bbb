//! Arguments of kernels, as a header block writes them: `in: f32[n] uniform`, `n: u32 = n`,
//! `size: { x: u32 = n, y: u32 = 1 }`.

use super::Problem;
use super::ctype::{CType, Scalar};
use super::expr::Expr;
use super::header::Located;
use super::kernels::Kernel;
use super::signature::Signature;
use crate::experiment::{Distribution, UnknownName};
use crate::work::Element;

mod layout;

pub(super) use layout::offsets;

/// An argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    /// Name. That of a member has the name of its structure before it: `size.x`.
    pub(super) name: String,
    /// Line in the file.
    pub(super) line: u32,
    /// Type of the value, or of the elements; of a structure no type of its own.
    pub(super) element: Element,
    /// What it holds.
    pub(super) value: Value,
}

/// What an argument holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A number.
    Scalar(Expr),
    /// A buffer of this many elements.
    Buffer(Expr, Fill),
    /// A structure with these members.
    Struct(Vec<Argument>),
}

/// What a buffer holds before the launch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fill {
    /// Zeros.
    Zeros,
    /// Random values. Without a distribution, that of the experiment is used.
    Drawn(Option<Distribution>, Option<Bounds>),
    /// The value of an expression for each index `i`.
    Each(Expr),
    /// The contents of the buffer of the same name after this kernel has run.
    From(String),
}

/// The bounds of random whole numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bounds {
    /// The smallest number. Without one it is 0.
    pub(super) least: Option<Expr>,
    /// A number above the largest.
    pub(super) below: Expr,
    /// Whether each element is the sum of those before it.
    pub(super) sums: bool,
}

/// The name of an index in [`Fill::Each`].
pub(super) const INDEX: &str = "i";

/// What precedes the distribution of numbers whose running sums a buffer holds.
pub(super) const SUMS: &str = "sums of ";

/// A null pointer.
pub(super) const NULL: &str = "null";

/// How an argument is written.
const FORM: &str = "write \"NAME: TYPE[LENGTH] FILL\", \"NAME: TYPE = VALUE\", or for a `struct` \
                    \"NAME: { MEMBER, … }\"";

/// Maximum nesting of structures.
const MOST_DEPTH: usize = 8;

impl Argument {
    /// Reads an argument whose expressions may use the names `known`.
    pub(super) fn read(written: &Located<String>, known: &[&str]) -> Result<Self, Problem> {
        Self::read_within("", written, known)
    }

    /// The same of a member, whose structure's name is `prefix`.
    fn read_within(
        prefix: &str,
        written: &Located<String>,
        known: &[&str],
    ) -> Result<Self, Problem> {
        let Located { line, value: text } = written;
        let wrong = |reason: String| Problem::new(*line, format!("argument `{text}`: {reason}"));
        let expr = |text: &str, known: &[&str]| {
            Expr::read(text, known).map_err(|error| wrong(error.to_string()))
        };
        let (name, rest) = text.split_once(':').ok_or_else(|| wrong(FORM.to_owned()))?;
        let (name, rest) = (name.trim(), rest.trim());
        if !is_name(name) {
            return Err(wrong(format!("`{name}` is no name; {FORM}")));
        }
        let name = format!("{prefix}{name}");
        if let Some(members) = rest.strip_prefix('{') {
            let members = members
                .strip_suffix('}')
                .ok_or_else(|| wrong("it has no `}` at its end".into()))?;
            if name.matches('.').count() >= MOST_DEPTH {
                return Err(wrong(format!(
                    "it has more than {MOST_DEPTH} structures in each other"
                )));
            }
            let member = |text: &str| {
                let written = Located { line: *line, value: text.trim().to_owned() };
                Self::read_within(&format!("{name}."), &written, known)
            };
            let members = parts(members).into_iter().map(member).collect::<Result<Vec<_>, _>>()?;
            let value = Value::Struct(members);
            return Ok(Self { name, line: *line, element: Element::U8, value });
        }
        if rest == NULL {
            let value = Value::Scalar(expr("0", known)?);
            return Ok(Self { name, line: *line, element: Element::U64, value });
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (ty, rest) = rest.split_at(end);
        let element = Element::ALL.into_iter().find(|it| it.short() == ty).ok_or_else(|| {
            let known: Vec<&str> =
                Element::ALL.map(Element::short).into_iter().chain([NULL]).collect();
            wrong(UnknownName::new("type", ty, &known).to_string())
        })?;
        let rest = rest.trim();
        let value = if let Some(rest) = rest.strip_prefix('[') {
            let (len, fill) = rest.split_once(']').ok_or_else(|| wrong(FORM.to_owned()))?;
            let fill = fill.trim();
            let fill = match fill.strip_prefix('=') {
                Some(each) => {
                    let with_index: Vec<&str> = known.iter().copied().chain([INDEX]).collect();
                    Fill::Each(expr(each, &with_index)?)
                }
                None if fill.is_empty() || fill == "zeros" => Fill::Zeros,
                None if fill.split_whitespace().next() == Some("from") => {
                    let kernel = fill.trim_start_matches("from").trim();
                    if !is_name(kernel) {
                        return Err(wrong(format!(
                            "`{fill}` names no kernel; write `from KERNEL`"
                        )));
                    }
                    Fill::From(kernel.to_owned())
                }
                None => {
                    let summed = fill.strip_prefix(SUMS);
                    let (name, below) = match summed.unwrap_or(fill).split_once(" below ") {
                        None if summed.is_some() => {
                            return Err(wrong(format!(
                                "`{fill}` sums whole numbers; write `{SUMS}uniform below EXPRESSION`"
                            )));
                        }
                        None => (fill, None),
                        Some(_) if !element.is_integer() => {
                            return Err(wrong("`below` is for whole numbers".to_owned()));
                        }
                        Some((drawn, below)) => {
                            let (name, least) = drawn
                                .split_once(" from ")
                                .map_or((drawn, None), |it| (it.0, Some(it.1)));
                            let least = least.map(|it| expr(it, known)).transpose()?;
                            let (below, sums) = (expr(below, known)?, summed.is_some());
                            (name.trim(), Some(Bounds { least, below, sums }))
                        }
                    };
                    let dist = name.parse().map(Some).or_else(|error| match name {
                        "dist" => Ok(None),
                        _ => Err(wrong(format!(
                            "{error}; `zeros`, `dist`, `= EXPRESSION` and `from KERNEL` fill it too"
                        ))),
                    });
                    Fill::Drawn(dist?, below)
                }
            };
            Value::Buffer(expr(len, known)?, fill)
        } else if let Some(value) = rest.strip_prefix('=') {
            Value::Scalar(expr(value, known)?)
        } else {
            return Err(wrong(format!("a number takes a value, a buffer a length; {FORM}")));
        };
        Ok(Self { name, line: *line, element, value })
    }

    /// What it is in C, for messages: `float *in`.
    fn declaration(&self) -> String {
        let Self { name, element, .. } = self;
        match self.value {
            Value::Scalar(_) => format!("{} {name}", element.c_name()),
            Value::Buffer(..) => format!("{} *{name}", element.c_name()),
            Value::Struct(_) => format!("struct of {} bytes {name}", self.layout(false).0),
        }
    }

    /// Whether it fits a parameter of this type and size in bytes. PTX does not tell pointers from
    /// 64-bit integers.
    fn fits(&self, ctype: &CType, bytes: u64, is_ptx: bool) -> bool {
        let alike = |found: Element| {
            found == self.element
                || (found.bytes() == self.element.bytes()
                    && (is_ptx || found.is_integer() == self.element.is_integer()))
        };
        match (ctype, &self.value) {
            (CType::Pointer { to, .. }, Value::Buffer(..)) => match to {
                Scalar::Number(found) | Scalar::Vector(found, _) => alike(*found),
                Scalar::Bool => self.element.bytes() == 1,
                Scalar::Opaque(_) => true,
            },
            (CType::Pointer { .. }, Value::Scalar(value)) => {
                self.element == Element::U64 && value.whole(&|_| None) == Ok(0)
            }
            (CType::Scalar(Scalar::Number(found)), Value::Buffer(..)) => {
                is_ptx && found.bytes() == 8
            }
            (CType::Scalar(Scalar::Number(found)), Value::Scalar(_)) => alike(*found),
            (CType::Scalar(Scalar::Bool), Value::Scalar(_)) => self.element.bytes() == 1,
            (CType::Scalar(Scalar::Opaque(_) | Scalar::Vector(..)) | CType::Other(_), _) => {
                matches!(self.value, Value::Struct(_))
                    && (self.layout(false).0 == bytes || self.has_vectors(bytes))
            }
            _ => false,
        }
    }
}

/// The parts of a text between commas that are in no brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    text.split(|c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|it| !it.trim().is_empty())
    .collect()
}

/// Whether a text can name a parameter or an argument.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
        && text.len() <= 60
}

/// Checks that arguments bind to the parameters of a kernel, by position.
pub(super) fn check(kernel: &Kernel, args: &[Argument], is_ptx: bool) -> Result<(), Problem> {
    let Kernel { signature: Signature { name, line, params }, bytes, .. } = kernel;
    let fits = |at: usize| match (args.get(at), params.get(at), bytes.get(at)) {
        (Some(arg), Some(param), Some(bytes)) => arg.fits(&param.ctype, *bytes, is_ptx),
        _ => false,
    };
    let count = args.len().max(params.len());
    if (0..count).all(fits) {
        return Ok(());
    }
    let text = |text: Option<String>| text.unwrap_or_default();
    let rows = (0..count).map(|at| {
        let wanted = params.get(at).zip(bytes.get(at)).map(|(param, bytes)| match &param.ctype {
            CType::Pointer { .. } | CType::Scalar(Scalar::Number(_) | Scalar::Bool) => {
                param.declaration()
            }
            _ => format!("{} ({bytes} bytes)", param.declaration()),
        });
        (text(args.get(at).map(Argument::declaration)), text(wanted), fits(at))
    });
    let table = side_by_side(("args", name), rows);
    Err(Problem::new(
        *line,
        format!(
            "the arguments do not fit the parameters of `{name}`; change `args`, or give it its \
             own in `[kernel.{name}]`\n{table}"
        ),
    ))
}

/// Two columns with a mark where they differ.
pub(super) fn side_by_side(
    (left, right): (&str, &str),
    rows: impl Iterator<Item = (String, String, bool)>,
) -> String {
    let rows: Vec<_> = rows.collect();
    let count = |text: &str| text.chars().count();
    let width = rows.iter().map(|row| count(&row.0)).chain([count(left)]).max().unwrap_or(0) + 3;
    let mut table = format!("    {left:<width$}{right}");
    for (left, right, fits) in rows {
        let mark = if fits { ' ' } else { '>' };
        table.push_str(format!("\n  {mark} {left:<width$}{right}").trim_end());
    }
    table
}
