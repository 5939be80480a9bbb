//! The comment block `/* warpscope … */` of a file, which holds TOML.

use std::ops::Range;

use serde::Serialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Problem;
use crate::experiment::UnknownName;
use crate::syntax::{Kind, tokens};

mod values;

/// The first word of the block.
const MARK: &str = "warpscope";

/// Maximum length of the block in bytes.
const MOST: usize = 64 << 10;

/// A value with its line in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Located<T> {
    pub(super) line: u32,
    pub(super) value: T,
}

/// A parameter with its values; the first is the default.
pub(super) type ParamKey = (Located<String>, Vec<u64>);

/// A kernel's name with its keys.
type KernelKeys = (Located<String>, LaunchKeys);

/// What the block says. Texts are as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Header {
    /// Line of the block; `None` if the file has no block.
    pub(super) line: Option<u32>,
    /// The built-in algorithm that the kernels belong to.
    pub(super) like: Option<Located<String>>,
    /// Sizes of a sweep.
    pub(super) sizes: Option<Located<String>>,
    /// Parameters with their values; the first is the default.
    pub(super) params: Vec<ParamKey>,
    /// Variables of the module with their initial values.
    pub(super) constants: Vec<Located<String>>,
    /// The view of the output.
    pub(super) view: Option<Located<String>>,
    /// Relative error that an output may have, as written.
    pub(super) tolerance: Option<Located<String>>,
    /// Bytes through DRAM.
    pub(super) bytes: Option<Located<String>>,
    /// Floating-point operations.
    pub(super) flops: Option<Located<String>>,
    /// How kernels are launched.
    pub(super) launch: LaunchKeys,
    /// What differs for single kernels, by name.
    pub(super) kernels: Vec<KernelKeys>,
}

/// Keys that a kernel can override.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LaunchKeys {
    /// Threads per block, in one to three dimensions.
    pub(super) block: Option<Located<Vec<String>>>,
    /// Elements per thread.
    pub(super) coarsen: Option<Located<String>>,
    /// One to three expressions.
    pub(super) grid: Option<Located<Vec<String>>>,
    /// Dynamic shared memory in bytes.
    pub(super) shared: Option<Located<String>>,
    /// Arguments in the order of the kernel's parameters.
    pub(super) args: Option<Vec<Located<String>>>,
    /// The argument that is compared and shown.
    pub(super) output: Option<Located<String>>,
    /// The kernel whose output is right.
    pub(super) reference: Option<Located<String>>,
    /// In `[kernel.NAME]`: the kernel of the source that it launches, if NAME is a new name.
    pub(super) kernel: Option<Located<String>>,
}

/// Keys of the whole file, then those that a kernel can override.
const KEYS: [&str; 9] =
    ["like", "sizes", "params", "constants", "view", "tolerance", "bytes", "flops", KERNEL];
const LAUNCH_KEYS: [&str; 7] =
    ["block", "coarsen", "grid", "shared", "args", "output", "reference"];
const KERNEL: &str = "kernel";

/// The block of a source; an empty header if it has none.
pub(super) fn read(source: &str) -> Result<Header, Problem> {
    let mut blocks = tokens(source).filter(|token| {
        let text = token.text.trim_start();
        token.kind == Kind::Comment
            && text
                .strip_prefix(MARK)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    });
    let Some(block) = blocks.next() else { return Ok(Header::default()) };
    if let Some(second) = blocks.next() {
        let message = format!("a second `/* {MARK}` block; the first is in line {}", block.line);
        return Err(Problem::new(second.line, message));
    }
    if block.text.len() > MOST {
        return Err(Problem::new(block.line, format!("the block has more than {MOST} bytes")));
    }
    // Blanks in place of the mark keep every offset.
    let text = block.text.replacen(MARK, &" ".repeat(MARK.len()), 1);
    let reader = Reader { first_line: block.line, text: &text };
    let table = DeTable::parse(&text).map_err(|error| {
        let line = error.span().map_or(block.line, |span| reader.line(&span));
        Problem::new(line, format!("the block is no valid TOML: {}", error.message()))
    })?;
    reader.header(table.get_ref())
}

struct Reader<'a> {
    first_line: u32,
    text: &'a str,
}

