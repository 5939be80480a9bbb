// What it costs that each lane of a warp reads a line of its own: cycles of a round in which each thread
// loads some floats in a row from its own place, or adds to one by an atomic, and waits for the results.
//
//     nvcc -O3 -arch=native -o lines benches/h200/lines.cu
//     ./lines > benches/data/h200/lines.csv
//
// together lanes side by side at one place
// stride   bytes between neighbouring places
// from     where the floats are: in l1, since every round reads the same; in l2, since a kernel before
//          read all; or in dram, since L2 was emptied. A round of the last two goes on by one sector.
// loads    floats that a thread has in flight; 0: one atomic
// cycles   of a round, the mean over all warps of the launch (warps of a block x blocks)
#include "measured.cuh"

static const int ROUNDS = 64;
static const size_t EMPTY = 256 << 20, MOST = 1 << 30;

template <int LOADS> __global__ void rounds(float *data, int together, size_t stride, int step, unsigned *cycles, float *sums)
{
    size_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    float *place = data + thread / together * stride + thread % together;
    float sum = 0.0f;
    if (step == 0) sum += *place;
    unsigned start = clock();
    for (int k = 0; k < ROUNDS; k++) {
        if constexpr (LOADS == 0) {
            sum += atomicAdd(place, 0.0f);
        } else {
            float values[LOADS];
#pragma unroll
            for (int i = 0; i < LOADS; i++) asm volatile("ld.global.f32 %0, [%1];" : "=f"(values[i]) : "l"(place + i));
#pragma unroll
            for (int i = 0; i < LOADS; i++) sum += values[i];
        }
        place += sum == 0.5f ? 1 : step;
    }
    unsigned end = clock();
    if (threadIdx.x % 32 == 0) cycles[thread / 32] = end - start;
    sums[thread] = sum;
}

__global__ void touch(const float *data, size_t floats, float *sums)
{
    float sum = 0.0f;
    for (size_t i = (blockIdx.x * blockDim.x + threadIdx.x) * 8; i < floats; i += gridDim.x * blockDim.x * 8) sum += data[i];
    if (sum == 0.5f) *sums = sum;
}

static float *data, *sums;
static char *empty;
static unsigned *cycles;

template <int LOADS> static void measure(int together, size_t stride, int warps, int blocks)
{
    size_t places = (size_t)warps * 32 * blocks / together, floats = places * (stride / 4) + ROUNDS * 8 + 40;
    if (floats * 4 > MOST) return;
    const char *from[] = {"l1", "l2", "dram"};
    for (int kind = LOADS == 0; kind < 3; kind++) {
        if (kind == 1 && floats * 4 > 20 << 20) continue;
        double best = 1e30;
        for (int time = 0; time < 3; time++) {
            check(cudaMemset(empty, 1, EMPTY));
            if (kind == 1) touch<<<264, 256>>>(data, floats, sums);
            rounds<LOADS><<<blocks, warps * 32>>>(data, together, stride / 4, kind == 0 ? 0 : 8, cycles, sums);
            check(cudaDeviceSynchronize());
            double sum = 0.0;
            for (int warp = 0; warp < warps * blocks; warp++) sum += cycles[warp];
            if (sum < best) best = sum;
        }
        printf("%d,%zu,%s,%d,%d,%d,%.1f\n", together, stride, from[kind], LOADS, warps, blocks, best / (warps * blocks) / ROUNDS);
    }
}

int main()
{
    heading("lines.cu");
    printf("together,stride,from,loads,warps,blocks,cycles\n");
    check(cudaMalloc(&data, MOST + 4096));
    check(cudaMemset(data, 0, MOST + 4096));
    check(cudaMalloc(&empty, EMPTY));
    check(cudaMalloc(&sums, 1 << 24));
    check(cudaMallocManaged(&cycles, 1 << 20));
    for (size_t stride : {32, 128, 160, 2048, 4096, 8000, 8192, 24000, 100000}) {
        for (int together : {1, 2, 4, 8, 16, 32}) {
            if (stride < 4 * together) continue;
            for (int blocks : {1, 64, 132}) {
                for (int warps : {1, 4, 16}) {
                    measure<0>(together, stride, warps, blocks);
                    measure<1>(together, stride, warps, blocks);
                    measure<2>(together, stride, warps, blocks);
                    measure<4>(together, stride, warps, blocks);
                    measure<8>(together, stride, warps, blocks);
                }
            }
        }
    }
}
