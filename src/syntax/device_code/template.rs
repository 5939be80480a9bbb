//! Makes each template of a kernel a `__device__` function, and adds a kernel for each instance.

use std::ops::Range;

use super::super::host::{Host, Instance};
use super::super::item::Item;
use super::super::lexer::{Kind, Token};
use super::LINKAGE;
use crate::syntax::name_and_params;

/// An edit: bytes of the source, and the text that replaces them.
pub(super) type Edit = (Range<usize>, String);

/// The edits that give templates of kernels their instances.
pub(super) fn edits(source: &str, items: &[Item]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let is_template = |item: &&Item| item.has("__global__") && item.has("template");
    if !items.iter().any(|it| is_template(&it)) {
        return edits;
    }
    let host = Host::new(source);
    for item in items.iter().filter(is_template) {
        if item.tokens.get(1).is_some_and(|it| !it.is_sign("<")) {
            // `template __global__ void k<float>(…);` is invalid for a `__device__` function.
            let named = item.tokens.windows(2).find(|it| it[1].is_sign("<"));
            if named.is_some_and(|it| !host.instances(it[0].text).is_empty()) {
                edits.push((item.bytes(), " ".repeat(item.bytes().len())));
            }
            continue;
        }
        let Some((name, params)) = name_and_params(item.head()) else { continue };
        let instances = host.instances(name.text);
        if instances.is_empty() {
            continue;
        }
        let bounds = bounds(item.head());
        for token in item.head().iter().filter(|it| it.is_word("__global__")) {
            edits.push((token.place.0..token.place.1, "__device__".to_owned()));
        }
        if let [first, .., last] = bounds {
            let bytes = first.place.0..last.place.1;
            edits.push((bytes.clone(), " ".repeat(bytes.len())));
        }
        if item.head < item.tokens.len() {
            let kernels = instances.iter().map(|it| kernel(name.text, params, bounds, it));
            let end = item.bytes().end;
            edits.push((end..end, kernels.collect()));
        }
    }
    edits
}

/// `__launch_bounds__(…)` of a declaration.
fn bounds<'t, 'a>(head: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let Some(start) = head.iter().position(|it| it.is_word("__launch_bounds__")) else {
        return &[];
    };
    let length = crate::syntax::declaration::closing(&head[start + 1..]).unwrap_or_default();
    &head[start..(start + length + 2).min(head.len())]
}

/// The kernel of an instance.
fn kernel(template: &str, params: &[Token], bounds: &[Token], instance: &Instance) -> String {
    let text = |tokens: &[Token]| -> String {
        let value =
            |word: &str| instance.values.iter().find(|it| it.0 == word).map(|it| it.1.as_str());
        let words = tokens.iter().map(|it| {
            if it.kind == Kind::Word { value(it.text).unwrap_or(it.text) } else { it.text }
        });
        words.collect::<Vec<_>>().join(" ").replace(": :", "::")
    };
    let params: Vec<&[Token]> = crate::syntax::host::split(params, true)
        .into_iter()
        .map(|it| &params[it])
        .map(|it| &it[..it.iter().position(|it| it.is_sign("=")).unwrap_or(it.len())])
        .collect();
    let names: Vec<&str> = params
        .iter()
        .filter_map(|it| it.iter().rev().find(|it| it.kind == Kind::Word))
        .map(|it| it.text)
        .collect();
    let declared: Vec<String> = params.iter().map(|it| text(it)).collect();
    // A parameter hides a type of its name.
    let hides = |it: &&str| names.contains(it);
    let given = instance.values.iter().map(|it| it.1.as_str());
    let values: Vec<String> =
        given.map(|it| if hides(&it) { format!("::{it}") } else { it.to_owned() }).collect();
    format!(
        " {LINKAGE}__global__ {} void {}({}) {{ {template}<{}>({}); }}",
        text(bounds),
        instance.name,
        declared.join(", "),
        values.join(", "),
        names.join(", ")
    )
}
