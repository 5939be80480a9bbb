//! Finds the functions of a source.

use std::ops::Range;

use super::{Function, Param};
use crate::syntax::declaration::{angles, class_name, matching, name_and_params};
use crate::syntax::item::items;
use crate::syntax::lexer::{Kind, Token};

/// The functions of a source, and those in its classes.
pub(super) fn functions<'a>(tokens: &[Token<'a>]) -> Vec<Function<'a>> {
    let mut found = Vec::new();
    add_functions(tokens, 0..tokens.len(), ("", &[]), &mut found);
    found
}

/// Adds the functions in a part of the tokens, the inside of a class if that has a name.
fn add_functions<'a>(
    tokens: &[Token<'a>],
    part: Range<usize>,
    (class, class_template): (&'a str, &[Range<usize>]),
    found: &mut Vec<Function<'a>>,
) {
    let index = |byte: usize| tokens.partition_point(|it| it.place.0 < byte);
    let named = |range: Range<usize>| named(tokens, range);
    for item in items(&tokens[part]).unwrap_or_default() {
        let start = index(item.bytes().start);
        let whole = start..start + item.tokens.len();
        let mut template = match item.head() {
            [word, open, ..] if word.is_word("template") && open.is_sign("<") => {
                angles(tokens, start + 1).map_or(Vec::new(), |it| it.0)
            }
            _ => Vec::new(),
        };
        if !item.is_function() {
            let open = start + item.head;
            let body = tokens.get(open..).filter(|it| it.first().is_some_and(|it| it.is_sign("{")));
            if let (Some(name), Some(length)) = (class_name(item.head()), body.and_then(matching)) {
                add_functions(tokens, open + 1..open + length, (name, &template), found);
            }
            continue;
        }
        let Some((name, params)) = name_and_params(item.head()) else { continue };
        let first = params.first().map_or(0, |it| index(it.place.0));
        // `void Solver::step()` is a function of `Solver`.
        let before = &tokens[start..index(name.place.0)];
        let mut class_template = class_template.to_vec();
        let class = match before {
            [head @ .., first, second] if first.is_sign(":") && second.is_sign(":") => {
                // In `void Solver<T>::step()`, the template is that of the class.
                if head.last().is_some_and(|it| it.is_sign(">")) {
                    class_template = std::mem::take(&mut template);
                }
                let open = head.iter().rposition(|it| it.is_sign("<")).unwrap_or(head.len());
                let end = if class_template.is_empty() { head.len() } else { open };
                head[..end].last().map_or(class, |it| it.text)
            }
            _ => class,
        };
        found.push(Function {
            name: name.text,
            class,
            body: start + item.head..whole.end,
            whole,
            params: split(params, true)
                .into_iter()
                .map(|it| named(first + it.start..first + it.end))
                .collect(),
            template: template.into_iter().map(named).collect(),
            class_template: class_template.into_iter().map(named).collect(),
            is_device: item.has("__global__") || item.has("__device__"),
        });
    }
}

/// Splits tokens at the commas outside of brackets. In types, `<…>` are brackets too.
pub(crate) fn split(tokens: &[Token], of_types: bool) -> Vec<Range<usize>> {
    let (mut depth, mut from, mut found) = (0_i32, 0, Vec::new());
    for (at, token) in tokens.iter().enumerate().filter(|(_, it)| it.kind == Kind::Other) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "<" if of_types => depth += 1,
            ">" if of_types => depth -= 1,
            "," if depth == 0 => {
                found.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    if from < tokens.len() {
        found.push(from..tokens.len());
    }
    found
}

/// What a parameter declares.
fn named<'a>(tokens: &[Token<'a>], range: Range<usize>) -> Param<'a> {
    let part = &tokens[range.clone()];
    let equals = part.iter().position(|it| it.is_sign("="));
    let before = &part[..equals.unwrap_or(part.len())];
    // `void (*kernel)(int)` has its name in parentheses.
    let pointed = before.windows(3).find(|it| it[0].is_sign("(") && it[1].is_sign("*"));
    let plain = before.iter().rev().find(|it| it.kind == Kind::Word);
    let name = pointed.map(|it| &it[2]).or(plain).map_or("", |it| it.text);
    let default = equals.map(|equals| range.start + equals + 1..range.end);
    Param { name, whole: range, default }
}
