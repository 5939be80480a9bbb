// What it costs L2 that the lanes of a warp store to parts of sectors: picoseconds of the whole GPU for each
// request, where all places lie in L2 and nothing else is done.
//
//     nvcc -O3 -arch=native -o stores benches/h200/stores.cu
//     ./stores > benches/data/h200/stores.csv
//
// size     bytes that a lane stores at a time
// stride   bytes between the records of neighbouring lanes
// fields   stores that a lane makes one after the other, side by side in its record
// sectors  and lines that one request goes to, on average
// ps       of a request, the fastest of several launches
#include "measured.cuh"

static const int ROUNDS = 16, LAUNCHES = 5;
static const size_t REGION = 12 << 20;

template <typename T, int FIELDS> __global__ void records(char *data, unsigned stride, unsigned count)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) % count;
    for (int round = 0; round < ROUNDS; round++) {
        char *to = data + (size_t)i * stride;
#pragma unroll
        for (int field = 0; field < FIELDS; field++) store<T>(to + field * sizeof(T), i);
        i += gridDim.x * blockDim.x;
        while (i >= count) i -= count;
    }
}

// Different blocks of `bytes` bytes that 32 lanes touch at `field`, over all places that a warp can begin at.
static double touched(unsigned size, unsigned stride, unsigned fields, unsigned bytes)
{
    double sum = 0;
    int starts = 64;
    for (int start = 0; start < starts; start++) {
        for (unsigned field = 0; field < fields; field++) {
            long last = -1;
            for (int lane = 0; lane < 32; lane++) {
                long at = ((long)(start * 32 + lane) * stride + field * size) / bytes;
                sum += at != last;
                last = at;
            }
        }
    }
    return sum / starts / fields;
}

template <typename T, int FIELDS> static void measure(char *data, unsigned stride, int blocks)
{
    const unsigned fields = FIELDS;
    if (stride % sizeof(T) != 0 || fields * sizeof(T) > stride) return;
    unsigned count = REGION / stride / 32 * 32;
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    float best = 1e30f;
    for (int launch = 0; launch < LAUNCHES; launch++) {
        check(cudaEventRecord(start));
        records<T, FIELDS><<<blocks, 256>>>(data, stride, count);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms;
        check(cudaEventElapsedTime(&ms, start, end));
        if (launch > 0 && ms < best) best = ms;
    }
    double requests = (double)blocks * 8 * ROUNDS * fields;
    printf("%zu,%u,%u,%.2f,%.2f,%.1f\n", sizeof(T), stride, fields, touched(sizeof(T), stride, fields, 32),
           touched(sizeof(T), stride, fields, 128), best * 1e9 / requests);
}

template <typename T> static void all(char *data, unsigned stride, int blocks)
{
    measure<T, 1>(data, stride, blocks);
    measure<T, 2>(data, stride, blocks);
    measure<T, 4>(data, stride, blocks);
    measure<T, 8>(data, stride, blocks);
    measure<T, 12>(data, stride, blocks);
    measure<T, 36>(data, stride, blocks);
}

int main()
{
    cudaDeviceProp device = heading("stores.cu");
    printf("size,stride,fields,sectors,lines,ps\n");
    char *data;
    check(cudaMalloc(&data, REGION + 4096));
    check(cudaMemset(data, 0, REGION + 4096));
    int blocks = device.multiProcessorCount * 8;
    const unsigned strides[] = {1, 2, 4, 8, 12, 16, 20, 24, 32, 36, 40, 48, 52, 64, 80, 96, 128, 160, 256, 512};
    for (unsigned stride : strides) {
        all<char>(data, stride, blocks);
        all<short>(data, stride, blocks);
        all<int>(data, stride, blocks);
        all<long long>(data, stride, blocks);
        all<int4>(data, stride, blocks);
    }
}
