//! Running sums that the host writes, and lengths that follow from them.

use super::classes::check;
use crate::own::fill::summed;
use crate::work::HostBuffer;

/// A kernel of rows, with loops of the host that give them different lengths.
fn rows(loops: &str) -> String {
    format!(
        "__global__ void k(const int *start, const float *value, float *y, int n) \
         {{ y[n] = value[start[n]]; }}\n\
         int main() {{ int n = 65536; std::vector<int> degree(n), start(n + 1);\n\
         for (int i = 0; i < n; ++i) degree[i] = 1 + rand() % 15;\n{loops}\n\
         int *ds; float *dv, *dy; cudaMalloc(&ds, (n + 1) * sizeof(int));\n\
         cudaMalloc(&dv, total * sizeof(float)); cudaMalloc(&dy, n * sizeof(float));\n\
         cudaMemcpy(ds, start.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);\n\
         k<<<n / 128, 128>>>(ds, dv, dy, n); }}\n"
    )
}

#[test]
fn rows_begin_at_running_sums() {
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32"])];
    let wanted =
        ["\"ds: i32[n + 1] sums of uniform from 1 below 16\"", "\"dv: f32[15 * n] uniform\""];
    for loops in [
        "int total = 0; for (int i = 0; i < n; ++i) { start[i] = total; total += degree[i]; }\n\
         start[n] = total;",
        "for (int i = 0; i < n; ++i) start[i + 1] = start[i] + degree[i]; int total = start[n];",
        "for (int i = 1; i <= n; i++) start[i] = start[i - 1] + degree[i - 1];\n\
         int total = start.back();",
        "std::partial_sum(degree.begin(), degree.end(), start.begin() + 1); int total = start[n];",
        "for (int i = 0; i < n; ++i) { int many = 1 + rand() % 15; start[i + 1] = start[i] + many; }\n\
         int total = start[n];",
    ] {
        check(&rows(loops), kernels, &wanted);
    }
    // Rows of one length.
    let same = "for (int i = 0; i < n; ++i) start[i + 1] = start[i] + 6; int total = start[n];";
    let wanted = ["\"ds: i32[n + 1] = 6 * i\"", "\"dv: f32[6 * n] uniform\""];
    check(&rows(same), kernels, &wanted);
    // Nobody knows how much a file says.
    let read = "int total = 0; for (int i = 0; i < n; ++i) { start[i] = total; total += read(); }";
    check(&rows(read), kernels, &["\"dv: f32[n] uniform\""]);
}

#[test]
fn sums_begin_with_zero_and_wrap_around() {
    assert_eq!(summed(HostBuffer::I32(vec![3, 1, 4])), HostBuffer::I32(vec![0, 3, 4]));
    assert_eq!(summed(HostBuffer::U8(vec![200, 100, 7])), HostBuffer::U8(vec![0, 200, 44]));
    assert_eq!(summed(HostBuffer::U64(Vec::new())), HostBuffer::U64(Vec::new()));
}

#[test]
fn arrays_methods_and_masks_have_their_lengths() {
    let source = "struct Grid { int side; float cell; __host__ __device__ int cells() const { return side * side; } };\n\
        __global__ void k(Grid g, int *count, unsigned *bins, bool *flag, float *x, unsigned n) { count[0] = bins[0]; x[n] = 1; }\n\
        int main() { Grid g{64, 0.5f}; int n = 1 << 20, *count; unsigned *bins, host[256], more = 0; bool *flag, set; float *x; cudaMalloc(&x, n * sizeof(float));\n\
        cudaMalloc(&count, g.cells() * sizeof(int)); cudaMalloc(&bins, sizeof host);\n\
        cudaMalloc(&flag, sizeof(set)); set = false;\n\
        cudaMemcpy(flag, &set, sizeof set, cudaMemcpyHostToDevice);\n\
        k<<<n / 256, 256>>>(g, count, bins, flag, x, n); cudaMemcpy(host, bins, sizeof(host), cudaMemcpyDeviceToHost); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["b8[8]", "u64", "u64", "u64", "u64", "u32"])];
    check(source, kernels, &["count: i32[4096]", "bins: u32[256]", "flag: u8[1] zeros"]);
    let table = "__global__ void k(unsigned *table, unsigned mask, const unsigned *keys, int rows) \
         { table[keys[rows] & mask] = 1; }\n\
         int main() { const int rows = 500000; const unsigned slots = 1 << 20; unsigned *table, *keys;\n\
         cudaMalloc(&table, slots * 4); cudaMalloc(&keys, rows * 4);\n\
         k<<<528, 256>>>(table, slots - 1, keys, rows); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u32", "u64", "u32"])];
    check(
        table,
        kernels,
        &["table: u32[1048576]", "mask: u32 = 1048575", "keys: u32[n]", "rows: i32 = n"],
    );
    let code = "__global__ void k(const unsigned *text, unsigned *out, int n) { out[n] = text[n]; }\n\
         int main() { int n = 4096; unsigned table[256], *d, *out; for (unsigned i = 0; i < 256; i++) {\n\
         unsigned c = i; for (int j = 0; j < 8; j++) c = c & 1 ? 99 ^ (c >> 1) : c >> 1; table[i] = c; }\n\
         cudaMalloc(&d, sizeof table); cudaMalloc(&out, n * 4);\n\
         cudaMemcpy(d, table, sizeof table, cudaMemcpyHostToDevice); k<<<n / 256, 256>>>(d, out, n); }\n";
    check(code, &[("k", &["u64", "u64", "u32"])], &["d: u32[256] uniform below n"]);
}

