//! Deduces template arguments from the arguments of calls.

use std::ops::Range;

use super::{Function, Host};
use crate::syntax::lexer::{Kind, Token};

impl Host<'_> {
    /// Deduces a template parameter from the arguments of a call.
    pub(super) fn deduced(
        &self,
        function: &Function,
        name: &str,
        arguments: &[Range<usize>],
        steps: u32,
    ) -> Option<String> {
        let params = function.params.iter().zip(arguments);
        let mut using = params.filter(|(param, _)| {
            let tokens = &self.tokens[param.whole.clone()];
            let named =
                tokens.iter().filter(|it| it.kind == Kind::Word && !is_qualifier(it.text)).take(1);
            named.into_iter().any(|it| it.is_word(name))
        });
        using.find_map(|(_, argument)| self.type_of(argument, steps))
    }

    /// The type of an argument, without pointers and qualifiers.
    fn type_of(&self, argument: &Range<usize>, steps: u32) -> Option<String> {
        if let Some(of) = self.constructed(argument) {
            return self.resolved(of, steps);
        }
        let at = argument.clone().find(|&at| {
            let token = &self.tokens[at];
            token.kind == Kind::Word && !token.text.ends_with("_cast") && !token.is_word("thrust")
        });
        let Some(at) = at else {
            let [literal, ..] = &self.tokens[argument.clone()] else { return None };
            let text = self.source.get(literal.place.0..)?;
            let text = &text[..text.find([',', ')']).unwrap_or(0)];
            let whole = text.trim().parse::<i64>().is_ok();
            let of = if whole {
                "int"
            } else if text.contains('f') {
                "float"
            } else {
                "double"
            };
            return Some(of.to_owned());
        };
        let name = self.tokens[at].text;
        let function = self.function(at);
        let param = function.and_then(|it| it.params.iter().find(|it| it.name == name));
        if let Some(param) = param {
            return self.resolved(self.plain(param.whole.clone(), name)?, steps);
        }
        let declared = self.places(name, 0..at).iter().rev().find_map(|&it| {
            let start = self.tokens[..it]
                .iter()
                .rposition(|it| [";", "{", "}"].iter().any(|sign| it.is_sign(sign)));
            self.plain(start.map_or(0, |it| it + 1)..it, name)
        })?;
        self.resolved(declared, steps)
    }

    /// The type of an object that is made where it is passed: `Plus<int>{}` or `Plus<int>()`.
    fn constructed(&self, argument: &Range<usize>) -> Option<Range<usize>> {
        let mut name = argument.start;
        while self.signs(name + 1, "::") {
            name += 3;
        }
        let token = self.tokens.get(name).filter(|it| it.kind == Kind::Word)?;
        let behind = self.angles(name + 1).map_or(name + 1, |it| it.1);
        let is_class = || self.functions.iter().any(|it| it.class == token.text);
        let made = self.signs(behind, "{") || self.signs(behind, "(") && is_class();
        (made && behind < argument.end).then_some(argument.start..behind)
    }

    /// The type in a declaration without qualifiers. For a container, its element type.
    pub(super) fn plain(&self, part: Range<usize>, name: &str) -> Option<Range<usize>> {
        let mut start = part.start;
        let skipped = |it: &Token| is_qualifier(it.text) || it.is_sign(":");
        while start < part.end && skipped(&self.tokens[start]) {
            start += 1;
        }
        if self.signs(start + 1, "<") && self.tokens[start].text.ends_with("vector") {
            return self.angles(start + 1)?.0.first().cloned();
        }
        if let Some((_, behind)) = self.angles(start + 1)
            && (behind == part.end || self.tokens.get(behind).is_some_and(|it| it.is_word(name)))
        {
            return Some(start..behind);
        }
        let words = self.tokens.get(start..part.end)?;
        let run = words.iter().take_while(|it| it.kind == Kind::Word && !it.is_word(name)).count();
        // In `int first = 0, *name`, `first` is not part of the type.
        let count = match words.get(run) {
            Some(next) if next.is_word(name) || next.is_sign("*") || next.is_sign("&") => run,
            Some(_) => run - run.min(1),
            None => run,
        };
        let of_type =
            words.iter().take(count).all(|it| !["return", "new", "delete"].contains(&it.text));
        (count > 0 && of_type).then_some(start..start + count)
    }
}

fn is_qualifier(word: &str) -> bool {
    ["const", "volatile", "static", "std", "thrust", "__restrict__", "constexpr", "struct"]
        .contains(&word)
}
