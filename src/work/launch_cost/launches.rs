//! The launches of a case in few bytes.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Amount, Amounts, LaunchCost, Metric, neutral};
use crate::work::packed::Packed;
use crate::work::shared::Name;

/// A list of [`LaunchCost`], packed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Launches(Box<[PackedLaunch]>);

#[derive(Debug, Clone, PartialEq)]
struct PackedLaunch {
    kernel: Name,
    launches: u32,
    /// One bit per amount that is stored.
    there: u32,
    barriers: bool,
    /// The nine numbers of every launch, then the amounts that are there.
    numbers: Box<[u8]>,
}

impl Launches {
    /// The launches, unpacked.
    pub fn to_vec(&self) -> Vec<LaunchCost> {
        self.0.iter().map(PackedLaunch::unpacked).collect()
    }

    /// Seconds of each entry.
    pub fn seconds(&self) -> impl Iterator<Item = f64> {
        self.0.iter().map(|launch| f64::take(&mut &*launch.numbers))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no launches.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PackedLaunch {
    fn packed(launch: &LaunchCost) -> Self {
        const { assert!(Amount::ALL.len() <= u32::BITS as usize) };
        let LaunchCost { seconds, clock, blocks, rounds, first, fill, .. } = *launch;
        let LaunchCost { turn, overlap, queue, most_warps, .. } = *launch;
        let mut numbers = Vec::with_capacity(40 * size_of::<f64>());
        for number in
            [seconds, clock, blocks, rounds, first, fill, turn, overlap, queue, most_warps]
        {
            number.put(&mut numbers);
        }
        let mut there = 0;
        for &amount in Amount::ALL {
            let value = launch.amounts.get(amount);
            if value.to_bits() != neutral(amount).to_bits() {
                there |= 1 << amount.index();
                value.put(&mut numbers);
            }
        }
        Self {
            kernel: launch.kernel.as_str().into(),
            launches: launch.launches,
            there,
            barriers: launch.barriers,
            numbers: numbers.into(),
        }
    }

    fn unpacked(&self) -> LaunchCost {
        let mut numbers = &*self.numbers;
        let [seconds, clock, blocks, rounds, first, fill, turn, overlap, queue, most_warps] =
            std::array::from_fn(|_| f64::take(&mut numbers));
        let mut amounts = Amounts::default();
        for &amount in Amount::ALL.iter().filter(|it| self.there & (1 << it.index()) != 0) {
            amounts.set(amount, f64::take(&mut numbers));
        }
        let (kernel, launches) = (self.kernel.to_string(), self.launches);
        let barriers = self.barriers;
        LaunchCost {
            kernel,
            launches,
            seconds,
            clock,
            blocks,
            rounds,
            first,
            fill,
            turn,
            overlap,
            barriers,
            queue,
            most_warps,
            amounts,
        }
    }
}

impl From<Vec<LaunchCost>> for Launches {
    fn from(launches: Vec<LaunchCost>) -> Self {
        launches.into_iter().collect()
    }
}

impl FromIterator<LaunchCost> for Launches {
    fn from_iter<I: IntoIterator<Item = LaunchCost>>(launches: I) -> Self {
        Self(launches.into_iter().map(|launch| PackedLaunch::packed(&launch)).collect())
    }
}

impl Serialize for Launches {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(PackedLaunch::unpacked))
    }
}

impl<'de> Deserialize<'de> for Launches {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<LaunchCost>::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn launches_come_back(
            numbers in proptest::collection::vec(any::<f64>(), 9),
            work in proptest::collection::vec((0..Amount::ALL.len(), any::<f64>()), 0..30),
            launches in any::<u32>(),
        ) {
            let work: Vec<_> = work.iter().map(|(at, value)| (Amount::ALL[*at], *value)).collect();
            let mut cost = LaunchCost { launches, ..LaunchCost::made_up(&work) };
            let fields = [
                &mut cost.seconds, &mut cost.clock, &mut cost.blocks, &mut cost.rounds,
                &mut cost.first, &mut cost.fill, &mut cost.turn, &mut cost.overlap,
                &mut cost.most_warps,
            ];
            fields.into_iter().zip(&numbers).for_each(|(field, number)| *field = *number);
            let packed: Launches = vec![cost.clone(), cost.clone()].into();
            prop_assert_eq!(packed.to_vec(), [cost.clone(), cost.clone()]);
            let text = serde_json::to_string(&packed).unwrap();
            prop_assert_eq!(&text, &serde_json::to_string(&[&cost, &cost]).unwrap());
            let read: Launches = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }
}
