/* warpscope
sizes  = "2^5..2^9:x2"   # n is `order`
block  = 128
grid   = "floor((n + 126) / block)"
args   = [
    "a: f64[n * n] uniform",
    "order: i32 = n",
    "k: i32 = 0",
]
output = "a"
tolerance = 1e-4
[kernel.eliminate]
block  = [32, 8]
grid   = ["floor((n + 30) / 32)", "floor((n + 6) / 8)"]
args   = [
    "a: f64[n * n] from scale_column",
    "order: i32 = n",
    "k: i32 = 0",
]
reference = "eliminate"
*/
#include <cuda_runtime.h>
#include <iostream>
#include <memory>

__global__ void scale_column(double *a, int order, int k) {
    int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < order) a[row * order + k] /= a[k * order + k];
}

__global__ void eliminate(double *a, int order, int k) {
    int col = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (row < order && col < order) a[row * order + col] -= a[row * order + k] * a[k * order + col];
}

int main() {
    const int order = 512;
    auto host = std::make_unique<double[]>(order * order);
    for (int r = 0; r < order; r++)
        for (int c = 0; c < order; c++) host[r * order + c] = r == c ? order : 1.0 / (1 + r + c);
    double *a = nullptr;
    size_t bytes = sizeof(double) * order * order;
    cudaMalloc(&a, bytes);
    cudaMemcpy(a, host.get(), bytes, cudaMemcpyHostToDevice);
    for (int k = 0; k < order - 1; k++) {
        int left = order - k - 1;
        scale_column<<<(left + 127) / 128, 128>>>(a, order, k);
        dim3 threads(32, 8);
        dim3 grid((left + threads.x - 1) / threads.x, (left + threads.y - 1) / threads.y);
        eliminate<<<grid, threads>>>(a, order, k);
    }
    cudaMemcpy(host.get(), a, bytes, cudaMemcpyDeviceToHost);
    std::cout << host[order * order - 1] << std::endl;
    cudaFree(a);
    return 0;
}
