//! Programs that take one of several ways, and numbers that are known only when they run.

use super::classes::check;

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
