//! The keys of a header block for one kernel, as text.

use std::collections::HashSet;

use crate::own::expr::Expr;

/// Sizes up to 2 to this power are tried.
const MOST_DOUBLINGS: u32 = 32;
/// The side of a large matrix.
const LARGE: i128 = 1 << 12;

/// What a header block says about one kernel.
pub(super) struct Keys {
    /// Threads per block.
    pub(super) block: String,
    /// Whether the kernel is compiled for these threads.
    pub(super) fixed: bool,
    pub(super) grid: String,
    pub(super) shared: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) output: Option<String>,
    /// The template arguments that choose what it computes.
    pub(super) choices: Vec<String>,
    /// The reference, if it is not the first kernel with this output.
    pub(super) reference: Option<String>,
}

impl Keys {
    /// The smallest power of two as `n` for which every dimension of the grid has a block, and that of a
    /// matrix a full one: kernels of tiles often need that, and so do those that are compiled for a
    /// number of threads.
    pub(super) fn least(&self) -> u64 {
        let block = self.block.parse().ok();
        let grids = self.grid.split('"').filter_map(|it| Expr::read(it, &["n", "block"]).ok());
        let grids: Vec<Expr> = grids.collect();
        let blocks = |it: &Expr, n: i128| {
            it.whole(&|name: &str| if name == "n" { Some(n) } else { block }).unwrap_or(0)
        };
        let is_full = |it: &Expr, n| {
            grids.len() < 2 && !self.fixed
                || blocks(it, 2 * n) > blocks(it, n)
                || blocks(it, n) == blocks(it, LARGE)
        };
        let has_blocks = |n| grids.iter().all(|it| blocks(it, n) > 0 && is_full(it, n));
        (0..MOST_DOUBLINGS).map(|it| 1 << it).find(|it| has_blocks((*it).into())).unwrap_or(1)
    }

    /// Whether anything depends on `n`.
    pub(super) fn scales(&self) -> bool {
        let values = self.args.iter().filter_map(|it| it.split_once(':')).map(|it| it.1);
        let mut texts = values.chain([self.grid.as_str()]).chain(self.shared.as_deref());
        texts.any(|it| it.split(|c: char| !c.is_alphanumeric() && c != '_').any(|it| it == "n"))
    }

    /// The length of the longest buffer, if it is a number.
    pub(super) fn longest(&self) -> Option<u64> {
        let lengths = self.args.iter().filter_map(|it| it.split_once('[')?.1.split_once(']'));
        lengths.filter_map(|it| it.0.parse().ok()).max()
    }

    /// Whether both kernels seem to compute the same: they have the same buffers and output. One
    /// buffer is not enough: kernels often change the same buffer in different ways.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let buffers = |of: &Self| -> HashSet<String> {
            of.args.iter().filter(|it| it.contains('[')).cloned().collect()
        };
        let own = buffers(self);
        let same = own.len() > 1 && own == buffers(other);
        // With one output element per block, results depend on the blocks.
        let per_block = |grid: &str| {
            self.output().is_some_and(|it| it.contains(&format!("[{}]", grid.trim_matches('"'))))
        };
        let apart = (&self.block, &self.grid) != (&other.block, &other.grid)
            && (per_block(&self.grid) || per_block(&other.grid));
        let alike = self.output == other.output && self.choices == other.choices;
        alike && !apart && (self.args == other.args || same)
    }

    /// The argument of the output: `out: f32[n] zeros`.
    pub(super) fn output(&self) -> Option<&str> {
        let start = format!("{}: ", self.output.as_ref()?);
        self.args.iter().find(|it| it.starts_with(&start)).map(String::as_str)
    }

    /// Whether both kernels have the same output, and so are compared by default.
    pub(super) fn shares_output(&self, other: &Self) -> bool {
        self.output.is_some() && self.output == other.output
    }

    /// The keys as TOML, without those that `first` has too.
    pub(super) fn text(&self, first: Option<&Self>) -> String {
        let mut text = String::new();
        let mut key = |name: &str, value: &str, of_first: Option<&str>| {
            if of_first != Some(value) {
                text.push_str(&format!("{name:<6} = {value}\n"));
            }
        };
        let block = first.filter(|_| !self.fixed).map(|it| it.block.as_str());
        key("block", &self.block, block);
        key("grid", &self.grid, first.map(|it| it.grid.as_str()));
        if self.shared.is_some() || first.is_some_and(|it| it.shared.is_some()) {
            let shared = self.shared.as_deref().unwrap_or("0");
            key("shared", shared, first.map(|it| it.shared.as_deref().unwrap_or("0")));
        }
        if first.is_none_or(|it| it.args != self.args) {
            let args: String = self.args.iter().map(|arg| format!("    \"{arg}\",\n")).collect();
            key("args", &format!("[\n{args}]"), None);
        }
        if let Some(output) = &self.output {
            let of_first = first.and_then(|it| it.output.as_deref());
            key(
                "output",
                &format!("\"{output}\""),
                of_first.map(|it| format!("\"{it}\"")).as_deref(),
            );
        }
        if let Some(reference) = &self.reference {
            key("reference", &format!("\"{reference}\""), None);
        }
        text
    }
}
