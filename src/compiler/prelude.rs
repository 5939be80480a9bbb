//! What a compiler reads before the source.

use super::source::{includes, without_headers};

/// For both compilers: what C's headers define.
const COMMON: &str = include_str!("prelude/common.cuh");

/// For both: what C++ has in `std`.
const STANDARD: &str = include_str!("prelude/standard.cuh");

/// Headers of CUDA that no compiler has built in, for sources that include them.
const HEADERS: [(&str, &str); 4] = [
    (
        "cuda_fp16",
        concat!(
            include_str!("prelude/headers/halves.cuh"),
            include_str!("prelude/headers/cuda_fp16.cuh")
        ),
    ),
    (
        "cuda_bf16",
        concat!(
            include_str!("prelude/headers/halves.cuh"),
            include_str!("prelude/headers/cuda_bf16.cuh")
        ),
    ),
    ("cooperative_groups", include_str!("prelude/headers/cooperative_groups.cuh")),
    ("cuda_pipeline", include_str!("prelude/headers/cuda_pipeline.cuh")),
];

/// A header of NVIDIA's samples, which no toolkit has.
const SAMPLES: (&str, &str) = ("helper_math", include_str!("prelude/headers/helper_math.cuh"));

/// What these need of NVRTC.
const NVRTC: &str = include_str!("prelude/headers/nvrtc.cuh");

/// For clang, which has no CUDA C++ without CUDA's headers.
const LANGUAGE: &str = include_str!("prelude/clang/language.cuh");
const CLANG: [&str; 7] = [
    include_str!("prelude/clang/vectors.cuh"),
    include_str!("prelude/clang/integers.cuh"),
    include_str!("prelude/clang/warp.cuh"),
    include_str!("prelude/clang/atomics.cuh"),
    include_str!("prelude/clang/math.cuh"),
    include_str!("prelude/clang/math_double.cuh"),
    include_str!("prelude/clang/math_both.cuh"),
];

/// All of it, for the key of the cache.
pub(super) fn all() -> String {
    let headers = HEADERS.map(|(_, text)| text).concat();
    [COMMON, STANDARD, NVRTC, &headers, SAMPLES.1, LANGUAGE, &CLANG.concat()].concat()
}

/// The texts of the headers that a source needs; with NVIDIA's at hand, of those that these lack.
fn headers(source: &str, at_hand: bool) -> String {
    let included = HEADERS.iter().filter(|(name, _)| !at_hand && includes(source, name));
    let standard = if source.contains("std::") { STANDARD } else { "" };
    let samples = if includes(source, SAMPLES.0) { SAMPLES.1 } else { "" };
    [standard].into_iter().chain(included.map(|(_, text)| *text)).chain([samples]).collect()
}

/// The source with the prelude of NVRTC, which has NVIDIA's headers at hand or not. `name` is plain.
pub(super) fn for_nvrtc(name: &str, source: &str, at_hand: bool) -> String {
    let headers = headers(source, at_hand);
    let first = if at_hand { "#define __WARPSCOPE_HEADERS\n" } else { "" };
    let before = if headers.is_empty() { "" } else { NVRTC };
    let source = without_headers(source, at_hand);
    format!("{first}{COMMON}{before}{headers}\n#line 1 \"{name}\"\n{source}")
}

/// The source with the prelude of clang. `name` is plain. The mark 3 says that warnings are
/// about the source only.
pub(super) fn for_clang(name: &str, source: &str) -> String {
    let (prelude, headers) = (CLANG.concat(), headers(source, false));
    format!(
        "# 1 \"warpscope.cuh\" 1 3\n{LANGUAGE}{COMMON}{prelude}{headers}\n# 1 \"{name}\"\n{}",
        without_headers(source, false)
    )
}
