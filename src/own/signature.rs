//! Signatures of the kernels in a CUDA source, read from its text.
//!
//! Only plain declarations are read: kernels made by macros or templates are left out,
//! each with a reason.

use std::collections::HashMap;

use super::ctype::{CType, Scalar, scalar_of};
use crate::syntax::{self, Host, Kind, Token, name_and_params};

/// A kernel's signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Name.
    pub name: String,
    /// Line of the name, from 1.
    pub line: u32,
    /// Parameters in order.
    pub params: Vec<SignatureParam>,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParam {
    /// Name; empty if it has none.
    pub name: String,
    /// Type.
    pub ctype: CType,
}

impl SignatureParam {
    /// Its declaration: `const float *in`.
    pub fn declaration(&self) -> String {
        let ctype = self.ctype.to_string();
        let space = if ctype.ends_with('*') || self.name.is_empty() { "" } else { " " };
        format!("{ctype}{space}{}", self.name)
    }
}

/// A `__global__` function that is no variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Name.
    pub name: String,
    /// Line, from 1; `None` if it is only in the PTX.
    pub line: Option<u32>,
    /// Why.
    pub reason: String,
}

/// The names of the parameters of a kernel, by its name in the PTX; empty where the source has
/// no such kernel in a form that can be read.
pub fn parameters(source: &str, kernel: &str) -> Vec<String> {
    let (kernels, _) = signatures(source);
    let is_it = |it: &&Signature| it.name == kernel || super::kernels::mangles(kernel, &it.name);
    let found = kernels.iter().find(is_it);
    found.map_or_else(Vec::new, |it| it.params.iter().map(|param| param.name.clone()).collect())
}

/// The kernels of a source, and those that cannot be variants.
pub(super) fn signatures(source: &str) -> (Vec<Signature>, Vec<LeftOut>) {
    let text = syntax::written_out(source);
    let tokens: Vec<Token> = syntax::tokens(&text).filter(|it| it.kind != Kind::Comment).collect();
    let mut found = Found { host: Host::new(&text), ..Found::default() };
    let mut start = 0;
    // Whether each open brace belongs to `extern "C" {` or a namespace, whose contents are
    // declarations.
    let mut braces: Vec<Brace> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let in_body = braces.contains(&Brace::Body);
        match token.text {
            "{" if token.kind == Kind::Other => {
                let before = &tokens[start..at];
                braces.push(Brace::of(before, in_body));
                if !in_body {
                    found.declaration(before, braces.contains(&Brace::ExternC));
                }
                start = at + 1;
            }
            "}" if token.kind == Kind::Other => {
                braces.pop();
                start = at + 1;
            }
            ";" if token.kind == Kind::Other => {
                if !in_body {
                    found.type_name(&tokens[start..at]);
                }
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let Found { mut kernels, mut left_out, unnamed, .. } = found;
    let several = |name: &String| unnamed.iter().filter(|it| *it == name).count() > 1;
    for kernel in kernels.extract_if(.., |it| several(&it.name)) {
        let reason = "several kernels have this name: give each its own".to_owned();
        left_out.push(LeftOut { name: kernel.name, line: Some(kernel.line), reason });
    }
    (kernels, left_out)
}

/// What an open brace holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brace {
    ExternC,
    Namespace,
    Body,
}

impl Brace {
    fn of(before: &[Token], in_body: bool) -> Self {
        match before {
            _ if in_body => Self::Body,
            [.., extern_, c] if extern_.text == "extern" && is_c(c) => Self::ExternC,
            _ if before.iter().any(|it| it.text == "namespace") => Self::Namespace,
            _ => Self::Body,
        }
    }
}

fn is_c(token: &Token) -> bool {
    token.kind == Kind::String && token.text == "C"
}

#[derive(Default)]
struct Found<'a> {
    host: Host<'a>,
    types: HashMap<String, CType>,
    kernels: Vec<Signature>,
    left_out: Vec<LeftOut>,
    /// Kernels without `extern "C"`, which get it if no other has their name.
    unnamed: Vec<String>,
}

