//! Launches: `kernel<<<blocks, threads, bytes>>>(arguments)`.

use std::ops::Range;

use super::memory::{Memory, TRANSFER};
use super::value::Value;
use super::{Host, split};

/// A launch of a kernel. Unknown parts are `None`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Launch {
    /// Its line, from 1.
    pub(crate) line: u32,
    /// Blocks.
    pub(crate) grid: Option<Value>,
    /// Threads per block.
    pub(crate) block: Option<Value>,
    /// Dynamic shared memory in bytes.
    pub(crate) shared: Option<Value>,
    /// The arguments.
    pub(crate) arguments: Vec<Given>,
    /// Template arguments that are numbers.
    pub(crate) numbers: Vec<i128>,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    /// Where it is written, as indices of tokens.
    pub(crate) place: Range<usize>,
    /// As a number.
    pub(crate) value: Option<Value>,
    /// As a pointer.
    pub(crate) memory: Option<Memory>,
    /// Whether it is a null pointer.
    pub(crate) null: bool,
}

/// Where the parts of a launch are.
pub(super) struct Parts {
    /// Explicit template arguments.
    pub(super) template: Option<Vec<Range<usize>>>,
    /// Grid, block, shared memory and stream.
    pub(super) config: Vec<Range<usize>>,
    /// Arguments of the kernel.
    pub(super) arguments: Vec<Range<usize>>,
}

