//! Files as systems, with committed PTX.
#![allow(clippy::unwrap_used)]

mod bounds;
mod calls;
mod chosen;
mod classes;
mod constants;
mod corpus;
mod filled;
mod infer;
mod lambdas;
mod modern;
mod named;

mod made;
mod plain;
mod producers;
mod signatures;
mod structures;
mod sums;
mod uses;
mod usual;
mod variables;
mod ways;

use super::*;
use crate::experiment::Case;
use crate::work::{Arg, Element};

/// PTX of the template of `like = "histogram"`.
const HISTOGRAM: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/ptx/histogram.ptx"));
const SOURCE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/histogram.cu"));

pub(super) fn file(name: &str, source: &str, ptx: &str) -> OwnFile {
    OwnFile {
        name: name.to_owned(),
        source: source.to_owned(),
        ptx: ptx.to_owned(),
        resources: String::new(),
        compiler: String::new(),
        like: None,
    }
}

/// A case at the defaults of an algorithm.
pub(super) fn case(algorithm: &dyn Algorithm, variant: &str, n: u64) -> Case {
    let defaults = algorithm.defaults();
    let params = algorithm.params().iter();
    Case {
        algorithm: algorithm.name().to_owned(),
        variant: variant.to_owned(),
        block: algorithm.own_block(variant).unwrap_or(defaults.block),
        coarsen: defaults.coarsen,
        n,
        params: params.map(|param| (param.name.to_owned(), param.default())).collect(),
        dist: crate::experiment::Distribution::Uniform,
        seed: 7,
    }
}

/// PTX with kernels of these names and parameters, which do nothing. A structure is `b8[SIZE]`.
pub(super) fn ptx(kernels: &[(&str, &[&str])]) -> String {
    let mut text = ".version 7.8\n.target sm_50\n.address_size 64\n".to_owned();
    for (name, params) in kernels {
        let params = params.iter().enumerate().map(|(i, ty)| match ty.split_once('[') {
            Some((ty, count)) => format!(".param .align 8 .{ty} {name}_{i}[{count}"),
            None => format!(".param .{ty} {name}_{i}"),
        });
        let params = params.collect::<Vec<_>>().join(", ");
        text.push_str(&format!(".visible .entry {name}({params}) {{ ret; }}\n"));
    }
    text
}

fn like(name: &str) -> OwnFile {
    let source = format!("/* warpscope\nlike = \"histogram\"\n*/\n{SOURCE}");
    file(name, &source, HISTOGRAM)
}

#[test]
fn a_file_like_a_built_in_algorithm_adds_its_kernels_to_the_variants() {
    let system = system(&like("adds.cu")).unwrap();
    let names: Vec<&str> = system.variants().iter().map(|variant| variant.name).collect();
    assert_eq!(names, ["global", "shared", "shared-wide", "mine"]);
    assert!(algorithms::find("adds.cu").is_some_and(|it| std::ptr::eq(it, system)));
    let mut case = case(system, "mine", 1 << 12);
    let work = system.work(&case);
    let launch = work.launches().next().unwrap();
    assert_eq!((launch.kernel.as_str(), launch.shared_bytes), ("mine", 32));
    assert_eq!(launch.args, [Arg::Buffer(0), Arg::U32(1 << 12), Arg::Buffer(1), Arg::U32(8)]);
    assert_eq!(work.module.ptx, HISTOGRAM);
    assert_eq!(system.obstacle(&case), None);
    case.params.insert("binning".to_owned(), "range".parse().unwrap());
    assert_eq!(
        system.obstacle(&case).unwrap(),
        "binning=range needs a kernel with the parameter `unsigned int range`"
    );
    case.variant = "shared".to_owned();
    assert_eq!(system.obstacle(&case), None);
    assert_ne!(system.work(&case).module.ptx, HISTOGRAM);
}

#[test]
fn identical_files_are_one_system_and_a_new_version_replaces_the_old_one() {
    let first = system(&like("versions.cu")).unwrap();
    assert!(std::ptr::eq(first, system(&like("versions.cu")).unwrap()));
    let mut changed = like("versions.cu");
    changed.source.push_str("// changed\n");
    let second = system(&changed).unwrap();
    assert!(!std::ptr::eq(first, second));
    assert!(std::ptr::eq(second, algorithms::find("versions.cu").unwrap()));
    let named = algorithms::all().into_iter().filter(|it| it.name() == "versions.cu").count();
    assert_eq!(named, 1);
    // The old version comes back with its content.
    assert!(std::ptr::eq(first, system(&like("versions.cu")).unwrap()));
    assert!(std::ptr::eq(first, algorithms::find("versions.cu").unwrap()));
}

#[test]
fn a_kernel_of_another_signature_is_shown_beside_the_contract() {
    let source = SOURCE.replace("unsigned int bin_count)", "unsigned int buckets)");
    let source = format!("/* warpscope\nlike = \"histogram\"\n*/\n{source}");
    let error = system(&file("other.cu", &source, HISTOGRAM)).err().unwrap();
    let text = error.to_string();
    assert!(text.starts_with("other.cu:6: the parameters of `mine` are not those of histogram"));
    for part in [
        "\n    like histogram               mine\n",
        "\n    const unsigned int *values   const unsigned int *values\n",
        "\n    unsigned int bin_count\n",
        "\n  >                              unsigned int buckets",
    ] {
        assert!(text.contains(part), "`{part}` is missing from\n{text}");
    }
}

