//! Two painters for one scene: pixels and SVG.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use plotters::backend::BitMapBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{PathElement, Polygon};
use plotters::prelude::{DrawingBackend, RGBColor, SVGBackend, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, TextStyle};

use super::palette::{self, Rgb};
use super::scene::{Anchor, Ink, Place, Scene, Shape, Text};
use super::text::FONT;
use super::{PlotError, Style};

/// What an SVG asks for: our font, else another with the same widths.
const SVG_FAMILY: &str = "Hack, DejaVu Sans Mono, Menlo, monospace";

/// plotters writes an SVG font size of 1 / 1.24 of what it is told.
const SVG_SIZE: f64 = 1.24;

/// Half the height of capitals over the font size.
const HALF_CAPITAL: f64 = 0.36;

/// The scene as SVG text.
pub(super) fn svg(scene: &Scene, style: Style) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let area =
            SVGBackend::with_string(&mut text, (scene.width, scene.height)).into_drawing_area();
        area.fill(&rgb(palette::color(Ink::Paper, style))).map_err(refused)?;
        for shape in &scene.shapes {
            match shape {
                Shape::Text(words) => svg_text(&area, words, style)?,
                shape => draw(&area, shape, style, 1.0)?,
            }
        }
        area.present().map_err(refused)?;
    }
    Ok(text)
}

/// The scene as the bytes of a PNG file that carries `notes` as text.
pub(super) fn png(
    scene: &Scene,
    style: Style,
    notes: &[(&str, &str)],
) -> Result<Vec<u8>, PlotError> {
    let pixels = pixels(scene, style)?;
    encode(&pixels, (scene.width, scene.height), notes)
}

/// The scene as red, green and blue, row by row.
pub(super) fn pixels(scene: &Scene, style: Style) -> Result<Vec<u8>, PlotError> {
    let (width, height) = (scene.width, scene.height);
    // Shapes are drawn larger and averaged, which smooths every edge; beyond
    // some size the pixels are small enough by themselves.
    let fine = if u64::from(width) * u64::from(height) > 8_000_000 { 1 } else { 3 };
    let mut large = vec![0; (width * fine) as usize * (height * fine) as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut large, (width * fine, height * fine))
            .into_drawing_area();
        area.fill(&rgb(palette::color(Ink::Paper, style))).map_err(refused)?;
        for shape in &scene.shapes {
            draw(&area, shape, style, f64::from(fine))?;
        }
        area.present().map_err(refused)?;
    }
    let mut pixels = averaged(&large, width as usize, height as usize, fine as usize);
    let font = FontRef::try_from_slice(FONT).map_err(|error| PlotError::Draw(error.to_string()))?;
    for shape in &scene.shapes {
        if let Shape::Text(words) = shape {
            draw_text(&mut pixels, (width, height), &font, words, style);
        }
    }
    Ok(pixels)
}

/// Draws anything but text, `fine` times as large.
fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    shape: &Shape,
    style: Style,
    fine: f64,
) -> Result<(), PlotError> {
    let pixel = |place: &Place| ((place.0 * fine).round() as i32, (place.1 * fine).round() as i32);
    match shape {
        Shape::Line { places, ink, width } => {
            let style = ShapeStyle {
                color: rgb(palette::color(*ink, style)).to_rgba(),
                filled: false,
                stroke_width: (width * fine).round().max(1.0) as u32,
            };
            let path = PathElement::new(places.iter().map(pixel).collect::<Vec<_>>(), style);
            area.draw(&path).map_err(refused)
        }
        Shape::Area { places, ink, alpha } => {
            let style = rgb(palette::color(*ink, style)).mix(*alpha).filled();
            let corners: Vec<_> = places.iter().map(pixel).collect();
            area.draw(&Polygon::new(corners, style)).map_err(refused)
        }
        Shape::Text(_) => Ok(()),
    }
}

fn svg_text<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    text: &Text,
    style: Style,
) -> Result<(), PlotError> {
    let horizontal = match text.anchor {
        Anchor::Left => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::Right => HPos::Right,
    };
    // `VPos::Center` lowers the baseline by half the height of an x (0.27 em);
    // half a capital is a little more.
    let lower = (HALF_CAPITAL - 0.27) * text.size;
    let color = rgb(palette::color(text.ink, style));
    let style = TextStyle::from((SVG_FAMILY, text.size * SVG_SIZE).into_font())
        .color(&color)
        .pos(Pos::new(horizontal, VPos::Center));
    let at = (text.at.0.round() as i32, (text.at.1 + lower).round() as i32);
    area.draw_text(&text.words, &style, at).map_err(refused)
}

/// Draws words at fractions of a pixel, which plotters' own text cannot.
fn draw_text(
    pixels: &mut [u8],
    (width, height): (u32, u32),
    font: &FontRef<'_>,
    text: &Text,
    style: Style,
) {
    let units_per_em = font.units_per_em().unwrap_or(2048.0);
    // ab_glyph scales by the height between ascent and descent, not by the em.
    let scale = PxScale::from(text.size as f32 * font.height_unscaled() / units_per_em);
    let scaled = font.as_scaled(scale);
    let (left, ..) = text.bounds();
    let (red, green, blue) = palette::color(text.ink, style);
    let ink = [red, green, blue];
    let mut x = left as f32;
    let baseline = (text.at.1 + HALF_CAPITAL * text.size).round() as f32;
    for letter in text.words.chars() {
        let id = font.glyph_id(letter);
        let glyph = Glyph { id, scale, position: point(x, baseline) };
        x += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, coverage| {
            let (px, py) = (corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy));
            if (0..i64::from(width)).contains(&px) && (0..i64::from(height)).contains(&py) {
                let at = (py as usize * width as usize + px as usize) * 3;
                if let Some(pixel) = pixels.get_mut(at..at + 3) {
                    for (channel, ink) in pixel.iter_mut().zip(ink) {
                        let mixed = f32::from(*channel)
                            + (f32::from(ink) - f32::from(*channel)) * coverage.min(1.0);
                        *channel = mixed.round() as u8;
                    }
                }
            }
        });
    }
}

/// Each pixel as the mean of the `fine` by `fine` larger ones.
fn averaged(large: &[u8], width: usize, height: usize, fine: usize) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(width * height * 3);
    let mut sums = vec![0u32; width * 3];
    let count = (fine * fine) as u32;
    for rows in large.chunks_exact(width * fine * 3 * fine).take(height) {
        sums.fill(0);
        for row in rows.chunks_exact(width * fine * 3) {
            for (sum, block) in sums.chunks_exact_mut(3).zip(row.chunks_exact(fine * 3)) {
                for pixel in block.chunks_exact(3) {
                    for (sum, channel) in sum.iter_mut().zip(pixel) {
                        *sum += u32::from(*channel);
                    }
                }
            }
        }
        pixels.extend(sums.iter().map(|sum| ((sum + count / 2) / count) as u8));
    }
    pixels
}

fn encode(
    pixels: &[u8],
    (width, height): (u32, u32),
    notes: &[(&str, &str)],
) -> Result<Vec<u8>, PlotError> {
    let failed = |error: png::EncodingError| PlotError::Draw(error.to_string());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    for (name, note) in notes {
        encoder.add_itxt_chunk((*name).to_owned(), (*note).to_owned()).map_err(failed)?;
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

fn rgb((red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

#[allow(clippy::needless_pass_by_value)] // as `map_err` hands it over
fn refused<E: std::fmt::Display>(error: E) -> PlotError {
    PlotError::Draw(error.to_string())
}
