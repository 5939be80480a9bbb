//! Programs that take one of several ways, and numbers that are known only when they run.

use super::classes::check;
use super::file;
use crate::own::system;

#[test]
fn kernels_of_the_cases_of_a_switch_are_compared() {
    let source = "#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))\n\
        __global__ void naive(int M, const float *A, float *C) { C[M] = A[M] + C[M]; }\n\
        __global__ void tiled(int M, const float *A, float *C) { C[M] = A[M] + C[M]; }\n\
        void run_naive(int M, float *A, float *C) { naive<<<CEIL_DIV(M, 32), 32>>>(M, A, C); }\n\
        void run_tiled(int M, float *A, float *C) { tiled<<<CEIL_DIV(M, 64), 64>>>(M, A, C); }\n\
        void run(int number, int M, float *A, float *C) { switch (number) {\n\
        case 1: run_naive(M, A, C); break;\n        case 2: run_tiled(M, A, C); break; } }\n\
        int main(int argc, char **argv) { int SIZES[] = {128, 256, 4096}; long m, most = SIZES[2];\n\
        float *dA, *dC; cudaMalloc(&dA, sizeof(float) * most); cudaMalloc(&dC, sizeof(float) * most);\n\
        for (int size : SIZES) { m = size; run(atoi(argv[1]), m, dA, dC); } }\n";
    let kernels: &[(&str, &[&str])] =
        &[("naive", &["u32", "u64", "u64"]), ("tiled", &["u32", "u64", "u64"])];
    let wanted = [
        "sizes  = \"2^4..2^12:x4\"   # n is `most`",
        "\"M: i32 = n\",\n    \"dA: f32[n] uniform\",\n    \"dC: f32[n] zeros\"",
    ];
    check(source, kernels, &wanted);
    let both = source.replace("break;\n        case 2:", "");
    check(&both, kernels, &["dC: f32[n] from naive"]);
}

#[test]
fn a_variable_takes_all_values_of_an_array() {
    let source = "__global__ void k(float *a, float one, int n) { a[n] = one; }\n\
        int main() { const float factors[3] = {0.5f, 2.5f, 4.0f}; int sizes[] = {1000, 2000};\n\
        for (int i = 0; i < 2; i++) { int n = sizes[i]; float *a; cudaMalloc(&a, n * sizeof(float));\n\
        k<<<(n + 127) / 128, 128>>>(a, factors[1], n); } }\n";
    let wanted = ["2^10..2^20:x4", "a: f32[n]", "one: f32 = 2.5", "n: i32 = n"];
    check(source, &[("k", &["u64", "f32", "u32"])], &wanted);
}

#[test]
fn random_numbers_less_something_may_be_negative() {
    let source = "__global__ void k(const int *in, int *out, int n) { out[n] = in[n]; }\n\
        int main() { int n = 1000; int *h = (int *)malloc(4 * n), *in, *out;\n\
        for (int i = 0; i < n; i++) h[i] = rand() % 20 - 10;\n\
        cudaMalloc(&in, 4 * n); cudaMalloc(&out, 4 * n); cudaMemcpy(in, h, 4 * n, cudaMemcpyHostToDevice);\n\
        k<<<(n + 63) / 64, 64>>>(in, out, n); }\n";
    let of = |less: &str| source.replace("% 20 - 10", less);
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u32"])];
    check(source, kernels, &["in: i32[n] uniform from -10 below 10\""]);
    check(&of("% (20 - 10)"), kernels, &["in: i32[n] uniform below 10"]);
    check(&of("% 20 + 1"), kernels, &["in: i32[n] uniform from 1 below 21"]);
}

