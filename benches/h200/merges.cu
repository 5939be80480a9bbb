// When a multiprocessor joins stores to one sector before they go to L2: the sectors that warps
// store, and those that L2 sees. `benches/h200/merges.sh` has Nsight Compute count both, for each
// launch of this program:
//
//     nvcc -O3 -arch=native -o merges benches/h200/merges.cu
//     benches/h200/merges.sh ./merges > benches/data/h200/merges.csv
//
// A block of `warps` warps runs on each multiprocessor. A lane fills rows of its own, a word after
// the other, `words` of the `row` bytes from one row to the next; between two stores a warp has `gap`
// dependent additions to do.
#include <cstdio>
#include <cstdlib>

static const int ROUNDS = 32;

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

template <int WORDS, int GAP> __global__ void fill(float *to, unsigned row)
{
    float value = threadIdx.x;
    for (int round = 0; round < ROUNDS; round++) {
        size_t number = ((size_t)blockIdx.x * ROUNDS + round) * blockDim.x + threadIdx.x;
        float *own = to + number * (row / 4);
#pragma unroll
        for (int word = 0; word < WORDS; word++) {
#pragma unroll
            for (int i = 0; i < GAP; i++) {
                asm volatile("add.f32 %0, %0, 0f3f800000;" : "+f"(value));
            }
            asm volatile("st.global.f32 [%0], %1;" ::"l"(own + word), "f"(value) : "memory");
        }
    }
}

static float *rows;

template <int WORDS, int GAP> static void launch(unsigned row)
{
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        printf("%d,%u,%d,%d\n", WORDS, row, GAP, warps);
        fill<WORDS, GAP><<<132, 32 * warps>>>(rows, row);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
}

int main()
{
    check(cudaMalloc((void **)&rows, (size_t)132 * ROUNDS * 1024 * 256));
    launch<2, 0>(8);
    launch<3, 0>(12);
    launch<3, 32>(12);
    launch<4, 0>(16);
    launch<4, 4>(16);
    launch<4, 16>(16);
    launch<4, 64>(16);
    launch<6, 0>(24);
    launch<8, 0>(32);
    launch<8, 4>(32);
    launch<8, 16>(32);
    launch<8, 64>(32);
    launch<8, 0>(64);
    launch<8, 0>(128);
    launch<8, 16>(128);
    launch<2, 0>(128);
    launch<2, 0>(256);
    return 0;
}
