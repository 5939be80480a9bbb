//! How long buffers have to be that host code tells nothing of: the kernel runs in the emulator for some
//! small `n`, and what it reaches tells. All buffers hold zeros, so that a length that
//! depends on their content stays a guess.

use std::cell::{Cell, OnceCell};

use crate::emulator::{Blocks, Dim3, Kernel, Memory, Module, Options, Setting, reach};
use crate::own::args::{Argument, Value};
use crate::own::at::Names;
use crate::own::expr::Expr;
use crate::own::header::Located;
use crate::work::Element;

/// Most warp instructions of a block, and of all launches for a file: a few seconds.
const BUDGET: u64 = 4_000_000;
const BUDGET_OF_FILE: u64 = 40_000_000;

/// Bytes of each buffer while the kernel runs.
const ROOM: u64 = 1 << 28;

/// Most blocks along an axis.
const MOST_BLOCKS: i128 = 1 << 16;

/// Powers of two up to this are tried as `n`.
const LARGE: u32 = 12;

/// The kernels of a file, to be run.
pub(super) struct Reach<'f> {
    ptx: &'f str,
    module: OnceCell<Option<Module<'f>>>,
    /// Warp instructions that may still run.
    left: Cell<u64>,
}

/// A launch in the words of a header block.
pub(super) struct Asked<'a> {
    pub(super) entry: &'a str,
    pub(super) grid: &'a [String],
    pub(super) block: &'a [u32],
    pub(super) shared: Option<&'a str>,
    pub(super) args: &'a [String],
}

/// A launch with all values known.
struct Ready {
    grid: Dim3,
    block: Dim3,
    shared: u32,
    /// Values of numbers; of buffers their lengths in bytes.
    args: Vec<Result<u64, u64>>,
}

impl<'f> Reach<'f> {
    pub(super) fn new(ptx: &'f str) -> Self {
        Self { ptx, module: OnceCell::new(), left: Cell::new(BUDGET_OF_FILE) }
    }

    /// The lengths of the arguments that `guessed` tells, in elements, where their guess is too short.
    pub(super) fn lengths(&self, asked: &Asked, guessed: &[bool]) -> Vec<Option<String>> {
        let none = vec![None; asked.args.len()];
        let module = self.module.get_or_init(|| Module::load(self.ptx).ok());
        let kernel = module.as_ref().and_then(|it| it.kernel(asked.entry).ok());
        let Some(kernel) = kernel.filter(|_| guessed.contains(&true)) else { return none };
        let mut sizes = (asked.least()..=LARGE).map(|it| 1 << it);
        let Some(n) = sizes.find(|&n| asked.ready(n).is_some()) else { return none };
        let (mut reached, mut short) = (Vec::new(), Vec::new());
        for n in [4 * n, 2 * n, n] {
            let Some(ready) = asked.ready(n) else { return none };
            let Some(ends) = ready.reached(&kernel, &self.left) else { return none };
            if reached.is_empty() {
                let ends = ready.args.iter().zip(&ends).zip(guessed);
                short = ends
                    .map(|((guess, end), guessed)| *guessed && guess.is_err_and(|it| it < *end))
                    .collect();
                if !asked.scales() {
                    // Then the guess is no better.
                    short = guessed.to_vec();
                }
                if !short.contains(&true) {
                    return none;
                }
            }
            reached.push((n, ends));
        }
        reached.reverse();
        let length = |index: usize| {
            let bytes = element(&asked.args[index]).filter(|_| short[index])?;
            let of = |(n, ends): &(u64, Vec<u64>)| (*n, ends[index].div_ceil(bytes));
            text(&reached.iter().map(of).collect::<Vec<_>>()).filter(|it| it != "0")
        };
        (0..asked.args.len()).map(length).collect()
    }
}

/// Bytes of the elements of a buffer.
fn element(arg: &str) -> Option<u64> {
    let arg = read(arg)?;
    matches!(arg.value, Value::Buffer(..)).then(|| arg.element.bytes())
}

fn read(arg: &str) -> Option<Argument> {
    Argument::read(&Located { line: 0, value: arg.to_owned() }, &Names::FIXED).ok()
}

