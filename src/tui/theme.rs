//! Colours, emphasis and markers: three themes, one without colour, and the
//! replacement of every symbol for terminals that only have ASCII.

use ratatui::style::{Color, Modifier, Style};

use crate::figure::pen::{HUES, Pen, SHAPES, Stroke, TINTS};
pub use crate::settings::Theme as Name;

pub mod ascii;

impl Name {
    /// The one after this, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::HighContrast,
            Self::HighContrast => Self::Dark,
        }
    }

    /// Its name as shown.
    pub fn text(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high contrast",
        }
    }
}

/// How everything on the screen is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Theme {
    /// Whether there is colour at all.
    pub colour: bool,
    /// Plain text, and the background of everything.
    pub base: Style,
    /// Text that may be overlooked.
    pub dim: Style,
    /// Frames of panels that do not have the focus.
    pub frame: Style,
    /// Frame of the panel with the focus.
    pub focus: Style,
    /// Titles and headings.
    pub title: Style,
    /// The field or button that keys act on.
    pub selected: Style,
    /// Keys, buttons and the crosshair.
    pub accent: Style,
    /// Grid lines of the chart.
    pub grid: Style,
    /// Verified.
    pub good: Style,
    /// Worth a look: skips, reservations.
    pub warn: Style,
    /// Wrong.
    pub bad: Style,
    /// Bars of the bins.
    pub bars: Style,
    series: [[Color; TINTS]; HUES],
    muted: Color,
    shades: [Color; SHADES],
}

/// Shades that a heat map tells apart.
pub const SHADES: usize = 9;

/// Shades without colour, the darker the denser.
const CHARACTERS: [&str; SHADES] = [".", ":", "-", "=", "+", "*", "#", "%", "@"];

/// Markers in the order of the exported pictures: filled for a time that a GPU took, hollow
/// for a prediction, small for a published time, with a dot for the next curves of a variant
/// whose lightnesses are all taken.
const MARKERS: [Marker; SHAPES] = [
    Marker { filled: "▲", hollow: "△", small: "▴", dotted: "◬" },
    Marker { filled: "●", hollow: "○", small: "•", dotted: "◉" },
    Marker { filled: "■", hollow: "□", small: "▪", dotted: "▣" },
    Marker { filled: "◆", hollow: "◇", small: "⋄", dotted: "◈" },
    Marker { filled: "▼", hollow: "▽", small: "▾", dotted: "▼" },
    Marker { filled: "✚", hollow: "┼", small: "+", dotted: "✜" },
    Marker { filled: "✖", hollow: "╳", small: "×", dotted: "✖" },
    Marker { filled: "★", hollow: "☆", small: "⋆", dotted: "✪" },
];

/// The forms of one marker.
struct Marker {
    filled: &'static str,
    hollow: &'static str,
    small: &'static str,
    dotted: &'static str,
}

impl Theme {
    /// The colours of a theme, or none of them. Only the 256 colours that
    /// nearly every terminal has are used; the series have the hues of the
    /// exported pictures (Okabe and Ito's), as light or dark as the background
    /// needs.
    pub fn new(name: Name, colour: bool) -> Self {
        if !colour {
            return Self::plain();
        }
        let [text, back, dim, frame, accent, grid, good, warn, bad, bars] = match name {
            Name::Dark => [252, 233, 246, 240, 80, 236, 114, 221, 209, 67],
            Name::Light => [235, 255, 241, 249, 24, 253, 22, 94, 124, 67],
            Name::HighContrast => [231, 16, 252, 250, 226, 240, 46, 226, 203, 39],
        };
        let series: [[u8; TINTS]; HUES] = match name {
            Name::Dark => [
                [75, 153, 32],
                [209, 223, 166],
                [78, 157, 35],
                [176, 225, 133],
                [117, 195, 38],
                [214, 229, 136],
                [250, 231, 245],
            ],
            Name::Light => [
                [25, 17, 68],
                [166, 88, 52],
                [29, 22, 234],
                [132, 90, 53],
                [31, 23, 17],
                [130, 58, 236],
                [238, 244, 232],
            ],
            Name::HighContrast => [
                [81, 195, 32],
                [208, 223, 166],
                [46, 34, 28],
                [213, 225, 133],
                [123, 44, 30],
                [226, 178, 100],
                [231, 250, 244],
            ],
        };
        let muted = match name {
            Name::Dark => 243,
            Name::Light => 246,
            Name::HighContrast => 242,
        };
        // Viridis: lightness rises in even steps, so that equal differences look equal, for every
        // colour vision and without colour. The same in every theme and in pictures, so that the
        // high end is the bright one everywhere.
        let shades: [u8; SHADES] = [53, 55, 24, 61, 30, 36, 77, 184, 227];
        let back = Color::Indexed(back);
        let ink = |index: u8| Style::new().fg(Color::Indexed(index)).bg(back);
        Self {
            colour: true,
            base: ink(text),
            dim: ink(dim),
            frame: ink(frame),
            focus: ink(accent),
            title: ink(text).add_modifier(Modifier::BOLD),
            selected: Style::new().fg(back).bg(Color::Indexed(accent)).add_modifier(Modifier::BOLD),
            accent: ink(accent),
            grid: ink(grid),
            good: ink(good),
            warn: ink(warn),
            bad: ink(bad).add_modifier(Modifier::BOLD),
            bars: ink(bars),
            series: series.map(|tints| tints.map(Color::Indexed)),
            muted: Color::Indexed(muted),
            shades: shades.map(Color::Indexed),
        }
    }

