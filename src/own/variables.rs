//! `__device__` and `__managed__` variables as buffers: a kernel whose `args` name some behind its own
//! parameters gets their addresses as further parameters, and its PTX uses those.

use super::args::{Argument, Value};
use super::at::Names;
use super::constants::{split_behind, width};
use super::header::{Header, Located};
use super::kernels::mangles;
use super::{OwnFile, Problem};
use crate::emulator::ptx::{self, Function, Item, Space, Variable};
use crate::experiment::UnknownName;

/// Between the names of the kernel and of the variable, in the name of a parameter.
const MARK: &str = "_variable_";

/// The variable that a parameter of the PTX stands for.
pub(super) fn variable(param: &str) -> Option<&str> {
    param.split_once(MARK).map(|it| it.1)
}

/// The variables that kernels use, with their names in the source: of each kernel, in the order of
/// the module.
pub(super) fn used(ptx: &str) -> Vec<(String, Vec<String>)> {
    let Ok(module) = ptx::parse(ptx, "") else { return Vec::new() };
    let variables = variables(&module);
    let kernels = functions(&module).filter(|it| it.entry);
    let used = kernels.map(|kernel| {
        let own = variables.iter().filter(|it| uses(kernel, it.name));
        (kernel.name.to_owned(), own.map(|it| plain(it.name)).collect())
    });
    used.collect()
}

/// The PTX of a file with the variables that its header block names among the arguments of kernels.
///
/// # Errors
/// If a function that is no kernel uses the variable, or the buffer is too small for it.
pub(super) fn of_header(file: &OwnFile, ptx: &str, header: &Header) -> Result<String, Problem> {
    let Ok(module) = ptx::parse(ptx, &file.name) else { return Ok(ptx.to_owned()) };
    let variables = variables(&module);
    let mut wanted = Vec::new();
    for kernel in functions(&module).filter(|it| it.entry) {
        let named = |name: &str| name == kernel.name;
        let own = header
            .kernels
            .iter()
            .filter(|(name, keys)| named(keys.kernel.as_ref().map_or(&name.value, |it| &it.value)));
        let mut own = own.filter_map(|it| it.1.args.as_ref());
        let args = own.next().or(header.launch.args.as_ref());
        let further = args.and_then(|it| it.get(kernel.params.len()..)).unwrap_or_default();
        let mut names = Vec::new();
        for argument in further {
            let name = argument.value.split(':').next().unwrap_or_default().trim();
            let Some(variable) = variables.iter().find(|it| is_called(it, name)) else {
                let own: Vec<String> = variables
                    .iter()
                    .filter(|it| uses(kernel, it.name))
                    .map(|it| plain(it.name))
                    .collect();
                let own: Vec<&str> = own.iter().map(String::as_str).collect();
                // Where there are none, the name is reported with all arguments.
                if own.is_empty() {
                    continue;
                }
                let error = UnknownName::new("`__device__` variable", name, &own);
                return Err(Problem::new(argument.line, error.to_string()));
            };
            check(argument, name, variable)?;
            names.push(name.to_owned());
        }
        if !names.is_empty() {
            wanted.push((kernel.name.to_owned(), names));
        }
    }
    as_parameters(ptx, &wanted).map_err(|message| Problem::new(header.line, message))
}

/// The PTX with further parameters of kernels, each with the variables that it gets.
///
/// # Errors
/// If a function that is no kernel uses such a variable.
pub(super) fn as_parameters(ptx: &str, wanted: &[(String, Vec<String>)]) -> Result<String, String> {
    let Ok(module) = ptx::parse(ptx, "") else { return Ok(ptx.to_owned()) };
    let variables = variables(&module);
    let mut text = ptx.to_owned();
    // From the last one on: places before it stay as they are.
    let mut kernels: Vec<&Function> = functions(&module).filter(|it| it.entry).collect();
    kernels.sort_by_key(|it| std::cmp::Reverse(it.position.line));
    for kernel in kernels {
        let Some((_, names)) = wanted.iter().find(|it| it.0 == kernel.name) else { continue };
        let own = names.iter().filter_map(|name| variables.iter().find(|it| is_called(it, name)));
        let own: Vec<&Variable> = own.copied().collect();
        let shared = |it: &&&Variable| {
            functions(&module).any(|function| !function.entry && uses(function, it.name))
        };
        if let Some(variable) = own.iter().find(shared) {
            return Err(format!(
                "`{}` is used in a function that the compiler does not inline, so it cannot be a buffer; \
                 pass the function a pointer",
                plain(variable.name)
            ));
        }
        let found = with_parameters(&text, kernel, &own);
        text = found.ok_or_else(|| format!("the PTX of `{}` cannot be read", kernel.name))?;
    }
    Ok(text)
}

