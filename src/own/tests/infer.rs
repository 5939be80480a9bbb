//! Blocks to paste for files that do not say how their kernels are launched.

use proptest::prelude::*;

use super::{case, file, ptx};
use crate::own::system;

/// The block for a file. With it, every kernel of the file can be launched at its smallest size.
pub(super) fn block(source: &str, kernels: &[(&str, &[&str])]) -> String {
    let ptx = ptx(kernels);
    let message = system(&file("a.cu", source, &ptx)).err().unwrap().message;
    let start = message.find("/* warpscope").unwrap();
    let block = message[start..].to_owned();
    let name = format!("b{}.cu", super::super::hex(block.as_bytes()));
    let system = system(&file(&name, &format!("{block}{source}"), &ptx))
        .unwrap_or_else(|error| panic!("{error}\n{block}"));
    for (kernel, _) in kernels {
        let case = case(system, kernel, system.defaults().sizes.0);
        assert_eq!(system.obstacle(&case), None, "{block}");
    }
    block
}

#[test]
fn a_block_without_host_code_is_a_guess() {
    let source =
        "extern \"C\" __global__ void k(const float4 *in, short *out, int n, float a, bool b) {}\n";
    let found = block(source, &[("k", &["u64", "u64", "u32", "f32", "u8"])]);
    let wanted = "/* warpscope\nsizes  = \"2^10..2^20:x4\"\nblock  = 256\ngrid   = \"ceil(n / block)\"\nargs   = [\n    \
        \"in: f32[4 * n] uniform\",\n    \"out: i16[n] zeros\",\n    \"n: i32 = n\",\n    \"a: f32 = 1\",\n    \
        \"b: u8 = 1\",\n]\noutput = \"out\"\n*/\n";
    assert_eq!(found, wanted);
}

#[test]
fn a_block_follows_the_launches() {
    let source = r"
#define TILE 16
__global__ void naive(const float *A, const float *B, float *C, int N) { C[0] = A[0] * B[0]; }
__global__ void tiled(const float *A, const float *B, float *C, int N) { C[TILE] = A[0] * B[0]; }
int main() {
    int N = 1024;
    size_t size = N * N * sizeof(float);
    float *d_A, *d_B, *d_C;
    cudaMalloc(&d_A, size); cudaMalloc(&d_B, size); cudaMalloc(&d_C, size);
    cudaMemcpy(d_A, a, size, cudaMemcpyHostToDevice);
    dim3 threads(TILE, TILE), blocks((N + TILE - 1) / TILE, (N + threads.y - 1) / threads.y);
    naive<<<blocks, threads>>>(d_A, d_B, d_C, N);
    tiled<<<blocks, threads>>>(d_A, d_B, d_C, N);
}";
    let params: &[&str] = &["u64", "u64", "u64", "u32"];
    let wanted = r#"/* warpscope
sizes  = "2^5..2^10:x2"   # n is `N`
block  = [16, 16]
grid   = ["ceil(n / 16)", "ceil(n / 16)"]
args   = [
    "d_A: f32[n * n] uniform",
    "d_B: f32[n * n] uniform",
    "d_C: f32[n * n] zeros",
    "N: i32 = n",
]
output = "d_C"
tolerance = 1e-4
*/
"#;
    assert_eq!(block(source, &[("naive", params), ("tiled", params)]), wanted);
}

#[test]
fn buffers_hold_what_the_host_writes() {
    let source = r"
__global__ void spmv(int rows, const int *ptr, const int *col, const float *x, float *y) { y[0] = x[0]; }
int main() {
    const int rows = 1 << 16, per_row = 16, nnz = rows * per_row;
    std::vector<int> ptr(rows + 1), col(nnz);
    for (int i = 0; i <= rows; i++) ptr[i] = i * per_row;
    for (auto &c : col) c = rng() % rows;
    int *d_ptr, *d_col; float *d_x, *d_y;
    cudaMalloc(&d_ptr, ptr.size() * sizeof(int)); cudaMalloc(&d_col, nnz * sizeof(int));
    cudaMalloc(&d_x, rows * sizeof(float)); cudaMalloc(&d_y, rows * sizeof *d_y);
    cudaMemcpy(d_ptr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_col, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice);
    int threads = 128;
    spmv<<<(rows + threads - 1) / threads, threads>>>(rows, d_ptr, d_col, d_x, d_y);
}";
    let wanted = r#"/* warpscope
sizes  = "2^6..2^16:x4"   # n is `rows`
block  = 128
grid   = "ceil(n / block)"
args   = [
    "rows: i32 = n",
    "d_ptr: i32[n + 1] = 16 * i",
    "d_col: i32[16 * n] uniform below n",
    "d_x: f32[n] uniform",
    "d_y: f32[n] zeros",
]
output = "d_y"
*/
"#;
    assert_eq!(block(source, &[("spmv", &["u32", "u64", "u64", "u64", "u64"])]), wanted);
}

