//! An input size in the words of its algorithm.

use crate::algorithms;
use crate::units::Elements;

/// `2^20 elements`, `1M keys`, `order 1024`: what n counts is the algorithm's own.
pub fn sized(algorithm: &str, n: u64) -> String {
    let n = Elements(n);
    match algorithms::find(algorithm).map_or("elements", |found| found.size().noun) {
        "order" => format!("order {n}"),
        noun => format!("{n} {noun}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_counts_its_own_things() {
        assert_eq!(sized("histogram", 1 << 20), "2^20 elements");
        assert_eq!(sized("matmul", 1024), "order 2^10");
        assert_eq!(sized("distance-histogram", 512_000), "512k atoms");
        assert_eq!(sized("unknown", 3), "3 elements");
    }
}
