//! Kernels that the header block launches a second time, under another name.

use super::infer::block;
use super::{case, file, ptx};
use crate::own::{describe, place_of, system};

const SOURCE: &str = r#"/* warpscope
grid   = "ceil(n / block)"
args   = ["x: f32[n] zeros", "n: i32 = n", "value: f32 = 1"]
output = "x"
[kernel.fill_y]
kernel = "fill"
args   = ["y: f32[n] zeros", "n: i32 = n", "value: f32 = 2"]
output = "y"
[kernel.add]
args   = ["x: f32[n] from fill", "y: f32[n] from fill_y", "n: i32 = n"]
output = "y"
*/
__global__ void fill(float *x, int n, float value) {}
__global__ void add(const float *x, float *y, int n) {}
"#;

fn kernels() -> String {
    ptx(&[("fill", &["u64", "u32", "f32"]), ("add", &["u64", "u64", "u32"])])
}

#[test]
fn a_kernel_is_launched_under_two_names() {
    let file = file("named.cu", SOURCE, &kernels());
    let system = system(&file).unwrap();
    let names: Vec<&str> = system.variants().iter().map(|it| it.name).collect();
    assert_eq!(names, ["fill", "fill_y", "add"]);
    assert_eq!(system.variants()[1].summary, "kernel `fill` in line 13 of named.cu");
    let second = case(system, "fill_y", 100);
    let launch = system.work(&second).launches().next().unwrap().clone();
    assert_eq!((launch.kernel.as_str(), launch.phase), ("fill", "fill_y"));
    let producers = system.produced_inputs(&case(system, "add", 100));
    let producers: Vec<&str> = producers.iter().map(|it| it.case.variant.as_str()).collect();
    assert_eq!(producers, ["fill", "fill_y"]);
    // Each moves its own buffers only.
    let bytes = |kernel| system.traffic(&case(system, kernel, 100)).bytes;
    assert_eq!((bytes("fill_y"), bytes("add")), (400, 800));
    assert_eq!(place_of("named.cu", "fill_y"), Some(("named.cu".to_owned(), 13)));
    let described = describe(&file).unwrap();
    assert_eq!(described.kernels[1].kernel.as_deref(), Some("fill"));
    assert_eq!(described.kernels[0].kernel, None);
}

#[test]
fn wrong_names_are_refused_with_their_line() {
    let message = |from: &str, to: &str| {
        let source = SOURCE.replace(from, to);
        system(&file("named.cu", &source, &kernels())).err().unwrap().to_string()
    };
    let unknown = message("kernel = \"fill\"", "kernel = \"fil\"");
    assert!(unknown.contains(":6: there is no kernel `fil`; did you mean `fill`?"), "{unknown}");
    let taken = message("[kernel.add]", "[kernel.add]\nkernel = \"fill\"");
    assert!(taken.contains(":9: `add` is a kernel of the file; choose another name"), "{taken}");
    let blank = message("[kernel.fill_y]", "[kernel.\"fill y\"]");
    assert!(blank.contains(":5: `fill y` is no name"), "{blank}");
    let number = message("kernel = \"fill\"", "kernel = 3");
    assert!(number.contains(":6: `kernel` is integer; write a text in quotes"), "{number}");
}

/// A kernel that fills two buffers, and one that reads them.
fn program(add: &str) -> String {
    format!(
        "__global__ void fill(float *out, int n, float value) {{ out[threadIdx.x] = value; }}\n\
         __global__ void add(const float *x, float *y, int n) {{ {add} }}\n\
         int main() {{\n\
             int n = 1 << 20; float *x, *y;\n\
             cudaMalloc(&x, n * sizeof(float));\n\
             cudaMalloc(&y, n * sizeof(float));\n\
             fill<<<n / 256, 256>>>(x, n, 1);\n\
             fill<<<n / 256, 256>>>(y, n, 2);\n\
             add<<<n / 256, 256>>>(x, y, n);\n\
         }}\n"
    )
}

#[test]
fn a_block_has_the_launches_that_produce_what_another_kernel_reads() {
    let kernels: &[(&str, &[&str])] =
        &[("fill", &["u64", "u32", "f32"]), ("add", &["u64", "u64", "u32"])];
    let read = block(&program("y[threadIdx.x] += x[threadIdx.x];"), kernels);
    let wanted = r#"[kernel.fill_y]
kernel = "fill"
args   = [
    "y: f32[n] zeros",
    "n: i32 = n",
    "value: f32 = 2",
]
output = "y"
[kernel.add]
args   = [
    "x: f32[n] from fill",
    "y: f32[n] from fill_y",
"#;
    assert!(read.contains(wanted), "{read}");
    let only_written = block(&program("y[threadIdx.x] = x[threadIdx.x];"), kernels);
    assert!(!only_written.contains("fill_y"), "{only_written}");
    assert!(only_written.contains("\"x: f32[n] from fill\""), "{only_written}");
}
