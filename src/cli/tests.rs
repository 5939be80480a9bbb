#![allow(clippy::unwrap_used)]

use clap::{CommandFactory, Parser};

mod command_tests;

use super::axes::Axes;
use super::*;
use crate::experiment::{BackendChoice, Distribution, Experiment, ParamValue};

fn sweep(arguments: &str) -> Result<Axes, clap::Error> {
    let words = ["warpscope", "sweep", "-o", "x.jsonl"].into_iter();
    match Cli::try_parse_from(words.chain(arguments.split_whitespace()))?.command {
        Some(Command::Sweep(sweep)) => Ok(sweep.axes),
        other => panic!("read as {other:?}"),
    }
}

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn every_option_of_the_documentation_is_read() {
    let axes = sweep(
        "histogram --variant global,shared --block 32,64,128 --coarsen 1,4 -n 2^10..2^24:x4 \
         --bins 256,1Ki --set binning=modulo,range --dist zipf:1.2 --seed 9 --gpu GTX",
    );
    let experiment = axes.unwrap().apply(Experiment::default()).unwrap();
    assert_eq!(experiment.variants, ["global", "shared"]);
    assert_eq!(
        experiment.blocks.iter().map(|block| block.get()).collect::<Vec<_>>(),
        [32, 64, 128]
    );
    assert_eq!(experiment.coarsenings, [1, 4]);
    assert_eq!(experiment.sizes.to_string(), "2^10..2^24:x4");
    assert_eq!(experiment.params["bins"], [ParamValue::Int(256), ParamValue::Int(1024)]);
    let words = ["modulo", "range"].map(|word| ParamValue::Word(word.to_owned()));
    assert_eq!(experiment.params["binning"], words);
    assert_eq!(experiment.dist, Distribution::Zipf(1.2));
    assert_eq!(experiment.seed, 9);
    assert_eq!(experiment.target.gpu.as_deref(), Some("GTX"));
    assert_eq!(experiment.target.backend, BackendChoice::Emulator, "a profile is the emulator's");
}

#[test]
fn what_is_not_given_stays_as_it_was() {
    let base = Experiment { seed: 3, ..Experiment::default() };
    assert_eq!(sweep("histogram").unwrap().apply(base.clone()).unwrap(), base);
    let experiment = sweep("histogram --variant all").unwrap().apply(base).unwrap();
    assert!(experiment.variants.is_empty(), "no name means every variant");
}

#[test]
fn options_that_exclude_each_other_say_so() {
    let apply = |text| sweep(text).unwrap().apply(Experiment::default());
    let error = |text| apply(text).unwrap_err().to_string();
    assert!(error("h --backend cuda --gpu T4").contains("use `--backend emulator`"));
    assert!(error("h --backend emulator --device 1").contains("use `--backend cuda`"));
    assert_eq!(apply("h --device 1").unwrap().target.backend, BackendChoice::Cuda);
    assert!(error("h --device 1 --gpu T4").contains("use one of them"));
}

#[test]
fn bad_values_are_refused_by_name() {
    for (arguments, says) in [
        ("histogram --block 0", "block size must be 1 to 1024, not 0"),
        ("histogram --block 32,1025", "block size must be 1 to 1024, not 1025"),
        ("histogram --coarsen 0", "0 is not in 1.."),
        ("histogram -n 2^31", "n must be 0 to 2147483647, not 2^31"),
        ("histogram -n 8..4", "down to"),
        ("histogram --bins x", "`x` is not a number"),
        ("histogram --set bins", "KEY=VALUE"),
        ("histogram --set bins=", "KEY=VALUE"),
        ("histogram --dist unifrom", "did you mean `uniform`?"),
        ("histogram --backend emulater", "did you mean `emulator`?"),
        ("", "<ALGORITHM|FILE.cu|FILE.ptx>"),
    ] {
        let error = sweep(arguments).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        let text = error.to_string();
        assert!(text.contains(says), "{arguments}: {text}");
    }
}

#[test]
fn every_subcommand_has_help_with_examples() {
    for command in Cli::command().get_subcommands() {
        let help = command.clone().render_long_help().to_string();
        // What only this program starts has none.
        let shown = !command.is_hide_set();
        assert!(!shown || help.contains("Examples:"), "{}", command.get_name());
        for argument in command.get_arguments() {
            let name = argument.get_id();
            assert!(argument.get_help().is_some(), "{} {name} has no help", command.get_name());
        }
    }
}

#[test]
fn what_does_not_exist_is_refused_with_what_does() {
    let refusal = |text| sweep(text).unwrap().experiment().unwrap_err().to_string();
    assert!(refusal("histogramm").contains("did you mean `histogram`?"));
    let mut axes = sweep("histogram").unwrap();
    axes.experiment().unwrap();
    axes.gpu = Some("GTX 475".to_owned());
    let text = axes.experiment().unwrap_err().to_string();
    assert!(text.contains("GTX 745 (OEM)"), "{text}");
}

#[test]
fn the_test_backend_is_read_but_not_offered() {
    assert_eq!(sweep("h --backend scripted").unwrap().backend, Some(BackendChoice::Scripted));
    for command in Cli::command().get_subcommands_mut() {
        assert!(!command.render_long_help().to_string().contains("scripted"));
    }
    assert!(!sweep("h --backend x").unwrap_err().to_string().contains("scripted"));
}

#[test]
fn an_algorithm_or_a_file_stands_in_place_of_a_command() {
    let of = |text: &str| {
        let words = std::iter::once("warpscope").chain(text.split_whitespace()).map(OsString::from);
        let words = arguments(words).into_iter().skip(1).map(|it| it.into_string().unwrap());
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("merge-sort"), "--algorithm merge-sort");
    assert_eq!(of("--present scan --ascii"), "--present --algorithm scan --ascii");
    assert_eq!(of("my.cu --like scan"), "--file my.cu --like scan");
    assert_eq!(of("--like scan my.cu"), "--like scan --file my.cu");
    assert_eq!(of("--config scan"), "--config scan");
    assert_eq!(of("run scan"), "run scan");
    assert_eq!(of("scna"), "scna", "clap refuses it");
    let refusal = |words: &[&str]| {
        let words = ["warpscope"].iter().chain(words).map(OsString::from);
        try_parse(words).unwrap_err().to_string()
    };
    assert!(refusal(&["scan", "my.cu"]).contains("there is no command or algorithm `my.cu`"));
    assert!(refusal(&["histogrm"]).contains("did you mean `histogram`?"));
    assert!(refusal(&["swep"]).contains("did you mean `sweep`?"));
}
