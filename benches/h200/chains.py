#!/usr/bin/env python3
"""Latency of the instructions that CUDA C++ operators and functions become: chains in which
each result is the operand of the next, run by a single warp.

    python3 benches/h200/chains.py > benches/data/h200/chains.csv

Needs `nvcc` and an NVIDIA GPU; takes some seconds. `cycles` is the time of one link of the
chain at the GPU's highest clock, without the launch. A link is the expression in the table:
what else is in it beside the function, such as an addition, takes its own time. A round of
16 links has a branch, which adds about 0.4 cycles to each.
"""

import pathlib
import subprocess
import tempfile

FLOAT, DOUBLE, INT, WORD, LONG, WIDE = "float", "double", "int", "unsigned int", "long long", "unsigned long long"
# Name, type of the chain x, a link, and what comes before the chain. a and b are arguments: 1.5
# and 0.75, or 1234567 and 3.
CHAINS = [
    ("add_f32", FLOAT, "x + b"), ("fma_f32", FLOAT, "x * b + a"), ("max_f32", FLOAT, "fmaxf(x, b) + a"),
    ("select_f32", FLOAT, "x > b ? x * a : x + a"), ("floor_f32", FLOAT, "floorf(x) * b"),
    ("divide_f32", FLOAT, "a / x"), ("divide_fast_f32", FLOAT, "__fdividef(a, x)"),
    ("divide_zero_f32", FLOAT, "0.0f * x / b"), ("divide_far_f32", FLOAT, "1e38f / (x * 0.0f + 1e-30f)"),
    ("divide_subnormal_f32", FLOAT, "1e-40f / (x * 0.0f + 1.5f)"), ("divisor_constant_f32", FLOAT, "x * 0.5f / b + a"),
    ("sqrt_zero_f32", FLOAT, "sqrtf(x * 0.0f)"), ("sqrt_subnormal_f32", FLOAT, "sqrtf(x * 0.0f + 1e-42f)"),
    ("reciprocal_far_f32", FLOAT, "__frcp_rn(x * 0.0f + 1e-42f)"), ("reciprocal_zero_f32", FLOAT, "__frcp_rn(x * 0.0f + b) * 0.0f"),
    ("sqrt_f32", FLOAT, "sqrtf(x) + a"), ("rsqrt_f32", FLOAT, "rsqrtf(x)"), ("reciprocal_f32", FLOAT, "__frcp_rn(x)"),
    ("exp_f32", FLOAT, "expf(x) * 0.01f"), ("exp_fast_f32", FLOAT, "__expf(x) * 0.01f"), ("log_f32", FLOAT, "logf(x) + a"),
    ("log_fast_f32", FLOAT, "__logf(x) + a"), ("sin_f32", FLOAT, "sinf(x) + a"), ("sin_fast_f32", FLOAT, "__sinf(x)"),
    ("pow_f32", FLOAT, "powf(x, b)"), ("tanh_f32", FLOAT, "tanhf(x)"), ("erf_f32", FLOAT, "erff(x)"),
    ("add_f64", DOUBLE, "x + b"), ("fma_f64", DOUBLE, "x * b + a"), ("max_f64", DOUBLE, "fmax(x, b) + a"),
    ("divide_f64", DOUBLE, "a / x"), ("sqrt_f64", DOUBLE, "sqrt(x) + a"), ("rsqrt_f64", DOUBLE, "rsqrt(x)"),
    ("divide_zero_f64", DOUBLE, "0.0 * x / b"), ("divide_far_f64", DOUBLE, "1e308 / (x * 0.0 + 1e-300)"),
    ("divide_subnormal_f64", DOUBLE, "1e-310 / (x * 0.0 + 1.5)"), ("divide_small_f64", DOUBLE, "1e-295 / (x * 0.0 + 1.5)"),
    ("sqrt_zero_f64", DOUBLE, "sqrt(x * 0.0)"), ("sqrt_subnormal_f64", DOUBLE, "sqrt(x * 0.0 + 1e-310)"),
    ("reciprocal_f64", DOUBLE, "__drcp_rn(x)"), ("reciprocal_far_f64", DOUBLE, "__drcp_rn(x * 0.0 + 1e-310)"),
    ("reciprocal_zero_f64", DOUBLE, "__drcp_rn(x * 0.0 + b) * 0.0"), ("rsqrt_zero_f64", DOUBLE, "rsqrt(x * 0.0 + 1e-310)"),
    ("exp_f64", DOUBLE, "exp(x) * 0.01"), ("sin_f64", DOUBLE, "sin(x) + a"),
    ("add_xor_u32", WORD, "(x + b) ^ a"), ("multiply_u32", WORD, "x * b"), ("multiply_add_u32", WORD, "x * b + a"),
    ("multiply_high_u32", WORD, "__umulhi(x, b) + a"), ("shift_xor_u32", WORD, "(x << 3) ^ a"), ("min_u32", WORD, "min(x, b) + a"),
    ("select_u32", WORD, "x > b ? x - a : x + b"), ("divisor_u32", WORD, "a / x + 7"), ("dividend_u32", WORD, "x * 5 % b"),
    ("divisor_s32", INT, "a / x + 7"), ("dividend_s32", INT, "x / b + a"), ("modulo_7_s32", INT, "(x + a) % 7 + b"),
    ("popc_u32", WORD, "__popc(x) + a"), ("clz_u32", WORD, "__clz(x) + a"), ("brev_u32", WORD, "__brev(x) + a"),
    ("ffs_u32", WORD, "__ffs(x) + a"), ("byte_perm_u32", WORD, "__byte_perm(x, a, b)"), ("field_u32", WORD, "(x >> 3 & 31) + a"),
    ("multiply_u64", WIDE, "x * b"), ("multiply_add_u64", WIDE, "x * b + a"), ("multiply_high_u64", WIDE, "__umul64hi(x, b << 40) + a"),
    ("shift_xor_u64", WIDE, "(x >> 3) ^ a"), ("select_u64", WIDE, "x < b ? x + a : b"), ("popc_u64", WIDE, "__popcll(x) + a"),
    ("divisor_small_u64", WIDE, "a / x + 7"), ("divisor_large_u64", WIDE, "(a << 40) / x + 7"), ("divisor_small_s64", LONG, "a % x + 9"),
    ("convert_s32_f32", FLOAT, "(float)(int)x + a"), ("convert_s64_f32", FLOAT, "(float)(long long)x + a"),
    ("convert_s32_f64", DOUBLE, "(double)(int)x + a"),
    ("shuffle", WORD, "__shfl_xor_sync(~0u, x, 1) + a"), ("ballot", WORD, "__ballot_sync(~0u, x > b) + a"),
    ("any", WORD, "__any_sync(~0u, x > b) + x"), ("match_any", WORD, "__match_any_sync(~0u, x & 3) + a"),
    ("reduce_add", WORD, "__reduce_add_sync(~0u, x) + a"),
    ("load_shared", WORD, "table[x % 256]",
     "__shared__ unsigned int table[256]; for (int i = threadIdx.x; i < 256; i += 32) table[i] = i * 7 + a; __syncthreads();"),
    ("load_shared_u8", WORD, "table[x % 256]",
     "__shared__ unsigned char table[256]; for (int i = threadIdx.x; i < 256; i += 32) table[i] = i * 7 + a; __syncthreads();"),
    ("store_load_shared", WORD, "(table[threadIdx.x] = x, __syncwarp(), table[threadIdx.x ^ 1]) + a",
     "__shared__ volatile unsigned int table[32];"),
    ("atomic_shared", WORD, "atomicAdd(&table[x % 32], 1u) + x", "__shared__ unsigned int table[32]; table[threadIdx.x] = a; __syncthreads();"),
    ("shuffle_members", WORD, "__shfl_xor_sync(members, x, 1) + a", "unsigned int members = a == 1234567 ? ~0u : 3u;"),
    ("barrier", WORD, "(__syncthreads(), x + b)"), ("load_local", WORD, "local[x % 16]",
     "unsigned int local[16]; for (int i = 0; i < 16; ++i) local[i] = i * a + b;"),
    ("load_global_l1", WORD, "out[x & 31]"), ("load_constant", WORD, "words[x & 255]"),
    ("load_constant_apart", WORD, "words[(x ^ threadIdx.x) & 255] & 128"), ("load_constant_u8", WORD, "bytes[x & 255]"),
    ("load_constant_u8_apart", WORD, "bytes[(x ^ threadIdx.x) & 255] & 128"),
]
LINKS, ROUNDS = 16, 2000

