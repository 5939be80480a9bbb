// Microbenchmarks behind the timing model: gathers and scatters by footprint, local
// memory, special functions, compare-and-swap, uniform atomics, shared loads, streams.
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 mixed(u64 x)
{
    x ^= x >> 33; x *= 0xff51afd7ed558ccdull; x ^= x >> 29; x *= 0xc4ceb9fe1a85ec53ull; x ^= x >> 32;
    return x;
}

// Random chunks of `1 << log` bytes; the lanes of a chunk read its words side by side.
extern "C" __global__ void gather(const u32 *p, u32 *out, u64 chunks, u32 log, u32 rounds)
{
    u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u32 lanes = log <= 2 ? 1 : 1u << (log - 2);
    u64 group = thread / lanes, within = thread % lanes, all = (u64)gridDim.x * blockDim.x / lanes;
    u32 sum = 0;
    u32 size = log <= 5 ? 8 : 1u << (log - 2);
    for (u32 round = 0; round < rounds; round += 4) {
        u32 v[4];
#pragma unroll
        for (u32 k = 0; k < 4; k++) v[k] = p[(mixed(group + (round + k) * all) & (chunks - 1)) * size + within];
#pragma unroll
        for (u32 k = 0; k < 4; k++) sum += v[k];
    }
    if (sum == 12345) out[thread] = sum;
}

extern "C" __global__ void scatter(u32 *p, u64 chunks, u32 log, u32 rounds)
{
    u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u32 lanes = log <= 2 ? 1 : 1u << (log - 2);
    u64 group = thread / lanes, within = thread % lanes, all = (u64)gridDim.x * blockDim.x / lanes;
    u32 size = log <= 5 ? 8 : 1u << (log - 2);
    for (u32 round = 0; round < rounds; round++) {
        p[(mixed(group + round * all) & (chunks - 1)) * size + within] = 0;
    }
}

// One dependent load after the other, each in another line; memory holds zeros. The few
// thousand lines stay in L2 from launch to launch: with the footprint, only the TLB changes.
extern "C" __global__ void chase(const u32 *p, u64 *out, u64 lines, u32 rounds)
{
    u64 at = 1;
    for (u32 i = 0; i < rounds / 4; i++) at = (at * 6364136223846793005ull + 1442695040888963407ull + p[(at >> 20 & (lines - 1)) * 32]);
    u64 start = clock64();
    for (u32 i = 0; i < rounds; i++) at = (at * 6364136223846793005ull + 1442695040888963407ull + p[(at >> 20 & (lines - 1)) * 32]);
    out[0] = clock64() - start;
    out[1] = at;
}

// Threads go down the columns of a matrix; `writes` to write them.
extern "C" __global__ void columns(u32 *p, u32 *q, u32 width, u32 height, u32 writes)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 row = i % height, column = i / height;
    if (writes) p[row * (u64)width + column] = q[i]; else q[i] = p[row * (u64)width + column];
}

// Local memory: an array per thread.
template <u32 N, bool SCATTERED> __device__ __forceinline__ void local_array(u32 *out, u64 *cycles, u32 rounds)
{
    u32 a[N];
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 i = 0; i < N; i++) a[i] = i * thread;
    __syncthreads();
    u64 start = clock64();
    u32 at = SCATTERED ? threadIdx.x * 7 : 3, sum = 0;
    for (u32 i = 0; i < rounds; i++) {
        at = (at * 5 + 1) & (N - 1);
        sum += a[at];
        a[(at + 9) & (N - 1)] = sum;
    }
    u64 end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
    out[thread] = sum;
}
#define LOCAL(N) \
    extern "C" __global__ void local_##N(u32 *out, u64 *cycles, u32 rounds) { local_array<N, false>(out, cycles, rounds); } \
    extern "C" __global__ void local_scattered_##N(u32 *out, u64 *cycles, u32 rounds) { local_array<N, true>(out, cycles, rounds); }
LOCAL(16) LOCAL(64) LOCAL(256) LOCAL(1024)

