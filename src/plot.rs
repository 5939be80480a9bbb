//! From a [`Figure`] to a picture: PNG or SVG, the same layout in both.
//!
//! The figure is first laid out as a scene of plain shapes, purely; then
//! one of two painters puts the scene on paper. Nothing outside this room
//! knows plotters.

mod layout;
mod legend;
mod paint;
mod palette;
mod scene;
mod text;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::figure::Figure;

/// Width and height of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    width: u32,
    height: u32,
}

impl Size {
    /// Smallest width and height in which title, axes and legend are legible.
    pub const LEAST: (u32, u32) = (480, 320);
    /// Largest width and height.
    pub const MOST: u32 = 8192;

    /// A size of at least [`Size::LEAST`] and at most [`Size::MOST`] either way.
    pub fn new(width: u32, height: u32) -> Result<Self, PlotError> {
        let (least_width, least_height) = Self::LEAST;
        if (least_width..=Self::MOST).contains(&width)
            && (least_height..=Self::MOST).contains(&height)
        {
            Ok(Self { width, height })
        } else {
            Err(PlotError::Size(format!("{width}x{height}")))
        }
    }

    /// Width in pixels.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(self) -> u32 {
        self.height
    }
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 1600, height: 1000 }
    }
}

impl FromStr for Size {
    type Err = PlotError;

    /// Reads `1600x1000`.
    fn from_str(text: &str) -> Result<Self, PlotError> {
        let bad = || PlotError::Size(text.trim().to_owned());
        let (width, height) = text.trim().split_once(['x', 'X', '×']).ok_or_else(bad)?;
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| bad());
        Self::new(number(width)?, number(height)?).map_err(|_| bad())
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}x{}", self.width, self.height))
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// A size that is malformed, too small or too large.
    #[error(
        "size `{0}`: write WIDTHxHEIGHT in pixels, as in 1600x1000, from {least} to {most}x{most}",
        least = format_args!("{}x{}", Size::LEAST.0, Size::LEAST.1),
        most = Size::MOST
    )]
    Size(String),
    /// The file name does not say which format is wanted.
    #[error("{}: the name must end in .png or .svg", .0.display())]
    Format(PathBuf),
    /// The file could not be written.
    #[error("cannot write {}; name a file in a folder that exists and can be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The drawing library or the encoder refused.
    #[error("cannot draw the figure: {0}")]
    Draw(String),
}

/// The picture formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Pixels.
    Png,
    /// Shapes and text.
    Svg,
}

impl Format {
    /// The format that the name of `path` asks for.
    pub fn of(path: &Path) -> Result<Self, PlotError> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("svg") => Ok(Self::Svg),
            _ => Err(PlotError::Format(path.to_owned())),
        }
    }
}

/// Writes `figure` to `path` as PNG or SVG, whichever its name says.
pub fn write(figure: &Figure, size: Size, path: &Path) -> Result<(), PlotError> {
    let bytes = match Format::of(path)? {
        Format::Png => png(figure, size)?,
        Format::Svg => svg(figure, size)?.into_bytes(),
    };
    std::fs::write(path, bytes).map_err(|source| PlotError::Write { path: path.to_owned(), source })
}

/// `figure` as the bytes of a PNG file, which also carries title and command
/// as text.
pub fn png(figure: &Figure, size: Size) -> Result<Vec<u8>, PlotError> {
    let scene = layout::lay_out(figure, size);
    paint::png(&scene, &[("Title", &figure.title), ("Description", &figure.command)])
}

/// `figure` as the text of an SVG file.
pub fn svg(figure: &Figure, size: Size) -> Result<String, PlotError> {
    paint::svg(&layout::lay_out(figure, size))
}

#[cfg(test)]
mod tests;
