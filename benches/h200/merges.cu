// When a multiprocessor joins stores to one sector before they go to L2: the sectors that warps
// store, and those that L2 sees. `benches/h200/stored.sh` has Nsight Compute count both, for each
// launch of this program:
//
//     nvcc -O3 -arch=native -o merges benches/h200/merges.cu
//     benches/h200/stored.sh ./merges > benches/data/h200/merges.csv
//
// Each lane fills records of its own, one after the other, in 12 MB that L2 keeps.
//
// size    bytes that a lane stores at a time
// record  bytes from one record to the next
// fields  stores to a record, side by side from its beginning
// form    straight: one store after the other; loop: each in a round of a loop
// rest    dependent additions before each record
// warps   of a multiprocessor
#include "measured.cuh"

static const int ROUNDS = 16;
static const size_t REGION = 12 << 20;

__device__ unsigned wait(unsigned value, int additions)
{
    for (int i = 0; i < additions; i++) asm volatile("add.u32 %0, %0, 1;" : "+r"(value));
    return value;
}

template <typename T, int FIELDS, int LOOP> __global__ void fill(char *data, unsigned record, unsigned count, int rest)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) % count, value = i;
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        char *to = data + (size_t)i * record;
        value = wait(value, rest);
        if (LOOP) {
#pragma unroll 1
            for (int field = 0; field < FIELDS; field++) {
                store<T>(to, value);
                to += sizeof(T);
            }
        } else {
#pragma unroll
            for (int field = 0; field < FIELDS; field++) store<T>(to + field * sizeof(T), value);
        }
        i += gridDim.x * blockDim.x;
        while (i >= count) i -= count;
    }
}

static char *data;
static int multiprocessors;

template <typename T, int FIELDS, int LOOP> static void launch(unsigned record)
{
    unsigned count = REGION / record / 32 * 32;
    for (int warps : {1, 4, 8, 16, 32, 64}) {
        for (int rest : {0, 400}) {
            printf("%zu,%u,%d,%s,%d,%d\n", sizeof(T), record, FIELDS, LOOP ? "loop" : "straight", rest, warps);
            int blocks = warps < 8 ? 1 : warps / 8;
            fill<T, FIELDS, LOOP><<<multiprocessors * blocks, 32 * warps / blocks>>>(data, record, count, rest);
            check(cudaGetLastError());
            check(cudaDeviceSynchronize());
        }
    }
}

template <typename T, int FIELDS> static void both(unsigned record)
{
    launch<T, FIELDS, 0>(record);
    launch<T, FIELDS, 1>(record);
}

int main()
{
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    multiprocessors = device.multiProcessorCount;
    check(cudaMalloc((void **)&data, REGION + 4096));
    printf("size,record,fields,form,rest,warps\n");
    both<char, 3>(3);
    both<char, 4>(4);
    both<char, 4>(8);
    both<char, 8>(8);
    both<char, 4>(12);
    both<char, 12>(12);
    both<char, 2>(16);
    both<char, 16>(16);
    both<char, 4>(32);
    both<char, 32>(32);
    both<short, 2>(4);
    both<short, 4>(8);
    both<short, 6>(12);
    both<short, 4>(16);
    both<short, 8>(16);
    both<int, 2>(8);
    both<int, 3>(12);
    both<int, 2>(16);
    both<int, 4>(16);
    both<int, 5>(20);
    both<int, 6>(24);
    both<int, 4>(32);
    both<int, 8>(32);
    both<int, 8>(64);
    both<int, 8>(128);
    both<long long, 2>(16);
    both<long long, 3>(24);
    both<long long, 4>(32);
    both<long long, 25>(200);
    return 0;
}
