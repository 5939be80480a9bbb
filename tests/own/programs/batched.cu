/* warpscope
sizes  = "2^5..2^15:x4,50000"   # n is `count`
block  = 128
grid   = "ceil(n / block)"
args   = [
    "d: f64[64 * n] uniform",
    "count: i32 = n",
]
output = "d"
tolerance = 1e-4
[kernel.factor_shared]
block  = 256
grid   = "ceil(n / 4)"
*/
// Solves many small systems: a thread factors one matrix of 8 by 8 in registers, or a warp shares one.
#include <array>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

constexpr int N = 8;
using Matrix = std::array<double, N * N>;

__global__ void factor_threads(double *matrices, int count) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= count) return;
  double a[N][N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) a[i][j] = matrices[m * N * N + i * N + j];
#pragma unroll
  for (int k = 0; k < N; ++k) {
#pragma unroll
    for (int i = k + 1; i < N; ++i) {
      a[i][k] /= a[k][k];
#pragma unroll
      for (int j = k + 1; j < N; ++j) a[i][j] -= a[i][k] * a[k][j];
    }
  }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) matrices[m * N * N + i * N + j] = a[i][j];
}

__global__ void factor_shared(double *matrices, int count) {
  __shared__ double a[4][N][N + 1];
  int local = threadIdx.x / (N * N), m = blockIdx.x * 4 + local, i = threadIdx.x / N % N, j = threadIdx.x % N;
  if (m < count) a[local][i][j] = matrices[(size_t)m * N * N + i * N + j];
  __syncthreads();
  for (int k = 0; k < N; ++k) {
    if (i > k && j == k) a[local][i][k] /= a[local][k][k];
    __syncthreads();
    if (i > k && j > k) a[local][i][j] -= a[local][i][k] * a[local][k][j];
    __syncthreads();
  }
  if (m < count) matrices[(size_t)m * N * N + i * N + j] = a[local][i][j];
}

int main() {
  const int count = 50000;
  std::vector<Matrix> host(count);
  for (auto &m : host)
    for (int i = 0; i < N * N; ++i) m[i] = i % (N + 1) == 0 ? 10.0 : 1.0 / (1 + i);
  double *d;
  const size_t bytes = host.size() * sizeof(Matrix);
  cudaMalloc(&d, bytes);
  cudaMemcpy(d, host.data(), bytes, cudaMemcpyHostToDevice);
  factor_threads<<<(count + 127) / 128, 128>>>(d, count);
  cudaMemcpy(d, host.data(), bytes, cudaMemcpyHostToDevice);
  factor_shared<<<(count + 3) / 4, 4 * N * N>>>(d, count);
  cudaDeviceSynchronize();
}
