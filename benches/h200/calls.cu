// What jumps cost beside the instructions around them: cycles of a round.
//
//     nvcc -O3 -arch=native -o calls benches/h200/calls.cu
//     ./calls > benches/data/h200/calls.csv
//
// kind    loop: a round is one turn of a loop; call: it calls a function eight times; pointer: so too,
//         by an address that it reads
// inside  products in the loop or in the function, in four chains
// warps   of a multiprocessor, 32 to a block; all have as many
// cycles  of a round, the slowest warp
#include "measured.cuh"

static const int ROUNDS = 512, CALLS = 8;

template <int INSIDE> __device__ __forceinline__ float4 products(float4 v, float by)
{
#pragma unroll
    for (int k = 0; k < INSIDE; k++) {
        float &one = k % 4 == 0 ? v.x : k % 4 == 1 ? v.y : k % 4 == 2 ? v.z : v.w;
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(one) : "f"(by));
    }
    return v;
}

template <int INSIDE> __device__ __noinline__ float4 called(float4 v, float by) { return products<INSIDE>(v, by); }

enum Kind { LOOP, CALL, POINTER };

typedef float4 (*Function)(float4, float);

template <int INSIDE> __device__ Function functions[2] = {called<INSIDE>, called<INSIDE>};

template <int INSIDE, Kind KIND> __global__ void rounds(unsigned many, float by, unsigned *cycles, float4 *sums)
{
    float4 v = make_float4(threadIdx.x, 1, 2, 3);
    Function function = functions<INSIDE>[many & 1];
    __syncthreads();
    unsigned start = clock();
#pragma unroll 1
    for (unsigned round = 0; round < many; round++) {
        if (KIND == LOOP) v = products<INSIDE>(v, by);
        if (KIND == CALL) {
#pragma unroll
            for (int k = 0; k < CALLS; k++) v = called<INSIDE>(v, by);
        }
        if (KIND == POINTER) {
#pragma unroll
            for (int k = 0; k < CALLS; k++) v = function(v, by);
        }
    }
    unsigned end = clock();
    sums[blockIdx.x * blockDim.x + threadIdx.x] = v;
    if (threadIdx.x % 32 == 0) atomicMax(cycles, end - start);
}

static unsigned *cycles;
static float4 *sums;

template <int INSIDE, Kind KIND> static void measure(unsigned multiprocessors)
{
    const char *kinds[] = {"loop", "call", "pointer"};
    for (unsigned warps : {1, 8, 16, 32, 64}) {
        unsigned best = ~0u, blocks = warps > 32 ? 2 : 1;
        for (int time = 0; time < 3; time++) {
            *cycles = 0;
            rounds<INSIDE, KIND><<<blocks * multiprocessors, 32 * warps / blocks>>>(ROUNDS, 0.5f, cycles, sums);
            check(cudaDeviceSynchronize());
            if (*cycles < best) best = *cycles;
        }
        printf("%s,%d,%u,%.1f\n", kinds[KIND], INSIDE, warps, best / (double)ROUNDS);
    }
}

template <int INSIDE> static void all(unsigned multiprocessors)
{
    measure<INSIDE, LOOP>(multiprocessors);
    measure<INSIDE, CALL>(multiprocessors);
    measure<INSIDE, POINTER>(multiprocessors);
}

int main()
{
    unsigned many = heading("calls.cu").multiProcessorCount;
    printf("kind,inside,warps,cycles\n");
    check(cudaMallocManaged(&cycles, sizeof(unsigned)));
    check(cudaMalloc(&sums, sizeof(float4) * 2048 * many));
    all<1>(many);
    all<4>(many);
    all<8>(many);
    all<16>(many);
    all<32>(many);
    return 0;
}
