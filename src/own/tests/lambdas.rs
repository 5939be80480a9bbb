//! Lambdas for the GPU.

use super::file;
use crate::own::system;
use crate::syntax::{with_lines_of_lambdas, written_out};

const SOURCE: &str = "\
template <typename F>
__global__ void for_each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
template <typename F>
void parallel_for(int n, F f) { for_each<<<(n + 127) / 128, 128>>>(n, f); }
void run(double scale, int n) {
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float));
    parallel_for(n, [=] __device__ (int i) { // saxpy
        float other = x[i];
        y[i] += scale * other;
    });
    auto twice = [=] __host__ __device__ (int k) mutable -> void { y[k] = 2 * n; };
    for_each<<<1, 32>>>(32, twice);
}
int main() { run(0.5, 1 << 16); }
";

#[test]
fn a_lambda_is_an_object_of_what_it_captures() {
    let text = written_out(SOURCE);
    let structs = "struct lambda { float* x; float* y; double scale; __device__ auto operator()(int i) const \
        { float other = x[i]; y[i] += scale * other; } }; struct lambda_2 { float* y; int n; __device__ \
        auto operator()(int k) -> void { y[k] = 2 * n; } }; template <typename F>";
    assert!(text.starts_with(structs), "{text}");
    assert!(text.contains("parallel_for(n, lambda{x, y, scale}"), "{text}");
    assert!(text.contains("lambda_2 twice = lambda_2{y, n};"), "{text}");
    assert_eq!(text.lines().count(), SOURCE.lines().count());
}

#[test]
fn the_compiler_sees_a_lambda_at_its_lines() {
    let text = written_out(SOURCE);
    let code = with_lines_of_lambdas(text.into_owned(), SOURCE, "a.cu");
    let lambda = "\n#line 8 \"a.cu\"\nstruct lambda { float* x; float* y; double scale; __device__ auto operator()\
        (int i) const { // saxpy\n        float other = x[i];\n        y[i] += scale * other;\n    } }; ";
    assert!(code.starts_with(lambda), "{code}");
    assert!(code.contains("\n#line 12 \"a.cu\"\nstruct lambda_2 {"), "{code}");
    assert!(code.contains("}; \n#line 1 \"a.cu\"\ntemplate <typename F>\n__global__"), "{code}");
    // A source without one stays.
    assert_eq!(with_lines_of_lambdas("x".to_owned(), "__global__ void k() {}", "a.cu"), "x");
}

#[test]
fn the_block_has_what_a_lambda_captures() {
    const PTX: &str = "\
.version 7.8
.target sm_50
.address_size 64
.visible .entry for_each_lambda(
	.param .u32 for_each_lambda_param_0,
	.param .align 8 .b8 for_each_lambda_param_1[24]
)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [for_each_lambda_param_1+8];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ret;
}
";
    let found = system(&file("lambda.cu", SOURCE, PTX)).err().unwrap().message;
    for line in [
        "block  = 128\ngrid   = \"ceil(n / block)\"",
        "\"n: i32 = n\"",
        "\"f: { x: f32[n] uniform, y: f32[n] zeros, scale: f64 = 0.5 }\",\n]\noutput = \"f.y\"",
    ] {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
}

#[test]
fn other_lambdas_stay() {
    for lambda in [
        "[&] __device__ (int i) { y[i] = 1; }",
        "[=] (int i) { return i; }",
        "[=] __device__ (int i)",
        "[=] __device__ { }",
        "] __device__ (int i) { }",
    ] {
        let source = format!(
            "__global__ void k(int n) {{}}\nvoid run(float *y) {{ call({lambda}); k<<<1, 2>>>(1); }}\n"
        );
        assert_eq!(written_out(&source), source);
    }
    // What cannot be told the type of is left out.
    let array = "__global__ void k(int n) {}\nvoid run() { float w[3]; call([=] __device__ (int i) { w[i] = 1; }); }\n";
    assert!(written_out(array).contains("struct lambda { __device__"));
}

#[test]
fn a_lambda_may_stand_before_the_kernels_or_within_one() {
    let host = "void run(float *y) { call([=] __device__ (int i) { y[i] = 1; }); }\n";
    let kernel = "__global__ void k(int n) {}\n";
    let text = written_out(&format!("{host}{kernel}")).into_owned();
    assert!(
        text.starts_with("struct lambda { float* y; __device__") && text.ends_with(kernel),
        "{text}"
    );
    let code = with_lines_of_lambdas(text.clone(), &format!("{host}{kernel}"), "a.cu");
    assert!(code.contains("#line 1 \"a.cu\"\nvoid run"), "{code}");
    // A declaration of a kernel may stand before what the lambda names.
    let first = "__global__ void k(int n);\n__device__ int hits;\n";
    let text = written_out(&format!("{first}{host}{kernel}")).into_owned();
    assert!(text.starts_with(&format!("{first}struct lambda {{")), "{text}");
    let within = "__global__ void k(float *y) { auto f = [=] __device__ (int i) { y[i] = 1; }; f(0); }\n\
        void run() { k<<<1, 2>>>(nullptr); }\n";
    assert_eq!(written_out(within), within);
}

proptest::proptest! {
    /// Lambdas before, between and within kernels, whole and broken, do no harm.
    #[test]
    fn lambdas_anywhere_do_no_harm(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "void run(float *y, int n) {", "}", "{", "[=] __device__ (int i) { y[i] = n; }", "auto f =", ";", "call(", ")",
            "__global__ void k(float *y) {", "template <class F>", "[=]", "__device__", "__host__", "(int i)", "mutable",
            "-> float", "] __device__ (", "struct A {", "\n", "n",
        ]), 0..30)
    ) {
        let source = parts.join(" ");
        let text = written_out(&source).into_owned();
        let _ = with_lines_of_lambdas(text, &source, "a.cu");
    }
}
