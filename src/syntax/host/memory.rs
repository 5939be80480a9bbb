//! GPU memory that host code allocates and fills.

use std::ops::Range;

use super::Host;
use super::value::{LIKELY_THREADS, MULTIPROCESSORS, Op, Value};
use crate::syntax::lexer::Kind;

/// Functions that allocate it. The first argument is the address of a pointer, the second the bytes.
pub(super) const ALLOCATE: [&str; 4] =
    ["cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", PITCHED];

/// Allocates rows of memory. The arguments are the addresses of a pointer and of the pitch, the bytes in
/// use of a row, and the number of rows.
const PITCHED: &str = "cudaMallocPitch";

/// The pitch is a multiple of this number of bytes.
const PITCH: i128 = 512;

/// Functions that write to memory or read it.
pub(super) const TRANSFER: [&str; 8] = [
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpy2D",
    "cudaMemcpy2DAsync",
    "cudaMemset",
    "cudaMemsetAsync",
    "cudaMemset2D",
    "cudaMemset2DAsync",
];

/// Maximum number of variables and calls that a pointer is followed through.
const MOST_STEPS: u32 = 8;

/// Allocated memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Memory {
    /// The variable that holds its address after the allocation.
    pub(crate) name: String,
    /// Its size in bytes; `None` if only `elements` is known.
    pub(crate) bytes: Option<Value>,
    /// Its number of elements.
    pub(crate) elements: Option<Value>,
    /// What the host writes to it.
    pub(crate) written: Written,
    /// Whether the host reads it.
    pub(crate) read: bool,
}

/// What the host writes to memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Written {
    /// Nothing, as far as the text shows.
    Nothing,
    /// Zeros.
    Zeros,
    /// Unknown values.
    Some,
    /// A value for each index `i`.
    Each(Value),
    /// Random numbers from the first value on, below the second.
    Drawn(Value, Value),
    /// Running sums of random numbers from the first value on, below the second.
    Sums(Value, Value),
    /// Numbers in order.
    Sorted,
}