#[test]
fn each_kernel_has_its_own_keys() {
    let source = r"
const int NX = 512;
__global__ void init(float *u) { u[blockIdx.x * NX] = 1; }
__global__ void step(const float *u, float *v, float dt) { v[0] = dt * u[NX]; }
__global__ void scale(float *v, int n) { v[n] *= 2; }
int main() {
    float *u, *v;
    cudaMallocManaged(&u, NX * NX * sizeof(float)); cudaMallocManaged(&v, NX * NX * sizeof(float));
    dim3 block(32, 8), grid(NX / block.x, NX / block.y);
    init<<<grid, block>>>(u);
    for (int t = 0; t < 1000; t++) { step<<<grid, block>>>(u, v, 0.1f); std::swap(u, v); }
    scale<<<NX * NX / 256, 256, 1 << 12>>>(v, NX * NX);
}";
    let wanted = r#"/* warpscope
sizes  = "512"   # n is `NX`
block  = [32, 8]
grid   = ["floor(n / 32)", "floor(n / 8)"]
args   = [
    "u: f32[n * n] zeros",
]
output = "u"
tolerance = 1e-4
[kernel.step]
args   = [
    "u: f32[n * n] from init",
    "v: f32[n * n] zeros",
    "dt: f32 = 0.1",
]
output = "v"
[kernel.scale]
block  = 256
grid   = "floor(n * n / block)"
shared = "4096"
args   = [
    "v: f32[n * n] from step",
    "n: i32 = n * n",
]
output = "v"
reference = "scale"
*/
"#;
    let kernels: &[(&str, &[&str])] =
        &[("init", &["u64"]), ("step", &["u64", "u64", "f32"]), ("scale", &["u64", "u32"])];
    assert_eq!(block(source, kernels), wanted);
}

#[test]
fn instances_of_templates_are_kernels() {
    let source = r"
template <class T, unsigned int blockSize>
__global__ void reduce(T *g_idata, T *g_odata, unsigned int n) { g_odata[0] = g_idata[n]; }
template <class T> void run(int size, int threads, int blocks, T *in, T *out) {
    int smem = threads <= 32 ? 2 * threads * sizeof(T) : threads * sizeof(T);
    switch (threads) {
    case 512: reduce<T, 512><<<blocks, threads, smem>>>(in, out, size); break;
    case 256: reduce<T, 256><<<blocks, threads, smem>>>(in, out, size); break;
    }
}
int main() {
    int size = 3 << 20, *in, *out;
    cudaMalloc(&in, size * sizeof(int)); cudaMalloc(&out, 64 * sizeof(int));
    run<int>(size, 256, 64, in, out);
}";
    let wanted = r#"/* warpscope
sizes  = "2^11..2^21:x4,3145728"   # n is `size`
block  = 512
grid   = "64"
shared = "2048"
args   = [
    "in: i32[n] uniform below n",
    "out: i32[64] zeros",
    "n: u32 = n",
]
output = "out"
[kernel.reduce_int_512]
block  = 512
[kernel.reduce_int_256]
block  = 256
shared = "1024"
reference = "reduce_int_256"
*/
"#;
    let params: &[&str] = &["u64", "u64", "u32"];
    assert_eq!(block(source, &[("reduce_int_512", params), ("reduce_int_256", params)]), wanted);
}

#[test]
fn what_host_code_does_not_say_is_guessed() {
    let source = r#"
__global__ void k(const float *A, float *C, int M, int K, float *p) { C[K] = A[M]; }
extern "C" void solve(const float *A, float *C, int M, int K) {
    dim3 threads(16, 16), blocks((K + 15) / 16, (M + threads.y - 1) / threads.y);
    k<<<blocks, threads>>>(A, C, M, K, params.weights);
}"#;
    let wanted = r#"/* warpscope
sizes  = "2^5..2^10:x2"   # n is `K`, `M`
block  = [16, 16]
grid   = ["ceil(n / 16)", "ceil(n / 16)"]
args   = [
    "A: f32[n * n] uniform",
    "C: f32[n * n] zeros",
    "M: i32 = n",
    "K: i32 = n",
    "p: f32[n * n] uniform",
]
output = "C"
*/
"#;
    assert_eq!(block(source, &[("k", &["u64", "u64", "u32", "u32", "u64"])]), wanted);
}

