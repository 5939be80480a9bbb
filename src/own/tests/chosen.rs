//! Values that conditions choose, parts of arrays, single variables that are copied, and objects that functions
//! return.

use super::classes::check;

/// The block of a kernel with one buffer, which host code fills.
fn filled(fill: &str, wanted: &str) {
    let source = format!(
        "__global__ void k(int *x, int n) {{ x[n] += 1; }}\n\
        int main() {{ int n = 5000, *x; std::vector<int> h(n); {fill}\n\
        cudaMalloc(&x, n * sizeof(int)); cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);\n\
        k<<<(n + 63) / 64, 64>>>(x, n); }}\n"
    );
    check(&source, &[("k", &["u64", "u32"])], &[wanted]);
}

#[test]
fn conditions_give_zero_or_one() {
    for value in [
        "rand() % 4 == 0",
        "(rand() % 4 == 0)",
        "(float)rand() < 0.3f * RAND_MAX",
        "static_cast<int>(rand()) > 7 && i > 3",
        "rand() % 2 ? 1 : 0",
        "(i * 7 + 3) % 5 != 2",
    ] {
        filled(&format!("for (int i = 0; i < n; i++) h[i] = {value};"), "uniform below 2");
    }
    filled("for (auto &it : h) it = rand() % 4 == 0;", "uniform below 2");
    // These are no comparisons.
    for (value, wanted) in [
        ("'a' + rand() % 26", "uniform from 97 below 123"),
        ("'0' + rand() % 10", "uniform from 48 below 58"),
        ("(char)('a' + (rand() % 26))", "uniform from 97 below 123"),
        ("rand() % 20 - 10", "uniform from -10 below 10"),
        ("(rand() % 2) * 2 - 1", "uniform from -1 below 2"),
        ("10 - rand() % 5", "uniform from 6 below 11"),
        ("rand() & 0xff", "uniform below 256"),
        ("(int)(rand() / (float)RAND_MAX * 50)", "uniform below 51"),
        ("rand()", "uniform below 2147483648"),
        ("i + rand() % 3", "uniform below n"),
        ("\"ACGT\"[rand() % 4]", "uniform below n"),
        ("static_cast<int>(rand() % 7)", "uniform below 7"),
        ("rand() % 3 ? rand() % 90 : 4", "uniform below 90"),
        ("(1 << 3) + i", "= i + 8"),
        ("graph->size", "uniform below n"),
        ("std::numeric_limits<int>::max()", "= 2147483647"),
        ("Limits<4>::most", "uniform below n"),
        ("rand() % (n >> 1)", "uniform below floor(n / 2)"),
    ] {
        filled(&format!("for (int i = 0; i < n; i++) h[i] = {value};"), wanted);
    }
}

#[test]
fn one_of_several_values_is_that_of_most_elements() {
    let both = "for (int i = 0; i < n; i++) { if (i == FIRST) h[i] = A; else h[i] = B; }";
    let both = |a: &str, b: &str| both.replace('A', a).replace('B', b);
    filled(&both("0", "1000000000"), "= 1000000000");
    filled(&both("3", "0"), "uniform below 4");
    filled(&both("0", "rand() % 60"), "uniform below 60");
    filled(&both("5", "5"), "= 5");
    // A later loop sets them after the kernel.
    filled(
        "for (int i = 0; i < n; i++) h[i] = 0; for (int i = 0; i < n; i++) h[i] = rand() % 9;",
        "zeros",
    );
    let square = "for (int i = 0; i < 50; i++) for (int j = 0; j < 100; j++) {\n\
        if (i == j) h[i * 100 + j] = 0; else if (rand() % 9) h[i * 100 + j] = rand() % 30 + 1; else h[i * 100 + j] = INF; }";
    filled(square, "uniform from 1 below 31");
}

#[test]
fn iota_counts_all_elements_or_a_part() {
    filled("std::iota(h.begin(), h.end(), 0);", "= i");
    filled("std::iota(h.begin(), h.end(), 7);", "= i + 7");
    let shuffled = "std::shuffle(h.begin(), h.end(), std::mt19937(1));";
    filled(&format!("std::iota(h.begin(), h.end(), 0); {shuffled}"), "uniform below n");
    filled("std::iota(h.data(), h.data() + 256, 0);", "uniform below 256");
}

