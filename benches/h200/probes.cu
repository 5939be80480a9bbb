// Small kernels that each isolate one thing a GPU does, so that its cost can be
// timed and its events counted. `benches/h200/main.rs` launches them.
//
// Every kernel leaves the clock cycles of its measured part in cycles[blockIdx.x].

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

static __device__ __forceinline__ ulong nanoseconds()
{
    ulong now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// A stretch between two barriers, timed by the block's first thread.
#define START() __syncthreads(); long long began = clock64();
#define STOP() __syncthreads(); if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - began;

PROBE probe_empty(uint *cycles) {}

// ---- accesses at given places -----------------------------------------------
// Lane l of every warp works at byte out[64 + l] of the warp's memory: block-wide
// shared memory, or 4 KiB of its own in global memory.

#define SHARED(name, body)                                                        \
    PROBE name(uint *cycles, uint *out, uint repeat)                              \
    {                                                                             \
        extern __shared__ uint words[];                                           \
        for (uint i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;       \
        uint offset = out[64 + threadIdx.x % 32];                                 \
        uint *word = &words[offset / 4];                                          \
        uint where = (uint)__cvta_generic_to_shared(word);                        \
        uint amount = out[0] + 1, a = 0, b = 0, c = 0, d = 0;                     \
        START();                                                                  \
        for (uint i = 0; i < repeat; ++i) { body; }                               \
        STOP();                                                                   \
        if (a + b + c + d == 0xffffffff) out[1] = amount;                         \
        if (threadIdx.x < 32) out[32 + threadIdx.x] = words[threadIdx.x];         \
    }
SHARED(probe_shared_one_unused, atomicAdd(word, 1))
SHARED(probe_shared_one_used, a += atomicAdd(word, 1))
SHARED(probe_shared_register_unused, atomicAdd(word, amount))
SHARED(probe_shared_register_used, a += atomicAdd(word, amount))
SHARED(probe_shared_load4,
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(where)))
SHARED(probe_shared_load8,
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(where)))
SHARED(probe_shared_load16,
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(where)))
SHARED(probe_shared_store4,
    asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(where), "r"(i)))
SHARED(probe_shared_store8,
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" :: "r"(where), "r"(i)))
SHARED(probe_shared_store16,
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" :: "r"(where), "r"(i)))

#define GLOBAL(name, body)                                                        \
    PROBE name(uint *cycles, uint *out, uint repeat)                              \
    {                                                                             \
        uint warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;                 \
        uint *word = &out[1024 * (warp + 1) + out[64 + threadIdx.x % 32] / 4];    \
        uint amount = out[0] + 1, a = 0;                                          \
        START();                                                                  \
        for (uint i = 0; i < repeat; ++i) { body; }                               \
        STOP();                                                                   \
        if (a == 0xffffffff) out[1] = amount;                                     \
    }
GLOBAL(probe_global_one_unused, atomicAdd(word, 1))
GLOBAL(probe_global_one_used, a += atomicAdd(word, 1))
GLOBAL(probe_global_register_unused, atomicAdd(word, amount))
GLOBAL(probe_global_register_used, a += atomicAdd(word, amount))

// All warps on two words this far apart, half of the lanes on each: takes twice
// as long where one slice of the L2 cache serves both.
PROBE probe_global_pair(uint *cycles, uint *out, uint distance, uint repeat)
{
    uint *word = threadIdx.x % 32 < 16 ? out : out + distance;
    START();
    for (uint i = 0; i < repeat; ++i) atomicAdd(word, 1);
    STOP();
}

// ---- atomics on random words out of `words_in_use` --------------------------

static __device__ __forceinline__ uint next(uint state)
{
    return state * 1664525u + 1013904223u;
}

PROBE probe_shared_random(uint *cycles, uint *out, uint words_in_use, uint repeat)
{
    extern __shared__ uint words[];
    for (uint i = threadIdx.x; i < words_in_use; i += blockDim.x) words[i] = 0;
    uint state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    START();
    for (uint i = 0; i < repeat; ++i) {
        state = next(state);
        atomicAdd(&words[__umulhi(state, words_in_use)], 1);
    }
    STOP();
    if (threadIdx.x == 0) out[1] = words[0];
}

PROBE probe_global_random(uint *cycles, uint *out, uint words_in_use, uint repeat)
{
    uint state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    START();
    for (uint i = 0; i < repeat; ++i) {
        state = next(state);
        atomicAdd(&out[__umulhi(state, words_in_use)], 1);
    }
    STOP();
}

// The same arithmetic without the atomic: what to subtract.
PROBE probe_random_only(uint *cycles, uint *out, uint words_in_use, uint repeat)
{
    uint state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, sum = 0;
    START();
    for (uint i = 0; i < repeat; ++i) {
        state = next(state);
        sum ^= __umulhi(state, words_in_use);
    }
    STOP();
    if (sum == 0xffffffff) out[1] = sum;
}

// ---- memory -----------------------------------------------------------------

PROBE probe_copy4(uint *cycles, const uint *from, uint *to, uint n)
{
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

PROBE probe_copy16(uint *cycles, const uint4 *from, uint4 *to, uint n)
{
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

PROBE probe_read4(uint *cycles, const uint *from, uint *to, uint n)
{
    uint sum = 0;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum ^= from[i];
    if (sum == 0x12345678) to[0] = sum;
}

// One lane follows a ring of indices: the time of a step is a load's latency.
// With `rounds`, it goes round first, to fill the caches.
PROBE probe_chase(uint *cycles, uint *ring, uint words, uint step, uint rounds, uint repeat)
{
    for (uint i = 0; i < words; i += step) ring[i] = (i + step) % words;
    __threadfence();
    uint where = 0;
    for (uint i = 0; i < rounds * (words / step); ++i) where = ring[where];
    START();
    for (uint i = 0; i < repeat; ++i) where = ring[where];
    STOP();
    if (where == 0xffffffff) cycles[1] = where;
}

// ---- clocks -----------------------------------------------------------------

// How many different values %globaltimer shows in a while, and of what step.
PROBE probe_globaltimer(uint *cycles, uint *out, uint repeat)
{
    ulong first = nanoseconds(), last = first;
    uint changes = 0, smallest = 0xffffffff;
    START();
    for (uint i = 0; i < repeat; ++i) {
        ulong now = nanoseconds();
        if (now != last) {
            ++changes;
            if (now - last < smallest) smallest = (uint)(now - last);
            last = now;
        }
    }
    STOP();
    out[1] = changes;
    out[2] = smallest;
    out[3] = (uint)(last - first);
}