#[test]
fn numbers_of_a_loop_and_quotients_of_floats_have_their_values() {
    let source = "__global__ void k(const float *in, float *out, int n, int shift, float scale) { out[n] = scale * in[shift]; }\n\
        int main() { int n = 4096; float *in, *out, sigma = 3.0f; cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);\n\
        for (int shift = 0; shift < 32; shift += 4) k<<<n / 256, 256>>>(in, out, n, shift, 1 / (2 * sigma * sigma)); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u32", "u32", "f32"])];
    check(source, kernels, &["shift: i32 = 0", "scale: f32 = 1 / 18"]);
}

#[test]
fn lists_in_lists_give_a_structure_its_arrays() {
    let source = "struct Rows { int count; int *offsets, *targets; };\n\
        Rows upload(const std::vector<std::vector<int>> &lists) {\n\
        std::vector<int> offsets{0}, targets; for (const auto &list : lists) {\n\
        targets.insert(targets.end(), list.begin(), list.end()); offsets.push_back((int)targets.size()); }\n\
        Rows r{(int)lists.size(), nullptr, nullptr};\n\
        cudaMalloc(&r.offsets, offsets.size() * sizeof(int)); cudaMalloc(&r.targets, targets.size() * sizeof(int));\n\
        cudaMemcpy(r.offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice); return r; }\n\
        __global__ void k(Rows r, int *out) { out[r.count] = r.targets[r.offsets[0]]; }\n\
        int main() { const int n = 20000; std::vector<std::vector<int>> lists(n); Rows r = upload(lists); int *out;\n\
        cudaMalloc(&out, n * sizeof(int)); k<<<(r.count + 127) / 128, 128>>>(r, out); }\n";
    let wanted = ["offsets: i32[n + 1] = 4 * i", "targets: i32[4 * n]", "count: i32 = n"];
    check(source, &[("k", &["b8[24]", "u64"])], &wanted);
}

#[test]
fn a_block_alone_divides_no_length() {
    let source = "constexpr int ITEMS = 8, WIDTH = 128;\n\
        __global__ void count(const unsigned *keys, unsigned *bins, int n) { bins[n] = keys[n]; }\n\
        __global__ void scan(unsigned *bins, int total) { bins[total] += bins[0]; }\n\
        int main() { int n = 1 << 20, blocks = (n + WIDTH * ITEMS - 1) / (WIDTH * ITEMS); unsigned *keys, *bins;\n\
        cudaMalloc(&keys, n * 4); cudaMalloc(&bins, 16 * blocks * 4);\n\
        count<<<blocks, 128>>>(keys, bins, n); scan<<<1, 1024>>>(bins, 16 * blocks); }\n";
    let kernels: &[(&str, &[&str])] =
        &[("count", &["u64", "u64", "u32"]), ("scan", &["u64", "u32"])];
    check(
        source,
        kernels,
        &["bins: u32[16 * ceil(n / 1024)] from count", "total: i32 = 16 * ceil(n / 1024)"],
    );
}

#[test]
fn sums_of_each_other_and_broken_ones_end() {
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32"])];
    for loops in [
        "int total = 0; for (int i = 0; i < n; i++) { start[i + 1] = start[i] + degree[i]; \
         degree[i + 1] = degree[i] + start[i]; total += total; }",
        "std::partial_sum(degree.begin(), degree.end(), start.begin()); int total = start[start[n]]; \
         std::partial_sum(start.begin(), start.end(), degree.begin());",
        "int total = n, more = 0; for (int i = 0; i < n; i++) { total += more; more += total; start[] = ; start[i + 1] = start[i] +; }",
    ] {
        check(&rows(loops), kernels, &["\"ds: i32[n + 1]"]);
    }
    for end in
        ["start[i] =", "total +=", "start[i + 1] = start[i] +", "sizeof", "sizeof x", "g.cells("]
    {
        let source =
            rows(&format!("int total = 0; for (int i = 0; i < n; i++) start[i] = total; {end}"));
        let cut = source.find(end).map_or(source.len(), |at| at + end.len());
        let _ = super::infer::block(&source[..cut], kernels);
    }
}
