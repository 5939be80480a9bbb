use std::collections::BTreeSet;

use super::*;
use crate::analysis::kernel_profile;
use crate::results::record::StopReason;

/// Ends of sentences in a text without abbreviations.
fn sentences(text: &str) -> usize {
    let ends = text.match_indices(". ").count();
    ends + usize::from(text.ends_with('.'))
}

#[test]
fn every_entry_is_one_or_two_sentences() {
    for entry in all() {
        let count = sentences(entry.text);
        assert!((1..=2).contains(&count), "{}: {count} sentences: {}", entry.name, entry.text);
        assert!(entry.text.ends_with('.'), "{}", entry.name);
        assert!(entry.text.chars().count() <= 200, "{}: {}", entry.name, entry.text.len());
        let longest = entry.text.split(". ").map(|it| it.split_whitespace().count()).max();
        assert!(longest.unwrap() <= 28, "{}: {longest:?} words", entry.name);
    }
}

#[test]
fn no_word_has_two_entries() {
    let mut seen = BTreeSet::new();
    for entry in all() {
        for word in entry.words() {
            let plain = word.trim_end_matches('s').to_lowercase();
            let plurals = entry.words().filter(|it| same(it, word)).count();
            assert!(seen.insert(plain) || plurals > 1, "{word} of {}", entry.name);
        }
    }
}

#[test]
fn every_metric_has_an_entry_and_its_counter() {
    for counter in Counter::ALL {
        let entry = find(counter.label()).unwrap_or_else(|| panic!("{counter}"));
        assert!(entry.behind.contains(counter), "{counter}: {entry:?}");
    }
    let labels = Resource::ALL.iter().map(|it| it.label());
    let labels = labels.chain(FailureKind::ALL.iter().map(|it| it.label()));
    let labels = labels.chain(Flag::ALL.iter().map(|it| it.label()));
    let labels = labels.chain(Cause::ALL.iter().map(|it| it.label()));
    for label in labels.chain(Provenance::ALL.iter().map(|it| it.label())) {
        assert!(find(label).is_some(), "{label}");
    }
    assert!(StopReason::ALL.iter().all(|it| !it.glossary().is_empty()));
}

#[test]
fn every_row_of_the_counters_screen_has_an_entry() {
    for name in kernel_profile::names() {
        assert!(find(name).is_some(), "{name}");
    }
}

#[test]
fn words_of_a_screen_are_found_in_their_order_and_only_whole() {
    let lines = ["Occupancy is 50 %, 3 bank conflicts", "wrapped text, 4 sectors; a lane"];
    let names: Vec<&str> = within(lines).iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["occupancy", "bank conflict", "sector", "lane"]);
    assert!(within(["no such term"]).is_empty());
    assert_eq!(find("Bank Conflicts").unwrap().name, "bank conflict");
    assert!(find("").is_none() && find("s").is_none());
}
