//! From a [`Picture`] to a PNG or SVG file, with the same layout in both.
//!
//! A pure function lays the picture out as a scene of plain shapes; one of two
//! painters draws the scene. Only this room uses plotters.

mod chart;
mod frame;
pub mod inline;
mod ladder;
mod layout;
mod legend;
mod marks;
mod output;
mod paint;
mod palette;
mod plot;
mod roofline;
mod scene;
mod small;
mod step;
mod stroke;
mod svg;
mod text;
mod tune;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::figure::Picture;

pub use inline::Way;
pub use plot::{Inside, plot};
pub use small::{Halves, Pixels, indexed};

/// Width and height of a picture in pixels, the size of its letters, and how much text it
/// carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    width: u32,
    height: u32,
    /// Size of the letters in percent of what the size of the picture suggests.
    letters: u32,
    wording: Wording,
}

/// How much text a picture carries. All of it is in the file's description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Wording {
    /// Title, settings, provenance, commands.
    #[default]
    Full,
    /// The same in few lines, without commands: the text around it says more.
    Brief,
    /// Neither title nor commands.
    Bare,
    /// As [`Wording::Bare`], for a narrow column: all letters of one size, and the legend above.
    Narrow,
}

/// Sizes with a name: what they are for, width, height, letters in percent, text.
const NAMED: [(&str, u32, u32, u32, Wording); 3] = [
    ("screen", 1600, 1000, 100, Wording::Full),
    ("slide", 1920, 1080, 140, Wording::Full),
    ("column", 1400, 1050, 165, Wording::Brief),
];

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
            Ok(Self { width, height, ..Self::default() })
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

    /// The same size without title and commands.
    pub fn bare(self) -> Self {
        Self { wording: Wording::Bare, ..self }
    }

    /// A picture for the page of a phone: on a screen of 360 pixels, whose page leaves 326 to
    /// it, letters are 12 pixels high.
    pub fn phone() -> Self {
        Self { width: 480, height: 640, letters: 285, wording: Wording::Narrow }
    }

    /// Whether the text around it has title and commands.
    fn is_bare(self) -> bool {
        matches!(self.wording, Wording::Bare | Wording::Narrow)
    }

    /// Size of the letters, 1 for what the size of the picture suggests.
    fn letters(self) -> f64 {
        f64::from(self.letters) / 100.0
    }

    /// The sizes that have a name, with it: a full screen or page, a slide that
    /// is read from afar, a column of a paper.
    pub fn named() -> impl Iterator<Item = (&'static str, Self)> {
        NAMED.into_iter().map(|(name, width, height, letters, wording)| {
            (name, Self { width, height, letters, wording })
        })
    }
}

impl Default for Size {
    fn default() -> Self {
        Self { width: 1600, height: 1000, letters: 100, wording: Wording::Full }
    }
}

impl FromStr for Size {
    type Err = PlotError;

    /// Reads `1600x1000`, or one of the names of [`Size::named`].
    fn from_str(text: &str) -> Result<Self, PlotError> {
        if let Some((_, size)) = Self::named().find(|(name, _)| *name == text.trim()) {
            return Ok(size);
        }
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

/// The ground that a picture is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Style {
    /// Dark on white, for paper.
    #[default]
    Light,
    /// Light on near-black, for slides.
    Dark,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// A size that is malformed, too small or too large.
    #[error(
        "size `{0}`: write WIDTHxHEIGHT in pixels, as in 1600x1000, from {least} to {most}x{most}, or \
         screen, slide or column",
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

/// Writes `picture` to `path` as PNG or SVG, whichever its name says.
pub fn write(picture: &Picture, size: Size, style: Style, path: &Path) -> Result<(), PlotError> {
    let bytes = match Format::of(path)? {
        Format::Png => png(picture, size, style)?,
        Format::Svg => svg(picture, size, style)?.into_bytes(),
    };
    std::fs::write(path, bytes).map_err(|source| PlotError::Write { path: path.to_owned(), source })
}

/// `picture` as the bytes of a PNG file, which also carries title and command
/// as text.
pub fn png(picture: &Picture, size: Size, style: Style) -> Result<Vec<u8>, PlotError> {
    let scene = layout::lay_out(picture, size);
    let words = picture.words();
    paint::png(&scene, style, &[("Title", words.title), ("Description", words.command)])
}

/// `picture` as pixels.
pub fn pixels(picture: &Picture, size: Size, style: Style) -> Result<Pixels, PlotError> {
    let rgb = paint::pixels(&layout::lay_out(picture, size), style)?;
    Ok(Pixels { width: size.width, height: size.height, rgb })
}

/// `picture` as the text of an SVG file.
pub fn svg(picture: &Picture, size: Size, style: Style) -> Result<String, PlotError> {
    let drawn = paint::svg(&layout::lay_out(picture, size), style)?;
    Ok(svg::with_words(&drawn, picture, None))
}

/// `picture` as an element of an HTML page, in the light style, which
/// [`dark_rules`] turn into the dark one. `id` is used by no other element.
pub fn element(picture: &Picture, size: Size, id: &str) -> Result<String, PlotError> {
    let drawn = paint::svg(&layout::lay_out(picture, size), Style::Light)?;
    Ok(svg::with_words(&drawn, picture, Some(id)))
}

/// CSS that turns what [`element`] draws into the dark style, inside the
/// elements that `selector` names.
pub fn dark_rules(selector: &str) -> String {
    svg::dark_rules(selector)
}

#[cfg(test)]
mod tests;
