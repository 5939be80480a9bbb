//! Variables of the GPU as buffers.

use super::{case, file};
use crate::emulator::ptx::parse;
use crate::own::{OwnFile, system, with_constants};
use crate::work::Arg;

const PTX: &str = "\
.version 7.8
.target sm_50
.address_size 64
.global .align 4 .u32 counter;
.global .align 4 .b8 _ZN5space4histE[256];
.visible .entry count(
	.param .u32 count_param_0
)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	mov.u64 %rd1, counter;
	atom.global.add.u32 %r1, [%rd1], 1;
	st.global.u32 [_ZN5space4histE+8], %r1;
	ret;
}
.visible .entry clear()
{
	.reg .b32 %r<4>;
	mov.u32 %r1, 0;
	st.global.u32 [counter], %r1;
	ret;
}
.visible .entry out(.param .u64 out_param_0)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [out_param_0];
	ld.global.u32 %r1, [counter];
	st.global.u32 [%rd1], %r1;
	ret;
}
";

const SOURCE: &str = "\
__device__ int counter;
namespace space { __device__ unsigned int hist[64]; }
__global__ void clear() { counter = 0; }
__global__ void count(int n) { space::hist[2] = atomicAdd(&counter, n); }
__global__ void out(int *result) { *result = counter; }
int main() { int *result; unsigned int h[64]; cudaMalloc(&result, 4); clear<<<1, 1>>>(); count<<<8, 128>>>(5);
out<<<1, 1>>>(result); cudaMemcpyFromSymbol(h, space::hist, sizeof(h)); }
";

fn with(block: &str) -> Result<OwnFile, String> {
    let source = format!("/* warpscope\n{block}\n*/\n{SOURCE}");
    let found = file("v.cu", &source, PTX);
    let ptx = with_constants(&found).map_err(|it| it.to_string())?;
    parse(&ptx, "v.ptx").map_err(|it| format!("{it:?}\n{ptx}"))?;
    Ok(OwnFile { ptx, ..found })
}

#[test]
fn the_block_names_variables_that_hold_results_and_can_be_used() {
    let message = system(&file("v.cu", SOURCE, PTX)).err().unwrap().message;
    let block = message.split_once("/* warpscope\n").unwrap().1.split_once("*/").unwrap().0;
    for line in [
        "    \"counter: i32[1] zeros\",\n]\noutput = \"counter\"",
        "    \"n: i32 = 5\",\n    \"counter: i32[1] zeros\",\n    \"hist: u32[64] zeros\",\n]\noutput = \"hist\"",
        "    \"result: i32[1] zeros\",\n    \"counter: i32[1] from count\",\n]\noutput = \"result\"",
    ] {
        assert!(block.contains(line), "{line} is missing in\n{block}");
    }
    let system = system(&with(block).unwrap()).unwrap();
    let work = system.work(&case(system, "count", 16));
    let launch = work.launches().last().unwrap();
    assert!(matches!(launch.args[..], [_, Arg::Buffer(_), Arg::Buffer(_)]), "{launch:?}");
}

#[test]
fn kernels_get_the_addresses_of_variables() {
    let block = "grid = \"1\"\nargs = [\"n: i32 = 5\", \"counter: i32[1] zeros\", \"hist: u32[64] zeros\"]\n\
        output = \"hist\"\n[kernel.clear]\nargs = []\n[kernel.out]\nargs = [\"result: i32[1] zeros\"]";
    let ptx = with(block).unwrap().ptx;
    let wanted = "\t.param .u32 count_param_0,\n\t.param .u64 count_variable_counter,\n\t.param .u64 count_variable_hist\n)";
    assert!(ptx.contains(wanted), "{ptx}");
    assert!(ptx.contains("mov.u64 %rd1, %variable_0;") && ptx.contains("[%variable_1+8], %r1;"));
    // Kernels whose arguments do not name them use the variables still.
    assert!(ptx.contains("st.global.u32 [counter], %r1;"), "{ptx}");
    assert!(ptx.contains("ld.global.u32 %r1, [counter];"), "{ptx}");
}

#[test]
fn what_cannot_be_a_buffer_is_told() {
    let block = |args: &str| {
        format!(
            "grid = \"1\"\nargs = [\"n: i32 = 5\", {args}]\noutput = \"hist\"\n[kernel.clear]\nargs = []"
        )
    };
    let small = with(&block("\"hist: u32[60] zeros\"")).unwrap_err();
    assert_eq!(small, "v.cu:3: `hist` has 240 bytes here and 256 in the kernels");
    let other = with(&block("\"hits: u32[64] zeros\"")).unwrap_err();
    assert_eq!(
        other,
        "v.cu:3: there is no `__device__` variable `hits`; did you mean `hist`? (known: counter, hist)"
    );
    // One whose length depends on the size may fit.
    assert!(with(&block("\"counter: i32[n] zeros\", \"hist: u32[64] zeros\"")).is_ok());
    let called = PTX.replace(
        ".visible .entry count(",
        ".func helper()\n{\n\t.reg .b32 %r<2>;\n\tld.global.u32 %r1, [counter];\n\tret;\n}\n.visible .entry count(",
    );
    let source = format!("/* warpscope\n{}\n*/\n{SOURCE}", block("\"counter: i32[1] zeros\""));
    let error = with_constants(&file("v.cu", &source, &called)).unwrap_err().to_string();
    assert!(
        error.contains("`counter` is used in a function that the compiler does not inline"),
        "{error}"
    );
}

proptest::proptest! {
    /// Broken PTX and broken names end with a text or an error, never with a panic.
    #[test]
    fn broken_text_does_no_harm(cut in 0..PTX.len(), name in "[a-zA-Z0-9_%.]{0,12}") {
        let block = format!("grid = \"1\"\nargs = [\"n: i32 = 5\", \"{name}: i32[1] zeros\"]");
        let source = format!("/* warpscope\n{block}\n*/\n{SOURCE}");
        let _ = with_constants(&file("v.cu", &source, &PTX[..cut]));
        let _ = with_constants(&file("v.cu", &source, PTX));
        let _ = system(&file("v.cu", SOURCE, &PTX[..cut]));
    }
}