#[test]
fn vectors_may_have_elements_of_several_numbers() {
    let source = "__global__ void k(uchar4 *x, int *changed, int n) { x[n].x += 1; *changed = 1; }\n\
        int main() { int n = 5000, changed = 1; uchar4 *x; int *c; std::vector<uchar4> h(n);\n\
        for (int i = 0; i < n; i++) h[i] = make_uchar4(i, i, i, 255);\n\
        cudaMalloc(&x, h.size() * sizeof(uchar4));\n\
        cudaMemcpy(x, h.data(), h.size() * 4, cudaMemcpyHostToDevice); cudaMalloc(&c, sizeof(int));\n\
        while (changed) { changed = 3; cudaMemcpy(c, &changed, sizeof(int), cudaMemcpyHostToDevice);\n\
        k<<<(n + 63) / 64, 64>>>(x, c, n); } }\n";
    check(source, &[("k", &["u64", "u64", "u32"])], &["x: u8[4 * n] uniform", "c: i32[1] = 3"]);
}

#[test]
fn objects_may_be_returned_by_a_function() {
    let source = "struct Coo { int nnz; std::vector<int> row, col; };\n\
        static Coo make(int rows, int each) { Coo c; for (int r = 0; r < rows; ++r)\n\
        for (int k = 0; k < each; ++k) { c.row.push_back(r); c.col.push_back(k); }\n\
        c.nnz = (int)c.col.size(); return c; }\n\
        __global__ void k(const int *row, const int *col, float *y, int nnz) { y[row[nnz]] += col[nnz]; }\n\
        int main() { int n = 5000, *row, *col; float *y; Coo m = make(n, 12);\n\
        cudaMallocManaged(&row, m.nnz * sizeof(int)); cudaMallocManaged(&col, m.nnz * sizeof(int));\n\
        cudaMallocManaged(&y, n * sizeof(float)); std::copy(m.row.begin(), m.row.end(), row);\n\
        memcpy(col, m.col.data(), m.nnz * sizeof(int));\n\
        k<<<(m.nnz + 63) / 64, 64>>>(row, col, y, m.nnz); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32"])];
    let wanted =
        ["row: i32[12 * n] = floor(i / 12)", "col: i32[12 * n] = i % 12", "nnz: i32 = 12 * n"];
    check(source, kernels, &wanted);
    // A function that calls itself tells nothing.
    let endless = source.replace("Coo c;", "Coo c = make(rows, each);").replace("c.nnz =", "nnz =");
    check(&endless, kernels, &["row: i32[4 * n]"]);
}

#[test]
fn structures_that_are_bound_to_names_have_their_values() {
    let source = "struct Edge { int from, to; };\n\
        static std::tuple<std::vector<Edge>, int> make(int vertices, int each) { std::vector<Edge> edges;\n\
        for (int v = 0; v < vertices; v++) for (int d = 0; d < each; d++) edges.push_back({v, rand() % vertices});\n\
        return {edges, vertices}; }\n\
        __global__ void k(const Edge *edges, int count, int *d) { d[edges[count].to] = edges[count].from; }\n\
        int main() { auto [edges, n] = make(5000, 8); const int count = static_cast<int>(edges.size());\n\
        Edge *e; int *d; cudaMalloc(&e, count * sizeof(Edge)); cudaMalloc(&d, n * sizeof(int));\n\
        cudaMemcpy(e, edges.data(), count * sizeof(Edge), cudaMemcpyHostToDevice);\n\
        k<<<(count + 63) / 64, 64>>>(e, count, d); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u32", "u64"])];
    let wanted = ["e: i32[16 * n] uniform below n", "count: i32 = 8 * n", "d: i32[n]"];
    check(source, kernels, &wanted);
    let made =
        source.replace("return {edges, vertices}", "return std::make_tuple(edges, vertices)");
    check(&made, kernels, &wanted);
    // A function that calls itself tells nothing.
    let endless = source
        .replace("std::vector<Edge> edges;", "auto [edges, vertices] = make(vertices, each);");
    check(&endless, kernels, &["e: i32["]);
}

