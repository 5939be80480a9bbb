//! Declarations: their names and parameters.

use super::lexer::{Kind, Token};

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
