// Probe, memory: latency and throughput of L1, L2 and DRAM.
//
// Overview
//   A load takes some hundred cycles. Throughput = bytes in flight / latency (Little's
//   law), until the memory is saturated. The reading kernels load zeros and add them to
//   the address of the next load. So each thread has exactly the loads of one step in
//   flight, even if the assembler unrolls the loop.
//
// Launch
//   probe_chase_*  grid 1, block 1: one lane follows a ring of indices.
//   probe_read_*   any grid and block; the grid strides over `size` words, repeat times.
//   others         any grid and block; one pass over `size` words.
//   If a kernel needs its data in L2, the launch before it reads them.
//
// Output
//   cycles[blockIdx.x]: cycles between the two barriers, of probe_chase_* and
//   probe_read_l1. The time of all others is measured between events.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

#define START() __syncthreads(); long long start = clock64();
#define STOP() __syncthreads(); \
    if (threadIdx.x == 0) cycles[blockIdx.x] = (uint)(clock64() - start);

// Loads that bypass L1 (.cg).
static __device__ __forceinline__ uint past_l1(const uint *at)
{
    uint value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

static __device__ __forceinline__ uint4 past_l1(const uint4 *at)
{
    uint4 value;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(at));
    return value;
}

// ---- latencies ------------------------------------------------------------------

// A ring of indices over `size` words, `hop` words from one to the next.
PROBE probe_ring(uint *cycles, uint *data, uint, uint size, uint hop)
{
    for (uint i = (blockIdx.x * blockDim.x + threadIdx.x) * hop; i < size;
         i += gridDim.x * blockDim.x * hop)
        data[i] = i + hop < size ? i + hop : 0;
}

// One round to fill the cache, if hop is not 0; then repeat timed steps.
#define CHASE(name, load)                                                         \
    PROBE name(uint *cycles, uint *data, uint repeat, uint size, uint hop)        \
    {                                                                             \
        uint where = 0;                                                           \
        if (hop != 0)                                                             \
            for (uint i = 0; i < size; i += hop) where = load(data + where);      \
        START();                                                                  \
        for (uint i = 0; i < repeat; ++i) where = load(data + where);             \
        STOP();                                                                   \
        if (where == 0xffffffff) cycles[1] = where;                               \
    }
#define PLAIN(at) (*(at))
CHASE(probe_chase_l1, PLAIN)
CHASE(probe_chase_l2, past_l1)

// The same with atomic additions of 0.
PROBE probe_chase_atomic(uint *cycles, uint *data, uint repeat, uint size, uint hop)
{
    uint where = 0;
    for (uint i = 0; i < size; i += hop) where = past_l1(data + where);
    START();
    for (uint i = 0; i < repeat; ++i) where = atomicAdd(data + where, 0);
    STOP();
    if (where == 0xffffffff) cycles[1] = where;
}

// ---- reading --------------------------------------------------------------------

// The `loads` loads of a step are in flight together. The next address depends on their
// values, which are 0.
#define READ(name, type, width, loads, sum)                                       \
    PROBE name(uint *cycles, const type *data, uint repeat, uint size, uint)      \
    {                                                                             \
        uint stride = gridDim.x * blockDim.x, words = size / width, zero = 0;     \
        for (uint round = 0; round < repeat; ++round) {                           \
            uint i = blockIdx.x * blockDim.x + threadIdx.x;                       \
            for (; i < words; i += loads * stride) {                              \
                type got[loads];                                                  \
                _Pragma("unroll")                                                 \
                for (uint k = 0; k < loads; ++k) {                                \
                    uint at = i + k * stride;                                     \
                    got[k] = past_l1(data + (at < words ? at : i));               \
                }                                                                 \
                _Pragma("unroll")                                                 \
                for (uint k = 0; k < loads; ++k) zero |= sum(got[k]);             \
                i += zero;                                                        \
            }                                                                     \
        }                                                                         \
        if (zero == 0xffffffff) cycles[0] = zero;                                 \
    }
#define ONE(value) value
#define FOUR(value) (value.x | value.y | value.z | value.w)
READ(probe_read_4x1, uint, 1, 1, ONE)
READ(probe_read_4x4, uint, 1, 4, ONE)
READ(probe_read_16x1, uint4, 4, 1, FOUR)
READ(probe_read_16x4, uint4, 4, 4, FOUR)

// A block of up to 1024 threads reads the same 32 KiB repeatedly through L1, with eight
// loads in flight per thread.
PROBE probe_read_l1(uint *cycles, uint *data, uint repeat, uint, uint)
{
    uint zero = 0;
    for (uint i = threadIdx.x; i < 8192; i += blockDim.x) zero |= data[i];
    START();
    #pragma unroll 1
    for (uint round = 0; round < repeat; ++round) {
        const uint *at = data + threadIdx.x + zero;
        uint got[8];
        #pragma unroll
        for (uint k = 0; k < 8; ++k) got[k] = at[k * 1024];
        #pragma unroll
        for (uint k = 0; k < 8; ++k) zero |= got[k];
    }
    STOP();
    if (zero == 0xffffffff) cycles[1] = zero;
}

// One word of each `hop` words: the bytes moved show the size of a transfer.
PROBE probe_read_stride(uint *cycles, uint *data, uint, uint size, uint hop)
{
    uint zero = 0, stride = gridDim.x * blockDim.x, words = size / hop;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += 4 * stride) {
        #pragma unroll
        for (uint k = 0; k < 4; ++k) {
            uint at = i + k * stride;
            zero |= past_l1(data + (size_t)(at < words ? at : i) * hop);
        }
    }
    if (zero == 0xffffffff) cycles[0] = zero;
}

// ---- writing and copying --------------------------------------------------------

PROBE probe_write(uint *cycles, uint4 *data, uint value, uint size, uint)
{
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < size / 4; i += gridDim.x * blockDim.x)
        data[i] = make_uint4(value, value, value, value);
}

// From the first half of `size` words to the second.
PROBE probe_copy(uint *cycles, uint4 *data, uint, uint size, uint)
{
    uint half = size / 8;
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < half; i += gridDim.x * blockDim.x)
        data[half + i] = data[i];
}
