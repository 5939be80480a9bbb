//! Systems of no built-in algorithm.

use super::{case, file, ptx};
use crate::algorithms::Algorithm;
use crate::experiment::ParamValue;
use crate::own::{OwnError, OwnFile, system};
use crate::work::{Arg, Dim3, Element, HostBuffer, Init, Sampling, View};

/// Two kernels, as in the documentation.
const HEADER: &str = r#"sizes   = "2^10..2^24:x4"
block   = 256
coarsen = 4
grid    = "ceil(n / (block * coarsen))"        # one expression, or up to three
shared  = "0"
params  = { radius = [2, 1, 4] }
args    = [ "in: f32[n] uniform", "out: f32[n] zeros", "n: u32 = n", "radius: u32 = radius" ]
output  = "out"
view    = "line"
tolerance = 1e-5
bytes   = "8 * n"
flops   = "n * (2 * radius + 2)"
[kernel.tiled]
shared  = "4 * (block + 2 * radius)"
"#;

const KERNELS: &str = "\
extern \"C\" __global__ void plain(const float *in, float *out, unsigned n, unsigned radius) {}
extern \"C\" __global__ void tiled(const float *in, float *out, int n, int radius) {}
";

fn stencil(header: &str, name: &str) -> OwnFile {
    let params: &[&str] = &["u64", "u64", "u32", "u32"];
    let source = format!("/* warpscope\n{header}*/\n{KERNELS}");
    file(name, &source, &ptx(&[("plain", params), ("tiled", params)]))
}

fn error(file: &OwnFile) -> OwnError {
    system(file).err().unwrap()
}

#[test]
fn a_file_says_everything_about_its_kernels() {
    let system = system(&stencil(HEADER, "stencil.cu")).unwrap();
    assert_eq!(system.sizes().to_string(), "2^10..2^24:x4");
    let defaults = system.defaults();
    assert_eq!((defaults.block, defaults.coarsen, defaults.sizes), (256, 4, (1 << 10, 1 << 24)));
    let mut case = case(system, "tiled", 5000);
    assert_eq!(system.obstacle(&case), None);
    assert_eq!(case.int("radius"), Some(2));
    case.params.insert("radius".to_owned(), ParamValue::Int(4));
    let work = system.work(&case);
    let launch = work.launches().next().unwrap();
    assert_eq!(
        (launch.kernel.as_str(), launch.grid, launch.block),
        ("tiled", Dim3::linear(5), Dim3::linear(256))
    );
    assert_eq!(launch.shared_bytes, 4 * (256 + 8));
    assert_eq!(launch.args, [Arg::Buffer(0), Arg::Buffer(1), Arg::U32(5000), Arg::U32(4)]);
    assert!(!work.buffers[0].written && work.buffers[1].written);
    assert_eq!(work.buffers[0].init, Init::Input { index: 0, bytes: 20_000 });
    assert_eq!(system.traffic(&case).bytes, 40_000);
    assert_eq!(system.traffic(&case).flops, 50_000);
    let reference = system.reference_case(&case).unwrap();
    assert_eq!((reference.variant.as_str(), reference.n), ("plain", 5000));
    assert!(matches!(system.sampling(&case), Sampling::Unknown(_)));
    let inputs = system.inputs(&case);
    let values = inputs[0].as_f32().unwrap();
    assert!(values.len() == 5000 && values.iter().all(|value| (0.0..1.0).contains(value)));
    let other = crate::experiment::Case { seed: 8, ..case.clone() };
    assert_ne!(system.input_key(&case), system.input_key(&other));
    assert_ne!(system.inputs(&other)[0], inputs[0]);
    let view = system.view(&case, &inputs, &[HostBuffer::F32(vec![1.0, 2.0])]).unwrap();
    assert!(matches!(view, View::Curve(_)));
}

