// How long L2 takes for whole sectors that are loaded, stored, copied or changed in place, in order and
// where all of them lie in L2:
//
//     nvcc -O3 -arch=native -o l2_stores benches/h200/l2_stores.cu
//     ./l2_stores > benches/data/h200/l2_stores.csv
//
// what    load, store, copy (one array to another) or change (one more in each place)
// size    bytes that a lane moves at a time
// bytes   that are moved in a round; twice as many in a copy
// ps      of a sector, or of a sector loaded and one stored, the fastest of several launches of 20 rounds.
//         A round has a beginning and an end, so what a further sector takes follows from two sizes.
#include "measured.cuh"

static const int ROUNDS = 20, LAUNCHES = 5;

enum What { LOAD, STORE, COPY, CHANGE };
static const char *names[] = {"load", "store", "copy", "change"};

template <typename T, What WHAT> __global__ void move(T *from, T *to, unsigned count)
{
    unsigned threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll 4
        for (unsigned i = first; i < count; i += threads) {
            T value = {};
            if (WHAT != STORE) value = __ldcg(&from[i]);
            unsigned &word = *(unsigned *)&value;
            if (WHAT == LOAD) sum += word;
            if (WHAT == STORE || WHAT == CHANGE) word += i + round;
            if (WHAT == STORE || WHAT == CHANGE) from[i] = value;
            if (WHAT == COPY) to[i] = value;
        }
    }
    if (WHAT == LOAD && sum == 0x12345678) to[0] = T{};
}

template <typename T, What WHAT> static void measure(char *from, char *to, size_t bytes, int multiprocessors)
{
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    float best = 1e30f;
    for (int blocks : {1, 2}) {
        for (int launch = 0; launch < LAUNCHES; launch++) {
            check(cudaEventRecord(start));
            move<T, WHAT><<<multiprocessors * blocks, 1024>>>((T *)from, (T *)to, bytes / sizeof(T));
            check(cudaEventRecord(end));
            check(cudaEventSynchronize(end));
            float ms;
            check(cudaEventElapsedTime(&ms, start, end));
            if (launch > 0 && ms < best) best = ms;
        }
    }
    printf("%s,%zu,%zu,%.2f\n", names[WHAT], sizeof(T), bytes, best * 1e9 / ((double)ROUNDS * bytes / 32));
}

template <typename T> static void all(char *from, char *to, int multiprocessors)
{
    for (size_t mebibytes : {2, 4, 8, 16, 24}) {
        size_t bytes = mebibytes << 20;
        measure<T, LOAD>(from, to, bytes, multiprocessors);
        measure<T, STORE>(from, to, bytes, multiprocessors);
        measure<T, COPY>(from, to, bytes / 2, multiprocessors);
        measure<T, CHANGE>(from, to, bytes, multiprocessors);
    }
}

int main()
{
    cudaDeviceProp device = heading("l2_stores.cu");
    printf("what,size,bytes,ps\n");
    char *from, *to;
    check(cudaMalloc(&from, 24 << 20));
    check(cudaMalloc(&to, 24 << 20));
    check(cudaMemset(from, 0, 24 << 20));
    all<unsigned>(from, to, device.multiProcessorCount);
    all<uint2>(from, to, device.multiProcessorCount);
    all<uint4>(from, to, device.multiProcessorCount);
}
