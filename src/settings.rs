//! What is kept between starts: the settings file, and where it and stored runs
//! belong on this platform.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::experiment::Experiment;

/// Names the settings file, or `none`, where `--config` does not.
pub const CONFIG_VARIABLE: &str = "WARPSCOPE_CONFIG";

/// Names the folder of stored runs, or `none`, where `--out` does not.
pub const RUNS_VARIABLE: &str = "WARPSCOPE_RUNS";

/// What is kept between starts. Everything is optional: what is missing is as the
/// program has it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Colours: `dark`, `light` or `high-contrast`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
    /// Whether only ASCII characters are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ascii: Option<bool>,
    /// Whether the mouse is listened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mouse: Option<bool>,
    /// Whether things on the screen may move by themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// How many times as fast as they were measured replays go; 0 at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_speed: Option<f64>,
    /// Whether charts are pixels where the terminal shows pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pictures: Option<Pictures>,
    /// The dots that curves are made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dots: Option<Dots>,
    /// Whether times are end to end, where the user chose: host stages and copies count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_to_end: Option<bool>,
    /// Whether the hints of the first launch are over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tour_done: Option<bool>,
    /// What the form held last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<Experiment>,
}

/// A theme as the file names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Light text on near-black.
    #[default]
    Dark,
    /// Dark text on near-white.
    Light,
    /// White and pure hues on black.
    HighContrast,
}

/// How the chart and the preview of an export appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Pictures {
    /// As pixels in terminals that are known to show them.
    #[default]
    Auto,
    /// As characters.
    Off,
    /// As pixels by the protocol of kitty.
    Kitty,
    /// As pixels by the protocol of iTerm2.
    Iterm2,
    /// As pixels by sixel.
    Sixel,
}

/// The dots that curves are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dots {
    /// Eight round dots in a cell, which nearly every font has.
    #[default]
    Braille,
    /// Six blocks in a cell: fonts with Unicode 13.
    Sextant,
    /// Eight blocks in a cell: fonts with Unicode 16.
    Octant,
}

impl Dots {
    /// The next ones, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Braille => Self::Sextant,
            Self::Sextant => Self::Octant,
            Self::Octant => Self::Braille,
        }
    }
}

/// How much the screen moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// The screen follows a run live.
    #[default]
    Full,
    /// Nothing blinks; a run is redrawn once a second.
    Reduced,
}

