// Microbenchmarks of atomics, fences, shared memory, barriers and slow arithmetic.
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 mixed(u64 x)
{
    x ^= x >> 33; x *= 0xff51afd7ed558ccdull; x ^= x >> 29; x *= 0xc4ceb9fe1a85ec53ull; x ^= x >> 32;
    return x;
}

// One atomic per lane and round on a random word; `mode` 1: words of a warp side by side; 2: all lanes one word.
#define ATOMICS(NAME, TYPE, OPERATION) \
    extern "C" __global__ void at_##NAME(TYPE *p, u64 cells, u32 rounds, u32 mode, u32 *out) { \
        u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x; u32 kept = 0; \
        for (u32 i = 0; i < rounds; i++) { \
            u64 cell = mode == 0 ? mixed(thread * 131 + i) : mode == 1 ? mixed(thread / 32 * 131 + i) * 32 + threadIdx.x % 32 : mixed(thread / 32 * 131 + i); \
            TYPE *at = p + (cell & (cells - 1)); OPERATION; } \
        if (kept == 12345) out[thread] = kept; }
ATOMICS(red_add, u32, atomicAdd(at, 3))
ATOMICS(atom_add, u32, kept += atomicAdd(at, i))
ATOMICS(atom_exch, u32, kept += atomicExch(at, i))
ATOMICS(atom_max, u32, kept += atomicMax(at, i))
ATOMICS(cas_hit, u32, kept += atomicCAS(at, 0u, 0u))
ATOMICS(cas_miss, u32, kept += atomicCAS(at, 77u, 1u))
ATOMICS(red_float, float, atomicAdd(at, 1.0f))
ATOMICS(atom_float, float, kept += atomicAdd(at, 1.0f) > 1e30f)
ATOMICS(red_u64, u64, atomicAdd(at, (u64)3))
ATOMICS(red_f64, double, atomicAdd(at, 1.0))
ATOMICS(cas_u64, u64, kept += (u32)atomicCAS(at, (u64)77, (u64)1))
ATOMICS(store, u32, *(volatile u32 *)at = i)
ATOMICS(load, u32, kept += *(volatile u32 *)at)

// A loop of compare and swap that starts with a load, as in the programming guide.
extern "C" __global__ void cas_loop(u32 *p, u64 cells, u32 rounds, u32 lanes, u64 *failures)
{
    u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u32 failed = 0;
    if (threadIdx.x % 32 < lanes)
        for (u32 round = 0; round < rounds; round++) {
            u32 *cell = p + (mixed(thread * 31 + round) & (cells - 1));
            u32 old = *(volatile u32 *)cell, assumed;
            do { assumed = old; old = atomicCAS(cell, assumed, assumed + 3); failed += old != assumed; } while (old != assumed);
        }
    if (failed) atomicAdd(failures, (u64)failed);
}
// A maximum by compare and swap: most attempts end before the swap.
extern "C" __global__ void cas_max(u32 *p, u64 cells, u32 rounds, u32 lanes, u64 *failures)
{
    u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u32 tried = 0;
    if (threadIdx.x % 32 < lanes)
        for (u32 round = 0; round < rounds; round++) {
            u32 *cell = p + (mixed(thread * 31 + round) & (cells - 1)), mine = (u32)mixed(thread * 77 + round);
            u32 old = *cell, assumed;
            do { assumed = old; if (assumed >= mine) break; old = atomicCAS(cell, assumed, mine); tried++; } while (old != assumed);
        }
    if (tried) atomicAdd(failures, (u64)tried);
}
// One thread of each block holds one of a few locks for a read and a write.
extern "C" __global__ void lock(int *locks, int *accounts, u32 count, u32 fenced, u64 *tries)
{
    u32 t = 0;
    if (threadIdx.x == 0) {
        u32 a = blockIdx.x % count;
        while (atomicCAS(&locks[a * 64], 0, 1) != 0) t++;
        if (fenced) __threadfence();
        ((volatile int *)accounts)[a * 64] += 3;
        if (fenced) __threadfence();
        atomicExch(&locks[a * 64], 0);
        atomicAdd(tries, (u64)t);
    }
}

// `stores` stores of each lane, then a fence: LEVEL of it.
#define FENCES(NAME, FENCE) \
    extern "C" __global__ void fence_##NAME(u32 *p, u64 *cycles, u32 rounds, u32 stores, u32 apart) { \
        u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x; u64 all = (u64)gridDim.x * blockDim.x; \
        __syncthreads(); u64 start = clock64(); \
        for (u32 i = 0; i < rounds; i++) { for (u32 s = 0; s < stores; s++) p[(thread + all * s) * apart + (i & 7)] = i; FENCE; } \
        u64 end = clock64(); if (threadIdx.x == 0) cycles[blockIdx.x] = end - start; }
