//! What names say where host code does not.

use super::classes::check;
use super::file;
use crate::own::system;

#[test]
fn members_of_a_dim3_are_set_one_by_one() {
    let source = "__global__ void k(float *a, int n) { a[n] = 1; }\n\
        __global__ void l(float *a, int n) { a[n] = 2; }\n\
        __global__ void m(float *a, int n) { a[n] = 3; }\n\
        int main() { int n = 4096; float *a; cudaMalloc(&a, n * n * sizeof(float));\n\
        dim3 block(32, 16); dim3 grid(n / 32, n / 16);\n\
        k<<<grid, block>>>(a, n);\n\
        block.y = 1; grid.y = n;\n\
        l<<<grid, block>>>(a, n);\n\
        dim3 blocks, threads; threads.x = 128; blocks.x = n / 128; blocks.y = 4;\n\
        m<<<blocks, threads>>>(a, n); }\n";
    let kernels: &[(&str, &[&str])] =
        &[("k", &["u64", "u32"]), ("l", &["u64", "u32"]), ("m", &["u64", "u32"])];
    let wanted = [
        "block  = [32, 16]\ngrid   = [\"floor(n / 32)\", \"floor(n / 16)\"]",
        "[kernel.l]\nblock  = 32\ngrid   = [\"floor(n / block)\", \"n\"]",
        "[kernel.m]\nblock  = 128\ngrid   = [\"floor(n / block)\", \"4\"]",
    ];
    check(source, kernels, &wanted);
}

#[test]
fn functions_and_constants_of_other_files_are_known_by_name() {
    let source = "__global__ void k(float *a, double pi, int n) { a[n] = pi; }\n\
        int main() { int n = 4096; float *a; cudaMalloc(&a, n * sizeof(float));\n\
        k<<<CEIL_DIV(n * 32, 128), 128>>>(a, M_PI, n); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "f64", "u32"])];
    check(source, kernels, &["grid   = \"ceil(32 * n / block)\"", "pi: f64 = 3.14159265358979"]);
    // A function of another name may be anything.
    let other = source.replace("CEIL_DIV", "blocks_of");
    check(&other, kernels, &["grid   = \"ceil(n / block)\""]);
}

#[test]
fn a_filter_is_no_size() {
    let source = "__global__ void k(const float *in, float *out, const float *filter, int width,\n\
        int filterWidth) { out[width] = in[filterWidth] * filter[0]; }\n\
        void blur(const float *h, int width, int filterWidth) { float *in, *out, *filter;\n\
        cudaMalloc(&in, width * width * sizeof(float)); cudaMalloc(&out, width * width * sizeof(float));\n\
        cudaMalloc(&filter, filterWidth * filterWidth * sizeof(float));\n\
        cudaMemcpy(filter, h, filterWidth * filterWidth * sizeof(float), cudaMemcpyHostToDevice);\n\
        k<<<dim3(width / 16, width / 16), dim3(16, 16)>>>(in, out, filter, width, filterWidth); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32", "u32"])];
    check(source, kernels, &["n is `width`", "filter: f32[81] uniform", "filterWidth: i32 = 9"]);
    let alone = &source[..source.find("void blur").unwrap()];
    check(alone, kernels, &["width: i32 = n", "filterWidth: i32 = 9"]);
}

#[test]
fn rows_of_a_sparse_matrix_begin_one_after_the_other() {
    let flat = "__global__ void k(const int *row_ptr, const int *col_idx, const float *values,\n\
        const float *x, float *y, int n) {\n\
        y[n] = values[row_ptr[0]] * x[col_idx[0]]; }\n";
    let wanted = [
        "row_ptr: i32[n + 1] = 4 * i",
        "col_idx: i32[4 * n]",
        "values: f32[4 * n]",
        "x: f32[n] uniform",
        "y: f32[n] zeros",
    ];
    check(flat, &[("k", &["u64", "u64", "u64", "u64", "u64", "u32"])], &wanted);
    let structure = "struct Csr { int rows; int nnz; int *rowPtrs; int *cols; float *vals; };\n\
        __global__ void k(Csr m, const float *x, float *y) { y[m.rows] = x[m.cols[m.rowPtrs[0]]]; }\n";
    let wanted = "rows: i32 = n, nnz: i32 = 4 * n, rowPtrs: i32[n + 1] = 4 * i, cols: i32[4 * n]";
    check(structure, &[("k", &["b8[32]", "u64", "u64"])], &[wanted]);
    // Without rows, the same names are nothing special.
    let without = "__global__ void k(const float *values, float *y, int n) { y[n] = values[n]; }\n";
    check(without, &[("k", &["u64", "u64", "u32"])], &["values: f32[n] uniform"]);
}

