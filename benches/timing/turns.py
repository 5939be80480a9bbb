#!/usr/bin/env python3
"""Kernels that take locks in shared memory, or swap a word there until no other warp was faster.

    python3 benches/timing/turns.py > turns.cu
    warpscope sweep turns.cu --variant all --block 32,64,128,256,512,1024 --no-check --backend cuda -o turns.jsonl

prints their source. benches/data/h200/shared_turns.csv has what they took on an H200 and what the model gives, which
was mended by them. What they store depends on the order of threads: the output that is compared is a buffer that
nothing is stored to.
"""

ADD = """unsigned old = lock[q], was;
    do { was = old; old = atomicCAS(&lock[q], was, __float_as_uint(__uint_as_float(was) + x)); } while (old != was);"""
FREE = "__threadfence_block(); atomicExch(&lock[q], 0u);"

# Name, rounds, which word, what the lanes do that it is for: all of them, or the first of each warp.
TURNS = [
    ("lock1", 16, "0", "first", f"while (atomicCAS(&lock[q], 0u, 1u)); p[q] = p[q] + x; {FREE}"),
    ("lockx", 16, "0", "first", f"while (atomicExch(&lock[q], 1u)); p[q] = p[q] + x; {FREE}"),
    ("lock4", 16, "t >> 5 & 3", "first", f"while (atomicCAS(&lock[q], 0u, 1u)); p[q] = p[q] + x; {FREE}"),
    ("locklong", 16, "0", "first", f"while (atomicCAS(&lock[q], 0u, 1u)); for (int j = 0; j < 8; j++) p[j] = p[(j + 1) & 7] + x; {FREE}"),
    ("lockall", 4, "0", "all", f"bool done = false; while (!done) if (atomicCAS(&lock[q], 0u, 1u) == 0u) {{ p[q] = p[q] + x; {FREE} done = true; }}"),
    ("lock64", 8, "v >> 26", "all", f"bool done = false; while (!done) if (atomicCAS(&lock[q], 0u, 1u) == 0u) {{ p[q] = p[q] + x; {FREE} done = true; }}"),
    ("cas_one", 16, "0", "first", ADD),
    ("cas_all", 4, "0", "all", ADD),
    ("cas_16", 8, "t & 15", "all", ADD),
    ("cas_64", 16, "v >> 26", "all", ADD),
    ("cas_lane", 16, "t & 31", "all", ADD),
]

# Name, what is declared, what each thread does once.
ONCE = [
    ("fmaxcas", "__shared__ unsigned best; if (t == 0) best = 0;",
     "unsigned old = best; while (__uint_as_float(old) < x) { unsigned was = atomicCAS(&best, old, __float_as_uint(x)); if (was == old) break; old = was; }"),
    ("dsum32", "__shared__ unsigned long long bins[32]; if (t < 32) bins[t] = 0;",
     """for (int r = 0; r < 4; r++) {
    int b = ((int)(x * 1000.0f) + r * 7) & 31; unsigned long long old = bins[b], was;
    do { was = old; old = atomicCAS(&bins[b], was, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)was) + (double)x)); } while (old != was); }"""),
    ("lock3", "__shared__ int lock; __shared__ volatile float s[3]; if (t == 0) { lock = 0; s[0] = 0; s[1] = 2; s[2] = -1; }",
     """float sum = x, lo = x, hi = x;
    for (int o = 16; o; o >>= 1) { sum += __shfl_down_sync(~0u, sum, o); lo = fminf(lo, __shfl_down_sync(~0u, lo, o)); hi = fmaxf(hi, __shfl_down_sync(~0u, hi, o)); }
    if ((t & 31) == 0) { while (atomicExch(&lock, 1)); s[0] = s[0] + sum; s[1] = fminf(s[1], lo); s[2] = fmaxf(s[2], hi); __threadfence_block(); atomicExch(&lock, 0); }"""),
    ("bytebins", "__shared__ unsigned w[64]; if (t < 64) w[t] = 0;",
     """int b = (int)(x * 256.0f) & 255; unsigned add = 1u << (8 * (b & 3)), old = w[b >> 2], was;
    do { was = old; old = atomicCAS(&w[b >> 2], was, was + add); } while (old != was);
    __syncthreads(); if (t < 64) atomicAdd((unsigned*)&out[t], w[t]);"""),
    ("top1", "__shared__ unsigned long long top; if (t == 0) top = 0;",
     """unsigned long long mine = ((unsigned long long)__float_as_uint(x) << 32) | (unsigned)i, old = top;
    while (mine > old) { unsigned long long was = atomicCAS(&top, old, mine); if (was == old) break; old = was; }"""),
    ("binlock", "__shared__ int lk[256]; __shared__ volatile float a[256], b2[256]; for (int q = t; q < 256; q += blockDim.x) { lk[q] = 0; a[q] = 0; b2[q] = 0; }",
     """int b = (int)(x * 256.0f) & 255; bool go = true;
    while (go) if (atomicCAS(&lk[b], 0, 1) == 0) { a[b] = a[b] + x; b2[b] = b2[b] + 1.0f; __threadfence_block(); atomicExch(&lk[b], 0); go = false; }
    __syncthreads(); for (int q = t; q < 256; q += blockDim.x) atomicAdd(&out[q], a[q] + b2[q]);"""),
    ("mulall", "__shared__ unsigned prod; if (t == 0) prod = 0x3f800000u;",
     "unsigned old = prod, was; do { was = old; old = atomicCAS(&prod, was, __float_as_uint(__uint_as_float(was) * (0.5f + x))); } while (old != was);"),
]


def kernel(name, body):
    return f"""
extern "C" __global__ void {name}(const float* in, float* out, float* none, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (n < 0) none[0] = t;
    float x = in[i < n ? i : 0];
{body}
}}
"""


tables = "".join(f'[kernel.{name}]\nreference = "{name}"\n' for name, *_ in TURNS + ONCE)
print(f"""/* warpscope
sizes = "16896, 135168, 304128"
block = 256
grid = "ceil(n / block)"
args = ["in: f32[n] uniform", "out: f32[n] zeros", "none: f32[1] zeros", "n: i32 = n"]
output = "none"
{tables}*/""")
for name, rounds, word, lanes, body in TURNS:
    lanes = "if ((t & 31) == 0)" if lanes == "first" else ""
    print(kernel(name, f"""    unsigned v = i * 2654435761u + 12345u;
    __shared__ unsigned lock[64];
    __shared__ float total[64];
    for (int j = t; j < 64; j += blockDim.x) {{ lock[j] = 0; total[j] = 0; }}
    __syncthreads();
    volatile float* p = total;
    #pragma unroll 1
    for (int r = 0; r < {rounds}; r++) {{
    {lanes} {{ int q = {word}; {body} }}
    __syncwarp(); v = v * 1664525u + 1013904223u; }}
    __syncthreads();
    if (i < n) out[i] = x + p[0] + (float)v;"""))
for name, before, body in ONCE:
    print(kernel(name, f"    {before}\n    __syncthreads();\n    {body}\n    __syncthreads();\n    if (t == 0) out[blockIdx.x] += x;"))
