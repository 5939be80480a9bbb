// Probe, atomics in global memory: how many a second, by type and by place.
//
// Overview
//   L2 carries atomics out, slice by slice. One word belongs to one slice, so atomics
//   on one word go as fast as a slice; on many words, as fast as all slices together.
//
// Launch
//   Any grid and block; every thread carries out repeat atomics. `size` words are in
//   use : every lane takes a random one of them each time. In probe_atomic_lanes, `sharers`
//   neighbouring lanes share a word instead, the words of a warp follow each other, and
//   every warp and round has 128 bytes of its own; `size` is a power of two there.
//
// Output
//   The words themselves; timed between events.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

// A generator that needs two instructions (Numerical Recipes).
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

// Half of the lanes of every warp on the first word, half `hop` words further: takes half
// as long where two slices share the work.
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
