//! `warpscope doctor`: what works on this machine, and what to do about what
//! does not.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::thread;

use super::{Exit, devices};
use crate::backend;
use crate::experiment::{BackendChoice, Experiment, Sizes, Target};
use crate::measurement::{Outcome, PROGRAM};
use crate::session::{self, Control, Event, Options};

/// What came of one check.
enum Finding {
    /// It works; the details.
    Good(String),
    /// It is not there, and need not be; what to do to have it.
    Missing(String),
    /// It should work and does not; what to do about it.
    Bad(String),
}

pub(super) fn run(out: &mut impl Write) -> anyhow::Result<Exit> {
    writeln!(out, "{PROGRAM} on {} {}\n", env::consts::OS, env::consts::ARCH)?;
    let mut bad = false;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut checks = vec![
        ("CPU", Finding::Good(format!("{cores} cores, all used by the emulator"))),
        ("emulator", trial(BackendChoice::Emulator)),
    ];
    match backend::cuda_devices() {
        Ok(list) => {
            let named = |device| format!("device {}", devices::line(device).trim_start());
            let lines: Vec<String> = list.iter().map(named).collect();
            checks.push(("CUDA driver", Finding::Good(lines.join("; "))));
            checks.push(("CUDA kernels", trial(BackendChoice::Cuda)));
        }
        Err(reason) => checks.push(("CUDA driver", Finding::Missing(reason.to_string()))),
    }
    checks.push(("terminal", terminal()));
    checks.push(("characters", characters()));
    checks.push(("colours", colours()));
    for (name, finding) in checks {
        let (mark, text) = match &finding {
            Finding::Good(text) => ("ok     ", text),
            Finding::Missing(text) => ("missing", text),
            Finding::Bad(text) => ("BAD    ", text),
        };
        bad |= matches!(finding, Finding::Bad(_));
        writeln!(out, "{mark}  {name:<13} {text}")?;
    }
    Ok(if bad { Exit::Wrong } else { Exit::Fine })
}

/// Runs every variant once, from loading the PTX to comparing the result.
fn trial(backend: BackendChoice) -> Finding {
    let experiment = Experiment {
        sizes: Sizes::range(1000, 1000, 2),
        target: Target { backend, ..Target::default() },
        ..Experiment::default()
    };
    let (mut verified, mut troubles) = (Vec::new(), Vec::new());
    let ended = session::run(&experiment, &Options::default(), &Control::new(), &mut |event| {
        if let Event::Finished { record, .. } = event {
            let variant = format!("{} {}", record.algorithm, record.variant);
            match (record.outcome(), &record.skip, &record.wrong) {
                (Outcome::Verified, ..) => verified.push(variant),
                (_, Some(reason), _) => troubles.push(format!("{variant}: {reason}")),
                (.., Some(wrong)) => troubles.push(format!("{variant}: {}", wrong.message)),
                _ => troubles.push(format!("{variant}: not verified")),
            }
        }
    });
    match ended {
        Err(error) => Finding::Bad(format!("{error}")),
        Ok(_) if !troubles.is_empty() => Finding::Bad(troubles.join("; ")),
        Ok(_) if verified.is_empty() => Finding::Bad("no case ended".to_owned()),
        Ok(_) => Finding::Good(format!("PTX loads, runs and verifies ({})", verified.join(", "))),
    }
}

fn terminal() -> Finding {
    if !io::stdout().is_terminal() {
        return Finding::Missing(
            "standard output is not a terminal; the commands work, the screens need one".to_owned(),
        );
    }
    match crossterm::terminal::size() {
        Ok((width, height)) if width >= 80 && height >= 24 => {
            Finding::Good(format!("{width}x{height}"))
        }
        Ok((0, _) | (_, 0)) => Finding::Missing(
            "the terminal does not tell its size; the screens need 80x24 (try `stty size`)"
                .to_owned(),
        ),
        Ok((width, height)) => {
            Finding::Missing(format!("{width}x{height}; the screens need 80x24, enlarge it"))
        }
        Err(error) => Finding::Missing(format!("does not tell its size ({error})")),
    }
}

fn characters() -> Finding {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    match locale {
        Some(locale) if is_utf8(&locale) => Finding::Good(format!("UTF-8 ({locale})")),
        Some(locale) => Finding::Missing(format!(
            "the locale {locale} is not UTF-8; the screens use ASCII (set LANG=C.UTF-8)"
        )),
        None => Finding::Missing(
            "no locale is set; the screens use ASCII (set LANG=C.UTF-8)".to_owned(),
        ),
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn colours() -> Finding {
    let set = |name: &str| env::var(name).is_ok_and(|value| !value.is_empty());
    let term = env::var("TERM").unwrap_or_default();
    if set("NO_COLOR") {
        Finding::Good("off, as NO_COLOR asks".to_owned())
    } else if env::var("COLORTERM").is_ok_and(|value| value == "truecolor" || value == "24bit") {
        Finding::Good("16 million".to_owned())
    } else if term.contains("256color") {
        Finding::Good("256".to_owned())
    } else if term.is_empty() || term == "dumb" {
        Finding::Missing(format!("TERM is `{term}`; set it to what the terminal is"))
    } else {
        Finding::Good(format!("16 (TERM is {term})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_are_told_apart() {
        for (locale, utf8) in
            [("C.UTF-8", true), ("de_DE.utf8", true), ("C", false), ("de_DE.ISO-8859-1", false)]
        {
            assert_eq!(is_utf8(locale), utf8, "{locale}");
        }
    }
}
