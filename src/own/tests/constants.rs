//! Initial values of variables of the GPU.

use super::infer::block;
use super::{file, ptx};
use crate::own::with_constants;

const PTX: &str = "\
.const .align 4 .b8 filter[12];
.visible .const .align 4 .f32 scale;
.global .align 8 .f64 wide[2] = {0d0000000000000000, 0d0000000000000000};
.global .align 4 .u32 _ZN5space7counterE;
.extern .shared .align 16 .b8 tile[];
.const .align 4 .b8 a[4];
.global .align 4 .u32 u32, b8 = 1;
";

fn set(constants: &str) -> Result<String, String> {
    let source = format!("/* warpscope\nconstants = [\n{constants}\n]\n*/\n");
    let text = ptx(&[("k", &["u64"])]);
    let (head, kernels) = text.split_once(".visible").unwrap();
    let text = format!("{head}{PTX}.visible{kernels}");
    let found = with_constants(&file("c.cu", &source, &text)).map_err(|it| it.to_string())?;
    crate::emulator::ptx::parse(&found, "c.ptx").unwrap();
    assert!(found.starts_with(head) && found.ends_with(kernels));
    assert_eq!(found.lines().count(), text.lines().count());
    Ok(found)
}

#[test]
fn values_are_written_into_the_declarations() {
    let found = set(
        "\"filter: f32[3] = i / 2\", \"counter: u32 = 7\", \"scale: f32 = 0.25\", \"wide: f64[2] = 1 - i\"",
    );
    let wanted = "\
.const .align 4 .b8 filter[12] = {0,0,0,0,0,0,0,63,0,0,128,63};
.visible .const .align 4 .f32 scale = 0f3E800000;
.global .align 8 .f64 wide[2] = {0d3FF0000000000000,0d0000000000000000};
.global .align 4 .u32 _ZN5space7counterE = 7;
.extern .shared .align 16 .b8 tile[];
";
    assert!(found.as_ref().unwrap().contains(wanted), "{found:?}");
    // Names that other words begin or end with, and several in one declaration.
    let short = set("\"a: u8[4] = i\", \"u32: i32 = 0 - 1\", \"b8: u32 = 5\"").unwrap();
    let wanted = ".const .align 4 .b8 a[4] = {0,1,2,3};\n\
                  .global .align 4 .u32 u32 = 4294967295, b8 = 5;\n";
    assert!(short.contains(wanted), "{short}");
    let drawn = set("\"filter: u8[12] uniform below 10\"").unwrap();
    let values = drawn.split_once("filter[12] = {").unwrap().1.split_once('}').unwrap().0;
    let values: Vec<u32> = values.split(',').map(|it| it.parse().unwrap()).collect();
    assert!(values.len() == 12 && values.iter().all(|it| *it < 10), "{values:?}");
    assert!(values.iter().any(|it| *it > 0));
    assert!(set("").unwrap().contains(PTX));
}

#[test]
fn what_is_no_such_variable_is_refused_with_its_line() {
    for (constants, reason) in [
        (
            "\n\"filtr: f32[3] zeros\"",
            "c.cu:4: there is no variable that kernels use `filtr`; did you mean `filter`?",
        ),
        ("\"tile: f32[3] zeros\"", "there is no variable that kernels use `tile`"),
        ("\"filter: f32[4] zeros\"", "`filter` has 16 bytes here and 12 in the kernels"),
        ("\"filter: f32[n] zeros\"", "there is no name `n`"),
        ("\"filter: f32[3] from k\"", "a constant is no output of a kernel"),
        ("\"filter: f32[2^40] zeros\"", "more than 65536 bytes"),
        ("\"filter: f32[3] = 1 / i\"", "division by zero, where i = 0"),
        ("\"scale: f32 = 1 / 0\"", "`scale`: `1 / 0`: division by zero"),
        ("\"filter: { x: f32 = 1 }\"", "write numbers, not a structure"),
        ("\"filter\"", "write \"NAME: TYPE[LENGTH] FILL\""),
        ("3", "`constants` is integer"),
    ] {
        let found = set(constants).unwrap_err();
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn a_block_has_the_values_that_the_host_copies() {
    const SOURCE: &str = r"
#define R 2
struct Sphere { float x, y, z, r; };
struct Setup { int width; float scale; };
__constant__ float filter[2 * R + 1], unused;
static __constant__ Sphere spheres[20];
__constant__ Setup setup;
__constant__ float gain;
__device__ unsigned int counter;
__constant__ int mask[3][4];
__constant__ unsigned char rows[8];
__global__ void k(const float *in, float *out, int n) { out[0] = in[n - 1]; }
void prepare(const float *given) {
    float h[2 * R + 1], g = 0.5f;
    unsigned zero = 0;
    int m[12];
    for (int i = 0; i < 2 * R + 1; i++) h[i] = 1.0f / (2 * R + 1);
    for (int i = 0; i < 12; i++) m[i] = rand() % 4;
    cudaMemcpyToSymbol(filter, h, sizeof(h));
    cudaMemcpyToSymbol(spheres, given, sizeof(spheres));
    cudaMemcpyToSymbol(setup, given, sizeof(Setup));
    cudaMemcpyToSymbol(gain, &g, sizeof(float));
    cudaMemcpyToSymbol(counter, &zero, sizeof(zero));
    cudaMemcpyToSymbolAsync(mask, m, sizeof(m));
    cudaMemcpyToSymbol(mask, m, sizeof(m));
    cudaMemcpyToSymbol(rows, given, 8);
    cudaMemcpyToSymbol(missing, given, 8);
}
";
    let found = block(SOURCE, &[("k", &["u64", "u64", "u32"])]);
    let wanted = r#"constants = [
    "filter: f32[5] = 1 / 5",
    "spheres: f32[80] uniform",
    "gain: f32 = 0.5",
    "counter: u32 = 0",
    "mask: i32[12] uniform below 4",
    "rows: u8[8] iota",
]
"#;
    assert!(found.contains(wanted), "{found}");
}
