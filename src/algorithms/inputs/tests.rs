#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rand_distr::Distribution as _;
use sha2::{Digest, Sha256};

use super::*;

fn hash(values: &[u32]) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let digest = Sha256::digest(bytes);
    let start = digest.first_chunk().copied().unwrap();
    format!("{:016x}", u64::from_be_bytes(start))
}

/// These hashes are the promise that stored results of one machine can be
/// compared with those of another: they may never change.
#[test]
fn inputs_are_the_same_on_every_machine() {
    let pinned = [
        ("uniform", "38440df4bf22ee7b"),
        ("normal", "0d06238a7d651946"),
        ("zipf:1.2", "debc40387b1a5822"),
        ("zipf:0", "40c1f8c988df39b2"),
        ("zipf:10", "3a390ab39a4fe642"),
        ("constant", "cb72c1eaaa357b22"),
        ("iota", "2fadeb03b6d797da"),
        ("ones", "998524ee238cdb7a"),
        ("sorted", "5bc7bb73ddf48499"),
        ("reversed", "e711aca3217bcc2b"),
        ("few-unique:16", "9a543f982ce3ee0d"),
        ("few-unique:65536", "b3efefe2c3bb0366"),
    ];
    for (dist, expected) in pinned {
        assert_eq!(hash(&generate(dist.parse().unwrap(), 7, 200_000)), expected, "{dist}");
    }
    for dist in Distribution::ALL {
        assert!(pinned.iter().any(|(name, _)| *name == dist.to_string()), "{dist} is not pinned");
    }
}

#[test]
fn the_seed_decides_every_random_input() {
    for dist in Distribution::ALL {
        let random =
            !matches!(dist, Distribution::Constant | Distribution::Iota | Distribution::Ones);
        let differs = generate(dist, 7, 1000) != generate(dist, 8, 1000);
        assert_eq!(differs, random, "{dist}");
    }
}

#[test]
fn sorted_inputs_are_spread_over_the_range() {
    for n in [1usize, 2, 33, 100_000] {
        let sorted = generate(Distribution::Sorted, 3, n);
        assert!(sorted.is_sorted());
        let bound = |i: usize| ((i as u64) << 32) / n as u64;
        for (i, &value) in sorted.iter().enumerate() {
            assert!((bound(i)..=bound(i + 1)).contains(&u64::from(value)), "n={n} i={i}");
        }
        let mut reversed = generate(Distribution::Reversed, 3, n);
        reversed.reverse();
        assert_eq!(reversed, sorted);
    }
}

#[test]
fn few_unique_uses_each_of_its_values_about_equally() {
    let mut values = generate(Distribution::FewUnique(16), 7, 160_000);
    values.sort_unstable();
    let counts: Vec<usize> = values.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
    assert_eq!(counts.len(), 16);
    // Ten standard deviations of a binomial count around 10,000.
    assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 1_000), "{counts:?}");
}

#[test]
fn an_empty_input_is_empty() {
    for dist in Distribution::ALL {
        assert!(generate(dist, 7, 0).is_empty());
    }
}

/// Shares of the first ranks, and mean and deviation, against `rand_distr`.
#[test]
fn ranks_have_the_shape_that_their_name_says() {
    const N: usize = 400_000;
    let ranks = |dist| -> Vec<f64> {
        let low_equals_high = |v: u32| v >> 16 == v & 0xffff;
        let values = generate(dist, 11, N);
        assert!(values.iter().all(|&v| low_equals_high(v)));
        values.iter().map(|&v| f64::from(v >> 16)).collect()
    };
    let mut random = ChaCha8Rng::seed_from_u64(1);

    let normal = rand_distr::Normal::new(NORMAL_CENTRE, NORMAL_DEVIATION).unwrap();
    let theirs: Vec<f64> = (0..N).map(|_| normal.sample(&mut random)).collect();
    let moments = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / N as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / N as f64;
        (mean, variance.sqrt())
    };
    let (mean, deviation) = moments(&ranks(Distribution::Normal));
    let (their_mean, their_deviation) = moments(&theirs);
    assert!((mean - their_mean).abs() < 100.0, "{mean} {their_mean}");
    assert!((deviation - their_deviation).abs() < 100.0, "{deviation} {their_deviation}");

    for s in [0.5, 1.0, 1.2, 3.0] {
        let zipf = rand_distr::Zipf::new(RANKS as f64, s).unwrap();
        let theirs: Vec<f64> = (0..N).map(|_| zipf.sample(&mut random) - 1.0).collect();
        let ours = ranks(Distribution::Zipf(s));
        for below in [1.0, 2.0, 10.0, 1000.0] {
            let share =
                |values: &[f64]| values.iter().filter(|&&v| v < below).count() as f64 / N as f64;
            let (ours, theirs) = (share(&ours), share(&theirs));
            assert!((ours - theirs).abs() < 0.005, "zipf:{s} below {below}: {ours} {theirs}");
        }
    }
}

fn any_distribution() -> impl Strategy<Value = Distribution> {
    prop_oneof![
        (0..Distribution::ALL.len()).prop_map(|i| Distribution::ALL[i]),
        (0.0..10.0).prop_map(Distribution::Zipf),
        (1u32..65_536).prop_map(Distribution::FewUnique),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_part_is_that_part_of_the_whole(
        dist in any_distribution(),
        seed: u64,
        n in 1usize..200_000,
        from in 0.0..1.0f64,
        length in 0usize..70_000,
    ) {
        let whole = generate(dist, seed, n);
        let from = (from * n as f64) as usize;
        let length = length.min(n - from);
        let generator = Generator::new(dist, seed, n as u64);
        let mut part = vec![0; length];
        generator.fill(from as u64, &mut part);
        prop_assert_eq!(&part, &whole[from..from + length]);
        prop_assert_eq!(generator.element(from as u64), whole[from]);
    }
}
