// Sums in shared memory by many lanes: 32-bit integers, which the hardware adds, and floats and doubles,
// for which ptxas makes a loop of load, add and compare-and-swap. CSV on standard output.
//
//     nvcc -O3 -arch=native -o shared_sums benches/h200/shared_sums.cu && ./shared_sums > benches/data/h200/shared_sums.csv
//
// In each of 64 rounds a thread picks one of `places` places at random and adds to `adds` neighbouring
// words there, one after the other. `rest`: float operations that it does before. Cycles are those of
// the median block from its first to its last thread, a round of a block; `blocks_per_sm` blocks run
// at the same time.
#include "measured.cuh"
#include <algorithm>

__device__ unsigned mix(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

template <class T>
__global__ void sums(T *out, long long *cycles, unsigned places, unsigned adds, unsigned rounds, int rest)
{
    __shared__ T at[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) at[i] = 0;
    __syncthreads();
    long long begin = clock64();
    unsigned x = mix(blockIdx.x * blockDim.x + threadIdx.x + 1);
    float f = x;
    for (unsigned r = 0; r < rounds; r++) {
        x = mix(x + r);
        for (int i = 0; i < rest; i++) f = f * 1.0001f + 1;
        if (f == 77) x++;
        unsigned place = x % places * adds;
        for (unsigned d = 0; d < adds; d++) atomicAdd(&at[place + d], (T)(x & 255));
    }
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
    out[threadIdx.x] = at[threadIdx.x];
}

template <class T> void all(const char *type, int multiprocessors)
{
    static long long host[4096];
    T *out;
    long long *cycles;
    check(cudaMalloc(&out, 1024 * sizeof(T)));
    check(cudaMalloc(&cycles, sizeof host));
    for (unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u})
        for (unsigned places : {1u, 4u, 16u, 64u, 1024u})
            for (unsigned adds : {1u, 4u})
                for (unsigned per : {1u, 2u, 4u})
                    for (int rest : {0, 100}) {
                        if (per * threads > 2048 || (rest && (places == 4 || threads == 64))) continue;
                        unsigned rounds = 64, blocks = multiprocessors * per;
                        for (int i = 0; i < 2; i++) sums<T><<<blocks, threads>>>(out, cycles, places, adds, rounds, rest);
                        check(cudaMemcpy(host, cycles, blocks * sizeof *host, cudaMemcpyDeviceToHost));
                        std::sort(host, host + blocks);
                        printf("%s,%u,%u,%u,%u,%d,%.1f\n", type, threads, per, places, adds, rest,
                               (double)host[blocks / 2] / rounds);
                    }
}

int main()
{
    int multiprocessors = heading("shared_sums.cu").multiProcessorCount;
    printf("type,threads,blocks_per_sm,places,adds,rest,cycles_per_round\n");
    all<float>("f32", multiprocessors);
    all<unsigned>("u32", multiprocessors);
    all<double>("f64", multiprocessors);
}
