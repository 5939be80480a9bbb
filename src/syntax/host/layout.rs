//! Sizes of `struct` types, from their members.

use std::ops::Range;

use super::Host;
use super::value::{Op, Value};
use crate::syntax::declaration::{ALIGNS, matching, unqualified};
use crate::syntax::item::{Item, items};
use crate::syntax::lexer::{Kind, Token};

/// Maximum nesting of types.
const MOST_DEPTH: u32 = 8;

/// Places of a name at which its declaration is looked for.
const MOST_PLACES: usize = 32;

/// Words of declarations that add no data to an object.
const NO_DATA: [&str; 4] = ["static", "using", "typedef", "friend"];

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

/// Whether a token is a word of a type, or part of `std::size_t`.
fn is_part_of_name(token: &Token) -> bool {
    token.kind == Kind::Word || token.is_sign(":")
}

impl Host<'_> {
    /// The layout of a type in the source; `None` if a member has an unknown type.
    pub(crate) fn layout(&self, name: &str, built_in: BuiltIn) -> Option<Layout> {
        self.layout_within(name, built_in, 0)
    }

    fn layout_within(&self, name: &str, built_in: BuiltIn, depth: u32) -> Option<Layout> {
        if depth > MOST_DEPTH {
            return None;
        }
        let inner = |of: &str| {
            built_in(of).or_else(|| {
                let inner = self.layout_within(of, built_in, depth + 1)?;
                Some((inner.bytes, inner.align))
            })
        };
        if let Some((of, count)) = self.array(name) {
            let (bytes, align) = inner(&of)?;
            let bytes = bytes.checked_mul(count).filter(|it| *it > 0)?;
            return Some(Layout { bytes, align, members: vec![(of, count)] });
        }
        let align = self.definition(name)?.1.unwrap_or(1);
        let mut layout = Layout { bytes: 0, align, members: Vec::new() };
        for part in self.data_members(name)? {
            let (of, count) = self.declared(part)?;
            let (bytes, align) = inner(&of)?;
            let start = layout.bytes.checked_next_multiple_of(align)?;
            layout.bytes = start.checked_add(bytes.checked_mul(count)?)?;
            layout.align = layout.align.max(align);
            layout.members.push((of, count));
        }
        layout.bytes = layout.bytes.checked_next_multiple_of(layout.align)?;
        (layout.bytes > 0).then_some(layout)
    }

    /// The type that a name stands for: `float` for `real` after `#define real float`,
    /// `typedef float real;` or `using real = float;`.
    pub(crate) fn behind_name(&self, name: &str) -> String {
        let found = self.macros.get(name).filter(|it| it.params.is_none());
        if let Some(found) = found {
            return found.text.trim().to_owned();
        }
        let declared = self.all(name).iter().find_map(|&at| {
            let before = at.checked_sub(1)?;
            if self.tokens[before].is_word("using") && self.signs(at + 1, "=") {
                return Some(at + 2..self.end(at + 2));
            }
            let other = (0..at).rev().find(|&it| self.tokens[it].kind != Kind::Word);
            let word = other.map_or(0, |it| it + 1);
            let defines = self.tokens[word].is_word("typedef") && self.signs(at + 1, ";");
            defines.then_some(word + 1..at)
        });
        let words = declared.filter(|it| self.tokens[it.clone()].iter().all(is_part_of_name));
        words.map_or_else(|| name.to_owned(), |it| super::instance::joined(&self.tokens[it]))
    }

    /// Whether a variable or parameter is declared as a floating-point number before `at`.
    pub(super) fn is_real(&self, name: &str, at: usize) -> bool {
        let function = self.function(at);
        let param = function.and_then(|it| it.params.iter().find(|it| it.name == name));
        let from = function.map_or(0, |it| it.body.start);
        let words = |it: &usize| Some(self.words_before(*it)).filter(|it| !it.is_empty());
        let places = self.places(name, from..at.max(from)).iter().rev();
        let local = places.take(MOST_PLACES).find_map(words);
        let of_param = || Some(self.tokens[param?.whole.clone()].iter().collect());
        let declared = local
            .or_else(of_param)
            .or_else(|| self.all(name).iter().take(MOST_PLACES).find_map(words));
        let words: Vec<&Token> = declared.unwrap_or_default();
        let number = |it: &&Token| it.is_word("float") || it.is_word("double");
        words.iter().any(number) && !words.iter().any(|it| it.is_sign("*") || it.is_sign("<"))
    }

    /// The words of a declaration with this name.
    fn words_before(&self, at: usize) -> Vec<&Token<'_>> {
        let words: Vec<&Token> = self.declared_as(at).collect();
        let before = at.checked_sub(1).and_then(|it| self.tokens.get(it));
        let last = words.last().zip(before).is_some_and(|(last, it)| last.place == it.place);
        let next = before.is_some_and(|it| it.is_sign(","));
        // Behind a comma, those of the type come before a `*`.
        let of_type = words.iter().take_while(|it| !next || !it.is_sign("*")).count();
        if of_type > 0 && (last || next) { words[..of_type].to_vec() } else { Vec::new() }
    }

    /// The bytes of a variable that is declared as an array before `at`: `unsigned bins[256], k;`.
    pub(super) fn bytes_of_array(&self, name: &str, at: usize) -> Option<Value> {
        let places = self.function(at).map(|it| self.places(name, it.body.start..at));
        let declared = |at: &&usize| !self.tokens[*at - 1].is_word("new");
        places.unwrap_or_default().iter().filter(declared).find_map(|&at| {
            let kept = |it: &&Token| !["const", "constexpr", "static"].contains(&it.text);
            let of: Vec<&Token> = self.declared_as(at).filter(kept).collect();
            let words = of.iter().take_while(|it| is_part_of_name(it)).count();
            // The last word before a comma is another variable.
            let others = usize::from(words == of.len() && self.signs(at - 1, ",") && words > 1);
            let of = of.get(..words - others).filter(|it| !it.is_empty())?;
            let mut bytes =
                Value::SizeOf(of.iter().map(|it| it.text).collect::<Vec<_>>().join(" "));
            let mut next = at + 1;
            while self.signs(next, "[") {
                let (counts, behind) = self.arguments(next)?;
                let [count] = &counts[..] else { return None };
                bytes = Value::op(Op::Multiply, self.value(count.clone())?, bytes);
                next = behind;
            }
            (next > at + 1).then_some(bytes)
        })
    }

    /// Type and number of the elements of `name` after `using name = std::array<float, 8>;`.
    fn array(&self, name: &str) -> Option<(String, u64)> {
        self.all(name).iter().find_map(|&at| {
            let alias = at.checked_sub(1).is_some_and(|it| self.tokens[it].is_word("using"));
            let is_array = |it: &usize| self.tokens.get(*it).is_some_and(|it| it.is_word("array"));
            let of = (at + 2..at + 6).find(is_array).filter(|_| alias)?;
            let (given, _) = self.angles(of + 1)?;
            let [of, count] = &given[..] else { return None };
            let count = u64::try_from(self.value(count.clone())?.number()?).ok()?;
            Some((super::instance::joined(&self.tokens[of.clone()]), count))
        })
    }

    /// The value of a static member of a type: of `vec::size`, where `using vec = Packed<float>;` comes
    /// before, what `size` is in the class template `Packed` with its parameter replaced.
    pub(super) fn static_member(&self, of: &str, name: &str) -> Option<Value> {
        let alias = self.all(of).iter().find(|&&at| {
            at.checked_sub(1).is_some_and(|it| self.tokens[it].is_word("using"))
                && self.signs(at + 1, "=")
        });
        let class = alias.map_or(of, |at| self.tokens.get(at + 2).map_or("", |it| it.text));
        let value = self.set(name, self.definition(class)?.0)?;
        let (given, _) = alias.and_then(|at| self.angles(at + 3)).unwrap_or_default();
        let params = self.class_params(class);
        Some(value.replaced(&|it| match it {
            Value::SizeOf(of) => {
                let index = params.iter().position(|it| it == of)?;
                let given = given.get(index)?.clone();
                Some(Value::SizeOf(super::instance::joined(&self.tokens[given])))
            }
            _ => None,
        }))
    }

    /// The names of the parameters of a class template.
    fn class_params(&self, class: &str) -> Vec<&str> {
        let mut named = ["struct", "class"].iter().flat_map(|it| self.all(it));
        let at = named.find(|at| self.members(**at, class).is_some());
        let template = at.and_then(|at| self.places("template", at.saturating_sub(40)..*at).last());
        let found = template.and_then(|it| self.angles(it + 1));
        // Nothing is between it and the class.
        let (params, _) = found.filter(|it| at == Some(&it.1)).unwrap_or_default();
        let last = |it: Range<usize>| self.tokens[it].iter().rfind(|it| it.kind == Kind::Word);
        params.into_iter().map(|it| last(it).map_or("", |it| it.text)).collect()
    }

    /// The declarations of the members of a type that hold data.
    pub(super) fn data_members(&self, name: &str) -> Option<Vec<Range<usize>>> {
        let body = self.definition(name)?.0;
        let tokens = &self.tokens[body.clone()];
        let index = |byte: usize| body.start + tokens.partition_point(|it| it.place.0 < byte);
        let mut found = Vec::new();
        let is_data = |it: &Item| !it.is_function() && NO_DATA.iter().all(|word| !it.has(word));
        for item in items(tokens)?.into_iter().filter(is_data) {
            let bytes = item.without_access().bytes();
            let (start, end) = (index(bytes.start), index(bytes.end));
            let end = end - usize::from(end > start && self.signs(end - 1, ";"));
            if start < end {
                found.push(start..end);
            }
        }
        Some(found)
    }

    /// Where the members of a type are, and the alignment that its definition gives.
    fn definition(&self, name: &str) -> Option<(Range<usize>, Option<u64>)> {
        let named = ["struct", "class"].iter().flat_map(|it| self.all(it));
        named.copied().find_map(|at| self.members(at, name))
    }

    /// The members of a type that is defined here, and its alignment: `struct name {…}` or
    /// `typedef struct __align__(16) {…} name;`.
    fn members(&self, at: usize, name: &str) -> Option<(Range<usize>, Option<u64>)> {
        let (mut at, mut align) = (at + 1, None);
        while ALIGNS.iter().any(|it| self.tokens.get(at).is_some_and(|token| token.is_word(it))) {
            let close = at + 1 + matching(&self.tokens[at + 1..])?;
            let value = self.value(at + 2..close).and_then(|it| u64::try_from(it.number()?).ok());
            align = align.max(value.filter(|it| it.is_power_of_two()));
            at = close + 1;
        }
        let tagged = usize::from(self.tokens.get(at)?.kind == Kind::Word);
        let open = at + tagged;
        if !self.signs(open, "{") {
            return None;
        }
        let close = open + matching(&self.tokens[open..])?;
        let behind = self.tokens.get(close + 1).is_some_and(|it| it.is_word(name));
        let named = tagged == 1 && self.tokens[at].is_word(name) || behind;
        named.then_some((open + 1..close, align))
    }

    /// Type and number of declared values: 4 for `float x, y[3]`.
    fn declared(&self, part: Range<usize>) -> Option<(String, u64)> {
        let tokens = &self.tokens[part.clone()];
        let is_type = |it: &&Token| it.kind == Kind::Word || it.is_sign(":");
        let words = tokens.iter().take_while(is_type).count();
        if tokens.iter().any(|it| it.is_sign("*")) {
            return None;
        }
        let skipped =
            tokens.iter().take_while(|it| it.is_word("const") || it.is_word("struct")).count();
        let of = tokens.get(skipped..words.checked_sub(1)?)?;
        let of: Vec<&str> = unqualified(of).map(|it| it.text).collect();
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
        (!of.is_empty()).then(|| (self.behind_name(&of.join(" ")), count))
    }
}
