// Probe, atomics in global memory: atomics per second, by type and address.
//
// Overview
//   The slices of the L2 cache execute atomics. A word belongs to one slice, so atomics
//   on one word have the rate of one slice, and atomics on many words the rate of all.
//
// Launch
//   Any grid and block; each thread executes repeat atomics. Each lane uses a random one
//   of `size` words each time. In probe_atomic_lanes, `sharers` neighbouring lanes share
//   a word, the words of a warp are consecutive, and each warp and round has its own 128
//   bytes; `size` is a power of two there.
//
// Output
//   The words themselves. The time is measured between events.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

// A random number generator of two instructions (Numerical Recipes).
static __device__ __forceinline__ uint next(uint state)
{
    return state * 1664525u + 1013904223u;
}

#define ATOMIC(name, type, atomic)                                                \
    PROBE name(uint *cycles, type *data, uint repeat, uint size, uint)            \
    {                                                                             \
        uint state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;   \
        type used = 0;                                                            \
        for (uint i = 0; i < repeat; ++i) {                                       \
            state = next(state);                                                  \
            type *word = &data[__umulhi(state, size)];                            \
            atomic;                                                               \
        }                                                                         \
        if (used == (type)77) cycles[0] = 1;                                      \
    }
ATOMIC(probe_atomic_add, uint, atomicAdd(word, 1))
ATOMIC(probe_atomic_add_used, uint, used += atomicAdd(word, 1))
ATOMIC(probe_atomic_add_u64, ulong, atomicAdd(word, 1))
ATOMIC(probe_atomic_add_f32, float, atomicAdd(word, 1.0f))
ATOMIC(probe_atomic_max, uint, atomicMax(word, state))
ATOMIC(probe_atomic_exchange, uint, used += atomicExch(word, state))
ATOMIC(probe_atomic_compare, uint, used += atomicCAS(word, i, state))

// Half of the lanes of each warp use the first word, half use the word `hop` further: half
// the time if the two words belong to different slices.
PROBE probe_atomic_pair(uint *cycles, uint *data, uint repeat, uint size, uint hop)
{
    uint *word = threadIdx.x % 32 < 16 ? data : data + hop;
    for (uint i = 0; i < repeat; ++i) atomicAdd(word, 1);
}

PROBE probe_atomic_lanes(uint *cycles, uint *data, uint repeat, uint size, uint sharers)
{
    uint warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (uint i = 0; i < repeat; ++i) {
        uint line = (warp * repeat + i) * 2654435761u & (size / 32 - 1);
        atomicAdd(&data[line * 32 + threadIdx.x % 32 / sharers], 1);
    }
}
