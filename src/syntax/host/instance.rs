//! Instances of kernel templates, found by their launches.

use std::ops::Range;

use super::expression::TYPES;
use super::{Function, Host};
use crate::syntax::lexer::{Kind, Token};

/// Maximum number of instances in a source.
const MOST: usize = 256;

/// Maximum number of templates that a type is followed through.
const MOST_STEPS: u32 = 8;

/// An instance of a template: its arguments at a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instance {
    /// Its name here: the template's name and its arguments.
    pub(crate) name: String,
    /// Template arguments, by parameter name.
    pub(crate) values: Vec<(String, String)>,
}

/// An instance, and where it is written.
pub(super) struct Written {
    pub(super) instance: Instance,
    /// Index of the function that is its template.
    pub(super) template: usize,
    /// Index of the token that names it: in a launch, if there is one.
    pub(super) at: usize,
    is_launch: bool,
    /// The function that contains it, and one call of that function.
    pub(super) call: Option<(usize, usize)>,
}

impl Instance {
    fn new(kernel: &str, values: Vec<(String, String)>) -> Self {
        let mut name = kernel.to_owned();
        for (_, value) in &values {
            let words = value.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
            words.for_each(|word| name.push_str(&format!("_{word}")));
        }
        Self { name, values }
    }
}

impl<'a> Host<'a> {
    /// The instances of a kernel template, without duplicates.
    pub(crate) fn instances(&self, kernel: &str) -> Vec<Instance> {
        let all = self.written().iter().filter(|it| self.functions[it.template].name == kernel);
        all.map(|it| it.instance.clone()).collect()
    }

