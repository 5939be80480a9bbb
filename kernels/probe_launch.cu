// Probe, launches: what a kernel takes that does nothing, and how blocks follow
// each other.
//
// Overview
//   An empty kernel's time between two events is what every launch takes. By the number
//   of blocks it grows by what the start of a block takes. Blocks that note when
//   and where they ran tell the rest: how long before the first, how long after
//   the last, and how long a place stays empty between two blocks.
//
// Launch
//   Any grid and block.
//
// Output
//   probe_stamp: 4 words for each block in data: its multiprocessor, the clock of
//   that at its start and end, and the nanoseconds of %globaltimer at its start.
//   All others: nothing.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

PROBE probe_empty(uint *cycles, uint *data, uint, uint, uint) {}

// One store more than nothing: the kernel ends when it has arrived.
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

// Works for at least `length` cycles and notes when. Dynamic shared memory decides how
// many blocks a multiprocessor takes at a time.
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

// How the clocks of multiprocessors and of the whole GPU go together: cycles and
// nanoseconds of one long wait, in data[0] and data[1].
PROBE probe_clock(uint *cycles, uint *data, uint, uint length, uint)
{
    uint time = nanoseconds();
    // From a change of the coarser clock on.
    while (nanoseconds() == time) {}
    time = nanoseconds();
    uint start = (uint)clock64();
    while ((uint)clock64() - start < length) {}
    uint later = nanoseconds();
    while (nanoseconds() == later) {}
    data[0] = (uint)clock64() - start;
    data[1] = nanoseconds() - time;
}
