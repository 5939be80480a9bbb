//! Member functions for the host in types that code for the GPU uses.

use crate::syntax::declaration::{class_name, matching};
use crate::syntax::item::{Item, items};
use crate::syntax::lexer::Token;

/// The member functions of a type, and of the types in it, that have a body and no mark. Only the host
/// can call them. `is_marked` says whether tokens have a mark.
pub(super) fn of_host<'t, 'a>(
    item: &Item<'t, 'a>,
    is_marked: &dyn Fn(&[Token]) -> bool,
) -> Vec<Item<'t, 'a>> {
    let whole = item.tokens.get(item.head..).unwrap_or_default();
    let is_type = class_name(item.head()).is_some() && !item.is_function();
    let length =
        whole.first().filter(|it| is_type && it.is_sign("{")).and_then(|_| matching(whole));
    let members = length.and_then(|length| items(whole.get(1..length)?)).unwrap_or_default();
    let mut found = Vec::new();
    for member in members {
        if !member.is_function() {
            found.extend(of_host(&member, is_marked));
            continue;
        }
        let has_body = member.tokens.get(member.head).is_some_and(|it| it.is_sign("{"));
        if has_body && !is_marked(member.head()) {
            found.push(member.without_access());
        }
    }
    found
}