FENCES(gpu, __threadfence())
FENCES(block, __threadfence_block())
FENCES(system, __threadfence_system())
FENCES(none, asm volatile("" ::: "memory"))

// Shared memory: one atomic a round; the words of the lanes are `stride` apart, of the warps too.
#define SHARED(NAME, TYPE, OPERATION) \
    extern "C" __global__ void sh_##NAME(u32 *out, u64 *cycles, u32 rounds, u32 stride, u32 own) { \
        __shared__ TYPE cells[4096]; u32 kept = 0; \
        for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) cells[i] = 0; \
        u32 place = (threadIdx.x % 32 * stride + (own ? threadIdx.x / 32 * 64 : 0)) % 4096; \
        __syncthreads(); u64 start = clock64(); \
        for (u32 i = 0; i < rounds; i++) { TYPE *at = cells + place; OPERATION; } \
        __syncthreads(); u64 end = clock64(); if (threadIdx.x == 0) cycles[blockIdx.x] = end - start; \
        if (kept == 12345) out[threadIdx.x] = kept + cells[threadIdx.x]; }
SHARED(add, u32, atomicAdd(at, i))
SHARED(add_used, u32, kept += atomicAdd(at, kept + 1))
SHARED(inc, u32, atomicAdd(at, 1))
SHARED(max, u32, atomicMax(at, i ^ threadIdx.x))
SHARED(float, float, atomicAdd(at, 1.0f))
SHARED(double, double, atomicAdd(at, 1.0))
SHARED(add64, u64, atomicAdd(at, (u64)i))
SHARED(cas, u32, u32 old = *(volatile u32 *)at; u32 assumed; do { assumed = old; old = atomicCAS(at, assumed, assumed + 3); } while (old != assumed))
SHARED(max_float, u32, u32 old = *(volatile u32 *)at; u32 assumed; do { assumed = old; if (__uint_as_float(old) >= (float)(i * 32 + threadIdx.x % 32)) break; old = atomicCAS(at, assumed, __float_as_uint((float)(i * 32 + threadIdx.x % 32))); } while (old != assumed))

// A store, a barrier, a load of another's word, a barrier.
extern "C" __global__ void barriers(u32 *out, u64 *cycles, u32 rounds, u32 work)
{
    extern __shared__ u32 s[];
    u32 t = threadIdx.x; s[t] = t; __syncthreads();
    u64 start = clock64();
    for (u32 i = 0; i < rounds; i++) { u32 a = s[t ^ (i & 31)], b = s[t]; __syncthreads(); s[t] = a + b; __syncthreads(); }
    u64 end = clock64(); if (t == 0) cycles[blockIdx.x] = end - start; out[blockIdx.x * blockDim.x + t] = s[t];
}
extern "C" __global__ void barrier_one(u32 *out, u64 *cycles, u32 rounds, u32 work)
{
    extern __shared__ u32 s[];
    u32 t = threadIdx.x, from = 0; s[t] = t; __syncthreads();
    u64 start = clock64();
    for (u32 i = 1; i <= rounds; i++) {
        u32 to = blockDim.x - from, v = s[from + t], offset = 1u << (i & 7);
        if (t >= offset) v += s[from + t - offset];
        s[to + t] = v; from = to; __syncthreads();
    }
    u64 end = clock64(); if (t == 0) cycles[blockIdx.x] = end - start; out[blockIdx.x * blockDim.x + t] = s[t];
}

// Columns of a square tile: conflicts of `stride` words, loads and stores.
extern "C" __global__ void conflicts(u32 *out, u64 *cycles, u32 rounds, u32 stride)
{
    __shared__ u32 s[8192];
    u32 t = threadIdx.x; for (u32 i = t; i < 8192; i += blockDim.x) s[i] = i;
    __syncthreads(); u64 start = clock64(); u32 sum = 0, at = t % 32 * stride + t / 32;
#pragma unroll 4
    for (u32 i = 0; i < rounds; i++) sum += s[(at + i * 32) & 8191];
    __syncthreads(); u64 end = clock64(); if (t == 0) cycles[blockIdx.x] = end - start; out[blockIdx.x * blockDim.x + t] = sum;
}
extern "C" __global__ void conflicts_64(u32 *out, u64 *cycles, u32 rounds, u32 stride)
{
    __shared__ u64 s[4096];
    u32 t = threadIdx.x; for (u32 i = t; i < 4096; i += blockDim.x) s[i] = i;
    __syncthreads(); u64 start = clock64(); u64 sum = 0; u32 at = t % 32 * stride + t / 32;
#pragma unroll 4
    for (u32 i = 0; i < rounds; i++) sum += s[(at + i * 32) & 4095];
    __syncthreads(); u64 end = clock64(); if (t == 0) cycles[blockIdx.x] = end - start; out[blockIdx.x * blockDim.x + t] = (u32)sum;
}

