//! The axes of one algorithm for tests, and few cases in which all pairs meet.

use std::collections::{BTreeMap, BTreeSet};

use warpscope::algorithms::{Algorithm, ParamKind};
use warpscope::experiment::{Case, ParamValue};

use crate::pairs;
use crate::support::builders::case;

const SIZES: [u64; 8] = [0, 1, 2, 31, 33, 100, 1000, 4097];
const BLOCKS: [u32; 6] = [32, 48, 64, 128, 256, 1024];

/// Some kernels hold 1, 4 or 8 values per thread. The last one is more than a thread of the
/// others holds at a time.
const COARSENINGS: [u32; 5] = [1, 3, 4, 8, 20];

/// How often another case is looked for where a pair's first cannot run.
const ATTEMPTS: usize = 200;

/// Every axis of an algorithm with the values that tests use.
pub(crate) struct Grid {
    algorithm: &'static dyn Algorithm,
    sizes: Vec<u64>,
    params: Vec<(&'static str, Vec<ParamValue>)>,
}

impl Grid {
    /// The axes. Sizes beyond those that the algorithm opens on are too slow
    /// for the emulator and left out.
    pub(crate) fn of(algorithm: &'static dyn Algorithm) -> Self {
        let most = algorithm.defaults().sizes.1;
        let params = algorithm.params().iter().map(|param| {
            let values = match param.kind {
                ParamKind::Word(words) => {
                    words.iter().map(|word| ParamValue::Word((*word).to_owned())).collect()
                }
                // Files have tests of their own.
                ParamKind::File(_) => vec![param.default()],
                ParamKind::Int { low, default, steps, .. } => {
                    let last = steps.last().copied().unwrap_or(default);
                    BTreeSet::from([low, default, last]).into_iter().map(ParamValue::Int).collect()
                }
            };
            (param.name, values)
        });
        Self {
            algorithm,
            sizes: SIZES.into_iter().filter(|&n| n <= most).collect(),
            params: params.collect(),
        }
    }

    /// Number of values of each axis.
    fn axes(&self) -> Vec<usize> {
        let variants = self.algorithm.variants().len();
        let dists = self.algorithm.distributions().len();
        let mut axes = vec![self.sizes.len(), BLOCKS.len(), COARSENINGS.len(), dists, variants];
        axes.extend(self.params.iter().map(|(_, values)| values.len()));
        axes
    }

    fn case(&self, row: &[usize]) -> Case {
        let variant = self.algorithm.variants()[row[4]].name;
        let (n, block, coarsen) = (self.sizes[row[0]], BLOCKS[row[1]], COARSENINGS[row[2]]);
        let params = self.params.iter().zip(&row[5..]);
        Case {
            params: params
                .map(|((name, all), &at)| ((*name).to_owned(), all[at].clone()))
                .collect(),
            dist: self.algorithm.distributions()[row[3]],
            ..case(self.algorithm, variant, n, block, coarsen)
        }
    }

    /// Cases in which any two values of two axes meet, unless no case of them
    /// was found that can run. By size and input, which are kept in between.
    pub(crate) fn cover(&self, can_run: impl Fn(&Case) -> bool) -> Vec<Case> {
        let axes = self.axes();
        let mut rows: Vec<Vec<usize>> = pairs::cover(&axes, |_| true)
            .into_iter()
            .filter(|row| can_run(&self.case(row)))
            .collect();
        let met = |rows: &[Vec<usize>], (a, x): (usize, usize), (b, y): (usize, usize)| {
            rows.iter().any(|row| row[a] == x && row[b] == y)
        };
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        for (a, b) in (0..axes.len()).flat_map(|a| (a + 1..axes.len()).map(move |b| (a, b))) {
            for (x, y) in (0..axes[a]).flat_map(|x| (0..axes[b]).map(move |y| (x, y))) {
                if met(&rows, (a, x), (b, y)) {
                    continue;
                }
                let found = (0..ATTEMPTS).find_map(|_| {
                    let mut row: Vec<usize> =
                        axes.iter().map(|&len| draw(&mut random) as usize % len).collect();
                    (row[a], row[b]) = (x, y);
                    can_run(&self.case(&row)).then_some(row)
                });
                rows.extend(found);
            }
        }
        let mut cases: Vec<Case> = rows.iter().map(|row| self.case(row)).collect();
        cases.sort_by_key(|case| (case.n, self.algorithm.input_key(case)));
        cases
    }

    /// Each value of each parameter, the others at their defaults.
    pub(crate) fn each_param(&self) -> Vec<BTreeMap<String, ParamValue>> {
        let params = self.algorithm.params();
        let defaults: BTreeMap<String, ParamValue> =
            params.iter().map(|param| (param.name.to_owned(), param.default())).collect();
        let mut all = vec![defaults.clone()];
        for (name, values) in &self.params {
            for value in values.iter().filter(|value| defaults[*name] != **value) {
                let mut changed = defaults.clone();
                changed.insert((*name).to_owned(), value.clone());
                all.push(changed);
            }
        }
        all
    }
}

fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 8
}
