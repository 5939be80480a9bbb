//! Lines of curves: full, dashed or thin, by where their numbers come from.

use super::palette;
use super::scene::{Place, Shape};
use crate::figure::pen::{Pen, Stroke};

/// Dash and gap over the width of the line.
const DASH: (f64, f64) = (5.0, 3.5);

/// The line of a curve through `places`, `width` pixels wide where it is full.
pub(super) fn line(places: &[Place], pen: Pen, width: f64) -> Vec<Shape> {
    let ink = palette::ink(pen);
    let width = if pen.muted { width * 0.7 } else { width };
    let piece = |places: Vec<Place>, width| Shape::Line { places, ink, width };
    match pen.stroke {
        _ if places.len() < 2 => Vec::new(),
        Stroke::Solid => vec![piece(places.to_vec(), width)],
        Stroke::Thin => vec![piece(places.to_vec(), (width * 0.4).max(1.0))],
        Stroke::Dashed => {
            let dashes = dashes(places, DASH.0 * width, DASH.1 * width);
            dashes.into_iter().map(|places| piece(places, width)).collect()
        }
    }
}

/// The parts of the line through `places` that dashes of `on` pixels cover, with `off` pixels
/// between them. A dash goes on around a corner.
fn dashes(places: &[Place], on: f64, off: f64) -> Vec<Vec<Place>> {
    let mut dashes: Vec<Vec<Place>> = Vec::new();
    let (mut drawing, mut left) = (true, on);
    let mut dash: Vec<Place> = places.first().copied().into_iter().collect();
    for pair in places.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let mut at = 0.0;
        while length - at > left {
            at += left;
            let place = (x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length);
            dash.push(place);
            if drawing {
                dashes.push(std::mem::take(&mut dash));
            }
            dash = vec![place];
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= length - at;
        dash.push((x1, y1));
    }
    if drawing && dash.len() > 1 {
        dashes.push(dash);
    }
    dashes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_and_go_around_corners() {
        let places = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)];
        let dashes = dashes(&places, 4.0, 3.0);
        let first = vec![(0.0, 0.0), (4.0, 0.0)];
        let around = vec![(7.0, 0.0), (10.0, 0.0), (10.0, 1.0)];
        assert_eq!(dashes, [first, around, vec![(10.0, 4.0), (10.0, 8.0)]]);
        assert!(super::dashes(&[(1.0, 1.0)], 4.0, 3.0).is_empty());
        // A dash longer than the line is the line.
        assert_eq!(super::dashes(&places, 99.0, 3.0), [places.to_vec()]);
    }
}
