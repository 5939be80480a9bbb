//! Structures that launches pass by value: their members, and what host code sets them to.

use std::ops::Range;

use super::launch::Given;
use super::memory::{ALLOCATE, Memory, TRANSFER, Written};
use super::names::with_name;
use super::value::Value;
use super::{Host, split};
use crate::syntax::declaration::unqualified;
use crate::syntax::lexer::{Kind, Token};

/// Words of a declaration that are no part of its type.
const QUALIFIERS: [&str; 5] = ["const", "struct", "volatile", "__restrict__", "__restrict"];

/// A member of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: String,
    /// Its type, without `*`.
    pub(crate) of: String,
    /// Whether it is a pointer.
    pub(crate) pointer: bool,
}

impl Host<'_> {
    /// The members of a type in the source that hold data, in order. `None` if it has arrays
    /// or types of its own.
    pub(crate) fn fields(&self, name: &str) -> Option<Vec<Field>> {
        let mut fields = Vec::new();
        for declaration in self.data_members(name)? {
            let is_type = ["struct", "class", "union", "enum"]
                .iter()
                .any(|it| self.tokens[declaration.start].is_word(it));
            if is_type && declaration.clone().any(|at| self.tokens[at].is_sign("{")) {
                return None;
            }
            // Type and qualifiers of the declaration.
            let mut words: Vec<&str> = Vec::new();
            for part in split(&self.tokens[declaration.clone()], true) {
                let part = &self.tokens[declaration.clone()][part];
                let value = part.iter().position(|it| it.is_sign("=") || it.is_sign("{"));
                let part = &part[..value.unwrap_or(part.len())];
                if part.iter().any(|it| ["(", "["].iter().any(|sign| it.is_sign(sign))) {
                    return None;
                }
                let own = unqualified(part).filter(|it| it.kind == Kind::Word).map(|it| it.text);
                words.extend(own.filter(|it| !QUALIFIERS.contains(it)));
                if let Some(name) = words.pop() {
                    let pointer = part.iter().any(|it| it.is_sign("*"));
                    fields.push(Field { name: name.to_owned(), of: words.join(" "), pointer });
                }
            }
        }
        (!fields.is_empty() && fields.iter().all(|it| !it.of.is_empty())).then_some(fields)
    }

    /// What a launch gives for a member of the variable of type `of` that is passed at `argument`;
    /// `index` is the place of the member in its structure.
    pub(crate) fn field(
        &self,
        argument: &Range<usize>,
        of: &str,
        index: usize,
        field: &str,
    ) -> Given {
        let given = self.given_field(argument, index, field);
        let Some(constructor) = self.constructor(of) else { return given };
        Given {
            value: given.value.or_else(|| self.of_class(constructor, field)),
            memory: given.memory.or_else(|| self.allocation(field, constructor.whole.clone())),
            ..given
        }
    }

    fn given_field(&self, argument: &Range<usize>, index: usize, field: &str) -> Given {
        let none = Given { place: argument.clone(), value: None, memory: None, null: false };
        let argument = &self.passed(argument);
        let at = argument.start;
        let [variable] = &self.tokens[argument.clone()] else {
            let part = self.listed(at).and_then(|it| it.get(index).cloned());
            let value = part.clone().and_then(|it| self.value(it));
            let null = part.clone().is_some_and(|it| self.is_null(it, 0));
            let memory = part.and_then(|it| self.memory(it));
            return Given { value, memory, null, ..none };
        };
        let set = self.member_set(variable.text, field, at);
        let set = set.or_else(|| self.initial(variable.text, index, at));
        Given {
            value: self.member(variable.text, field, at).or_else(|| self.value(set.clone()?)),
            memory: self.allocated(variable.text, field, at).or_else(|| self.memory(set.clone()?)),
            null: set.is_some_and(|it| self.is_null(it, 0)) && !self.is_allocated(field),
            ..none
        }
    }

    /// What a parameter that is passed on stands for: the argument in the first call of its function.
    fn passed(&self, argument: &Range<usize>) -> Range<usize> {
        let [variable] = &self.tokens[argument.clone()] else { return argument.clone() };
        let function = self.function(argument.start);
        let given = function.and_then(|it| self.argument(it, variable.text));
        given.unwrap_or_else(|| argument.clone())
    }

    /// The value of a member of a variable at a position: its last assignment before it.
    pub(super) fn member(&self, variable: &str, field: &str, at: usize) -> Option<Value> {
        let set = self.member_set(variable, field, at);
        let Some(set) = set.or_else(|| self.initial_member(variable, field, at)) else {
            let value = self.returned_member(variable, field, at)?;
            return Some(with_name(&format!("{variable}.{field}"), value));
        };
        // It may be set to an expression of itself.
        let before = set.start.checked_sub(4)?;
        let value = self.value_before(set, before)?;
        Some(with_name(&format!("{variable}.{field}"), value))
    }

    /// What a member is set to in `Type variable = {…}`.
    fn initial_member(&self, variable: &str, field: &str, to: usize) -> Option<Range<usize>> {
        let mut before = self.all(variable).iter().filter(|at| **at < to && self.step());
        let index = before.find_map(|&at| {
            let fields = self.declared_as(at).find_map(|it| self.fields(it.text))?;
            fields.iter().position(|it| it.name == field)
        })?;
        self.initial(variable, index, to)
    }

    /// Where `variable.field` stands in a function up to a position.
    fn member_places(&self, variable: &str, field: &str, to: usize) -> impl Iterator<Item = usize> {
        let from = self.function(to).map_or(0, |it| it.body.start);
        let places = self.places(field, from..to).iter().copied();
        places.filter(move |&at| {
            at >= from + 2
                && self.tokens[at - 1].is_sign(".")
                && self.tokens[at - 2].is_word(variable)
        })
    }

    /// What is assigned to a member last before a position.
    fn member_set(&self, variable: &str, field: &str, to: usize) -> Option<Range<usize>> {
        let sets = |at: &usize| self.signs(at + 1, "=") && !self.signs(at + 1, "==");
        let at = self.member_places(variable, field, to).filter(sets).last()?;
        Some(at + 2..self.end(at + 2))
    }

    /// The number of elements in `std::vector<int> sizes = {…}`.
    pub(super) fn listed_elements(&self, variable: &str, to: usize) -> Option<i128> {
        let is_list = |it: &Token| it.text.ends_with("vector") || it.is_word("array");
        let mut places = self.all(variable).iter();
        let listed = places.any(|&at| self.declared_as(at).any(is_list));
        let values = self.initials(variable, to).filter(|_| listed)?;
        i128::try_from(values.len()).ok()
    }

    /// What an element of an array was set to last, before a position or elsewhere, by a statement that
    /// writes its indices the same way: `grid[0] = dim3(8)`.
    pub(super) fn set_element(&self, name: &str, indices: &[Token], at: usize) -> Option<Value> {
        let before = self.function(at).map(|it| it.body.start..at);
        let mut parts = before.into_iter().chain(std::iter::once(0..self.tokens.len()));
        parts.find_map(|part| {
            self.places(name, part).iter().rev().find_map(|&it| {
                let end = it + 1 + indices.len();
                let written = self.tokens.get(it + 1..end)?.iter().map(|it| it.text);
                let same = written.eq(indices.iter().map(|it| it.text));
                let set = same && self.signs(end, "=") && !self.signs(end, "==");
                self.value_before(set.then(|| end + 1..self.end(end + 1))?, it)
            })
        })
    }

    /// The member in `Type variable = {…}`, or `= make_float3(…)`; or the element of an array.
    pub(super) fn initial(&self, variable: &str, index: usize, to: usize) -> Option<Range<usize>> {
        self.initials(variable, to)?.get(index).cloned()
    }

    /// All of them, also of `int sizes[] = {…}`.
    pub(super) fn initials(&self, variable: &str, to: usize) -> Option<Vec<Range<usize>>> {
        let function = self.function(to).map(|it| it.body.start..to);
        let parts = function.into_iter().chain(std::iter::once(0..to));
        let mut places = parts.flat_map(|it| self.places(variable, it).iter());
        places.find_map(|&at| {
            let array = self.signs(at + 1, "[").then(|| self.arguments(at + 1)).flatten();
            // `points[i] = {1, 2}` sets one element.
            let before = &self.tokens[at.checked_sub(1)?];
            if array.is_some() && before.kind != Kind::Word && !before.is_sign(">") {
                return None;
            }
            let behind = array.map_or(at + 1, |it| it.1);
            self.listed(if self.signs(behind, "=") { behind + 1 } else { behind })
        })
    }

    /// The members in a structure that is written here: `{1, 2}`, `Point{1, 2}` or `make_int2(1, 2)`.
    pub(super) fn listed(&self, at: usize) -> Option<Vec<Range<usize>>> {
        let name = self.tokens.get(at).filter(|it| it.kind == Kind::Word);
        let open = at + usize::from(name.is_some());
        let made = name.is_some_and(|it| it.text.starts_with("make_")) && self.signs(open, "(");
        (made || self.signs(open, "{")).then(|| self.arguments(open)).flatten().map(|it| it.0)
    }

    /// Whether memory is allocated for this member of some object.
    fn is_allocated(&self, field: &str) -> bool {
        self.all(field).iter().any(|&at| {
            let mut before = self.tokens[at.saturating_sub(12)..at].iter().rev();
            let member = before.next().is_some_and(|it| it.is_sign(".") || it.is_sign(">"));
            let mut before = before.take_while(|it| !it.is_sign(";"));
            member && before.any(|it| ALLOCATE.contains(&it.text))
        })
    }

    /// The memory that is allocated for a member.
    fn allocated(&self, variable: &str, field: &str, to: usize) -> Option<Memory> {
        let mut found: Option<Memory> = None;
        let (mut written, mut read) = (Written::Nothing, false);
        let scope = self.function(to).map_or(0..to, |it| it.whole.clone());
        let end = scope.end;
        for at in self.member_places(variable, field, end) {
            let call = (at.saturating_sub(12)..at).rev().find(|&it| {
                let name = self.tokens[it].text;
                ALLOCATE.contains(&name) || TRANSFER.contains(&name)
            });
            let Some((call, arguments)) = call.and_then(|it| Some((it, self.arguments(it + 1)?.0)))
            else {
                continue;
            };
            let is_first = arguments.first().is_some_and(|it| it.contains(&at));
            let name = self.tokens[call].text;
            if !ALLOCATE.contains(&name) {
                read |= !is_first && arguments.get(1).is_some_and(|it| it.contains(&at));
                if is_first {
                    let from = arguments.get(1).filter(|_| !name.starts_with("cudaMemset"));
                    written =
                        from.map_or(Written::Zeros, |from| self.written_by(from, scope.clone()));
                }
            } else if let Some(bytes) = arguments.get(1).filter(|_| is_first) {
                found.get_or_insert(Memory {
                    name: format!("{variable}.{field}"),
                    bytes: self.value(bytes.clone()),
                    elements: None,
                    written: Written::Nothing,
                    read: false,
                });
            }
        }
        found.map(|it| Memory { written, read, ..it })
    }
}
