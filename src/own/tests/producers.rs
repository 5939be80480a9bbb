//! Kernels that read the output of other kernels of the file.

use super::infer::block;
use super::{case, file, ptx};
use crate::own::system;
use crate::work::Init;

const HEADER: &str = r#"grid   = "ceil(n / block)"
args   = ["in: u32[n] iota", "sums: u32[ceil(n / block)] zeros"]
output = "sums"
[kernel.total]
block  = 64
grid   = "1"
args   = ["sums: u32[ceil(n / block)] from first", "out: u32[1] zeros"]
output = "out"
[kernel.whole]
args   = ["in: u32[n] iota", "out: u32[1] zeros"]
output = "out"
"#;

fn source(header: &str) -> String {
    format!(
        "/* warpscope\n{header}*/\n\
         __global__ void first(const unsigned *in, unsigned *sums) {{}}\n\
         __global__ void total(const unsigned *sums, unsigned *out) {{}}\n\
         __global__ void whole(const unsigned *in, unsigned *out) {{}}\n"
    )
}

fn kernels() -> String {
    let two: &[&str] = &["u64", "u64"];
    ptx(&[("first", two), ("total", two), ("whole", two)])
}

#[test]
fn a_buffer_comes_from_its_producer() {
    let system = system(&file("before.cu", &source(HEADER), &kernels())).unwrap();
    let total = case(system, "total", 1000);
    assert_eq!(total.block, 64);
    let left = system.produced_inputs(&total);
    assert_eq!(left.len(), 1);
    // The block of the kernel that reads counts for the other, which has none of its own.
    let (input, first) = (left[0].input, &left[0].case);
    assert_eq!((first.variant.as_str(), first.block, first.n), ("first", 64, 1000));
    let other = &system.work(first).buffers[left[0].buffer];
    assert!(other.written && matches!(other.init, Init::Zeroed { .. }));
    let own = system.work(&total).buffers.into_iter().find(
        |it| matches!(it.init, Init::Input { index, bytes } if (index, bytes) == (input, 4 * 16)),
    );
    assert!(own.is_some_and(|it| it.name == "sums" && !it.written));
    // Nothing is left for `first`, and its inputs are others than those of `total`.
    let first = case(system, "first", 1000);
    assert!(system.produced_inputs(&first).is_empty());
    assert_ne!(system.input_key(&first), system.input_key(&total));
    let unused =
        |it: &crate::work::Buffer| matches!(it.init, Init::Input { index, .. } if index == input);
    assert!(!system.work(&first).buffers.iter().any(unused));
    // `whole` is compared with `total`, which needs them.
    let whole = case(system, "whole", 1000);
    assert_eq!(system.reference_case(&whole).unwrap().variant, "total");
    assert_eq!(system.produced_inputs(&whole), left);
}

#[test]
fn a_wrong_producer_is_an_error_of_its_line() {
    for (from, to, expected) in [
        ("from first", "from frist", ":8: there is no kernel `frist`; did you mean `first`?"),
        ("from first", "from whole", ":8: kernel `whole` has no buffer `sums`"),
        ("from first", "from", ":8: argument `sums: u32[ceil(n / block)] from`: `from` names no"),
        ("from first", "from total", ":8: `sums` is `from total`, but `total` reads it too"),
        (
            "(n / block)] from",
            "(n / 2)] from",
            ":8: `sums` is u32[ceil(n / 2)] here, and u32[ceil(n / block)] in kernel `first` (line 3)",
        ),
        ("sums: u32[ceil(n / block)] from", "sums: i32[ceil(n / block)] from", "`sums` is i32["),
        ("in: u32[n] iota\", \"sums: u32", "in: u32[n] from whole\", \"sums: u32", ""),
    ] {
        let header = HEADER.replacen(from, to, 1);
        let name = format!("{}.cu", super::super::hex(header.as_bytes()));
        let found = system(&file(&name, &source(&header), &kernels()));
        let message = found.err().map(|it| it.to_string()).unwrap_or_default();
        assert!(message.contains(expected), "{to}: {message}");
        assert_eq!(message.is_empty(), expected.is_empty(), "{to}: {message}");
    }
}

#[test]
fn other_lengths_at_other_blocks_are_an_obstacle() {
    let header =
        HEADER.replace("output = \"sums\"", "output = \"sums\"\n[kernel.first]\nblock = 128");
    let system = system(&file("lengths.cu", &source(&header), &kernels())).unwrap();
    let found = system.obstacle(&case(system, "total", 1000)).unwrap();
    let expected =
        "`sums` has 16 elements at block size 64, but `first` writes 8 at block size 128";
    assert!(found.contains(expected) && found.contains("lengths.cu:10"), "{found}");
}

#[test]
fn a_circular_dependency_is_refused() {
    let header = HEADER
        .replace("in: u32[n] iota\", \"sums", "out: u32[1] from total\", \"sums")
        .replace("[kernel.whole]", "[kernel.whole]\nreference = \"whole\"");
    let found = system(&file("circle.cu", &source(&header), &kernels()));
    let message = found.err().unwrap().to_string();
    let expected = ":3: circular dependency: `first` needs `out` from `total`, and `total` needs the \
                    output of `first`";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_block_follows_the_order_of_the_launches() {
    let source = r"
__global__ void total(float *sums, float *out, int count) { out[0] = sums[count - 1]; }
__global__ void sum(const float *in, float *sums, int n) { sums[blockIdx.x] = in[n - 1]; }
int main() {
    int n = 1 << 20, threads = 256, blocks = (n + threads - 1) / threads;
    float *d_in, *d_sums, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_sums, blocks * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    sum<<<blocks, threads>>>(d_in, d_sums, n);
    total<<<1, threads>>>(d_sums, d_out, blocks);
}";
    let params: &[&str] = &["u64", "u64", "u32"];
    let wanted = r#"/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "1"
args   = [
    "d_sums: f32[ceil(n / block)] from sum",
    "d_out: f32[1] zeros",
    "count: i32 = ceil(n / block)",
]
output = "d_out"
[kernel.sum]
grid   = "ceil(n / block)"
args   = [
    "d_in: f32[n] uniform",
    "d_sums: f32[ceil(n / block)] zeros",
    "n: i32 = n",
]
output = "d_sums"
*/
"#;
    let found = block(source, &[("total", params), ("sum", params)]);
    assert_eq!(found.replace("tolerance = 1e-4\n", ""), wanted);
    // Launched the other way round, `total` reads what the host has put there.
    let lines: Vec<&str> = source.lines().collect();
    let mut turned = lines.clone();
    turned.swap(10, 11);
    assert!(lines[11].contains("total<<<"));
    let found = block(&turned.join("\n"), &[("total", params), ("sum", params)]);
    assert!(found.contains("d_sums: f32[ceil(n / block)] uniform") && !found.contains("from"));
}
