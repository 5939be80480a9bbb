#![allow(clippy::unwrap_used)]

use super::*;
use crate::backend::DriverState;

/// A machine with one GPU where all is well.
fn healthy() -> Facts {
    let node = |name: &str| (format!("/dev/{name}"), None);
    Facts {
        windows: false,
        cores: 8,
        emulator: Some(Ok(vec!["histogram global".to_owned()])),
        cuda: Cuda {
            linux: true,
            on_bus: 1,
            nodes: vec![node("nvidia0"), node("nvidiactl"), node("nvidia-uvm")],
            driver: DriverState { load_error: None, cuda: Some((13, 0)) },
            devices: Some(Ok(vec!["0  NVIDIA H200".to_owned()])),
            isa: (7, 8),
            health: vec![GpuHealth { name: "NVIDIA H200".to_owned(), ..GpuHealth::default() }],
            kernels: Some(Ok(vec!["histogram global".to_owned()])),
        },
        terminal: Terminal {
            is_one: true,
            size: Some(Ok((120, 40))),
            answer: Some(Duration::from_millis(1)),
        },
        locale: Some("C.UTF-8".to_owned()),
        no_color: false,
        colorterm: "truecolor".to_owned(),
        term: "xterm-256color".to_owned(),
        kept: Kept {
            file: Some("/home/me/.config/warpscope/config.toml".into()),
            problem: None,
            runs: Some("/home/me/.local/share/warpscope/runs".into()),
            count: 3,
        },
        compilers: Some(Compilers {
            compiler: Ok("NVRTC 12.9 (/venv/libnvrtc.so.12)".to_owned()),
            command: None,
            headers: vec!["/venv/include".to_owned()],
            tools: [Some("ptxas 12.9 (/ptxas)".to_owned()), Some("nvdisasm 13.5 (/n)".to_owned())],
        }),
    }
}

fn change(facts: &mut Facts, change: impl FnOnce(&mut Compilers)) {
    change(facts.compilers.as_mut().unwrap());
}

#[test]
fn headers_are_those_beside_the_compiler() {
    assert!(of(&healthy()).iter().any(|it| it.text == "/venv/include"));
    let none = found(|facts| change(facts, |it| it.headers.clear()));
    expect(none, Level::Missing, &["only those that are built in", "nvidia-cuda-runtime-cu12"]);
}

#[test]
fn compilers_are_optional_and_one_command_away() {
    let none = |it: &mut Compilers| {
        it.compiler = Err("none".to_owned());
        it.command = Some("brew install llvm");
    };
    expect(
        found(|facts| change(facts, none)),
        Level::Missing,
        &["CUDA compiler: no NVRTC and no clang found", "-> only needed", "brew install llvm"],
    );
    let broken = |it: &mut Compilers| it.compiler = Err("/x is not a compiler".to_owned());
    expect(
        found(|facts| change(facts, broken)),
        Level::Bad,
        &["CUDA compiler: /x is not a compiler", "WARPSCOPE_NVRTC"],
    );
    expect(
        found(|facts| change(facts, |it| it.tools = [None, None])),
        Level::Missing,
        &["registers: of your own kernels are estimated", "nvidia-cuda-nvcc-cu12"],
    );
    expect(
        found(|facts| change(facts, |it| it.tools[1] = None)),
        Level::Missing,
        &["ptxas 12.9", "waits", "pip install nvidia-cuda-nvdisasm"],
    );
}

/// The one finding that differs from those of the healthy machine after `change`.
#[track_caller]
fn found(change: impl FnOnce(&mut Facts)) -> (Level, String) {
    let mut facts = healthy();
    change(&mut facts);
    let before = of(&healthy());
    let mut new: Vec<Finding> = of(&facts).into_iter().filter(|it| !before.contains(it)).collect();
    assert_eq!(new.len(), 1, "{new:?}");
    let finding = new.remove(0);
    let advice = finding.advice.expect("what to do");
    (finding.level, format!("{}: {} -> {advice}", finding.name, finding.text))
}

#[track_caller]
fn expect((level, text): (Level, String), wanted: Level, parts: &[&str]) {
    assert_eq!(level, wanted, "{text}");
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing from: {text}");
    }
}

