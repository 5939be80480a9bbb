// What loads of constant memory cost whose lanes read different places.
//
//     nvcc -O3 -arch=native -o constants benches/h200/constants.cu
//     ./constants > benches/data/h200/constants.csv
//
// bytes   of the table: places that are read lie evenly over it, and move on with each load
// places  that the lanes of a warp read
// warps   of a multiprocessor, 32 to a block; all have as many
// cycles  of a load: a warp makes eight that do not wait for each other
#include "measured.cuh"

static const unsigned ROUNDS = 256, LOADS = 8, WORDS = 16384;

__constant__ unsigned table[WORDS];

__global__ void loads(unsigned words, unsigned places, unsigned *cycles, unsigned *sums)
{
    unsigned lane = threadIdx.x % 32, last = words - 1, at = lane % places * (words / places), sum = 0;
    __syncthreads();
    unsigned start = clock();
#pragma unroll 1
    for (unsigned round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (unsigned k = 0; k < LOADS; k++) sum += table[(at + k * 5) & last];
        at += 41 + (sum & 1);
    }
    unsigned end = clock();
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (lane == 0) atomicMax(cycles, end - start);
}

int main()
{
    unsigned many = heading("constants.cu").multiProcessorCount, *cycles, *sums;
    printf("bytes,places,warps,cycles\n");
    check(cudaMallocManaged(&cycles, sizeof(unsigned)));
    check(cudaMalloc(&sums, sizeof(unsigned) * 2048 * many));
    for (unsigned words : {64, 256, 512, 1024, 4096, 16384}) {
        for (unsigned places : {1, 2, 4, 8, 16, 32}) {
            for (unsigned warps : {1, 4, 16, 32, 64}) {
                unsigned best = ~0u, blocks = warps > 32 ? 2 : 1;
                for (int time = 0; time < 3; time++) {
                    *cycles = 0;
                    loads<<<blocks * many, 32 * warps / blocks>>>(words, places, cycles, sums);
                    check(cudaDeviceSynchronize());
                    if (*cycles < best) best = *cycles;
                }
                printf("%u,%u,%u,%.1f\n", 4 * words, places, warps, best / (double)(ROUNDS * LOADS));
            }
        }
    }
    return 0;
}