/// Why settings or answers are not what a file says, or were not kept.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The file is not understood.
    #[error(
        "{}{} is not understood ({reason}); fix or delete it. Until then it stays as it is, and \
         {what} are not kept",
        path.display(),
        line.map(|line| format!(":{line}")).unwrap_or_default()
    )]
    Broken {
        /// What it has: settings, answers.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// What is wrong.
        reason: String,
    },
    /// The operating system refused to read it.
    #[error("cannot read the {what} in {}: {source}", path.display())]
    Read {
        /// What it has.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to write it.
    #[error("cannot keep {what} in {}: {source}; --config names another file", path.display())]
    Write {
        /// What it has.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Maximum length of a file that is read, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;

/// Where something is kept: what was asked for, else what the variable says, else
/// what the platform suggests. `none`, or a platform without a home, is nowhere.
fn place(asked: Option<&str>, variable: &str, platform: Option<PathBuf>) -> Option<PathBuf> {
    let set = std::env::var(variable).ok().filter(|value| !value.is_empty());
    match asked.map(str::to_owned).or(set).as_deref() {
        Some("none") => None,
        Some(path) => Some(path.into()),
        None => platform,
    }
}

/// The settings file: `warpscope/config.toml` in the platform's folder for
/// configuration.
pub fn file(asked: Option<&str>) -> Option<PathBuf> {
    let platform = etcetera::choose_base_strategy().ok();
    let platform = platform.map(|it| it.config_dir().join("warpscope").join("config.toml"));
    place(asked, CONFIG_VARIABLE, platform)
}

/// The folder of stored runs: `warpscope/runs` in the platform's folder for data.
pub fn runs(asked: Option<&str>) -> Option<PathBuf> {
    let platform = etcetera::choose_base_strategy().ok();
    let platform = platform.map(|it| it.data_dir().join("warpscope").join("runs"));
    place(asked, RUNS_VARIABLE, platform)
}

/// What a file says; that all is as the program has it where there is no file.
///
/// # Errors
/// If it is there and cannot be read or understood.
pub fn read(path: &Path) -> Result<Settings, KeptError> {
    Ok(read_as(path, "settings")?.unwrap_or_default())
}

/// What a TOML file of `what` says; `None` if there is none.
///
/// # Errors
/// If it is there and cannot be read or understood.
pub fn read_as<T: DeserializeOwned>(
    path: &Path,
    what: &'static str,
) -> Result<Option<T>, KeptError> {
    let failed = |source| KeptError::Read { what, path: path.to_owned(), source };
    let broken = |line, reason: &str| KeptError::Broken {
        what,
        path: path.to_owned(),
        line,
        reason: reason.to_owned(),
    };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    // A folder is refused when it is read; a pipe or a device could go on for ever.
    if file.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
        return Err(broken(None, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(broken(None, "it has more than 1 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| broken(None, "it is not UTF-8 text"))?;
    let read = toml::from_str(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        broken(line, &error.message().trim().replace('\n', ", "))
    })?;
    Ok(Some(read))
}

/// Writes the file whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, settings: &Settings) -> Result<(), KeptError> {
    write_as(path, settings, "settings")
}

/// Writes a TOML file of `what` whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write_as(path: &Path, value: &impl Serialize, what: &'static str) -> Result<(), KeptError> {
    let failed = |source| KeptError::Write { what, path: path.to_owned(), source };
    let text = toml::to_string_pretty(value).map_err(|error| failed(io::Error::other(error)))?;
    replace(path, &text).map_err(failed)
}

/// Writes a text file whole or not at all, with the folders above it.
///
/// # Errors
/// If it cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // A link is followed, so that what it points at is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = target.with_extension(format!("toml.{}.new", std::process::id()));
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, &target)).inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_a_file_and_leave_nothing_else_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/config.toml");
        assert_eq!(read(&path).unwrap(), Settings::default());
        let mut experiment = Experiment::default();
        experiment.params.insert(
            "bins".to_owned(),
            vec![crate::experiment::ParamValue::Int(64), crate::experiment::ParamValue::Int(8)],
        );
        let settings = Settings {
            theme: Some(Theme::HighContrast),
            ascii: Some(true),
            mouse: Some(false),
            motion: Some(Motion::Reduced),
            replay_speed: Some(0.1),
            pictures: Some(Pictures::Off),
            dots: Some(Dots::Octant),
            end_to_end: Some(true),
            tour_done: Some(true),
            experiment: Some(experiment),
        };
        for _ in 0..2 {
            write(&path, &settings).unwrap();
            assert_eq!(read(&path).unwrap(), settings);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("theme = \"high-contrast\""), "{text}");
        assert!(text.contains("sizes = \"2^10..2^22\""), "{text}");
    }

    #[test]
    fn a_broken_file_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        for (text, line, part) in [
            ("ascii = true\ntheme = \"pink\"\n", ":2 ", "pink"),
            ("\n\nthem = \"dark\"\n", ":3 ", "them"),
            ("ascii = \n", ":1 ", "config.toml"),
        ] {
            fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(line) && error.contains(part), "{error}");
            assert!(error.contains("fix or delete"), "{error}");
        }
    }

    #[test]
    fn what_is_asked_for_counts_before_the_platform() {
        let platform = || Some(PathBuf::from("/home/me/.config/warpscope/config.toml"));
        let none = "WARPSCOPE_NO_SUCH_VARIABLE";
        assert_eq!(place(Some("x.toml"), none, platform()), Some("x.toml".into()));
        assert_eq!(place(Some("none"), none, platform()), None);
        assert_eq!(place(None, none, platform()), platform());
        assert_eq!(place(None, none, None), None);
    }
}
