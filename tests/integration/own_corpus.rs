//! The corpus of users' kernels in `tests/own/`, through every compiler that is here: the
//! right ones run and verify, the wrong ones end in a sentence that names the line.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use warpscope::results::record::Record;
use warpscope::results::store;

use crate::support::{Place, Ran, skip};

/// A size that every kernel of the corpus can run, unless [`SIZES`] has another one: no
/// multiple of a block, so that the last block is partly idle.
const SIZE: &str = "1021";

/// Other sizes by file, where n is the side of a square or costs more than its first power.
const SIZES: [(&str, &str); 11] = [
    ("02_transpose", "70"),
    ("06_matmul", "37"),
    ("08_nbody", "200"),
    ("10_sobel", "70"),
    ("16_life", "70"),
    ("17_mandelbrot", "33"),
    ("19_softmax", "19"),
    ("14_huge_grid", "2^20"),
    ("10_infinite_loop", "200"),
    ("32_grid", "333"),
    ("34_vectors", "200"),
];

/// Lists libraries of NVRTC and programs of clang, as `PATH` lists folders.
const COMPILERS: &str = "WARPSCOPE_TEST_COMPILERS";

/// The compilers of this machine: the path of each, and the variable that selects it.
pub(crate) fn compilers() -> Vec<(&'static str, PathBuf)> {
    let list = std::env::var_os(COMPILERS).unwrap_or_default();
    let found: Vec<PathBuf> = std::env::split_paths(&list).filter(|path| path.is_file()).collect();
    if found.is_empty() {
        skip(&format!("{COMPILERS} lists no compilers"));
    }
    let variable = |path: PathBuf| {
        let nvrtc = path.file_name().unwrap().to_string_lossy().contains("nvrtc");
        (if nvrtc { "WARPSCOPE_NVRTC" } else { "WARPSCOPE_CLANG" }, path)
    };
    found.into_iter().map(variable).collect()
}

/// The files of a folder of the corpus, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/own").join(folder);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

fn size(file: &Path) -> &'static str {
    let stem = stem(file);
    SIZES.iter().find(|(name, _)| *name == stem).map_or(SIZE, |(_, size)| size)
}

/// Copies a file into a folder and sweeps all of its kernels at one size.
fn sweep(place: &Place, compiler: &(&str, PathBuf), file: &Path) -> Ran {
    let name = file.file_name().unwrap().to_string_lossy();
    fs::copy(file, place.path(&name)).unwrap();
    sweep_here(place, compiler, &name, size(file))
}

/// The same with a file that is in the folder already.
fn sweep_here(place: &Place, (variable, compiler): &(&str, PathBuf), name: &str, n: &str) -> Ran {
    let line = format!("sweep {name} -n {n} -o results.jsonl --backend emulator");
    let mut command = place.command(&line);
    command.env_remove("WARPSCOPE_NVRTC").env_remove("WARPSCOPE_CLANG").env(variable, compiler);
    Ran::from(command.output().unwrap())
}

#[track_caller]
fn report((_, compiler): &(&str, PathBuf), wrong: &[String]) {
    let (many, text) = (wrong.len(), wrong.join("\n"));
    assert!(wrong.is_empty(), "{}: {many} wrong:\n{text}", compiler.display());
}

/// The kernels of a source.
fn kernels(source: &str) -> Vec<String> {
    let source: Vec<&str> = source.split("extern \"C\" __global__ void").skip(1).collect();
    let name = |text: &&str| {
        let text = match text.split_once("__launch_bounds__(") {
            Some((before, rest)) if before.trim().is_empty() => rest.split_once(')').unwrap().1,
            _ => text,
        };
        text.split('(').next().unwrap().trim().to_owned()
    };
    source.iter().map(name).collect()
}

