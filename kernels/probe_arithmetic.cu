// Probe, arithmetic: how many instructions of a kind a multiprocessor starts per
// cycle, and how many cycles pass until the result of one can be used.
//
// Overview
//   Every kernel here repeats one instruction, each time on the result of the
//   last, and reads the clock before and after.
//     One warp alone waits for each result:  cycles / instructions = latency.
//     32 warps of one block keep all four schedulers busy; what one warp waits,
//     the others use:                        instructions / cycles = rate.
//
// Launch
//   grid 1, block 32 (latency) or 1024 (rate). repeat is the number of rounds of
//   128 instructions (16 divisions). Each kernel is run with repeat and with twice
//   as many rounds, and only the difference counts: it holds neither the barriers
//   nor the reads of the clock.
//
// Output
//   cycles[blockIdx.x]: cycles between the two barriers. data[32] is written only if
//   the results add up to limit, which nobody expects: without it the assembler
//   would drop the loop, whose results nobody reads.
//
// Why assembly
//   The compiler would find a shorter way to the same sum. What is written in PTX
//   it leaves alone, and what the driver's assembler makes of it is what it makes
//   of every program's instructions: instructions that it can fold (x + a + a)
//   are given operands that change. Multiply-adds read two registers, not three: three
//   may lie in one bank of the register file, which takes a cycle more. A round of 128 has three more for the loop, so
//   the fastest kinds come out 2 % slow.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

// The same text 4, 16 and 128 times.
#define X4(text) text text text text
#define X16(text) X4(X4(text))
#define X128(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text)

// `round` works on a, b, c and d, which start as data has them.
#define ARITHMETIC(name, type, round)                                             \
    PROBE name(uint *cycles, uint *data, uint repeat, uint limit, uint)           \
    {                                                                             \
        type a = (type)data[threadIdx.x % 32], b = (type)data[33];                \
        type c = (type)data[34], d = (type)data[35];                              \
        __syncthreads();                                                          \
        long long start = clock64();                                              \
        _Pragma("unroll 1")                                                       \
        for (uint i = 0; i < repeat; ++i) { round; }                              \
        __syncthreads();                                                          \
        if (threadIdx.x == 0) cycles[blockIdx.x] = (uint)(clock64() - start);     \
        if (a + b + c + d == (type)limit) data[32] = 1;                           \
    }

// ---- integers -------------------------------------------------------------------

ARITHMETIC(probe_integer_add, uint, asm volatile(
    X16(X4("add.u32 %0, %0, %1;\n\t" "add.u32 %1, %1, %0;\n\t"))
    : "+r"(a), "+r"(b)))

ARITHMETIC(probe_integer_multiply, uint, asm volatile(
    X128("mad.lo.u32 %0, %0, %1, %1;\n\t") : "+r"(a) : "r"(b)))

ARITHMETIC(probe_multiply_high, uint, asm volatile(
    X128("mul.hi.u32 %0, %0, %1;\n\t") : "+r"(a) : "r"(b)))

// Four words in turn, each from itself, another and the last result: never few
// enough for two of these to be one.
#define FOUR "lop3.b32 %0, %0, %1, %3, 0xE8;\n\t" "lop3.b32 %1, %1, %2, %0, 0xE8;\n\t" \
             "lop3.b32 %2, %2, %3, %1, 0xE8;\n\t" "lop3.b32 %3, %3, %0, %2, 0xE8;\n\t"
ARITHMETIC(probe_logic, uint, asm volatile(
    X16(FOUR FOUR) : "+r"(a), "+r"(b), "+r"(c), "+r"(d)))

ARITHMETIC(probe_shift, uint, asm volatile(
    X16(X4("shl.b32 %0, %0, %1;\n\t" "shr.u32 %0, %0, %2;\n\t"))
    : "+r"(a) : "r"(b), "r"(c)))

ARITHMETIC(probe_minimum, uint, asm volatile(
    X16(X4("min.u32 %0, %0, %1;\n\t" "max.u32 %1, %1, %0;\n\t"))
    : "+r"(a), "+r"(b)))

// A comparison and the selection by it count as one.
ARITHMETIC(probe_select, uint, asm volatile(
    "{ .reg .pred p;\n\t"
    X128("setp.lt.u32 p, %0, %1;\n\t" "selp.b32 %0, %2, %0, p;\n\t")
    "}" : "+r"(a) : "r"(b), "r"(c)))

ARITHMETIC(probe_population, uint, asm volatile(
    X128("popc.b32 %0, %0;\n\t") : "+r"(a)))

ARITHMETIC(probe_divide_integer, uint, asm volatile(
    X16("div.u32 %0, %1, %0;\n\t") : "+r"(a) : "r"(b)))

// ---- loops -----------------------------------------------------------------------

// The shortest loop: one warp's rounds are an addition, a comparison and a branch.
PROBE probe_loop(uint *cycles, uint *data, uint repeat, uint limit, uint)
{
    uint i = 0, one = data[36];
    long long start = clock64();
    #pragma unroll 1
    do asm volatile("add.u32 %0, %0, %1;" : "+r"(i) : "r"(one)); while (i < repeat);
    cycles[blockIdx.x] = (uint)(clock64() - start);
    if (i == limit) data[32] = 1;
}

// ---- floats ---------------------------------------------------------------------

ARITHMETIC(probe_f32, float, asm volatile(
    X128("fma.rn.f32 %0, %0, %1, %1;\n\t") : "+f"(a) : "f"(b)))

ARITHMETIC(probe_f64, double, asm volatile(
    X128("fma.rn.f64 %0, %0, %1, %1;\n\t") : "+d"(a) : "d"(b)))

ARITHMETIC(probe_special, float, asm volatile(
    X128("ex2.approx.ftz.f32 %0, %0;\n\t") : "+f"(a)))

ARITHMETIC(probe_divide_float, float, asm volatile(
    X16("div.rn.f32 %0, %1, %0;\n\t") : "+f"(a) : "f"(b)))

// Each takes the bits of the last result for its operand: there and back again
// would come to nothing.
ARITHMETIC(probe_to_float, uint, asm volatile(
    "{ .reg .f32 f;\n\t"
    X128("cvt.rn.f32.u32 f, %0;\n\t" "mov.b32 %0, f;\n\t")
    "}" : "+r"(a)))

ARITHMETIC(probe_to_integer, float, asm volatile(
    "{ .reg .b32 i;\n\t"
    X128("cvt.rzi.u32.f32 i, %0;\n\t" "mov.b32 %0, i;\n\t")
    "}" : "+f"(a)))

// ---- between the lanes of a warp ------------------------------------------------

ARITHMETIC(probe_shuffle, uint, asm volatile(
    X128("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;\n\t") : "+r"(a)))

ARITHMETIC(probe_vote, uint, asm volatile(
    "{ .reg .pred p;\n\t"
    X128("setp.ne.u32 p, %0, %1;\n\t" "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t")
    "}" : "+r"(a) : "r"(b)))
