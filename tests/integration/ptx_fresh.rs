//! A kernel and its committed PTX belong together: `python3 kernels/build.py`
//! after every change of a `.cu` file.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

/// The compiler that `kernels/build.py` pins for PTX for targets below `sm_90`, and for others.
const NVRTC: [&str; 2] = ["nvidia-cuda-nvrtc-cu11==11.8.89", "nvidia-cuda-nvrtc-cu12==12.0.140"];

/// Some of the architectures that it assembles for.
const ARCHITECTURES: [u32; 5] = [50, 61, 75, 90, 120];

/// The architecture that the PTX is for, and whether it is for that one only: `.target
/// sm_90a`.
fn target(ptx: &str) -> (u32, bool) {
    let line = ptx.lines().find_map(|line| line.strip_prefix(".target sm_")).unwrap();
    let number = line.strip_suffix('a');
    (number.unwrap_or(line).parse().unwrap(), number.is_some())
}

/// The sources as folder and name: `kernels` and `histogram`.
fn kernels() -> impl Iterator<Item = (&'static str, String)> {
    ["kernels", "kernels/device", "kernels/contracts"].into_iter().flat_map(|folder| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        fs::read_dir(path).unwrap().filter_map(move |entry| {
            let file = entry.unwrap().file_name().into_string().unwrap();
            Some((folder, file.strip_suffix(".cu")?.to_owned()))
        })
    })
}

/// Those with a table of resources: a template stands for a kernel of the user, which has
/// none.
fn with_tables() -> impl Iterator<Item = (&'static str, String)> {
    kernels().filter(|(folder, _)| *folder != "kernels/contracts")
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}; run `python3 kernels/build.py`"))
        .replace("\r\n", "\n")
}

#[test]
fn no_ptx_is_stale() {
    assert!(kernels().any(|(folder, _)| folder == "kernels/device"));
    for (folder, name) in kernels() {
        let source = read(&format!("{folder}/{name}.cu"));
        let ptx = read(&format!("{folder}/ptx/{name}.ptx"));
        let mut lines = ptx.lines();
        let first = lines.next().unwrap();
        let second = lines.next().unwrap();
        let stored = first.rsplit(' ').next().unwrap();
        let nvrtc = NVRTC[usize::from(target(&ptx).0 >= 90)];
        let options = second.strip_prefix(&format!("// {nvrtc} ")).unwrap_or_else(|| {
            panic!("{folder}/ptx/{name}.ptx was not built by the pinned compiler; run `python3 kernels/build.py`")
        });
        let digest = Sha256::digest([nvrtc, options, &source].join("\n").as_bytes());
        let computed = digest.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert_eq!(
            stored, computed,
            "{folder}/ptx/{name}.ptx is not what {folder}/{name}.cu compiles to; run `python3 kernels/build.py`"
        );
    }
}

#[test]
fn every_kernel_has_its_resources_on_every_architecture() {
    for (folder, name) in with_tables() {
        let table = read(&format!("{folder}/ptx/{name}.csv"));
        let ptx = read(&format!("{folder}/ptx/{name}.ptx"));
        let entries = ptx.lines().filter_map(|line| line.strip_prefix(".visible .entry "));
        // A kernel without parameters closes its bracket on the same line.
        for entry in entries.filter_map(|line| line.split('(').next()) {
            let (least, only) = target(&ptx);
            let runs = |it: &&u32| if only { **it == least } else { **it >= least };
            for architecture in ARCHITECTURES.iter().filter(runs) {
                let row = format!("{entry},sm_{architecture},");
                assert!(
                    table.lines().any(|line| line.starts_with(&row)),
                    "no row `{row}` in {folder}/ptx/{name}.csv"
                );
            }
        }
    }
}

#[test]
fn waits_are_those_of_loads_and_loops_of_the_kernel() {
    let mut found = 0;
    for (folder, name) in with_tables() {
        let table = read(&format!("{folder}/ptx/{name}.csv"));
        let ptx = read(&format!("{folder}/ptx/{name}.ptx"));
        let lines: Vec<&str> = ptx.lines().collect();
        for row in table.lines().skip(1) {
            let fields: Vec<&str> = row.split(',').collect();
            let [kernel, .., waits, _, _, _] = fields[..] else {
                panic!("{folder}/ptx/{name}.csv: {row}")
            };
            assert_eq!(fields.len(), 11, "{folder}/ptx/{name}.csv: {row}");
            for pair in waits.split_whitespace() {
                let (line, many) = pair.split_once('=').unwrap();
                let line: usize = line.parse().unwrap();
                let waits = ["ld.global", "bra"].iter().any(|it| lines[line - 1].contains(it));
                assert!(waits, "{name} {line}");
                // 0 for a branch that machine code does without.
                let many: f64 = many.parse().unwrap();
                let gone = many == 0.0 && lines[line - 1].contains("bra");
                assert!(gone || (0.01..=64.0).contains(&many), "{name} {pair}");
                let entry = lines[..line]
                    .iter()
                    .rev()
                    .find_map(|line| line.strip_prefix(".visible .entry ")?.split('(').next());
                assert_eq!(entry, Some(kernel), "{name} {line}");
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

#[test]
fn ptx_names_no_folder_of_the_machine_that_built_it() {
    for (folder, name) in kernels() {
        for line in
            read(&format!("{folder}/ptx/{name}.ptx")).lines().filter(|line| line.contains(".file"))
        {
            assert!(line.ends_with(&format!("\"{folder}/{name}.cu\"")), "{line}");
        }
    }
}
