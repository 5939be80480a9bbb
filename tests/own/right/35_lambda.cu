// A lambda as the argument of a kernel: what it captures is passed by value, as a structure.

/* warpscope
sizes   = "2^10..2^20:x4"
block   = 256
grid    = "ceil(n / block)"
args    = ["n: i32 = n", "body: { y: f32[n] uniform, a: f32 = 2.5, x: f32[n] uniform }"]
output  = "body.y"

[kernel.strided_lambda]
grid    = "ceil(n / (4 * block))"
*/

#include <cuda_runtime.h>

// A thread for each index.
template <typename Body>
__global__ void flat(int n, Body body) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) body(i);
}

// Four indices for each thread, a grid apart: fewer blocks to start, and neighbours still touch neighbours.
template <typename Body>
__global__ void strided(int n, Body body) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) body(i);
}

template <typename Body>
void parallel_for(int n, bool few_blocks, Body body) {
    if (few_blocks) strided<<<(n + 1023) / 1024, 256>>>(n, body);
    else flat<<<(n + 255) / 256, 256>>>(n, body);
}

int main() {
    int n = 1 << 20;
    float a = 2.5f, *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; i++) x[i] = y[i] = i % 10;
    auto saxpy = [=] __device__ (int i) {
        y[i] += a * x[i];
    };
    parallel_for(n, false, saxpy);
    parallel_for(n, true, saxpy);
    cudaDeviceSynchronize();
}
