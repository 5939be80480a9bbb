//! One case of a user's kernels: its expressions with their values.

use super::{Bound, Launching, Plain};
use crate::experiment::Case;
use crate::own::args::INDEX;
use crate::own::at::{self, At, Names};
use crate::own::expr::Expr;
use crate::own::fill;
use crate::own::plain::Fill;
use crate::units::Bytes;
use crate::work::{Arg, Dim3, Element, HostBuffer, Struct};

/// A launch with all values known.
pub(super) struct Launched {
    pub(super) grid: Dim3,
    pub(super) block: Dim3,
    pub(super) shared_bytes: u32,
    pub(super) args: Vec<Arg>,
    /// Elements of each of [`Plain::buffers`].
    pub(super) lens: Vec<u64>,
}

/// Maximum size of all buffers together, in bytes.
const MOST_BYTES: u64 = 1 << 40;

impl Plain {
    /// The kernel of a case.
    pub(super) fn kernel(&self, case: &Case) -> Option<&Launching> {
        self.kernels.iter().find(|it| it.name == case.variant)
    }

    pub(super) fn names<'a>(&self, case: &'a Case) -> Names<'a> {
        let own = self.kernel(case).and_then(|it| it.coarsen);
        Names { case, coarsen: own.map_or(case.coarsen, |(coarsen, _)| coarsen) }
    }

    /// A problem in a line of the file.
    fn in_line(&self, line: u32, reason: impl std::fmt::Display) -> String {
        at::in_line(self.file, line, reason)
    }

    /// The number of elements of each buffer.
    pub(super) fn lens(&self, case: &Case) -> Result<Vec<u64>, String> {
        let names = self.names(case);
        let mut total = 0;
        let len = |shared: &super::Shared| {
            let at = At { line: shared.arg.line, expr: shared.len.clone() };
            let what = format!("the length of `{}`,", shared.name);
            let len = at.number(self.file, &what, names, (0, i128::from(MOST_BYTES)))?;
            total += len * shared.arg.element.bytes();
            if total > MOST_BYTES {
                let reason = format!("the buffers take more than {}", Bytes(MOST_BYTES));
                return Err(self.in_line(at.line, reason));
            }
            Ok(len)
        };
        self.buffers.iter().map(len).collect()
    }

    /// The launch of a case.
    ///
    /// # Errors
    /// In words, with the line in the file, if it cannot be launched.
    pub(super) fn launched(&self, case: &Case) -> Result<Launched, String> {
        let kernel = self.kernel(case).ok_or("the file has no such kernel")?;
        let names = self.names(case);
        let block = match kernel.block {
            None => [case.block, 1, 1],
            Some((block, line)) => {
                let threads: u32 = block.iter().product();
                if threads != case.block {
                    let reason = format!(
                        "`{}` runs with {threads} threads per block, not {}; use --block {threads}",
                        kernel.name, case.block
                    );
                    return Err(self.in_line(line, reason));
                }
                block
            }
        };
        let grid = at::grid(self.file, &kernel.grid, names)?;
        let shared_bytes = at::shared(self.file, &kernel.shared, names)?;
        let lens = self.lens(case)?;
        self.check_producers(case, kernel, &lens)?;
        for (shared, &len) in self.buffers.iter().zip(&lens) {
            self.range(case, shared)?;
            if let Fill::Each(each) = &shared.fill {
                for index in [0, 1, len.saturating_sub(1)].into_iter().filter(|it| *it < len) {
                    let value = each.value(&|name| {
                        if name == INDEX { Some(index.into()) } else { names.get(name) }
                    });
                    value.map_err(|error| {
                        self.in_line(shared.arg.line, format!("{error}, where i = {index}"))
                    })?;
                }
            }
        }
        let args = kernel.args.iter().map(|bound| self.arg(bound, names));
        Ok(Launched {
            grid: Dim3 { x: grid[0], y: grid[1], z: grid[2] },
            block: Dim3 { x: block[0], y: block[1], z: block[2] },
            shared_bytes,
            args: args.collect::<Result<_, _>>()?,
            lens,
        })
    }

    fn arg(&self, bound: &Bound, names: Names) -> Result<Arg, String> {
        let (arg, expr) = match bound {
            Bound::Buffer(index) => return Ok(Arg::Buffer(*index)),
            Bound::Struct(bytes, members) => return self.packed(*bytes, members, names),
            Bound::Scalar(arg, expr) => (arg, expr),
        };
        let value = expr.value(&|name| names.get(name));
        let value = value.map_err(|error| self.in_line(arg.line, error))?;
        match arg.element {
            Element::F32 => return Ok(Arg::F32(value.to_f64() as f32)),
            Element::F64 => return Ok(Arg::U64(value.to_f64().to_bits())),
            _ => {}
        }
        let whole = expr.whole(&|name| names.get(name));
        let whole = whole.map_err(|error| self.in_line(arg.line, error))?;
        let (low, high) = arg.element.range().unwrap_or_default();
        if !(low..=high).contains(&whole) {
            let reason = format!(
                "`{}` is {whole} here, which {} cannot hold",
                arg.name,
                arg.element.short()
            );
            return Err(self.in_line(arg.line, reason));
        }
        // The kernel reads as many bytes as its type has.
        Ok(if arg.element.bytes() == 8 { Arg::U64(whole as u64) } else { Arg::U32(whole as u32) })
    }

    /// The words of a structure; its size is `bytes`.
    fn packed(&self, bytes: u64, members: &[(u64, Bound)], names: Names) -> Result<Arg, String> {
        let words = vec![0; bytes.div_ceil(8) as usize];
        let mut packed = Struct { words, buffers: Vec::new() };
        for (offset, member) in members {
            let (word, shift) = ((offset / 8) as usize, 8 * (offset % 8));
            let bits = match (member, self.arg(member, names)?) {
                (_, Arg::Buffer(index)) => {
                    packed.buffers.push((word, index));
                    0
                }
                (_, Arg::F32(value)) => value.to_bits().into(),
                (_, Arg::U64(value)) => value,
                (Bound::Scalar(arg, _), Arg::U32(value)) => {
                    u64::from(value) & u64::MAX >> (64 - 8 * arg.element.bytes())
                }
                _ => 0,
            };
            packed.words[word] |= bits << shift;
        }
        Ok(Arg::Struct(packed))
    }

    /// Why a buffer cannot be filled, with the line in the file.
    pub(super) fn fault(&self, case: &Case) -> Option<String> {
        let names = self.names(case);
        let lens = self.lens(case).unwrap_or_default();
        self.buffers.iter().zip(lens).find_map(|(shared, len)| {
            let Fill::Each(each) = &shared.fill else { return None };
            let (index, error) = fill::fault(each, &|name| names.get(name), len)?;
            Some(self.in_line(shared.arg.line, format!("{error}, where i = {index}")))
        })
    }

    /// The contents of one of the inputs.
    pub(super) fn input(&self, case: &Case, shared: &super::Shared, len: u64) -> HostBuffer {
        let names = self.names(case);
        // Every buffer is drawn from its own stream.
        let seed = case.seed ^ (shared.input.unwrap_or(0) as u64) << 56;
        let element = shared.arg.element;
        match &shared.fill {
            Fill::Zeros => HostBuffer::zeroed(element, len as usize),
            Fill::Drawn(dist, bounds) => {
                // A case without a valid bound never runs.
                let range = self.range(case, shared).unwrap_or_default();
                let drawn =
                    fill::drawn(element, dist.unwrap_or(case.dist), range, seed, len as usize);
                if bounds.as_ref().is_some_and(|it| it.sums) { fill::summed(drawn) } else { drawn }
            }
            Fill::Each(expr) => fill::each(element, expr, &|name| names.get(name), len as usize),
            // The runner fills it: see `Algorithm::produced_inputs`.
            Fill::From(_) => HostBuffer::zeroed(element, 0),
        }
    }

    /// The range of a buffer's values, if it has bounds.
    fn range(&self, case: &Case, shared: &super::Shared) -> Result<Option<fill::Range>, String> {
        let Fill::Drawn(_, Some(bounds)) = &shared.fill else { return Ok(None) };
        let number = |expr: &Expr, what, limits| {
            let at = At { line: shared.arg.line, expr: expr.clone() };
            at.whole(self.file, what, self.names(case), limits)
        };
        let (smallest, largest) = shared.arg.element.range().unwrap_or((0, 0));
        let least = match &bounds.least {
            Some(least) => number(least, "the smallest number", (smallest, largest))?,
            None => 0,
        };
        // A range has at most as many numbers as 64 bits tell apart, less one.
        let most = i128::from(u64::MAX).min(least + i128::from(u64::MAX));
        let below = number(&bounds.below, "the bound", (least + 1, most))?;
        Ok(Some((least, (below - least) as u64)))
    }

    /// A number of the whole case, such as its bytes; `None` if there is no expression.
    pub(super) fn amount(&self, case: &Case, at: Option<&At>) -> Result<Option<u64>, String> {
        let Some(at) = at else { return Ok(None) };
        let names = self.names(case);
        let value = at.expr.value(&|name| names.get(name));
        let value = value.map_err(|error| self.in_line(at.line, error))?.floor();
        u64::try_from(value)
            .map(Some)
            .map_err(|_| self.in_line(at.line, format!("`{}` is {value} here", at.expr.text())))
    }
}
