//! Partitions, one after the other.

use serde::{Deserialize, Serialize};

use super::columns::per_column;
use super::is_zero;

/// Most columns, and most entries of the sizes.
const MOST_COLUMNS: u64 = 1024;

/// Most partitions kept apart.
const MOST_PARTS: u64 = 1 << 20;

/// The partition of each element of an output, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Partitions {
    /// Number of elements.
    pub n: u64,
    /// Number of partitions.
    pub parts: u64,
    /// Neighbouring elements that each entry of `columns` covers; the last
    /// entry may cover fewer.
    pub per_column: u64,
    /// The most frequent partition of each column, the lower of equals; `None`
    /// where no element has a partition.
    pub columns: Vec<Option<u64>>,
    /// Neighbouring partitions summed into each entry of `sizes`.
    pub per_size: u64,
    /// Elements per partition.
    pub sizes: Vec<u64>,
    /// The largest partition: index and elements.
    pub largest: (u64, u64),
    /// The smallest partition: index and elements.
    pub smallest: (u64, u64),
    /// Partitions without any element.
    pub empty: u64,
    /// Elements that belong to a lower partition than the element before them:
    /// 0 where every partition is contiguous.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub descents: u64,
    /// Elements without a partition.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub strays: u64,
}

/// Elements per partition within one column.
struct Column {
    counts: Vec<u32>,
    /// Partitions with a count, in no order.
    seen: Vec<usize>,
}

impl Column {
    fn add(&mut self, part: usize) {
        if self.counts[part] == 0 {
            self.seen.push(part);
        }
        self.counts[part] += 1;
    }

    /// The partition with most elements; forgets them all.
    fn take(&mut self) -> Option<u64> {
        let mut most = None;
        for part in self.seen.drain(..) {
            let count = std::mem::take(&mut self.counts[part]);
            let better =
                |&(known, most): &(usize, u32)| count > most || (count == most && part < known);
            if most.as_ref().is_none_or(better) {
                most = Some((part, count));
            }
        }
        most.map(|(part, _)| part as u64)
    }
}

impl Partitions {
    /// The partition, below `parts`, of every element of the output, in order.
    pub fn of<I>(parts: u64, output: I) -> Self
    where
        I: IntoIterator<Item = u64, IntoIter: ExactSizeIterator>,
    {
        let parts = parts.min(MOST_PARTS);
        let output = output.into_iter();
        let n = output.len() as u64;
        let per_column = per_column(n, MOST_COLUMNS);
        let mut column = Column { counts: vec![0; parts as usize], seen: Vec::new() };
        let mut columns = Vec::new();
        let mut sizes = vec![0u64; parts as usize];
        let (mut descents, mut strays, mut held, mut before) = (0, 0, 0, 0);
        for part in output {
            if part < parts {
                column.add(part as usize);
                sizes[part as usize] += 1;
                descents += u64::from(part < before);
                before = part;
            } else {
                strays += 1;
            }
            held += 1;
            if held == per_column {
                columns.push(column.take());
                held = 0;
            }
        }
        if held > 0 {
            columns.push(column.take());
        }
        let (mut largest, mut smallest) = ((0, 0), (0, u64::MAX));
        for (part, &size) in (0u64..).zip(&sizes) {
            if size > largest.1 {
                largest = (part, size);
            }
            if size < smallest.1 {
                smallest = (part, size);
            }
        }
        if parts == 0 {
            smallest = (0, 0);
        }
        let per_size = self::per_column(parts, MOST_COLUMNS);
        Self {
            n,
            parts,
            per_column,
            columns,
            per_size,
            sizes: sizes.chunks(per_size as usize).map(|sizes| sizes.iter().sum()).collect(),
            largest,
            smallest,
            empty: sizes.iter().filter(|&&size| size == 0).count() as u64,
            descents,
            strays,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::fits;
    use super::*;

    #[test]
    fn bands_of_an_ordered_output() {
        let partitions = Partitions::of(4, (0..4000).map(|i| if i < 1000 { 0 } else { 2 }));
        assert_eq!((partitions.per_column, partitions.columns.len()), (4, 1000));
        assert_eq!((partitions.columns[249], partitions.columns[250]), (Some(0), Some(2)));
        assert_eq!(partitions.sizes, [1000, 0, 3000, 0]);
        assert_eq!(
            (partitions.largest, partitions.smallest, partitions.empty),
            ((2, 3000), (1, 0), 2)
        );
        assert_eq!((partitions.descents, partitions.strays), (0, 0));
    }

    #[test]
    fn a_broken_output_is_told() {
        let partitions = Partitions::of(3, [0, 1, 0, 2, 9, 2]);
        assert_eq!((partitions.descents, partitions.strays, partitions.columns[4]), (1, 1, None));
    }

    proptest! {
        #[test]
        fn any_output_fits_and_keeps_its_sizes(
            parts in prop_oneof![0u64..40, 0u64..70_000],
            output in prop::collection::vec(prop_oneof![0u64..40, 0u64..80_000], 0..4000),
        ) {
            let partitions = Partitions::of(parts, output.iter().copied());
            let inside = output.iter().filter(|&&part| part < parts);
            prop_assert_eq!(partitions.sizes.iter().sum::<u64>(), inside.count() as u64);
            prop_assert_eq!(partitions.sizes.iter().sum::<u64>() + partitions.strays, partitions.n);
            if partitions.per_column == 1 {
                let same = output.iter().map(|&part| (part < parts).then_some(part));
                prop_assert!(same.eq(partitions.columns.iter().copied()));
            }
            fits(&View::Partitions(partitions))?;
        }
    }
}
