//! The steps of a warp as text, a line each.

use std::fmt::Write;

use super::{End, TraceFile};
use crate::units::text::line;
use crate::work::trace::{Moment, lanes_in_words};

/// A listing: a head of a few lines, then a line per step with its number, source line,
/// active lanes, instruction, the registers that it changed, and what it costs where that is
/// more than one instruction.
pub fn text(file: &TraceFile) -> String {
    let mut page = head(file);
    let source = file.steps.iter().find_map(|step| step.place.source.as_ref());
    let (name, column) = match source {
        Some((name, _)) => (name.as_str(), "line"),
        None => ("the PTX", "line"),
    };
    let _ = writeln!(page, "lines are those of {}", line(name));
    let _ = writeln!(
        page,
        "\n{:>7} {column:>6} {:>5}  {:<28} what happens",
        "step", "lanes", "instruction"
    );
    let mut parted = 0;
    for (number, moment) in (file.first..).zip(&file.steps) {
        if moment.active != parted && parted != 0 {
            let _ = writeln!(page, "        -- {}", lanes_in_words(moment.active));
        }
        parted = moment.active;
        let _ = writeln!(page, "{}", row(number, moment));
    }
    page.push_str(&tail(file));
    page
}

fn head(file: &TraceFile) -> String {
    let [x, y, z] = file.block;
    format!(
        "{} · block ({x}, {y}, {z}), warp {} of {} · {} step{} of the warp, {} of the block\n",
        line(&file.kernel),
        file.warp,
        file.warps,
        file.warp_steps,
        if file.warp_steps == 1 { "" } else { "s" },
        file.block_steps
    )
}

fn row(number: usize, moment: &Moment) -> String {
    let word = line(&moment.place.word).into_owned();
    let indent = "  ".repeat(usize::from(moment.depth.min(8)));
    let word = format!("{indent}{word}");
    let text = format!(
        "{number:>7} {:>6} {:>5}  {word:<28} {}",
        moment.place.line(),
        moment.active.count_ones(),
        line(&happens(moment))
    );
    text.trim_end().to_owned()
}

/// What the step changes, and what it costs.
fn happens(moment: &Moment) -> String {
    let lanes = if moment.executing == 0 { moment.active } else { moment.executing };
    let written = moment.values.iter().filter(|value| value.written);
    let values: Vec<String> = written
        .filter(|_| moment.executing != 0)
        .map(|value| {
            let source = value.source.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
            format!("{}{source} = {}", value.name, value.in_words(lanes))
        })
        .collect();
    let mut text = values.join(", ");
    let special = moment.access.is_some()
        || moment.parting.is_some()
        || moment.goes_on.is_some()
        || moment.barrier.is_some()
        || moment.trap.is_some()
        || moment.printed.is_some()
        || moment.executing == 0;
    if special {
        if !text.is_empty() {
            text.push_str(" · ");
        }
        text.push_str(&moment.sentence);
        if let Some(printed) = &moment.printed {
            let lines: Vec<String> = printed.lines().map(|it| format!("`{it}`")).collect();
            text.push_str(&format!(" {}", lines.join(" ")));
        }
    }
    text
}

fn tail(file: &TraceFile) -> String {
    let mut text = String::new();
    let end = file.first + file.steps.len();
    if end < file.warp_steps {
        let left = file.warp_steps - end;
        let s = if left == 1 { "" } else { "s" };
        let _ = writeln!(text, "… {left} more step{s}: --steps {end}..{}", file.warp_steps);
    }
    match &file.ending {
        End::Finished => {}
        End::Trapped { trap } => {
            let _ = writeln!(text, "the block trapped: {}", line(&trap.to_string()));
        }
        End::MemoryLimit => {
            let _ = writeln!(
                text,
                "the recording stops here: it reached its limit of 64 MiB after {} steps of the \
                 block, which goes on",
                file.block_steps
            );
        }
    }
    text
}
