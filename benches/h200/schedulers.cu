// Which of its four schedulers a multiprocessor gives a warp to: cycles in which blocks of some warps issue
// instructions that depend on nothing, so that each scheduler issues one a cycle.
//
//     nvcc -O3 -arch=native -o schedulers benches/h200/schedulers.cu
//     ./schedulers > benches/data/h200/schedulers.csv
//
// warps     of a block
// blocks    resident on each multiprocessor
// at_work   warps of each block that issue; the others end at once, or wait at the barriers
// barriers  of the block, in a round of 256 instructions
// cycles    per instruction of a warp, from the first block's start to the last one's end, the median over
//           all multiprocessors
// slots     warps at work on the busiest scheduler, were it the warp's slot (%warpid) modulo 4, likewise
#include <algorithm>
#include <vector>

#include "measured.cuh"

static const int ROUNDS = 64, EACH = 256;

struct Seen {
    unsigned multiprocessor, slot;
    long long start, end;
};

__global__ void issue(int at_work, int barriers, float by, Seen *seen, float *sums)
{
    unsigned warp = threadIdx.x / 32, multiprocessor, slot;
    asm volatile("mov.u32 %0, %smid;" : "=r"(multiprocessor));
    asm volatile("mov.u32 %0, %warpid;" : "=r"(slot));
    float chains[8];
#pragma unroll
    for (int i = 0; i < 8; i++) chains[i] = i + by;
    __syncthreads();
    long long start = clock64();
    for (int round = 0; round < ROUNDS; round++) {
        for (int part = 0; part < (barriers > 1 ? barriers : 1); part++) {
            if (warp < at_work) {
#pragma unroll 4
                for (int k = 0; k < EACH / 8 / (barriers > 1 ? barriers : 1); k++) {
#pragma unroll
                    for (int i = 0; i < 8; i++) chains[i] = chains[i] * by + 1.0f;
                }
            }
            if (barriers) __syncthreads();
        }
    }
    long long end = clock64();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) sum += chains[i];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0) seen[blockIdx.x * blockDim.x / 32 + warp] = {multiprocessor, slot, start, end};
}

int main()
{
    int all = heading("schedulers.cu").multiProcessorCount;
    printf("warps,blocks,at_work,barriers,cycles,slots\n");
    Seen *seen;
    float *sums;
    check(cudaMallocManaged(&seen, sizeof(Seen) * all * 64));
    check(cudaMalloc(&sums, sizeof(float) * all * 64 * 32));
    for (int barriers : {0, 1, 4}) {
        for (int warps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 25, 29, 31, 32}) {
            for (int blocks : {1, 2, 3, 4, 5, 6, 8, 16}) {
                if (warps * blocks > 64) continue;
                for (int at_work : {1, 2, 3, warps / 2, warps}) {
                    if (at_work == 0 || at_work > warps || (at_work == warps / 2 && at_work < 4)) continue;
                    for (int time = 0; time < 2; time++) {
                        issue<<<all * blocks, warps * 32>>>(at_work, barriers, 0.5f, seen, sums);
                        check(cudaDeviceSynchronize());
                    }
                    std::vector<double> cycles, slots;
                    for (unsigned which = 0; which < (unsigned)all; which++) {
                        long long first = 1LL << 62, last = 0;
                        int busy[4] = {};
                        for (int warp = 0; warp < all * blocks * warps; warp++) {
                            if (seen[warp].multiprocessor != which) continue;
                            if (warp % warps >= at_work) continue;
                            first = std::min(first, seen[warp].start);
                            last = std::max(last, seen[warp].end);
                            busy[seen[warp].slot % 4]++;
                        }
                        if (last == 0) continue;
                        cycles.push_back((last - first) / (double)(ROUNDS * EACH));
                        slots.push_back(*std::max_element(busy, busy + 4));
                    }
                    std::sort(cycles.begin(), cycles.end());
                    std::sort(slots.begin(), slots.end());
                    printf("%d,%d,%d,%d,%.2f,%.0f\n", warps, blocks, at_work, barriers, cycles[cycles.size() / 2], slots[slots.size() / 2]);
                }
            }
        }
    }
}
