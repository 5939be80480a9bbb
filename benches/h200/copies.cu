// What a multiprocessor takes for copies from global to shared memory, and for the loads that
// they replace: CSV on standard output.
//
//     nvcc -O3 -arch=native -o copies benches/h200/copies.cu && ./copies > benches/data/h200/copies.csv
//
// Kept from an NVIDIA H200, driver 580.159.04, 2026-11-25. One block runs on each multiprocessor.
// A request of a warp copies or loads `bytes` per lane from `rows` rows, each in lines of its own,
// `shift` bytes from the start of a line. `copy` is `cp.async` (.ca for 4 and 8 bytes, .cg for 16),
// `load` a load into a register, `both` a load and a store to shared memory, `part` a copy of which
// a register says how many bytes to read: all; `none` one that reads none and writes zeros. `source` says what answers: 16 KiB per multiprocessor
// stay in L1, 256 KiB come from L2. `cycles` is the time of a block over its requests, the median
// of all blocks.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef unsigned int u32;

#define CHECK(call) check((call), __LINE__)
static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}

enum Kind { COPY, PART, NONE, LOAD, BOTH };
static const char *NAMES[] = {"copy", "part", "none", "load", "both"};
static const u32 UNROLL = 8, ROUNDS = 96;

template <int BYTES> struct Value;
template <> struct Value<4> { typedef u32 type; };
template <> struct Value<8> { typedef uint2 type; };
template <> struct Value<16> { typedef uint4 type; };
static __device__ u32 sum(u32 v) { return v; }
static __device__ u32 sum(uint2 v) { return v.x + v.y; }
static __device__ u32 sum(uint4 v) { return v.x + v.y + v.z + v.w; }

// A load that stays where it is.
template <class T> static __device__ T load(const char *at);
template <> __device__ u32 load(const char *at)
{
    u32 v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}
template <> __device__ uint2 load(const char *at)
{
    uint2 v;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(at) : "memory");
    return v;
}
template <> __device__ uint4 load(const char *at)
{
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
    return v;
}

template <int KIND, int BYTES>
__global__ void move(const char *from, u32 span, u32 rows, u32 shift, u32 read, u32 *sums, long long *took)
{
    extern __shared__ char shared[];
    typedef typename Value<BYTES>::type T;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    u32 lanes = 32 / rows, pitch = (lanes * BYTES + shift + 127) / 128 * 128;
    u32 size = rows * pitch;
    from += (size_t)blockIdx.x * (span + 4096) + lane / lanes * pitch + lane % lanes * BYTES + shift;
    char *own = shared + warp * UNROLL * 32 * BYTES + lane * BYTES;
    u32 to = (u32)__cvta_generic_to_shared(own);
    u32 at = warp * size % span, found = 0;
    long long start = 0;
    for (u32 round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 2) {
            __syncthreads();
            start = clock64();
        }
        T values[UNROLL];
#pragma unroll
        for (u32 i = 0; i < UNROLL; i++) {
            const char *place = from + at;
            u32 there = to + i * 32 * BYTES;
            if (KIND == COPY && BYTES == 16)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(place) : "memory");
            else if (KIND == COPY)
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(there), "l"(place), "n"(BYTES) : "memory");
            else if ((KIND == PART || KIND == NONE) && BYTES == 16)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(there), "l"(place), "r"(read) : "memory");
            else if (KIND == PART || KIND == NONE)
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(there), "l"(place), "n"(BYTES), "r"(read) : "memory");
            else
                values[i] = load<T>(place);
            at += warps * size;
            at = at < span ? at : at - span;
        }
#pragma unroll
        for (u32 i = 0; i < UNROLL; i++) {
            if (KIND == LOAD) found += sum(values[i]);
            if (KIND == BOTH) *(T *)(own + i * 32 * BYTES) = values[i];
        }
        if (KIND == COPY || KIND == PART || KIND == NONE) {
            asm volatile("cp.async.commit_group;" ::: "memory");
            asm volatile("cp.async.wait_group 2;" ::: "memory");
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - start;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = found + *(u32 *)(shared + threadIdx.x * 4);
}

template <int KIND, int BYTES>
static void line(const char *data, u32 sms, u32 span, u32 rows, u32 shift, u32 warps, u32 *sums, long long *took)
{
    u32 shared = std::max(warps * UNROLL * 32 * BYTES, warps * 128);
    if (shared > 200 << 10) return;
    CHECK(cudaFuncSetAttribute(move<KIND, BYTES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    std::vector<long long> times(sms);
    for (int run = 0; run < 2; run++) {
        move<KIND, BYTES><<<sms, warps * 32, shared>>>(data, span, rows, shift, KIND == NONE ? 0 : BYTES, sums, took);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(times.data(), took, sms * sizeof(long long), cudaMemcpyDeviceToHost));
    std::sort(times.begin(), times.end());
    double requests = (double)warps * UNROLL * (ROUNDS - ROUNDS / 2);
    printf("%s,%d,%u,%u,%s,%u,%.2f\n", NAMES[KIND], BYTES, rows, shift, span > 1 << 16 ? "l2" : "l1", warps,
           times[sms / 2] / requests);
}

template <int BYTES>
static void width(const char *data, u32 sms, u32 *sums, long long *took)
{
    for (u32 span : {16u << 10, 256u << 10})
        for (u32 rows : {1u, 2u, 4u})
            for (u32 shift : {0u, (u32)BYTES, 128u - 2 * BYTES})
                for (u32 warps : {4u, 8u, 16u, 32u}) {
                    line<COPY, BYTES>(data, sms, span, rows, shift, warps, sums, took);
                    line<PART, BYTES>(data, sms, span, rows, shift, warps, sums, took);
                    line<NONE, BYTES>(data, sms, span, rows, shift, warps, sums, took);
                    line<LOAD, BYTES>(data, sms, span, rows, shift, warps, sums, took);
                    line<BOTH, BYTES>(data, sms, span, rows, shift, warps, sums, took);
                }
}

int main()
{
    int sms;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    char *data;
    u32 *sums;
    long long *took;
    CHECK(cudaMalloc(&data, (size_t)sms << 20));
    CHECK(cudaMemset(data, 1, (size_t)sms << 20));
    CHECK(cudaMalloc(&sums, sms * 1024 * 4));
    CHECK(cudaMalloc(&took, sms * 8));
    printf("kind,bytes,rows,shift,source,warps,cycles\n");
    width<4>(data, sms, sums, took);
    width<8>(data, sms, sums, took);
    width<16>(data, sms, sums, took);
}