# Branches: lanes go the ways that their bits say, which no compiler knows.
BITS = "unsigned int bits = (unsigned int)out[threadIdx.x]"
WAY, OTHER = "x = x * a + b; x = x * b + a; " * 10, "x += a; x *= b; x -= a; x *= b; " * 5
ONE = f"({{ if (bits >> j & 1) {{ {WAY} }} x + b; }})"
TWO = f"({{ if (bits >> j & 1) {{ {WAY} }} else {{ {OTHER} }} x + b; }})"
INNER = f"({{ if (bits >> j & 1) {{ x += a; if (others >> j & 1) {{ {WAY} }} x *= a; }} x + b; }})"
LOOP = "({ int many = 2 + (bits >> j & 3); _Pragma(\"unroll 1\") for (int k = 0; k < many; k++) { x = x * a + b; x = x * b + a; } x + b; })"
CHAINS += [
    ("branch_none", FLOAT, f"({{ {WAY} x + b; }})"),
    ("branch_not_taken", FLOAT, ONE, f"{BITS} - 1;"), ("branch_taken", FLOAT, ONE, f"{BITS};"),
    ("branch_parts", FLOAT, ONE, f"{BITS} - (threadIdx.x & 1);"),
    ("two_ways_first", FLOAT, TWO, f"{BITS} - 1;"), ("two_ways_second", FLOAT, TWO, f"{BITS};"),
    ("two_ways_part", FLOAT, TWO, f"{BITS} - (threadIdx.x & 1);"),
    ("inner_branch", FLOAT, INNER, f"{BITS} - 1, others = bits;"),
    ("inner_branch_outer_parts", FLOAT, INNER, f"{BITS} - (threadIdx.x & 1), others = bits;"),
    ("inner_branch_both_part", FLOAT, INNER, f"{BITS} - (threadIdx.x & 1), others = bits - (threadIdx.x >> 1 & 1);"),
    ("loop_together", FLOAT, LOOP, f"{BITS} + ~0u;"), ("loop_four_parts", FLOAT, LOOP, f"{BITS} + (threadIdx.x & 3) * 0x55555555u;"),
    ("call", FLOAT, "called(x, a, b)"),
]

