// Probe, launches: the time of an empty kernel, and the start of blocks.
//
// Overview
//   The time of an empty kernel between two events is the overhead of a launch. With
//   more blocks it grows by the time to start a block. Blocks that store when and where
//   they ran show the time before the first block, the time after the last, and the gap
//   between two blocks in the same place.
//
// Launch
//   Any grid and block.
//
// Output
//   probe_stamp: 4 words per block in data: its multiprocessor, the clock of that
//   multiprocessor at its start and end, and the nanoseconds of %globaltimer at its start.
//   All others: nothing.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

PROBE probe_empty(uint *cycles, uint *data, uint, uint, uint) {}

// An empty kernel with one store: the kernel ends when the store has arrived.
PROBE probe_store(uint *cycles, uint *data, uint, uint, uint)
{
    if (threadIdx.x == 0) data[blockIdx.x] = 1;
}

static __device__ __forceinline__ uint nanoseconds()
{
    ulong now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return (uint)now;
}

// Runs for at least `length` cycles and stores when. Dynamic shared memory sets how many
// blocks fit on a multiprocessor.
PROBE probe_stamp(uint *cycles, uint *data, uint, uint length, uint)
{
    uint time = nanoseconds();
    uint start = (uint)clock64(), processor;
    asm volatile("mov.u32 %0, %smid;" : "=r"(processor));
    while ((uint)clock64() - start < length) {}
    __syncthreads();
    if (threadIdx.x == 0) {
        uint *mine = data + 4 * blockIdx.x;
        mine[0] = processor;
        mine[1] = start;
        mine[3] = time;
        mine[2] = (uint)clock64();
    }
}

// Compares the clock of a multiprocessor with the clock of the GPU: cycles and
// nanoseconds of one long wait, in data[0] and data[1].
PROBE probe_clock(uint *cycles, uint *data, uint, uint length, uint)
{
    uint time = nanoseconds();
    // Start at a step of the coarser clock.
    while (nanoseconds() == time) {}
    time = nanoseconds();
    uint start = (uint)clock64();
    while ((uint)clock64() - start < length) {}
    uint later = nanoseconds();
    while (nanoseconds() == later) {}
    data[0] = (uint)clock64() - start;
    data[1] = nanoseconds() - time;
}