#[test]
fn a_tensor_is_known_by_its_variable() {
    let source = "__global__ void k(const float *x, float *y, int n) { y[n] = x[n]; }\n\
        std::vector<torch::Tensor> run(torch::Tensor in, torch::Tensor other) {\n\
        auto made = torch::zeros_like(in); const int n = in.numel();\n\
        k<<<(n + 255) / 256, 256>>>(in.data_ptr<float>(), made.data_ptr<float>(), n);\n\
        return {made}; }\n";
    let wanted = ["x: f32[n] uniform", "output = \"y\""];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn a_table_that_the_grid_does_not_depend_on_is_no_size() {
    let source = "__global__ void k(const float *table, const int *in, float *out, int rows) { out[rows] = table[in[rows]]; }\n\
        int main() { int rows = 4096, words = 50000; float *table, *out; int *in;\n\
        cudaMalloc(&table, words * sizeof(float)); cudaMalloc(&in, rows * sizeof(int));\n\
        cudaMalloc(&out, rows * sizeof(float)); k<<<(rows + 255) / 256, 256>>>(table, in, out, rows); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32"])];
    check(source, kernels, &["n is `rows`", "table: f32[50000]", "in: i32[n]", "rows: i32 = n"]);
}

#[test]
fn a_block_size_that_the_kernel_is_written_for_is_fixed() {
    let source = "#define SECTION 512\n\
        __global__ void k(float *out, int n) { __shared__ float s[SECTION]; out[n] = s[n]; }\n\
        int main() { int n = 4096; float *out; cudaMalloc(&out, n * sizeof(float));\n\
        k<<<n / SECTION, SECTION / 2>>>(out, n); }\n";
    check(source, &[("k", &["u64", "u32"])], &["[kernel.k]\nblock  = 256"]);
}

#[test]
fn names_of_other_types_are_followed() {
    for named in ["typedef __nv_bfloat16 real;", "using real = nv_bfloat16;"] {
        let source = format!(
            "{named}\n__global__ void k(real *out, const real *in, int n) {{ out[n] = in[n]; }}\n"
        );
        let wanted = ["out: u16[n] zeros", "in: u16[n] uniform below 16257"];
        check(&source, &[("k", &["u64", "u64", "u32"])], &wanted);
    }
}

