// Probe, arithmetic: instructions per cycle of a multiprocessor, and latency of an
// instruction, by kind.
//
// Overview
//   Each kernel repeats one instruction on its own last result, and reads the clock
//   before and after.
//     One warp waits for each result:              cycles / instructions = latency.
//     32 warps keep all four schedulers busy, and
//     hide each other's latency:                   instructions / cycles = rate.
//
// Launch
//   grid 1, block 32 (latency) or 1024 (rate). repeat is the number of rounds of 128
//   instructions (16 divisions). Each kernel runs with repeat and with 2 * repeat
//   rounds; the difference excludes the barriers and the reads of the clock.
//
// Output
//   cycles[blockIdx.x]: cycles between the two barriers. data[32] is written only if
//   the results add up to limit, which does not happen: without this store the
//   assembler would remove the loop.
//
// Why assembly
//   The compiler would simplify the sum, but it does not change inline PTX. The driver's
//   assembler treats it as it treats the instructions of any program, so instructions
//   that it could fold (x + a + a) have operands that change. Multiply-adds read two
//   registers, not three: three can be in one bank of the register file, which costs a
//   cycle. A round of 128 has three more instructions for the loop, so the fastest kinds
//   are measured 2 % too slow.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;
typedef unsigned long long ulong;

// The same text 4, 16 and 128 times.
#define X4(text) text text text text
#define X16(text) X4(X4(text))
#define X128(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text)

// `round` computes on a, b, c and d, which are initialised from data.
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

// Four words in turn, each from itself, another and the last result, so that the
// assembler cannot merge two instructions.
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

// A comparison and its selection count as one instruction.
ARITHMETIC(probe_select, uint, asm volatile(
    "{ .reg .pred p;\n\t"
    X128("setp.lt.u32 p, %0, %1;\n\t" "selp.b32 %0, %2, %0, p;\n\t")
    "}" : "+r"(a) : "r"(b), "r"(c)))

ARITHMETIC(probe_population, uint, asm volatile(
    X128("popc.b32 %0, %0;\n\t") : "+r"(a)))

ARITHMETIC(probe_divide_integer, uint, asm volatile(
    X16("div.u32 %0, %1, %0;\n\t") : "+r"(a) : "r"(b)))

// ---- loops -----------------------------------------------------------------------

// The shortest loop: a round is an addition, a comparison and a branch.
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

// The operand is the bits of the last result, because the assembler could remove a
// conversion and its inverse.
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
