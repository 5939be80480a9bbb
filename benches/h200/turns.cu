// How many turns of a scheduler loads and products take: CSV on standard output.
//
//     nvcc -O3 -arch=native -o turns benches/h200/turns.cu && ./turns
//
// Kept from an NVIDIA H200, driver 580.159.04, 2026-11-25, as benches/data/h200/turns.csv, with the
// machine instructions of a round, loop and addresses included (`cuobjdump -sass turns`).
//
// Each of 16 warps of a scheduler loops over a load or product, or none, and so many multiply-adds
// that are independent of it and of each other. All loads hit. `cycles` is the time of one round per
// warp, at 1.98 GHz.
#include <cstdio>
#include <cstdlib>
typedef unsigned int u32;
typedef unsigned long long u64;

#define CHECK(call) check((call), __LINE__)
static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}

enum Kind { NONE, CONST_32, CONST_64, SHARED_32, SHARED_64, SHARED_128, GLOBAL_32, GLOBAL_64, GLOBAL_128, LOW, WIDE };
static const char *NAMES[] = {"none", "constant 32", "constant 64", "shared 32", "shared 64", "shared 128",
                              "global 32", "global 64", "global 128", "mul.lo", "mul.wide"};
static const u32 ROUNDS = 4000, COPIES = 4, WARPS = 16;

__constant__ u64 words[1024];

template <int KIND, int FMAS> __global__ void loop(float *out, const char *in, u32 zero, u32 odd)
{
    __shared__ char tile[40960];
    const u32 BYTES = KIND == SHARED_128 || KIND == GLOBAL_128 ? 16 : KIND == SHARED_64 || KIND == GLOBAL_64 ? 8 : 4;
    u32 shared = (u32)__cvta_generic_to_shared(tile) + threadIdx.x * BYTES;
    const char *global = in + threadIdx.x * BYTES;
    float sums[8];
    for (int f = 0; f < 8; f++) sums[f] = threadIdx.x + f;
    u32 bits = threadIdx.x + zero;
    for (u32 i = 0; i < ROUNDS; i++) {
        u32 at = (i & odd) * 64;
#pragma unroll
        for (u32 copy = 0; copy < COPIES; copy++) {
            u32 offset = at + copy * 16;
            u32 a = 0, b = 0, c = 0, d = 0;
            u64 w = 0;
            if (KIND == CONST_32) a = ((const u32 *)words)[offset / 4];
            if (KIND == CONST_64) w = words[offset / 8];
            if (KIND == SHARED_32) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(a) : "r"(shared + offset));
            if (KIND == SHARED_64) asm volatile("ld.shared.u64 %0,[%1];" : "=l"(w) : "r"(shared + offset));
            if (KIND == SHARED_128)
                asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared + offset));
            if (KIND == GLOBAL_32) asm volatile("ld.global.u32 %0,[%1];" : "=r"(a) : "l"(global + offset));
            if (KIND == GLOBAL_64) asm volatile("ld.global.u64 %0,[%1];" : "=l"(w) : "l"(global + offset));
            if (KIND == GLOBAL_128)
                asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(global + offset));
            if (KIND == LOW) a = bits * odd;
            if (KIND == WIDE) w = (u64)bits * odd;
#pragma unroll
            for (int f = 0; f < FMAS; f++) sums[f] = fmaf(sums[f], 1.5f, 0.5f);
            bits ^= a ^ b ^ c ^ d ^ (u32)w ^ (u32)(w >> 32);
        }
    }
    float all = bits;
    for (int f = 0; f < 8; f++) all += sums[f];
    out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

template <int KIND, int FMAS> static void measure(float *out, const char *in)
{
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    float best = 1e9f;
    for (int run = 0; run < 5; run++) {
        CHECK(cudaEventRecord(start));
        loop<KIND, FMAS><<<132 * 2, 1024>>>(out, in, 0, 1);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        best = milliseconds < best ? milliseconds : best;
    }
    printf("%s,%d,%.2f\n", NAMES[KIND], FMAS, best * 1.98e6 / (ROUNDS * COPIES * WARPS));
}

template <int KIND> static void each(float *out, const char *in)
{
    measure<KIND, 0>(out, in);
    measure<KIND, 4>(out, in);
    measure<KIND, 8>(out, in);
}

int main()
{
    float *out;
    char *in;
    CHECK(cudaMalloc(&out, 4 * 1024 * 264));
    CHECK(cudaMalloc(&in, 65536));
    CHECK(cudaMemset(in, 0, 65536));
    printf("load,multiply_adds,cycles\n");
    each<NONE>(out, in);
    each<CONST_32>(out, in);
    each<CONST_64>(out, in);
    each<SHARED_32>(out, in);
    each<SHARED_64>(out, in);
    each<SHARED_128>(out, in);
    each<GLOBAL_32>(out, in);
    each<GLOBAL_64>(out, in);
    each<GLOBAL_128>(out, in);
    each<LOW>(out, in);
    each<WIDE>(out, in);
}