KERNEL = """
__global__ void k_{name}({type} *out, {type} a, {type} b, int rounds)
{{
    {before}
    {type} x = a + threadIdx.x % 2;
    for (int i = 0; i < rounds; ++i) {{
#pragma unroll
        for (int j = 0; j < {links}; ++j) x = {link};
    }}
    out[threadIdx.x] = x;
}}
"""
HOST = """
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
void must(cudaError_t error) { if (error) { fprintf(stderr, "%s\\n", cudaGetErrorString(error)); exit(1); } }
template <class T> void chain(const char *name, const char *type, const char *link, void (*kernel)(T *, T, T, int), double clock)
{
    bool number = T(0.5) != T(0);
    T *out;
    must(cudaMalloc(&out, 4096));
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin)); must(cudaEventCreate(&end));
    float times[2][7];
    for (int rounds = 0; rounds < 2; ++rounds)
        for (float &ms : times[rounds]) {
            must(cudaMemset(out, 0, 4096));
            must(cudaEventRecord(begin));
            kernel<<<1, 32>>>(out, number ? T(1.5) : T(1234567), number ? T(0.75) : T(3), rounds * ROUNDS);
            must(cudaEventRecord(end));
            must(cudaEventSynchronize(end));
            must(cudaEventElapsedTime(&ms, begin, end));
        }
    for (auto &each : times) std::sort(each, each + 7);
    printf("%s,%s,\\"%s\\",%.2f\\n", name, type, link, (times[1][3] - times[0][3]) * 1e-3 * clock / (ROUNDS * LINKS));
    must(cudaFree(out));
}
int main()
{
    cudaDeviceProp gpu;
    must(cudaGetDeviceProperties(&gpu, 0));
    int khz;
    must(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    double clock = khz * 1e3;
    printf("# %s, %.0f MHz, driver ", gpu.name, clock / 1e6);
    fflush(stdout);
    if (system("nvidia-smi --query-gpu=driver_version --format=csv,noheader | tr '\\\\n' ' '; date -u '+, %F, python3 benches/h200/chains.py'")) return 1;
    printf("chain,type,link,cycles\\n");
"""


def main():
    kernels, calls = [], []
    for name, kind, link, *before in CHAINS:
        kernels.append(KERNEL.format(name=name, type=kind, link=link, before="".join(before), links=LINKS))
        text = link.replace('"', "").replace(WAY, "way; ").replace(OTHER, "other; ")
        calls.append(f'    chain<{kind}>("{name}", "{kind}", "{text}", k_{name}, clock);\n')
    defines = f"#define LINKS {LINKS}\n#define ROUNDS {ROUNDS}\n__constant__ unsigned int words[256];\n"
    defines += "__constant__ unsigned char bytes[256];\n"
    defines += f"__device__ __noinline__ float called(float x, float a, float b) {{ {WAY} return x; }}\n"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "chains.cu"
        source.write_text(defines + HOST.split("int main()")[0] + "".join(kernels)
                          + "int main()" + HOST.split("int main()")[1] + "".join(calls) + "}\n")
        program = source.with_suffix("")
        subprocess.run(["nvcc", "-arch=native", "-O3", "-o", program, source], check=True)
        subprocess.run([program], check=True)


if __name__ == "__main__":
    main()