impl Asked<'_> {
    /// Whether the launch depends on `n`, apart from the lengths of its buffers.
    fn scales(&self) -> bool {
        let texts = self.grid.iter().map(String::as_str).chain(self.shared);
        let numbers = self.args.iter().filter(|it| !it.contains('['));
        let numbers = numbers.filter_map(|it| it.split_once('=')).map(|it| it.1);
        let mut exprs = texts.chain(numbers).filter_map(|it| Expr::read(it, &Names::FIXED).ok());
        exprs.any(|it| it.mentions("n"))
    }

    /// The power of two for which a grid that depends on `n` has several blocks.
    fn least(&self) -> u32 {
        let side = self.block.iter().max().copied().unwrap_or(1);
        side.next_power_of_two().ilog2().max(6)
    }

    /// The launch for a value of `n`; none with structures, and none that is too large.
    fn ready(&self, n: u64) -> Option<Ready> {
        let threads: u32 = self.block.iter().product();
        let name = |name: &str| match name {
            "n" => Some(i128::from(n)),
            "block" => Some(i128::from(threads)),
            _ => None,
        };
        let whole = |text: &str| {
            let expr = Expr::read(text, &Names::FIXED).ok()?;
            expr.whole(&name).ok()
        };
        let mut grid = [1_u32; 3];
        for (axis, text) in grid.iter_mut().zip(self.grid) {
            *axis = u32::try_from(whole(text).filter(|it| (1..=MOST_BLOCKS).contains(it))?).ok()?;
        }
        let mut block = [1; 3];
        block.iter_mut().zip(self.block).for_each(|(axis, threads)| *axis = *threads);
        let shared = self.shared.map_or(Some(0), |it| u32::try_from(whole(it)?).ok())?;
        let arg = |text: &String| {
            let arg = read(text)?;
            match arg.value {
                Value::Scalar(expr) => {
                    let value = expr.value(&name).ok()?;
                    Some(Ok(match arg.element {
                        Element::F32 => u64::from((value.to_f64() as f32).to_bits()),
                        Element::F64 => value.to_f64().to_bits(),
                        _ => expr.whole(&name).ok()? as u64,
                    }))
                }
                Value::Buffer(len, _) => {
                    let len = u64::try_from(len.whole(&name).ok()?).ok()?;
                    Some(Err(len.checked_mul(arg.element.bytes())?))
                }
                Value::Struct(_) => None,
            }
        };
        let args = self.args.iter().map(arg).collect::<Option<_>>()?;
        let [grid, block] = [grid, block].map(|[x, y, z]| Dim3 { x, y, z });
        Some(Ready { grid, block, shared, args })
    }
}

impl Ready {
    /// The end of what the first and the last block reach of each argument, in bytes.
    fn reached(&self, kernel: &Kernel, left: &Cell<u64>) -> Option<Vec<u64>> {
        let mut memory = Memory::new();
        let value = |it: &Result<u64, u64>| it.unwrap_or_else(|_| memory.allocate(ROOM));
        let args: Vec<u64> = self.args.iter().map(value).collect();
        let setting = Setting {
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared,
            args: &args,
            unwritten: &[],
        };
        let options = Options {
            budget: BUDGET,
            launch_budget: left.get(),
            blocks: Blocks::Ends,
            ..Options::default()
        };
        let (ran, ends) = reach(kernel, setting, &memory, options);
        left.set(left.get().saturating_sub(ran.outcome.counters.warp_instructions));
        let mut ends = ends.into_iter();
        let ends = self.args.iter().map(|it| if it.is_err() { ends.next() } else { Some(0) });
        ran.trap.is_none().then(|| ends.collect())?
    }
}

/// A length in `n` that is as long for all of some values of `n`, and not much longer.
fn text(reached: &[(u64, u64)]) -> Option<String> {
    let [(first, least), .., (last, most)] = *reached else { return None };
    if most < least {
        return None;
    }
    if reached.iter().all(|it| it.1 == least) {
        return Some(least.to_string());
    }
    // The number of times, if it is the same for all.
    let times = |power: u32| {
        let mut each = reached.iter().map(|(n, end)| end.div_ceil(n.pow(power)));
        let one = each.next()?;
        each.all(|it| it == one).then_some(one)
    };
    let with = |times: u64, of: &str| {
        if times == 1 { of.to_owned() } else { format!("{times} * {of}") }
    };
    // A straight line. What is missing at its beginning is not cut off.
    let (steps, more) = (last - first, most - least);
    let slope = more / steps;
    if slope > 0 && reached.iter().all(|(n, end)| *end == least + slope * (n - first)) {
        let base = least.saturating_sub(slope * first);
        let rest = if base == 0 { String::new() } else { format!(" + {base}") };
        return Some(with(slope, "n") + &rest);
    }
    if let Some(times) = times(1) {
        return Some(with(times, "n"));
    }
    if more < steps {
        return Some(format!("n + {least}"));
    }
    times(2).map(|it| with(it, "n * n"))
}

#[cfg(test)]
mod tests {
    use super::text;

    fn of(f: fn(u64) -> u64) -> Option<String> {
        text(&[64, 128, 256].map(|n| (n, f(n))))
    }

    #[test]
    fn lengths_are_told_in_n() {
        assert_eq!(of(|_| 768).as_deref(), Some("768"));
        assert_eq!(of(|n| n).as_deref(), Some("n"));
        assert_eq!(of(|n| n - 3).as_deref(), Some("n"));
        assert_eq!(of(|n| 9 * n).as_deref(), Some("9 * n"));
        assert_eq!(of(|n| n + 1).as_deref(), Some("n + 1"));
        assert_eq!(of(|n| 3 * n - 100).as_deref(), Some("3 * n"));
        assert_eq!(of(|n| 500 + n / 64).as_deref(), Some("n + 501"));
        assert_eq!(of(|n| 2 * n * n - n).as_deref(), Some("2 * n * n"));
        assert_eq!(of(|n| n * n).as_deref(), Some("n * n"));
        assert_eq!(of(|n| n * n * n), None);
    }
}
