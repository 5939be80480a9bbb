//! Compiling `.cu` files with real compilers, and with ones that misbehave.

#[cfg(target_os = "linux")]
mod fakes;
mod headers;
mod math;
mod programs;

use std::collections::BTreeSet;
use std::fs;

use warpscope::compiler::{CompileError, Compiled, Environment, Request, Severity, Target};
use warpscope::emulator::ptx::{self, Function, Item, Module};

use crate::support::Place;
use crate::support::compilers::{self, One};

fn request(source: &str) -> Request {
    Request { name: "my.cu".to_owned(), source: source.to_owned(), target: Target::Emulator }
}

fn functions<'a>(module: &'a Module<'a>) -> impl Iterator<Item = &'a Function<'a>> {
    module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        Item::Variable(_) => None,
    })
}

/// The lines of the source in the kernels of a compiled file.
fn lines(compiled: &Compiled) -> Vec<u32> {
    let module = ptx::parse(&compiled.ptx, "my.cu").unwrap();
    let own: Vec<u32> = module
        .files
        .iter()
        .filter(|(_, name)| name.ends_with("my.cu"))
        .map(|(number, _)| *number)
        .collect();
    let mut lines = Vec::new();
    for function in functions(&module) {
        for at in function.instructions().filter_map(|instruction| instruction.source) {
            assert!(own.contains(&at.file), "a line of another file: {at:?}");
            lines.push(at.line);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn a_file_becomes_ptx_with_the_lines_of_its_source() {
    let place = Place::new();
    for One { name, setup, .. } in compilers::all("a_file_becomes_ptx", &place.path("cache")) {
        let source = "#include <cuda_runtime.h>\n#include <stdio.h>\n\n\
            extern \"C\" __global__ void twice(float *x, uint32_t n)\n{\n    \
            int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n        \
            x[i] = 2.0f * x[i];\n}\n";
        let compiled = setup.compile(&request(source)).unwrap();
        assert!(compiled.ptx.contains(".visible .entry twice("), "{name}: {}", compiled.ptx);
        let lines = lines(&compiled);
        assert!(
            lines.contains(&8) && lines.iter().all(|line| (4..=9).contains(line)),
            "{name}: {lines:?}"
        );
        assert_eq!(compiled.warnings, [], "{name}");
        assert_eq!(compiled.cubin, None);
        // Kept: a program that cannot start anything gives the same.
        let mut idle = setup.clone();
        idle.program = "/no/such/program".into();
        assert_eq!(idle.compile(&request(source)).unwrap(), compiled, "{name}");
        let other = idle.compile(&request("int x;"));
        assert!(matches!(other, Err(CompileError::BadCompiler { .. })), "{name}: {other:?}");
    }
}

#[test]
fn errors_and_warnings_have_their_line() {
    let place = Place::new();
    for One { name, setup, .. } in compilers::all("errors_and_warnings", &place.path("cache")) {
        let wrong =
            "extern \"C\" __global__ void k(int *x)\n{\n    x[0] = count;\n    x[1] = 1\n}\n";
        let error = setup.compile(&request(wrong)).unwrap_err();
        let CompileError::Refused(messages) = &error else { panic!("{name}: {error}") };
        let places: Vec<_> =
            messages.iter().map(|it| (it.severity, it.line.unwrap(), it.column)).collect();
        assert_eq!(places[0].1, 3, "{name}: {messages:?}");
        assert!(messages[0].text.contains("count"), "{name}: {messages:?}");
        assert!(messages[0].column.is_none_or(|column| column == 12), "{name}: {messages:?}");
        assert!(places.iter().any(|it| it.0 == Severity::Error && it.1 >= 4), "{name}: {places:?}");
        assert!(error.to_string().starts_with("line 3"), "{name}: {error}");
        assert!(error.to_string().ends_with("(and 1 more error)"), "{name}: {error}");

        let doubtful =
            "extern \"C\" __global__ void k(int *x)\n{\n    int spare;\n    *x = 1;\n}\n";
        let warnings = setup.compile(&request(doubtful)).unwrap().warnings;
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        assert_eq!((warnings[0].line, warnings[0].severity), (Some(3), Severity::Warning));
        assert!(warnings[0].text.contains("spare"), "{name}: {warnings:?}");
    }
}

/// A driver that is older than NVRTC does not read its PTX: it gets machine code.
#[test]
fn an_old_driver_gets_machine_code() {
    /// The type of machine code for GPUs in the header of an ELF file.
    const GPU: [u8; 2] = [190, 0];
    let place = Place::new();
    for One { name, setup, path } in compilers::all("an_old_driver", &place.path("cache")) {
        let compiled = |driver| {
            let target = Target::Device { compute: 90, driver };
            let source = "extern \"C\" __global__ void mine(int *out) { out[threadIdx.x] = 1; }\n";
            let request = Request { target, ..request(source) };
            setup.compile(&request).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let (old, new) = (compiled((11, 0)), compiled((99, 0)));
        assert_eq!(entries(&old.ptx), ["mine"], "{name}");
        assert_eq!(new.cubin, None, "{name}");
        if path.ends_with("clang") {
            assert_eq!(old.cubin, None, "{name}");
            continue;
        }
        let cubin = old.cubin.as_ref().unwrap();
        assert!(cubin.starts_with(b"\x7fELF") && cubin[18..20] == GPU, "{name}");
        assert!(cubin.windows(10).any(|part| part == b".text.mine"), "{name}");
        assert_eq!(compiled((11, 0)), old, "{name}: from the cache");
    }
}

#[test]
fn without_a_cache_nothing_is_written() {
    let place = Place::new();
    for One { name, mut setup, path } in compilers::all("without_a_cache", &place.path("cache")) {
        let files = || {
            let entries = fs::read_dir(path.parent().unwrap()).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect::<BTreeSet<_>>()
        };
        let before = files();
        setup.cache = None;
        setup.compile(&request("extern \"C\" __global__ void k() {}\n")).unwrap();
        assert_eq!(files(), before, "{name}");
        assert!(!place.path("cache").exists(), "{name}");
    }
}

/// Bytes of committed PTX beyond which a file goes through one compiler only, or through none, as
/// any takes seconds for it: what a system's largest files include is in its others too.
const LONG: usize = 100 << 10;
const LONGEST: usize = 1 << 20;

#[test]
fn every_built_in_system_compiles() {
    let place = Place::new();
    let all = compilers::all("every_built_in_system", &place.path("cache"));
    for (index, One { name, setup, .. }) in all.into_iter().enumerate() {
        for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "cu") {
                continue;
            }
            let committed = path.with_file_name("ptx").join(path.file_stem().unwrap());
            let committed = fs::read_to_string(committed.with_extension("ptx")).unwrap();
            if committed.len() > if index > 0 { LONG } else { LONGEST } {
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            let compiled = setup.compile(&request(&source));
            let compiled = compiled.unwrap_or_else(|error| panic!("{name}, {path:?}: {error}"));
            assert_eq!(entries(&compiled.ptx), entries(&committed), "{name}, {path:?}");
        }
    }
}

/// The names of the kernels.
fn entries(text: &str) -> Vec<String> {
    let module = ptx::parse(text, "my.cu").unwrap();
    let kernels = functions(&module).filter(|function| function.entry);
    let mut names: Vec<String> = kernels.map(|kernel| kernel.name.to_owned()).collect();
    names.sort();
    names
}

/// The machine code says what `kernels/build.py` found, for a file of the repository.
#[test]
fn resources_are_those_of_the_built_in_kernels() {
    let place = Place::new();
    let mut setup = compilers::setup(Environment::of_this_process(), &place.path("cache"));
    if let Some(list) = std::env::var_os("WARPSCOPE_TEST_TOOLS") {
        setup.environment = setup.environment.with("PATH", list);
    }
    for name in ["histogram", "reduce", "scan", "matmul", "merge_sort"] {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/ptx/");
        let ptx = fs::read_to_string(format!("{file}{name}.ptx")).unwrap();
        let table = fs::read_to_string(format!("{file}{name}.csv")).unwrap();
        for compute in [70, 90, 120] {
            let found = setup.resources(&ptx, compute);
            if found.is_empty() {
                println!("skipped: resources_are_those_of_the_built_in_kernels: no ptxas");
                return;
            }
            let wanted = table.lines().enumerate().filter(|(number, line)| {
                *number == 0 || line.split(',').nth(1) == Some(&format!("sm_{compute}"))
            });
            let wanted: Vec<&str> = wanted.map(|(_, line)| line).collect();
            let found_lines: Vec<&str> = found.lines().collect();
            assert_eq!(found_lines, wanted, "{name} sm_{compute}");
            // PTX of a newer compiler is assembled with the version that the assembler knows.
            let (_, rest) = ptx.split_once(".version ").unwrap();
            let newer = format!(".version 99.9{}", &rest[rest.find('\n').unwrap()..]);
            assert_eq!(setup.resources(&newer, compute), found, "{name}");
            // Kept, and nothing else is left behind.
            let mut idle = setup.clone();
            idle.program = "/no/such/program".into();
            assert_eq!(idle.resources(&ptx, compute), found);
        }
    }
    let left = fs::read_dir(place.path("cache")).unwrap();
    assert!(left.map(|file| file.unwrap()).all(|file| file.file_type().unwrap().is_file()));
}