// Reads only, independent: the rate of L1 for local loads.
template <u32 N> __device__ __forceinline__ void local_reads(u32 *out, u64 *cycles, u32 rounds)
{
    u32 a[N];
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (u32 i = 0; i < N; i++) a[i] = i * thread;
    __syncthreads();
    u64 start = clock64();
    u32 sum = 0, at = rounds & 15;
    for (u32 i = 0; i < rounds; i += 4) {
        sum += a[at & (N - 1)] + a[(at + 5) & (N - 1)] + a[(at + 10) & (N - 1)] + a[(at + 15) & (N - 1)];
        at += 21;
    }
    u64 end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
    out[thread] = sum;
}
extern "C" __global__ void local_reads_16(u32 *out, u64 *cycles, u32 rounds) { local_reads<16>(out, cycles, rounds); }
extern "C" __global__ void local_reads_64(u32 *out, u64 *cycles, u32 rounds) { local_reads<64>(out, cycles, rounds); }
extern "C" __global__ void local_reads_256(u32 *out, u64 *cycles, u32 rounds) { local_reads<256>(out, cycles, rounds); }

// Special functions: a chain in each of ILP values.
#define SPECIAL(NAME, EXPRESSION) \
    extern "C" __global__ void chain_##NAME(float *out, u64 *cycles, u32 rounds, float a) { \
        float x = a + threadIdx.x * 1e-3f; u64 start = clock64(); \
        for (u32 i = 0; i < rounds; i++) { x = EXPRESSION; x = EXPRESSION; x = EXPRESSION; x = EXPRESSION; } \
        u64 end = clock64(); if (threadIdx.x == 0) cycles[blockIdx.x] = end - start; out[blockIdx.x * blockDim.x + threadIdx.x] = x; } \
    extern "C" __global__ void rate_##NAME(float *out, u64 *cycles, u32 rounds, float a) { \
        float v[4]; for (int k = 0; k < 4; k++) v[k] = a + (threadIdx.x + k) * 1e-3f; u64 start = clock64(); \
        for (u32 i = 0; i < rounds; i++) { _Pragma("unroll") for (int k = 0; k < 4; k++) { float x = v[k]; v[k] = EXPRESSION; } } \
        u64 end = clock64(); if (threadIdx.x == 0) cycles[blockIdx.x] = end - start; \
        out[blockIdx.x * blockDim.x + threadIdx.x] = v[0] + v[1] + v[2] + v[3]; }
SPECIAL(rsqrt, rsqrtf(x) + 1.0f)
SPECIAL(sqrt, sqrtf(x) + 1.0f)
SPECIAL(divide, 3.0f / x + 1.0f)
SPECIAL(fast_divide, __fdividef(3.0f, x) + 1.0f)
SPECIAL(exp, expf(x * -0.5f))
SPECIAL(fast_exp, __expf(x * -0.5f))
SPECIAL(log, logf(x) + 2.0f)
SPECIAL(sin, sinf(x) + 1.0f)
SPECIAL(fast_sin, __sinf(x) + 1.0f)
SPECIAL(tanh, tanhf(x) + 1.0f)
SPECIAL(to_int, (float)((int)x) + 1.5f)
SPECIAL(fma, x * 0.5f + 1.0f)

// A loop of compare and swap on one of `cells` words.
extern "C" __global__ void cas_loop(u32 *p, u64 cells, u32 rounds, u32 *failures)
{
    u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u32 failed = 0;
    for (u32 round = 0; round < rounds; round++) {
        u32 *cell = p + (mixed(thread * 31 + round) & (cells - 1));
        u32 old = *(volatile u32 *)cell, assumed;
        do {
            assumed = old;
            old = atomicCAS(cell, assumed, assumed + 3);
            failed += old != assumed;
        } while (old != assumed);
    }
    atomicAdd(failures, failed);
}

// A hash table with linear probing: half full at the end.
extern "C" __global__ void insert(u32 *table, u64 places, u64 keys)
{
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i >= keys) return;
    u32 key = (u32)i + 1;
    u64 at = mixed(key) & (places - 1);
    while (true) {
        u32 old = atomicCAS(table + at, 0u, key);
        if (old == 0 || old == key) break;
        at = (at + 1) & (places - 1);
    }
}