#[test]
fn outputs_may_differ_by_the_tolerance() {
    let verify = |system: &dyn Algorithm, expected: &[f32], got: &[f32]| {
        let buffer = |values: &[f32]| [HostBuffer::F32(values.to_vec())];
        let case = case(system, "tiled", 2);
        system.verify(&case, &Vec::new(), &buffer(expected), &buffer(got)).is_ok()
    };
    let loose = system(&stencil(HEADER, "loose.cu")).unwrap();
    assert!(verify(loose, &[1.0, 100.0], &[1.0, 100.0005]));
    assert!(!verify(loose, &[1.0, 100.0], &[1.0, 100.01]));
    assert!(!verify(loose, &[1.0, 100.0], &[1.0, f32::NAN]));
    assert!(!verify(loose, &[1.0, 100.0], &[1.0]));
    let exact = HEADER.replace("tolerance = 1e-5", "tolerance = 0");
    let exact = system(&stencil(&exact, "exact.cu")).unwrap();
    assert!(verify(exact, &[1.0, 100.0], &[1.0, 100.0]));
    assert!(!verify(exact, &[1.0, 100.0], &[1.0, 100.000_01]));
}

#[test]
fn a_wrong_header_names_key_line_and_way_out() {
    for (from, to, expected) in [
        ("radius = [2, 1, 4]", "radius = []", ":7: parameter `radius`: it has no values"),
        ("radius = [2, 1, 4]", "n = [2]", ":7: parameter `n`: choose another name"),
        ("radius = [2, 1, 4]", "radius = [1.5]", ":7: `params.radius` is float"),
        ("radius = [2, 1, 4]", "radius = [2000000000000]", "above the maximum"),
        ("\"8 * n\"", "\"8 * m\"", ":12: `8 * m`: there is no name `m`"),
        ("block   = 256", "block = 2048", ":3: `block` is 2048; allowed: 1 to 1024"),
        ("block   = 256", "block = [64, 64]", ":3: `block` has 4096 threads"),
        ("block   = 256", "block = true", ":3: `block` is boolean"),
        ("coarsen = 4", "coarsen = 0", ":4: `coarsen` is 0"),
        ("1e-5", "2", ":11: `tolerance` is 2; allowed: 0 to 1"),
        ("1e-5", "\"a\"", ":11: `tolerance` is string"),
        ("\"line\"", "\"lines\"", ":10: there is no view `lines`; did you mean `line`?"),
        ("\"out\"\n", "\"outt\"\n", ":9: there is no buffer `outt`; did you mean `out`?"),
        ("output  = \"out\"", "output = \"in\"", "kernel `plain` does not write `in`"),
        ("kernel.tiled", "kernel.tield", ":14: there is no kernel `tield`; did you mean `tiled`?"),
        ("shared  = \"4 *", "shard = \"4 *", ":15: there is no key of a kernel `shard`"),
        ("in: f32", "in: f31", ":8: argument `in: f31[n] uniform`: there is no type `f31`"),
        ("uniform", "unifrom", "did you mean `uniform`?"),
        ("n: u32 = n", "n: u32", "a number takes a value"),
        ("n: u32 = n", "n: f32 = n", ":17: the arguments do not fit the parameters of `plain`"),
        ("\"in: f32[n] uniform\", ", "", "the arguments do not fit"),
        ("2^10..2^24:x4", "many", "sizes `many`"),
    ] {
        let header = HEADER.replacen(from, to, 1);
        assert_ne!(header, HEADER, "{from}");
        let text = error(&stencil(&header, "wrong.cu")).to_string();
        assert!(text.starts_with("wrong.cu") && text.contains(expected), "{to}: {text}");
    }
}

