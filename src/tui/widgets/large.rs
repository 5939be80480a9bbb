//! Letters of several cells, for a projector.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use tui_big_text::{BigText, PixelSize};

use crate::tui::widgets::ui::Ui;

/// Letters of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Letters {
    pixels: PixelSize,
    /// Columns of a letter.
    pub(crate) wide: u16,
    /// Rows of a letter.
    pub(crate) high: u16,
}

impl Letters {
    /// Columns of the largest letters.
    pub(crate) const LARGEST: u16 = 8;

    /// Letters for values and axes: four cells wide and high. `None` in ASCII, which has no
    /// parts of a cell: there whole cells make the smallest letters, of eight by eight.
    pub(crate) fn labels(ascii: bool) -> Option<Self> {
        (!ascii).then_some(Self { pixels: PixelSize::Quadrant, wide: 4, high: 4 })
    }

    /// Letters for the headline: the largest that leave most of the rows to the chart and
    /// in which `text` fits into the columns.
    pub(crate) fn headline(text: &str, columns: u16, rows: u16, ascii: bool) -> Option<Self> {
        let full = Self { pixels: PixelSize::Full, wide: 8, high: 8 };
        let half = Self { pixels: PixelSize::HalfHeight, wide: 8, high: 4 };
        let fits = |it: &Self| it.width(text) <= columns && rows >= 6 * it.high;
        let sizes = if ascii { vec![full] } else { vec![full, half] };
        let small = Self::labels(ascii).filter(|it| it.width(text) <= columns);
        sizes.into_iter().find(fits).or(small)
    }

    /// Columns of a text.
    pub(crate) fn width(self, text: &str) -> u16 {
        (text.chars().count() as u16).saturating_mul(self.wide)
    }

    /// How many letters fit into a number of columns.
    pub(crate) fn fitting(self, columns: u16) -> u16 {
        columns / self.wide
    }

    /// Writes a text, as much as fits into `room` columns; returns the column after it.
    pub(crate) fn write(
        self,
        ui: &mut Ui,
        at: (u16, u16),
        room: u16,
        text: &str,
        style: Style,
    ) -> u16 {
        let (x, y) = at;
        let most = usize::from(self.fitting(room));
        let shown: String = if text.chars().count() > most {
            text.chars().take(most.saturating_sub(1)).chain(['.']).collect()
        } else {
            text.to_owned()
        };
        let width = self.width(&shown);
        let area = Rect::new(x, y, width, self.high).intersection(ui.buffer.area);
        let big = BigText::builder()
            .pixel_size(self.pixels)
            .style(style)
            .lines(vec![shown.into()])
            .build();
        big.render(area, ui.buffer);
        x + width
    }
}
