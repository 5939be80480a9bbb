use proptest::prelude::*;

use super::*;

fn text(source: &str) -> String {
    let code = device_code(source);
    assert_eq!(code.text.matches('\n').count(), source.matches('\n').count());
    code.text
}

/// The lines that are left, without spaces around them.
fn left(source: &str) -> Vec<String> {
    let text = text(source);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

#[test]
fn kernels_get_their_names() {
    let source = "__global__ void a(int *x);\n\n  __global__ void a(int *y) { y[0] = 1; }\n\
        extern \"C\" __global__ void b() {}\nextern \"C\" {\n__global__ void c() {}\n}\n\
        template <int N> __global__ void d() {}\nvoid __global__ __launch_bounds__(64) e(float) {}\n\
        __global__ void f(int) {}\n__global__ void f(float) {}\nnamespace n {\n__global__ void g() {}\n}\n";
    let code = device_code(source);
    let lines: Vec<&str> = code.text.lines().collect();
    assert_eq!(lines[0], "extern \"C\" __global__ void a(int *x);");
    assert_eq!(lines[2], "  extern \"C\" __global__ void a(int *y) { y[0] = 1; }");
    assert_eq!(lines[8], "extern \"C\" void __global__ __launch_bounds__(64) e(float) {}");
    assert_eq!(lines[12], "extern \"C\" __global__ void g() {}");
    for line in [3, 5, 7, 9, 10] {
        assert_eq!(Some(lines[line]), source.lines().nth(line));
    }
    assert!(!code.is_shared(1));
    let host =
        device_code("const int N = 1;\n__global__ void k() {\n    int unused;\n}\nint main() {}\n");
    assert_eq!([1, 2, 3, 5].map(|line| host.is_shared(line)), [true, false, false, false]);
    // `int` of the third line.
    assert_eq!((code.column(3, 32), code.column(3, 2), code.column(4, 32)), (21, 2, 32));
}

#[test]
fn host_code_is_blanked() {
    let source = r#"#include <stdio.h>
#include <vector>
#include "helper_cuda.h"
#include <cuda_fp16.h>
#define HD __host__ __device__
#define CHECK(x) if ((x) != cudaSuccess) exit(1)
using namespace std;
const int N = 1024;
static const float weights[2] = {1.0f, 2.0f};
int iterations = 100;
std::vector<float> data;
typedef void (*Fn)(int);
enum { A = 1 };
struct Point { float x, y; };
struct Timer { cudaEvent_t a; Timer() { cudaEventCreate(&a); } };
class Clock { public: Clock() : start(0) {} private: long start; };
template <typename T> struct Box { T value; HD T get() const { return value; } };
HD float square(float x) { return x * x; }
static inline float reference(float x, bool loud = false) { return x * x; }
void check(const char *what);
bool operator==(Point a, Point b) { return a.x == b.x; }
__device__ bool operator<=(Point a, Point b) { return a.x <= b.x; }
__constant__ float table[16];
__device__ float cube(float x) { return x * x * x; }
template <typename T> void print(T value) { cout << value << endl; }
DEFINE_KERNEL(add, +);
__global__ void k(float *x) { x[0] = cube(x[0]); }
extern "C" void launch(float *x)
{
#ifdef LOUD
    printf("}");
#endif
    k<<<1, 32>>>(x);
}
int main(int argc, char **argv)
{
    auto f = [](int x) { return x; };
    launch(nullptr); // a comment with { in it
    return 0;
}
"#;
    let wanted = [
        "#include <stdio.h>",
        "#include <cuda_fp16.h>",
        "#define HD __host__ __device__",
        "#define CHECK(x) if ((x) != cudaSuccess) exit(1)",
        "const int N = 1024;",
        "static const float weights[2] = {1.0f, 2.0f};",
        "typedef void (*Fn)(int);",
        "enum { A = 1 };",
        "struct Point { float x, y; };",
        "template <typename T> struct Box { T value; HD T get() const { return value; } };",
        "HD float square(float x) { return x * x; }",
        "__device__ bool operator<=(Point a, Point b) { return a.x <= b.x; }",
        "__constant__ float table[16];",
        "__device__ float cube(float x) { return x * x * x; }",
        "DEFINE_KERNEL(add, +);",
        "extern \"C\" __global__ void k(float *x) { x[0] = cube(x[0]); }",
        "#ifdef LOUD",
        "#endif",
    ];
    assert_eq!(left(source), wanted);
}

#[test]
fn templates_get_a_kernel_for_each_instance() {
    let source = "\
template <typename T, int N>
__global__ void __launch_bounds__(N) k(const T *__restrict__ in, T *out, int n = 1);
template <typename T, int N>
__global__ void __launch_bounds__(N)
k(const T *__restrict__ in, T *out, int n) { out[n] = in[N]; } // end
template __global__ void k<double, 8>(const double *, double *, int);
template <typename T> __global__ void other(T *x) {}
template <typename T = float> void host(T *x) { k<T, 32><<<1, 32>>>(x, x, 1); }
int main() { unsigned char *x = 0; host(x); }
";
    let wanted = [
        "template <typename T, int N>",
        "__device__ void                      k(const T *__restrict__ in, T *out, int n = 1);",
        "template <typename T, int N>",
        "__device__ void",
        "k(const T *__restrict__ in, T *out, int n) { out[n] = in[N]; } \
         extern \"C\" __global__ __launch_bounds__ ( 8 ) void k_double_8(\
         const double * __restrict__ in, double * out, int n) { k<double, 8>(in, out, n); } \
         extern \"C\" __global__ __launch_bounds__ ( 32 ) void k_unsigned_char_32(\
         const unsigned char * __restrict__ in, unsigned char * out, int n) \
         { k<unsigned char, 32>(in, out, n); } // end",
        "template <typename T> __global__ void other(T *x) {}",
    ];
    assert_eq!(left(source), wanted);
}

#[test]
fn a_source_without_host_code_stays() {
    for source in [
        "float square(float x) { return x * x; }\n",
        "#include <cuda/std/array>\nint count;\n",
        "int main( {\n",
        "}} int main() {}\n",
        // A semicolon is missing.
        "namespace n { struct A { int x; } }\nstruct B { } namespace m { struct C; }\n",
        "é __device__ int a; \u{1F980}\n",
    ] {
        assert_eq!(text(source), source);
    }
    assert_eq!(left("// é\nint é() { return 1; }\nint main() { /* é */ }\n"), ["// é"]);
}

proptest! {
    #[test]
    fn any_text_keeps_its_lines(source in "([\\PC\n\\\\\"'#/*(){};=<a]|namespace |struct A|__global__ void f\\(|template <class T> |f<int><<<1, 2>>>\\(1\\);){0,80}") {
        let main = format!("int main() {{}}\n{source}");
        text(&main);
        text(&source);
    }
}

#[test]
fn variables_that_only_the_host_sets_are_not_static() {
    let source = "static __constant__ float scale;\nstatic __device__ int count = 1, more;\n\
        static __device__ float f(float x) { static int y; return x; }\n\
        struct S { static __device__ int g() { return 1; } };\n\
        static __global__ void k(float *x) { *x = f(scale); }\n";
    let lines = left(source);
    assert!(lines[4].starts_with("extern \"C\"") && !lines[4].contains("static"), "{}", lines[4]);
    assert_eq!(lines[..2], ["__constant__ float scale;", "__device__ int count = 1, more;"]);
    assert_eq!(lines[2], source.lines().nth(2).unwrap());
    assert_eq!(lines[3], source.lines().nth(3).unwrap());
}

#[test]
fn template_arguments_may_be_members_of_a_namespace() {
    let source = "namespace gpu {\nenum class Mode { All, Even };\n\
        template <Mode MODE> __global__ void k(int *x) { *x = MODE == Mode::Even; }\n}\n\
        int main() { gpu::k<gpu::Mode::Even><<<1, 1>>>(x); }\n";
    let kernel = "__global__  void k_gpu_Mode_Even(int * x) { k<gpu :: Mode :: Even>(x); }";
    assert!(text(source).contains(kernel), "{}", text(source));
}

#[test]
fn a_type_may_have_the_name_of_a_parameter() {
    let source = "struct test { __device__ bool operator()(int x) { return x > 0; } };\n\
        template <typename T> __global__ void count(int *x, T test) { x[0] = test(x[1]); }\n\
        int main() { int *x; count<<<1, 32>>>(x, test()); }\n";
    assert!(text(source).contains("count_test(int * x, test test) { count<::test>(x, test); }"));
}

#[test]
fn member_functions_for_the_host_are_blanked() {
    let source = "struct Params {\n    float a; int n{1};\n    Params(float a_, int n_) : a{a_}, n(n_) { printf(\"\"); }\n\
        private:\n    std::string text() const { return std::to_string(a); }\npublic:\n    \
        Params(const Params &) = default;\n    __device__ float get() const { return a; }\n};\n\
        struct Inner { int b; Inner(int c) : b(c) {} };\nstruct Outer { Inner inner; int size() { return 1; } };\n\
        struct Loader { std::vector<int> h; int size() { return 1; } };\nstruct Other { int get() { return 1; } };\n\
        __global__ void k(Outer o, Params p) {}\nint main() {}\n";
    let expected = [
        "struct Params {",
        "float a; int n{1};",
        "private:",
        "public:",
        "Params(const Params &) = default;",
        "__device__ float get() const { return a; }",
        "};",
        "struct Inner { int b;                        };",
        "struct Outer { Inner inner;                          };",
        "extern \"C\" __global__ void k(Outer o, Params p) {}",
    ];
    assert_eq!(left(source), expected);
}

#[test]
fn calls_of_unknown_macros_and_lambdas_are_for_the_host() {
    let source = "#define MAKE(x) __device__ int x;\nMAKE(a);\n\
        PYBIND11_MODULE(name, m) { m.def(\"k\", &k); }\n\
        constexpr auto blocks = [](int n) { return n / 256; };\n\
        constexpr auto twice = [](int n) { return 2 * n; };\n\
        __global__ void k(int *p) { *p = twice(a); }\nint main() { k<<<blocks(512), 1>>>(0); }\n";
    let text = device_code(source).text;
    assert!(text.contains("MAKE(a);") && text.contains("auto twice"), "{text}");
    assert!(!text.contains("PYBIND11_MODULE") && !text.contains("auto blocks"), "{text}");
    assert_eq!(text.lines().count(), source.lines().count());
}

#[test]
fn namespaces_of_libraries_for_the_host_are_left_out() {
    let source = "#include <opencv2/opencv.hpp>\nusing namespace cv;\nusing namespace own;\nusing namespace nvcuda;\n\
        namespace own { struct A { int x; }; }\n__global__ void k(A a) {}\nint main() { k<<<1, 2>>>(A{}); }\n";
    let text = device_code(source).text;
    assert!(!text.contains("cv;"), "{text}");
    assert!(
        text.contains("using namespace own;") && text.contains("using namespace nvcuda;"),
        "{text}"
    );
}
