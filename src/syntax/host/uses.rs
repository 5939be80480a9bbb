//! What kernels do with the pointers that they are given.

use super::Host;
use crate::syntax::lexer::Kind;

impl Host<'_> {
    /// Whether a kernel writes through a pointer parameter, as far as its text shows. `None` if the pointer
    /// is also used under another name.
    pub(crate) fn writes(&self, kernel: &str, param: &str) -> Option<bool> {
        let uses = self.uses(kernel, param)?;
        let written =
            |it: &Use| matches!(it, Use::Set | Use::Changed | Use::Atomic | Use::Exchanged);
        let known = !uses.contains(&Use::Other);
        if uses.iter().any(written) { Some(true) } else { known.then_some(false) }
    }

    /// Whether its text shows that a kernel reads what it is given there. An atomic counts as
    /// writing: most begin with zeros.
    pub(crate) fn reads(&self, kernel: &str, param: &str) -> bool {
        let uses = self.uses(kernel, param).unwrap_or_default();
        uses.iter().any(|it| matches!(it, Use::Read | Use::Changed))
    }

    /// Whether a kernel does nothing with a pointer but `atomicCAS` and `atomicExch`, as with locks.
    pub(crate) fn exchanges(&self, kernel: &str, param: &str) -> bool {
        let uses = self.uses(kernel, param).unwrap_or_default();
        !uses.is_empty() && uses.iter().all(|it| *it == Use::Exchanged)
    }

    /// The type of the elements of the memory whose size the launch gives: `float` of
    /// `extern __shared__ float tile[];`.
    pub(crate) fn dynamic_shared(&self, kernel: &str) -> Option<String> {
        let body = self.kernel(kernel)?.body.clone();
        let at =
            self.places("__shared__", body).iter().copied().find(|&at| {
                at.checked_sub(1).is_some_and(|it| self.tokens[it].is_word("extern"))
            })?;
        let words = self.tokens[at + 1..].iter().take_while(|it| it.kind == Kind::Word);
        let words: Vec<&str> = words.map(|it| it.text).collect();
        let (_, of) = words.split_last()?;
        Some(of.join(" "))
    }

    /// What a kernel does with a pointer parameter in each place. That of a structure that is
    /// passed by value is `param.member`.
    fn uses(&self, kernel: &str, param: &str) -> Option<Vec<Use>> {
        let body = self.kernel(kernel)?.body.clone();
        let (param, member) = param.split_once('.').map_or((param, None), |it| (it.0, Some(it.1)));
        let places = self.places(param, body.clone()).iter();
        let last = |at: usize| match member {
            None => Some(at),
            Some(member) => {
                let is_it = self.signs(at + 1, ".") && self.tokens.get(at + 2)?.is_word(member);
                is_it.then_some(at + 2)
            }
        };
        let used = places.filter_map(|&at| Some(self.used(at, last(at)?, body.start)));
        Some(used.collect())
    }

    /// What a pointer is used for at the tokens from `at` to `last` of a kernel's body, which begins at
    /// `start`.
    fn used(&self, at: usize, last: usize, start: usize) -> Use {
        let mut end = last + 1;
        while self.signs(end, "[") {
            end = self.end(end + 1) + 1;
        }
        let indexed = end > last + 1;
        // Members of an element.
        while self.signs(end, ".") {
            end += 2;
        }
        let operator = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>="];
        let before = |back: usize| at.checked_sub(back).map(|it| &self.tokens[it]);
        let counted = before(2).is_some_and(|it| it.is_sign("+") || it.is_sign("-"))
            && (self.signs(at - 2, "++") || self.signs(at - 2, "--"));
        let pointed = before(1).is_some_and(|it| it.is_sign("*"));
        if indexed || pointed {
            if self.signs(end, "=") && !self.signs(end, "==") {
                return Use::Set;
            }
            if counted || operator.iter().any(|it| self.signs(end, it)) {
                return Use::Changed;
            }
        }
        // `atomicAdd(&bins[i], 1)`, `atomicAdd(bins + i, 1)`, and other calls.
        let open = (start..at).rev().take(3).find(|&it| self.signs(it, "("));
        let call = open.and_then(|it| it.checked_sub(1)).map(|it| &self.tokens[it]);
        match call.map_or("", |it| it.text) {
            "atomicCAS" | "atomicExch" => return Use::Exchanged,
            name if name.contains("atomic") => return Use::Atomic,
            _ => {}
        }
        if indexed { Use::Read } else { Use::Other }
    }
}

/// What a kernel does with a pointer in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Writes what it points to.
    Set,
    /// Reads it and writes it.
    Changed,
    /// Changes it by an atomic.
    Atomic,
    /// Changes it by `atomicCAS` or `atomicExch`.
    Exchanged,
    /// Reads it.
    Read,
    /// Uses it under another name, or as an argument.
    Other,
}
