//! Signatures as text, and against the PTX.

use super::{file, ptx};
use crate::own::signature::{SignatureParam, signatures};
use crate::own::system;

#[test]
fn declarations_of_every_form_are_read() {
    let source = r#"
#include <cstdint>
#define KERNEL(name) extern "C" __global__ void name(int a) {}
typedef unsigned int u32;
using real = double;
// extern "C" __global__ void no1(int a) {}
const char *text = "extern \"C\" __global__ void no2(int a) {";
template <typename T> __global__ void no3(T *a) {}
__global__ void no4(int a) {}
__global__ void no4(float a) {}
static __global__ void five(int a) {}
__global__ void plain(int a) {}
extern "C" __global__ void declared(int a);
extern "C" __global__ void __launch_bounds__(256, 2) one(const float *__restrict__ in,
    u32 *const out, real *sums, unsigned long long n, const char text[], std::uint8_t flag = 1) { if (n) {} }
extern "C" {
    __device__ int helper(int a) { return a; }
    static __global__ __attribute__((used)) void two(volatile int *a, float4 *b, struct Body *c, void *d) {}
}
namespace inner { extern "C" __global__ void three() {} }
struct S { __device__ void f() {} };
extern "C" __global__ void four(Matrix m, int, int **rows, void (*f)(int)) {}
"#;
    let (found, left_out) = signatures(source);
    let told: Vec<String> = found
        .iter()
        .map(|it| {
            let params: Vec<String> = it.params.iter().map(SignatureParam::declaration).collect();
            format!("{} {}: {}", it.line, it.name, params.join(", "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "11 five: int a",
            "12 plain: int a",
            "14 one: const float *in, unsigned int *out, double *sums, unsigned long long n, \
             const signed char *text, unsigned char flag",
            "18 two: int *a, float4 *b, Body *c, void *d",
            "20 three: ",
            "22 four: Matrix m, int, int **rows, void ( * f ) ( int )",
        ]
    );
    let left: Vec<&str> = left_out.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(left, ["no3", "no4", "no4"]);
    assert!(left_out[1].reason.contains("give each its own"));
}

#[test]
fn kernels_that_text_and_ptx_disagree_about_are_left_out() {
    let args = "args = [\"a: u32[n] uniform\"]\ngrid = 1\noutput = \"a\"";
    let of = |kernels: &str, ptx: &str| {
        let source = format!("/* warpscope\n{args}\n*/\n{kernels}");
        system(&file("left.cu", &source, ptx))
            .map(|it| it.variants().len())
            .map_err(|error| error.to_string())
    };
    let good = "extern \"C\" __global__ void good(unsigned *a) {}\n";
    let macros = "#define N 3\nextern \"C\" __global__ void bad(unsigned a) {}\n";
    let both = ptx(&[("good", &["u64"]), ("bad", &["u64"]), ("made", &["u64"])]);
    assert_eq!(of(&format!("{good}{macros}"), &both), Ok(1));
    let text = of(macros, &both).unwrap_err();
    assert!(
        text.contains("left.cu:7: no kernel can be launched. `bad`: `unsigned int a` has 4"),
        "{text}"
    );
    let text = of(good, &ptx(&[])).unwrap_err();
    assert!(text.contains("the compiler did not make it"), "{text}");
    assert!(of("", &ptx(&[])).unwrap_err().contains("the file has no kernel"));
    let many: Vec<String> = (0..300).map(|it| format!("k{it}")).collect();
    let many: Vec<(&str, &[&str])> = many.iter().map(|it| (it.as_str(), &["u64"][..])).collect();
    assert!(of(good, &ptx(&many)).unwrap_err().contains("300 kernels; the maximum is 256"));
}

proptest::proptest! {
    #[test]
    fn any_source_has_signatures_or_none(text in "(extern|\"C\"|__global__|void|template|[{}()<>;,*=\\[\\] ]|int|[a-c]){0,60}") {
        let _ = signatures(&text);
    }
}
