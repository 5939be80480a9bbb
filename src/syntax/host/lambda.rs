//! Lambdas for the GPU, `[=] __device__ (int i) {…}`, as objects of a `struct` with what they capture:
//! the compilers here read no host code, in which such a lambda stands.

use std::ops::Range;

use super::{Host, split};
use crate::syntax::declaration::matching;
use crate::syntax::lexer::Kind;
use crate::syntax::macros::{Replacing, one_line};

/// A lambda for the GPU, as indices of tokens.
struct Lambda<'a> {
    /// The name of its structure.
    name: String,
    /// From its first bracket to its last.
    whole: Range<usize>,
    /// From its parameters to its body.
    head: Range<usize>,
    /// Type and name of each variable that it captures.
    captured: Vec<(String, &'a str)>,
}

impl<'a> Host<'a> {
    /// The source with a `struct` before its first kernel for each lambda that is for the GPU, if it
    /// has any.
    pub(in crate::syntax) fn with_objects(&self) -> Option<String> {
        let (first, found) = self.device_lambdas()?;
        let mut replacing = Replacing::new(self.source);
        let structs: String = found.iter().map(|it| self.on_a_line(it)).collect();
        let start = &self.tokens[first..=first];
        replacing.put(start, &format!("{structs}{}", start[0].text));
        for it in &found {
            let values: Vec<&str> = it.captured.iter().map(|it| it.1).collect();
            let object = format!("{}{{{}}}", it.name, values.join(", "));
            // `auto f = [=] …` is of that type.
            let declared = it.whole.start.checked_sub(3).filter(|&at| {
                self.tokens[at].is_word("auto") && self.signs(it.whole.start - 1, "=")
            });
            match declared {
                Some(at) => {
                    let variable = self.tokens[at + 1].text;
                    let all = format!("{} {variable} = {object}", it.name);
                    replacing.put(&self.tokens[at..it.whole.end], &all);
                }
                None => replacing.put(&self.tokens[it.whole.clone()], &object),
            }
        }
        replacing.end()
    }

    /// Code with these structures, with their lines as the source of this name has them.
    pub(in crate::syntax) fn with_lines(&self, code: &str, name: &str) -> Option<String> {
        let (first, found) = self.device_lambdas()?;
        let mut code = code.to_owned();
        let mut last = None;
        for it in &found {
            let line = self.on_a_line(it);
            let at = code.find(&line)?;
            let body = self.tokens.get(it.head.end..it.whole.end)?;
            let number = body.first()?.line;
            let text = self.source.get(body.first()?.place.0..body.last()?.place.1)?;
            let apart = format!("\n#line {number} \"{name}\"\n{}{text} }}; ", self.head(it));
            code.replace_range(at..at + line.len(), &apart);
            last = Some(at + apart.len());
        }
        let number = self.tokens[first].line;
        code.insert_str(last?, &format!("\n#line {number} \"{name}\"\n"));
        Some(code)
    }

    /// Where the structures stand, and the lambdas for the GPU in host code, if there are any.
    fn device_lambdas(&self) -> Option<(usize, Vec<Lambda<'a>>)> {
        let kernels = self.all("__global__").iter().filter_map(|&at| self.function(at));
        let first = kernels.clone().find(|it| !it.body.is_empty()).or(kernels.clone().next());
        let first = first?.whole.start;
        let mut found: Vec<Lambda> = Vec::new();
        for mut lambda in self.all("__device__").iter().filter_map(|&at| self.device_lambda(at)) {
            if found.last().is_none_or(|it| it.whole.end <= lambda.whole.start) {
                if !found.is_empty() {
                    lambda.name = format!("lambda_{}", found.len() + 1);
                }
                found.push(lambda);
            }
        }
        // The structures stand before the first kernel, and before the first function that makes one.
        let maker = self.function(found.first()?.whole.start)?.whole.start;
        Some((first.min(maker), found))
    }

