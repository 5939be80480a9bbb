// How long atomics on random words take beside atomics on one word: CSV on standard output.
//
//     nvcc -O3 -arch=native -o hot benches/h200/hot.cu && ./hot > benches/data/h200/hot.csv
//
// Kept from an NVIDIA H200, driver 580.159.04, 2026-11-25. Each of 4,194,304 threads does one
// atomic on a random place of 8 bytes in a table: an addition without (`red`) or with (`atom`) its
// result, or a compare-and-swap of 64 bits (`cas`). Some warps add 1 to the same word then, `hot`
// times in all. L2 is flushed before. `microseconds` is the median of nine launches.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef unsigned int u32;
typedef unsigned long long u64;

#define CHECK(call) check((call), __LINE__)
static void check(cudaError_t error, int line)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
        exit(1);
    }
}

enum Kind { RED, ATOM, CAS };
static const char *NAMES[] = {"red", "atom", "cas"};
static const u32 THREADS = 1 << 22, BLOCK = 256;
static const size_t MIB = 1 << 20;

static __device__ u32 random_word(u32 x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

template <int KIND> __global__ void update(u64 *table, u32 places, u32 *word, u32 every, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, found = 0;
    u64 *place = table + random_word(i) % places;
    if (KIND == RED) atomicAdd((u32 *)place, 1u);
    if (KIND == ATOM) found = atomicAdd((u32 *)place, 1u);
    if (KIND == CAS) found = (u32)atomicCAS(place, 0ull, (u64)i + 1);
    if (found == ~0u) *out = found;
    if (every && i % (32 * every) == 0) atomicAdd(word, 1u);
}

template <int KIND> static void measure(u64 *table, char *flush, u32 *word)
{
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (size_t mib : {1, 8, 16, 32, 64, 128, 512})
        for (u32 every : {0u, 1u, 2u, 4u, 16u}) {
            std::vector<float> times;
            for (int run = 0; run < 9; run++) {
                CHECK(cudaMemset(table, 0, mib * MIB));
                CHECK(cudaMemset(flush, run, 256 * MIB));
                CHECK(cudaEventRecord(start));
                update<KIND><<<THREADS / BLOCK, BLOCK>>>(table, mib * MIB / 8, word, every, word + 512);
                CHECK(cudaEventRecord(end));
                CHECK(cudaDeviceSynchronize());
                float milliseconds;
                CHECK(cudaEventElapsedTime(&milliseconds, start, end));
                times.push_back(milliseconds * 1000);
            }
            std::sort(times.begin(), times.end());
            printf("%s,%zu,%u,%.1f\n", NAMES[KIND], mib, every ? THREADS / 32 / every : 0, times[4]);
        }
}

int main()
{
    u64 *table;
    char *flush;
    u32 *word;
    CHECK(cudaMalloc(&table, 512 * MIB));
    CHECK(cudaMalloc(&flush, 256 * MIB));
    CHECK(cudaMalloc(&word, 4096));
    printf("kind,table_mib,hot,microseconds\n");
    measure<RED>(table, flush, word);
    measure<ATOM>(table, flush, word);
    measure<CAS>(table, flush, word);
}
