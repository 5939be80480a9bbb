//! What host code fills buffers with.

use super::infer::block;

#[test]
fn vectors_with_one_value_and_halves_are_filled_as_the_host_fills_them() {
    const SOURCE: &str = r"
__global__ void bfs(const int *row, int *dist, int level, int vertices) { dist[level] = dist[row[0]]; }
__global__ void scale(const __half *in, half2 *out, int n) { out[0] = in[n - 1]; }
int main() {
    const int V = 1 << 16;
    std::vector<int> row(V + 1), dist(V, -1);
    std::vector<__half> values(V);
    for (int v = 0; v <= V; v++) row[v] = v * 8;
    for (int v = 0; v < V; v++) values[v] = __float2half(v);
    dist[0] = 0;
    int *d_row, *d_dist;
    __half *in;
    half2 *out;
    cudaMalloc(&d_row, (V + 1) * sizeof(int));
    cudaMalloc(&d_dist, V * sizeof(int));
    cudaMalloc(&in, V * sizeof(__half));
    cudaMalloc(&out, V * sizeof(half2));
    cudaMemcpy(d_row, row.data(), (V + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_dist, dist.data(), V * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(in, values.data(), V * sizeof(__half), cudaMemcpyHostToDevice);
    bfs<<<(V + 255) / 256, 256>>>(d_row, d_dist, 0, V);
    scale<<<(V + 255) / 256, 256>>>(in, out, V);
    cudaMemcpy(dist.data(), d_dist, V * sizeof(int), cudaMemcpyDeviceToHost);
}";
    let found =
        block(SOURCE, &[("bfs", &["u64", "u64", "u32", "u32"]), ("scale", &["u64", "u64", "u32"])]);
    for line in [
        "\"d_row: i32[n + 1] = 8 * i\"",
        "\"d_dist: i32[n] = 0 - min(i, 1)\"",
        // The bits of numbers from 0 to 1.
        "\"in: u16[n] uniform below 15361\"",
        "\"out: u16[2 * n] zeros\"",
    ] {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
}

#[test]
fn launches_through_pointers_count_for_each_kernel_that_they_may_launch() {
    const KERNELS: &str = r"
__global__ void copy(float *out, const float *in) { out[0] = in[0]; }
__global__ void turn(float *out, const float *in) { out[1] = in[0]; }
int main() {
    const int width = 1024;
    float *a, *d[2];
    for (int k = 0; k < 2; k++) cudaMalloc(&d[k], width * width * sizeof(float));
    dim3 grid(width / 32, width / 32), block(32, 8);
    WAYS
}";
    let kernels: &[(&str, &[&str])] = &[("copy", &["u64", "u64"]), ("turn", &["u64", "u64"])];
    for ways in [
        "void (*all[])(float *, const float *) = {copy, turn};
         for (auto kernel : all) kernel<<<grid, block>>>(a, d[1]);",
        "void (*all[])(float *, const float *) = {copy, turn}; all[1]<<<grid, block>>>(a, d[0]);",
        "void (*kernel)(float *, const float *);
         if (width > 1) kernel = &copy; else kernel = &turn;
         kernel<<<grid, block>>>(a, d[k % 2]);",
    ] {
        let found = block(&KERNELS.replace("WAYS", ways), kernels);
        assert!(found.contains("grid   = [\"floor(n / 32)\", \"floor(n / 32)\"]"), "{found}");
        assert!(found.contains("\"d: f32[n * n] uniform\""), "{found}");
        assert!(!found.contains("[kernel.turn]"), "{found}");
    }
}

#[test]
fn guesses_fit_the_threads_and_the_type_of_shared_memory() {
    const SOURCE: &str = r"
__global__ void k(const float4 *pos, float4 *out, int count, float box)
{
    extern __shared__ float4 tile[];
    tile[0] = pos[0]; out[0] = tile[0];
}
class Simulation {
    float4 *d_pos, *d_out; int n;
    void step() { cudaMalloc(&d_pos, n * sizeof(float4)); k<<<n, 64>>>(d_pos, d_out, n, 1); }
};
";
    const ROWS: &str = r"
__global__ void rows(float *x) { x[0] = 1; }
int main() { int width = 1024; rows<<<dim3(width / 32, 64), dim3(32, 8)>>>(x); }
";
    let params: &[&str] = &["u64", "u64", "u32", "f32"];
    let found = block(SOURCE, &[("k", params)]);
    for line in ["\"d_pos: f32[4 * n] uniform\"", "\"count: i32 = n\""] {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
    let found = block(ROWS, &[("rows", &["u64"])]);
    assert!(found.contains("\"x: f32[512 * n] zeros\""), "{found}");
}

#[test]
fn what_the_host_sorts_is_sorted() {
    const SOURCE: &str = r"
__global__ void merge(const int *a, const int *b, int *out, int n) { out[n] = a[n] + b[n]; }
int main() {
    int n = 1 << 16;
    std::vector<int> a(n), b(n);
    for (int i = 0; i < n; i++) { a[i] = rand() % 1000; b[i] = rand() % 1000; }
    std::sort(a.begin(), a.end());
    int *da, *db, *out;
    cudaMalloc(&da, n * sizeof(int)); cudaMalloc(&db, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    merge<<<n / 256, 256>>>(da, db, out, n);
}";
    let found = block(SOURCE, &[("merge", &["u64", "u64", "u64", "u32"])]);
    assert!(found.contains("\"da: i32[n] sorted\""), "{found}");
    assert!(found.contains("\"db: i32[n] uniform below 1000\""), "{found}");
}

#[test]
fn sorted_numbers_are_sorted_in_every_type_and_below_a_bound() {
    use crate::experiment::Distribution::{Reversed, Sorted};
    use crate::own::fill::drawn;
    use crate::work::{Element, HostBuffer};
    macro_rules! check {
        ($buffer:ident, $range:expr, $reversed:expr) => {{
            let mut values = $buffer;
            if $reversed {
                values.reverse();
            }
            assert!(values.is_sorted() && values[0] < values[999], "{values:?}");
            let [least, most] = [values[0], values[999]].map(|it| it.to_string());
            let [least, most] = [least, most].map(|it| it.parse::<f64>().unwrap());
            let range =
                $range.map(|(least, count)| (f64::from(least as i32), f64::from(count as u32)));
            let inside = range.is_none_or(|it| least >= it.0 && most < it.0 + it.1);
            assert!(inside, "{values:?}");
        }};
    }
    let elements = [
        Element::U8,
        Element::I8,
        Element::U16,
        Element::I16,
        Element::U32,
        Element::I32,
        Element::U64,
        Element::I64,
        Element::F32,
        Element::F64,
    ];
    for element in elements {
        let signed = element.range().is_some_and(|it| it.0 < 0);
        let range = if signed { (-20, 100) } else { (20, 100) };
        for (range, dist) in [(None, Sorted), (None, Reversed), (Some(range), Sorted)] {
            let range = range.filter(|_| element.is_integer());
            let reversed = dist == Reversed;
            match drawn(element, dist, range, 3, 1000) {
                HostBuffer::U8(it) => check!(it, range, reversed),
                HostBuffer::I8(it) => check!(it, range, reversed),
                HostBuffer::U16(it) => check!(it, range, reversed),
                HostBuffer::I16(it) => check!(it, range, reversed),
                HostBuffer::U32(it) => check!(it, range, reversed),
                HostBuffer::I32(it) => check!(it, range, reversed),
                HostBuffer::U64(it) => check!(it, range, reversed),
                HostBuffer::I64(it) => check!(it, range, reversed),
                HostBuffer::F32(it) => check!(it, range, reversed),
                HostBuffer::F64(it) => check!(it, range, reversed),
            }
        }
    }
}
