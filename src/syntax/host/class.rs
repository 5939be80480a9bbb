//! Members of classes: what constructors and other member functions set them to.

use std::ops::Range;

use super::memory::ALLOCATE;
use super::value::Value;
use super::{Function, Host, Param};
use crate::syntax::lexer::Kind;

impl Host<'_> {
    /// The value of a member in a function of its class.
    pub(super) fn of_class(&self, function: &Function, name: &str) -> Option<Value> {
        let own = || self.functions_of(function.class);
        let constructors = own().filter(|it| it.is_constructor());
        let initial = constructors.clone().find_map(|it| self.initialised(it, name));
        let others = own().filter(|it| !it.is_constructor());
        let mut bodies = constructors.chain(others).map(|it| it.body.clone());
        initial.or_else(|| bodies.find_map(|body| self.set(name, body)))
    }

    /// The value of a member of an object, or of one that a pointer leads to, as its constructor sets it.
    pub(super) fn of_object(&self, variable: &str, member: &str, at: usize) -> Option<Value> {
        let of = self.local_type(variable, at)?;
        self.of_class(self.constructor(of.trim_end_matches('*'))?, member)
    }

    /// The value in `Solver(int n) : count(n) {}`.
    fn initialised(&self, constructor: &Function, name: &str) -> Option<Value> {
        let list = constructor.whole.start..constructor.body.end;
        self.places(name, list).iter().find_map(|&at| {
            let behind =
                at.checked_sub(1).is_some_and(|it| self.signs(it, ":") || self.signs(it, ","));
            let given = behind && (self.signs(at + 1, "(") || self.signs(at + 1, "{"));
            let value = given.then(|| self.arguments(at + 1)).flatten()?.0.first()?.clone();
            // Parameters are known in the body.
            self.value_before(value, constructor.body.start)
        })
    }

    /// Whether the constructor of a class allocates GPU memory.
    pub(super) fn allocates(&self, class: &str) -> bool {
        self.functions_of(class)
            .filter(|it| it.is_constructor())
            .any(|it| ALLOCATE.iter().any(|call| !self.places(call, it.whole.clone()).is_empty()))
    }

    /// The first constructor of a class.
    pub(super) fn constructor(&self, class: &str) -> Option<&Function<'_>> {
        self.functions_of(class).find(|it| it.is_constructor())
    }

    /// The argument of a parameter of a function's class, a template: that of its first use elsewhere, such
    /// as `Solver<float> solver`.
    pub(super) fn class_argument(&self, function: &Function, name: &str) -> Option<Range<usize>> {
        let index = function.class_template.iter().position(|it| it.name == name)?;
        let mut uses = self.all(function.class).iter().filter(|&&at| {
            self.signs(at + 1, "<") && self.function(at).is_none_or(|it| it.class != function.class)
        });
        let given = uses.find_map(|&at| self.angles(at + 1)?.0.get(index).cloned());
        given.or_else(|| function.class_template[index].default.clone())
    }

    /// The argument of a template's parameter between the functions of a class.
    pub(super) fn of_class_template(&self, name: &str, at: usize) -> Option<Value> {
        let next = self.functions.partition_point(|it| it.whole.end <= at);
        self.value(self.class_argument(self.functions.get(next)?, name)?)
    }

    fn functions_of(&self, class: &str) -> impl Iterator<Item = &Function<'_>> + Clone {
        self.functions.iter().filter(move |it| !class.is_empty() && it.class == class)
    }

    /// Index of the `(` or `{` of a call. That of a constructor may have a variable before it, as in
    /// `Solver solver(8)`, or `>`, as in `std::make_unique<Solver>(8)`.
    pub(super) fn opened(&self, function: &Function, behind: usize) -> Option<usize> {
        let constructs = function.is_constructor();
        let other =
            self.tokens.get(behind).is_some_and(|it| it.kind == Kind::Word || it.is_sign(">"));
        let open = behind + usize::from(constructs && other);
        (self.signs(open, "(") || constructs && self.signs(open, "{")).then_some(open)
    }
}

impl<'a> Function<'a> {
    /// The parameters of its template and of that of its class.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Param<'a>> {
        self.template.iter().chain(&self.class_template)
    }

    fn is_constructor(&self) -> bool {
        !self.class.is_empty() && self.name == self.class
    }
}
