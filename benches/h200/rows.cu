// How fast L2 takes stores of parts of sectors, and what it costs when it gives up lines of
// which only a part is written: CSV on standard output.
//
//     nvcc -O3 -arch=native -o rows benches/h200/rows.cu && ./rows > benches/data/h200/rows.csv
//
// `store`: each thread fills a row of its own, `bytes` at a time. `interleaved`: the words of a
// warp's lanes lie side by side, as in local memory; `interleaved_apart`: likewise, but each
// lane is at another index. Times are medians of five runs, L2 flushed before each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

template <class T> __device__ T value(unsigned x) { return (T)x; }
template <> __device__ uint2 value(unsigned x) { return make_uint2(x, x + 1); }
template <> __device__ uint4 value(unsigned x) { return make_uint4(x, x + 1, x + 2, x + 3); }

template <class T> __global__ void store(T *rows, unsigned count, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    T *row = rows + (size_t)t * count;
    for (unsigned i = 0; i < count; i++) row[i] = value<T>(t + i);
}

__global__ void interleaved(unsigned *rows, unsigned count, unsigned n, unsigned apart)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, lane = t % 32;
    if (t >= n) return;
    unsigned *row = rows + (size_t)(t / 32) * 32 * count + lane;
    for (unsigned i = 0; i < count; i++) row[(i + lane * apart) % count * 32] = i;
}

static void *other;
static const size_t OTHER = 256 << 20;

// Times a launch, and prints a line; `sectors` are those that it stores to.
template <class Launch> void line(const char *kind, int bytes, unsigned threads, unsigned row, double sectors, Launch launch)
{
    cudaEvent_t from, to;
    check(cudaEventCreate(&from));
    check(cudaEventCreate(&to));
    float ms[6];
    for (int run = 0; run < 6; run++) {
        check(cudaMemsetAsync(other, run, OTHER));
        check(cudaEventRecord(from));
        launch();
        check(cudaEventRecord(to));
        check(cudaEventSynchronize(to));
        check(cudaEventElapsedTime(&ms[run], from, to));
    }
    std::sort(ms + 1, ms + 6);
    double us = ms[3] * 1e3;
    printf("%s,%d,%u,%u,128,%.2f,%.2f\n", kind, bytes, threads, row, us, sectors / us / 1e3);
}

template <class T> void stores(void *rows, unsigned threads, unsigned row)
{
    unsigned count = row / sizeof(T);
    line("store", sizeof(T), threads, row, (double)threads * count,
         [=] { store<<<(threads + 127) / 128, 128>>>((T *)rows, count, threads); });
}

int main()
{
    void *rows;
    check(cudaMalloc(&rows, 1 << 30));
    check(cudaMalloc(&other, OTHER));
    printf("kind,bytes,threads,row_bytes,block,us,Gsectors_s\n");
    for (unsigned threads : {4224u, 16896u, 67584u, 270336u, 1081344u})
        for (unsigned row : {64u, 256u, 1024u}) {
            if ((size_t)threads * row > 1 << 30) continue;
            stores<unsigned char>(rows, threads, row);
            stores<unsigned short>(rows, threads, row);
            stores<unsigned>(rows, threads, row);
            stores<uint2>(rows, threads, row);
            stores<uint4>(rows, threads, row);
            for (unsigned apart : {0u, 1u})
                line(apart ? "interleaved_apart" : "interleaved", 4, threads, row,
                     (double)threads * row / (apart ? 4 : 32),
                     [=] { interleaved<<<(threads + 127) / 128, 128>>>((unsigned *)rows, row / 4, threads, apart); });
        }
}
