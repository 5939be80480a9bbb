//! A picture as pixels, and those in the cells of a terminal: two pixels in
//! each, one above the other.

/// A picture as pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue; row by row.
    pub rgb: Vec<u8>,
}

/// The colours of a cell: its upper and its lower half.
pub type Halves = [(u8, u8, u8); 2];

impl Pixels {
    /// Columns and rows of cells that hold it undistorted, at most so many. A
    /// cell is taken for twice as high as wide.
    pub fn fit(&self, columns: u16, rows: u16) -> (u16, u16) {
        let (width, height) = (f64::from(self.width.max(1)), f64::from(self.height.max(1)));
        let scale = (f64::from(columns) / width).min(f64::from(rows) * 2.0 / height);
        let cells =
            |pixels: f64, most: u16| (pixels.round() as u16).clamp(u16::from(most > 0), most);
        (cells(width * scale, columns), cells(height * scale / 2.0, rows))
    }

    /// The cells, row by row: each half is the mean of the pixels that it covers.
    pub fn cells(&self, columns: u16, rows: u16) -> Vec<Vec<Halves>> {
        let half = |column: u16, line: u16| {
            let part = |at: u16, of: u16, all: u32| {
                (u32::from(at) * all / u32::from(of), (u32::from(at) + 1) * all / u32::from(of))
            };
            let (left, right) = part(column, columns, self.width);
            let (top, bottom) = part(line, rows * 2, self.height);
            self.mean((left, top), (right.max(left + 1), bottom.max(top + 1)))
        };
        (0..rows)
            .map(|row| {
                (0..columns)
                    .map(|column| [half(column, 2 * row), half(column, 2 * row + 1)])
                    .collect()
            })
            .collect()
    }

    fn mean(&self, (left, top): (u32, u32), (right, bottom): (u32, u32)) -> (u8, u8, u8) {
        let (mut sums, mut count) = ([0u32; 3], 0u32);
        for y in top..bottom.min(self.height) {
            let row = (y * self.width) as usize;
            let pixels = row + left as usize..row + right.min(self.width) as usize;
            let bytes = self.rgb.get(pixels.start * 3..pixels.end * 3).unwrap_or_default();
            for pixel in bytes.chunks_exact(3) {
                for (sum, channel) in sums.iter_mut().zip(pixel) {
                    *sum += u32::from(*channel);
                }
                count += 1;
            }
        }
        let [red, green, blue] = sums.map(|sum| (sum / count.max(1)) as u8);
        (red, green, blue)
    }
}

/// The one of the 256 colours of terminals, from 16 on, that is nearest.
pub fn indexed((red, green, blue): (u8, u8, u8)) -> u8 {
    let channels = [red, green, blue].map(i32::from);
    let apart = |colour: [i32; 3]| -> i32 {
        colour.iter().zip(channels).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let step = |value: i32| if value < 48 { 0 } else { ((value - 35) / 40).min(5) };
    let level = |step: i32| if step == 0 { 0 } else { 55 + 40 * step };
    let steps = channels.map(step);
    let mean = channels.iter().sum::<i32>() / 3;
    let grey = ((mean - 3) / 10).clamp(0, 23);
    if apart([8 + 10 * grey; 3]) < apart(steps.map(level)) {
        (232 + grey) as u8
    } else {
        (16 + 36 * steps[0] + 6 * steps[1] + steps[2]) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_means_and_the_shape_is_kept() {
        let rgb = (0..8 * 4).flat_map(|at| if at % 8 < 4 { [0; 3] } else { [200; 3] }).collect();
        let pixels = Pixels { width: 8, height: 4, rgb };
        assert_eq!(pixels.fit(100, 2), (8, 2));
        assert_eq!(pixels.fit(4, 100), (4, 1));
        let cells = pixels.cells(2, 1);
        assert_eq!(cells, [[[(0, 0, 0); 2], [(200, 200, 200); 2]]]);
        assert_eq!(pixels.cells(1, 1), [[[(100, 100, 100); 2]]]);
        assert_eq!(pixels.cells(16, 4).len(), 4, "more cells than pixels");
        assert_eq!(pixels.fit(0, 0), (0, 0));
    }

    #[test]
    fn the_nearest_colour_of_a_terminal() {
        for (rgb, index) in [
            ((0, 0, 0), 16),
            ((255, 255, 255), 231),
            ((128, 128, 128), 244),
            ((255, 0, 0), 196),
            ((95, 135, 175), 67),
        ] {
            assert_eq!(indexed(rgb), index, "{rgb:?}");
        }
    }
}
