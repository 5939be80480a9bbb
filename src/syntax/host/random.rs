//! Random numbers of host code: the least and the largest that an expression may be.

use super::Host;
use super::value::{Op, Value};
use crate::syntax::lexer::Kind;

/// Which end of their range random numbers are taken to be at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Random {
    /// The least.
    Least,
    /// The largest.
    Most,
}

/// Functions of the C library, which return numbers up to `RAND_MAX`.
const FUNCTIONS: [&str; 3] = ["rand", "random", "lrand48"];

/// Generators of 32 bits.
const GENERATORS: [&str; 5] =
    ["mt19937", "default_random_engine", "minstd_rand", "minstd_rand0", "random_device"];

/// The largest numbers that they return.
const MOST: [i128; 2] = [i32::MAX as i128, u32::MAX as i128];

impl Host<'_> {
    /// What `read` returns if random numbers are at this end.
    pub(super) fn with_random<T>(&self, end: Random, read: impl FnOnce() -> T) -> T {
        let before = self.random.replace(Some(end));
        let found = read();
        self.random.set(before);
        found
    }

    /// The number that a call of this name returns, if it is random: of `rand()`, a generator, or a
    /// distribution of whole numbers, such as `pick` here:
    /// `std::uniform_int_distribution<int> pick(0, n - 1); h[i] = pick(generator);`.
    pub(super) fn random_number(&self, name: &str, end: Random, at: usize) -> Option<Value> {
        let up_to = |most: i128| Value::Number(if end == Random::Least { 0 } else { most });
        if FUNCTIONS.contains(&name) {
            return Some(up_to(MOST[0]));
        }
        self.places(name, 0..at).iter().rev().find_map(|&at| {
            let declared = |words: &[&str]| self.declared_as(at).any(|it| words.contains(&it.text));
            if declared(&GENERATORS) {
                return Some(up_to(MOST[1]));
            }
            let given = declared(&["uniform_int_distribution"]).then(|| self.arguments(at + 1))?;
            let [least, most] = &given?.0[..] else { return None };
            self.value(if end == Random::Least { least } else { most }.clone())
        })
    }

    /// The rest of a division: of a random number, that of any.
    pub(super) fn rest(&self, left: Value, right: Value) -> Value {
        let any = self.random.get() == Some(Random::Most)
            && left.number().is_some_and(|it| MOST.contains(&it));
        if any {
            Value::op(Op::Subtract, right, Value::Number(1))
        } else if left == Value::Number(0) {
            left
        } else {
            Value::op(Op::Remainder, left, right)
        }
    }

    /// A letter of an array of letters, `const char bases[] = "ACGT"`, at a random place.
    pub(super) fn random_letter(&self, name: &str) -> Option<Value> {
        let end = self.random.get()?;
        let text = self.all(name).iter().find_map(|&at| {
            let behind = if self.signs(at + 1, "[") { self.end(at + 2) + 1 } else { at + 1 };
            let text = self.tokens.get(behind + 1).filter(|it| it.kind == Kind::String)?.text;
            self.signs(behind, "=").then_some(text)
        })?;
        let letters = text.trim_matches('"').bytes().map(i128::from);
        let letter = if end == Random::Least { letters.min() } else { letters.max() };
        letter.map(Value::Number)
    }
}
