//! Draws a rank from given weights in constant time, in integers alone.

/// Bits of a random word that choose a slot; there are 2^16 slots.
const SLOT_BITS: u32 = 16;

/// The other bits of the word, which choose between a slot's two ranks.
const SHARE_BITS: u32 = 64 - SLOT_BITS;

/// An alias table (Walker 1977, built as Vose 1991 does) over 65,536 ranks.
///
/// Weights are scaled to integers that add up to 2^64, and every slot holds
/// exactly 2^48 of them: some of its own rank, the rest of one other rank. A
/// random word then names a slot with its upper 16 bits and, by comparing its
/// lower 48 with the share of the slot's own rank, one of the two.
pub(super) struct AliasTable {
    /// For each slot: share of its own rank (48 bits), then the other rank.
    slots: Vec<u64>,
}

impl std::fmt::Debug for AliasTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AliasTable").field("slots", &self.slots.len()).finish()
    }
}

impl AliasTable {
    /// A table for these 65,536 weights. At least one is positive.
    pub(super) fn new(weights: &[f64]) -> Self {
        const FULL: u128 = 1 << SHARE_BITS;
        let mut left = to_integers(weights);
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..left.len()).partition(|&rank| left[rank] < FULL);
        // A slot that stays as it is holds its own rank alone, whatever the share.
        let mut slots: Vec<u64> = (0..left.len() as u64).collect();
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            slots[poor] = ((left[poor] as u64) << SLOT_BITS) | rich as u64;
            left[rich] -= FULL - left[poor];
            if left[rich] < FULL {
                large.pop();
                small.push(rich);
            }
        }
        Self { slots }
    }

    /// The rank of a random word.
    pub(super) fn rank(&self, word: u64) -> u32 {
        let slot = word >> SHARE_BITS;
        let entry = self.slots[slot as usize];
        let own = word & ((1 << SHARE_BITS) - 1) < entry >> SLOT_BITS;
        if own { slot as u32 } else { entry as u32 & 0xffff }
    }
}

/// The weights as integers that add up to 2^64. What rounding down leaves over
/// goes to the heaviest rank, where it is smallest in proportion.
pub(super) fn to_integers(weights: &[f64]) -> Vec<u128> {
    const WHOLE: f64 = 18_446_744_073_709_551_616.0;
    let sum: f64 = weights.iter().sum();
    let mut integers: Vec<u128> =
        weights.iter().map(|weight| (weight / sum * WHOLE) as u128).collect();
    let mut heaviest = 0;
    for (rank, integer) in integers.iter().enumerate() {
        if *integer > integers[heaviest] {
            heaviest = rank;
        }
    }
    // Rounding of the quotients may also carry the sum above the whole.
    let others: u128 = integers.iter().sum::<u128>() - integers[heaviest];
    integers[heaviest] = (1 << 64) - others;
    integers
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How many of the 2^64 words have each rank.
    fn shares(table: &AliasTable) -> Vec<u128> {
        let mut shares = vec![0u128; table.slots.len()];
        for (slot, entry) in table.slots.iter().enumerate() {
            let own = u128::from(entry >> SLOT_BITS);
            shares[slot] += own;
            shares[(entry & 0xffff) as usize] += (1 << SHARE_BITS) - own;
        }
        shares
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn every_rank_gets_exactly_its_weight(s in 0.0..10.0f64) {
            let weights = super::super::zipf_weights(s);
            prop_assert_eq!(shares(&AliasTable::new(&weights)), to_integers(&weights));
        }
    }

    #[test]
    fn a_single_positive_weight_is_always_drawn() {
        let mut weights = vec![0.0; 1 << SLOT_BITS];
        weights[77] = 1.0;
        let table = AliasTable::new(&weights);
        for word in [0, 1, 77 << SHARE_BITS, u64::MAX / 3, u64::MAX] {
            assert_eq!(table.rank(word), 77);
        }
    }
}
