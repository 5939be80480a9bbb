//! What tells cases apart.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

use crate::experiment::{Case, Distribution, ParamValue};

/// Identity of a result: see [`Record::identity`](super::Record::identity).
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// Algorithm, variant, backend, device, PTX and the user's file.
    pub(super) names: [&'a str; 6],
    /// Block, coarsening, elements and seed.
    pub(super) numbers: [u64; 4],
    pub(super) params: &'a BTreeMap<String, ParamValue>,
    pub(super) dist: Distribution,
}

impl<'a> Identity<'a> {
    /// Of a case on a device; `ptx` and `source` are the record's fields.
    pub fn of(
        case: &'a Case,
        backend: &'a str,
        device: &'a str,
        (ptx, source): (&'a str, &'a str),
    ) -> Self {
        Self {
            names: [&case.algorithm, &case.variant, backend, device, ptx, source],
            numbers: [case.block.into(), case.coarsen.into(), case.n, case.seed],
            params: &case.params,
            dist: case.dist,
        }
    }

    /// A hash, for this process alone.
    pub fn digest(&self) -> u32 {
        static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        STATE.hash_one(self) as u32
    }

    fn params(&self) -> impl Iterator<Item = (&String, String)> {
        self.params.iter().map(|(name, value)| (name, value.identity()))
    }
}

impl PartialEq for Identity<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same = self.params == other.params || self.params().eq(other.params());
        (self.names, self.numbers, self.dist) == (other.names, other.numbers, other.dist) && same
    }
}

impl Eq for Identity<'_> {}

impl Hash for Identity<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.names, self.numbers).hash(state);
        self.params().for_each(|param| param.hash(state));
        // Most inputs are uniform, and words cost more than the rest.
        if self.dist != Distribution::Uniform {
            self.dist.to_string().hash(state);
        }
    }
}

impl fmt::Display for Identity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [algorithm, variant, backend, device, ptx, source] = self.names;
        let [block, coarsen, n, seed] = self.numbers;
        write!(f, "{algorithm} {variant} n={n} block={block} coarsen={coarsen}")?;
        for (name, value) in self.params() {
            write!(f, " {name}={value}")?;
        }
        write!(f, " {} seed={seed} on {backend} {device} ptx {ptx}", self.dist)?;
        if source.is_empty() { Ok(()) } else { write!(f, " file {source}") }
    }
}