#[test]
fn complex_numbers_are_two() {
    let source = "__global__ void k(const cuFloatComplex *in, cuDoubleComplex *out, int n) { out[n].x = in[n].x; }\n";
    let wanted = ["in: f32[2 * n] uniform", "out: f64[2 * n] zeros"];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn members_of_unknown_objects_are_sizes() {
    let source = "__global__ void k(const uchar3 *in, unsigned char *out, int width, int height, int step) {\n\
        out[width * step] = in[height].x; }\n\
        int main() { cv::Mat image = cv::imread(name); const int bytes = image.step * image.rows;\n\
        uchar3 *in; unsigned char *out; cudaMalloc(&in, bytes); cudaMalloc(&out, bytes / 3);\n\
        dim3 block(16, 16), grid((image.cols + 15) / 16, (image.rows + 15) / 16);\n\
        k<<<grid, block>>>(in, out, image.cols, image.rows, image.step); }\n";
    let wanted = [
        "n is `image.cols`, `image.rows`",
        "in: u8[3 * n * n] uniform",
        "out: u8[n * n] zeros",
        "width: i32 = n",
        "height: i32 = n",
        "step: i32 = n",
    ];
    check(source, &[("k", &["u64", "u64", "u32", "u32", "u32"])], &wanted);
}

#[test]
fn instances_with_another_operation_are_not_compared() {
    let source = "enum class Op { Sum, Max };\n\
        template <Op op, int B> __global__ void k(const float *in, float *out, int n) { out[n] = in[B]; }\n\
        int main() { int n = 4096; float *in, *out; cudaMalloc(&in, n * sizeof(float));\n\
        cudaMalloc(&out, n * sizeof(float)); k<Op::Sum, 64><<<n / 64, 64>>>(in, out, n);\n\
        k<Op::Max, 64><<<n / 64, 64>>>(in, out, n); k<Op::Sum, 128><<<n / 128, 128>>>(in, out, n); }\n";
    let params: &[&str] = &["u64", "u64", "u32"];
    let kernels = [("k_Op_Sum_64", params), ("k_Op_Max_64", params), ("k_Op_Sum_128", params)];
    let found = super::infer::block(source, &kernels);
    assert!(found.contains("reference = \"k_Op_Max_64\""), "{found}");
    assert_eq!(found.matches("reference").count(), 1, "{found}");
}

#[test]
fn elements_of_an_array_of_pointers_are_buffers_of_their_own() {
    let source = "__global__ void k(const float *in, float *out, int n) { out[n] = in[n]; }\n\
        int main() { int n = 4096, from = 0, to = 1; float *d[2]; for (auto &it : d) it = nullptr;\n\
        cudaMalloc(&d[0], n * sizeof(float)); cudaMalloc(&d[1], n * sizeof(float));\n\
        k<<<n / 64, 64>>>(d[from], d[to], n); }\n";
    let wanted = ["\"d: f32[n] uniform\"", "\"d_to: f32[n] zeros\"", "output = \"d_to\""];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn objects_behind_pointers_have_the_values_of_their_constructor() {
    let source = "struct World { int n; float *p; World(int count) : n(count) { cudaMalloc(&p, n * sizeof(float)); } };\n\
        __global__ void k(float *p, int n) { p[n] = 1; }\n\
        int main() { World *world = new World(8192);\n\
        k<<<(world->n + 127) / 128, 128>>>(world->p, world->n); }\n";
    let wanted = ["sizes  = \"2^5..2^13:x4\"", "grid   = \"ceil(n / block)\"", "n: i32 = n"];
    check(source, &[("k", &["u64", "u32"])], &wanted);
}

#[test]
fn a_kernel_without_a_launch_shows_its_dimensions() {
    let source =
        "extern \"C\" __global__ void k(float *out, int rows, int cols) { out[rows] = cols; }\n";
    let body = |special: &str| {
        let kernel = super::ptx(&[("k", &["u64", "u32", "u32"])]);
        kernel.replace("{ ret; }", &format!("{{ .reg .b32 %r<2>; {special} ret; }}"))
    };
    let found =
        |special: &str| system(&file("d.cu", source, &body(special))).err().unwrap().message;
    let flat = found("mov.u32 %r1, %tid.x;");
    assert!(
        flat.contains("grid   = \"ceil(n / block)\"") && flat.contains("out: f32[n] zeros"),
        "{flat}"
    );
    let rows = found("mov.u32 %r1, %ctaid.y;");
    assert!(rows.contains("block  = 256\ngrid   = [\"ceil(n / block)\", \"n\"]"), "{rows}");
    let square = found("mov.u32 %r1, %tid.y;");
    let block = "block  = [16, 16]\ngrid   = [\"ceil(n / 16)\", \"ceil(n / 16)\"]";
    assert!(square.contains(block) && square.contains("out: f32[n * n] zeros"), "{square}");
    assert!(square.contains("rows: i32 = n") && square.contains("cols: i32 = n"), "{square}");
}

#[test]
fn a_number_that_no_length_depends_on_is_no_size() {
    let source = "__global__ void k(float *out, int n, int rounds) { out[n] = rounds; }\n\
        int main(int argc, char **argv) { int n = atoi(argv[1]), rounds = atoi(argv[2]); float *out;\n\
        cudaMalloc(&out, n * sizeof(float)); k<<<n / 64, 64>>>(out, n, rounds); }\n";
    check(source, &[("k", &["u64", "u32", "u32"])], &["n: i32 = n", "rounds: i32 = 1"]);
}

#[test]
fn a_kernel_that_only_prints_is_no_reference() {
    let source = "/* warpscope\nsizes = \"16\"\ngrid = \"1\"\nargs = []\n[kernel.square]\nargs = [\"d: i32[n] uniform\"]\n*/\n\
        __global__ void hello() { printf(\"hello\"); }\n__global__ void square(int *d) { d[0] *= d[0]; }\n";
    let system =
        system(&file("hello.cu", source, &super::ptx(&[("hello", &[]), ("square", &["u64"])])));
    let system = system.unwrap();
    for name in ["hello", "square"] {
        let case = super::case(system, name, 16);
        assert_eq!(system.reference_case(&case).map(|it| it.variant).as_deref(), Some(name));
    }
}
