// Probe, within a block: rate and latency of shared memory, its atomics and barriers.
//
// Overview
//   A multiprocessor serves one wavefront of shared memory per cycle: 32 banks, one word
//   of each. Lanes that use different words of one bank need one wavefront each. Each
//   kernel repeats one access, with 32 warps (rate) or one lane (latency).
//
// Launch
//   grid 1, block up to 1024, 4 KiB of shared memory. Lane l of each warp uses word
//   l / sharers * hop: hop = 1 has no conflicts, hop = 32 puts all lanes on one bank.
//   repeat is the number of rounds of 16 accesses; only the difference between repeat
//   and 2 * repeat rounds is used.
//
// Output
//   cycles[blockIdx.x]: cycles between the two barriers. The other stores prevent the
//   assembler from removing the loops.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

#define X4(text) text text text text
#define X16(text) X4(X4(text))

#define START() __syncthreads(); long long start = clock64();
#define STOP() __syncthreads(); \
    if (threadIdx.x == 0) cycles[blockIdx.x] = (uint)(clock64() - start);

// `round` accesses `where`, the address of this lane's word.
#define SHARED(name, round)                                                       \
    PROBE name(uint *cycles, uint *data, uint repeat, uint sharers, uint hop)     \
    {                                                                             \
        extern __shared__ uint words[];                                           \
        for (uint i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;       \
        uint index = threadIdx.x % 32 / sharers * hop % 1024;                     \
        uint where = (uint)__cvta_generic_to_shared(&words[index]);               \
        uint amount = data[33], value = 0;                                        \
        START();                                                                  \
        _Pragma("unroll 1")                                                       \
        for (uint i = 0; i < repeat; ++i) { round; }                              \
        STOP();                                                                   \
        if (threadIdx.x < 32) data[64 + threadIdx.x] = words[threadIdx.x] + value; \
    }

// ---- loads and stores -----------------------------------------------------------
// volatile: each access is executed, although all return the same value. The assembler
// removes loads with unused results, hence the sums, which run in parallel.

SHARED(probe_shared_load, asm volatile(
    "{ .reg .u32 got;\n\t"
    X16("ld.volatile.shared.u32 got, [%1];\n\t" "add.u32 %0, %0, got;\n\t")
    "}" : "+r"(value) : "r"(where)))

SHARED(probe_shared_store, asm volatile(
    X16("st.volatile.shared.u32 [%1], %0;\n\t") :: "r"(amount), "r"(where)))

// ---- atomics --------------------------------------------------------------------

SHARED(probe_shared_add, asm volatile(
    X16("red.shared.add.u32 [%1], %0;\n\t") :: "r"(amount), "r"(where)))

SHARED(probe_shared_increment, asm volatile(
    X16("red.shared.add.u32 [%0], 1;\n\t") :: "r"(where)))

SHARED(probe_shared_float, asm volatile(
    X4("red.shared.add.f32 [%1], %0;\n\t") :: "f"(__uint_as_float(amount)), "r"(where)))

// ---- latencies: each address is the result of the last access ------------------

// Each word holds its own address, so the result of a load is the next address.
PROBE probe_shared_chase(uint *cycles, uint *data, uint repeat, uint, uint)
{
    extern __shared__ uint words[];
    uint where = (uint)__cvta_generic_to_shared(&words[threadIdx.x]);
    words[threadIdx.x] = where;
    START();
    #pragma unroll 1
    for (uint i = 0; i < repeat; ++i)
        asm volatile(X16("ld.volatile.shared.u32 %0, [%0];\n\t") : "+r"(where));
    STOP();
    data[64 + threadIdx.x % 32] = where;
}

PROBE probe_shared_atomic_chase(uint *cycles, uint *data, uint repeat, uint, uint)
{
    extern __shared__ uint words[];
    uint where = (uint)__cvta_generic_to_shared(&words[threadIdx.x]), zero = data[34];
    words[threadIdx.x] = where;
    START();
    #pragma unroll 1
    for (uint i = 0; i < repeat; ++i)
        asm volatile(X16("atom.shared.add.u32 %0, [%0], %1;\n\t") : "+r"(where) : "r"(zero));
    STOP();
    data[64 + threadIdx.x % 32] = where;
}

// ---- barriers -------------------------------------------------------------------

// repeat rounds of 16 barriers; the grid has one block, or enough to fill all
// multiprocessors.
PROBE probe_barrier(uint *cycles, uint *data, uint repeat, uint, uint)
{
    START();
    #pragma unroll 1
    for (uint i = 0; i < repeat; ++i)
        asm volatile(X16("bar.sync 0;\n\t") ::: "memory");
    STOP();
}
