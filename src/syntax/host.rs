//! Reads from host code how kernels are launched: grid, block, arguments, and the memory that is
//! allocated and filled for them.
//!
//! Only the text is read. Expressions are followed through variables, macros, parameters and one-line
//! functions. Everything else is unknown.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;

use super::declaration::angles;
use super::lexer::{Kind, Token, tokens};
use super::macros::{Macros, macros};

mod class;
mod content;
mod deduced;
mod element;
mod expression;
mod fields;
mod functions;
mod grown;
mod instance;
mod lambda;
mod launch;
mod layout;
mod memory;
mod names;
mod pointer;
mod random;
mod returned;
mod running;
mod symbols;
mod uses;
mod value;

pub(crate) use fields::Field;
use functions::functions;
pub(crate) use functions::split;
pub(crate) use instance::Instance;
use instance::Written as WrittenInstance;
pub(crate) use launch::{Given, Launch};
pub(crate) use memory::{Memory, Written};
pub(crate) use symbols::Symbol;
pub(crate) use value::{Op, Value};

/// Maximum number of expressions that are followed: least and most. In a long source it is
/// [`MOST_WORDS`] divided by the number of words.
const MOST_STEPS: (usize, usize) = (5_000, 100_000);
const MOST_WORDS: usize = 2_000_000_000;

/// Maximum nesting of expressions, through brackets and names.
const MOST_DEPTH: u32 = 200;

/// A source with host code.
#[derive(Default)]
pub(crate) struct Host<'a> {
    source: &'a str,
    tokens: Vec<Token<'a>>,
    /// Positions of each word.
    places: HashMap<&'a str, Vec<usize>>,
    functions: Vec<Function<'a>>,
    macros: Macros<'a>,
    instances: OnceCell<Vec<WrittenInstance>>,
    /// A function, by its first token, and the only call of it that is considered.
    call: Cell<Option<(usize, usize)>>,
    steps: Cell<usize>,
    depth: Cell<u32>,
    /// Where random numbers are, while their range is looked for.
    random: Cell<Option<random::Random>>,
}

/// A function, as indices of its tokens.
struct Function<'a> {
    name: &'a str,
    /// The class that it belongs to, or nothing.
    class: &'a str,
    whole: Range<usize>,
    body: Range<usize>,
    params: Vec<Param<'a>>,
    /// The parameters of its template.
    template: Vec<Param<'a>>,
    /// Those of the template of its class.
    class_template: Vec<Param<'a>>,
    /// Whether it is for the GPU.
    is_device: bool,
}

/// A parameter, as indices of its tokens.
struct Param<'a> {
    name: &'a str,
    whole: Range<usize>,
    default: Option<Range<usize>>,
}

impl<'a> Host<'a> {
    /// The host code of a source.
    pub(crate) fn new(source: &'a str) -> Self {
        let tokens: Vec<Token> = tokens(source).filter(|it| it.kind != Kind::Comment).collect();
        let functions = functions(&tokens);
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, token) in tokens.iter().enumerate().filter(|(_, it)| it.kind == Kind::Word) {
            places.entry(token.text).or_default().push(at);
        }
        Self { source, places, functions, macros: macros(source), tokens, ..Self::default() }
    }

    /// Whether device code uses this macro or global constant.
    pub(crate) fn is_in_kernels(&self, name: &str) -> bool {
        let global = self.macros.contains_key(name) || self.global(name).is_some();
        let mut kernels = self.functions.iter().filter(|it| it.is_device);
        global && kernels.any(|it| self.tokens[it.whole.clone()].iter().any(|it| it.is_word(name)))
    }

    /// Counts a step; whether the limit allows it.
    fn step(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        let (least, most) = MOST_STEPS;
        self.steps.get() <= (MOST_WORDS / self.tokens.len().max(1)).clamp(least, most)
    }

    /// Positions of a word in a part of the source.
    fn places(&self, word: &str, part: Range<usize>) -> &[usize] {
        let all = self.places.get(word).map_or(&[][..], Vec::as_slice);
        let index = |at: usize| all.partition_point(|it| *it < at);
        all.get(index(part.start)..index(part.end)).unwrap_or_default()
    }

    /// All positions of a word.
    fn all(&self, word: &str) -> &[usize] {
        self.places(word, 0..self.tokens.len())
    }

    /// The function that a token is in.
    fn function(&self, at: usize) -> Option<&Function<'a>> {
        // They are in the order of the text, and none is in another.
        let index = self.functions.partition_point(|it| it.whole.end <= at);
        self.functions.get(index).filter(|it| it.whole.contains(&at))
    }

    /// Positions of calls of a function, without recursive ones.
    fn calls(&self, function: &Function) -> impl Iterator<Item = usize> {
        self.all(function.name).iter().copied().filter(move |&at| {
            let only = self.call.get().filter(|it| it.0 == function.whole.start);
            !function.whole.contains(&at)
                && only.is_none_or(|it| it.1 == at)
                && self.function(at).is_some_and(|it| at >= it.body.start)
        })
    }

    /// What `read` finds one level deeper; nothing above [`MOST_DEPTH`], or beyond the limit of steps.
    fn nested<T>(&self, read: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.depth.get() > MOST_DEPTH || !self.step() {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let found = read();
        self.depth.set(self.depth.get() - 1);
        found
    }

    /// The result of `read` if only one call of a function is considered.
    fn with_call<T>(&self, call: Option<(usize, usize)>, read: impl FnOnce() -> T) -> T {
        let before = self.call.replace(call);
        let found = read();
        self.call.set(before);
        found
    }

    /// Whether these signs follow each other here, such as `<<<`.
    fn signs(&self, at: usize, signs: &str) -> bool {
        let mut rest = self.tokens.get(at..).unwrap_or_default().iter();
        signs.chars().all(|sign| {
            rest.next().is_some_and(|it| it.kind == Kind::Other && it.text.starts_with(sign))
        })
    }

    /// The end of the expression that begins here: a `;` or `,`, or the bracket around it.
    fn end(&self, from: usize) -> usize {
        let mut depth = 0_i32;
        let rest = self.tokens.get(from..).unwrap_or_default();
        let end = rest.iter().position(|it| {
            if it.kind == Kind::Other {
                match it.text {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth -= 1,
                    ";" => return true,
                    _ => {}
                }
            }
            depth < 0 || (depth == 0 && it.is_sign(","))
        });
        from + end.unwrap_or(rest.len())
    }

    /// The arguments in the brackets that begin here, and the index behind them.
    fn arguments(&self, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
        let mut found = Vec::new();
        let mut from = open + 1;
        loop {
            let end = self.end(from);
            if end > from || found.is_empty() && !self.is_close(end) {
                found.push(from..end);
            }
            if !self.tokens.get(end)?.is_sign(",") {
                return self.is_close(end).then_some((found, end + 1));
            }
            from = end + 1;
        }
    }

    fn is_close(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|it| it.is_sign(")") || it.is_sign("]") || it.is_sign("}"))
    }

    /// The arguments in `<…>` that begin here, and the index behind it.
    fn angles(&self, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
        angles(&self.tokens, open)
    }
}

#[cfg(test)]
mod tests;