impl Host<'_> {
    /// The memory that an argument points to.
    pub(super) fn memory(&self, argument: Range<usize>) -> Option<Memory> {
        self.pointed(argument, 0)
    }

    fn pointed(&self, part: Range<usize>, steps: u32) -> Option<Memory> {
        // Class members and parts of buffers are not followed.
        let has = |sign| part.clone().any(|at| self.tokens[at].is_sign(sign));
        let member = part.clone().find(|&at| self.signs(at, "."));
        let container = member.is_none_or(|at| {
            let name = self.tokens.get(at + 1).map_or("", |it| it.text);
            ["data", "get", "begin", "ptr", "device"].iter().any(|it| name.contains(it))
        });
        if has("+") || !container || part.clone().any(|at| self.signs(at, "->")) {
            return None;
        }
        let word = |at: &usize| self.tokens[*at].kind == Kind::Word && !self.signs(at + 1, "::");
        let mut words = part.filter(word);
        let of = words.clone().next().map(|at| self.tokens[at].text);
        words.find_map(|at| {
            let found = self.variable(self.tokens[at].text, at, steps)?;
            // A member of one of several objects of a class.
            let member = at.checked_sub(1).is_some_and(|it| self.signs(it, "."));
            let of =
                of.filter(|of| member && found.name == self.tokens[at].text && *of != found.name);
            let name = of.map(|of| format!("{of}_{}", found.name));
            Some(Memory { name: name.unwrap_or_else(|| found.name.clone()), ..found })
        })
    }

    /// The memory of a pointer variable that is used at a place.
    fn variable(&self, name: &str, at: usize, steps: u32) -> Option<Memory> {
        if steps > MOST_STEPS || !self.step() {
            return None;
        }
        let function = self.function(at);
        let scope = function.map_or(0..self.tokens.len(), |it| it.whole.clone());
        if let Some(found) = self.allocation(name, scope.clone()) {
            return Some(found);
        }
        let aliased = self.places(name, scope.start..at).iter().rev().find_map(|&it| {
            let set = self.signs(it + 1, "=");
            let to = set.then(|| it + 2..self.end(it + 2))?;
            let returned = self.returned(name, to.clone(), &scope);
            returned.or_else(|| self.pointed(to, steps + 1))
        });
        let given = || self.pointed(self.argument(function?, name)?, steps + 1);
        // `Params p(2)` is no pointer, whatever `p` is elsewhere.
        let is_object = || self.places(name, scope.start..at).iter().any(|&it| self.is_object(it));
        aliased.or_else(given).or_else(|| {
            if is_object() { None } else { self.allocation(name, 0..self.tokens.len()) }
        })
    }

    /// Whether an argument is a null pointer, also one that a call passes on.
    pub(super) fn is_null(&self, argument: Range<usize>, steps: u32) -> bool {
        let mut words = argument.clone().rev().filter(|&at| self.tokens[at].kind == Kind::Word);
        let Some(at) = words.next().filter(|_| steps < MOST_STEPS) else { return false };
        let name = self.tokens[at].text;
        let given = || self.argument(self.function(at)?, name);
        ["nullptr", "NULL"].contains(&name)
            || argument.len() == 1 && given().is_some_and(|it| self.is_null(it, steps + 1))
    }

    /// Whether an object of a class in the source is declared here.
    fn is_object(&self, at: usize) -> bool {
        let of = at.checked_sub(1).map(|it| self.tokens[it].text);
        of.is_some_and(|of| self.functions.iter().any(|it| it.class == of))
    }

    /// The memory that is allocated for a variable in a part of the source.
    pub(super) fn allocation(&self, name: &str, scope: Range<usize>) -> Option<Memory> {
        // Of `&d[k]` it is `d`.
        let ends = |part: &Range<usize>, name: &str| {
            let path = self.tokens[part.clone()].iter().take_while(|it| !it.is_sign("["));
            let words = path.filter(|it| it.kind == Kind::Word);
            words.last().is_some_and(|it| it.text == name)
        };
        let words = ALLOCATE.iter().copied().chain([name]);
        let mut words: Vec<usize> =
            words.flat_map(|it| self.places(it, scope.clone())).copied().collect();
        words.sort_unstable();
        let (bytes, elements) = words.into_iter().find_map(|at| {
            let token = &self.tokens[at];
            if ALLOCATE.iter().any(|it| token.is_word(it)) {
                let open = self.angles(at + 1).map_or(at + 1, |it| it.1);
                let arguments = self.signs(open, "(").then(|| self.arguments(open)).flatten()?.0;
                let [pointer, bytes, ..] = &arguments[..] else { return None };
                let bytes = || match (token.text, &arguments[2..]) {
                    (PITCHED, [row, rows, ..]) => {
                        Some(Value::op(Op::Multiply, self.pitch(row)?, self.value(rows.clone())?))
                    }
                    _ => self.value(bytes.clone()),
                };
                return ends(pointer, name).then(|| (bytes(), None));
            }
            let vector = token.is_word(name) && self.is_vector(at);
            let arguments = vector.then(|| self.arguments(at + 1)).flatten()?.0;
            Some((None, Some(self.value(arguments.first()?.clone()))))
        })?;
        let (written, read) = self.transfers(name, scope.clone());
        let elements = elements.flatten();
        Some(Memory { name: name.to_owned(), bytes, elements, written, read })
    }

    /// The bytes from row to row of pitched memory.
    fn pitch(&self, row: &Range<usize>) -> Option<Value> {
        let row = self.value(row.clone())?;
        if let Value::Number(bytes) = row {
            return Some(Value::Number(bytes.checked_add(PITCH - 1)? / PITCH * PITCH));
        }
        let parts = Value::op(Op::DivideExactly, row, Value::Number(PITCH));
        Some(Value::op(Op::Multiply, Value::Call("ceil", vec![parts]), Value::Number(PITCH)))
    }

    /// What a call sets the variable at this word to, whose address it is given: the pitch of an
    /// allocation, or the number of multiprocessors or of their blocks.
    pub(super) fn set_by_call(&self, at: usize) -> Option<Value> {
        let near = at.saturating_sub(12)..at;
        let of = |name: &str| {
            let call = self.places(name, near.clone()).last()?;
            Some(self.arguments(call + 1)?.0)
        };
        if let Some([_, pitch, row, ..]) = of(PITCHED).as_deref() {
            return pitch.contains(&at).then(|| self.pitch(row)).flatten();
        }
        if let Some([blocks, _, threads, ..]) =
            of("cudaOccupancyMaxActiveBlocksPerMultiprocessor").as_deref()
        {
            let threads = self.value(threads.clone())?.number().filter(|it| *it > 0)?;
            let resident = (LIKELY_THREADS / threads).max(1);
            return blocks.contains(&at).then_some(Value::Number(resident));
        }
        let asked = of("cudaDeviceGetAttribute")?;
        let [variable, attribute, ..] = &asked[..] else { return None };
        let mut words = self.tokens[attribute.clone()].iter();
        (variable.contains(&at) && words.any(|it| it.is_word("cudaDevAttrMultiProcessorCount")))
            .then_some(MULTIPROCESSORS)
    }

    /// Whether a `std::vector`, `thrust::device_vector`, or a class that allocates as they do, is
    /// declared here.
    pub(super) fn is_vector(&self, at: usize) -> bool {
        // `vector<int> a(n), b(n)`, or `Buffer a(n)`
        let behind = at
            .checked_sub(1)
            .map(|it| &self.tokens[it])
            .is_some_and(|it| it.is_sign(">") || it.is_sign(",") || self.allocates(it.text));
        let mut types = self.declared_as(at);
        behind && types.any(|it| it.text.ends_with("vector") || self.allocates(it.text))
    }

    /// The variable that a copy is from: of `graph.edges.data()` it is `edges`.
    pub(super) fn copied<'s>(&'s self, from: &Range<usize>) -> Option<&'s str> {
        let plain = |at: &usize| !self.tokens[*at].is_sign("[") && !self.tokens[*at].is_sign("+");
        let words = from.clone().take_while(plain).filter(|&at| self.tokens[at].kind == Kind::Word);
        let named = |at: &usize| {
            !self.signs(at + 1, "(") && !["float", "int", "void"].contains(&self.tokens[*at].text)
        };
        words.filter(named).last().map(|at| self.tokens[at].text)
    }

    /// What the host writes to the memory of a variable, and whether it reads it.
    pub(super) fn transfers(&self, name: &str, scope: Range<usize>) -> (Written, bool) {
        let (mut written, mut read) = (Written::Nothing, false);
        let has = |part: &Range<usize>, name: &str| {
            self.tokens[part.clone()].iter().any(|it| it.is_word(name))
        };
        let transfers = TRANSFER.iter().flat_map(|it| self.places(it, scope.clone()));
        let mut transfers: Vec<usize> = transfers.copied().collect();
        transfers.sort_unstable();
        for at in transfers.into_iter().filter(|at| self.signs(at + 1, "(")) {
            let Some((arguments, _)) = self.arguments(at + 1) else { continue };
            match (self.tokens[at].text, &arguments[..]) {
                ("cudaMemcpy" | "cudaMemcpyAsync", [to, from, _, kind, ..])
                | ("cudaMemcpy2D" | "cudaMemcpy2DAsync", [to, _, from, _, _, _, kind, ..]) => {
                    if has(to, name)
                        && written == Written::Nothing
                        && !has(kind, "cudaMemcpyDeviceToDevice")
                    {
                        written = self.written_by(from, scope.clone());
                    }
                    read |= has(from, name) && !has(kind, "cudaMemcpyDeviceToDevice");
                }
                ("cudaMemset" | "cudaMemsetAsync", [to, value, ..])
                | ("cudaMemset2D" | "cudaMemset2DAsync", [to, _, value, ..])
                    if has(to, name) && written == Written::Nothing =>
                {
                    written = match self.value(value.clone()).and_then(|it| it.number()) {
                        Some(0xff | -1) => Written::Each(Value::Number(-1)),
                        Some(0) => Written::Zeros,
                        _ => Written::Some,
                    };
                }
                _ => {}
            }
        }
        if written == Written::Nothing {
            let content = match self.content(name, scope.clone()) {
                Written::Some => {
                    self.content_of_source(name).or_else(|| self.uploaded(name, scope.clone()))
                }
                found => Some(found),
            };
            written = content.unwrap_or(Written::Nothing);
        }
        let managed = !self.places("cudaMallocManaged", scope).is_empty();
        (written, read || managed)
    }
}
