//! What holds for every algorithm.
#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn short_names_are_short_and_tell_variants_apart() {
    for algorithm in ALL {
        let mut seen: Vec<&str> = Vec::new();
        for variant in algorithm.variants() {
            let (name, short) = (variant.name, variant.short);
            assert!(short.chars().count() <= Variant::MOST_SHORT, "{name}: `{short}`");
            assert!(!short.contains(" · ") && short.len() <= name.len(), "{name}: `{short}`");
            assert!(!seen.contains(&short), "{}: two variants are `{short}`", algorithm.name());
            seen.push(short);
            assert_eq!(short_name(algorithm.name(), name), short);
        }
    }
    assert_eq!(short_name("scan", "of another program"), "of another program");
    assert_eq!(short_name("nothing", "x"), "x");
}

#[test]
fn every_variant_has_an_idea_of_its_own() {
    for algorithm in ALL {
        let ideas: Vec<&str> = algorithm.variants().iter().map(|variant| variant.idea).collect();
        for (at, idea) in ideas.iter().enumerate() {
            let length = idea.chars().count();
            assert!((1..=Variant::MOST_IDEA).contains(&length), "{}: `{idea}`", algorithm.name());
            assert!(!ideas[..at].contains(idea), "{}: two ideas are `{idea}`", algorithm.name());
        }
    }
}

/// A case of uniform input. Parameters that are not given have their defaults.
pub(super) fn case(
    algorithm: &dyn Algorithm,
    variant: &str,
    [n, block, coarsen]: [u64; 3],
    params: &[(&str, &str)],
) -> Case {
    let defaults = algorithm.params().iter().map(|param| (param.name, param.default()));
    let given = params.iter().map(|(name, value)| (*name, value.parse().unwrap()));
    Case {
        algorithm: algorithm.name().to_owned(),
        variant: variant.to_owned(),
        block: block as u32,
        coarsen: coarsen as u32,
        n,
        params: defaults.chain(given).map(|(name, value)| (name.to_owned(), value)).collect(),
        dist: Distribution::Uniform,
        seed: 7,
    }
}

/// The cases of every variant with every word of every parameter.
fn cases(algorithm: &'static dyn Algorithm) -> Vec<Case> {
    let n = algorithm.defaults().sizes.1;
    let mut cases = Vec::new();
    for variant in algorithm.variants() {
        for (block, coarsen) in [(32, 1), (64, 4), (128, 1), (256, 3), (1024, 1)] {
            let coarsen = if variant.coarsens { coarsen } else { 1 };
            cases.push(case(algorithm, variant.name, [n, block, coarsen], &[]));
        }
    }
    for param in algorithm.params() {
        let ParamKind::Word(words) = param.kind else { continue };
        let with = |case: &Case, word: &str| {
            let mut case = case.clone();
            case.params.insert(param.name.to_owned(), ParamValue::Word(word.to_owned()));
            case
        };
        cases = cases.iter().flat_map(|case| words.iter().map(|it| with(case, it))).collect();
    }
    cases.retain(|case| algorithm.obstacle(case).is_none());
    cases.extend(cases.clone().into_iter().map(|case| Case { n: 0, ..case }));
    cases
}

#[test]
fn every_kernel_is_in_the_ptx_and_has_its_resources() {
    for algorithm in ALL {
        let cases = cases(*algorithm);
        for case in &cases {
            let work = algorithm.work(case);
            assert_eq!(work.module.name, algorithm.module(&case.variant).name);
            let target = work.module.target().unwrap();
            for launch in work.launches() {
                let kernel = &launch.kernel;
                assert!(work.module.ptx.contains(&format!(".entry {kernel}(")), "{kernel}");
                for cc in [50, 61, 90, 103].into_iter().filter(|cc| target.runs_on(*cc)) {
                    assert!(work.module.resources(kernel, cc).is_some(), "{kernel} {cc}");
                }
            }
        }
        for variant in algorithm.variants() {
            assert!(cases.iter().any(|case| case.variant == variant.name), "{}", variant.name);
        }
    }
}

#[test]
fn inputs_and_references_depend_on_the_seed() {
    for algorithm in ALL {
        let first = cases(*algorithm).remove(0);
        let other = Case { seed: 8, ..first.clone() };
        assert_ne!(algorithm.input_key(&first), algorithm.input_key(&other));
        assert_ne!(algorithm.reference_key(&first), algorithm.reference_key(&other));
    }
}