    /// No colour: emphasis by weight, selection by reversal.
    fn plain() -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        Self {
            colour: false,
            base: plain,
            dim: plain.add_modifier(Modifier::DIM),
            frame: plain.add_modifier(Modifier::DIM),
            focus: bold,
            title: bold,
            selected: plain.add_modifier(Modifier::REVERSED),
            accent: bold,
            grid: plain.add_modifier(Modifier::DIM),
            good: plain,
            warn: bold,
            bad: plain.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            bars: plain,
            series: [[Color::Reset; TINTS]; HUES],
            muted: Color::Reset,
            shades: [Color::Reset; SHADES],
        }
    }

    /// Colour of the variant with this place in the registry.
    pub fn series(&self, variant: usize) -> Color {
        self.pen(Pen::of_variant(variant))
    }

    /// Colour of a curve.
    pub fn pen(&self, pen: Pen) -> Color {
        if pen.muted { self.muted } else { self.series[pen.hue()][pen.lightness()] }
    }

    /// Markers and names of a curve: its colour, or dim without one.
    pub fn curve(&self, pen: Pen) -> Style {
        let style = Style::new().fg(self.pen(pen)).bg(self.background());
        if pen.muted && !self.colour { style.add_modifier(Modifier::DIM) } else { style }
    }

    /// Colour, and character where there is none, of a value from 0 (lowest) to
    /// 1 (highest).
    pub fn shade(&self, value: f64) -> (Color, &'static str) {
        let level = (value.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize;
        (self.shades[level], CHARACTERS[level])
    }

    /// Text on the colour of a value from 0 to 1: black or white, whichever
    /// stands out more.
    pub fn on_shade(&self, value: f64) -> Style {
        let (colour, _) = self.shade(value);
        let ink = match colour {
            Color::Indexed(index) if luminance(index) > 0.18 => Color::Indexed(16),
            Color::Indexed(_) => Color::Indexed(231),
            _ => return self.base,
        };
        Style::new().fg(ink).bg(colour)
    }

    /// Text on the heat of a line from 0 to 1, among lines without any: what is hot stands out
    /// from the ground.
    pub fn on_heat(&self, value: f64) -> Style {
        let is_light = matches!(self.background(), Color::Indexed(index) if luminance(index) > 0.5);
        self.on_shade(if is_light { 1.0 - value } else { value })
    }

    /// The background.
    pub fn background(&self) -> Color {
        self.base.bg.unwrap_or(Color::Reset)
    }

    /// Marker of a curve.
    pub fn marker(pen: Pen) -> &'static str {
        let marker = &MARKERS[pen.shape()];
        match pen.stroke {
            Stroke::Dashed => marker.hollow,
            Stroke::Thin => marker.small,
            Stroke::Solid if pen.dotted() => marker.dotted,
            Stroke::Solid => marker.filled,
        }
    }
}

/// Red, green and blue of one of the 256 colours, 16 to 255.
pub fn rgb(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + 10 * (index - 232);
        return (grey, grey, grey);
    }
    let cube = index.saturating_sub(16);
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
}