#[test]
fn tables_of_zeros_may_have_codes() {
    let source = "__constant__ unsigned char code[256];\n\
        __global__ void k(const char *x, int *counts, int n) { counts[code[x[n]]]++; }\n\
        int main() { int n = 5000, *c; char *x; const char letters[] = \"ACGT\"; std::string h(n, 'A');\n\
        for (auto &it : h) it = letters[rand() % 4]; unsigned char t[256] = {0}; t['C'] = 1; t['G'] = 2; t['T'] = 3;\n\
        cudaMemcpyToSymbol(code, t, 256); cudaMalloc(&x, n); cudaMalloc(&c, 16);\n\
        cudaMemcpy(x, h.data(), n, cudaMemcpyHostToDevice); k<<<(n + 63) / 64, 64>>>(x, c, n); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u32"])];
    check(source, kernels, &["code: u8[256] uniform below 4", "x: i8[n] uniform from 65 below 85"]);
    // One element is where something begins.
    check(&source.replace("t['C'] = 1; t['G'] = 2;", ""), kernels, &["code: u8[256] iota"]);
}

#[test]
fn arrays_have_sizes_and_buffers_get_what_is_uploaded() {
    let source = "using Block = std::array<double, 4 * 16>;\n\
        template <typename T> class Buffer { public: explicit Buffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); }\n\
        void upload(const std::vector<T> &h) { cudaMemcpy(data, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice); }\n\
        T *get() { return data; } T *data; };\n\
        __global__ void k(double *x, const int *keys, int n) { x[n] += keys[n]; }\n\
        int main() { const int n = 5000, blocks = 8000; std::vector<Block> h(n); double *x; std::vector<int> source(n);\n\
        for (int i = 0; i < n; i++) source[i] = i / 7;\n\
        cudaMalloc(&x, h.size() * sizeof(Block)); Buffer<int> keys(n); keys.upload(source);\n\
        k<<<blocks, 64>>>(x, keys.get(), n); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u32"])];
    let wanted = ["x: f64[64 * n]", "keys: i32[n] = floor(i / 7)", "grid   = \"8000\"", ",5000\""];
    check(source, kernels, &wanted);
}

#[test]
fn few_elements_may_differ_from_the_others() {
    let filled = |fill: &str, wanted: &str| {
        let source = format!(
            "__global__ void k(int *x, int n, int depth) {{ x[n] += depth; }}\n\
            int main() {{ int n = 4000, *x, depth = 0; {fill}\n\
            cudaMalloc(&x, n * sizeof(int)); cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);\n\
            k<<<(n + 63) / 64, 64>>>(x, n, depth++); }}\n"
        );
        check(&source, &[("k", &["u64", "u32", "u32"])], &[wanted, "depth: i32 = 0"]);
    };
    filled("std::vector<int> h(n, -1); h[0] = 5;", "= 5 - 6 * min(i, 1)");
    filled(
        "std::vector<int> h(n); for (auto &it : h) it = 900; int s = 0; h[s] = 0;",
        "= 900 * min(i, 1)",
    );
    // A row of the border, of 50 by 80.
    let border = "std::vector<int> h(n, 0); for (int i = 0; i < 50; i++) h[i] = h[n - 50 + i] = 1;";
    filled(border, "x: i32[n] zeros");
    // Counted, which is not followed.
    filled(
        "std::vector<int> h(n, 0); for (int i = 0; i < n; i++) h[rand() % n]++;",
        "uniform below n",
    );
}

#[test]
fn the_grid_has_the_size_of_members_of_structures() {
    let source = "struct Cloud { float *x; int count; };\n\
        __global__ void k(Cloud p, int *cells, int side) { atomicAdd(&cells[side], p.x[p.count]); }\n\
        float *load(const std::vector<float> &h) { float *d; cudaMalloc(&d, h.size() * 4); return d; }\n\
        int main() { const int count = 1 << 16, side = 64; std::vector<float> h(count); Cloud p; p.count = count;\n\
        p.x = load(h); int *cells; cudaMalloc(&cells, side * side * 4);\n\
        k<<<(count + 63) / 64, 64>>>(p, cells, side); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["b8[16]", "u64", "u32"])];
    check(
        source,
        kernels,
        &["p: { x: f32[n] uniform, count: i32 = n }", "side: i32 = 64", "cells: i32[4096]"],
    );
}

#[test]
fn deep_and_long_values_end() {
    let deep = format!("{}rand() % 4{}", "(".repeat(100_000), ")".repeat(100_000));
    let lists = format!("{}1{}", "{1, ".repeat(100_000), "}".repeat(100_000));
    let chosen = "rand() ? 1 : ".repeat(20_000) + "0";
    let most = "rand() % 170141183460469231731687303715884105727 + 170141183460469231731687303715884105727";
    for value in [&deep, &lists, &chosen, most] {
        filled(&format!("for (int i = 0; i < n; i++) h[i] = {value};"), "x: i32[n]");
    }
}
