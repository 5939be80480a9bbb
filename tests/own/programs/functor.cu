/* warpscope
sizes  = "2^12..2^22:x4"   # n is `values`
block  = 256
grid   = "264"
args   = [
    "in: f32[n] uniform",
    "partial: f32[264] zeros",
    "n: u64 = n",
    "op: { byte0: u8 = 1 }",
]
output = "partial"
tolerance = 1e-4
[kernel.reduceKernel_float_Sum_float_256]
block  = 256
[kernel.reduceKernel_float_Max_float_256]
block  = 256
reference = "reduceKernel_float_Max_float_256"
*/
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdio>
#include <vector>

template <typename T> struct Sum {
  __device__ T operator()(T a, T b) const { return a + b; }
  static constexpr T identity = 0;
};
template <typename T> struct Max {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
  static constexpr T identity = -FLT_MAX;
};

template <typename T, typename Op, int BLOCK>
__global__ void reduceKernel(const T *in, T *out, size_t n, Op op) {
  T value = Op::identity;
  for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += (size_t)BLOCK * gridDim.x) value = op(value, in[i]);
  __shared__ T parts[BLOCK / 32];
  for (int d = 16; d > 0; d >>= 1) value = op(value, __shfl_down_sync(~0u, value, d));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < BLOCK / 32 ? parts[threadIdx.x] : Op::identity;
    for (int d = BLOCK / 64; d > 0; d >>= 1) value = op(value, __shfl_down_sync(~0u, value, d));
    if (threadIdx.x == 0) out[blockIdx.x] = value;
  }
}

template <typename T, typename Op>
T reduce(const std::vector<T> &host) {
  constexpr int BLOCK = 256;
  const int blocks = 264;
  T *in, *partial;
  cudaMalloc(&in, host.size() * sizeof(T));
  cudaMalloc(&partial, blocks * sizeof(T));
  cudaMemcpy(in, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  reduceKernel<T, Op, BLOCK><<<blocks, BLOCK>>>(in, partial, host.size(), Op{});
  reduceKernel<T, Op, BLOCK><<<1, BLOCK>>>(partial, partial, blocks, Op{});
  T result;
  cudaMemcpy(&result, partial, sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(partial);
  return result;
}

int main() {
  std::vector<float> values(1 << 22);
  for (size_t i = 0; i < values.size(); i++) values[i] = (float)(i % 1000);
  printf("%f %f\n", reduce<float, Sum<float>>(values), reduce<float, Max<float>>(values));
}
