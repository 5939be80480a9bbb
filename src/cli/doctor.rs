//! `warpscope doctor`: what works on this machine, and how to fix what does not.
//! Facts are gathered first, then judged.

mod facts;
mod findings;

use std::env;
use std::io::Write;

use clap::Args;
use findings::{Finding, Level};

use super::{Cli, Exit};
use crate::results::record::PROGRAM;

/// Check this machine.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope doctor")]
pub struct Doctor {}

pub(super) fn run(cli: &Cli, out: &mut impl Write) -> anyhow::Result<Exit> {
    writeln!(out, "{PROGRAM} on {} {}\n", env::consts::OS, env::consts::ARCH)?;
    // Queries to the terminal come after what is written so far.
    out.flush()?;
    let findings = findings::of(&facts::gather(cli.config.as_deref(), cli.out.as_deref()));
    for Finding { level, name, text, advice } in &findings {
        writeln!(out, "{:<7}  {name:<13} {text}", level.word())?;
        if let Some(advice) = advice {
            writeln!(out, "{:<23}-> {advice}", "")?;
        }
    }
    let bad = findings.iter().any(|finding| finding.level == Level::Bad);
    Ok(if bad { Exit::Wrong } else { Exit::Fine })
}
