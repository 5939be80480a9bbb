//! What the Tune screen answers in words: which variant is the fastest at this size with
//! which launch, and whether coarsening helps.

use std::collections::BTreeMap;

use crate::figure::tune::Place;
use crate::results::record::Record;
use crate::tui::app::model::Model;
use crate::tui::screens::tune::state::Map;
use crate::units::{Seconds, significant};

/// Times closer than this count as the same.
const LEAST_RATIO: f64 = 1.05;

/// The fastest launch of a variant at the size of the map.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The variant.
    pub variant: String,
    /// Block size and coarsening.
    pub place: Place,
    /// Seconds.
    pub time: f64,
}

/// The fastest launch of every ticked variant at the size of the map, the fastest variant
/// first. All times come from where the map's times come from.
pub fn of_all(model: &Model, map: &Map) -> Vec<Best> {
    let experiment = &model.selection;
    let chosen = |record: &&Record| {
        let variants = &experiment.variants;
        (variants.is_empty() || variants.contains(&record.variant)) && record.outcome().is_result()
    };
    let mut best: BTreeMap<&str, Best> = BTreeMap::new();
    for record in map.all.iter().copied().filter(chosen) {
        let Some(time) = map.time.of(record) else { continue };
        let found = Best {
            variant: record.variant.to_string(),
            place: (record.block, record.coarsen),
            time,
        };
        let known = best.entry(&record.variant).or_insert_with(|| found.clone());
        if time < known.time {
            *known = found;
        }
    }
    let mut all: Vec<Best> = best.into_values().collect();
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    all
}

/// `block 256 ×4`.
fn launch((block, coarsen): Place) -> String {
    format!("block {block} ×{coarsen}")
}

/// The best of all variants and the ones behind it; `None` where there is one variant.
pub fn best_of_all(all: &[Best]) -> Option<String> {
    let [first, others @ ..] = all else { return None };
    let second = others.first()?;
    let ratio = second.time / first.time;
    let behind = if ratio < LEAST_RATIO {
        format!("{} takes the same time within 5 %", second.variant)
    } else {
        format!("{} takes {}× as long", second.variant, significant(ratio))
    };
    Some(format!(
        "best of all variants: {}, {}: {}; {behind} at best, {}",
        first.variant,
        launch(first.place),
        Seconds(first.time),
        launch(second.place)
    ))
}

/// Whether coarsening helps the variant of the map, at the block size of its best cell;
/// `None` where there is one coarsening.
pub fn coarsening(map: &Map) -> Option<String> {
    let ((block, best), fastest) = *map.ranking.first()?;
    let of_block: Vec<(u32, f64)> = map
        .ranking
        .iter()
        .filter(|((other, _), _)| *other == block)
        .map(|((_, coarsen), time)| (*coarsen, *time))
        .collect();
    let (least, base) = *of_block.iter().min_by_key(|(coarsen, _)| *coarsen)?;
    let (slowest, longest) = *of_block.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if of_block.len() < 2 {
        return None;
    }
    let times = |ratio: f64| format!("{}×", significant(ratio));
    Some(if longest / fastest < LEAST_RATIO {
        format!("coarsening does not matter at block {block}: all times agree within 5 %")
    } else if best == least {
        let ratio = times(longest / fastest);
        format!(
            "coarsening does not help: at block {block}, ×{least} is the fastest and ×{slowest} \
             takes {ratio} as long"
        )
    } else if base / fastest < LEAST_RATIO {
        format!("coarsening hardly helps: at block {block}, ×{best} is within 5 % of ×{least}")
    } else {
        let ratio = times(base / fastest);
        format!("coarsening helps: ×{best} is {ratio} faster than ×{least} at block {block}")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::algorithms;
    use crate::tui::Start;
    use crate::tui::app::action::Command;
    use crate::tui::app::model::Screen;
    use crate::tui::app::view::tests::{SIZES, text};
    use crate::tui::fixture::{PLAIN, press};
    use crate::tui::screens::sweep::state::alike;
    use crate::tui::screens::tune::state::map;

    fn tuned(algorithm: &str) -> Model {
        let experiment = algorithms::opening(algorithms::find(algorithm).unwrap());
        let mut model = Model::new(&Start { experiment, ..Start::default() }, PLAIN);
        press(&mut model, Command::Show(Screen::Tune), 0.0);
        model
    }

    #[test]
    fn the_best_of_all_variants_is_the_fastest_record_of_the_size() {
        let mut model = tuned("scan");
        press(&mut model, Command::PanRight, 0.0);
        let map = map(&model).unwrap();
        assert_eq!(map.n, 1 << 20);
        let all = of_all(&model, &map);
        let variants = algorithms::find("scan").unwrap().variants().len();
        assert_eq!(all.len(), variants, "every variant is recorded");
        let recorded = model.shown.iter().filter(|record| {
            record.n == 1 << 20 && alike(&model.selection, record) && record.skip.is_none()
        });
        let times = recorded.filter_map(|record| map.time.of(record));
        let fastest = times.fold(f64::INFINITY, f64::min);
        assert!(all[0].time.total_cmp(&fastest).is_eq(), "{} {fastest}", all[0].time);
        let says = best_of_all(&all).unwrap();
        let joined = |shown: &str| shown.split_whitespace().collect::<Vec<_>>().join(" ");
        for (columns, rows) in SIZES {
            let shown = text(&model, columns, rows);
            assert!(joined(&shown).contains(&format!("{}", Seconds(all[0].time))), "{shown}");
            assert!(shown.contains("best of all variants"), "{says}\n{shown}");
        }
    }

    #[test]
    fn coarsening_is_answered_for_every_system_that_was_recorded_with_it() {
        for algorithm in algorithms::ALL {
            let model = tuned(algorithm.name());
            let map = map(&model).unwrap();
            let several = map.coarsenings.len() > 1;
            let says = coarsening(&map);
            assert_eq!(says.is_some(), several, "{}: {says:?}", algorithm.name());
            let Some(says) = says else { continue };
            let ((block, best), fastest) = map.ranking[0];
            let least = *map.coarsenings.first().unwrap();
            let base = map.time((block, least)).unwrap();
            if says.starts_with("coarsening helps") {
                assert!(base / fastest > 1.05 && best != least, "{says}");
                assert!(says.contains(&format!("×{best} is {}×", significant(base / fastest))));
            } else {
                assert!(best == least || base / fastest < 1.05, "{says}");
            }
        }
    }
}