    /// The template arguments of an instance that choose what it computes: no numbers, no types of
    /// numbers, no flags, but `Op::Max` or the name of a functor.
    pub(crate) fn choices(&self, instance: &str) -> Vec<String> {
        let found = self.written().iter().find(|it| it.instance.name == instance);
        let values = found.map_or(&[][..], |it| &it.instance.values).iter();
        let chooses = |value: &&str| {
            let mut words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| {
                let is_type = TYPES.contains(&word) || ["true", "false"].contains(&word);
                !is_type && word.starts_with(|c: char| c.is_alphabetic())
            })
        };
        values.map(|it| it.1.as_str()).filter(chooses).map(str::to_owned).collect()
    }

    /// The instances of all templates, without duplicates.
    pub(super) fn written(&self) -> &[Written] {
        self.instances.get_or_init(|| {
            let mut found: Vec<Written> = Vec::new();
            let templates: Vec<usize> =
                (0..self.functions.len()).filter(|&it| self.is_template(it)).collect();
            let mut named: Vec<(usize, usize)> = Vec::new();
            for &template in &templates {
                let function = &self.functions[template];
                let outside =
                    self.all(function.name).iter().filter(|at| !function.whole.contains(at));
                named.extend(outside.map(|&at| (at, template)));
            }
            named.sort_unstable();
            for (at, template) in named {
                // A function that launches it may be called for several types.
                let inside = self.function(at);
                let calls = inside.into_iter().flat_map(|it| {
                    self.calls(it).take(MOST).map(|call| Some((it.whole.start, call)))
                });
                let mut calls: Vec<_> = calls.collect();
                if calls.is_empty() {
                    calls.push(None);
                }
                for call in calls {
                    let function = &self.functions[template];
                    let instance = self.with_call(call, || self.instance(function, at));
                    let Some((instance, is_launch)) = instance else { continue };
                    let name = &instance.name;
                    if let Some(known) = found.iter_mut().find(|it| it.instance.name == *name) {
                        if is_launch && !known.is_launch {
                            (known.at, known.is_launch, known.call) = (at, true, call);
                        }
                    } else if found.len() < MOST && !self.functions.iter().any(|it| it.name == name)
                    {
                        found.push(Written { instance, template, at, is_launch, call });
                    }
                }
            }
            found
        })
    }

    /// The function of a kernel, which may be an instance of a template.
    pub(super) fn kernel(&self, name: &str) -> Option<&Function<'a>> {
        let named = |it: &&Function| it.is_device && !it.body.is_empty() && it.name == name;
        self.functions.iter().find(named).or_else(|| {
            let found = self.written().iter().find(|it| it.instance.name == name)?;
            self.functions.get(found.template)
        })
    }

    /// Whether a function is a template of a kernel, with its body.
    fn is_template(&self, function: usize) -> bool {
        let it = &self.functions[function];
        let head = &self.tokens[it.whole.start..it.body.start];
        !it.template.is_empty()
            && !it.body.is_empty()
            && head.iter().any(|it| it.is_word("__global__"))
    }

    /// The instance that is named here, and whether it is launched: others are declared as in
    /// `template __global__ void k<float>(…);`, or are values of pointers.
    fn instance(&self, function: &Function, at: usize) -> Option<(Instance, bool)> {
        let launch = self.parts(at, function.name);
        let explicit = match &launch {
            Some(launch) => launch.template.clone(),
            // A name of an instance, such as that of a pointer to it.
            None => Some(self.angles(at + 1)?.0),
        };
        let values = function.template.iter().enumerate().map(|(index, param)| {
            let is_type = self.declares_type(&param.whole);
            let written = explicit.as_ref().and_then(|it| it.get(index));
            let value = match (written, &param.default) {
                (Some(written), _) => self.given(written, is_type, 0)?,
                (None, _)
                    if is_type
                        && let Some(found) = launch.as_ref().and_then(|it| {
                            self.deduced(function, param.name, &it.arguments, 0)
                        }) =>
                {
                    found
                }
                (None, default) => self.given(default.as_ref()?, is_type, 0)?,
            };
            Some((param.name.to_owned(), value))
        });
        let instance = Instance::new(function.name, values.collect::<Option<Vec<_>>>()?);
        Some((instance, launch.is_some()))
    }

    fn declares_type(&self, param: &Range<usize>) -> bool {
        self.tokens.get(param.start).is_some_and(|it| it.is_word("typename") || it.is_word("class"))
    }

    /// The text of a template argument; `None` if device code cannot use it.
    fn given(&self, written: &Range<usize>, is_type: bool, steps: u32) -> Option<String> {
        if is_type {
            return self.resolved(written.clone(), steps);
        }
        let tokens = &self.tokens[written.clone()];
        if let [word] = tokens
            && ["true", "false"].contains(&word.text)
        {
            return Some(word.text.to_owned());
        }
        if let Some(number) = self.value(written.clone()).and_then(|it| it.number()) {
            return Some(number.to_string());
        }
        let known = |it: &Token| it.kind != Kind::Word || self.is_known(it.text);
        tokens.iter().all(known).then(|| joined(tokens))
    }

    /// Whether a name is global, so that device code can use it.
    fn is_known(&self, name: &str) -> bool {
        let inside = |at: usize| self.functions.iter().any(|it| it.whole.contains(&at));
        self.functions.iter().any(|it| it.name == name && it.is_device)
            || self.all(name).iter().any(|&at| !inside(at))
    }

    /// A type, with template parameters of the enclosing function replaced.
    pub(super) fn resolved(&self, of: Range<usize>, steps: u32) -> Option<String> {
        let tokens = &self.tokens[of.clone()];
        let function = self.function(of.start);
        let word = tokens.iter().find(|it| {
            function
                .is_some_and(|function| function.templates().any(|param| it.is_word(param.name)))
        });
        let Some(word) = word else {
            // `scalar_t`, which a macro of PyTorch declares, is any type.
            let undeclared = matches!(tokens, [it] if self.is_undeclared(it.text));
            return Some(if undeclared { "float".to_owned() } else { joined(tokens) });
        };
        let function = function.filter(|_| steps < MOST_STEPS && self.step())?;
        let found = self.of_call(function, word.text, steps + 1)?;
        let parts =
            tokens.iter().map(|it| if it.is_word(word.text) { found.as_str() } else { it.text });
        Some(parts.collect::<Vec<_>>().join(" "))
    }

    /// Whether this is the type of `PyTorch` macros, and not declared in the source.
    fn is_undeclared(&self, name: &str) -> bool {
        const DECLARES: [&str; 4] = ["enum", "struct", "union", "using"];
        let declares = |at: &usize| {
            let before = at.checked_sub(1).map(|it| self.tokens[it].text);
            let statement = || self.declared_as(*at).any(|it| it.is_word("typedef"));
            before.is_some_and(|it| DECLARES.contains(&it)) || statement()
        };
        name == "scalar_t"
            && !self.macros.contains_key(name)
            && !self.all(name).iter().any(declares)
    }

    /// The argument of a template parameter of the function around a token.
    pub(super) fn of_template(&self, name: &str, at: usize) -> Option<String> {
        let function = self.function(at)?;
        function.templates().find(|it| it.name == name)?;
        self.of_call(function, name, 0)
    }

    /// The argument of a function's template parameter, from its calls.
    fn of_call(&self, function: &Function, name: &str, steps: u32) -> Option<String> {
        if let Some(found) = self.class_argument(function, name) {
            return self.resolved(found, steps);
        }
        self.calls(function).find_map(|at| {
            let explicit = self.angles(at + 1);
            let open = explicit.as_ref().map_or(at + 1, |it| it.1);
            let index = function.template.iter().position(|it| it.name == name)?;
            if let Some(written) = explicit.and_then(|it| it.0.get(index).cloned()) {
                return self.resolved(written, steps);
            }
            let arguments = self.signs(open, "(").then(|| self.arguments(open)).flatten()?.0;
            self.deduced(function, name, &arguments, steps)
        })
    }
}

pub(super) fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|it| it.text).collect::<Vec<_>>().join(" ").replace(": :", "::")
}