// Arithmetic: a chain, one per thread.
#define CHAIN(NAME, TYPE, FIRST, EXPRESSION) \
    extern "C" __global__ void op_##NAME(u32 *out, u64 *cycles, u32 rounds, u32 a, u32 b) { \
        TYPE x = (TYPE)(FIRST); __syncthreads(); u64 start = clock64(); \
        for (u32 i = 0; i < rounds; i++) { x = EXPRESSION; x = EXPRESSION; x = EXPRESSION; x = EXPRESSION; } \
        __syncthreads(); u64 end = clock64(); if (threadIdx.x == 0) cycles[blockIdx.x] = end - start; \
        out[blockIdx.x * blockDim.x + threadIdx.x] = (u32)x; }
CHAIN(udiv, u32, a + threadIdx.x, x / b + 0x70000000)
CHAIN(urem, u32, a + threadIdx.x, x % b + 0x70000000)
CHAIN(sdiv, int, a + threadIdx.x, x / (int)b + 0x70000000)
CHAIN(udiv64, u64, a + threadIdx.x, x / b + 0x7000000000000000ull)
CHAIN(urem64, u64, a + threadIdx.x, x % b + 0x7000000000000000ull)
CHAIN(udiv64_small, u64, a + threadIdx.x, x / b + 0x70000000ull)
CHAIN(mul64, u64, a + threadIdx.x, x * b + 3)
CHAIN(add64, u64, a + threadIdx.x, (x ^ a) + b)
CHAIN(shift64, u64, a + threadIdx.x, (x << (b & 7)) ^ a)
CHAIN(fdiv, float, a + threadIdx.x, (float)b / x + 1.0f)
CHAIN(fsqrt, float, a + threadIdx.x, sqrtf(x) + 1.0f)
CHAIN(dadd, double, a + threadIdx.x, x * 1.5 + 1.0)
CHAIN(ddiv, double, a + threadIdx.x, (double)b / x + 1.0)
CHAIN(dsqrt, double, a + threadIdx.x, sqrt(x) + 1.0)
CHAIN(dconv, double, a + threadIdx.x, (double)((float)x) + 1.0)
CHAIN(fconv, float, a + threadIdx.x, (float)((int)x) + 1.5f)
CHAIN(popc, u32, a + threadIdx.x, __popc(x) + b)
CHAIN(brev, u32, a + threadIdx.x, __brev(x) + b)
CHAIN(clz, u32, a + threadIdx.x, __clz(x) + b)
CHAIN(rotate, u32, a + threadIdx.x, __funnelshift_l(x, x, 7) ^ b)
CHAIN(imad, u32, a + threadIdx.x, x * b + a)
CHAIN(exp, float, a + threadIdx.x, expf(x * -0.01f) + 1.0f)
CHAIN(sincos, float, a + threadIdx.x, __sinf(x) + __cosf(x))
CHAIN(pow, float, a + threadIdx.x, powf(x, 0.7f) + 1.0f)

// Loops whose lanes end after different numbers of rounds: 64-bit Collatz, a float orbit.
extern "C" __global__ void loop_collatz(u32 *out, u64 *cycles, u32 first)
{
    u64 value = first + (threadIdx.x % 32) * 0; int count = 0;
    __syncthreads(); u64 start = clock64();
    while (value != 1) { value = value % 2 == 0 ? value / 2 : 3 * value + 1; count++; }
    __syncthreads(); u64 end = clock64(); if (threadIdx.x == 0) { cycles[2 * blockIdx.x] = end - start; cycles[2 * blockIdx.x + 1] = count; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
extern "C" __global__ void loop_orbit(u32 *out, u64 *cycles, float cx, float cy, u32 most)
{
    float zx = 0, zy = 0; u32 steps = 0;
    __syncthreads(); u64 start = clock64();
    while (steps < most && zx * zx + zy * zy < 4.0f) { float next = zx * zx - zy * zy + cx; zy = 2.0f * zx * zy + cy; zx = next; steps++; }
    __syncthreads(); u64 end = clock64(); if (threadIdx.x == 0) { cycles[2 * blockIdx.x] = end - start; cycles[2 * blockIdx.x + 1] = steps; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps + (zx > 1e30f);
}
extern "C" __global__ void loop_gcd(u32 *out, u64 *cycles, u32 a, u32 b)
{
    u32 x = a, y = b, steps = 0;
    __syncthreads(); u64 start = clock64();
    while (y != 0) { u32 rest = x % y; x = y; y = rest; steps++; }
    __syncthreads(); u64 end = clock64(); if (threadIdx.x == 0) { cycles[2 * blockIdx.x] = end - start; cycles[2 * blockIdx.x + 1] = steps; }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + steps;
}
