// What it costs to change arrays in place where blocks have lines in pieces: the time of a launch in which
// every thread adds 1 to its cell of some planes, by rows of blocks, beside others:
//
//     read        only reads them
//     write       only writes them
//     in_place    changes them
//     elsewhere   writes its sums to other planes
//     beside      changes them, and reads those of the block beside it as well
//     later       changes them, blocks in even columns first, then those in odd ones
//     alone       changes only those of blocks in even columns
//
// L2 is emptied before each.
//
//     nvcc -O3 -arch=native -o in_place benches/h200/in_place.cu
//     ./in_place > benches/data/h200/in_place.csv
//
// Rows of 1,000 floats begin in the middle of lines of 128 bytes, those of 1,024 do not. Each time is the
// median of nine, in microseconds.
#include <algorithm>

#include "measured.cuh"

static const int MOST_PLANES = 11;
static const size_t APART = 10 << 20, EMPTY = 256 << 20;
static const int TIMES = 9;

enum Mode { READ, WRITE, IN_PLACE, ELSEWHERE, BESIDE, LATER, ALONE };

// Blocks in even columns come first.
static __device__ dim3 even_columns_first()
{
    unsigned number = blockIdx.y * gridDim.x + blockIdx.x, evens = (gridDim.x + 1) / 2, odds = gridDim.x / 2;
    if (number < evens * gridDim.y) return dim3(2 * (number % evens), number / evens);
    number -= evens * gridDim.y;
    return dim3(2 * (number % odds) + 1, number / odds);
}

template <int MODE, int PLANES> __global__ void change(float *planes, int width, int rows)
{
    dim3 at = MODE == LATER || MODE == ALONE ? even_columns_first() : dim3(blockIdx.x, blockIdx.y);
    if (MODE == ALONE && at.x % 2 == 1) return;
    int x = at.x * blockDim.x + threadIdx.x, y = at.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    float *cell = planes + (size_t)y * width + x, values[PLANES], sum = 0.0f;
    int beside = x ^ blockDim.x;
    const float *other = beside < width ? cell + (beside - x) : cell;
#pragma unroll
    for (int k = 0; k < PLANES; k++) {
        values[k] = MODE == WRITE ? x : cell[k * APART];
        if constexpr (MODE == BESIDE) values[k] += other[k * APART];
        sum += values[k];
    }
    if constexpr (MODE == READ) {
        if (sum == 0.5f) *planes = sum;
    } else {
#pragma unroll
        for (int k = 0; k < PLANES; k++) cell[(k + (MODE == ELSEWHERE ? PLANES : 0)) * APART] = values[k] + 1.0f;
    }
}

template <int MODE, int PLANES> static float microseconds(dim3 block, float *planes, int width, int rows, char *empty)
{
    dim3 grid((width + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    float times[TIMES];
    for (float &time : times) {
        check(cudaMemsetAsync(empty, 1, EMPTY));
        check(cudaEventRecord(start));
        change<MODE, PLANES><<<grid, block>>>(planes, width, rows);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&time, start, end));
    }
    std::sort(times, times + TIMES);
    return 1000.0f * times[TIMES / 2];
}

template <int PLANES> static void rows_of_blocks(float *planes, char *empty)
{
    const dim3 blocks[] = {{4, 64}, {8, 32}, {16, 16}, {32, 8}, {64, 4}, {128, 2}, {256, 1}, {1024, 1}};
    for (int cells : {1000000, 8000000}) {
        for (int width : {1000, 1024}) {
            for (dim3 block : blocks) {
                int rows = cells / width;
                printf("%d,%d,%d,%dx%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", PLANES, cells, width, block.x, block.y,
                       microseconds<READ, PLANES>(block, planes, width, rows, empty),
                       microseconds<WRITE, PLANES>(block, planes, width, rows, empty),
                       microseconds<IN_PLACE, PLANES>(block, planes, width, rows, empty),
                       microseconds<ELSEWHERE, PLANES>(block, planes, width, rows, empty),
                       microseconds<BESIDE, PLANES>(block, planes, width, rows, empty),
                       microseconds<LATER, PLANES>(block, planes, width, rows, empty),
                       microseconds<ALONE, PLANES>(block, planes, width, rows, empty));
            }
        }
    }
}

int main()
{
    heading("in_place.cu");
    printf("planes,cells,width,block,read,write,in_place,elsewhere,beside,later,alone\n");
    float *planes;
    char *empty;
    check(cudaMalloc(&planes, 2 * MOST_PLANES * APART * sizeof(float)));
    check(cudaMemset(planes, 0, 2 * MOST_PLANES * APART * sizeof(float)));
    check(cudaMalloc(&empty, EMPTY));
    rows_of_blocks<1>(planes, empty);
    rows_of_blocks<2>(planes, empty);
    rows_of_blocks<4>(planes, empty);
    rows_of_blocks<MOST_PLANES>(planes, empty);
}
