//! Expressions with their place in the file, and the values of their names.

use super::Problem;
use super::expr::Expr;
use super::header::Located;
use crate::experiment::Case;

/// An expression with its line.
#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) line: u32,
    pub(super) expr: Expr,
}

impl At {
    /// Reads an expression that may use the names `known`.
    pub(super) fn read(text: &Located<String>, known: &[&str]) -> Result<Self, Problem> {
        let expr = Expr::read(&text.value, known)
            .map_err(|error| Problem::new(text.line, error.to_string()))?;
        Ok(Self { line: text.line, expr })
    }

    /// Reads an expression for each dimension.
    pub(super) fn dimensions(
        texts: &Located<Vec<String>>,
        known: &[&str],
    ) -> Result<Vec<Self>, Problem> {
        let located = |text: &String| Located { line: texts.line, value: text.clone() };
        texts.value.iter().map(|text| Self::read(&located(text), known)).collect()
    }

    /// Its value as a whole number within limits, which are not negative. The error names the line in
    /// `file`.
    pub(super) fn number(
        &self,
        file: &str,
        what: &str,
        names: Names,
        limits: (i128, i128),
    ) -> Result<u64, String> {
        Ok(self.whole(file, what, names, limits)? as u64)
    }

    /// The same of a number that may be negative.
    pub(super) fn whole(
        &self,
        file: &str,
        what: &str,
        names: Names,
        (low, high): (i128, i128),
    ) -> Result<i128, String> {
        let value = self.expr.whole(&|name| names.get(name));
        let value = value.map_err(|error| in_line(file, self.line, error))?;
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        let text = self.expr.text();
        let reason = format!("{what} `{text}` is {value} here; allowed: {low} to {high}");
        Err(in_line(file, self.line, reason))
    }
}

/// A problem in a line of a file.
pub(super) fn in_line(file: &str, line: u32, reason: impl std::fmt::Display) -> String {
    format!("{file}:{line}: {reason}")
}

/// Most blocks in x, and in y and z.
const MOST_BLOCKS: [i128; 3] = [(1 << 31) - 1, 65_535, 65_535];

/// The blocks of a grid in x, y and z.
pub(super) fn grid(file: &str, dimensions: &[At], names: Names) -> Result<[u32; 3], String> {
    let mut grid = [1; 3];
    for ((place, at), most) in grid.iter_mut().zip(dimensions).zip(MOST_BLOCKS) {
        *place = at.number(file, "the grid", names, (1, most))? as u32;
    }
    Ok(grid)
}

/// Dynamic shared memory in bytes.
pub(super) fn shared(file: &str, at: &At, names: Names) -> Result<u32, String> {
    let bytes = at.number(file, "the shared memory", names, (0, u32::MAX.into()))?;
    Ok(bytes as u32)
}

/// Values of the names in expressions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) case: &'a Case,
    pub(super) coarsen: u32,
}

impl Names<'_> {
    /// Names that every expression can use.
    pub(super) const FIXED: [&'static str; 3] = ["n", "block", "coarsen"];

    pub(super) fn get(&self, name: &str) -> Option<i128> {
        match name {
            "n" => Some(self.case.n.into()),
            "block" => Some(self.case.block.into()),
            "coarsen" => Some(self.coarsen.into()),
            name => self.case.int(name).map(Into::into),
        }
    }
}