#[test]
fn a_healthy_machine_needs_no_advice() {
    let findings = of(&healthy());
    assert!(
        findings.iter().all(|it| it.level == Level::Good && it.advice.is_none()),
        "{findings:?}"
    );
    assert_eq!(findings.len(), 14);
}

/// A machine whose driver's library cannot be loaded.
fn no_library(facts: &mut Facts) {
    facts.cuda.driver = DriverState { load_error: Some("no such file".to_owned()), cuda: None };
    facts.cuda.devices = Some(Err("no CUDA device".to_owned()));
    facts.cuda.kernels = None;
    facts.cuda.health.clear();
}

#[test]
fn a_machine_without_a_driver_is_told_what_it_needs() {
    let finding = found(|facts| {
        no_library(facts);
        facts.cuda.nodes.clear();
        facts.cuda.on_bus = 0;
    });
    expect(finding, Level::Missing, &["no such file", "the emulator runs the same kernels"]);
    let finding = found(|facts| {
        no_library(facts);
        facts.cuda.nodes.clear();
        facts.cuda.on_bus = 2;
    });
    expect(finding, Level::Bad, &["NVIDIA GPUs on the bus: 2", "install the NVIDIA driver"]);
    expect(found(no_library), Level::Bad, &["container", "--gpus all"]);
    let finding = found(|facts| {
        no_library(facts);
        facts.cuda.linux = false;
    });
    expect(finding, Level::Missing, &["Linux only", "emulator", "--worker"]);
}

#[test]
fn a_driver_that_is_too_old_is_told_which_release_does() {
    let finding = found(|facts| {
        facts.cuda.driver.cuda = Some((11, 4));
        facts.cuda.kernels = None;
        facts.cuda.health.clear();
    });
    let parts = ["supports CUDA 11.4", "PTX 7.8 needs 11.8", "release 520 or newer"];
    expect(finding, Level::Bad, &parts);
    for (isa, cuda, driver) in [
        ((7, 8), (11, 8), 520),
        ((8, 0), (12, 0), 525),
        ((8, 5), (12, 5), 555),
        ((8, 7), (12, 8), 570),
        ((9, 0), (13, 0), 580),
    ] {
        assert_eq!((cuda_for(isa), release(cuda)), (cuda, driver), "{isa:?}");
    }
}

#[test]
fn what_may_not_be_opened_is_named() {
    let denied = |facts: &mut Facts| {
        facts.cuda.nodes[0].1 = Some(io::ErrorKind::PermissionDenied);
        facts.cuda.devices = Some(Err("CUDA_ERROR_NO_DEVICE (100)".to_owned()));
        facts.cuda.kernels = None;
        facts.cuda.health.clear();
    };
    expect(found(denied), Level::Bad, &["no permission to open /dev/nvidia0", "usermod -aG"]);
    // Another GPU answers: care is enough.
    let finding = found(|facts| facts.cuda.nodes[0].1 = Some(io::ErrorKind::PermissionDenied));
    expect(finding, Level::Care, &["no permission to open /dev/nvidia0"]);
}

#[test]
fn a_driver_without_devices_is_told_apart_from_hidden_ones() {
    let none = |facts: &mut Facts| {
        facts.cuda.devices = Some(Err("CUDA_ERROR_NO_DEVICE (100)".to_owned()));
        facts.cuda.kernels = None;
        facts.cuda.health.clear();
    };
    expect(found(none), Level::Bad, &["NO_DEVICE", "CUDA_VISIBLE_DEVICES"]);
    let finding = found(|facts| {
        none(facts);
        facts.cuda.nodes.clear();
    });
    expect(finding, Level::Bad, &["modprobe nvidia"]);
}

#[test]
fn kernels_that_fail_are_told() {
    let finding = found(|facts| facts.cuda.kernels = Some(Err("global: lost".to_owned())));
    expect(finding, Level::Bad, &["CUDA kernels: global: lost", "nvidia-smi"]);
    let finding = found(|facts| facts.emulator = Some(Err("shared: wrong".to_owned())));
    expect(finding, Level::Bad, &["emulator: shared: wrong", "report this"]);
}

