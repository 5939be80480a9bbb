//! Initial values of `__constant__` and `__device__` variables, which a program would copy to the
//! GPU: they are written into the PTX.

use super::args::{Argument, Fill, Value};
use super::expr::Expr;
use super::header::{self, Located};
use super::kernels::mangles;
use super::{OwnError, OwnFile, Problem, fill, variables};
use crate::emulator::ptx::{self, Item, Space, Variable};
use crate::experiment::{Distribution, UnknownName};
use crate::work::HostBuffer;

/// Maximum size of a variable in bytes: all constants of a module have 64 KiB.
const MOST_BYTES: u64 = 64 << 10;

/// Random values are the same in every case.
const SEED: u64 = 7;

/// The PTX of a file with the values that its header block gives under `constants`, and with the
/// variables that it names among arguments as parameters.
///
/// # Errors
/// If the block or the PTX cannot be read, a variable is not there, or has another size.
pub fn with_constants(file: &OwnFile) -> Result<String, OwnError> {
    let of = || {
        let header = header::read(&file.source)?;
        let set = |ptx: String, it| set(&ptx, &file.name, it);
        let ptx = header.constants.iter().try_fold(file.ptx.clone(), set)?;
        variables::of_header(file, &ptx, &header)
    };
    of().map_err(|Problem { line, message }| OwnError { file: file.name.clone(), line, message })
}

/// Writes one variable's values into `ptx`.
fn set(ptx: &str, file: &str, written: &Located<String>) -> Result<String, Problem> {
    let argument = Argument::read(written, &[])?;
    let (name, line) = (&argument.name, written.line);
    let wrong = |reason: String| Problem::new(line, reason);
    let module = ptx::parse(ptx, file).map_err(|error| wrong(error.message))?;
    let variables: Vec<&Variable> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Variable(it) if matches!(it.space, Space::Const | Space::Global) => Some(it),
            _ => None,
        })
        .collect();
    let found = variables.iter().find(|it| it.name == name || mangles(it.name, name));
    let Some(variable) = found else {
        let names: Vec<&str> = variables.iter().map(|it| it.name).collect();
        let error = UnknownName::new("variable that kernels use", name, &names);
        return Err(wrong(error.to_string()));
    };
    let bytes = values(&argument).map_err(&wrong)?;
    let width = width(variable);
    let size = variable.count.unwrap_or(0) * width as u64;
    if size != bytes.len() as u64 {
        let reason = format!("`{name}` has {} bytes here and {size} in the kernels", bytes.len());
        return Err(wrong(reason));
    }
    let values: Vec<String> =
        bytes.chunks(width.max(1)).map(|it| number(it, variable.ty)).collect();
    // The declaration: `.const .align 4 .b8 name[68];`
    let from: usize =
        ptx.split_inclusive('\n').take(variable.position.line as usize - 1).map(str::len).sum();
    let declaration = ptx.get(from..).unwrap_or_default();
    let (head, rest) = split_behind(declaration, variable.name)
        .ok_or_else(|| wrong(format!("the declaration of `{name}` cannot be read")))?;
    let (dimensions, rest) = rest.split_at(end(rest));
    let dimensions = dimensions.split('=').next().unwrap_or_default().trim_end();
    let values = match &values[..] {
        [one] if dimensions.is_empty() => one.clone(),
        all => format!("{{{}}}", all.join(",")),
    };
    let before = ptx.get(..from).unwrap_or_default();
    Ok(format!("{before}{head}{dimensions} = {values}{rest}"))
}

/// Bytes of a value of a variable's type.
pub(super) fn width(variable: &Variable) -> usize {
    variable.ty.get(1..).and_then(|bits| bits.parse::<usize>().ok()).unwrap_or(8) / 8
}

/// Splits a text after the first occurrence of a whole word. In `.align` and `.a`, `a` is not a whole word.
pub(super) fn split_behind<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let of_word = |c: char| c.is_alphanumeric() || "_$%.".contains(c);
    text.match_indices(word).map(|(at, _)| (&text[..at], text.split_at(at + word.len()))).find_map(
        |(before, parts)| {
            (!before.ends_with(of_word) && !parts.1.starts_with(of_word)).then_some(parts)
        },
    )
}

/// Where a declaration ends: at a `;`, or at a `,` outside of braces.
fn end(declaration: &str) -> usize {
    let mut depth = 0_u32;
    let found = declaration.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ';' || c == ',' && depth == 0
    });
    found.unwrap_or(declaration.len())
}

/// The bytes of an argument.
fn values(argument: &Argument) -> Result<Vec<u8>, String> {
    let Argument { name, element, value, .. } = argument;
    let (len, fill) = match value {
        Value::Scalar(expr) => {
            expr.value(&|_| None).map_err(|error| format!("`{name}`: {error}"))?;
            return Ok(fill::each(*element, expr, &|_| None, 1).to_bytes());
        }
        Value::Buffer(len, fill) => (len, fill),
        Value::Struct(_) => return Err(format!("`{name}`: write numbers, not a structure")),
    };
    let len = len.whole(&|_| None).map_err(|error| format!("the length of `{name}`: {error}"))?;
    let len = u64::try_from(len).ok().filter(|it| it.saturating_mul(element.bytes()) <= MOST_BYTES);
    let len = len.ok_or_else(|| format!("`{name}` has more than {MOST_BYTES} bytes"))?;
    let buffer = match fill {
        Fill::Zeros => HostBuffer::zeroed(*element, len as usize),
        Fill::Each(expr) => match fill::fault(expr, &|_| None, len) {
            Some((index, error)) => return Err(format!("`{name}`: {error}, where i = {index}")),
            None => fill::each(*element, expr, &|_| None, len as usize),
        },
        Fill::Drawn(dist, bounds) => {
            let whole = |expr: &Expr| {
                expr.whole(&|_| None).map_err(|error| format!("the bound of `{name}`: {error}"))
            };
            let range = bounds.as_ref().map(|bounds| {
                let least = bounds.least.as_ref().map_or(Ok(0), whole)?;
                let below = whole(&bounds.below)?;
                let count = below.checked_sub(least).and_then(|it| u64::try_from(it).ok());
                let count = count.filter(|it| *it > 0);
                let wrong =
                    || format!("the bound of `{name}` is {below} here; it is to be above {least}");
                Ok::<_, String>((least, count.ok_or_else(wrong)?))
            });
            let dist = dist.unwrap_or(Distribution::Uniform);
            let drawn = fill::drawn(*element, dist, range.transpose()?, SEED, len as usize);
            if bounds.as_ref().is_some_and(|it| it.sums) { fill::summed(drawn) } else { drawn }
        }
        Fill::From(_) => return Err(format!("`{name}`: a constant is no output of a kernel")),
    };
    Ok(buffer.to_bytes())
}

/// A number of a PTX type, from its bytes.
fn number(bytes: &[u8], ty: &str) -> String {
    let bits = bytes.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    match ty {
        "f32" => format!("0f{bits:08X}"),
        "f64" => format!("0d{bits:016X}"),
        _ => bits.to_string(),
    }
}
