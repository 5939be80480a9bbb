//! The number of lanes of a warp that add to the same bin.

/// Threads of a full warp.
const WARP: usize = 32;

/// A power series up to `x^32`.
type Series = [f64; WARP + 1];

/// Expected number of a full warp's additions that fall on its most popular
/// bin, when each lane draws its bin from `counts` independently of the others
/// (as it does where values come in random order); 0 without any value.
///
/// With `p` the share of a bin, the probability that no bin gets more than `k`
/// of 32 lanes is `32! [x^32]` of the product over all bins of
/// `T_k(p x) = 1 + p x + ... + (p x)^k / k!`, and the expectation is the sum
/// over `k` of the probability that some bin gets more. Heavy bins are
/// multiplied one by one. Light ones are too many for that: their logarithms
/// are added instead, which needs no more than the sums of the powers of `p`,
/// and loses no digits that matter as long as every `p` is at most 1/32.
pub(super) fn most_popular(counts: &[u32], total: u64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    let mut heavy = Vec::new();
    let mut power_sums: Series = [0.0; WARP + 1];
    for &count in counts {
        let share = f64::from(count) / total as f64;
        if share * WARP as f64 > 1.0 {
            heavy.push(share);
        } else if count > 0 {
            let mut power = 1.0;
            for sum in &mut power_sums[1..] {
                power *= share;
                *sum += power;
            }
        }
    }
    let factorial: f64 = (1..=WARP).map(|j| j as f64).product();
    let more_than = |k: usize| {
        let mut product = light_bins(k, &power_sums);
        for &share in &heavy {
            product = times_truncated(&product, k, share);
        }
        (1.0 - factorial * product[WARP]).clamp(0.0, 1.0)
    };
    1.0 + (1..WARP).map(more_than).sum::<f64>()
}

/// `exp(sum over the light bins of log T_k(p x))`.
fn light_bins(k: usize, power_sums: &Series) -> Series {
    let mut truncated: Series = [0.0; WARP + 1];
    truncated[0] = 1.0;
    for j in 1..=k {
        truncated[j] = truncated[j - 1] / j as f64;
    }
    // log: from T' = (log T)' T.
    let mut log: Series = [0.0; WARP + 1];
    for m in 1..=WARP {
        let known: f64 = (1..m).map(|j| j as f64 * log[j] * truncated[m - j]).sum();
        log[m] = truncated[m] - known / m as f64;
    }
    // exp, by the same rule read the other way.
    let mut product: Series = [0.0; WARP + 1];
    product[0] = 1.0;
    for m in 1..=WARP {
        let sum: f64 = (1..=m).map(|j| j as f64 * log[j] * power_sums[j] * product[m - j]).sum();
        product[m] = sum / m as f64;
    }
    product
}

/// `series * T_k(share x)`.
fn times_truncated(series: &Series, k: usize, share: f64) -> Series {
    let mut product: Series = [0.0; WARP + 1];
    let mut coefficient = 1.0;
    for j in 0..=k {
        if j > 0 {
            coefficient *= share / j as f64;
        }
        for m in j..=WARP {
            product[m] += coefficient * series[m - j];
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng, SeedableRng};

    fn most_popular_of(counts: &[u32]) -> f64 {
        most_popular(counts, counts.iter().map(|&count| u64::from(count)).sum())
    }

    /// The mean over many warps whose lanes draw from `counts`.
    fn simulated(counts: &[u32]) -> f64 {
        const WARPS: u32 = 20_000;
        let values: Vec<usize> = (0..counts.len())
            .flat_map(|bin| std::iter::repeat_n(bin, counts[bin] as usize))
            .collect();
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut sum = 0;
        for _ in 0..WARPS {
            let mut lanes = vec![0u32; counts.len()];
            for _ in 0..WARP {
                lanes[values[random.next_u32() as usize % values.len()]] += 1;
            }
            sum += lanes.iter().max().copied().unwrap_or_default();
        }
        f64::from(sum) / f64::from(WARPS)
    }

    #[test]
    fn known_cases() {
        assert!(most_popular_of(&[0, 0]).abs() < f64::EPSILON);
        assert!((most_popular_of(&[0, 9, 0]) - 32.0).abs() < 1e-9);
        assert!((most_popular_of(&vec![1; 65_536]) - 1.0).abs() < 0.01);
        // Two bins: the mean of the larger of k and 32 - k, k binomial.
        let mut chance = 0.5f64.powi(32);
        let mut mean = 0.0;
        for k in 0..=32u32 {
            mean += chance * f64::from(k.max(32 - k));
            chance *= f64::from(32 - k) / f64::from(k + 1);
        }
        assert!((most_popular_of(&[5, 5]) - mean).abs() < 1e-9);
    }

    #[test]
    fn agrees_with_simulated_warps() {
        let skewed: Vec<u32> = (1..200u32).map(|rank| 10_000 / rank).collect();
        for counts in [vec![10; 8], vec![10; 7], vec![10; 256], vec![3; 31], skewed, vec![90, 5, 5]]
        {
            let (exact, simulated) = (most_popular_of(&counts), simulated(&counts));
            assert!((exact - simulated).abs() < 0.05, "{exact} {simulated}");
        }
    }
}
