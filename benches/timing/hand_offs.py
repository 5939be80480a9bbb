#!/usr/bin/env python3
"""Kernels whose blocks wait for what other blocks store: chains, look-back, tickets, wavefronts.

    python3 benches/timing/hand_offs.py first > first.cu
    python3 benches/timing/hand_offs.py second > second.cu
    warpscope sweep first.cu --variant all --block 64,256,1024 --no-check --backend cuda -o first.jsonl
    warpscope sweep second.cu --variant all --block 128,512 --no-check --backend cuda -o second.jsonl

prints their sources. benches/data/h200/hand_offs.csv has what they took on an H200 and what the model gives. Its
constants are from the first; the second were written afterwards, and the model was mended by both. The output that is
compared is a buffer that nothing is stored to.
"""

import sys

SPIN = 'while (*(volatile unsigned*)&flag[{0}] == 0u) {{}}'
BLOCKSUM = '''__shared__ float part[32]; __shared__ float before;
    float v = i < n ? x : 0.0f;
    for (int o = 1; o < 32; o <<= 1) { float y = __shfl_up_sync(~0u, v, o); if ((t & 31) >= o) v += y; }
    if ((t & 31) == 31) part[t >> 5] = v;
    __syncthreads();
    if (t < 32) { float w = t < (blockDim.x + 31) / 32 ? part[t] : 0.0f; for (int o = 1; o < 32; o <<= 1) { float y = __shfl_up_sync(~0u, w, o); if (t >= o) w += y; } part[t] = w; }
    __syncthreads();
    float sum = v + (t >= 32 ? part[(t >> 5) - 1] : 0.0f), total = part[(blockDim.x + 31) / 32 - 1];
'''
FIRST = [
    ("chain_scan", BLOCKSUM + '''    if (t == 0) { float p = 0; if (b > 0) { ''' + SPIN.format('b - 1') + ''' __threadfence(); p = *(volatile float*)&sums[b - 1]; } *(volatile float*)&sums[b] = p + total; __threadfence(); *(volatile unsigned*)&flag[b] = 1u; before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("chain_packed", BLOCKSUM + '''    volatile unsigned long long* st = (volatile unsigned long long*)sums;
    if (t == 0) { float p = 0; if (b > 0) { unsigned long long s; do s = st[b - 1]; while (s >> 32 == 0); p = __uint_as_float((unsigned)s); } st[b] = 1ull << 32 | __float_as_uint(p + total); before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("chain_tickets", '''__shared__ unsigned id; if (t == 0) id = atomicAdd(&acc[0], 1u); __syncthreads(); b = id; i = b * blockDim.x + t; x = in[i < n ? i : 0];
    ''' + BLOCKSUM + '''    volatile unsigned long long* st = (volatile unsigned long long*)sums;
    if (t == 0) { float p = 0; if (b > 0) { unsigned long long s; do s = st[b - 1]; while (s >> 32 == 0); p = __uint_as_float((unsigned)s); } st[b] = 1ull << 32 | __float_as_uint(p + total); before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("chain_acquire", BLOCKSUM + '''    if (t == 0) { float p = 0; if (b > 0) { unsigned f; do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(flag + b - 1) : "memory"); while (f == 0u); p = sums[b - 1]; } sums[b] = p + total; asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flag + b), "r"(1u) : "memory"); before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("chain_atomic_poll", BLOCKSUM + '''    if (t == 0) { float p = 0; if (b > 0) { while (atomicAdd(&flag[b - 1], 0u) == 0u) {} __threadfence(); p = *(volatile float*)&sums[b - 1]; } *(volatile float*)&sums[b] = p + total; __threadfence(); atomicExch(&flag[b], 1u); before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("chain_sleep", BLOCKSUM + '''    if (t == 0) { float p = 0; if (b > 0) { while (*(volatile unsigned*)&flag[b - 1] == 0u) __nanosleep(100); __threadfence(); p = *(volatile float*)&sums[b - 1]; } *(volatile float*)&sums[b] = p + total; __threadfence(); *(volatile unsigned*)&flag[b] = 1u; before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("chain_all_poll", BLOCKSUM + '''    float p = 0; if (b > 0) { ''' + SPIN.format('b - 1') + ''' __threadfence(); p = *(volatile float*)&sums[b - 1]; } if (t == blockDim.x - 1) { *(volatile float*)&sums[b] = p + total; __threadfence(); *(volatile unsigned*)&flag[b] = 1u; }
    if (i < n) out[i] = p + sum;'''),
    ("chain_after_sync", '''    if (t == 0 && b > 0) { ''' + SPIN.format('b - 1') + ''' __threadfence(); }
    __syncthreads(); float p = b > 0 ? __ldcg(&out[(b - 1) * blockDim.x + t]) : 0.0f;
    for (int q = 0; q < 64; q++) p = p * 0.999f + x;
    if (i < n) out[i] = p;
    __threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[b] = 1u;'''),
    ("stride8", '''    for (int q = 0; q < 200; q++) x = x * 0.999f + 0.01f;
    if (t == 0 && b >= 8) { ''' + SPIN.format('b - 8') + ''' __threadfence(); }
    __syncthreads(); float p = b >= 8 ? __ldcg(&out[(b - 8) * blockDim.x + t]) : 0.0f;
    if (i < n) out[i] = p * 0.5f + x;
    __threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[b] = 1u;'''),
    ("split_k16", '''    int tile = b >> 4, k = b & 15; float s = 0; for (int q = 0; q < 32; q++) s += in[(unsigned)(i * 7 + q * 4099) % n] * x;
    if (t == 0) { while (*(volatile unsigned*)&flag[tile] != k) {} __threadfence(); }
    __syncthreads(); int at = tile * blockDim.x + t; float old = k ? __ldcg(&out[at]) : 0.0f; out[at] = old + s;
    __threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[tile] = k + 1;'''),
    ("split_interleaved", '''    int tiles = (gridDim.x + 15) / 16, tile = b % tiles, k = b / tiles; float s = 0; for (int q = 0; q < 32; q++) s += in[(unsigned)(i * 7 + q * 4099) % n] * x;
    if (t == 0) { while (*(volatile unsigned*)&flag[tile] != k) {} __threadfence(); }
    __syncthreads(); int at = tile * blockDim.x + t; float old = k ? __ldcg(&out[at]) : 0.0f; out[at] = old + s;
    __threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[tile] = k + 1;'''),
    ("wavefront", '''    int w = (int)sqrtf((float)gridDim.x), bx = b % w, by = b / w;
    if (t == 0) { if (bx > 0) { ''' + SPIN.format('b - 1') + ''' } if (by > 0) { ''' + SPIN.format('b - w') + ''' } __threadfence(); }
    __syncthreads(); float l = bx > 0 ? __ldcg(&out[(b - 1) * blockDim.x + t]) : 0.0f, u = by > 0 ? __ldcg(&out[(b - w) * blockDim.x + t]) : 0.0f;
    if (i < n) out[i] = fmaxf(l, u) * 0.99f + x;
    __threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[b] = 1u;'''),
    ("look_one", BLOCKSUM + '''    volatile unsigned long long* st = (volatile unsigned long long*)sums;
    if (t == 0) { float p = 0; if (b == 0) st[0] = 2ull << 32 | __float_as_uint(total); else { st[b] = 1ull << 32 | __float_as_uint(total); for (int q = b - 1;; q--) { unsigned long long s; do s = st[q]; while (s >> 32 == 0); p += __uint_as_float((unsigned)s); if (s >> 32 == 2) break; } st[b] = 2ull << 32 | __float_as_uint(p + total); } before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("look_warp", BLOCKSUM + '''    volatile unsigned long long* st = (volatile unsigned long long*)sums;
    if (t < 32) { float p = 0; if (b == 0) { if (t == 0) st[0] = 2ull << 32 | __float_as_uint(total); } else { if (t == 0) st[b] = 1ull << 32 | __float_as_uint(total);
      for (int q = b - 1 - t;; q -= 32) { unsigned long long s = 2ull << 32; do { if (q >= 0) s = st[q]; } while (__any_sync(~0u, s >> 32 == 0)); unsigned done = __ballot_sync(~0u, s >> 32 == 2); float y = __uint_as_float((unsigned)s); if (done && t > __ffs(done) - 1) y = 0; if (q < 0) y = 0;
        for (int o = 16; o; o >>= 1) y += __shfl_xor_sync(~0u, y, o); p += y; if (done) break; }
      if (t == 0) st[b] = 2ull << 32 | __float_as_uint(p + total); } if (t == 0) before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("token", '''    if (t == 0) { if (b > 0) { ''' + SPIN.format('b - 1') + ''' } *(volatile unsigned*)&flag[b] = 1u; } if (i < n) out[i] = x;'''),
    ("token_fence", '''    if (t == 0) { if (b > 0) { ''' + SPIN.format('b - 1') + ''' } __threadfence(); *(volatile unsigned*)&flag[b] = 1u; } if (i < n) out[i] = x;'''),
    ("ticket_lock", '''    if (t == 0) { unsigned my = atomicAdd(&acc[0], 1u); while (*(volatile unsigned*)&acc[32] != my) {} __threadfence(); volatile float* p = sums; p[0] = p[0] + x; __threadfence(); *(volatile unsigned*)&acc[32] = my + 1; } if (i < n) out[i] = x;'''),
    ("ticket_warps", '''    if ((t & 31) == 0) { unsigned my = atomicAdd(&acc[0], 1u); while (*(volatile unsigned*)&acc[32] != my) {} __threadfence(); volatile float* p = sums; p[0] = p[0] + x; __threadfence(); *(volatile unsigned*)&acc[32] = my + 1; } if (i < n) out[i] = x;'''),
    ("ticket_long", '''    if (t == 0) { unsigned my = atomicAdd(&acc[0], 1u); while (*(volatile unsigned*)&acc[32] != my) {} __threadfence(); volatile float* p = sums; for (int q = 0; q < 8; q++) p[q] = p[(q + 1) & 7] + x; __threadfence(); *(volatile unsigned*)&acc[32] = my + 1; } if (i < n) out[i] = x;'''),
    ("ticket_sleep", '''    if (t == 0) { unsigned my = atomicAdd(&acc[0], 1u); unsigned ns = 8; while (*(volatile unsigned*)&acc[32] != my) { __nanosleep(ns); if (ns < 256) ns *= 2; } __threadfence(); volatile float* p = sums; p[0] = p[0] + x; __threadfence(); *(volatile unsigned*)&acc[32] = my + 1; } if (i < n) out[i] = x;'''),
    ("count_down", '''    float s = x; for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (t == 0) { atomicAdd(&sums[0], s); __threadfence(); atomicAdd(&acc[0], 1u); if (b == gridDim.x - 1) { while (*(volatile unsigned*)&acc[0] != gridDim.x) {} __threadfence(); out[0] = *(volatile float*)&sums[0]; } }'''),
    ("pairs", '''    for (int q = 0; q < 64; q++) x = x * 0.999f + 0.01f;
    if (b & 1) { if (t == 0) { ''' + SPIN.format('b - 1') + ''' __threadfence(); } __syncthreads(); x += __ldcg(&out[i - blockDim.x]); }
    if (i < n) out[i] = x;
    __threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[b] = 1u;'''),
]

GIVE = '__threadfence(); __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[{0}] = 1u;'

SECOND = [
    ("gauss_seidel", '''__shared__ float s[1026]; s[t + 1] = x; if (t == 0) { s[0] = 0; s[blockDim.x + 1] = 0; }
    if (t == 0 && b > 0) { while (*(volatile unsigned*)&flag[b - 1] == 0u) {} __threadfence(); s[0] = *(volatile float*)&out[b * blockDim.x - 1]; }
    __syncthreads();
    for (int q = 0; q < 12; q++) { if ((t & 1) == (q & 1)) s[t + 1] = 0.5f * (s[t] + s[t + 2]) + 0.1f * x; __syncthreads(); }
    if (i < n) out[i] = s[t + 1];
    ''' + GIVE.format('b')),
    ("solve_rows", '''int row = i >> 5, lane = t & 31; if (row * 32 >= n) return; float s = 0;
    for (int k = lane; k < 4; k += 32) { int c = row ? (row * 2654435761u + k * 40503u) % row : -1; if (c >= 0) { while (*(volatile unsigned*)&flag[c] == 0u) {} s += *(volatile float*)&sums[c]; } }
    __syncwarp(); for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) { *(volatile float*)&sums[row] = x + 0.25f * s; __threadfence(); *(volatile unsigned*)&flag[row] = 1u; out[row] = s; }'''),
    ("solve_band", '''int row = i >> 5, lane = t & 31; if (row * 32 >= n) return; float s = 0;
    if (lane < 8) { int c = row - 1 - lane * 3; if (c >= 0) { while (*(volatile unsigned*)&flag[c] == 0u) {} s = *(volatile float*)&sums[c]; } }
    __syncwarp(); for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) { *(volatile float*)&sums[row] = x + 0.1f * s; __threadfence(); *(volatile unsigned*)&flag[row] = 1u; out[row] = s; }'''),
    ("append_in_order", '''__shared__ unsigned base; bool keep = i < n && x > 0.4f; unsigned count = __syncthreads_count(keep);
    if (t == 0) { while (*(volatile unsigned*)&acc[0] != b) {} __threadfence(); base = *(volatile unsigned*)&acc[1]; *(volatile unsigned*)&acc[1] = base + count; __threadfence(); *(volatile unsigned*)&acc[0] = b + 1; }
    __syncthreads(); if (keep) out[base + (t % count)] = x;'''),
    ("warp_chain", '''int w = i >> 5; float v = x; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); float p = 0;
    if ((t & 31) == 0) { volatile unsigned long long* st = (volatile unsigned long long*)sums; if (w > 0) { unsigned long long s; do s = st[w - 1]; while (s >> 32 == 0); p = __uint_as_float((unsigned)s); } st[w] = 1ull << 32 | __float_as_uint(p + v); }
    p = __shfl_sync(~0u, p, 0); if (i < n) out[i] = p + x;'''),
    ("two_steps", '''if (t == 0 && b > 0) { while (*(volatile unsigned*)&flag[b - 1] < 1u) {} } __syncthreads(); if (t == 0) *(volatile unsigned*)&flag[b] = 1u;
    for (int q = 0; q < 50; q++) x = x * 0.99f + 0.01f;
    if (t == 0 && b > 0) { while (*(volatile unsigned*)&acc[64 + b - 1] == 0u) {} } __syncthreads(); if (i < n) out[i] = x; if (t == 0) *(volatile unsigned*)&acc[64 + b] = 1u;'''),
    ("look_flags", BLOCKSUM + '''    volatile unsigned* f = flag; volatile float* ag = sums; volatile float* in_ = sums + n;
    if (t < 32) { float p = 0; if (t == 0) { ag[b] = total; if (b == 0) in_[0] = total; __threadfence(); f[b] = b ? 1u : 2u; }
      if (b > 0) { for (int q = b - 1 - t;; q -= 32) { unsigned s = 2; if (q >= 0) while ((s = f[q]) == 0u) {} __threadfence(); float y = q < 0 ? 0.0f : s == 2 ? in_[q] : ag[q]; unsigned done = __ballot_sync(~0u, s == 2); if (done && t > __ffs(done) - 1) y = 0;
        for (int o = 16; o; o >>= 1) y += __shfl_xor_sync(~0u, y, o); p += y; if (done) break; }
      if (t == 0) { in_[b] = p + total; __threadfence(); f[b] = 2u; } } if (t == 0) before = p; }
    __syncthreads(); if (i < n) out[i] = before + sum;'''),
    ("columns", '''int cols = 16, c = b % cols, r = b / cols; float s = x;
    for (int q = 0; q < 30; q++) s = s * 0.99f + 0.01f;
    if (t == 0 && r > 0) { for (int d = -1; d <= 1; d++) { int k = c + d; if (k >= 0 && k < cols) while (*(volatile unsigned*)&flag[(r - 1) * cols + k] == 0u) {} } __threadfence(); }
    __syncthreads(); if (r > 0) s += __ldcg(&out[i - cols * blockDim.x]);
    if (i < n) out[i] = s * 0.5f;
    ''' + GIVE.format('b')),
    ("release_chain", '''if (t == 0) { if (b > 0) { unsigned f; do asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(flag + b - 1) : "memory"); while (f == 0u); } unsigned old; asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(flag + b), "r"(1u) : "memory"); acc[0] = old; } if (i < n) out[i] = x;'''),
]

# Kernels and their sizes.
GROUPS = {
    "first": (FIRST, "16896, 135168, 1081344"),
    "second": (SECOND, "12672, 101376, 811008"),
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in GROUPS:
        sys.exit("which kernels: first or second")
    kernels, sizes = GROUPS[sys.argv[1]]
    tables = "".join(f'[kernel.{name}]\nreference = "{name}"\n' for name, _ in kernels)
    print(f"""/* warpscope
sizes = "{sizes}"
block = 256
grid = "ceil(n / block)"
args = ["in: f32[n] uniform", "out: f32[2 * n + 1024] zeros", "sums: f32[4 * n + 2048] zeros", "flag: u32[n] zeros", "acc: u32[n + 64] zeros", "none: f32[1] zeros", "n: i32 = n"]
output = "none"
{tables}*/""")
    for name, body in kernels:
        print(f"""
extern "C" __global__ void {name}(const float* in, float* out, float* sums, unsigned* flag, unsigned* acc, float* none, int n) {{
    int b = blockIdx.x, t = threadIdx.x, i = b * blockDim.x + t;
    if (n < 0) none[0] = t;
    float x = in[i < n ? i : 0];
    {body}
}}""")


if __name__ == "__main__":
    main()
