// What match.any takes where lanes have several different values. CSV on standard output.
//
//     nvcc -O3 -arch=native -o matches benches/h200/matches.cu && ./matches > benches/data/h200/matches.csv
//
// In each of 64 rounds a warp looks for lanes with its value, and waits for the answer. Lanes have `values`
// different values of `bits` bits, in turn. Cycles are those of the median block, a round; `blocks_per_sm`
// blocks run at the same time.
#include "measured.cuh"
#include <algorithm>

__device__ unsigned match(unsigned key)
{
    unsigned found;
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(found) : "r"(key));
    return found;
}

__device__ unsigned match(unsigned long long key)
{
    unsigned found;
    asm volatile("match.any.sync.b64 %0, %1, 0xffffffff;" : "=r"(found) : "l"(key));
    return found;
}

template <class T> __global__ void matches(unsigned *out, long long *cycles, unsigned values, unsigned rounds)
{
    T key = threadIdx.x % 32 % values;
    unsigned sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (unsigned r = 0; r < rounds; r++) {
        unsigned found = match(key);
        // Never, but the next one has to wait to know.
        if (found == 0) key++;
        sum += found;
    }
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class T> void all(int bits, int multiprocessors)
{
    static long long host[4096];
    unsigned *out;
    long long *cycles;
    check(cudaMalloc(&out, 1 << 22));
    check(cudaMalloc(&cycles, sizeof host));
    for (unsigned threads : {32u, 128u, 1024u})
        for (unsigned per : {1u, 2u})
            for (unsigned values : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 24u, 32u}) {
                unsigned rounds = 64, blocks = multiprocessors * per;
                for (int i = 0; i < 2; i++) matches<T><<<blocks, threads>>>(out, cycles, values, rounds);
                check(cudaMemcpy(host, cycles, blocks * sizeof *host, cudaMemcpyDeviceToHost));
                std::sort(host, host + blocks);
                printf("%d,%u,%u,%u,%.1f\n", bits, threads, per, values, (double)host[blocks / 2] / rounds);
            }
}

int main()
{
    int multiprocessors = heading("matches.cu").multiProcessorCount;
    printf("bits,threads,blocks_per_sm,values,cycles_per_round\n");
    all<unsigned>(32, multiprocessors);
    all<unsigned long long>(64, multiprocessors);
}
