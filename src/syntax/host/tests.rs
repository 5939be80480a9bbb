#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// What `x` of host code is, with the numbers of names.
fn number(source: &str) -> Option<i128> {
    argument(source)?.number()
}

/// The first argument of the launch of `k`.
fn argument(source: &str) -> Option<Value> {
    let source = format!("__global__ void k(int x) {{}}\n{source}");
    Host::new(&source).launch("k")?.arguments.first()?.value.clone()
}

/// What an expression in `main` is.
fn expression(text: &str) -> Option<i128> {
    number(&format!(
        "#define N 100\n#define UP(a, b) (((a) + (b) - 1) / (b))\n\
        const int M = N / 3;\nint half(int a) {{ return a / 2; }}\nint loud(int a) {{ log(a); return a; }}\n\
        int main() {{ int n = argc > 1 ? atoi(argv[1]) : 40; std::vector<float> h(n + 2), g(7);\n\
        dim3 block(16, 8), grid = dim3(n / block.x, 3); unsigned u{{5}};\nk<<<1, 1>>>({text}); }}"
    ))
}

#[test]
fn expressions_are_followed_to_numbers() {
    let cases = [
        ("2 + 3 * 4 - 6 / 4", 13),
        ("(2 + 3) % 4 << 3", 8),
        ("-n + 1'000'000", 999_960),
        ("0x10uL", 16),
        ("(n + 255) / 256 * 256", 256),
        ("N * M", 3300),
        ("UP(n, 16)", 3),
        ("half(n) + half(3)", 21),
        ("(int)ceil(n / 16.0)", 3),
        ("std::ceil((float)n / 16)", 3),
        ("floor(n / 16)", 2),
        ("std::min(n, 3) + max(4, 5)", 8),
        ("static_cast<int>(n)", 40),
        ("h.size() * g.size()", 294),
        ("block.x * block.y * block.z + grid.x", 130),
        ("u << 2", 20),
        ("n > 30 ? 1 : 2", 1),
        ("n > 30 && n != 40 ? 1 : 2", 2),
        ("unsigned(n)", 40),
    ];
    for (text, wanted) in cases {
        assert_eq!(expression(text), Some(wanted), "{text}");
    }
    for text in
        ["loud(n)", "n[0]", "unknown", "n / 0", "a->n", "\"a\"", "n +", "!n", "h.data()", ""]
    {
        assert_eq!(expression(text), None, "{text}");
    }
}

#[test]
fn names_have_what_they_were_last_set_to() {
    let first = "void f(int n, int m = 3) { int a = n; a = a * 2; if (b) a += 1; k<<<1, 1>>>(a + m); a = 1; }\n";
    assert_eq!(number(&format!("{first}int main() {{ const int size = 8; f(size); }}")), Some(19));
    // Nobody calls it.
    assert_eq!(number(first), None);
    let Some(Value::Op(Op::Add, _, m)) = argument(first) else { panic!() };
    assert_eq!(*m, Value::Name("m".to_owned(), Some(3)));
    let several =
        "int n = 5;\nint main() { p.n = 1; n = 2; for (int n = 3; n < 9; n++) k<<<1, 1>>>(n); }";
    assert_eq!(number(several), Some(3));
    assert_eq!(number("int n = 5;\nint main() { k<<<1, 1>>>(n); }"), Some(5));
    assert_eq!(number("int main() { int n = n; k<<<1, 1>>>(n); }"), None);
    assert_eq!(number("#define A B\n#define B A\nint main() { k<<<1, 1>>>(A); }"), None);
}

