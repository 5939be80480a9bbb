// Templates are compiled for the types and numbers of their launches. Kernels that do different
// things have outputs of their own.

/* warpscope
sizes  = "2^10..2^20:x4"
block  = 128
grid   = "64"
args   = ["values: f32[n] uniform", "sums: f32[64] zeros", "n: i32 = n"]
output = "sums"
tolerance = 1e-5
[kernel.block_sums_float_128]
block  = 128
[kernel.block_sums_float_256]
block  = 256
[kernel.add_up_float]
block  = 64
grid   = 1
args   = ["parts: f32[64] uniform", "total: f32[1] zeros"]
output = "total"
*/

#include <cstdio>
#include <vector>

// Each block adds a part of the values: a number for each warp, then one for all.
template <typename T, int THREADS = 128>
__global__ void __launch_bounds__(THREADS) block_sums(const T *__restrict__ values, T *sums, int n)
{
    __shared__ T of_warps[THREADS / 32];
    int each = (n + gridDim.x - 1) / gridDim.x, end = min(n, each * (int)(blockIdx.x + 1));
    T sum = T(0);
    for (int i = each * blockIdx.x + threadIdx.x; i < end; i += THREADS) sum += values[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < THREADS / 32; warp++) sum += of_warps[warp];
        sums[blockIdx.x] = sum;
    }
}

template <typename T>
__global__ void add_up(const T *parts, T *total)
{
    __shared__ T half[32];
    T sum = parts[threadIdx.x];
    if (threadIdx.x >= 32) half[threadIdx.x - 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum += half[threadIdx.x];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) *total = sum;
}

template <typename T>
T sum(const T *values, int n, int threads)
{
    const int blocks = 64;
    T *sums, *total, result;
    cudaMalloc(&sums, blocks * sizeof(T));
    cudaMalloc(&total, sizeof(T));
    switch (threads) {
    case 256: block_sums<T, 256><<<blocks, threads>>>(values, sums, n); break;
    default: block_sums<<<blocks, 128>>>(values, sums, n); break;
    }
    add_up<<<1, blocks>>>(sums, total);
    cudaMemcpy(&result, total, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(sums);
    cudaFree(total);
    return result;
}

int main()
{
    std::vector<float> values(1 << 20, 1.0f);
    float *device;
    cudaMalloc(&device, values.size() * sizeof(float));
    cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    printf("%f\n", sum(device, values.size(), 256));
}
