// What it costs to change arrays in place where blocks share lines: the time of a launch in which every
// thread adds 1 to its cell of four planes, by rows of blocks, beside one that only reads them, one that
// only writes them, and one that writes its sums to four other planes. L2 is emptied before each.
//
//     nvcc -O3 -arch=native -o in_place benches/h200/in_place.cu
//     ./in_place > benches/data/h200/in_place.csv
//
// Rows of 1,000 floats begin in the middle of lines of 128 bytes, those of 1,024 do not. Each time is the
// median of nine, in microseconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static const int PLANES = 4;
static const size_t APART = 10 << 20, EMPTY = 256 << 20;
static const int TIMES = 9;

enum Mode { READ, WRITE, IN_PLACE, ELSEWHERE };

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

template <int MODE> __global__ void change(float *planes, int width, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    float *cell = planes + (size_t)y * width + x, values[PLANES], sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PLANES; k++) {
        values[k] = MODE == WRITE ? x : cell[k * APART];
        sum += values[k];
    }
    if constexpr (MODE == READ) {
        if (sum == 0.5f) *planes = sum;
    } else {
#pragma unroll
        for (int k = 0; k < PLANES; k++) cell[(k + (MODE == ELSEWHERE ? PLANES : 0)) * APART] = values[k] + 1.0f;
    }
}

template <int MODE> static float microseconds(dim3 block, float *planes, int width, int rows, char *empty)
{
    dim3 grid((width + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    float times[TIMES];
    for (float &time : times) {
        check(cudaMemsetAsync(empty, 1, EMPTY));
        check(cudaEventRecord(start));
        change<MODE><<<grid, block>>>(planes, width, rows);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&time, start, end));
    }
    std::sort(times, times + TIMES);
    return 1000.0f * times[TIMES / 2];
}

int main()
{
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    int driver;
    check(cudaDriverGetVersion(&driver));
    time_t now = time(nullptr);
    char day[16];
    strftime(day, sizeof day, "%F", gmtime(&now));
    printf("# %s, CUDA %d, %s, benches/h200/in_place.cu\n", device.name, driver, day);
    printf("cells,width,block,read,write,in_place,elsewhere\n");
    float *planes;
    char *empty;
    check(cudaMalloc(&planes, 2 * PLANES * APART * sizeof(float)));
    check(cudaMemset(planes, 0, 2 * PLANES * APART * sizeof(float)));
    check(cudaMalloc(&empty, EMPTY));
    const dim3 blocks[] = {{4, 64}, {8, 32}, {16, 16}, {32, 8}, {64, 4}, {128, 2}, {256, 1}, {1024, 1}};
    for (int cells : {1000000, 8000000}) {
        for (int width : {1000, 1024}) {
            for (dim3 block : blocks) {
                int rows = cells / width;
                printf("%d,%d,%dx%d,%.1f,%.1f,%.1f,%.1f\n", cells, width, block.x, block.y,
                       microseconds<READ>(block, planes, width, rows, empty),
                       microseconds<WRITE>(block, planes, width, rows, empty),
                       microseconds<IN_PLACE>(block, planes, width, rows, empty),
                       microseconds<ELSEWHERE>(block, planes, width, rows, empty));
            }
        }
    }
}
