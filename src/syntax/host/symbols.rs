//! Variables of the GPU that host code copies values to: `cudaMemcpyToSymbol(filter, h, bytes)`.

use super::Host;
use super::memory::{Memory, Written};
use super::value::Value;
use crate::syntax::lexer::Kind;

/// Functions that copy to a variable.
const COPY: [&str; 2] = ["cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"];

/// Words of a declaration that are no part of its type.
const MARKS: [&str; 7] =
    ["__constant__", "__device__", "__managed__", "static", "extern", "const", "volatile"];

/// A function that copies from a variable.
const COPY_BACK: &str = "cudaMemcpyFromSymbol";

/// A variable that host code copies values to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Symbol {
    /// Its name.
    pub(crate) name: String,
    /// The type of its elements.
    pub(crate) of: String,
    /// Its number of elements, unless it is no array.
    pub(crate) elements: Option<Value>,
    /// The number that it is set to, where it is no array.
    pub(crate) value: Option<Value>,
    /// What the host copies to it.
    pub(crate) written: Written,
}

/// A declaration of a variable of the GPU.
struct Declared {
    /// Its place.
    at: usize,
    /// The type of its elements.
    of: String,
    /// Their number, if it is an array.
    elements: Option<Value>,
}

impl Host<'_> {
    /// The variables that host code copies values to, in the order of the first copies.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        let mut calls: Vec<usize> = COPY.iter().flat_map(|it| self.all(it)).copied().collect();
        calls.sort_unstable();
        let mut found: Vec<Symbol> = Vec::new();
        for at in calls {
            if let Some(symbol) = self.symbol(at)
                && found.iter().all(|it| it.name != symbol.name)
            {
                found.push(symbol);
            }
        }
        found
    }

    /// The memory of a `__device__` or `__managed__` variable, and the type of its elements. Its
    /// length in elements is a number.
    pub(crate) fn variable_memory(&self, name: &str) -> Option<(String, Memory)> {
        let Declared { at, of, elements } = self.declared_variable(name)?;
        let managed = self.tokens[..at].iter().rev().take(6).any(|it| it.is_word("__managed__"));
        let in_host = |at: &&usize| self.function(**at).is_some_and(|it| !it.is_device);
        let copied = |call: &usize| {
            let from = self.arguments(call + 1).and_then(|it| it.0.get(1).cloned());
            from.is_some_and(|it| self.tokens[it].iter().any(|it| it.is_word(name)))
        };
        let read = self.all(COPY_BACK).iter().any(copied)
            || managed && self.all(name).iter().any(|it| in_host(&it));
        let symbol = self.symbols().into_iter().find(|it| it.name == name);
        let initial = self.set_at(name, at).map(Written::Each);
        let elements = elements.map_or(Some(1), |it| it.number()).map(Value::Number);
        let memory = Memory {
            name: name.to_owned(),
            bytes: None,
            elements,
            written: symbol.map(|it| it.written).or(initial).unwrap_or(Written::Nothing),
            read,
        };
        Some((of, memory))
    }

    /// Where a variable of the GPU is declared.
    fn declared_variable(&self, name: &str) -> Option<Declared> {
        let declared = self.all(name).iter().find_map(|&at| {
            let ends =
                |it: &usize| [";", "{", "}"].iter().any(|sign| self.tokens[*it].is_sign(sign));
            let start = (0..at).rev().find(ends).map_or(0, |it| it + 1);
            let words: Vec<&str> = self.tokens[start..at].iter().map(|it| it.text).collect();
            let marked = words.iter().any(|it| MARKS[..3].contains(it));
            // In `int a[4], b`, the type is before the first name.
            let first = words.iter().position(|it| ["[", "=", ","].contains(it));
            let of = &words[..first.map_or(words.len(), |it| it.saturating_sub(1))];
            let of: Vec<&str> = of.iter().copied().filter(|it| !MARKS.contains(it)).collect();
            marked.then(|| (at, of.join(" ")))
        });
        let (at, of) = declared?;
        let (mut elements, mut end) = (None, at + 1);
        while self.signs(end, "[") {
            let close = self.end(end + 1);
            let length = self.value(end + 1..close)?;
            elements = Some(match elements {
                None => length,
                Some(rows) => Value::op(super::Op::Multiply, rows, length),
            });
            end = close + 1;
        }
        Some(Declared { at, of, elements })
    }

    /// The variable that a call copies to.
    fn symbol(&self, call: usize) -> Option<Symbol> {
        let (arguments, _) = self.arguments(call + 1)?;
        let [to, from, ..] = &arguments[..] else { return None };
        let name = self.tokens[to.clone()].iter().rfind(|it| it.kind == Kind::Word)?.text;
        let Declared { of, elements, .. } = self.declared_variable(name)?;
        let scope = self.function(call).map_or(0..self.tokens.len(), |it| it.whole.clone());
        let single = from.start + usize::from(self.signs(from.start, "&"))..from.end;
        Some(Symbol {
            name: name.to_owned(),
            of,
            value: if elements.is_none() { self.value(single) } else { None },
            elements,
            written: self.written_by(from, scope),
        })
    }
}
