/* warpscope
sizes  = "2^4..2^12:x4"   # n is `rows`
block  = 256
grid   = "n"
args   = [
    "in: u16[2048 * n] uniform below 15361",
    "gamma: u16[2048] uniform below 15361",
    "beta: u16[2048] uniform below 15361",
    "out: u16[2048 * n] zeros",
    "hidden: i32 = 2048",
    "epsilon: f32 = 1e-5",
]
output = "out"
*/
// Layer normalization of half-precision rows, one block a row, two values at a time.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__inline__ __device__ float warpSum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(0xffffffff, v, offset);
  return v;
}

__inline__ __device__ float blockSum(float v) {
  __shared__ float parts[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warpSum(v);
  __syncthreads();
  if (lane == 0) parts[warp] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? parts[lane] : 0.0f;
  v = warpSum(v);
  if (threadIdx.x == 0) parts[0] = v;
  __syncthreads();
  return parts[0];
}

__global__ void layernorm(const __half2 *input, const __half2 *gamma, const __half2 *beta, __half2 *output, int hidden, float epsilon) {
  const int row = blockIdx.x;
  const int pairs = hidden / 2;
  const __half2 *in = input + (size_t)row * pairs;
  __half2 *out = output + (size_t)row * pairs;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    float2 v = __half22float2(in[i]);
    sum += v.x + v.y;
  }
  const float mean = blockSum(sum) / hidden;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    float2 v = __half22float2(in[i]);
    squares += (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean);
  }
  const float scale = rsqrtf(blockSum(squares) / hidden + epsilon);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    float2 v = __half22float2(in[i]);
    float2 g = __half22float2(gamma[i]), b = __half22float2(beta[i]);
    out[i] = __floats2half2_rn((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y);
  }
}

int main() {
  const int rows = 4096, hidden = 2048;
  size_t bytes = (size_t)rows * hidden * sizeof(__half);
  __half *h = (__half *)malloc(bytes);
  for (size_t i = 0; i < (size_t)rows * hidden; i++) h[i] = __float2half((float)rand() / RAND_MAX - 0.5f);
  __half *h_gamma = (__half *)malloc(hidden * sizeof(__half));
  __half *h_beta = (__half *)malloc(hidden * sizeof(__half));
  for (int i = 0; i < hidden; i++) {
    h_gamma[i] = __float2half(1.0f);
    h_beta[i] = __float2half(0.0f);
  }
  __half2 *in, *out, *gamma, *beta;
  cudaMalloc((void **)&in, bytes);
  cudaMalloc((void **)&out, bytes);
  cudaMalloc((void **)&gamma, hidden * sizeof(__half));
  cudaMalloc((void **)&beta, hidden * sizeof(__half));
  cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(gamma, h_gamma, hidden * sizeof(__half), cudaMemcpyHostToDevice);
  cudaMemcpy(beta, h_beta, hidden * sizeof(__half), cudaMemcpyHostToDevice);
  layernorm<<<rows, 256>>>(in, gamma, beta, out, hidden, 1e-5f);
  cudaMemcpy(h, out, bytes, cudaMemcpyDeviceToHost);
  printf("%f\n", __half2float(h[0]));
  free(h); free(h_gamma); free(h_beta);
  cudaFree(in); cudaFree(out); cudaFree(gamma); cudaFree(beta);
  return 0;
}
