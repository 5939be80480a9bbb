//! A picture in the place of a generated pattern: any PNG, read as grey levels.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use png::{ColorType, Decoder, DecodingError, Limits, Transformations};
use sha2::{Digest, Sha256};

use super::surface::LONGEST;

/// Fewest pixels along each edge: a couple of periods of a few pixels.
const SHORTEST: u32 = 16;

/// Most pixels of a picture, so that decoding it stays below a gigabyte.
const MOST_PIXELS: u64 = 1 << 26;

/// Most bytes of a file, which is more than such a picture takes uncompressed.
const MOST_BYTES: u64 = 1 << 29;

/// How every PNG begins.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Hex digits of the SHA-256 that stand for a file, as for PTX.
const DIGITS: usize = 16;

/// The grey levels that a case computes with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels along each edge.
    pub side: u32,
    /// Grey levels from 0, black, to 255, row by row.
    pub pixels: Vec<i16>,
    /// First 16 hex digits of the SHA-256 of the file.
    pub sha256: String,
}

/// Why a file cannot be the input.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// There is no such file.
    #[error("there is no file {}; check the name, which counts from the folder of the process that reads it", .0.display())]
    Missing(PathBuf),
    /// A folder, a pipe or a device.
    #[error("{} is not a regular file; name a PNG", .0.display())]
    NotAFile(PathBuf),
    /// The operating system refused to read it.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something else than a PNG.
    #[error("{} is not a PNG; convert it, for example with `magick {} picture.png`", .0.display(), .0.display())]
    NotPng(PathBuf),
    /// A PNG that ends too early or contradicts itself.
    #[error("{} is a broken PNG ({reason}); save or copy it again", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        reason: String,
    },
    /// Too much to decode.
    #[error("{} is too large ({what}, at most {most}); scale it down or cut a part out", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large.
        what: String,
        /// The limit.
        most: String,
    },
    /// Too little to find a period in.
    #[error("{} has {width} x {height} pixels; a pattern needs {SHORTEST} x {SHORTEST} or more to repeat in", path.display())]
    TooSmall {
        /// The file.
        path: PathBuf,
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
}

/// The picture that was read last. The cases of a sweep share one, and each asks
/// for it twice.
static LAST: Mutex<Option<Arc<Picture>>> = Mutex::new(None);

/// The picture in the file at `path`, whose SHA-256 begins with `sha256`.
pub fn same(path: &str, sha256: &str) -> Result<Arc<Picture>, String> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(picture) = last.as_ref().filter(|picture| picture.sha256 == sha256) {
        return Ok(Arc::clone(picture));
    }
    let picture = read(Path::new(path)).map_err(|error| {
        format!(
            "cannot make the input: {error} (a worker on another machine needs the same file \
             under the same name)"
        )
    })?;
    if picture.sha256 != sha256 {
        return Err(format!(
            "cannot make the input: {path} is not the picture that was chosen (its SHA-256 begins \
             with {}, not {sha256}); choose it again to run with what it holds now",
            picture.sha256
        ));
    }
    Ok(Arc::clone(last.insert(Arc::new(picture))))
}

/// Reads the PNG at `path`.
pub fn read(path: &Path) -> Result<Picture, PictureError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => PictureError::Missing(path.to_owned()),
        _ => PictureError::Read { path: path.to_owned(), source },
    };
    // Asked before it is opened: opening a pipe would wait for its other end.
    let metadata = path.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(PictureError::NotAFile(path.to_owned()));
    }
    if metadata.len() > MOST_BYTES {
        return Err(PictureError::TooLarge {
            path: path.to_owned(),
            what: format!("{} bytes", metadata.len()),
            most: MOST_BYTES.to_string(),
        });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
        .map_err(failed)?;
    decode(&bytes, path)
}

/// The picture in the bytes of a PNG; `path` is for errors.
///
/// Any colour type and bit depth: colours count by how bright they look
/// (ITU-R BT.601), transparent parts as if on white paper, 16 bits by their upper
/// 8. Of a picture that is no square or has edges longer than 1024 pixels, the
/// middle counts.
pub fn decode(bytes: &[u8], path: &Path) -> Result<Picture, PictureError> {
    if !bytes.starts_with(SIGNATURE) {
        return Err(PictureError::NotPng(path.to_owned()));
    }
    let broken = |error: DecodingError| match error {
        DecodingError::LimitsExceeded => PictureError::TooLarge {
            path: path.to_owned(),
            what: "it takes more memory than it may".to_owned(),
            most: format!("{MOST_BYTES} bytes"),
        },
        // The reader is over bytes in memory: the file ends too early.
        DecodingError::IoError(_) => {
            PictureError::Broken { path: path.to_owned(), reason: "it ends too early".to_owned() }
        }
        error => PictureError::Broken { path: path.to_owned(), reason: error.to_string() },
    };
    let limits = Limits { bytes: MOST_BYTES as usize };
    let mut decoder = Decoder::new_with_limits(BufReader::new(Cursor::new(bytes)), limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    let header = decoder.read_header_info().map_err(broken)?;
    let (width, height) = (header.width, header.height);
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(PictureError::TooLarge {
            path: path.to_owned(),
            what: format!("{width} x {height} pixels"),
            most: format!("{MOST_PIXELS} in all"),
        });
    }
    if width.min(height) < SHORTEST {
        return Err(PictureError::TooSmall { path: path.to_owned(), width, height });
    }
    let mut reader = decoder.read_info().map_err(broken)?;
    let size = reader.output_buffer_size().unwrap_or(usize::MAX);
    if size as u64 > MOST_BYTES {
        return Err(broken(DecodingError::LimitsExceeded));
    }
    let mut decoded = vec![0; size];
    let frame = reader.next_frame(&mut decoded).map_err(broken)?;

    let side = width.min(height).min(LONGEST);
    let channels = match frame.color_type {
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        // Palettes are expanded; what is left is one level per pixel.
        ColorType::Grayscale | ColorType::Indexed => 1,
    };
    let (left, top) = (((width - side) / 2) as usize, ((height - side) / 2) as usize);
    let row = |row: usize| {
        let start = (row * width as usize + left) * channels;
        &decoded[start..start + side as usize * channels]
    };
    let pixels = (top..top + side as usize)
        .flat_map(|at| row(at).chunks_exact(channels).map(grey))
        .collect();
    Ok(Picture { side, pixels, sha256: hash(bytes) })
}

/// How bright one pixel looks, on white where it is transparent.
fn grey(pixel: &[u8]) -> i16 {
    let luma = |red: u8, green: u8, blue: u8| {
        (299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue) + 500) / 1000
    };
    let over = |level: u32, alpha: u8| {
        let alpha = u32::from(alpha);
        (level * alpha + 255 * (255 - alpha) + 127) / 255
    };
    (match *pixel {
        [level, alpha] => over(level.into(), alpha),
        [red, green, blue] => luma(red, green, blue),
        [red, green, blue, alpha] => over(luma(red, green, blue), alpha),
        _ => pixel.first().copied().unwrap_or_default().into(),
    }) as i16
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    let mut hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(DIGITS);
    hex
}

#[cfg(test)]
mod tests;
