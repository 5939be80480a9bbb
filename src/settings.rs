//! What is kept between starts: the settings file, and where it and stored runs
//! belong on this platform.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
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

/// Why settings are not what the file says, or were not kept.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file is not one of settings.
    #[error(
        "{}{} is not understood ({reason}); mend or delete it, until then it stays as it is and \
         settings are not kept",
        path.display(),
        line.map(|line| format!(":{line}")).unwrap_or_default()
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1, where that is known.
        line: Option<usize>,
        /// What is wrong.
        reason: String,
    },
    /// The operating system refused to read it.
    #[error("cannot read the settings in {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to write it.
    #[error("cannot keep settings in {}: {source}; --config names another file", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

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
pub fn read(path: &Path) -> Result<Settings, SettingsError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Settings::default()),
        Err(source) => return Err(SettingsError::Read { path: path.to_owned(), source }),
    };
    toml::from_str(&text).map_err(|error| SettingsError::Broken {
        path: path.to_owned(),
        line: error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.matches('\n').count() + 1),
        reason: error.message().trim().replace('\n', ", "),
    })
}

/// Writes the file whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, settings: &Settings) -> Result<(), SettingsError> {
    let failed = |source| SettingsError::Write { path: path.to_owned(), source };
    let text = toml::to_string_pretty(settings).map_err(|error| failed(io::Error::other(error)))?;
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
            assert!(error.contains("mend or delete"), "{error}");
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
