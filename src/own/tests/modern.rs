//! Host code of newer C++, and what kernels of tiles and flags need.

use super::{classes::check, file, ptx};
use crate::own::system;

#[test]
fn lambdas_compute_grids() {
    let made = [
        "constexpr auto blocks = [](auto a, auto b) { return (a + b - 1) / b; };\nint main() {",
        "int main() { auto blocks = [=](size_t a, int b) -> int { return (a + b - 1) / b; };",
    ];
    for made in made {
        let source = format!(
            "__global__ void k(float *a, int n) {{ a[n] = 1; }}\n{made}\n\
             int n = 4096; float *a; cudaMalloc(&a, n * sizeof(float));\n\
             k<<<blocks(n, 128), 128>>>(a, n); }}\n"
        );
        check(&source, &[("k", &["u64", "u32"])], &["grid   = \"ceil(n / block)\""]);
    }
}

#[test]
fn kernels_of_tiles_begin_with_a_full_one() {
    let source = |grid: &str| {
        format!(
            "__global__ void k(const float *a, float *b, int n) {{ b[n] = a[n]; }}\n\
             int main() {{ int n = 1024; float *a, *b; cudaMalloc(&a, n * n * sizeof(float));\n\
             cudaMalloc(&b, n * n * sizeof(float)); k<<<{grid}, 256>>>(a, b, n); }}\n"
        )
    };
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u32"])];
    let tiles = source("dim3((n + 127) / 128, (n + 63) / 64)");
    check(&tiles, kernels, &["sizes  = \"2^7..2^10:x2\""]);
    check(&source("dim3((n + 15) / 16, 4)"), kernels, &["sizes  = \"2^5..2^10:x2\""]);
}

#[test]
fn a_flag_is_no_output_beside_an_array() {
    let source = "__global__ void k(int *dist, int *changed, int n) { dist[n] = 1; *changed = 1; }\n\
        int main() { int n = 1024, changed = 0, *h = new int[n], *dist, *flag;\n\
        cudaMalloc(&dist, n * sizeof(int)); cudaMalloc(&flag, sizeof(int));\n\
        k<<<n / 64, 64>>>(dist, flag, n);\n\
        cudaMemcpy(&changed, flag, sizeof(int), cudaMemcpyDeviceToHost);\n\
        cudaMemcpy(h, dist, n * sizeof(int), cudaMemcpyDeviceToHost); }\n";
    check(source, &[("k", &["u64", "u64", "u32"])], &["output = \"dist\""]);
    let alone = source.replace("cudaMemcpy(h, dist, n * sizeof(int), cudaMemcpyDeviceToHost);", "");
    check(&alone, &[("k", &["u64", "u64", "u32"])], &["output = \"flag\""]);
}

#[test]
fn arrays_of_a_structure_hold_what_the_host_copies() {
    let source = "struct Graph { int *row; int nodes; };\n\
        __global__ void k(Graph g, int *out) { out[g.nodes] = g.row[0]; }\n\
        int main() { Graph g; g.nodes = 4096; int *row = new int[g.nodes + 1], *out;\n\
        for (int i = 0; i <= g.nodes; i++) row[i] = i * 8;\n\
        cudaMalloc(&g.row, (g.nodes + 1) * sizeof(int)); cudaMalloc(&out, g.nodes * sizeof(int));\n\
        cudaMemcpy(g.row, row, (g.nodes + 1) * sizeof(int), cudaMemcpyHostToDevice);\n\
        k<<<g.nodes / 256, 256>>>(g, out); }\n";
    check(source, &[("k", &["b8[16]", "u64"])], &["row: i32[n + 1] = 8 * i"]);
}

#[test]
fn members_of_several_objects_have_names_of_their_own() {
    let source = "struct T { float *data; };\n\
        T make(int n) { T t; cudaMalloc(&t.data, n * sizeof(float)); return t; }\n\
        __global__ void k(const float *x, float *y, int n) { y[n] = x[n]; }\n\
        int main() { int n = 4096; T x = make(n), y = make(n); k<<<16, 256>>>(x.data, y.data, n); }\n";
    let wanted = ["\"x_data: f32[n] uniform\"", "\"y_data: f32[n] zeros\""];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn arrays_of_pointers_are_left_out_with_the_reason() {
    let source = "__global__ void k(float **rows, int n) { rows[n][0] = 1; }\n";
    let error = system(&file("rows.cu", source, &ptx(&[("k", &["u64", "u32"])]))).err();
    let message = error.map(|it| it.message).unwrap_or_default();
    assert!(message.contains("`float **rows` is an array of pointers"), "{message}");
}

#[test]
fn kernels_with_other_grids_and_one_element_per_block_are_not_compared() {
    let source = "__global__ void a(const int *in, int *out) { out[blockIdx.x] = in[0]; }\n\
        __global__ void b(const int *in, int *out) { out[blockIdx.x] = 2 * in[0]; }\n\
        int main() { int n = 1 << 16, *in, *out; cudaMalloc(&in, n * sizeof(int));\n\
        cudaMalloc(&out, n / 128 * sizeof(int)); a<<<n / 128, 128>>>(in, out);\n\
        b<<<n / 128 / 2, 128>>>(in, out); }\n";
    let kernels: &[(&str, &[&str])] = &[("a", &["u64", "u64"]), ("b", &["u64", "u64"])];
    check(source, kernels, &["reference = \"b\""]);
}

#[test]
fn a_cooperative_launch_has_the_blocks_that_run_at_a_time() {
    let source = "__global__ void k(int *a, int n) { a[n] = 1; }\n\
        int main() { int n = 4096, *a, per = 0, threads = 128; cudaMalloc(&a, n * sizeof(int));\n\
        cudaDeviceProp gpu; cudaGetDeviceProperties(&gpu, 0); void *args[] = {&a, (void *)&n};\n\
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, k, threads, 0);\n\
        cudaLaunchCooperativeKernel((void *)k, per * gpu.multiProcessorCount, threads, args); }\n";
    let wanted = ["grid   = \"1056\"", "block  = 128", "\"a: i32[n] zeros\"", "\"n: i32 = n\""];
    check(source, &[("k", &["u64", "u32"])], &wanted);
}
