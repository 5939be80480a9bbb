//! Sources that need more than what is built in: NVIDIA's headers, and newer GPUs.

use warpscope::compiler::{CompileError, Severity};
use warpscope::emulator;

use super::{entries, request};
use crate::support::Place;
use crate::support::compilers::{self, One};

/// Kernels with headers of CUDA's runtime, of libcu++ and of CUB.
const SOURCES: [&str; 4] = [
    "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <stdint.h>\n\
     extern \"C\" __global__ void k(float *x, uint32_t n)\n{\n    \
     __nv_bfloat16 b = __float2bfloat16(x[n]);\n    \
     x[0] = __bfloat162float(__hmul(b, b)) + __half2float(__float2half(x[1])) + M_PI;\n}\n",
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n\
     #include <cooperative_groups/memcpy_async.h>\n\
     namespace cg = cooperative_groups;\nextern \"C\" __global__ void k(int *x)\n{\n    \
     auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n    \
     x[threadIdx.x] = cg::reduce(warp, x[threadIdx.x], cg::plus<int>());\n}\n",
    "#include <cuda/std/array>\n#include <cuda/atomic>\n#include <climits>\n\
     extern \"C\" __global__ void k(int *x)\n{\n    \
     cuda::std::array<int, 2> a = {x[1], INT_MAX};\n    \
     cuda::atomic_ref<int, cuda::thread_scope_device>(x[0]).fetch_add(a[x[2] & 1]);\n}\n",
    "#include <cub/block/block_scan.cuh>\nextern \"C\" __global__ void k(int *x)\n{\n    \
     typedef cub::BlockScan<int, 128> Scan;\n    __shared__ typename Scan::TempStorage room;\n    \
     int sum;\n    Scan(room).ExclusiveSum(x[threadIdx.x], sum);\n    \
     x[threadIdx.x] = std::max<std::int32_t>(sum, 3);\n}\n",
];

#[test]
fn nvidias_headers_are_read_from_beside_nvrtc() {
    let place = Place::new();
    let mut tried = false;
    for One { name, setup, .. } in compilers::all("nvidias_headers", &place.path("cache")) {
        if setup.found().headers.is_empty() {
            continue;
        }
        tried = true;
        for source in SOURCES {
            let compiled = setup.compile(&request(source));
            let compiled = compiled.unwrap_or_else(|error| panic!("{name}: {error}\n{source}"));
            assert_eq!(entries(&compiled.ptx), ["k"], "{name}");
            assert!(compiled.ptx.contains(".target sm_90"), "{name}");
            // What headers define anew is nothing that the user can mend.
            assert_eq!(compiled.warnings, [], "{name}");
            emulator::load(&compiled.ptx, "my.ptx", "k").unwrap();
        }
        let spare = SOURCES[0].replace("    x[0]", "    int spare;\n    x[0]");
        let warnings = setup.compile(&request(&spare)).unwrap().warnings;
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        assert_eq!((warnings[0].line, warnings[0].severity), (Some(7), Severity::Warning));
        let host = setup.compile(&request("#include <cub/cub.cuh>\n")).unwrap_err().to_string();
        assert!(host.contains("block_scan.cuh"), "{name}: {host}");
    }
    if !tried {
        println!("skipped: nvidias_headers_are_read_from_beside_nvrtc: no headers beside an NVRTC");
    }
}

#[test]
fn a_missing_header_says_where_it_comes_from() {
    let place = Place::new();
    for One { name, setup, .. } in compilers::all("a_missing_header", &place.path("cache")) {
        let said = |header: &str| {
            let source = format!("\n#include {header}\n__device__ missing x;\n");
            let error = setup.compile(&request(&source)).unwrap_err();
            assert!(matches!(error, CompileError::Refused(_)), "{name}: {error}");
            error.to_string()
        };
        let own = said("\"mine.cuh\"");
        let nowhere = "mine.cuh was not found in the folder of the file";
        assert!(own.starts_with("line 2") && own.contains(nowhere), "{name}: {own}");
        // What else is wrong is said too; what compiles without it has a warning.
        assert!(own.contains("more error"), "{name}: {own}");
        let compiled =
            setup.compile(&request("#include \"mine.cuh\"\n__device__ int x;\n")).unwrap();
        assert!(compiled.warnings[0].text.starts_with(nowhere), "{name}: {:?}", compiled.warnings);
        if setup.found().headers.is_empty() {
            let missing = said("<mma.h>");
            assert!(missing.contains("pip install nvidia-cuda-"), "{name}: {missing}");
        }
    }
}

/// NVRTC compiles for the emulator's least capability, and where that has too little for a newer one.
#[test]
fn instructions_of_newer_gpus_are_compiled() {
    let place = Place::new();
    let source = "extern \"C\" __global__ void k(int *x)\n{\n    \
        x[0] = __reduce_max_sync(~0u, x[threadIdx.x]);\n}\n";
    let wide = "extern \"C\" __global__ void k(unsigned long long *x)\n{\n    \
        unsigned __int128 product = (unsigned __int128)x[0] * x[1];\n    x[2] = product >> 70;\n}\n";
    for One { name, setup, path } in compilers::all("instructions_of_newer", &place.path("cache")) {
        if path.ends_with("clang") {
            continue;
        }
        let compiled = setup.compile(&request(source)).unwrap();
        assert!(compiled.ptx.contains(".target sm_90"), "{name}");
        assert!(compiled.ptx.contains("redux.sync.max"), "{name}");
        emulator::load(&compiled.ptx, "my.ptx", "k").unwrap();
        // Errors are those of the newer one alone.
        let wrong = source.replace("x[0] =", "x[0] = y +");
        let error = setup.compile(&request(&wrong)).unwrap_err().to_string();
        assert!(error.contains("\"y\" is undefined") && !error.contains("more error"), "{error}");
        if cfg!(target_os = "linux") {
            let compiled = setup.compile(&request(wide)).unwrap();
            emulator::load(&compiled.ptx, "my.ptx", "k").unwrap();
        }
    }
}
