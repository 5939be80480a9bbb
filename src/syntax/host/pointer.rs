//! Launches through pointers: `pointer<<<…>>>(…)`, where the kernel is a value somewhere else.

use std::ops::Range;

use super::launch::{Launch, Parts};
use super::{Function, Host};
use crate::syntax::lexer::Kind;

impl Host<'_> {
    /// A launch of the kernel that is named here as a value.
    pub(super) fn launched_elsewhere(&self, named: usize) -> Option<Launch> {
        if self.function(named).is_some_and(|it| it.is_device) {
            return None;
        }
        self.launched_by_call(named).or_else(|| self.launched_by_pointer(named))
    }

    fn sign(&self, at: usize, sign: &str) -> bool {
        self.tokens.get(at).is_some_and(|it| it.is_sign(sign))
    }

    /// Launches through pointers in a part of the source, with the positions of their names.
    fn through_pointers(&self, scope: Range<usize>) -> impl Iterator<Item = (usize, Parts)> {
        scope.filter(|&at| self.tokens[at].kind == Kind::Word).filter_map(|at| {
            // `kernels[k]<<<…>>>` is a launch of an element.
            let indexed = self.signs(at + 1, "[") && self.step();
            let open = if indexed { self.end(at + 2) + 1 } else { at + 1 };
            let parts = self.parts_from(open, None)?;
            let is_kernel = self.functions.iter().any(|it| it.name == self.tokens[at].text);
            (!is_kernel).then_some((at, parts))
        })
    }

    /// A launch in the same function, or anywhere if the kernel is named in a table outside of
    /// functions. After `pointer = kernel`, one of `pointer` comes first.
    fn launched_by_pointer(&self, named: usize) -> Option<Launch> {
        let before = named.checked_sub(1)?;
        if !["&", ",", "{", "="].iter().any(|it| self.sign(before, it)) {
            return None;
        }
        let equals = before - usize::from(self.sign(before, "&") && before > 0);
        let pointer = equals.checked_sub(1).filter(|_| self.sign(equals, "="));
        let pointer = pointer.map(|it| self.tokens[it].text);
        let scope = self.function(named).map_or(0..self.tokens.len(), |it| it.whole.clone());
        let all: Vec<_> = self.through_pointers(scope).collect();
        let own = all.iter().find(|it| pointer == Some(self.tokens[it.0].text));
        let (at, parts) = own.or(all.first())?;
        self.launched(*at, parts)
    }

    /// A launch in a function that the kernel is an argument of, as in `measure(kernel, n, x)`.
    fn launched_by_call(&self, named: usize) -> Option<Launch> {
        let scope = self.function(named)?.body.clone();
        let open = self.bracket_around(named, scope.start)?;
        let name = open.checked_sub(1)?;
        let (given, _) = self.arguments(open)?;
        let index = given.iter().position(|it| it.contains(&named))?;
        let mut called = self.functions.iter().filter(|it| self.tokens[name].is_word(it.name));
        let function = called.find(|it| !it.is_device && !it.body.is_empty())?;
        let param = function.params.get(index)?.name;
        let mut launches = self.through_pointers(function.body.clone());
        let (at, mut parts) = launches.find(|it| self.tokens[it.0].is_word(param))?;
        self.unpack(function, &given, &mut parts);
        self.with_call(Some((function.whole.start, name)), || self.launched(at, &parts))
    }

    /// The open bracket of the innermost pair around a token.
    fn bracket_around(&self, at: usize, from: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (from..at).rev().find(|&at| {
            let close = self.is_close(at);
            let open = self.sign(at, "(") || self.sign(at, "{");
            let found = open && depth == 0 && self.step();
            depth = if open { depth.saturating_sub(1) } else { depth + usize::from(close) };
            found
        })
    }

    /// Replaces `args...` in a launch by what a call gives for the parameter `Args... args`.
    fn unpack(&self, function: &Function, given: &[Range<usize>], parts: &mut Parts) {
        let Some(last) = function.params.last() else { return };
        if !last.whole.clone().any(|at| self.signs(at, "...")) {
            return;
        }
        let is_pack = |it: &Range<usize>| {
            it.clone().any(|at| self.tokens[at].is_word(last.name))
                && it.clone().any(|at| self.signs(at, "..."))
        };
        let packed = given.get(function.params.len() - 1..).unwrap_or_default();
        let unpacked = parts
            .arguments
            .iter()
            .flat_map(|it| if is_pack(it) { packed.to_vec() } else { vec![it.clone()] });
        parts.arguments = unpacked.collect();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Value;
    use super::Host;

    const KERNELS: &str = "template <int N> __global__ void copy(int *in, int *out, int n) { out[n] = in[n]; }\n\
        __global__ void add(int *x, int n) { x[n] = 1; }\n";

    /// The block of a kernel, and its last argument.
    fn launch(host_code: &str, kernel: &str) -> Option<(Option<i128>, Option<i128>)> {
        let source = format!("{KERNELS}{host_code}");
        let launch = Host::new(&source).launch(kernel)?;
        let number = |it: &Value| it.number();
        let last = launch.arguments.last().and_then(|it| it.value.as_ref()).and_then(number);
        Some((launch.block.as_ref().and_then(number), last))
    }

    #[test]
    fn each_pointer_has_its_own_launch() {
        let main = "int main() { auto a = add; auto c = &copy<4>; int *p, *q;\n\
                    a<<<1, 32>>>(p, 7); c<<<2, 64>>>(p, q, 9); }";
        assert_eq!(launch(main, "add"), Some((Some(32), Some(7))));
        assert_eq!(launch(main, "copy_4"), Some((Some(64), Some(9))));
    }

    #[test]
    fn a_kernel_may_be_an_argument() {
        let main = "void run(const char *name, void (*k)(int *, int), int *x, int n, int threads) {\n\
                      k<<<n / threads, threads>>>(x, n); }\n\
                    int main() { int *p; run(\"a\", add, p, 4096, 128); }";
        assert_eq!(launch(main, "add"), Some((Some(128), Some(4096))));
        let forwarded = main.replace("add, p", "wrong, p");
        assert_eq!(launch(&forwarded, "add"), None);
    }

    #[test]
    fn packs_are_the_arguments_of_the_call() {
        for pack in ["args...", "std::forward<Args>(args)..."] {
            let main = format!(
                "template <typename K, typename... Args> void time(K k, dim3 grid, int block, Args... args)\n\
                 {{ k<<<grid, block>>>({pack}); }}\n\
                 int main() {{ int *p, *q; time(copy<8>, dim3(4), 96, p, q, 5); time(add, 1, 64, p, 3); }}"
            );
            assert_eq!(launch(&main, "copy_8"), Some((Some(96), Some(5))), "{pack}");
            assert_eq!(launch(&main, "add"), Some((Some(64), Some(3))), "{pack}");
        }
    }
}