extern "C" __global__ void uniform_unused(u32 *p, u32 *out, u32 rounds) { for (u32 i = 0; i < rounds; i++) atomicAdd(p, 1); }
extern "C" __global__ void uniform_used(u32 *p, u32 *out, u32 rounds)
{
    u32 sum = 0;
    for (u32 i = 0; i < rounds; i++) sum += atomicAdd(p, 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void uniform_values(u32 *p, u32 *out, u32 rounds) { for (u32 i = 0; i < rounds; i++) atomicAdd(p, threadIdx.x ^ i); }
extern "C" __global__ void uniform_values_used(u32 *p, u32 *out, u32 rounds)
{
    u32 sum = 0;
    for (u32 i = 0; i < rounds; i++) sum += atomicAdd(p, threadIdx.x ^ sum);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void uniform_floats(float *p, u32 *out, u32 rounds) { for (u32 i = 0; i < rounds; i++) atomicAdd(p, 1.0f); }
extern "C" __global__ void uniform_max(u32 *p, u32 *out, u32 rounds) { for (u32 i = 0; i < rounds; i++) atomicMax(p, threadIdx.x ^ i); }
extern "C" __global__ void uniform_some(u32 *p, u32 *out, u32 rounds)
{
    u32 sum = 0;
    for (u32 i = 0; i < rounds; i++) if ((threadIdx.x * 2654435761u >> (i & 15)) & 1) sum += atomicAdd(p, 1);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Shared memory: dependent loads whose lanes lie `stride` words apart; all hold zeros.
extern "C" __global__ void shared_chase(u32 *out, u64 *cycles, u32 stride, u32 rounds)
{
    __shared__ u32 s[4096];
    for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) s[i] = 0;
    __syncthreads();
    u32 at = threadIdx.x % 32 * stride % 4096;
    u64 start = clock64();
#pragma unroll 4
    for (u32 i = 0; i < rounds; i++) at = (at + s[at] + 1) & 4095;
    u64 end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
// 16 bytes from one place for all lanes, and what an n-body step does with them.
extern "C" __global__ void shared_wide(float *out, u64 *cycles, u32 rounds)
{
    __shared__ float4 s[256];
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) s[i] = make_float4(i, i * 0.5f, 1.0f, 2.0f);
    __syncthreads();
    u64 start = clock64();
    float a = 0, b = 0, c = 0, d = 0;
#pragma unroll 4
    for (u32 i = 0; i < rounds; i++) { float4 v = s[i & 255]; a += v.x; b += v.y; c += v.z; d += v.w; }
    u64 end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
extern "C" __global__ void shared_wide_body(float *out, u64 *cycles, u32 rounds)
{
    __shared__ float4 s[256];
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) s[i] = make_float4(i, i * 0.5f, 1.0f, 2.0f);
    __syncthreads();
    u64 start = clock64();
    float x = threadIdx.x, y = 1.0f, z = 2.0f, a = 0, b = 0, c = 0;
    for (u32 i = 0; i < rounds; i++) {
        float4 v = s[i & 255];
        float dx = v.x - x, dy = v.y - y, dz = v.z - z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = v.w * r * r * r;
        a += f * dx; b += f * dy; c += f * dz;
    }
    u64 end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c;
}

// Streams.
template <class T> __device__ __forceinline__ void copied(const T *from, T *to, u64 n)
{
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) to[i] = from[i];
}
extern "C" __global__ void copy_4(const u32 *from, u32 *to, u64 n) { copied(from, to, n); }
extern "C" __global__ void copy_8(const uint2 *from, uint2 *to, u64 n) { copied(from, to, n); }
extern "C" __global__ void copy_16(const uint4 *from, uint4 *to, u64 n) { copied(from, to, n); }
extern "C" __global__ void write_4(const u32 *from, u32 *to, u64 n)
{ for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) to[i] = (u32)i; }
extern "C" __global__ void write_16(const uint4 *from, uint4 *to, u64 n)
{ for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) to[i] = make_uint4(i, i, i, i); }
extern "C" __global__ void read_4(const u32 *from, u32 *to, u64 n)
{
    u32 sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) sum += from[i];
    if (sum == 12345) to[0] = sum;
}
extern "C" __global__ void read_16(const uint4 *from, uint4 *to, u64 n)
{
    u32 sum = 0;
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) { uint4 v = from[i]; sum += v.x + v.y + v.z + v.w; }
    if (sum == 12345) to[0].x = sum;
}
extern "C" __global__ void dirty(uint4 *to, u64 n)
{ for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) to[i] = make_uint4(0, 0, 0, 0); }

// Fences after a store.
extern "C" __global__ void fences(u32 *p, u64 *cycles, u32 rounds)
{
    u64 start = clock64();
    for (u32 i = 0; i < rounds; i++) { p[(blockIdx.x * blockDim.x + threadIdx.x) * 8 + (i & 7)] = i; __threadfence(); }
    u64 end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
}
