//! Memory that functions return, null pointers, numbers that host code computes, and containers that it fills.

use super::classes::check;

#[test]
fn a_function_may_return_what_it_allocates() {
    let source = "template <typename T> T *make(int count) { T *t; cudaMalloc((void **)&t, sizeof(T) * count);\n\
        cudaMemset(t, 0xff, sizeof(T) * count); return t; }\n\
        typedef float real;\n\
        __global__ void k(unsigned *keys, real *x, int n) { x[n] += keys[n]; }\n\
        int main() { int n = 5000; unsigned *keys = make<unsigned>(2 * n); real *x = make<real>(3 * n);\n\
        k<<<(n + 63) / 64, 64>>>(keys, x, n); }\n";
    let wanted = ["keys: u32[2 * n] = 4294967295", "x: f32[3 * n] uniform", "n: i32 = n"];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn a_pointer_may_be_null() {
    let source = "__global__ void k(float *x, const float *bias, int n) { if (bias) x[n] += bias[n]; }\n\
        void run(float *x, float *bias, int n) { k<<<(n + 63) / 64, 64>>>(x, bias, n); }\n\
        int main() { int n = 5000; float *x; cudaMalloc(&x, n * sizeof(float)); run(x, (float *)nullptr, n); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u32"])];
    check(source, kernels, &["x: f32[n]", "\"bias: null\",\n    \"n: i32 = n\""]);
    check(&source.replace("(float *)nullptr", "NULL"), kernels, &["bias: null"]);
    check(&source.replace("(float *)nullptr", "x"), kernels, &["x: f32[n]"]);
}

#[test]
fn known_numbers_are_computed() {
    let source = "const int mx = 64;\n__constant__ float c_a;\n\
        __global__ void k(float *x, float decay, float small, int n) { x[n] = c_a * decay + small; }\n\
        int main() { int n = 5000; float *x; cudaMalloc(&x, n * sizeof(float));\n\
        float step = mx - 1.f, a = 4.f / 5.f * step; cudaMemcpyToSymbol(c_a, &a, sizeof(float));\n\
        const float sigma = 2.0f, decay = (float)exp(-1.0 / sigma);\n\
        k<<<(n + 63) / 64, 64>>>(x, decay, 0.25f / 1e6f, n); }\n";
    let wanted = ["c_a: f32 = 63 * 4 / 5", "decay: f32 = 0.606530659", "small: f32 = 2.5e-7"];
    check(source, &[("k", &["u64", "f32", "f32", "u32"])], &wanted);
}

#[test]
fn launches_may_take_elements_of_arrays() {
    let source = "dim3 grid[2][2], block[2][2];\n\
        __global__ void k(float *x, int n) { x[threadIdx.y] = n; }\n\
        void shape(int n) { grid[0][1] = dim3(n / 16, 2); block[0][1] = dim3(16, 8);\n\
        grid[1][1] = dim3(7); block[1][1] = dim3(64); }\n\
        int main() { std::vector<int> SIZES = {128, 4096}; int n = SIZES[SIZES.size() - 1]; float *x;\n\
        cudaMalloc(&x, n * sizeof(float)); shape(n); k<<<grid[0][1], block[0][1]>>>(x, n); }\n";
    let wanted = ["2^12:x4", "block  = [16, 8]", "grid   = [\"floor(n / 16)\", \"2\"]"];
    check(source, &[("k", &["u64", "u32"])], &wanted);
}

#[test]
fn static_members_of_a_template_have_its_types() {
    let source = "#define real float\n\
        template <class E> struct alignas(16) Packed { __device__ E &operator[](int i) { return x[i]; }\n\
        static constexpr size_t size = sizeof(int4) / sizeof(E); E x[size]; };\n\
        using pack = Packed<real>;\nstruct Box { real side; int number; real volume; };\n\
        __global__ void k(real *x, Box *boxes, int n) { x[n * pack::size] = boxes[n].side; }\n\
        int main() { int n = 1 << 16; real *x; Box *boxes; cudaMalloc(&x, n * sizeof(real));\n\
        cudaMalloc(&boxes, 9 * sizeof(Box)); k<<<n / (64 * pack::size), 64>>>(x, boxes, n); }\n";
    let wanted = ["grid   = \"floor(n / 256)\"", "x: f32[n]", "boxes: f32[27] uniform"];
    check(source, &[("k", &["u64", "u64", "u32"])], &wanted);
}