#[test]
fn a_launch_that_does_not_scale_is_for_one_size() {
    let source = r"
struct Body { float x, y, z; int kind; };
__global__ void k(const Body *in, Body *out, float *twice) { out[0].x = in[0].y; twice[0] = 1; }
int main() {
    const int bodies = 4096; std::vector<Body> host(bodies);
    Body *in, *out; float *twice;
    cudaMalloc(&in, host.size() * sizeof(Body)); cudaMalloc(&out, sizeof(Body) * bodies);
    cudaMalloc(&twice, 2 * sizeof(float));
    dim3 grid = 16;
    k<<<grid, 256>>>(in, out, twice);
    cudaMemcpy(host, out, bodies * sizeof(Body), cudaMemcpyDeviceToHost);
}";
    let wanted = r#"/* warpscope
sizes  = "4096"   # n is `bodies`
block  = 256
grid   = "16"
args   = [
    "in: f32[4 * n] uniform",
    "out: f32[4 * n] zeros",
    "twice: f32[2] zeros",
]
output = "out"
*/
"#;
    assert_eq!(block(source, &[("k", &["u64", "u64", "u64"])]), wanted);
}

#[test]
fn a_kernel_after_one_that_scales_needs_no_size() {
    let source = r"
__global__ void sums(const double *in, double *out, int n) { out[blockIdx.x] = in[n]; }
__global__ void last(const double *in, double *total) { total[0] = in[0]; }
int main() {
    int n = 1 << 20, blocks = 64; double *in, *out, *total;
    cudaMalloc(&in, n * sizeof(double)); cudaMalloc(&out, blocks * sizeof(double));
    cudaMalloc(&total, sizeof(double));
    sums<<<blocks, 256>>>(in, out, n);
    last<<<1, blocks>>>(out, total);
}";
    let wanted = r#"/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "64"
args   = [
    "in: f64[n] uniform",
    "out: f64[64] zeros",
    "n: i32 = n",
]
output = "out"
tolerance = 1e-4
[kernel.last]
block  = 64
grid   = "1"
args   = [
    "out: f64[64] from sums",
    "total: f64[1] zeros",
]
output = "total"
*/
"#;
    let kernels: &[(&str, &[&str])] =
        &[("sums", &["u64", "u64", "u32"]), ("last", &["u64", "u64"])];
    assert_eq!(block(source, kernels), wanted);
}

proptest! {
    #[test]
    fn any_host_code_gives_a_block(
        words in prop::collection::vec(prop::sample::select(vec![
            "k<<<", ">>>", "(", ")", "{", "}", "[", "]", "<", ",", ";", "=", "+", "-", "*", "/", "%",
            "<<", "&", "?", ":", ".", "n", "m", "a", "b", "i", "0", "1", "7", "32", "0x7fffffffffffffff",
            "1e300", "2.5f", "int", "float", "dim3", "cudaMalloc", "&a", "cudaMemcpy", "sizeof(float)",
            "sizeof(P)", "struct P", "for", "rand()", "ceil", "min", "\n#define m ", "\n",
            "class", "struct", "this", "C", "::", "make_int2", "new", "for", "case", "rand", "%", "operator",
            "cudaLaunchKernel(", "cudaLaunchKernelEx(&a,", "void *a[] =", "(void *)k", "...", "auto", "[&]", "return",
            "\n#define L(k, ...) k<<<1, n>>>(__VA_ARGS__)\n", "L(k,", "##", "template <typename T>", "<float>", "k",
            "alignas(16)", "namespace", "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n,",
            "std::iota(a.begin(), a.end(), 0);", "std::generate(a, a + n, rand);", "std::copy(a, b,", "b[0] = 5;",
            "auto [a, n] =", "return {a, n};", "b[i] = rand() % n", "== 0", "'a' +", "a.upload(b);", "b[i]++;",
            "using P = std::array<int, 4>;", "170141183460469231731687303715884105727", "std::shuffle(a,",
            "while", "<=", "string", "\"text\"", "a.push_back(i)", "a.size()", "for (int i = 0; i < n; i++) {",
        ]), 0..60)
    ) {
        let source = format!(
            "__global__ void k(const float *x, int *y, int n, float f) {{ y[n] = x[n]; }}\n\
             int main() {{ int n = 1 << 20; float *a; int *b; cudaMalloc(&b, n * 4); {}",
            words.join(" ")
        );
        let params: &[&str] = &["u64", "u64", "u32", "f32"];
        let error = system(&file("any.cu", &source, &ptx(&[("k", params)]))).err();
        let message = error.map(|it| it.message).unwrap_or_default();
        prop_assert!(message.contains("/* warpscope") && message.ends_with("*/\n"), "{message}");
    }
}