    /// The `struct` of a lambda up to the body of its operator.
    fn head(&self, it: &Lambda) -> String {
        let members: String =
            it.captured.iter().map(|(of, name)| format!("{of} {name}; ")).collect();
        let head = one_line(self.source, &self.tokens[it.head.clone()]);
        let constant = if head.contains(" mutable") { "" } else { "const " };
        let head = head.replace(" mutable", "");
        // `-> type` comes behind `const`.
        let (params, result) = head.split_once("->").unwrap_or((&head, ""));
        let result = if result.is_empty() { String::new() } else { format!("->{result} ") };
        let (name, params) = (&it.name, params.trim_end());
        format!("struct {name} {{ {members}__device__ auto operator(){params} {constant}{result}")
    }

    fn on_a_line(&self, it: &Lambda) -> String {
        let body = one_line(self.source, &self.tokens[it.head.end..it.whole.end]);
        format!("{}{body} }}; ", self.head(it))
    }

    /// The lambda whose mark `__device__` is here.
    fn device_lambda(&self, mark: usize) -> Option<Lambda<'a>> {
        let is = |at: usize, word: &str| self.tokens.get(at).is_some_and(|it| it.is_word(word));
        let before = mark - usize::from(mark > 0 && is(mark - 1, "__host__"));
        let close = before.checked_sub(1).filter(|&at| self.signs(at, "]"))?;
        let open = (0..close).rev().find(|&at| self.signs(at, "["))?;
        // One in code for the GPU stays.
        if self.function(open)?.is_device {
            return None;
        }
        // What is captured by its address is on the host.
        if (open..close).any(|at| self.signs(at, "&")) {
            return None;
        }
        let params = mark + 1 + usize::from(is(mark + 1, "__host__"));
        let behind = self.signs(params, "(").then(|| matching(&self.tokens[params..])).flatten()?;
        let body = (params + behind..self.end(params)).find(|&at| self.signs(at, "{"))?;
        let end = body + matching(&self.tokens[body..])? + 1;
        let inside = params + 1..params + behind;
        let named = split(&self.tokens[inside.clone()], true).into_iter().filter_map(|it| {
            let part = &self.tokens[inside.start + it.start..inside.start + it.end];
            part.iter().rfind(|it| it.kind == Kind::Word).map(|it| it.text)
        });
        let mut known: Vec<&str> = named.collect();
        let mut captured = Vec::new();
        for at in (body..end).filter(|&at| self.tokens[at].kind == Kind::Word) {
            let name = self.tokens[at].text;
            let member = self.signs(at - 1, ".") || self.signs(at - 2, "->");
            if member || known.contains(&name) {
                continue;
            }
            known.push(name);
            if let Some(of) = self.local_type(name, open) {
                captured.push((of, name));
            }
        }
        Some(Lambda { name: "lambda".to_owned(), whole: open..end, head: params..body, captured })
    }

    /// The type of a variable or parameter of the function that a place is in.
    pub(super) fn local_type(&self, name: &str, at: usize) -> Option<String> {
        let function = self.function(at)?;
        let declared = |it: usize| {
            let ends = [";", "{", "}", "("];
            let start = (function.whole.start..it)
                .rev()
                .find(|&it| ends.contains(&self.tokens[it].text))?;
            Some((self.plain(start + 1..it, name)?, it))
        };
        let of_param = function.params.iter().find(|it| it.name == name).and_then(|it| {
            let place = it.whole.clone().rev().find(|&at| self.tokens[at].is_word(name))?;
            Some((self.plain(it.whole.clone(), name)?, place))
        });
        let locals = || self.places(name, function.body.start..at).iter().rev();
        let (of, place) = of_param.or_else(|| locals().find_map(|&it| declared(it)))?;
        if self.signs(place + 1, "[") {
            return None;
        }
        let of = one_line(self.source, &self.tokens[of]);
        let of = if of == "auto" { "int".to_owned() } else { of };
        let pointed = self.tokens[..place].iter().rev();
        let stars = pointed.take_while(|it| it.is_sign("*") || it.text.contains("restrict"));
        Some(of + &"*".repeat(stars.filter(|it| it.is_sign("*")).count()))
    }
}
