//! Host code in classes, and numbers that are known only when it runs.

use super::infer::block;

/// Checks that the block of a source has these lines.
pub(super) fn check(source: &str, kernels: &[(&str, &[&str])], wanted: &[&str]) {
    let found = block(source, kernels);
    for line in wanted {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
}

#[test]
fn members_have_the_values_of_their_constructor() {
    const SOURCE: &str = r"
__global__ void step(const float *in, float *out, int nx, int ny, float c) { out[0] = in[nx * ny]; }
class Solver {
public:
    LIST
        dim3 block(16, 16);
        step<<<dim3((nx_ + 15) / 16, (ny_ + 15) / 16), block>>>(a_, b_, nx_, ny_, c_);
    }
    void more() { step<<<1, 1>>>(a_, b_, 7, 7, 7); }
private:
    size_t bytes() const { return sizeof(float) * nx_ * ny_; }
    int nx_, ny_; float c_ = 0.5f;
    float *a_ = nullptr, *b_;
};
int main() { MADE }";
    let lists = [
        "Solver(int nx, int ny) : nx_(nx), ny_{ny} { cudaMalloc(&a_, bytes()); cudaMalloc(&b_, bytes()); }
         void run() {",
        "Solver(int x, int y) { this->nx_ = x; this->ny_ = y; cudaMalloc(&a_, bytes());
         cudaMalloc(&b_, bytes()); } void run();
         }; void Solver::run() { {",
    ];
    let made = [
        "Solver s(512, 512); s.run();",
        "Solver s{512, 512}; s.run();",
        "auto s = std::make_unique<Solver>(512, 512); s->run();",
        "Solver *s = new Solver(512, 512); s->run();",
    ];
    for (list, made) in lists.iter().flat_map(|list| made.iter().map(move |made| (list, made))) {
        let source = SOURCE.replace("LIST", list).replace("MADE", made);
        let kernels: &[(&str, &[&str])] = &[("step", &["u64", "u64", "u32", "u32", "f32"])];
        check(
            &source,
            kernels,
            &[
                "sizes  = \"2^4..2^9:x2\"",
                "grid   = [\"ceil(n / 16)\", \"ceil(n / 16)\"]",
                "\"a_: f32[n * n] uniform\"",
                "\"nx: i32 = n\"",
                "\"ny: i32 = n\"",
                "\"c: f32 = 0.5\"",
            ],
        );
    }
}

#[test]
fn classes_that_allocate_are_buffers() {
    check(
        r"
__global__ void scale(float *x, int n) { x[0] *= 2; }
template <typename T> class Buffer {
    T *data_;
public:
    explicit Buffer(size_t count) { cudaMalloc(&data_, count * sizeof(T)); }
    T *device() { return data_; }
};
int main() { int n = 4096; Buffer<float> x(3 * n); scale<<<n / 128, 128>>>(x.device(), n); }",
        &[("scale", &["u64", "u32"])],
        &["\"x: f32[3 * n] zeros\"", "\"n: i32 = n\""],
    );
}

#[test]
fn numbers_from_files_and_arguments_are_sizes() {
    let source = r"
struct Image { int width, height; unsigned char *pixels; };
__global__ void blur(const unsigned char *in, unsigned char *out, int w, int h) { out[0] = in[w * h]; }
int main(int argc, char **argv) {
    Image image = load(argv[1]);
    size_t size = image.width * image.height * 3 * sizeof(unsigned char);
    int threads = atoi(argv[2]), device; cudaGetDevice(&device);
    unsigned char *in, *out;
    cudaMalloc(&in, size);
    cudaMalloc(&out, size);
    blur<<<BLOCKS>>>(in, out, image.width, image.height);
}";
    let kernels: &[(&str, &[&str])] = &[("blur", &["u64", "u64", "u32", "u32"])];
    let all = ["\"in: u8[3 * n * n] uniform\"", "\"w: i32 = n\"", "\"h: i32 = n\""];
    for (blocks, grid) in [
        (
            "dim3((image.width + 7) / 8, (image.height + 7) / 8), dim3(8, 8)",
            "[\"ceil(n / 8)\", \"ceil(n / 8)\"]",
        ),
        (
            "(image.width * image.height + threads - 1) / threads, threads",
            "\"ceil(n * n / block)\"",
        ),
    ] {
        let source = source.replace("BLOCKS", blocks);
        check(&source, kernels, &all);
        check(&source, kernels, &[&format!("grid   = {grid}")]);
    }
}

#[test]
fn records_are_filled_up_to_their_bounds_and_locks_are_no_output() {
    check(
        r"
struct Transfer { int from, to, amount; };
__global__ void apply(int *balance, int *locks, const Transfer *t, int n) {
    while (atomicCAS(&locks[0], 0, 1) != 0) {}
    balance[t[0].from] -= t[0].amount;
    atomicExch(&locks[0], 0);
}
int main() {
    const int accounts = 64, n = 65536;
    Transfer *h = (Transfer *)malloc(n * sizeof(Transfer)), *t; int *balance, *locks;
    for (int i = 0; i < n; ++i) {
        h[i].amount = rand() % 10; h[i].from = rand() % accounts; h[i].to = rand() % accounts;
    }
    cudaMalloc(&balance, accounts * sizeof(int));
    cudaMalloc(&locks, accounts * sizeof(int));
    cudaMalloc(&t, n * sizeof(Transfer));
    cudaMemcpy(t, h, n * sizeof(Transfer), cudaMemcpyHostToDevice);
    apply<<<(n + 127) / 128, 128>>>(balance, locks, t, n);
}",
        &[("apply", &["u64", "u64", "u64", "u32"])],
        &["\"t: i32[3 * n] uniform below 64\"", "output = \"balance\""],
    );
}

#[test]
fn kernels_in_turn_on_one_buffer_are_a_sequence_and_ways_are_not() {
    let source = r"
__global__ void scale(float *a, int n) { a[0] = a[n - 1] * 2; }
__global__ void shift(float *a, int n) { a[0] = a[n - 1] + 1; }
int main(int argc, char **argv) {
    int n = 1 << 16; float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    WAYS
}";
    let kernels: &[(&str, &[&str])] = &[("scale", &["u64", "u32"]), ("shift", &["u64", "u32"])];
    let (scale, shift) = ("scale<<<n / 512, 256>>>(d, n);", "shift<<<n / 512, 256>>>(d, n);");
    let in_turn = format!("for (int i = 0; i < 9; ++i) {{ {scale} {shift} }}");
    check(
        &source.replace("WAYS", &in_turn),
        kernels,
        &["sizes  = \"2^10..2^16:x4\"", "[kernel.shift]", "\"d: f32[n] from scale\""],
    );
    for ways in [
        format!("switch (argc) {{ case 1: {scale} break; case 2: {shift} }}"),
        format!("if (argc > 1) {scale} else {shift}"),
        format!("{scale} cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); {shift}"),
    ] {
        let found = block(&source.replace("WAYS", &ways), kernels);
        assert!(!found.contains("from scale"), "{found}");
    }
}

#[test]
fn objects_and_exponents_are_arguments() {
    let source = r"
template <typename T> struct Plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <typename T, typename Op> __global__ void reduce(const T *in, T *out, int n, Op op) {
    out[0] = op(in[0], in[n - 1]);
}
__global__ void turn(const int *in, int *out, int bits) { out[0] = in[bits]; }
int main() {
    const int bits = 14, n = 1 << bits; int *in, *out, *sums;
    cudaMalloc(&in, n * sizeof(int)); cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&sums, n * sizeof(int));
    turn<<<n / 128, 128>>>(in, out, bits);
    Plus<int> plus;
    reduce<<<n / 128, 128>>>(in, sums, n, MADE);
}";
    let reduce: &[&str] = &["u64", "u64", "u32", "b8[1]"];
    let kernels: &[(&str, &[&str])] =
        &[("reduce_int_Plus_int", reduce), ("turn", &["u64", "u64", "u32"])];
    for made in ["plus", "Plus<int>()", "Plus<int>{}"] {
        check(
            &source.replace("MADE", made),
            kernels,
            &["\"op: { byte0: u8 = 1 }\"", "[kernel.turn]", "\"bits: i32 = log2(n)\""],
        );
    }
}

