// How fast L2 adds where many warps add to few words, integers and floats; and whether dynamic
// shared memory makes an empty kernel longer: CSV on standard output.
//
//     nvcc -O3 -arch=native -o sums benches/h200/sums.cu && ./sums > benches/data/h200/sums.csv
//
// Each warp adds `rounds` times to one of `groups` places that lie `apart` words from each other,
// in turn; its lanes add to `words` neighbouring words there. `sums`: neighbouring lanes add to
// neighbouring words. `runs`: to the same. `single`: only as many lanes as words add. `used`: as
// `sums`, and the old value is used. `empty` and `touch` are kernels with so many KiB of dynamic
// shared memory, `twice` two of the first. Times are medians of 7 or 15 runs, L2 filled with
// other data before each, everything queued before it starts.
#include <algorithm>
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

template <class T> __global__ void sums(T *p, u32 words, u32 groups, u32 apart, u32 rounds)
{
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    for (u32 i = 0; i < rounds; i++)
        atomicAdd(p + ((warp + i * 7) % groups) * apart + lane % words, (T)1);
}

template <class T> __global__ void runs(T *p, u32 words, u32 groups, u32 apart, u32 rounds)
{
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    for (u32 i = 0; i < rounds; i++)
        atomicAdd(p + ((warp + i * 7) % groups) * apart + lane * words / 32, (T)1);
}

template <class T> __global__ void single(T *p, u32 words, u32 groups, u32 apart, u32 rounds)
{
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (lane < words)
        for (u32 i = 0; i < rounds; i++)
            atomicAdd(p + ((warp + i * 7) % groups) * apart + lane, (T)1);
}

template <class T> __global__ void used(T *p, u32 words, u32 groups, u32 apart, u32 rounds)
{
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    T kept = 0;
    for (u32 i = 0; i < rounds; i++)
        kept += atomicAdd(p + ((warp + i * 7) % groups) * apart + lane % words, (T)1);
    if (kept == (T)-1) p[99] = kept;
}

__global__ void hold(volatile int *go)
{
    while (!*go);
}

__global__ void fill(float4 *p, size_t n)
{
    size_t all = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += all) p[i].x += 1;
}

__global__ void empty(u32 *p)
{
    extern __shared__ u32 shared[];
    if (p && threadIdx.x == 2000) p[0] = shared[0];
}

__global__ void touch(u32 *p)
{
    extern __shared__ u32 shared[];
    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (shared[threadIdx.x ^ 1] == 77777) p[0] = 1;
}

static const size_t BYTES = (size_t)256 << 20;
static float4 *other;
static int *go_host, *go;

// Microseconds of what `launch` queues.
template <class F> double timed(F launch, int tries = 15)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float times[64];
    for (int i = 0; i < tries + 2; i++) {
        *go_host = 0;
        hold<<<1, 1>>>(go);
        fill<<<264, 1024>>>(other, BYTES / 16);
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaEventRecord(end));
        *(volatile int *)go_host = 1;
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(times + (i < 2 ? 0 : i - 2), begin, end));
    }
    CHECK(cudaGetLastError());
    std::sort(times, times + tries);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return times[tries / 2] * 1e3;
}

template <class T> void all(const char *type, T *p)
{
    const char *names[] = {"sums", "runs", "single", "used"};
    void (*kernels[])(T *, u32, u32, u32, u32) = {sums<T>, runs<T>, single<T>, used<T>};
    for (u32 words : {1u, 2u, 4u, 8u, 16u, 32u})
        for (u32 groups : {1u, 2u, 8u, 64u, 1024u})
            for (u32 apart : {32u, 512u})
                for (int kind = 0; kind < (apart == 512 ? 1 : 4); kind++) {
                    u32 rounds = 16, blocks = 1056;
                    double us = timed([&] { kernels[kind]<<<blocks, 256>>>(p, words, groups, apart, rounds); }, 7);
                    printf("%s,%s,words=%u;groups=%u;apart=%u,%u,256,%u,%.3f\n", names[kind], type, words, groups,
                           apart, blocks, rounds, us);
                }
}

int main()
{
    void *p;
    CHECK(cudaMalloc(&other, BYTES));
    CHECK(cudaMalloc(&p, 64 << 20));
    CHECK(cudaMemset(p, 0, 64 << 20));
    CHECK(cudaHostAlloc(&go_host, 4, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&go, go_host, 0));
    CHECK(cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    CHECK(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    printf("probe,kernel,setting,blocks,threads,rounds,microseconds\n");
    for (u32 kib : {0u, 8u, 16u, 32u, 33u, 48u, 64u, 65u, 100u, 132u, 164u, 196u, 227u})
        for (u32 blocks : {1u, 132u, 264u, 1320u})
            for (u32 threads : {32u, 256u, 1024u}) {
                auto one = [&] { empty<<<blocks, threads, kib << 10>>>(nullptr); };
                double alone = timed(one), twice = timed([&] { one(); one(); });
                u32 bytes = std::max(kib << 10, threads * 4);
                double touched = timed([&] { touch<<<blocks, threads, bytes>>>((u32 *)p); });
                const char *names[] = {"empty", "touch", "twice"};
                double times[] = {alone, touched, twice};
                for (int i = 0; i < 3; i++)
                    printf("%s,shared,kib=%u,%u,%u,1,%.3f\n", names[i], kib, blocks, threads, times[i]);
            }
    all("u32", (u32 *)p);
    all("f32", (float *)p);
    all("u64", (u64 *)p);
    all("f64", (double *)p);
}
