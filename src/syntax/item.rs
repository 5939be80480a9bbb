//! The declarations of a source, one after the other.

use std::ops::Range;

use super::declaration::{angles, closing, matching, name_and_params};
use super::lexer::{Kind, Token};

/// A declaration that is in no other: its tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Item<'t, 'a> {
    pub(super) tokens: &'t [Token<'a>],
    /// Whether it is in `extern "C" {`.
    pub(super) in_extern_c: bool,
    /// How many of its tokens come before its body.
    pub(super) head: usize,
}

impl<'a> Item<'_, 'a> {
    pub(super) fn head(&self) -> &[Token<'a>] {
        &self.tokens[..self.head]
    }

    pub(super) fn has(&self, word: &str) -> bool {
        self.head().iter().any(|it| it.is_word(word))
    }

    /// The same without `public:` or the like before it.
    pub(super) fn without_access(mut self) -> Self {
        while let [word, colon, rest @ ..] = self.tokens
            && colon.is_sign(":")
            && ["public", "private", "protected"].iter().any(|it| word.is_word(it))
        {
            self.tokens = rest;
            self.head = self.head.saturating_sub(2);
        }
        self
    }

    pub(super) fn bytes(&self) -> Range<usize> {
        let (first, last) = (self.tokens.first(), self.tokens.last());
        first.map_or(0, |it| it.place.0)..last.map_or(0, |it| it.place.1)
    }

    /// Whether it has a body that runs.
    pub(super) fn is_function(&self) -> bool {
        let before = before_value(self.head());
        let first = self.tokens.first().map_or("", |it| it.text);
        let named = name_and_params(before).is_some() || self.has("operator");
        named && !["typedef", "using", "static_assert"].contains(&first)
    }
}

/// The declarations of a source, in namespaces and `extern "C" {` as well; none if its brackets do
/// not match.
pub(super) fn items<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<Vec<Item<'t, 'a>>> {
    let mut found = Vec::new();
    // Of each open scope, whether it is in `extern "C"`.
    let mut scopes = vec![false];
    let (mut start, mut at, mut head) = (0, 0, None);
    while at < tokens.len() {
        let in_extern_c = scopes.last().copied().unwrap_or_default();
        let item = |range: Range<usize>, head: Option<usize>| {
            let head = head.unwrap_or(range.end) - range.start;
            Item { tokens: &tokens[range], in_extern_c, head }
        };
        let sign = if tokens[at].kind == Kind::Other { tokens[at].text } else { "" };
        match sign {
            "(" | "[" => at += matching(&tokens[at..])?,
            "{" => {
                let before = &tokens[start..at];
                let extern_c = matches!(before, [.., word, c] if word.is_word("extern") && c.kind == Kind::String);
                if extern_c || before.iter().any(|it| it.is_word("namespace")) {
                    scopes.push(in_extern_c || extern_c);
                    (start, head) = (at + 1, None);
                } else {
                    head = head.or(Some(at));
                    at += matching(&tokens[at..])?;
                    if is_body(before) {
                        found.push(item(start..at + 1, head.take()));
                        start = at + 1;
                    }
                }
            }
            "}" => {
                scopes.pop();
                // The source has more closing ones than opening ones.
                scopes.last()?;
                (start, head) = (at + 1, None);
            }
            ";" => {
                found.push(item(start..at + 1, head.take()));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    (scopes.len() == 1).then_some(found)
}

/// Whether braces behind these tokens are the body of a function.
fn is_body(before: &[Token]) -> bool {
    let item = Item { tokens: before, in_extern_c: false, head: before.len() };
    let is_type = ["struct", "class", "union", "enum"].iter().any(|word| item.has(word));
    let ends = before.last().is_some_and(|it| it.is_sign(")"));
    before_value(before).len() == before.len()
        && item.is_function()
        && (!is_type || ends)
        && !is_initialiser(before)
}

/// Whether braces behind these tokens are a value in `Solver(int n) : count{n} {}`.
fn is_initialiser(before: &[Token]) -> bool {
    let close = name_and_params(before).and_then(|(_, params)| {
        let end = params.last()?.place.1;
        before.iter().position(|it| it.place.0 >= end)
    });
    let list = close.and_then(|at| before.get(at + 1)).is_some_and(|it| it.is_sign(":"));
    list && before.last().is_some_and(|it| it.kind == Kind::Word)
}

/// The tokens of a declaration before its value. Those of parameters do not count.
fn before_value<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let of_template = matches!(tokens, [word, ..] if word.is_word("template"));
    let mut at = if of_template { angles(tokens, 1).map_or(0, |it| it.1) } else { 0 };
    while let Some(token) = tokens.get(at) {
        match token.text {
            "=" if token.kind == Kind::Other && !names_operator(&tokens[..at]) => {
                return &tokens[..at];
            }
            "(" if token.kind == Kind::Other => at += closing(&tokens[at..]).unwrap_or_default(),
            _ => {}
        }
        at += 1;
    }
    tokens
}

/// Whether what follows these tokens belongs to the name of an operator, such as `operator==`.
fn names_operator(before: &[Token]) -> bool {
    let signs = before.iter().rev().take_while(|it| it.kind == Kind::Other && it.text != ")");
    let rest = before.len() - signs.count();
    before[..rest].last().is_some_and(|it| it.is_word("operator"))
}