#[test]
fn a_case_that_cannot_be_launched_names_the_line() {
    let obstacle = |from: &str, to: &str, n: u64, block: u32| {
        let header = HEADER.replacen(from, to, 1);
        let system = system(&stencil(&header, "skip.cu")).unwrap();
        let case = crate::experiment::Case { block, ..case(system, "tiled", n) };
        assert!(!system.work(&case).steps.is_empty() || system.obstacle(&case).is_some());
        system.obstacle(&case).unwrap_or_default()
    };
    let grid = "\"ceil(n / (block * coarsen))\"";
    for (from, to, n, block, expected) in [
        (grid, "\"n\"", 0, 256, "skip.cu:5: the grid `n` is 0 here; allowed: 1 to 2147483647"),
        (grid, "[1, \"n\"]", 1 << 20, 256, "the grid `n` is 1048576 here; allowed: 1 to 65535"),
        (grid, "\"n / 3\"", 4, 256, "skip.cu:5: `n / 3` is 1.33"),
        (grid, "\"n / (block - 256)\"", 4, 256, "division by zero"),
        (grid, "\"n ^ 100\"", 1 << 20, 256, "exceeds 128 bits"),
        ("block   = 256", "block = [32, 8]", 4, 64, "runs with 256 threads per block, not 64"),
        ("f32[n] uniform", "f32[n ^ 3] uniform", 1 << 20, 256, "the length of `in`,"),
        ("\"4 * (block", "\"4 * (n * block", u64::from(u32::MAX), 256, "skip.cu:15: the shared"),
        ("u32 = radius", "u32 = 0 - radius", 4, 256, "`radius` is -2 here, which u32 cannot hold"),
        ("uniform", "= 1 / i", 4, 256, "division by zero, where i = 0"),
        ("\"8 * n\"", "\"0 - n\"", 4, 256, "skip.cu:12: `0 - n` is -4"),
    ] {
        let text = obstacle(from, to, n, block);
        assert!(text.contains(expected), "{to}: {text}");
    }
    assert_eq!(obstacle("block   = 256", "block = [32, 8]", 4, 256), "");
}

#[test]
fn a_file_without_a_block_gets_one_to_paste() {
    let params: &[&str] = &["u64", "u64", "u32", "f32"];
    let source =
        "extern \"C\" __global__ void saxpy(const float *x, float *y, int n, float a) {}\n";
    let without = file("saxpy.cu", source, &ptx(&[("saxpy", params)]));
    let message = error(&without).message;
    let (what, block) = message.split_once("\n\n").unwrap();
    assert!(what.starts_with("no comment block says how to launch `saxpy`"), "{what}");
    for part in ["\"x: f32[n] uniform\"", "\"y: f32[n] zeros\"", "\"n: i32 = n\"", "\"a: f32 = 1\""]
    {
        assert!(block.contains(part), "{part} is missing from\n{block}");
    }
    // The block that is printed works.
    let with = OwnFile { source: format!("{block}{source}"), ..without };
    let system = system(&with).unwrap();
    let case = case(system, "saxpy", 100);
    assert_eq!(system.obstacle(&case), None);
    assert_eq!(system.work(&case).launches().count(), 1);
}

#[test]
fn inputs_of_every_type_are_filled() {
    let arg = |(index, element): (usize, Element)| {
        format!(
            "\"a{index}: {}[n] {}\"",
            element.short(),
            ["uniform", "= i * 3", "iota"][index % 3]
        )
    };
    let args: Vec<String> = Element::ALL.into_iter().enumerate().map(arg).collect();
    let header = format!("args = [{}]\ngrid = 1\noutput = \"a0\"\n", args.join(", "));
    let params = Element::ALL.map(|it| format!("{} *p", it.c_name())).join(", ");
    let source =
        format!("/* warpscope\n{header}*/\nextern \"C\" __global__ void all({params}) {{}}\n");
    let system = system(&file("types.cu", &source, &ptx(&[("all", &["u64"; 10])]))).unwrap();
    let case = case(system, "all", 500);
    assert_eq!(system.obstacle(&case), None);
    let inputs = system.inputs(&case);
    for (index, (input, element)) in inputs.iter().zip(Element::ALL).enumerate() {
        assert_eq!((input.element(), input.len()), (element, 500));
        let values = input.to_f64();
        let expected = |i: usize| [values[i], 3.0 * i as f64, i as f64][index % 3];
        let few = 40;
        let equal = |i: usize| values[i].to_bits() == expected(i).to_bits();
        assert!((0..few).all(equal), "{element}: {:?}", &values[..few]);
        if index % 3 == 0 {
            assert!(values.iter().any(|value| value.to_bits() != values[0].to_bits()), "{element}");
        }
        assert!(system.work(&case).buffers[index].given(&inputs).unwrap().is_some());
    }
}

