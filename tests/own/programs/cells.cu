/* warpscope
sizes  = "2^7..2^17:x4,200000"
block  = 128
grid   = "ceil(n / block)"
args   = [
    "grid: { side: i32 = 256, inverse: f32 = 256 }",
    "at: f32[2 * n] uniform",
    "count: i32[65536] zeros",
    "slot: i32[n] zeros",
    "n: i32 = n",
]
output = "count"
tolerance = 1e-4
[kernel.scan_cells]
block  = 1024
grid   = "1"
args   = [
    "count: i32[65536] from count_cells",
    "start: i32[65537] zeros",
    "cells: i32 = 65536",
]
output = "start"
[kernel.place]
args   = [
    "grid: { side: i32 = 256, inverse: f32 = 256 }",
    "at: f32[2 * n] uniform",
    "start: i32[65537] from scan_cells",
    "slot: i32[n] from count_cells",
    "sorted: f32[2 * n] zeros",
    "n: i32 = n",
]
output = "sorted"
[kernel.neighbours]
args   = [
    "grid: { side: i32 = 256, inverse: f32 = 256 }",
    "sorted: f32[2 * n] from place",
    "start: i32[65537] from scan_cells",
    "found: i32[n] zeros",
    "radius: f32 = 1 / 256",
    "n: i32 = n",
]
output = "found"
*/
// Neighbours within a radius, by a grid of cells that a counting sort fills.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Grid {
    int side;
    float inverse;
    __host__ __device__ int cells() const { return side * side; }
    __device__ int of(float2 p) const {
        int x = min(side - 1, max(0, int(p.x * inverse)));
        int y = min(side - 1, max(0, int(p.y * inverse)));
        return y * side + x;
    }
};

__global__ void count_cells(Grid grid, const float2* at, int* count, int* slot, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) slot[i] = atomicAdd(count + grid.of(at[i]), 1);
}

// One block scans all cells.
__global__ void scan_cells(const int* count, int* start, int cells) {
    __shared__ int part[1024];
    int carry = 0;
    for (int base = 0; base < cells; base += 1024) {
        int i = base + threadIdx.x;
        int v = i < cells ? count[i] : 0;
        part[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < 1024; d *= 2) {
            int t = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
            __syncthreads();
            part[threadIdx.x] += t;
            __syncthreads();
        }
        if (i < cells) start[i] = carry + part[threadIdx.x] - v;
        carry += part[1023];
        __syncthreads();
    }
    if (threadIdx.x == 0) start[cells] = carry;
}

__global__ void place(Grid grid, const float2* at, const int* start, const int* slot, float2* sorted, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) sorted[start[grid.of(at[i])] + slot[i]] = at[i];
}

__global__ void neighbours(Grid grid, const float2* sorted, const int* start, int* found, float radius, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float2 me = sorted[i];
    int cell = grid.of(me), cx = cell % grid.side, cy = cell / grid.side, seen = 0;
    for (int y = max(cy - 1, 0); y <= min(cy + 1, grid.side - 1); ++y)
        for (int x = max(cx - 1, 0); x <= min(cx + 1, grid.side - 1); ++x)
            for (int j = start[y * grid.side + x]; j < start[y * grid.side + x + 1]; ++j) {
                float dx = sorted[j].x - me.x, dy = sorted[j].y - me.y;
                seen += dx * dx + dy * dy < radius * radius;
            }
    found[i] = seen - 1;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 200000;
    Grid grid{256, 256.0f};
    float2 *at, *sorted;
    int *count, *start, *slot, *found;
    cudaMallocManaged(&at, n * sizeof(float2));
    cudaMallocManaged(&sorted, n * sizeof(float2));
    cudaMallocManaged(&count, grid.cells() * sizeof(int));
    cudaMallocManaged(&start, (grid.cells() + 1) * sizeof(int));
    cudaMallocManaged(&slot, n * sizeof(int));
    cudaMallocManaged(&found, n * sizeof(int));
    srand(3);
    for (int i = 0; i < n; ++i) {
        at[i].x = rand() / (float)RAND_MAX;
        at[i].y = rand() / (float)RAND_MAX;
    }
    for (int c = 0; c < grid.cells(); ++c) count[c] = 0;
    dim3 block(128), blocks((n + 127) / 128);
    count_cells<<<blocks, block>>>(grid, at, count, slot, n);
    scan_cells<<<1, 1024>>>(count, start, grid.cells());
    place<<<blocks, block>>>(grid, at, start, slot, sorted, n);
    neighbours<<<blocks, block>>>(grid, sorted, start, found, 1.0f / 256, n);
    cudaDeviceSynchronize();
    long long total = 0;
    for (int i = 0; i < n; ++i) total += found[i];
    printf("%lld pairs\n", total / 2);
}
