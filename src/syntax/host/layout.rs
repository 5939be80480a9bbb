//! Sizes of `struct` types, from their members.

use std::ops::Range;

use super::Host;
use crate::syntax::declaration::matching;
use crate::syntax::lexer::Kind;

/// Maximum nesting of types.
const MOST_DEPTH: u32 = 8;

/// A type with members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Its bytes.
    pub(crate) bytes: u64,
    align: u64,
    /// Type and number of members, for each declaration.
    pub(crate) members: Vec<(String, u64)>,
}

/// Bytes and alignment of a type that is built in.
pub(crate) type BuiltIn<'a> = &'a dyn Fn(&str) -> Option<(u64, u64)>;

impl Host<'_> {
    /// The layout of a type in the source; `None` if a member has an unknown type.
    pub(crate) fn layout(&self, name: &str, built_in: BuiltIn) -> Option<Layout> {
        self.layout_within(name, built_in, 0)
    }

    fn layout_within(&self, name: &str, built_in: BuiltIn, depth: u32) -> Option<Layout> {
        if depth > MOST_DEPTH {
            return None;
        }
        let body = self.all("struct").iter().find_map(|&at| self.members(at, name))?;
        let mut layout = Layout { bytes: 0, align: 1, members: Vec::new() };
        let mut from = body.start;
        while from < body.end {
            let mut end = self.end(from);
            while self.signs(end, ",") {
                end = self.end(end + 1);
            }
            let end = end.min(body.end);
            let part = from..end;
            from = end + 1;
            let has = |sign| part.clone().any(|at| self.tokens[at].is_sign(sign));
            if part.is_empty() {
                continue;
            }
            // Types with member functions are not read.
            if has("(") || has("{") {
                return None;
            }
            let (of, count) = self.declared(part)?;
            let (bytes, align) = built_in(&of).or_else(|| {
                let inner = self.layout_within(&of, built_in, depth + 1)?;
                Some((inner.bytes, inner.align))
            })?;
            let start = layout.bytes.checked_next_multiple_of(align)?;
            layout.bytes = start.checked_add(bytes.checked_mul(count)?)?;
            layout.align = layout.align.max(align);
            layout.members.push((of, count));
        }
        layout.bytes = layout.bytes.checked_next_multiple_of(layout.align)?;
        (layout.bytes > 0).then_some(layout)
    }

    /// The members of a type that is defined here: `struct name {…}` or `typedef struct {…} name;`.
    pub(super) fn members(&self, at: usize, name: &str) -> Option<Range<usize>> {
        if !self.tokens[at].is_word("struct") {
            return None;
        }
        let tagged = usize::from(self.tokens.get(at + 1)?.kind == Kind::Word);
        let open = at + 1 + tagged;
        if !self.signs(open, "{") {
            return None;
        }
        let close = open + matching(&self.tokens[open..])?;
        let behind = self.tokens.get(close + 1).is_some_and(|it| it.is_word(name));
        let named = tagged == 1 && self.tokens[at + 1].is_word(name) || behind;
        named.then_some(open + 1..close)
    }

    /// Type and number of declared values: 4 for `float x, y[3]`.
    fn declared(&self, part: Range<usize>) -> Option<(String, u64)> {
        let tokens = &self.tokens[part.clone()];
        let words = tokens.iter().take_while(|it| it.kind == Kind::Word).count();
        if tokens.iter().any(|it| it.is_sign("*")) {
            return None;
        }
        let skipped =
            tokens.iter().take_while(|it| it.is_word("const") || it.is_word("struct")).count();
        let of = tokens.get(skipped..words.checked_sub(1)?)?;
        let of: Vec<&str> = of.iter().map(|it| it.text).collect();
        let mut count = 0_u64;
        for range in super::split(&tokens[words - 1..], false) {
            let range = part.start + words - 1 + range.start..part.start + words - 1 + range.end;
            let mut many = 1_u64;
            let mut at = range.start + 1;
            while self.signs(at, "[") {
                let end = self.end(at + 1);
                let length = u64::try_from(self.value(at + 1..end)?.number()?).ok()?;
                many = many.checked_mul(length)?;
                at = end + 1;
            }
            count = count.checked_add(many)?;
        }
        (!of.is_empty()).then(|| (of.join(" "), count))
    }
}
