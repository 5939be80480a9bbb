//! Declarations: their names and parameters.

use std::ops::Range;

use super::lexer::{Kind, Token};

/// What gives a type its alignment, in parentheses behind it.
pub(super) const ALIGNS: [&str; 2] = ["alignas", "__align__"];

/// The name of a function, and the tokens between its parentheses.
pub(crate) fn name_and_params<'a, 't>(
    tokens: &'t [Token<'a>],
) -> Option<(&'t Token<'a>, &'t [Token<'a>])> {
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].kind != Kind::Other || tokens[at].text != "(" {
            at += 1;
            continue;
        }
        let end = at + closing(&tokens[at..])?;
        let name = tokens.get(at.checked_sub(1)?)?;
        let is_attribute = ["__launch_bounds__", "__attribute__", "__declspec", "alignas"]
            .contains(&name.text)
            || (name.text.starts_with("__") && name.text.ends_with("__"));
        if name.kind == Kind::Word && !is_attribute {
            return Some((name, &tokens[at + 1..end]));
        }
        at = end + 1;
    }
    None
}

/// Tokens of a type without the namespaces before its names.
pub(crate) fn unqualified<'t, 'a>(
    tokens: &'t [Token<'a>],
) -> impl Iterator<Item = &'t Token<'a>> + Clone {
    let colon = |at: usize| tokens.get(at).is_some_and(|it| it.is_sign(":"));
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let is_namespace = token.kind == Kind::Word && colon(at + 1) && colon(at + 2);
        (!is_namespace && !colon(at)).then_some(token)
    })
}

/// Index of the parenthesis that closes the first one.
pub(crate) fn closing(tokens: &[Token]) -> Option<usize> {
    let mut depth = 0usize;
    tokens.iter().position(|token| {
        match token.text {
            "(" if token.kind == Kind::Other => depth += 1,
            ")" if token.kind == Kind::Other => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// The arguments of a template in `<…>`, which begins at `open`, and the index behind it.
pub(crate) fn angles(tokens: &[Token], open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let mut found = Vec::new();
    let (mut depth, mut from, mut at) = (0_usize, open + 1, open);
    tokens.get(open).filter(|it| it.is_sign("<"))?;
    loop {
        let token = tokens.get(at)?;
        match token.text {
            "<" if token.kind == Kind::Other => depth += 1,
            "(" if token.kind == Kind::Other => at += closing(&tokens[at..])?,
            "," if token.kind == Kind::Other && depth == 1 => {
                found.push(from..at);
                from = at + 1;
            }
            ">" if token.kind == Kind::Other => {
                depth -= 1;
                if depth == 0 {
                    if at > from {
                        found.push(from..at);
                    }
                    return Some((found, at + 1));
                }
            }
            ";" | "{" | "}" => return None,
            _ => {}
        }
        at += 1;
    }
}

/// Index of the bracket that closes the first one, of any kind.
pub(super) fn matching(tokens: &[Token]) -> Option<usize> {
    let (open, close) = match tokens.first()?.text {
        "(" => return closing(tokens),
        "[" => ("[", "]"),
        _ => ("{", "}"),
    };
    let mut depth = 0_usize;
    tokens.iter().position(|it| {
        if it.is_sign(open) {
            depth += 1;
        } else if it.is_sign(close) {
            depth = depth.saturating_sub(1);
        }
        depth == 0
    })
}

/// The name of the class or structure that begins so.
pub(super) fn class_name<'a>(head: &[Token<'a>]) -> Option<&'a str> {
    let of_template = head.first().is_some_and(|it| it.is_word("template"));
    let head = if of_template { &head[angles(head, 1)?.1..] } else { head };
    let mut words = head.iter().filter(|it| it.kind == Kind::Word).map(|it| it.text);
    words.find(|it| ["class", "struct"].contains(it))?;
    words.find(|it| !ALIGNS.contains(it))
}