/// The files that each compiler gets: all for the first, and of the others' every `step`-th.
fn shares(files: &[PathBuf], step: usize) -> Vec<((&'static str, PathBuf), Vec<&PathBuf>)> {
    let share = |(index, compiler)| {
        let step = if index == 0 { 1 } else { step };
        (compiler, files.iter().skip(index % step).step_by(step).collect())
    };
    compilers().into_iter().enumerate().map(share).collect()
}

/// As in `shares`, in tests that are not ignored.
const SOME: usize = 3;

#[test]
#[ignore = "a minute; the tests below have all files for one compiler, some for each other"]
fn every_kernel_goes_through_each_compiler() {
    right_kernels(1);
    wrong_kernels(1);
}

#[test]
fn right_kernels_run_and_verify() {
    right_kernels(SOME);
}

fn right_kernels(step: usize) {
    let files = files("right");
    assert_eq!(files.len(), 37);
    for (compiler, files) in shares(&files, step) {
        let mut wrong = Vec::new();
        for file in files {
            let place = Place::new();
            let ran = sweep(&place, &compiler, file);
            let source = fs::read_to_string(file).unwrap();
            let records = store::read(place.path("results.jsonl")).unwrap_or_default();
            let fine = |record: &Record| {
                record.verified == Some(true) && record.skip.is_none() && record.wrong.is_none()
            };
            for kernel in kernels(&source) {
                if !records.iter().any(|it| *it.variant == *kernel) {
                    wrong.push(format!("{}: {kernel} is missing", stem(file)));
                }
            }
            let bad = records.iter().filter(|it| !fine(it));
            wrong.extend(bad.map(|record| format!("{}: {record:?}", stem(file))));
            if records.is_empty() {
                wrong.push(format!("{}: nothing ran", stem(file)));
            }
            if ran.code != Some(0) {
                wrong.push(format!("{}: {ran:?}", stem(file)));
            }
        }
        report(&compiler, &wrong);
    }
}

#[test]
fn headers_of_the_folder_are_compiled_where_they_are_included() {
    const MAIN: &str = "#include <vector>\n#include \"lib/scale.cuh\"\n#include \"common.h\"\n\
        /* warpscope\ngrid = \"ceil(n / block)\"\nargs = [\"in: f32[n] uniform\", \"out: f32[n]\", \"n: i32 = n\"]\n\
        output = \"out\"\n*/\n__global__ void plain(const float *in, float *out, int n)\n{\n    \
        int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = FACTOR * in[i];\n}\n\
        int main() { CHECK(cudaDeviceSynchronize()); }\n";
    const COMMON: &str = "#pragma once\n#include <chrono>\n#define FACTOR 3.0f\n\
        #define CHECK(call) if ((call) != cudaSuccess) exit(1)\ninline double now() { return std::rand(); }\n";
    const SCALE: &str = "#ifndef SCALE\n#define SCALE\n#include \"../common.h\"\n#include \"common.h\"\n\
        __device__ float scaled(float x) { return FACTOR * x; }\n\
        __global__ void scale(const float *in, float *out, int n)\n{\n    \
        int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = scaled(in[i]);\n}\n#endif\n";
    for compiler in compilers() {
        let place = Place::new();
        let write = |name: &str, text: &str| fs::write(place.path(name), text).unwrap();
        fs::create_dir(place.path("lib")).unwrap();
        write("common.h", COMMON);
        // Nothing above the folder of the file is read, but this header is in it.
        write("lib/scale.cuh", &SCALE.replace("#include \"../common.h\"\n", ""));
        write("main.cu", MAIN);
        let sweep = || sweep_here(&place, &compiler, "main.cu", SIZE);
        let ran = sweep();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let records = store::read(place.path("results.jsonl")).unwrap();
        let verified: Vec<&str> = records
            .iter()
            .filter(|it| it.verified == Some(true))
            .map(|it| it.variant.as_ref())
            .collect();
        assert_eq!(verified, ["plain", "scale"]);

        // Errors name the header and its line.
        write(
            "lib/scale.cuh",
            &SCALE.replace("#include \"../common.h\"\n", "").replace("out[i]", "out[i + n]"),
        );
        let ran = sweep();
        assert!(ran.err.contains("lib/scale.cuh:8: out-of-bounds in kernel scale"), "{ran:?}");
        write(
            "lib/scale.cuh",
            &SCALE.replace("#include \"../common.h\"\n", "").replace("scaled(in", "sealed(in"),
        );
        let ran = sweep();
        assert!(ran.err.contains("in lib/scale.cuh, line 8: "), "{ran:?}");
        write("lib/scale.cuh", SCALE);
        let ran = sweep();
        assert!(
            ran.err.contains("warning: in lib/scale.cuh, line 3: ../common.h was not found in the folder of the file; it is left out"),
            "{ran:?}"
        );
    }
}

/// The lines that a wrong file expects: `// expect: line 11 to 12: ...`.
fn expected(source: &str) -> RangeInclusive<u32> {
    let expect = source.lines().next().and_then(|line| line.strip_prefix("// expect: line "));
    let numbers = expect.and_then(|rest| rest.split(':').next()).unwrap();
    let (first, last) = numbers.split_once(" to ").unwrap_or((numbers, numbers));
    first.parse().unwrap()..=last.parse().unwrap()
}

#[test]
fn wrong_kernels_end_in_a_sentence_that_names_the_line() {
    wrong_kernels(SOME);
}

fn wrong_kernels(step: usize) {
    /// No message is longer, whatever a kernel prints.
    const MOST: usize = 16 << 10;
    /// The only right kernel of these files: the reference of a wrong one.
    const RIGHT_AMONG_WRONG: &str = "mean_right";
    let files = files("wrong");
    assert_eq!(files.len(), 15);
    for (compiler, files) in shares(&files, step) {
        let mut wrong = Vec::new();
        for file in files {
            let place = Place::new();
            let ran = sweep(&place, &compiler, file);
            let lines = expected(&fs::read_to_string(file).unwrap());
            let name = file.file_name().unwrap().to_string_lossy();
            let told = |line: u32| {
                let start = format!("{name}:{line}:");
                ran.err.lines().chain(ran.out.lines()).any(|text| text.contains(&start))
            };
            let short = ran.err.len() + ran.out.len() < MOST;
            let records = store::read(place.path("results.jsonl")).unwrap_or_default();
            let passed = records
                .iter()
                .any(|it| it.verified == Some(true) && *it.variant != *RIGHT_AMONG_WRONG);
            let once = ran.err.lines().filter(|line| line.contains("the grid ")).count() < 2;
            // A kernel that can never be launched is skipped with the reason.
            let skipped = !records.is_empty() && records.iter().all(|it| it.skip.is_some());
            let warned = ran.code == Some(0) && !skipped;
            if !lines.clone().any(told) || passed || !short || !once || warned {
                wrong.push(format!("{name}: expected line {lines:?}: {ran:?}"));
            }
        }
        report(&compiler, &wrong);
    }
}

/// Each cluster of four blocks sums in the shared memory of its first block.
const CLUSTERS: &str = r#"
extern "C" __global__ void __cluster_dims__(4, 1, 1) sums(const unsigned *in, unsigned *out)
{
    __shared__ unsigned sum;
    unsigned rank, first;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) sum = 0;
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    unsigned here = (unsigned)__cvta_generic_to_shared(&sum);
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(here));
    unsigned mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" :: "r"(first), "r"(mine) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0 && threadIdx.x == 0) out[blockIdx.x / 4] = sum;
}
"#;

#[test]
fn clusters_of_a_source_run_through_each_nvrtc() {
    // Clang knows `__cluster_dims__` only from a later version than many systems have.
    for (variable, compiler) in compilers().iter().filter(|(it, _)| *it == "WARPSCOPE_NVRTC") {
        let place = Place::new();
        fs::write(place.path("sums.cu"), CLUSTERS).unwrap();
        let mut command = place.command(
            "exec sums.cu --grid 8 --block 32 --arg buffer=u32:256:iota \
             --arg buffer=u32:2:zeros --dump 1=out.raw --check",
        );
        Ran::from(command.env(variable, compiler).output().unwrap()).fine();
        let sums = [0..128, 128..256].map(|values: std::ops::Range<u32>| values.sum::<u32>());
        let expected: Vec<u8> = sums.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(fs::read(place.path("out.raw")).unwrap(), expected, "{}", compiler.display());
    }
}
