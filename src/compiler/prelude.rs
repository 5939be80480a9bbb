//! What a compiler reads before the source.

use super::source::without_headers;

/// For both compilers: what C's headers define.
const COMMON: &str = include_str!("prelude/common.cuh");

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
    [COMMON, LANGUAGE, &CLANG.concat()].concat()
}

/// The source with the prelude of NVRTC. `name` is plain.
pub(super) fn for_nvrtc(name: &str, source: &str) -> String {
    format!("{COMMON}\n#line 1 \"{name}\"\n{}", without_headers(source))
}

/// The source with the prelude of clang. `name` is plain. The mark 3 says that warnings are
/// about the source only.
pub(super) fn for_clang(name: &str, source: &str) -> String {
    let prelude = CLANG.concat();
    format!(
        "# 1 \"warpscope.cuh\" 1 3\n{LANGUAGE}{COMMON}{prelude}\n# 1 \"{name}\"\n{}",
        without_headers(source)
    )
}