#[test]
fn what_disturbs_measurements_is_told() {
    let finding = found(|facts| facts.cuda.health[0].processes = vec![(42, "train".to_owned())]);
    expect(finding, Level::Care, &["NVIDIA H200 is in use", "train (42)", "--device"]);
    let finding = found(|facts| facts.cuda.health[0].busy_percent = 97);
    expect(finding, Level::Care, &["97 % busy", "not visible here"]);
    let finding = found(|facts| {
        facts.cuda.health[0].processes = vec![(42, String::new())];
        facts.cuda.health[0].exclusive = true;
    });
    expect(finding, Level::Care, &["by 42", "one process at a time"]);
    let finding = found(|facts| facts.cuda.health[0].prohibited = true);
    expect(finding, Level::Bad, &["Prohibited", "nvidia-smi -c DEFAULT"]);
    let finding = found(|facts| {
        facts.cuda.health[0].throttled = vec!["heat"];
        facts.cuda.health[0].celsius = Some(91);
        facts.cuda.health[0].megahertz = Some((900, 1980));
    });
    expect(
        finding,
        Level::Care,
        &["throttled by heat, last seen at 900 of 1980 MHz", "91 °C", "let it cool"],
    );
    let finding = found(|facts| facts.cuda.health[0].throttled = vec!["clocks set by hand"]);
    expect(finding, Level::Good, &["nvidia-smi -rgc"]);
}

#[test]
fn a_terminal_is_told_what_it_lacks() {
    let finding = found(|facts| facts.terminal.answer = Some(Duration::from_millis(250)));
    expect(finding, Level::Care, &["needs 250 ms to answer", "warpscope show"]);
    let finding = found(|facts| facts.terminal.answer = None);
    expect(finding, Level::Care, &["does not report its cursor position"]);
    let finding = found(|facts| facts.terminal.size = Some(Ok((60, 20))));
    expect(finding, Level::Missing, &["60x20", "80x24"]);
    let finding = found(|facts| facts.terminal.size = Some(Ok((0, 0))));
    expect(finding, Level::Missing, &["reports no size", "stty"]);
    let finding = found(|facts| facts.terminal = Terminal::default());
    expect(finding, Level::Missing, &["not a terminal", "ssh -t"]);
    let finding = found(|facts| facts.locale = Some("de_DE.ISO-8859-1".to_owned()));
    expect(finding, Level::Missing, &["not UTF-8", "LANG=C.UTF-8"]);
    let finding = found(|facts| {
        facts.colorterm.clear();
        facts.term = "dumb".to_owned();
    });
    expect(finding, Level::Missing, &["TERM is `dumb`", "export TERM"]);
    let finding = found(|facts| {
        facts.colorterm.clear();
        facts.term = "linux".to_owned();
    });
    expect(finding, Level::Good, &["16 (TERM is linux)"]);
}

#[test]
fn a_windows_console_needs_no_variables_of_unix() {
    let mut facts = healthy();
    facts.windows = true;
    facts.locale = None;
    (facts.colorterm, facts.term) = (String::new(), String::new());
    for name in ["characters", "colours"] {
        let found = of(&facts).into_iter().find(|finding| finding.name == name).unwrap();
        assert_eq!((found.level, found.advice), (Level::Good, None), "{name}");
    }
    facts.terminal.size = Some(Ok((0, 0)));
    let advice = of(&facts).into_iter().find_map(|it| it.advice).unwrap();
    assert!(advice.contains("Windows Terminal"), "{advice}");
}

#[test]
fn locales_are_told_apart() {
    for (locale, utf8) in
        [("C.UTF-8", true), ("de_DE.utf8", true), ("C", false), ("de_DE.ISO-8859-1", false)]
    {
        assert_eq!(is_utf8(locale), utf8, "{locale}");
    }
}

#[test]
fn settings_and_runs_say_where_they_are_and_what_is_wrong() {
    let texts: Vec<String> = of(&healthy()).into_iter().map(|finding| finding.text).collect();
    assert!(texts.iter().any(|text| text.contains(".config/warpscope/config.toml")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("3 stored in")), "{texts:?}");
    let broken = found(|facts| facts.kept.problem = Some("config.toml:2 is odd".to_owned()));
    expect(broken, Level::Bad, &["settings", "config.toml:2", "--config none"]);
    expect(found(|facts| facts.kept.file = None), Level::Missing, &["WARPSCOPE_CONFIG"]);
    expect(found(|facts| facts.kept.runs = None), Level::Missing, &["--out", "WARPSCOPE_RUNS"]);
}
