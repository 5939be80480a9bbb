//! Structures that kernels take by value.

use super::infer::block;
use super::{case, file, ptx};
use crate::own::{describe, system};
use crate::work::{Arg, Struct};

const HEADER: &str = r#"/* warpscope
grid   = "ceil(n / block)"
args   = [
    "A: { width: i32 = n, data: f32[2 * n] uniform, mix: { low: i8 = 0 - 3, high: f32 = 1.5 } }",
    "out: { data: f32[n] zeros }",
]
output = "out.data"
*/
"#;
const SOURCE: &str = "struct Mix { signed char low; float high; };
struct Matrix { int width; float *data; Mix mix; };
struct Out { float *data; };
__global__ void k(Matrix A, Out out) {}
";

fn kernels() -> String {
    ptx(&[("k", &["b8[24]", "b8[8]"])])
}

#[test]
fn members_lie_as_in_c() {
    let file = file("by_value.cu", &format!("{HEADER}{SOURCE}"), &kernels());
    let system = system(&file).unwrap();
    let work = system.work(&case(system, "k", 1000));
    let names: Vec<&str> = work.buffers.iter().map(|it| it.name).collect();
    assert_eq!(names, ["A.data", "out.data"]);
    assert_eq!(work.buffers[0].bytes(), 8000);
    let launch = work.launches().next().unwrap();
    let words = vec![1000, 0, 0x3fc0_0000_0000_00fd];
    let first = Arg::Struct(Struct { words, buffers: vec![(1, 0)] });
    let second = Arg::Struct(Struct { words: vec![0], buffers: vec![(0, 1)] });
    assert_eq!(launch.args, [first.clone(), second]);
    let address = |index| Some(0x100 * (index as u64 + 1));
    let words = first.words(address, |_, _| Err(String::new()));
    assert_eq!(words, Ok(vec![1000, 0x100, 0x3fc0_0000_0000_00fd]));
    assert_eq!(system.outputs(&case(system, "k", 1000)), [1]);
    assert!(work.buffers[1].written);
    let described = describe(&file).unwrap();
    assert_eq!(described.kernels[0].args[1].1, "{ data: f32[n] zeros }");
}

#[test]
fn vectors_begin_at_multiples_of_their_size() {
    let source = "/* warpscope\ngrid = \"1\"\nargs = [\"p: { n: i32 = 1, a: { x: f32 = 0, y: f32 = 1.5 } }\", \"out: f32[1]\"]\n*/\n\
        struct P { int n; float2 a; };\n__global__ void k(P p, float *out) {}\n";
    let words = |bytes: &str| {
        let text = ptx(&[("k", &[bytes, "u64"])]);
        let system = system(&file("vectors.cu", source, &text)).unwrap();
        let work = system.work(&case(system, "k", 1));
        let launch = work.launches().next().unwrap();
        let Arg::Struct(found) = &launch.args[0] else { panic!("{:?}", launch.args) };
        found.words.clone()
    };
    assert_eq!(words("b8[16]"), [1, 0x3fc0_0000_0000_0000]);
    // Of a `struct` of two floats, not.
    assert_eq!(words("b8[12]"), [1, 0x3fc0_0000]);
}

#[test]
fn structures_of_other_sizes_and_forms_are_refused() {
    let message = |from: &str, to: &str| {
        let source = format!("{HEADER}{SOURCE}").replace(from, to);
        system(&file("by_value.cu", &source, &kernels())).err().unwrap().to_string()
    };
    let size = message("width: i32 = n, ", "");
    let wanted = "
    args                    k
  > struct of 16 bytes A    Matrix A (24 bytes)
    struct of 8 bytes out   Out out (8 bytes)";
    assert!(size.contains(wanted), "{size}");
    // The gap before a pointer would take the place of a number.
    let none = message(
        "width: i32 = n, data: f32[2 * n] uniform",
        "data: f32[2 * n] uniform, width: i32 = n",
    );
    assert!(
        none.contains(":4: `A` has no member `data` here, or not in the order of `Matrix`"),
        "{none}"
    );
    let member = message("low: i8 = 0 - 3", "low: i9 = 3");
    assert!(member.contains(":4: argument `low: i9 = 3`: there is no type `i9`"), "{member}");
    let form = message("{ data: f32[n] zeros }", "{ f32[n] zeros }");
    assert!(form.contains(":5: argument `f32[n] zeros`: write \"NAME: TYPE[LENGTH]"), "{form}");
    let open = message("1.5 } }\"", "1.5 }\"");
    let wanted = "high: f32 = 1.5`: it has no `}` at its end";
    assert!(open.contains(wanted), "{open}");
    let deep = format!("out: {}x: u8 = 1{}", "{ a: ".repeat(9), " }".repeat(9));
    let deep = message("out: { data: f32[n] zeros }", &deep);
    assert!(deep.contains("more than 8 structures in each other"), "{deep}");
    let output = message("output = \"out.data\"", "output = \"data\"");
    assert!(output.contains("there is no buffer `data`"), "{output}");
}

#[test]
fn a_block_has_the_members_of_the_source() {
    const PROGRAM: &str = "int main() {
    Matrix a;
    a.width = 1 << 20;
    cudaMalloc(&a.data, a.width * sizeof(float));
    cudaMemcpy(a.data, host, a.width * sizeof(float), cudaMemcpyHostToDevice);
    Out b = { out };
    k<<<(a.width + 255) / 256, 256>>>(a, b, make_float3(1, 2, 3));
}
";
    let kernel = "__global__ void k(Matrix A, Out out, float3 f) { out.data[0] = A.data[0]; }\n";
    let types = SOURCE.split("__global__").next().unwrap();
    let source = format!("{types}{kernel}{PROGRAM}");
    let found = block(&source, &[("k", &["b8[24]", "b8[8]", "b8[12]"])]);
    let wanted = r#"sizes  = "2^10..2^20:x4"   # n is `a.width`
block  = 256
grid   = "ceil(n / block)"
args   = [
    "A: { width: i32 = n, data: f32[n] uniform, mix: { low: i8 = 1, high: f32 = 1 } }",
    "out: { data: f32[n] zeros }",
    "f: { x: f32 = 1, y: f32 = 2, z: f32 = 3 }",
]
output = "out.data"
"#;
    assert!(found.contains(wanted), "{found}");
    // A vector begins at a multiple of its size.
    let aligned = source.replace("float high;", "float4 high;");
    let found = block(&aligned, &[("k", &["b8[48]", "b8[8]", "b8[12]"])]);
    assert!(found.contains("mix: { low: i8 = 1, high: { x: f32 = 1, y: f32 = 1,"), "{found}");
    // Of a class with arrays, the members are not read: there is a number for each word.
    let class = source.replace("struct Matrix {", "class Matrix { public:");
    let found = block(&class, &[("k", &["b8[24]", "b8[8]", "b8[12]"])]);
    assert!(found.contains("\"A: { width: i32 = n, data: f32[n] uniform,"), "{found}");
    let class = class.replace("float high;", "float high[1];");
    let found = block(&class, &[("k", &["b8[24]", "b8[8]", "b8[12]"])]);
    assert!(found.contains("\"A: { word0: u32 = 1, word1: u32 = 1,"), "{found}");
}
