//! The inside of a chart as pixels, for terminals that show them: curves, bands and markers
//! without axes, which the screen draws with letters.

use super::chart::Chart;
use super::frame::Frame;
use super::layout::{Page, Rect};
use super::palette;
use super::scene::{Ink, Scene};
use super::{Pixels, PlotError, Style, paint};
use crate::figure::{Figure, Tick};

/// A part of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Inside {
    /// The figure.
    pub figure: Figure,
    /// The values at the left and right edge.
    pub x: (f64, f64),
    /// The values at the lower and upper edge.
    pub y: (f64, f64),
    /// Where the crosshair is.
    pub cross: Option<f64>,
    /// Index of the curve that stands out.
    pub lit: Option<usize>,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Height of a cell of the terminal in pixels, which sizes markers and lines.
    pub cell: u32,
    /// The ground.
    pub style: Style,
    /// Red, green and blue of the terminal's ground.
    pub ground: (u8, u8, u8),
}

/// Draws it.
///
/// # Errors
/// If the drawing library refuses.
pub fn plot(inside: &Inside) -> Result<Pixels, PlotError> {
    let (width, height) = inside.size;
    let rect = Rect { left: 0.0, top: 0.0, right: f64::from(width), bottom: f64::from(height) };
    let body = f64::from(inside.cell).max(8.0);
    let mut page = Page::blank(rect, body);
    let figure = &inside.figure;
    let frame = Frame::bare(rect, (&figure.x, inside.x), (&figure.y, inside.y), body);
    let hair = (body * 0.06).max(1.0);
    let most = (rect.height() / (body * 3.0)) as usize;
    for Tick { value, .. } in figure.y.ticks(inside.y, most.clamp(2, 8)) {
        if let Some((_, y)) = frame.place(inside.x.0, value) {
            page.line(vec![(0.0, y), (rect.right, y)], Ink::Grid, hair);
        }
    }
    if let Some((x, _)) = inside.cross.and_then(|x| frame.place(x, inside.y.0)) {
        page.line(vec![(x, 0.0), (x, rect.bottom)], Ink::Frame, hair);
    }
    let chart = Chart { figure, frame, body: body * 0.9, lit: inside.lit };
    chart.bands(&mut page);
    chart.curves(&mut page);
    let scene = Scene { width, height, shapes: page.shapes };
    let mut rgb = paint::pixels(&scene, inside.style)?;
    let paper = palette::color(Ink::Paper, inside.style);
    let (red, green, blue) = inside.ground;
    for pixel in rgb.chunks_exact_mut(3) {
        if pixel == [paper.0, paper.1, paper.2] {
            pixel.copy_from_slice(&[red, green, blue]);
        }
    }
    Ok(Pixels { width, height, rgb })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::figure;
    use super::*;

    fn inside(x: (f64, f64)) -> Inside {
        let figure = figure(2);
        let y = figure.y_range();
        let (cross, lit) = (None, None);
        let (size, cell, ground) = ((300, 200), 16, (1, 2, 3));
        Inside { figure, x, y, cross, lit, size, cell, style: Style::Dark, ground }
    }

    #[test]
    fn the_inside_has_curves_on_the_ground_of_the_terminal() {
        let whole = inside(figure(2).x_range());
        let pixels = plot(&whole).unwrap();
        assert_eq!((pixels.width, pixels.height, pixels.rgb.len()), (300, 200, 300 * 200 * 3));
        let count = |pixels: &Pixels, wanted: (u8, u8, u8)| {
            let wanted = [wanted.0, wanted.1, wanted.2];
            pixels.rgb.chunks_exact(3).filter(|pixel| *pixel == wanted).count()
        };
        let hues = [0, 1].map(|hue| palette::color(Ink::Tint(hue, 0), Style::Dark));
        assert!(hues.into_iter().all(|hue| count(&pixels, hue) > 100));
        assert!(count(&pixels, (1, 2, 3)) > 20_000);
        assert_eq!(count(&pixels, palette::color(Ink::Paper, Style::Dark)), 0);
        // A lit curve is thicker; zoomed in, curves go on to the edges and no farther.
        let lit = plot(&Inside { lit: Some(0), ..whole.clone() }).unwrap();
        assert!(count(&lit, hues[0]) > count(&pixels, hues[0]));
        let zoomed = plot(&inside((f64::from(1 << 14), f64::from(1 << 16)))).unwrap();
        let edge = |column: usize| {
            let rows = zoomed.rgb.chunks_exact(300 * 3);
            rows.filter(|row| row[column * 3..column * 3 + 3] != [1, 2, 3]).count()
        };
        assert!(edge(0) > 0 && edge(299) > 0);
    }
}