impl Reader<'_> {
    fn line(&self, span: &Range<usize>) -> u32 {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        self.first_line + before.bytes().filter(|&byte| byte == b'\n').count() as u32
    }

    fn header(&self, table: &DeTable) -> Result<Header, Problem> {
        let mut header = Header { line: Some(self.first_line), ..Header::default() };
        for (key, value) in table {
            let (name, line) = (key.get_ref().as_ref(), self.line(&key.span()));
            let text = || self.text(name, value);
            match name {
                "like" => header.like = Some(text()?),
                "sizes" => header.sizes = Some(self.sizes(value)?),
                "view" => header.view = Some(text()?),
                "tolerance" => header.tolerance = Some(self.number(name, value)?),
                "bytes" => header.bytes = Some(self.expression(name, value)?),
                "flops" => header.flops = Some(self.expression(name, value)?),
                "params" => header.params = self.params(value)?,
                "constants" => header.constants = self.args(name, value)?,
                KERNEL => header.kernels = self.kernels(value)?,
                _ if self.launch_key(&mut header.launch, name, value)? => {}
                _ => {
                    let known = [&KEYS[..], &LAUNCH_KEYS].concat();
                    let error = UnknownName::new("key", name, &known);
                    return Err(Problem::new(line, error.to_string()));
                }
            }
        }
        Ok(header)
    }

    /// Reads a key that a kernel can override; whether it is one.
    fn launch_key(
        &self,
        keys: &mut LaunchKeys,
        name: &str,
        value: &Spanned<DeValue>,
    ) -> Result<bool, Problem> {
        match name {
            "block" => keys.block = Some(self.dimensions(name, value)?),
            "coarsen" => keys.coarsen = Some(self.expression(name, value)?),
            "shared" => keys.shared = Some(self.expression(name, value)?),
            "grid" => keys.grid = Some(self.dimensions(name, value)?),
            "args" => keys.args = Some(self.args(name, value)?),
            "output" => keys.output = Some(self.text(name, value)?),
            "reference" => keys.reference = Some(self.text(name, value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn kernels(&self, value: &Spanned<DeValue>) -> Result<Vec<KernelKeys>, Problem> {
        let table = self.table(KERNEL, value, "`[kernel.NAME]`")?;
        let mut kernels = Vec::new();
        for (kernel, value) in table {
            let name = kernel.get_ref().as_ref();
            let mut keys = LaunchKeys::default();
            for (key, value) in self.table(&format!("kernel.{name}"), value, "keys")? {
                let key_name = key.get_ref().as_ref();
                if key_name == KERNEL {
                    keys.kernel = Some(self.text(key_name, value)?);
                } else if !self.launch_key(&mut keys, key_name, value)? {
                    let known = [&LAUNCH_KEYS[..], &[KERNEL]].concat();
                    let error = UnknownName::new("key of a kernel", key_name, &known);
                    return Err(Problem::new(self.line(&key.span()), error.to_string()));
                }
            }
            let line = self.line(&kernel.span());
            kernels.push((Located { line, value: name.to_owned() }, keys));
        }
        kernels.sort_by_key(|(name, _)| name.line);
        Ok(kernels)
    }

    fn params(&self, value: &Spanned<DeValue>) -> Result<Vec<ParamKey>, Problem> {
        let mut params = Vec::new();
        for (key, value) in self.table("params", value, "a table such as { radius = [2, 1, 4] }")? {
            let name = key.get_ref().as_ref();
            let what = format!("params.{name}");
            let given: Vec<&Spanned<DeValue>> = match value.get_ref() {
                DeValue::Array(values) => values.iter().collect(),
                _ => vec![value],
            };
            let count = |value: &&Spanned<DeValue>| {
                let text = match value.get_ref() {
                    DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_owned(),
                    DeValue::String(text) => text.to_string(),
                    _ => return Err(self.wrong(&what, value, "whole numbers, the default first")),
                };
                crate::units::parse_count(&text.replace('_', "")).map_err(|error| {
                    Problem::new(self.line(&value.span()), format!("`{what}`: {error}"))
                })
            };
            let values = given.iter().map(count).collect::<Result<Vec<_>, _>>()?;
            let line = self.line(&key.span());
            params.push((Located { line, value: name.to_owned() }, values));
        }
        params.sort_by_key(|(name, _)| name.line);
        Ok(params)
    }
}