#[test]
fn members_that_a_constructor_sets_are_arguments() {
    check(
        r"
struct Params { float a; int n; Params(float a_, int n_) : a{a_}, n(n_) {} };
class View { public: View(int count) : size(count) { cudaMalloc(&data, size * sizeof(float)); } float *data; int size; };
__global__ void k(const float *in, View out, Params p) { out.data[0] = in[p.n - 1] + p.a; }
int main() {
    int n = 1 << 12; float *in; cudaMalloc(&in, n * sizeof(float));
    View view(n); Params p(0.5f, n);
    k<<<(n + 255) / 256, 256>>>(in, view, p);
}",
        &[("k", &["u64", "b8[16]", "b8[8]"])],
        &[
            "sizes  = \"2^4..2^12:x4\"",
            "\"in: f32[n] uniform\"",
            "\"out: { data: f32[n] zeros, size: i32 = n }\"",
            "\"p: { a: f32 = 0.5, n: i32 = n }\"",
        ],
    );
}

#[test]
fn tensors_have_an_unknown_number_of_elements() {
    check(
        r"
template <typename scalar_t> __global__ void relu(const scalar_t *in, scalar_t *out, size_t n) { out[0] = in[n]; }
torch::Tensor run(torch::Tensor input) {
    auto out = torch::empty_like(input);
    const int threads = 1024, blocks = (input.numel() + threads - 1) / threads;
    AT_DISPATCH_FLOATING_TYPES(input.type(), 0, ([&] {
        relu<scalar_t><<<blocks, threads>>>(input.data<scalar_t>(), out.data<scalar_t>(), input.numel()); }));
    return out;
}",
        &[("relu_float", &["u64", "u64", "u64"])],
        &[
            "# n is `input.numel()`",
            "grid   = \"ceil(n / block)\"",
            "\"in: f32[n] uniform\"",
            "\"n: u64 = n\"",
        ],
    );
}