/// Relative luminance (WCAG 2) of one of the 256 colours, 16 to 255.
fn luminance(index: u8) -> f64 {
    let (red, green, blue) = rgb(index);
    let channels = [red, green, blue];
    let [red, green, blue] = channels.map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn luminance(colour: Color) -> f64 {
        let Color::Indexed(index) = colour else { panic!("{colour:?}") };
        assert!(index >= 16, "the first 16 colours differ between terminals");
        crate::tui::theme::luminance(index)
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_series_stand_out_from_the_background() {
        for name in [Name::Dark, Name::Light, Name::HighContrast] {
            let theme = Theme::new(name, true);
            let least = if name == Name::HighContrast { 7.0 } else { 4.5 };
            // WCAG 2: 4.5 for text (1.4.3), 3 for what has to be seen beside it (1.4.11).
            for style in [
                theme.base,
                theme.dim,
                theme.title,
                theme.accent,
                theme.good,
                theme.warn,
                theme.bad,
            ] {
                let found = contrast(style.fg.unwrap(), theme.background());
                assert!(found >= least, "{name:?} {style:?}: {found:.2}");
            }
            let selected = contrast(theme.selected.fg.unwrap(), theme.selected.bg.unwrap());
            assert!(selected >= least, "{name:?} selected: {selected:.2}");
            for style in [theme.focus, theme.bars] {
                let found = contrast(style.fg.unwrap(), theme.background());
                assert!(found >= 3.0, "{name:?} {style:?}: {found:.2}");
            }
            for (variant, tint) in (0..HUES).flat_map(|hue| (0..TINTS).map(move |it| (hue, it))) {
                let pen = Pen { tint, ..Pen::of_variant(variant) };
                let found = contrast(theme.pen(pen), theme.background());
                assert!(found >= 3.0, "{name:?} series {variant} tint {tint}: {found:.2}");
            }
            let muted = contrast(theme.muted, theme.background());
            assert!((2.5..5.0).contains(&muted), "{name:?}: grey curves recede: {muted:.2}");
        }
    }

    #[test]
    fn text_stands_out_on_every_shade() {
        for name in [Name::Dark, Name::Light, Name::HighContrast] {
            let theme = Theme::new(name, true);
            for level in 0..SHADES {
                let style = theme.on_shade(level as f64 / (SHADES - 1) as f64);
                let found = contrast(style.fg.unwrap(), style.bg.unwrap());
                assert!(found >= 4.5, "{name:?} {level}: {found:.2}");
            }
        }
    }

    /// Lightness of CIE L*a*b*, 0 to 100.
    fn lightness(colour: Color) -> f64 {
        let luminance = luminance(colour);
        if luminance > 216.0 / 24389.0 {
            116.0 * luminance.cbrt() - 16.0
        } else {
            luminance * 24389.0 / 27.0
        }
    }

    #[test]
    fn curves_of_one_variant_differ_in_lightness() {
        for name in [Name::Dark, Name::Light, Name::HighContrast] {
            for tints in Theme::new(name, true).series {
                let mut found = tints.map(lightness);
                found.sort_by(f64::total_cmp);
                let steps = [found[1] - found[0], found[2] - found[1]];
                assert!(steps.iter().all(|step| *step >= 9.0), "{name:?} {tints:?}: {found:.0?}");
            }
        }
    }

    #[test]
    fn markers_say_variant_and_provenance() {
        let mut seen: Vec<&str> = Vec::new();
        for (stroke, variant) in [Stroke::Solid, Stroke::Dashed, Stroke::Thin]
            .into_iter()
            .flat_map(|stroke| (0..SHAPES).map(move |variant| (stroke, variant)))
        {
            let marker = Theme::marker(Pen { stroke, ..Pen::of_variant(variant) });
            assert!(!seen.contains(&marker), "{marker}");
            seen.push(marker);
        }
        let of = |variant, tint| Theme::marker(Pen { tint, ..Pen::of_variant(variant) });
        assert_eq!([of(1, 0), of(1, TINTS), of(1, 2 * TINTS)], ["●", "◉", "●"]);
    }

    #[test]
    fn shades_change_lightness_in_steps_that_look_alike() {
        for name in [Name::Dark, Name::Light, Name::HighContrast] {
            let steps: Vec<f64> = Theme::new(name, true)
                .shades
                .windows(2)
                .map(|pair| lightness(pair[1]) - lightness(pair[0]))
                .collect();
            for step in &steps {
                assert!((6.0..=14.5).contains(step), "{name:?}: {steps:.1?}");
            }
        }
    }

    #[test]
    fn the_scale_is_one_and_heat_stands_out_from_the_ground() {
        let themes = [Name::Dark, Name::Light, Name::HighContrast].map(|it| Theme::new(it, true));
        for theme in themes {
            assert_eq!(theme.shade(1.0), themes[0].shade(1.0));
            let ground = theme.background();
            let [cold, hot] = [0.0, 1.0].map(|heat| theme.on_heat(heat).bg.unwrap());
            assert!(contrast(hot, ground) > contrast(cold, ground));
        }
    }

    #[test]
    fn a_shade_is_the_nearest_and_stays_in_range() {
        let theme = Theme::new(Name::Dark, true);
        assert_eq!(theme.shade(-1.0).1, ".");
        assert_eq!(theme.shade(0.5).1, "+");
        assert_eq!((theme.shade(7.0).1, theme.shade(f64::NAN).1), ("@", "."));
    }

    #[test]
    fn without_colour_nothing_is_coloured_and_selection_shows() {
        let theme = Theme::new(Name::Dark, false);
        for style in [theme.base, theme.dim, theme.focus, theme.selected, theme.bad, theme.bars] {
            assert_eq!((style.fg, style.bg), (None, None));
        }
        assert!(theme.selected.add_modifier.contains(Modifier::REVERSED));
    }
}