impl Host<'_> {
    /// The launches of a kernel, in the order of the text.
    pub(crate) fn launches(&self, kernel: &str) -> impl Iterator<Item = Launch> {
        let all = self.all(kernel).iter();
        all.filter_map(move |&at| self.launched(at, &self.parts(at, kernel)?))
    }

    /// Whether a launch finds in some memory what an earlier one left there: both are in one function,
    /// one after the other, and the host does not fill the memory between them.
    pub(crate) fn follows(&self, first: &Launch, second: &Launch, memory: &str) -> bool {
        const WAYS: [&str; 5] = ["case", "default", "else", "break", "return"];
        let at = |launch: &Launch| launch.arguments.first().map(|it| it.place.start);
        let (Some(from), Some(to)) = (at(first), at(second)) else { return false };
        let function = |at| self.function(at).map(|it| it.whole.start);
        let between = from..to.max(from);
        let filled = TRANSFER.iter().any(|it| {
            self.places(it, between.clone()).iter().any(|&call| {
                let given = self.arguments(call + 1).and_then(|it| it.0.first().cloned());
                given.is_some_and(|it| self.tokens[it].iter().any(|it| it.is_word(memory)))
            })
        });
        let other_way = self.tokens[between].iter().any(|it| WAYS.contains(&it.text));
        from < to && function(from) == function(to) && !filled && !other_way
    }

    /// Whether a program takes either of two launches, in a `switch` or after an `else`: where they are, or
    /// where their functions are called.
    pub(crate) fn are_ways(&self, first: &Launch, second: &Launch) -> bool {
        const WAYS: [&str; 3] = ["case", "default", "else"];
        let places = |launch: &Launch| -> Vec<usize> {
            let at = launch.arguments.first().map(|it| it.place.start);
            let function = at.and_then(|at| self.function(at));
            at.into_iter().chain(function.into_iter().flat_map(|it| self.calls(it))).collect()
        };
        let seconds = places(second);
        places(first).iter().any(|from| {
            let function = |at: &usize| self.function(*at).map(|it| it.whole.start);
            let mut same = seconds.iter().filter(|to| function(to) == function(from));
            same.any(|to| {
                let between = &self.tokens[*from.min(to)..*from.max(to)];
                between.iter().any(|it| WAYS.contains(&it.text))
            })
        })
    }

    /// The first launch of a kernel, or of an instance of a template.
    pub(crate) fn launch(&self, kernel: &str) -> Option<Launch> {
        let direct = self.launches(kernel).next();
        let elsewhere = || self.all(kernel).iter().find_map(|&at| self.launched_elsewhere(at));
        direct.or_else(elsewhere).or_else(|| {
            let written = self.written().iter().find(|it| it.instance.name == kernel)?;
            let template = self.functions.get(written.template)?.name;
            let launch =
                self.with_call(written.call, || match self.parts(written.at, template) {
                    Some(parts) => self.launched(written.at, &parts),
                    None => self.launched_elsewhere(written.at),
                })?;
            let values = written.instance.values.iter();
            let numbers = values.filter_map(|it| it.1.parse().ok()).collect();
            Some(self.of_instance(Launch { numbers, ..launch }, template))
        })
    }

    /// The parts of a launch of `kernel` that begins here.
    pub(super) fn parts(&self, at: usize, kernel: &str) -> Option<Parts> {
        if !self.tokens[at].is_word(kernel) {
            return None;
        }
        let explicit = self.signs(at + 1, "<") && !self.signs(at + 1, "<<<");
        let template = if explicit { Some(self.angles(at + 1)?) } else { None };
        let start = template.as_ref().map_or(at + 1, |it| it.1);
        self.parts_from(start, template.map(|it| it.0))
    }

    /// The parts of a launch whose `<<<` is here.
    pub(super) fn parts_from(
        &self,
        start: usize,
        template: Option<Vec<Range<usize>>>,
    ) -> Option<Parts> {
        if !self.signs(start, "<<<") {
            return None;
        }
        let config = start + 3..(start..self.tokens.len()).find(|&it| self.signs(it, ">>>"))?;
        let (arguments, _) =
            self.signs(config.end + 3, "(").then(|| self.arguments(config.end + 3)).flatten()?;
        let parts = split(&self.tokens[config.clone()], false);
        let parts = parts.into_iter().map(|it| config.start + it.start..config.start + it.end);
        Some(Parts { template, config: parts.collect(), arguments })
    }

    pub(super) fn launched(&self, at: usize, parts: &Parts) -> Option<Launch> {
        let value = |index: usize| self.value(parts.config.get(index)?.clone());
        let given = |range: &Range<usize>| Given {
            place: range.clone(),
            value: self.value(range.clone()),
            memory: self.memory(range.clone()),
            null: self.is_null(range.clone(), 0),
        };
        let mut arguments: Vec<Given> = parts.arguments.iter().map(given).collect();
        self.tell_apart(&mut arguments);
        Some(Launch {
            line: self.tokens.get(at)?.line,
            grid: value(0),
            block: value(1),
            shared: value(2),
            arguments,
            numbers: Vec::new(),
        })
    }

    /// Gives elements of an array of pointers names of their own where a launch has several: of
    /// `d[from], d[to]`, the second is `d_to`.
    fn tell_apart(&self, arguments: &mut [Given]) {
        let text = |it: &Given| -> Vec<&str> {
            self.tokens[it.place.clone()].iter().map(|it| it.text).collect()
        };
        for index in 1..arguments.len() {
            let (before, rest) = arguments.split_at_mut(index);
            let one = text(&rest[0]);
            let Some(memory) = &mut rest[0].memory else { continue };
            let other = before.iter().any(|it| {
                let same = it.memory.as_ref().is_some_and(|it| it.name == memory.name);
                same && text(it).contains(&"[") && text(it) != one
            });
            if let (true, [.., "[", which, "]"]) = (other, &one[..]) {
                memory.name = format!("{}_{which}", memory.name);
            }
        }
    }

    /// Where the block size selects the instance, each instance gets its own block size: in
    /// `case 512: k<512><<<blocks, threads>>>(…)`, `threads` is 512.
    fn of_instance(&self, launch: Launch, template: &str) -> Launch {
        let first = match &launch.block {
            Some(Value::Dim3(values)) => values[0].clone(),
            Some(value) => value.clone(),
            None => return launch,
        };
        let (Value::Name(name, Some(number)), [own]) = (&first, &launch.numbers[..]) else {
            return launch;
        };
        let written = number.to_string();
        let mut others = self.instances(template).into_iter();
        if own == number || !others.any(|it| it.values.iter().any(|it| it.1 == written)) {
            return launch;
        }
        let with = |value: &Value| {
            let is_it = matches!(value, Value::Name(it, Some(_)) if it == name);
            is_it.then(|| Value::Name(name.clone(), Some(*own)))
        };
        let replaced = |value: Option<Value>| value.map(|it| it.replaced(&with));
        let arguments = launch.arguments.into_iter().map(|it| Given {
            place: it.place,
            value: replaced(it.value),
            memory: it.memory.map(|it| Memory {
                bytes: replaced(it.bytes),
                elements: replaced(it.elements),
                ..it
            }),
            null: it.null,
        });
        Launch {
            grid: replaced(launch.grid),
            block: replaced(launch.block),
            shared: replaced(launch.shared),
            arguments: arguments.collect(),
            ..launch
        }
    }
}
