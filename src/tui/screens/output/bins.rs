//! Bins: bars of the counts with the even share as a line, and in words the
//! fullest, the emptiest, and how many lanes meet on one address.

use ratatui::layout::Rect;

use crate::tui::screens::output::pillars;
use crate::tui::widgets::ui::Ui;
use crate::units::grouped;
use crate::work::Bins;

pub(crate) fn draw(ui: &mut Ui, bins: &Bins, area: Rect) {
    let even = bins.total as f64 / bins.bins.max(1) as f64;
    pillars::draw(ui, &heights(bins, usize::from(area.width)), Some(even), area);
}

/// Height of each column: the mean count per bin of what it covers.
fn heights(bins: &Bins, columns: usize) -> Vec<Option<f64>> {
    let per_entry = bins.per_column.max(1);
    let per_bin: Vec<Option<f64>> = (0u64..)
        .zip(&bins.counts)
        .map(|(entry, &count)| {
            let covered = per_entry.min(bins.bins.saturating_sub(entry * per_entry));
            Some(count as f64 / covered.max(1) as f64)
        })
        .collect();
    pillars::means(&per_bin, per_entry, bins.bins, columns)
}

pub(crate) fn words(bins: &Bins) -> String {
    let even = bins.total / bins.bins.max(1);
    let (full, most) = bins.fullest;
    let (empty, least) = bins.emptiest;
    let mut words = format!(
        "fullest bin {full}: {} · emptiest {empty}: {} · even share ─ {}",
        grouped(most),
        grouped(least),
        grouped(even),
    );
    if let Some(lanes) = bins.lanes_per_address {
        let lanes = crate::units::significant(lanes);
        words.push_str(&format!(" · {lanes} of a warp's 32 lanes meet on one bin"));
    }
    words
}

pub(crate) fn short_words(bins: &Bins) -> Vec<String> {
    let mut words = vec![
        format!("most  {} in bin {}", grouped(bins.fullest.1), bins.fullest.0),
        format!("least {} in bin {}", grouped(bins.emptiest.1), bins.emptiest.0),
    ];
    if let Some(lanes) = bins.lanes_per_address {
        words.push(format!("{} of 32 lanes meet", crate::units::significant(lanes)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(bins: u64, per_column: u64, counts: Vec<u64>) -> Bins {
        let total = counts.iter().sum();
        Bins { bins, per_column, counts, total, ..Bins::of([]) }
    }

    #[test]
    fn a_column_stands_as_high_as_the_mean_of_its_bins() {
        let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(heights(&bins(4, 1, vec![4, 8, 0, 2]), 10), some(&[4.0, 8.0, 0.0, 2.0]));
        assert_eq!(heights(&bins(4, 1, vec![4, 8, 0, 2]), 2), some(&[6.0, 1.0]));
        // 5 bins in pairs: the last entry covers one bin.
        assert_eq!(heights(&bins(5, 2, vec![8, 4, 3]), 10), some(&[4.0, 2.0, 3.0]));
    }
}