/// The PTX in which a kernel gets the addresses of variables as parameters.
fn with_parameters(text: &str, kernel: &Function, own: &[&Variable]) -> Option<String> {
    let line = kernel.position.line as usize - 1;
    let from: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let open = from + text.get(from..)?.find('(')?;
    let close = open + text.get(open..)?.find(')')?;
    let start = close + text.get(close..)?.find('{')? + 1;
    let mut depth = 1_u32;
    let length = text.get(start..)?.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let (head, body) = (text.get(..close)?.trim_end(), text.get(start..start + length)?);
    let (mut params, mut loads, mut body) = (String::new(), String::new(), body.to_owned());
    for (index, variable) in own.iter().enumerate() {
        let name = format!("{}{MARK}{}", kernel.name, plain(variable.name));
        let comma = if index > 0 || !kernel.params.is_empty() { "," } else { "" };
        params.push_str(&format!("{comma}\n\t.param .u64 {name}"));
        let register = format!("%variable_{index}");
        loads.push_str(&format!(
            "\n\t.reg .b64 {register};\n\tld.param.u64 {register}, [{name}];\n\t\
             cvta.to.global.u64 {register}, {register};"
        ));
        body = replaced(&body, variable.name, &register);
    }
    let between = text.get(close..start)?;
    Some(format!("{head}{params}\n{between}{loads}{body}{}", text.get(start + length..)?))
}

/// A text with another word for each occurrence of one.
fn replaced(mut text: &str, word: &str, with: &str) -> String {
    let mut found = String::new();
    while let Some((before, behind)) = split_behind(text, word) {
        found.push_str(before.strip_suffix(word).unwrap_or(before));
        found.push_str(with);
        text = behind;
    }
    found + text
}

/// Checks that a buffer is as large as its variable, unless its length depends on the size.
fn check(argument: &Located<String>, name: &str, variable: &Variable) -> Result<(), Problem> {
    let Ok(read) = Argument::read(argument, &Names::FIXED) else { return Ok(()) };
    let Value::Buffer(len, _) = &read.value else { return Ok(()) };
    // A length that is the same for any two sizes depends on none.
    let lengths = [1, 1000].map(|size| len.whole(&|_| Some(size)));
    if lengths[0] != lengths[1] {
        return Ok(());
    }
    let [bytes, _] = lengths.map(|it| it.map(|it| it.saturating_mul(read.element.bytes().into())));
    let needed = variable.count.unwrap_or(0).saturating_mul(width(variable) as u64);
    match bytes {
        Ok(bytes) if bytes < needed.into() => Err(Problem::new(
            argument.line,
            format!("`{name}` has {bytes} bytes here and {needed} in the kernels"),
        )),
        _ => Ok(()),
    }
}

fn functions<'m, 'a>(module: &'m ptx::Module<'a>) -> impl Iterator<Item = &'m Function<'a>> {
    module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        Item::Variable(_) => None,
    })
}

/// The variables in global memory.
fn variables<'m, 'a>(module: &'m ptx::Module<'a>) -> Vec<&'m Variable<'a>> {
    let found = module.items.iter().filter_map(|item| match item {
        Item::Variable(it) if it.space == Space::Global => Some(it),
        _ => None,
    });
    found.collect()
}

/// Whether an instruction of a function names a variable or a special register.
pub(super) fn uses(function: &Function, variable: &str) -> bool {
    let mut found = false;
    for operand in function.instructions().flat_map(|it| &it.operands) {
        operand.each_name(&mut |name| found |= name == variable);
    }
    found
}

/// Whether this is the name of a variable in the source.
fn is_called(variable: &Variable, name: &str) -> bool {
    variable.name == name || mangles(variable.name, name)
}

/// The name of a variable in the source: `counter` of `_ZN5space7counterE`.
fn plain(name: &str) -> String {
    let Some(mut rest) = name.strip_prefix("_Z") else { return name.to_owned() };
    rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
    let mut last = name;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let Ok(length) = rest[..digits].parse::<usize>() else { return last.to_owned() };
        let Some(word) = rest.get(digits..digits.saturating_add(length)) else {
            return last.to_owned();
        };
        (last, rest) = (word, &rest[digits + length..]);
    }
}
