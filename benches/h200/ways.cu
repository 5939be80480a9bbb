// What a branch over some instructions costs: cycles of a round of a loop in which each thread comes to
// eight such branches.
//
//     nvcc -O3 -arch=native -o ways benches/h200/ways.cu
//     ./ways > benches/data/h200/ways.csv
//
// over    instructions that a branch leads over: each waits for the one before
// kind    open: no branch; alike: all lanes have the same condition, and machine code knows it;
//         own: each lane has a condition of its own, so lanes that went different ways meet again
//         (BSSY, BSYNC)
// ways    of the lanes: skip, enter, or part (every other lane enters)
// warps   of the block, which is alone on its multiprocessor
// cycles  of a round, the slowest warp
#include "measured.cuh"

static const int ROUNDS = 256, WAYS = 8;

enum Kind { OPEN, ALIKE, OWN };

template <int OVER, Kind KIND>
__global__ void rounds(const unsigned *limits, unsigned lanes, unsigned *cycles, unsigned *sums)
{
    unsigned lane = threadIdx.x % 32, sum = lane, limit[WAYS];
    bool enters = KIND == ALIKE || lane % lanes == 0;
#pragma unroll
    for (int way = 0; way < WAYS; way++) limit[way] = enters ? limits[way] : 0;
    __syncthreads();
    unsigned start = clock();
#pragma unroll 1
    for (unsigned round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int way = 0; way < WAYS; way++) {
            if (KIND == OPEN || round < limit[way]) {
#pragma unroll
                for (int k = 0; k < OVER; k++) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(sum) : "r"(round), "r"(lane));
            }
        }
    }
    unsigned end = clock();
    sums[threadIdx.x] = sum;
    if (lane == 0) atomicMax(cycles, end - start);
}

static unsigned *limits, *cycles, *sums;

template <int OVER, Kind KIND> static void measure()
{
    const char *kinds[] = {"open", "alike", "own"}, *ways[] = {"skip", "enter", "part"};
    for (int way = KIND == OPEN ? 1 : 0; way < (KIND == OWN ? 3 : 2); way++) {
        for (int i = 0; i < WAYS; i++) limits[i] = way == 0 ? 0 : 1u << 30;
        for (int warps : {1, 4, 8, 12, 16, 20, 24, 32}) {
            unsigned best = ~0u;
            for (int time = 0; time < 3; time++) {
                *cycles = 0;
                rounds<OVER, KIND><<<1, 32 * warps>>>(limits, way == 2 ? 2 : 1, cycles, sums);
                check(cudaDeviceSynchronize());
                if (*cycles < best) best = *cycles;
            }
            printf("%d,%s,%s,%d,%.1f\n", OVER, kinds[KIND], ways[way], warps, best / (double)ROUNDS);
        }
    }
}

template <int OVER> static void all()
{
    measure<OVER, OPEN>();
    measure<OVER, ALIKE>();
    measure<OVER, OWN>();
}

int main()
{
    heading("ways.cu");
    printf("over,kind,ways,warps,cycles\n");
    check(cudaMallocManaged(&limits, sizeof(unsigned) * WAYS));
    check(cudaMallocManaged(&cycles, sizeof(unsigned)));
    check(cudaMalloc(&sums, sizeof(unsigned) * 1024));
    all<8>();
    all<12>();
    all<16>();
    all<24>();
    all<32>();
    all<64>();
}