#[test]
fn templates_of_classes_have_the_arguments_of_their_first_use() {
    const SOURCE: &str = r"
template <typename T, int B> __global__ void top(const T *in, T *out, int n) { out[0] = in[n]; }
template <typename T, int Rows = 4> class Finder {
    static constexpr int kBlock = 64 * Rows;
    T *in_, *out_; int n_;
public:
    Finder(int n) : n_(n) { cudaMalloc(&in_, n_ * sizeof(T)); cudaMalloc(&out_, n_ / Rows * sizeof(T)); }
    void run()BODY;
OUTSIDE
int main() { Finder<double> f(4096); f.run(); }";
    let body = "{ top<T, kBlock><<<(n_ + kBlock - 1) / kBlock, kBlock>>>(in_, out_, n_); }";
    let inside = SOURCE.replace("BODY;", body).replace("OUTSIDE", "};");
    let outside =
        format!("}};\ntemplate <typename T, int Rows> void Finder<T, Rows>::run() {body}");
    let outside = SOURCE.replace("BODY", "").replace("OUTSIDE", &outside);
    for source in [inside, outside] {
        check(
            &source,
            &[("top_double_256", &["u64", "u64", "u32"])],
            &[
                "block  = 256\ngrid   = \"ceil(n / 256)\"",
                "\"in_: f64[n] uniform\"",
                "\"out_: f64[floor(n / 4)] zeros\"",
            ],
        );
    }
}