#[test]
fn containers_that_grow_have_as_many_elements_as_loops_add() {
    let source = "__global__ void k(const int *ptr, const int *to, float *y, int rows) {\n\
        for (int j = ptr[rows]; j < ptr[rows + 1]; j++) y[rows] += to[j]; }\n\
        int main() { int n = 5000; std::vector<int> ptr(n + 1), to;\n\
        for (int i = 0; i != n; i++) { ptr[i] = (int)to.size(); to.push_back(i);\n\
        for (int d = 1; d <= 2; ++d) if (i >= d) to.push_back(i - d); }\n\
        int *p, *t; float *y; cudaMalloc(&p, (n + 1) * sizeof(int)); cudaMalloc(&y, n * sizeof(float));\n\
        cudaMalloc(&t, to.size() * sizeof(int));\n\
        cudaMemcpy(p, ptr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);\n\
        k<<<(n + 63) / 64, 64>>>(p, t, y, n); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32"])];
    check(source, kernels, &["p: i32[n + 1] = 3 * i", "t: i32[3 * n]"]);
    for (rounds, each) in [("int d : {1, 2, 7}", 4), ("auto &d : near[i]", 5)] {
        let other = source.replace("int d = 1; d <= 2; ++d", rounds);
        check(
            &other,
            kernels,
            &[&format!("p: i32[n + 1] = {each} * i"), &format!("t: i32[{each} * n]")],
        );
    }
    // How often these go round is not told, nor how often a function is called.
    for rounds in
        ["while (std::getline(in, line))", "do", "for (auto it = a.begin(); it != a.end(); ++it)"]
    {
        let other = source.replace("for (int d = 1; d <= 2; ++d)", rounds);
        check(&other, kernels, &["p: i32[n + 1] uniform", "y: f32[n]"]);
    }
    let other =
        source.replace("to.push_back(i);", "").replace("to.push_back(i - d);", "add(i - d);");
    let other = other.replace(
        "int main",
        "std::vector<int> to;\nvoid add(int i) { to.push_back(i); }\nint main",
    );
    check(&other.replace("ptr(n + 1), to;", "ptr(n + 1);"), kernels, &["p: i32[n + 1] uniform"]);
    // Offsets may grow too, from one on; so may entries that are drawn.
    let other = source
        .replace("ptr(n + 1), to;", "ptr(1, 0), to;")
        .replace("to.push_back(i);", "to.push_back(rand() % 9);");
    let other = other.replace("ptr[i] = (int)to.size();", "").replace("if (i >= d)", "");
    let other = other
        .replace("to.push_back(i - d); }", "to.push_back(i - d); ptr.push_back((int)to.size()); }");
    let other = other.replace(
        "cudaMalloc(&p, (n + 1) * sizeof(int))",
        "cudaMalloc(&p, ptr.size() * sizeof(int))",
    );
    let other = other.replace(
        "cudaMalloc(&t, to",
        "cudaMemcpy(t, to.data(), n, cudaMemcpyHostToDevice); cudaMalloc(&t, to",
    );
    check(&other, kernels, &["p: i32[n + 1] = 3 * i", "t: i32[3 * n] uniform below 9"]);
}

#[test]
fn indices_into_squares_lie_below_their_size() {
    let source = "__global__ void k(const int *to, const float *x, float *y, int n) { y[n] = x[to[n]]; }\n\
        int main() { int side = 256, n = side * side, *to; float *x, *y; cudaMalloc(&x, n * 4);\n\
        cudaMalloc(&to, (n + 1) * 4); cudaMalloc(&y, 4 * EXTRA n);\n\
        cudaMemcpy(to, read(\"to\"), n * 4, cudaMemcpyHostToDevice);\n\
        k<<<(n + 63) / 64, 64>>>(to, x, y, n); }\n";
    let kernels: &[(&str, &[&str])] = &[("k", &["u64", "u64", "u64", "u32"])];
    check(&source.replace("EXTRA", ""), kernels, &["to: i32[n * n + 1] uniform below n * n"]);
    // One of the buffers is smaller: it may be the one that is indexed.
    let other = source.replace("4 * EXTRA n", "4 * side");
    check(&other, kernels, &["to: i32[n * n + 1] uniform below n\""]);
}

#[test]
fn texts_and_structures_in_braces_have_sizes() {
    let source = "struct Shape { int rows, columns; };\n\
        __global__ void k(const char *word, float *x, Shape s, int length) { x[s.rows] = word[length]; }\n\
        int main() { Shape s = {5000, 48}; std::string word = \"wave\\\"front\"; char *w; float *x;\n\
        cudaMalloc(&w, word.length()); cudaMalloc(&x, s.rows * s.columns * sizeof(float));\n\
        k<<<(s.rows + 63) / 64, 64>>>(w, x, s, (int)word.size()); }\n";
    let wanted = [
        "w: i8[10]",
        "x: f32[48 * n]",
        "s: { rows: i32 = n, columns: i32 = 48 }",
        "length: i32 = 10",
    ];
    check(source, &[("k", &["u64", "u64", "b8[8]", "u32"])], &wanted);
}
