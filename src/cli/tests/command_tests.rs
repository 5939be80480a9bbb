//! The commands under figures, read by the real command line.

use std::collections::BTreeSet;

use super::*;
use crate::algorithms::{self, Algorithm};
use crate::cli::plot::Plot;
use crate::experiment::Case;
use crate::figure::tune::Tune;
use crate::figure::{self, Beside, Choice, Time, XAxis, YAxis};
use crate::results::record::Record;
use crate::runner::plan;
use crate::tui::recording;
use crate::work::Limits;

/// Limits that no case meets.
const LIMITS: Limits = Limits {
    compute_capability: 90,
    threads_per_block: 1024,
    shared_per_block: u32::MAX,
    registers_per_sm: 65_536,
    memory: u64::MAX,
    cuda: None,
};

/// What commands do, as printed in lines of `most` characters: the cases that their sweeps
/// run, and what they draw.
fn read(commands: &str, most: usize) -> (BTreeSet<String>, Option<Plot>) {
    let lines = figure::wrapped(commands, most).unwrap();
    assert!(lines.iter().all(|line| line.chars().count() <= most), "{lines:?}");
    let script = lines.join("\n").replace("\\\n", "");
    let (mut cases, mut drawn) = (BTreeSet::new(), None);
    for line in script.lines() {
        let words = shell_words::split(line).unwrap();
        match Cli::try_parse_from(&words).unwrap_or_else(|error| panic!("{line}: {error}")).command
        {
            Some(Command::Sweep(sweep)) => {
                let experiment = sweep.axes.experiment().unwrap();
                let plan = plan::plan(&experiment, &LIMITS).unwrap();
                cases.extend(plan.cases().map(|planned| identity(&planned.case)));
            }
            Some(Command::Plot(plot)) => drawn = Some(plot),
            other => panic!("{line}: read as {other:?}"),
        }
    }
    (cases, drawn)
}

fn identity(case: &Case) -> String {
    format!("{case} {:?} {} {}", case.params, case.dist, case.seed)
}

fn cases(records: &[Record]) -> BTreeSet<String> {
    records.iter().map(|record| identity(&record.case())).collect()
}

/// Figures that a user may look at: every variant with one launch, one variant with all,
/// and two variants with launches of their own.
fn selections(algorithm: &dyn Algorithm) -> Vec<Vec<Record>> {
    let all = recording::records(algorithm.name());
    let first = all.first().unwrap();
    let same_input = |it: &&Record| it.params == first.params && it.dist == first.dist;
    let all: Vec<Record> = all.iter().filter(same_input).cloned().collect();
    let of = |keep: &dyn Fn(&Record) -> bool| -> Vec<Record> {
        all.iter().filter(|record| keep(record)).cloned().collect()
    };
    let launch = |it: &Record| (it.block, it.coarsen);
    let variants = algorithm.variants().iter().map(|it| it.name);
    let mut recorded = variants.filter(|name| all.iter().any(|it| it.variant == *name));
    let last = recorded.next_back().unwrap();
    let other = all.iter().rfind(|it| it.variant == last).unwrap();
    vec![
        of(&|it| launch(it) == launch(first)),
        of(&|it| it.variant == first.variant && it.n == first.n),
        of(&|it| {
            it.variant == first.variant && launch(it) == launch(first)
                || it.variant == last && launch(it) == launch(other)
        }),
    ]
}

#[test]
fn the_commands_of_a_figure_run_its_cases_and_no_others() {
    for algorithm in algorithms::ALL {
        for records in selections(*algorithm) {
            assert!(!records.is_empty(), "{}", algorithm.name());
            let figure = figure::build(&records, Choice::default());
            for most in [60, 100, 400] {
                let (swept, _) = read(&figure.command, most);
                assert_eq!(swept, cases(&records), "{}", figure.command);
            }
        }
    }
}

#[test]
fn the_plot_command_asks_for_the_axes_of_the_figure() {
    let records = &selections(algorithms::find("scan").unwrap())[0];
    for x in [XAxis::N, XAxis::Block, XAxis::Coarsen] {
        for y in YAxis::ALL {
            for (log_x, log_y) in [(true, true), (true, false), (false, true), (false, false)] {
                for time in [Time::Kernels, Time::EndToEnd] {
                    let choice = Choice { x, y, time, log_x, log_y };
                    let figure = figure::build(records, choice);
                    let plot = read(&figure.command, 80).1.unwrap();
                    let chosen = crate::cli::plot::choice(&plot, records);
                    assert_eq!(chosen, choice, "{}", figure.command);
                }
            }
        }
    }
}

#[test]
fn a_baseline_is_in_the_plot_command_where_it_can_be_said() {
    let records = &selections(algorithms::find("histogram").unwrap())[0];
    let choice = Choice { y: YAxis::Speedup, ..Choice::default() };
    let curve = figure::Curve {
        of: records.iter().find(|it| it.variant == "shared").unwrap().clone(),
        run: None,
        label: "shared".to_owned(),
    };
    let chosen = figure::Baseline::Curve(Box::new(curve));
    let beside = Beside { baseline: Some(&chosen), ..Beside::default() };
    let figure = figure::build_beside(records, choice, beside).unwrap();
    let baseline = read(&figure.command, 80).1.unwrap().baseline.unwrap();
    assert_eq!((baseline.key.as_str(), baseline.value.as_str()), ("variant", "shared"));
}

#[test]
fn the_commands_of_a_map_fill_it_and_draw_it() {
    let records = &selections(algorithms::find("histogram").unwrap())[1];
    let map = Tune::of(records, Time::Kernels).unwrap();
    let (swept, plot) = read(&map.command, 70);
    assert_eq!(swept, cases(records));
    assert_eq!(plot.unwrap().view, crate::cli::plot::View::Tune);
}