impl Found<'_> {
    /// `typedef unsigned int u32` or `using u32 = unsigned int`.
    fn type_name(&mut self, tokens: &[Token]) {
        let (name, words) = match tokens {
            [first, words @ .., name] if first.text == "typedef" => (name, words),
            [first, name, equals, words @ ..] if first.text == "using" && equals.text == "=" => {
                (name, words)
            }
            _ => return,
        };
        let words: Vec<Token> = syntax::unqualified(words).copied().collect();
        let known = ctype(&words, &self.types);
        let other = || match &words[..] {
            [word] => Some(CType::Scalar(Scalar::Opaque(word.text.to_owned()))),
            _ => None,
        };
        if let Some(ctype) = known.or_else(other) {
            self.types.insert(name.text.to_owned(), ctype);
        }
    }

    /// A kernel, if the tokens before a body declare one.
    fn declaration(&mut self, tokens: &[Token], in_extern_c: bool) {
        if !tokens.iter().any(|it| it.text == "__global__") {
            return;
        }
        let Some((name, params)) = name_and_params(tokens) else { return };
        let mut leave_out = |reason: &str| {
            let (name, line) = (name.text.to_owned(), Some(name.line));
            self.left_out.push(LeftOut { name, line, reason: reason.to_owned() });
        };
        if tokens.iter().any(|it| it.text == "template") {
            let instances = self.host.instances(name.text);
            if instances.is_empty() {
                return leave_out(
                    "no launch in the file says for which types this template is; write one, such as \
                     `name<float><<<1, 256>>>(…)`, or the types instead",
                );
            }
            for instance in instances {
                let values: Vec<Vec<Token>> =
                    instance.values.iter().map(|it| syntax::tokens(&it.1).collect()).collect();
                let value =
                    |it: &Token| instance.values.iter().position(|(name, _)| it.is_word(name));
                let with_values: Vec<Token> = params
                    .iter()
                    .flat_map(|it| value(it).map_or(std::slice::from_ref(it), |at| &values[at][..]))
                    .copied()
                    .collect();
                let params = split(&with_values);
                let params = params.into_iter().map(|it| param(it, &self.types)).collect();
                self.kernels.push(Signature {
                    name: instance.name.clone(),
                    line: name.line,
                    params,
                });
            }
            return;
        }
        let own_extern = tokens.iter().any(|it| it.text == "extern") && tokens.iter().any(is_c);
        if !own_extern && !in_extern_c {
            self.unnamed.push(name.text.to_owned());
        }
        let params = split(params);
        let params = params.into_iter().map(|it| param(it, &self.types)).collect();
        self.kernels.push(Signature { name: name.text.to_owned(), line: name.line, params });
    }
}

/// The tokens of each parameter.
fn split<'a, 't>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    if matches!(tokens, [void] if void.is_word("void")) {
        return Vec::new();
    }
    syntax::split(tokens, true).into_iter().map(|it| &tokens[it]).collect()
}

fn param(tokens: &[Token], types: &HashMap<String, CType>) -> SignatureParam {
    let is_array = tokens.iter().any(|it| it.text == "[");
    let end = tokens.iter().position(|it| it.text == "[" || it.text == "=").unwrap_or(tokens.len());
    let tokens: Vec<Token> = syntax::unqualified(&tokens[..end]).copied().collect();
    let words = tokens.iter().filter(|it| it.kind == Kind::Word && !is_qualifier(it.text)).count();
    let (name, rest) = match tokens.split_last() {
        Some((last, rest))
            if last.kind == Kind::Word
                && words > 1
                && !is_qualifier(last.text)
                && scalar_of(&[last.text]).is_none() =>
        {
            (last.text.to_owned(), rest)
        }
        _ => (String::new(), &tokens[..]),
    };
    let written = || rest.iter().map(|it| it.text).collect::<Vec<_>>().join(" ");
    let ctype = ctype(rest, types).unwrap_or_else(|| CType::Other(written()));
    let ctype = match ctype {
        CType::Scalar(scalar) if is_array => {
            let constant = rest.iter().any(|it| it.text == "const");
            CType::Pointer { to: scalar, constant }
        }
        ctype => ctype,
    };
    SignatureParam { name, ctype }
}

/// Words that say nothing about the type's size.
fn is_qualifier(word: &str) -> bool {
    ["const", "volatile", "restrict", "__restrict__", "__restrict", "struct", "register"]
        .contains(&word)
        || word == "__grid_constant__"
}

/// The type that these tokens name, if it is a number, a vector, or a pointer to one.
fn ctype(tokens: &[Token], types: &HashMap<String, CType>) -> Option<CType> {
    let is = |text: &'static str| move |it: &&Token| it.text == text;
    let stars = tokens.iter().filter(is("*")).count();
    let first_star = tokens.iter().position(|it| it.text == "*").unwrap_or(tokens.len());
    let constant = tokens[..first_star].iter().any(|it| it.text == "const");
    if tokens.iter().any(|it| it.text != "*" && it.kind != Kind::Word) {
        return None;
    }
    let words = tokens.iter().map(|it| it.text).filter(|it| *it != "*" && !is_qualifier(it));
    let words: Vec<&str> = words.collect();
    let named = match words[..] {
        [word] => types.get(word).cloned(),
        _ => None,
    };
    let plain = || -> Option<CType> {
        let known = scalar_of(&words);
        // A pointer to a type of the user's own is a pointer still.
        let opaque = (stars > 0 && words.len() == 1).then(|| Scalar::Opaque(words[0].to_owned()));
        known.or(opaque).map(CType::Scalar)
    };
    match (named.or_else(plain)?, stars) {
        (CType::Scalar(Scalar::Opaque(name)), 0) => Some(CType::Other(name)),
        (ctype, 0) => Some(ctype),
        (CType::Scalar(to), 1) => Some(CType::Pointer { to, constant }),
        (ctype, _) => {
            let to = Scalar::Opaque(format!("{ctype} {}", "*".repeat(stars - 1)));
            Some(CType::Pointer { to, constant })
        }
    }
}