#[test]
fn what_is_counted_is_known_when_the_program_runs() {
    let source = "__global__ void k(const int *in, int *out, int tasks) { out[tasks] = in[tasks]; }\n\
        int main() { int tasks = 0; int *h = (int *)malloc(4000), *in, *out;\n\
        for (int i = 0; i < 9; i++) { if (i & 1) h[tasks++] = i; }\n\
        cudaMalloc(&in, tasks * 4); cudaMalloc(&out, tasks * 4);\n\
        k<<<(tasks + 63) / 64, 64>>>(in, out, tasks); }\n";
    let wanted = ["n is `tasks`", "grid   = \"ceil(n / block)\"", "out: i32[n]", "tasks: i32 = n"];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn rows_of_a_file_have_four_entries() {
    let source = "__global__ void k(int nodes, const int *row_ptr, const int *col_idx, const float *x, float *y) {\n\
        y[nodes] = x[col_idx[row_ptr[nodes]]]; }\n\
        int main() { int num_nodes, num_edges; std::cin >> num_nodes >> num_edges; int *rp, *ci; float *x, *y;\n\
        cudaMalloc(&rp, (num_nodes + 1) * sizeof(int)); cudaMalloc(&ci, num_edges * sizeof(int));\n\
        cudaMalloc(&x, num_nodes * sizeof(float)); cudaMalloc(&y, num_nodes * sizeof(float));\n\
        k<<<(num_nodes + 255) / 256, 256>>>(num_nodes, rp, ci, x, y); }\n";
    let wanted = [
        "n is `num_nodes`",
        "rp: i32[n + 1] = 4 * i",
        "ci: i32[4 * n] uniform below n",
        "x: f32[n]",
    ];
    check(source, &[("k", &["u32", "u64", "u64", "u64", "u64"])], &wanted);
    // One thread for each entry.
    let edges = "__global__ void k(const int *src, float *sum, int num_edges) { sum[src[num_edges]] = 1; }\n\
        int main() { int num_edges; std::cin >> num_edges; int *src; float *sum;\n\
        cudaMalloc(&src, num_edges * sizeof(int)); cudaMalloc(&sum, num_edges * sizeof(float));\n\
        k<<<(num_edges + 255) / 256, 256>>>(src, sum, num_edges); }\n";
    check(edges, &[("k", &["u64", "u64", "u32"])], &["src: i32[n]", "num_edges: i32 = n"]);
}

/// `out[i] = x[i / n * n]` for a row `y` and a column of threads: `rows * n` elements.
const ROWS: &str = ".version 7.8\n.target sm_50\n.address_size 64\n\
    .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n\
    .reg .b32 %t, %c, %b, %n, %v; .reg .b64 %in, %out, %o;\n\
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];\n\
    mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %b, %ntid.x; mad.lo.u32 %t, %c, %b, %t;\n\
    mul.wide.u32 %o, %t, 4; add.u64 %out, %out, %o;\n\
    mad.lo.u32 %t, %t, %n, %n; mul.wide.u32 %o, %t, 4; add.u64 %in, %in, %o;\n\
    ld.global.u32 %v, [%in+-4]; st.global.u32 [%out], %v; ret; }\n";

#[test]
fn lengths_that_nobody_tells_are_those_that_the_kernel_reaches() {
    let kernel = "__global__ void k(const float *in, float *out, int n) { out[n] = in[n]; }\n";
    let of = |host: &str| {
        let file = file("rows.cu", &format!("{kernel}{host}"), ROWS);
        system(&file).map(|_| ()).unwrap_err().to_string()
    };
    let torch = of(
        "torch::Tensor run(torch::Tensor in) { auto out = torch::empty({in.size(0)}); int n = in.size(0);\n\
        k<<<n / 64, 64>>>(in.data_ptr<float>(), out.data_ptr<float>(), n); return out; }\n",
    );
    assert!(torch.contains("in: f32[n * n]") && torch.contains("out: f32[n]"), "{torch}");
    assert!(torch.contains("2^6..2^10:x2"), "{torch}");
    let constant = of("void run(float *in, float *out) { k<<<4, 64>>>(in, out, 100); }\n");
    assert!(
        constant.contains("in: f32[25600]") && constant.contains("out: f32[256]"),
        "{constant}"
    );
    assert!(constant.contains("sizes  = \"25600\"\n"), "{constant}");
    // What host code tells stays.
    let told = of(
        "int main() { int n = 4096; float *in, *out; cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);\n\
        k<<<n / 64, 64>>>(in, out, n); }\n",
    );
    assert!(told.contains("in: f32[n]"), "{told}");
}