#[test]
fn ptx_binds_by_position() {
    let ptx = format!("/* warpscope\nlike = \"histogram\"\n*/\n{HISTOGRAM}");
    let system = system(&file("plain.ptx", &ptx, &ptx)).unwrap();
    let work = system.work(&case(system, "mine", 100));
    assert_eq!(work.launches().next().unwrap().args.len(), 4);
    assert_eq!(work.buffers[0].element, Element::U32);
}

#[test]
fn the_block_to_paste_has_the_numbers_of_a_launch() {
    let kernel = "__global__ void k(const float *in, float *out, int n, float a, int b, unsigned char c) {}\n";
    let params = ptx(&[("k", &["u64", "u64", "u32", "f32", "u32", "u8"])]);
    let of = |host: &str| {
        let source = format!("{kernel}{host}");
        system(&file("program.cu", &source, &params)).err().unwrap().to_string()
    };
    let block = |threads: u32, a: &str, b: &str| {
        format!(
            "block  = {threads}\ngrid   = \"ceil(n / block)\"\nargs   = [\n    \"in: f32[n] uniform\",\n    \
             \"out: f32[n] zeros\",\n    \"n: i32 = n\",\n    \"a: f32 = {a}\",\n    \"b: i32 = {b}\",\n    \
             \"c: u8 = 1\",\n]"
        )
    };
    let found = of("void run() { k<<<n / 128, 128>>>(in, out, 1 << 20, 2.5f, -3, 300); }\n");
    assert!(found.contains(&block(128, "2.5", "-3")), "{found}");
    let found = of("void run() { k<<<m, 2048>>>(in, out, 5, x, 0.5, y); }\n");
    assert!(found.contains(&block(256, "1", "1")), "{found}");
}

#[test]
fn what_is_no_system_is_an_error_with_its_line() {
    let of = |source: &str| {
        system(&file("bad.cu", source, HISTOGRAM)).err().map(|error| error.to_string()).unwrap()
    };
    let with = |header: &str| of(&format!("// first\n/* warpscope\n{header}\n*/\n{SOURCE}"));
    for (header, expected) in [
        (
            "like = \"histogramm\"",
            "bad.cu:3: there is no built-in algorithm `histogramm`; did you mean `histogram`?",
        ),
        ("lik = \"histogram\"", "bad.cu:3: there is no key `lik`; did you mean `like`?"),
        ("like = 3", "bad.cu:3: `like` is integer; write a text in quotes"),
        ("\nlike = \"a", "bad.cu:4: the block is no valid TOML"),
    ] {
        let text = with(header);
        assert!(text.starts_with(expected), "{text}");
    }
    let text = of(&format!("/* warpscope */\n/* warpscope */\n{SOURCE}"));
    assert!(text.starts_with("bad.cu:2: a second `/* warpscope` block"), "{text}");
    for name in ["my.txt", ".cu", "a/b.cu", "a\n.cu"] {
        assert!(system(&file(name, SOURCE, HISTOGRAM)).is_err(), "{name}");
    }
}

#[test]
fn a_kernel_like_a_built_in_one_may_have_its_own_grid_and_shared_memory() {
    let of = |header: &str| {
        let source = format!("/* warpscope\nlike = \"histogram\"\n{header}\n*/\n{SOURCE}");
        system(&file("grid.cu", &source, HISTOGRAM)).map_err(|error| error.to_string())
    };
    let system = of("sizes = \"2^4..2^8:x4\"\nblock = 64\n[kernel.mine]\nshared = \"8 * bins\"\ngrid = \"n / 512\"").unwrap();
    assert_eq!((system.defaults().block, system.sizes().to_string().as_str()), (64, "16..256:x4"));
    let launch = |n| {
        let case = case(system, "mine", n);
        (system.obstacle(&case), system.work(&case).launches().next().cloned().unwrap())
    };
    let (obstacle, launch_of_4) = launch(2048);
    assert_eq!((obstacle, launch_of_4.grid.x, launch_of_4.shared_bytes), (None, 4, 64));
    assert!(launch(100).0.is_some_and(|why| why.starts_with("grid.cu:7: `n / 512` is")));
    for (header, expected) in [
        ("args = [\"n: u32 = n\"]", "grid.cu:3: `args` has no effect on a file like histogram"),
        ("tolerance = 0.1", "grid.cu:3: `tolerance` has no effect"),
        ("[kernel.mine]\nblock = 3", "grid.cu:4: `block` has no effect"),
        ("[kernel.min]\nshared = 3", "did you mean `mine`?"),
        ("shared = \"4 * binz\"", "did you mean `bins`?"),
    ] {
        let text = of(header).err().unwrap();
        assert!(text.contains(expected), "{text}");
    }
}
