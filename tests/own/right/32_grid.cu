// Twenty steps of heat that spreads over a plate, in one launch.
//
// Each step needs the whole plate of the step before. Two launches say that too, as a launch waits for the one before
// it: `heat_step` does one step. `heat_all` stays on the GPU instead and waits by `grid.sync()`. No block of it may be
// left waiting for a place, so its grid is as large as what the GPU runs at a time, and each thread takes several cells.
// A step of it waits for the slowest block and about a microsecond for the barrier, where a launch costs several. The
// Counters screen shows one barrier for each step and warp.

#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

/* warpscope
sizes  = "32,100,256,500"   # n is `width`, `height`
block  = 256
grid   = "264"
args   = [
    "a: f32[n * n] uniform",
    "b: f32[n * n] zeros",
    "width: i32 = n",
    "height: i32 = n",
    "steps: i32 = 20",
]
output = "a"
[kernel.heat_step]
grid   = "ceil(n * n / block)"
args   = [
    "a: f32[n * n] uniform",
    "b: f32[n * n] zeros",
    "width: i32 = n",
    "height: i32 = n",
]
output = "b"
*/

__device__ float spread(const float *from, int i, int width, int height)
{
    int x = i % width, y = i / width;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) return from[i];
    return 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}

__global__ void heat_all(float *a, float *b, int width, int height, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int step = 0; step < steps; step++) {
        const float *from = step % 2 ? b : a;
        float *to = step % 2 ? a : b;
        for (int i = grid.thread_rank(); i < width * height; i += grid.size())
            to[i] = spread(from, i, width, height);
        grid.sync();
    }
}

__global__ void heat_step(const float *a, float *b, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < width * height) b[i] = spread(a, i, width, height);
}

int main()
{
    int width = 500, height = 500, steps = 20, n = width * height;
    std::vector<float> plate(n, 1.0f);
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, plate.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    int threads = 256, blocks = 0;
    cudaDeviceProp gpu;
    cudaGetDeviceProperties(&gpu, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, heat_all, threads, 0);
    void *args[] = {&a, &b, &width, &height, &steps};
    cudaLaunchCooperativeKernel((void *)heat_all, gpu.multiProcessorCount * blocks, threads, args);
    heat_step<<<(n + threads - 1) / threads, threads>>>(a, b, width, height);
    cudaMemcpy(plate.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", plate[n / 2]);
}