#[test]
fn a_launch_has_its_grid_and_its_memory() {
    let source = "\
__global__ void k(const int *in, float4 *out, int *count, int n) { out[0].x = in[1]; atomicAdd(&count[0], n); }
// k<<<1, 1>>>(0);
void run(int *d, int n, cudaStream_t stream) {
    float4 *out; int *d_count, total;
    CHECK(cudaMalloc((void **)&out, n * sizeof(float4)));
    cudaMalloc<int>(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    k<<<dim3((n + 127) / 128, 2), dim3{128}, 4 * n, stream>>>(d, out, d_count, n);
    cudaMemcpyAsync(&total, d_count, sizeof(int), cudaMemcpyDeviceToHost, stream);
}
int main() {
    std::vector<int> rows(101), random(50);
    for (int row = 0; row <= 100; ++row) rows[row] = row * 3 + 1;
    for (auto &it : random) it = rng() % 77;
    int *d_rows; cudaMalloc(&d_rows, rows.size() * 4);
    cudaMemcpy(d_rows, rows.data(), 404, cudaMemcpyHostToDevice);
    thrust::device_vector<int> other(50);
    run(d_rows, 100, 0);
}";
    let host = Host::new(source);
    let launch = host.launch("k").unwrap();
    assert_eq!(launch.line, 8);
    let Some(Value::Dim3(grid)) = launch.grid else { panic!() };
    assert_eq!(grid.map(|it| it.number()), [Some(1), Some(2), Some(1)]);
    let Some(Value::Dim3(block)) = launch.block else { panic!() };
    assert_eq!(block[0], Value::Number(128));
    assert_eq!(launch.shared.unwrap().number(), Some(400));
    let [rows, out, count, n] = &launch.arguments[..] else { panic!() };
    assert_eq!((n.value.as_ref().unwrap().number(), &n.memory), (Some(100), &None));
    let memory = rows.memory.as_ref().unwrap();
    assert_eq!(
        (memory.name.as_str(), memory.bytes.as_ref().unwrap().number()),
        ("d_rows", Some(404))
    );
    assert!(matches!(&memory.written, Written::Each(Value::Op(Op::Add, ..))), "{memory:?}");
    let memory = out.memory.as_ref().unwrap();
    assert_eq!((&memory.written, memory.read), (&Written::Nothing, false));
    let memory = count.memory.as_ref().unwrap();
    assert_eq!((&memory.written, memory.read), (&Written::Zeros, true));
    assert_eq!(memory.bytes, Some(Value::SizeOf("int".to_owned())));
    assert_eq!(
        ["in", "out", "count"].map(|it| host.writes("k", it)),
        [Some(false), Some(true), Some(true)]
    );
    assert_eq!(host.launch("other"), None);
    for broken in ["k<<<1, 2>>>", "k<<<1", "k<<<>>>(", "k<<<1, dim3(2, 2)>>>(", "k<<<>>>)"] {
        assert_eq!(Host::new(broken).launch("k"), None, "{broken}");
    }
}

#[test]
fn memory_is_followed_through_variables() {
    let memory = |main: &str| {
        let source = format!("__global__ void k(int *x) {{}}\nint main() {{ {main} }}");
        Host::new(&source).launch("k").unwrap().arguments[0].memory.clone()
    };
    let found =
        memory("int *a, *b; cudaMallocManaged(&a, 40); b = a; a[0] = 1; k<<<1, 1>>>(b);").unwrap();
    assert_eq!((found.name.as_str(), found.read), ("a", true));
    let vector =
        "thrust::device_vector<int> v(10); k<<<1, 1>>>(thrust::raw_pointer_cast(v.data()));";
    let found = memory(vector).unwrap();
    assert_eq!((found.bytes, found.elements.unwrap().number()), (None, Some(10)));
    let random = "int h[9], *d; for (int i = 0; i < 9; i++) { h[i] = rand() % 50; } cudaMalloc(&d, 36);\
        cudaMemcpy(d, h, 36, cudaMemcpyHostToDevice); k<<<1, 1>>>(d);";
    assert_eq!(
        memory(random).unwrap().written,
        Written::Drawn(Value::Number(0), Value::Number(50))
    );
    let masked = random.replace("% 50", "& 0xff");
    assert_eq!(
        memory(&masked).unwrap().written,
        Written::Drawn(Value::Number(0), Value::Number(256))
    );
    for unknown in
        ["k<<<1, 1>>>(p.x);", "k<<<1, 1>>>(q->x);", "cudaMalloc(&d, 4); k<<<1, 1>>>(d + 1);"]
    {
        assert_eq!(memory(unknown), None, "{unknown}");
    }
}

#[test]
fn templates_have_an_instance_for_each_launch() {
    let source = "\
template <typename T, int BLOCK = 64> __global__ void k(const T *in, T *out, int n);
template <typename T, int BLOCK = 64> __global__ void k(const T *in, T *out, int n) { out[0] = in[n]; }
template <class Op> __global__ void apply(float *x, Op op) {}
template <bool B> __global__ void flag(int *x) {}
template <typename T> __global__ void unused(T *x) {}
template __global__ void flag<false>(int *);
struct Twice {};
template <typename T> void scan(T *d, int n) { T *next; k<T, 128><<<1, 128>>>(d, next, n); scan(next, n / 2); }
const int SIZE = 32;
int main() {
    unsigned char *bytes = 0, *more; std::vector<long> v; const double y = 1, *d_y;
    k<<<1, 64>>>(bytes, more, 1);
    k<float><<<1, 64>>>(nullptr, nullptr, 1);
    k<float, 2 * SIZE><<<1, 64>>>(nullptr, nullptr, 1);
    k<<<1, 64>>>(d_y, d_y, 1);
    scan(thrust::raw_pointer_cast(v.data()), 1);
    apply<<<1, 1>>>(0, Twice());
    int local = 4;
    flag<true><<<1, 1>>>(0); flag<(local > 3)><<<1, 1>>>(0);
    auto pointer = k<int>;
}";
    let host = Host::new(source);
    let names = |kernel: &str| -> Vec<String> {
        host.instances(kernel).into_iter().map(|it| it.name).collect()
    };
    assert_eq!(
        names("k"),
        ["k_long_128", "k_unsigned_char_64", "k_float_64", "k_double_64", "k_int_64"]
    );
    assert_eq!(names("flag"), ["flag_false", "flag_true", "flag_1"]);
    assert!(names("unused").is_empty() && names("scan").is_empty() && names("main").is_empty());
    let launch = host.launch("k_long_128").unwrap();
    assert_eq!((launch.line, &launch.numbers[..]), (8, &[128][..]));
    assert_eq!(host.writes("k_long_128", "out"), Some(true));
    assert_eq!(host.launch("k_int_64"), None);
}

#[test]
fn each_call_of_a_template_that_launches_makes_an_instance() {
    let source = "namespace ops { template <typename T, int B> __global__ void rows(const T *x, int n) {} }\n\
        template <int B> void launch(const float *x, int n) { ops::rows<float, B><<<n, B>>>(x, n); }\n\
        int main() { const int n = 100; launch<128>(0, n); launch<256>(0, 2 * n); }";
    let host = Host::new(source);
    let found: Vec<_> = host.instances("rows").into_iter().map(|it| it.name).collect();
    assert_eq!(found, ["rows_float_128", "rows_float_256"]);
    let launch = host.launch("rows_float_256").unwrap();
    assert_eq!(
        (launch.grid.unwrap().number(), launch.block.unwrap().number()),
        (Some(200), Some(256))
    );
}

#[test]
fn loops_and_chains_set_names() {
    assert_eq!(expression("n"), Some(40));
    let chained = "int main() { long m, n, size = 64; m = n = size; k<<<1, 1>>>(m + n); }";
    assert_eq!(number(chained), Some(128));
    let steps = "int main() { for (int k = 2; k < 9; k <<= 1) for (int j = k >> 1; j > 0; j = j >> 1) k<<<1, 1>>>(j); }";
    assert_eq!(number(steps), Some(1));
}

#[test]
fn the_type_of_a_pytorch_macro_is_float() {
    let source = "template <typename scalar_t> __global__ void k(scalar_t *x, int n) {}\n\
        void run(torch::Tensor x) { AT_DISPATCH_FLOATING_TYPES(x.type(), \"k\", ([&] {\n\
        k<scalar_t><<<9, 128>>>(x.data<scalar_t>(), x.numel()); })); }\n";
    let found = |source: &str| Host::new(source).instances("k")[0].name.clone();
    assert_eq!(found(source), "k_float");
    assert_eq!(found(&format!("using scalar_t = double;\n{source}")), "k_scalar_t");
}

#[test]
fn types_of_the_source_have_a_layout() {
    let source = "const int N = 3;\nstruct Body { float x, y, z; const float v[N]; };\n\
        typedef struct { char tag; double value; Body body; } Item;\nstruct { int a; } Anonymous;\n\
        struct Pointer { int *p; };\nstruct Method { static int n; int a; Method(int b) : a{b} {} int get() { return a; } };\n\
        struct Loop { Loop inner; };\nstruct Empty {};\n";
    let host = Host::new(source);
    let built_in = |name: &str| match name {
        "float" | "int" => Some((4, 4)),
        "char" => Some((1, 1)),
        "double" => Some((8, 8)),
        _ => None,
    };
    let layout = |name: &str| host.layout(name, &built_in);
    let body = layout("Body").unwrap();
    assert_eq!(
        (body.bytes, &body.members[..]),
        (24, &[("float".to_owned(), 3), ("float".to_owned(), 3)][..])
    );
    assert_eq!(layout("Item").unwrap().bytes, 40);
    assert_eq!(layout("Method").unwrap().bytes, 4);
    for unknown in ["Pointer", "Loop", "Empty", "Missing", ""] {
        assert_eq!(layout(unknown), None, "{unknown}");
    }
}

#[test]
fn members_of_the_host_fill_memory() {
    let source = "__global__ void k(int *x) {}\nstruct Graph { std::vector<int> offsets, edges; };\n\
        Graph make(int n, int degree) { Graph g; for (int v = 0; v <= n; v++) g.offsets[v] = v * degree;\n\
        for (auto &e : g.edges) e = rand() % n; return g; }\n\
        int main() { Graph g = make(100, 8); int *d; cudaMalloc(&d, 404);\n\
        cudaMemcpy(d, g.WHAT.data(), 404, cudaMemcpyHostToDevice); k<<<1, 1>>>(d); }";
    let written = |what: &str| {
        let source = source.replace("WHAT", what);
        Host::new(&source).launch("k").unwrap().arguments[0].memory.clone().unwrap().written
    };
    assert_eq!(
        written("edges"),
        Written::Drawn(Value::Number(0), Value::Name("n".to_owned(), Some(100)))
    );
    let Written::Each(Value::Op(Op::Multiply, _, degree)) = written("offsets") else { panic!() };
    assert_eq!(degree.number(), Some(8));
    let set = source.replace(
        "cudaMemcpy(d, g.WHAT.data(), 404, cudaMemcpyHostToDevice)",
        "cudaMemset(d, 0xff, 404)",
    );
    let memory = Host::new(&set).launch("k").unwrap().arguments[0].memory.clone().unwrap();
    assert_eq!(memory.written, Written::Each(Value::Number(-1)));
}

#[test]
fn the_threads_per_block_choose_an_instance() {
    let source = "template <int B> __global__ void k(int *x) {}\nvoid run(int threads) { int *d;\n\
        cudaMalloc(&d, threads * 4); switch (threads) { case 64: k<64><<<9, threads>>>(d); break;\n\
        case 128: k<128><<<9, threads, threads * 4>>>(d); } }\nint main() { run(128); }";
    let host = Host::new(source);
    let block = |name| host.launch(name).unwrap().block.unwrap().number();
    assert_eq!((block("k_64"), block("k_128")), (Some(64), Some(128)));
    let small = host.launch("k_64").unwrap();
    assert_eq!(
        small.arguments[0].memory.as_ref().unwrap().bytes.as_ref().unwrap().number(),
        Some(256)
    );
}

#[test]
fn deep_and_long_expressions_are_unknown() {
    let deep = "(".repeat(50_000) + "1" + &")".repeat(50_000);
    assert_eq!(expression(&deep), None);
    assert_eq!(expression(&"-".repeat(50_000)), None);
    assert_eq!(expression(&"1 ? ".repeat(50_000)), None);
    let names: String =
        (1..100).map(|it| format!("int a{it} = a{} + a{};\n", it - 1, it - 1)).collect();
    assert_eq!(number(&format!("int main() {{ int a0 = 1; {names} k<<<1, 1>>>(a99); }}")), None);
}

proptest! {
    #[test]
    fn any_text_is_read(
        words in prop::collection::vec(prop::sample::select(vec![
            "k", "f", "x", "n", "int", "float", "*", "&", "(", ")", "{", "}", "[", "]", "<", ">", "<<<",
            ">>>", ",", ";", "=", "+", "/", "1", "2.5f", "?", ":", ".", "->", "template", "typename",
            "__global__", "void", "dim3", "cudaMalloc", "cudaMemcpy", "sizeof", "return", "main",
            "\n#define x ", "\n", "static_cast", "T", "\u{1F980}", "device_vector", "size",
            "class", "struct", "this", "C", "::", "make_int2", "new", "for", "case", "rand", "%", "operator",
            "[=] __device__ (int i) {", "auto", "__device__", "sort", "cudaMemcpyFromSymbol", "calloc", "= {0}", ".x =",
            "while", "<=", "string", "\"text\"", "x.push_back(", "x.size()", "for (int n = 0; n <", "x[n] =",
        ]), 0..80)
    ) {
        let source = "template <typename T, int n> __global__ void k(T *x) {}\n__global__ void f(int *x) {}\n".to_owned()
            + &words.join(" ");
        let host = Host::new(&source);
        let _ = (host.with_objects(), host.symbols());
        for name in ["k", "f", "x"] {
            let _ = host.variable_memory(name);
            let _ = host.launch(name);
            for instance in host.instances(name) {
                let _ = host.launch(&instance.name);
            }
            let _ = host.writes(name, "x");
        }
    }
}
