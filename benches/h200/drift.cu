// How much of a matrix that all blocks read from end to end L2 still holds when the next block wants
// it: CSV on standard output.
//
//     nvcc -O3 -arch=native -o drift benches/h200/drift.cu && ./drift > times.csv
//     ncu --csv --metrics dram__bytes_read.sum,lts__t_sectors_op_read.sum ./drift once > bytes.csv
//
// Kept from an NVIDIA H200, driver 580.159.04, 2026-11-25, as benches/data/h200/drift.csv: the times,
// and the bytes that came out of DRAM and those that L2 looked up, by those that warps asked for.
//
// Each block reads as many columns of a matrix of floats as it has threads, one row after the other,
// and the blocks of all columns begin again `sweeps` times. No block waits for another. `loads` is
// how many loads of a thread are under way at a time, `work` how many multiply-adds follow each in a
// chain, `warps` how many a multiprocessor has at a time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check((call), __LINE__)
static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}

static const unsigned int ROW = 8192;
static const size_t MIB = 1 << 20;

template <int LOADS, int WORK> __global__ void sweep(const float *matrix, unsigned int rows, float *out)
{
    unsigned int column = blockIdx.x % (ROW / blockDim.x) * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (unsigned int i = 0; i < rows; i += LOADS) {
        float loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) loaded[k] = matrix[(i + k) * ROW + column];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
#pragma unroll
            for (int w = 0; w < WORK; w++) sum = fmaf(sum, 0.999f, loaded[k]);
            sum += loaded[k];
        }
        // The next loads wait for these.
        i += sum == 12345.0f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static bool once = false;
static float *matrix, *out;

// `sweeps` times as many blocks as it takes for all columns, `warps` of which a multiprocessor has.
template <int LOADS, int WORK> static void measure(unsigned int block, size_t mib, unsigned int warps, unsigned int sweeps)
{
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    auto kernel = sweep<LOADS, WORK>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 110 << 10));
    unsigned int rows = mib * MIB / 4 / ROW, blocks = ROW / block * sweeps;
    size_t shared = warps == 64 ? 0 : (220 << 10) / (warps * 32 / block) - 1024;
    std::vector<float> times;
    for (int run = 0; run < (once ? 1 : 3); run++) {
        CHECK(cudaEventRecord(start));
        kernel<<<blocks, block, shared>>>(matrix, rows, out);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    float median = times[times.size() / 2];
    printf("%d,%d,%u,%zu,%u,%u,%.3f\n", LOADS, WORK, block, mib, warps, sweeps, median);
    fflush(stdout);
}

template <int LOADS, int WORK> static void sizes()
{
    for (size_t mib : {32, 64, 128, 256, 512})
        for (unsigned int warps : {64u, 32u, 16u}) measure<LOADS, WORK>(256, mib, warps, 264);
}

template <int LOADS, int WORK> static void rounds()
{
    for (unsigned int block : {64u, 128u, 256u, 512u, 1024u})
        for (unsigned int sweeps : {66u, 264u, 1056u, 4224u}) measure<LOADS, WORK>(block, 256, 64, sweeps);
}

int main(int count, char **)
{
    once = count > 1;
    CHECK(cudaMalloc(&matrix, 512 * MIB));
    CHECK(cudaMemset(matrix, 0, 512 * MIB));
    CHECK(cudaMalloc(&out, 256 * MIB));
    printf("loads,work,block,mib,warps,sweeps,milliseconds\n");
    sizes<1, 0>();
    sizes<4, 0>();
    sizes<8, 0>();
    sizes<4, 16>();
    sizes<4, 64>();
    rounds<2, 0>();
    rounds<8, 0>();
    rounds<4, 16>();
}