#[test]
fn kernels_share_buffers_and_may_have_their_own_arguments() {
    let own = format!(
        "{HEADER}args = [\"in: f32[n] uniform\", \"out: f32[n] zeros\", \"n: i32 = n - 1\", \"radius: i32 = coarsen\"]\n"
    );
    let system = system(&stencil(&own, "own.cu")).unwrap();
    let work = system.work(&case(system, "tiled", 100));
    assert_eq!(work.launches().next().unwrap().args[2..], [Arg::U32(99), Arg::U32(4)]);
    let other = own.replacen(
        "\"in: f32[n] uniform\", \"out: f32[n] zeros\", \"n: i32",
        "\"in: f32[n] normal\", \"out: f32[n] zeros\", \"n: i32",
        1,
    );
    let text = error(&stencil(&other, "own.cu")).to_string();
    assert!(text.contains("own.cu:16: `in` differs from line 8"), "{text}");
}

proptest::proptest! {
    #[test]
    fn any_header_is_a_system_or_an_error(at in 0..HEADER.len(), with in "[\\PC\n\"]{0,4}", cut in 0..20_usize) {
        let end = (at + cut).min(HEADER.len());
        let mut header = HEADER.to_owned();
        if header.is_char_boundary(at) && header.is_char_boundary(end) {
            header.replace_range(at..end, &with);
        }
        if let Ok(system) = system(&stencil(&header, "fuzz.cu")) {
            let case = case(system, "tiled", 1 << 30);
            if system.obstacle(&case).is_none() {
                proptest::prop_assert!(!system.work(&case).steps.is_empty());
            }
        }
    }
}

#[test]
fn kernels_with_another_output_are_not_compared() {
    let header = r#"grid = 1
args = ["in: f32[n]", "out: f32[n]"]
output = "out"
[kernel.b]
args = ["out: f32[n]", "next: f32[2 * n]"]
output = "next"
block = 64
[kernel.c]
reference = "c"
"#;
    let source = |header: &str| {
        let kernel = |name| format!("__global__ void {name}(float *x, float *y) {{}}\n");
        format!(
            "/* warpscope\n{header}*/\n{}{}{}{}",
            kernel("a"),
            kernel("b"),
            kernel("c"),
            kernel("d")
        )
    };
    let params: &[&str] = &["u64", "u64"];
    let ptx = ptx(&[("a", params), ("b", params), ("c", params), ("d", params)]);
    let system = system(&file("four.cu", &source(header), &ptx)).unwrap();
    let of = |name: &str| {
        let case = case(system, name, 8);
        (system.outputs(&case)[0], system.reference_case(&case).unwrap().variant)
    };
    let wanted = [(1, "a"), (2, "b"), (1, "c"), (1, "a")];
    assert_eq!(["a", "b", "c", "d"].map(of), wanted.map(|(at, name)| (at, name.to_owned())));
    assert_eq!((system.own_block("a"), system.own_block("b")), (None, Some(64)));

    let wrong = |header: String| error(&file("four.cu", &source(&header), &ptx)).to_string();
    let expected = "four.cu:4: kernel `b` does not write `out`: it has no such argument, or a const \
                    pointer. If it has another output, set `output` in `[kernel.b]`";
    let message = wrong(header.replace("reference = \"c\"", "reference = \"b\""));
    assert_eq!(message, "four.cu:10: `b` has another output than `c`");
    let message = wrong(
        header
            .replace("\"out: f32[n]\", \"next", "\"new: f32[n]\", \"next")
            .replace("output = \"next\"\n", ""),
    );
    assert_eq!(message, expected);
}
