// What an access to shared memory takes by width and pattern, and how warps share the banks: cycles of the
// block for each access of each warp.
//
//     nvcc -O3 -std=c++17 -arch=native -o banks benches/h200/banks.cu
//     ./banks > benches/data/h200/banks.csv
//
// access   load or store, of 4, 8 or 16 bytes a lane, one ready before the one before has come;
//          chain: loads of 4 bytes, each from where the one before says
// step     words from one lane to the next, modulo `lanes`
// lanes    that read different places; the others read the same as one of them
// warps    of the block, which is alone on its multiprocessor
// cycles   of the block for each access of a warp
#include "measured.cuh"

static const int ROUNDS = 200, ACCESSES = 8;

enum Access { LOAD_4, LOAD_8, LOAD_16, STORE_4, STORE_16, CHAIN };

template <Access ACCESS>
__global__ void rounds(int step, int lanes, unsigned long long *times, float *sums)
{
    extern __shared__ float words[];
    for (int i = threadIdx.x; i < 12288; i += blockDim.x) words[i] = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(words) + 4 * (threadIdx.x % 32 % lanes * step);
    float sum = 0;
    __syncthreads();
    unsigned long long start = clock64();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int k = 0; k < ACCESSES; k++) {
            unsigned to = at + 16 * k;
            float a, b, c, d;
            if (ACCESS == LOAD_4) {
                asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a) : "r"(to));
                sum += a;
            } else if (ACCESS == LOAD_8) {
                asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(to));
                sum += a + b;
            } else if (ACCESS == LOAD_16) {
                asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(to));
                sum += (a + b) + (c + d);
            } else if (ACCESS == STORE_4) {
                asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(to), "f"(sum));
            } else if (ACCESS == STORE_16) {
                asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(to), "f"(sum));
            } else {
                asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
                at += __float_as_uint(a);
            }
        }
    }
    unsigned long long end = clock64();
    if (threadIdx.x % 32 == 0) atomicMin(&times[0], start), atomicMax(&times[1], end);
    sums[threadIdx.x] = sum + at;
}

static unsigned long long *times;
static float *sums;

struct Pattern {
    int step, lanes;
};

template <Access ACCESS> static void measure(const char *name, int width)
{
    static const Pattern patterns[] = {{0, 1}, {1, 32}, {2, 32}, {4, 32}, {8, 32}, {16, 32}, {32, 32}, {64, 2}, {64, 4}, {4, 8}, {8, 8}, {4, 16}, {8, 16}};
    for (auto [step, lanes] : patterns) {
        if (step * 4 % width != 0) continue;
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            double best = 1e30;
            for (int time = 0; time < 4; time++) {
                unsigned long long found[2] = {~0ull, 0};
                check(cudaMemcpy(times, found, sizeof found, cudaMemcpyHostToDevice));
                rounds<ACCESS><<<1, 32 * warps, 49152>>>(step, lanes, times, sums);
                check(cudaMemcpy(found, times, sizeof found, cudaMemcpyDeviceToHost));
                double cycles = (double)(found[1] - found[0]) / (ROUNDS * ACCESSES);
                if (cycles < best) best = cycles;
            }
            printf("%s,%d,%d,%d,%.2f\n", name, step, lanes, warps, best);
        }
    }
}

int main()
{
    heading("banks.cu");
    printf("access,step,lanes,warps,cycles\n");
    check(cudaMalloc(&times, 2 * sizeof *times));
    check(cudaMalloc(&sums, sizeof(float) * 1024));
    measure<LOAD_4>("load 4", 4);
    measure<LOAD_8>("load 8", 8);
    measure<LOAD_16>("load 16", 16);
    measure<STORE_4>("store 4", 4);
    measure<STORE_16>("store 16", 16);
    measure<CHAIN>("chain", 4);
}
