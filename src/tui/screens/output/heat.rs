//! Heat map: the matrix as shades, row by row from the top.

use ratatui::layout::Rect;

use crate::tui::screens::output::shade;
use crate::tui::widgets::ui::Ui;
use crate::units::{decimal, grouped};
use crate::work::Heat;

pub(crate) fn draw(ui: &mut Ui, heat: &Heat, area: Rect) {
    // A row for the legend, where the map keeps more than two.
    let legend = u16::from(area.height >= 3 && area.width >= 30);
    let map = Rect { height: area.height - legend, ..area };
    let rows = (heat.down as u16).min(map.height * shade::rows_per_cell(ui));
    let columns = (heat.across as u16).min(map.width);
    let values = shrunk(heat, rows, columns);
    let known = || values.iter().flatten().copied();
    let (Some(low), Some(high)) = (known().reduce(f64::min), known().reduce(f64::max)) else {
        return;
    };
    let at = |row: u16, column: u16| {
        let index = usize::from(row) * usize::from(columns) + usize::from(column);
        let value = values.get(index).copied().flatten();
        value.map(|value| shade::between(value, low, high))
    };
    shade::draw(ui, (rows, columns), at, map);
    if legend == 1 {
        shade::legend(ui, area.x, area.bottom() - 1, &shade::end(low), &shade::end(high));
    }
}

/// The map on a grid of at most its own size: means of what falls together.
fn shrunk(heat: &Heat, rows: u16, columns: u16) -> Vec<Option<f64>> {
    let (down, across) = (heat.down as usize, heat.across as usize);
    let (rows, columns) = (usize::from(rows), usize::from(columns));
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    let mut sums = vec![(0.0, 0u32); rows * columns];
    for (index, value) in heat.values.iter().enumerate() {
        let cell = index / across * rows / down * columns + index % across * columns / across;
        if let (Some(value), Some(sum)) = (value, sums.get_mut(cell)) {
            // A mean of means, kept in range whatever the values are.
            sum.1 += 1;
            sum.0 += value / f64::from(sum.1) - sum.0 / f64::from(sum.1);
        }
    }
    sums.into_iter().map(|(mean, count)| (count > 0).then_some(mean)).collect()
}

pub(crate) fn words(heat: &Heat) -> String {
    let (rows, columns) = (grouped(heat.rows), grouped(heat.columns));
    let mut parts = vec![format!("{}, {rows} × {columns}", heat.label)];
    if heat.down < heat.rows || heat.across < heat.columns {
        parts[0].push_str(", neighbours averaged");
    }
    if let Some(extremes) = heat.extremes {
        let of = |(index, value)| {
            let (row, column) = heat.place(index);
            format!("{} at row {row}, column {column}", decimal(value))
        };
        parts.push(format!("highest {}", of(extremes.highest)));
        parts.push(format!("lowest {}", of(extremes.lowest)));
    }
    parts.extend(heat.mean.map(|mean| format!("mean {}", decimal(mean))));
    if heat.not_finite > 0 {
        parts.push(format!("{} infinite or NaN", grouped(heat.not_finite)));
    }
    parts.join(" · ")
}

pub(crate) fn short_words(heat: &Heat) -> Vec<String> {
    heat.extremes
        .map(|extremes| {
            vec![
                format!("highest {}", decimal(extremes.highest.1)),
                format!("lowest {}", decimal(extremes.lowest.1)),
            ]
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_map_holds_the_means() {
        let heat = Heat::of("C", 4, 4, (0..16).map(f64::from));
        assert_eq!(shrunk(&heat, 4, 4), heat.values);
        assert_eq!(shrunk(&heat, 2, 2), [2.5, 4.5, 10.5, 12.5].map(Some));
        assert_eq!(shrunk(&heat, 1, 4), [6.0, 7.0, 8.0, 9.0].map(Some));
        let gaps = Heat::of("C", 2, 2, [f64::NAN, 1.0, f64::NAN, f64::NAN]);
        assert_eq!(shrunk(&gaps, 2, 1), [Some(1.0), None]);
        assert_eq!(shrunk(&Heat::of("C", 0, 0, []), 0, 0), []);
    }
}
