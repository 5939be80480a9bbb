//! A number for some metrics of a list, by their stored names.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::metric::{Metric, Stored};
use super::packed::Packed;

/// Most metrics of a list.
const MOST: usize = 32;

/// A map from metric to number. Names that this version does not know are kept.
#[derive(Clone, PartialEq)]
pub struct ByMetric<M, V> {
    /// One bit per known metric that has a value.
    there: u32,
    /// Their values in the order of the list.
    packed: Box<[u8]>,
    /// Values by names that this version does not know.
    others: Box<[(Box<str>, V)]>,
    list: PhantomData<M>,
}

/// The same with its numbers unpacked.
struct Unpacked<V> {
    there: u32,
    values: [V; MOST],
    others: BTreeMap<Box<str>, V>,
}

impl<V: Packed> Unpacked<V> {
    fn set<M: Metric>(&mut self, metric: Stored<M>, change: impl FnOnce(V) -> V) {
        match metric {
            Stored::Known(metric) => {
                let index = metric.index();
                self.there |= 1 << index;
                self.values[index] = change(self.values[index]);
            }
            Stored::Other(name) => {
                let value = self.others.entry(name).or_default();
                *value = change(*value);
            }
        }
    }

    fn pack<M>(self) -> ByMetric<M, V> {
        let mut packed = Vec::with_capacity(MOST * 4);
        for value in indices(self.there).filter_map(|index| self.values.get(index)) {
            value.put(&mut packed);
        }
        let others = self.others.into_iter().collect();
        ByMetric { there: self.there, packed: packed.into(), others, list: PhantomData }
    }
}

/// The places of the bits that are set.
fn indices(bits: u32) -> impl Iterator<Item = usize> {
    (0..MOST).filter(move |index| bits & (1 << index) != 0)
}

impl<M: Metric, V: Packed> ByMetric<M, V> {
    /// The known metrics with their values, in the order of the list.
    pub fn known(&self) -> impl Iterator<Item = (M, V)> {
        const { assert!(M::ALL.len() <= MOST) };
        let mut packed = &*self.packed;
        let metrics = indices(self.there).filter_map(|index| M::ALL.get(index));
        metrics.map(move |metric| (*metric, V::take(&mut packed)))
    }

    /// All values with their metrics, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (Stored<M>, V)> {
        let known = self.known().map(|(metric, value)| (Stored::Known(metric), value));
        let others = self.others.iter().map(|(name, value)| (Stored::Other(name.clone()), *value));
        let mut all: Vec<_> = known.chain(others).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.into_iter()
    }

    /// The metrics that have a value, in the order of their names.
    pub fn keys(&self) -> impl Iterator<Item = Stored<M>> {
        self.iter().map(|(metric, _)| metric)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = V> {
        self.known().map(|(_, value)| value).chain(self.others.iter().map(|(_, value)| *value))
    }

    /// The value of a metric, if it has one.
    pub fn get(&self, metric: impl Into<Stored<M>>) -> Option<V> {
        match metric.into() {
            Stored::Known(wanted) if self.there & (1 << wanted.index()) == 0 => None,
            Stored::Known(wanted) => {
                self.known().find(|(it, _)| it.index() == wanted.index()).map(|it| it.1)
            }
            Stored::Other(name) => self.others.iter().find(|it| it.0 == name).map(|it| it.1),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.there.count_ones() as usize + self.others.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds each of `more` to the value that is there.
    pub fn add<N: Into<Stored<M>>>(&mut self, more: impl IntoIterator<Item = (N, V)>)
    where
        V: std::ops::Add<Output = V>,
    {
        let mut sum = self.unpacked();
        more.into_iter().for_each(|(metric, value)| sum.set(metric.into(), |it| it + value));
        *self = sum.pack();
    }

    fn unpacked(&self) -> Unpacked<V> {
        let mut values = [V::default(); MOST];
        self.known().for_each(|(metric, value)| values[metric.index()] = value);
        let others = self.others.iter().cloned().collect();
        Unpacked { there: self.there, values, others }
    }
}

impl<M, V> Default for ByMetric<M, V> {
    fn default() -> Self {
        Self { there: 0, packed: Box::default(), others: Box::default(), list: PhantomData }
    }
}

impl<M: Metric, V: Packed + fmt::Debug> fmt::Debug for ByMetric<M, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(metric, value)| (metric.to_string(), value)))
            .finish()
    }
}

impl<M: Metric, V: Packed, N: Into<Stored<M>>> FromIterator<(N, V)> for ByMetric<M, V> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut map = Self::default().unpacked();
        entries.into_iter().for_each(|(metric, value)| map.set(metric.into(), |_| value));
        map.pack()
    }
}

impl<M: Metric, V: Packed, N: Into<Stored<M>>, const K: usize> From<[(N, V); K]>
    for ByMetric<M, V>
{
    fn from(entries: [(N, V); K]) -> Self {
        entries.into_iter().collect()
    }
}

impl<M: Metric, V: Packed + Serialize> Serialize for ByMetric<M, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, M: Metric, V: Packed + Deserialize<'de>> Deserialize<'de> for ByMetric<M, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Named<M, V>(PhantomData<(M, V)>);
        impl<'de, M: Metric, V: Packed + Deserialize<'de>> Visitor<'de> for Named<M, V> {
            type Value = ByMetric<M, V>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = ByMetric::<M, V>::default().unpacked();
                while let Some((metric, value)) = map.next_entry::<Stored<M>, V>()? {
                    found.set(metric, |_| value);
                }
                Ok(found.pack())
            }
        }
        deserializer.deserialize_map(Named(PhantomData))
    }
}
