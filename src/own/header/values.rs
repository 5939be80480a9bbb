//! The values of the keys of a header block.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Located, Reader};
use crate::own::Problem;

impl Reader<'_> {
    /// One to three expressions.
    pub(super) fn dimensions(
        &self,
        name: &str,
        value: &Spanned<DeValue>,
    ) -> Result<Located<Vec<String>>, Problem> {
        let line = self.line(&value.span());
        let one = |value| Ok(self.expression(name, value)?.value);
        let value = match value.get_ref() {
            DeValue::Array(values) if (1..=3).contains(&values.len()) => {
                values.iter().map(one).collect::<Result<_, Problem>>()?
            }
            DeValue::Array(_) => {
                return Err(self.wrong(name, value, "one to three expressions, for x, y and z"));
            }
            _ => vec![one(value)?],
        };
        Ok(Located { line, value })
    }

    /// A list of arguments.
    pub(super) fn args(
        &self,
        name: &str,
        value: &Spanned<DeValue>,
    ) -> Result<Vec<Located<String>>, Problem> {
        let expected = "a list of texts such as \"in: f32[n] uniform\"";
        let DeValue::Array(values) = value.get_ref() else {
            return Err(self.wrong(name, value, expected));
        };
        let text = |value: &Spanned<DeValue>| match value.get_ref() {
            DeValue::String(_) => self.text(name, value),
            _ => Err(self.wrong(name, value, expected)),
        };
        values.iter().map(text).collect()
    }

    pub(super) fn sizes(&self, value: &Spanned<DeValue>) -> Result<Located<String>, Problem> {
        let line = self.line(&value.span());
        if let DeValue::Array(values) = value.get_ref() {
            let texts = values.iter().map(|value| Ok(self.expression("sizes", value)?.value));
            let value = texts.collect::<Result<Vec<_>, Problem>>()?.join(",");
            return Ok(Located { line, value });
        }
        self.expression("sizes", value)
    }

    /// A text, or a whole number as text.
    pub(super) fn expression(
        &self,
        name: &str,
        value: &Spanned<DeValue>,
    ) -> Result<Located<String>, Problem> {
        match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => {
                let line = self.line(&value.span());
                Ok(Located { line, value: number.as_str().replace('_', "") })
            }
            DeValue::String(_) => self.text(name, value),
            _ => Err(self.wrong(name, value, "a number or an expression such as \"4 * block\"")),
        }
    }

    /// A number, as text.
    pub(super) fn number(
        &self,
        name: &str,
        value: &Spanned<DeValue>,
    ) -> Result<Located<String>, Problem> {
        let text = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => return Err(self.wrong(name, value, "a number such as 1e-5")),
        };
        Ok(Located { line: self.line(&value.span()), value: text.replace('_', "") })
    }

    pub(super) fn text(
        &self,
        name: &str,
        value: &Spanned<DeValue>,
    ) -> Result<Located<String>, Problem> {
        let DeValue::String(text) = value.get_ref() else {
            return Err(self.wrong(name, value, "a text in quotes"));
        };
        Ok(Located { line: self.line(&value.span()), value: text.trim().to_owned() })
    }

    pub(super) fn table<'t, 'i>(
        &self,
        name: &str,
        value: &'t Spanned<DeValue<'i>>,
        expected: &str,
    ) -> Result<&'t DeTable<'i>, Problem> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(name, value, expected))
    }

    pub(super) fn wrong(&self, name: &str, value: &Spanned<DeValue>, expected: &str) -> Problem {
        let found = value.get_ref().type_str();
        let message = format!("`{name}` is {found}; write {expected}");
        Problem::new(self.line(&value.span()), message)
    }
}
