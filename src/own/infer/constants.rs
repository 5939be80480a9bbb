//! The values of `__constant__` variables that host code sets.

use super::buffer::drawn;
use super::text::text;
use super::threads::Threads;
use super::writer::{Writer, computed};
use crate::own::ctype::{Scalar, scalar_of};
use crate::own::kernels::Kernel;
use crate::syntax::{Symbol, Value, Written};

impl Writer<'_> {
    /// The key `constants` of a header block, with its line end; empty where there are none. Variables
    /// that kernels have as parameters are none.
    pub(super) fn constants(&self, kernels: &[Kernel]) -> String {
        let is_parameter = |it: &Symbol| {
            let mut params = kernels.iter().flat_map(|kernel| {
                let params = kernel.signature.params.iter().enumerate();
                params.filter(|param| kernel.is_variable(param.0))
            });
            params.any(|param| param.1.name == it.name)
        };
        let symbols = self.host.symbols().into_iter().filter(|it| !is_parameter(it));
        let all: Vec<String> = symbols.filter_map(|it| self.constant(&it)).collect();
        match &all[..] {
            [] => String::new(),
            [one] => format!("constants = [\"{one}\"]\n"),
            all => {
                let lines: String = all.iter().map(|it| format!("    \"{it}\",\n")).collect();
                format!("constants = [\n{lines}]\n")
            }
        }
    }

    /// A variable with its values: `filter: f32[17] uniform`.
    fn constant(&self, symbol: &Symbol) -> Option<String> {
        let Symbol { name, of, elements, value, written } = symbol;
        let (element, lanes) = match scalar_of(&of.split(' ').collect::<Vec<_>>()) {
            Some(Scalar::Number(element)) => (element, 1),
            Some(Scalar::Vector(element, lanes)) => (element, i128::from(lanes)),
            // A structure of one type of numbers.
            _ => {
                let fields = self.host.fields(of)?;
                let alike = fields.iter().all(|it| !it.pointer && it.of == fields[0].of);
                let scalar = scalar_of(&fields[0].of.split(' ').collect::<Vec<_>>());
                let Scalar::Number(element) = scalar.filter(|_| alike)? else { return None };
                (element, fields.len() as i128)
            }
        };
        let threads = Threads::of(self.host, None);
        // A constant has one value for all sizes.
        let say = |value: &Value| match self.simple(value, &threads, element.bytes()) {
            simple if element.range().is_none() && simple.real().is_some() => {
                text(&computed(simple, element))
            }
            Value::Number(number) => Some(number.to_string()),
            simple => text(&simple).filter(|it| !it.contains('n') && !it.contains("block")),
        };
        if elements.is_none() && lanes == 1 {
            let value = value.as_ref().and_then(&say).unwrap_or_else(|| "1".to_owned());
            return Some(format!("{name}: {} = {value}", element.short()));
        }
        let number = elements
            .as_ref()
            .map_or(Some(1), |it| self.simple(it, &threads, 1).number().or_else(|| it.number()))?;
        let fill = match written {
            Written::Each(value) => say(value).map(|it| format!("= {it}")),
            Written::Drawn(least, below) if element.is_integer() => {
                say(least).zip(say(below)).map(|(least, below)| drawn(&least, &below))
            }
            _ => None,
        };
        let usual = if element.is_integer() { "iota" } else { "uniform" };
        let fill = fill.unwrap_or_else(|| usual.to_owned());
        Some(format!("{name}: {}[{}] {fill}", element.short(), number.checked_mul(lanes)?))
    }
}
