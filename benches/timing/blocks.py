#!/usr/bin/env python3
"""Kernels whose blocks differ in how much they do, or in what; and others whose warps wait at barriers all the time.

    python3 benches/timing/blocks.py uneven > uneven.cu
    python3 benches/timing/blocks.py barriers > barriers.cu
    warpscope sweep uneven.cu --variant all --block 64,256 --no-check --backend cuda -o uneven.jsonl
    warpscope sweep barriers.cu --variant all --block 32,64,128,256,512,1024 --no-check --backend cuda -o barriers.jsonl

prints their sources. benches/data/h200/uneven.csv and barriers.csv have what they took on an H200 and what the model
gives, which was mended by them. The output that is compared is a buffer that nothing is stored to.
"""

import sys

# Name, rounds of block b of g.
ROUNDS = [
    ("every2", "b % 2 == 0 ? 256 : 0"),
    ("every3", "b % 3 == 0 ? 256 : 0"),
    ("every3_more", "b % 3 == 1 ? 256 : 64"),
    ("every5", "b % 5 == 2 ? 256 : 0"),
    ("every7", "b % 7 == 0 ? 256 : 16"),
    ("every16", "b % 16 == 5 ? 256 : 0"),
    ("every11", "b % 11 == 3 ? 256 : 8"),
    ("first", "b == 0 ? 4096 : 64"),
    ("last", "b == g - 1 ? 4096 : 64"),
    ("last_little", "b == g - 1 ? 4 : 128"),
    ("random8", "(b * 2654435761u >> 16) % 8 == 0 ? 512 : 16"),
    ("random_rows", "(int)(16.0f / (0.01f + (float)((b * 2654435761u >> 16) & 1023) / 1024.0f))"),
    ("linear", "(int)(512LL * b / g)"),
    ("power", "8192 / (b + 1) + 8"),
    ("half", "2 * b < g ? 256 : 0"),
    ("edges", "b % 64 == 0 || b % 64 == 63 ? 512 : 64"),
]

# Name, what a round does.
WORK = [
    ("sums", "x = x * 1.0001f + 0.5f;"),
    ("loads", "x += in[(i + j * 4099) % n];"),
    ("barriers", "s[t] = x; __syncthreads(); x += s[(t + 33) % blockDim.x]; __syncthreads();"),
]

# Name, all that its threads do.
MIXED = [
    ("sums_or_loads", "if (b % 2) for (int j = 0; j < 512; j++) x = x * 1.0001f + 0.5f; else for (int j = 0; j < 32; j++) x += in[(i + j * 4099) % n];"),
    ("third_atomics", "if (b % 3 == 0) atomicAdd(&out[t % 8], x); else for (int j = 0; j < 64; j++) x = x * 1.0001f + 0.5f;"),
    ("one_thread_last", "for (int j = 0; j < 32; j++) x = x * 1.0001f + 0.5f; if (b == g - 1 && t == 0) for (int j = 0; j < 256; j++) x += in[(int)x & 1023];"),
    ("one_thread_first", "for (int j = 0; j < 32; j++) x = x * 1.0001f + 0.5f; if (b == 0 && t == 0) for (int j = 0; j < 256; j++) x += in[(int)x & 1023];"),
    ("last_sums_up", """s[t] = x; __syncthreads();
    for (int o = blockDim.x / 2; o; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    __shared__ bool last;
    if (t == 0) { out[b] = s[0]; __threadfence(); last = atomicInc(tickets, g - 1) == g - 1; }
    __syncthreads();
    if (last) { x = 0; for (int j = t; j < g; j += blockDim.x) x += __ldcg(&out[j]); }"""),
    ("last_sums_alone", """s[t] = x; __syncthreads();
    if (t == 0) { float all = 0; for (int j = 0; j < blockDim.x; j++) all += s[j]; out[b] = all; }
    if (b == g - 1 && t == 0) for (int j = 0; j < 512; j++) x += in[j * 97 % n];"""),
]

# Name, what a round of 256 does.
BARRIERS = [
    ("bar", "__syncthreads(); x = x * 1.0001f + 0.5f;"),
    ("sts_lds", "s[t] = x; __syncwarp(); x += s[(t + 33) & m]; __syncwarp();"),
    ("bar_sts_lds", "s[t] = x; __syncthreads(); x += s[(t + 33) & m]; __syncthreads();"),
    ("bar_lds", "x += s[t]; __syncthreads();"),
    ("bar_sts", "s[t] = x; __syncthreads(); x = x * 1.0001f + 0.5f;"),
    ("bar2", "__syncthreads(); x = x * 1.0001f + 0.5f; __syncthreads(); x = x + 0.25f;"),
    ("bar_fma8", "__syncthreads();" + " x = x * 1.0001f + 0.5f;" * 8),
    ("lds_dep", "x += s[(t + (int)x) & m];"),
    ("neighbour", "float l = s[t], r = s[(t + 1) & m]; __syncthreads(); s[t] = x = 0.5f * (l + r); __syncthreads();"),
]


def head(sizes):
    return f"""/* warpscope
sizes = "{sizes}"
block = 256
grid = "ceil(n / block)"
args = ["in: f32[n] uniform", "out: f32[n] zeros", "tickets: u32[1] zeros", "none: f32[1] zeros", "n: i32 = n"]
output = "none"
*/"""


def kernel(name, body):
    return f"""extern "C" __global__ void {name}(const float* in, float* out, unsigned* tickets, float* none, int n) {{
    __shared__ float s[1024];
    int t = threadIdx.x, b = blockIdx.x, g = gridDim.x, m = blockDim.x - 1, i = b * blockDim.x + t;
    s[t] = 0;
    float x = in[i % n];
    {body}
    if (i < n) out[i] = x + s[t];
}}"""


def loop(rounds, each):
    return f"int rounds = {rounds};\n    #pragma unroll 1\n    for (int j = 0; j < rounds; j++) {{ {each} }}"


def uneven():
    print(head("67584, 1000000"))
    for what, each in WORK:
        for who, rounds in ROUNDS:
            print(kernel(f"{who}_{what}", loop(rounds, each)))
    for name, body in MIXED:
        print(kernel(name, body))


def barriers():
    print(head("33792, 540672, 2162688"))
    for name, each in BARRIERS:
        print(kernel(name, "__syncthreads();\n    " + loop("256", each)))


if __name__ == "__main__":
    kinds = {"uneven": uneven, "barriers": barriers}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit("which kernels: uneven or barriers")
    kinds[sys.argv[1]]()
