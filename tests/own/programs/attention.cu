/* warpscope
sizes  = "2^7..2^11:x4"   # n is `seq`
block  = 64
grid   = ["floor(n / block)", "16"]
args   = [
    "Q: f32[1024 * n] uniform",
    "K: f32[1024 * n] uniform",
    "V: f32[1024 * n] uniform",
    "O: f32[1024 * n] zeros",
    "seq: i32 = n",
    "scale: f32 = 0.125",
]
output = "O"
*/
// Attention of one head with online softmax: a block keeps a tile of queries, keys and values stream through shared memory.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define D 64
#define TILE 32

__global__ void attention(const float *Q, const float *K, const float *V, float *O, int seq, float scale) {
  __shared__ float ks[TILE][D];
  __shared__ float vs[TILE][D];
  int head = blockIdx.y;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float *q = Q + (size_t)head * seq * D;
  const float *k = K + (size_t)head * seq * D;
  const float *v = V + (size_t)head * seq * D;
  float qr[D], acc[D];
  for (int d = 0; d < D; d++) {
    qr[d] = row < seq ? q[row * D + d] * scale : 0.0f;
    acc[d] = 0.0f;
  }
  float m = -INFINITY, sum = 0.0f;
  for (int start = 0; start < seq; start += TILE) {
    for (int i = threadIdx.x; i < TILE * D; i += blockDim.x) {
      ks[i / D][i % D] = k[start * D + i];
      vs[i / D][i % D] = v[start * D + i];
    }
    __syncthreads();
    for (int j = 0; j < TILE; j++) {
      float s = 0.0f;
#pragma unroll
      for (int d = 0; d < D; d++) s += qr[d] * ks[j][d];
      float next = fmaxf(m, s);
      float old = __expf(m - next);
      float p = __expf(s - next);
      sum = sum * old + p;
#pragma unroll
      for (int d = 0; d < D; d++) acc[d] = acc[d] * old + p * vs[j][d];
      m = next;
    }
    __syncthreads();
  }
  if (row < seq)
    for (int d = 0; d < D; d++) O[(size_t)head * seq * D + row * D + d] = acc[d] / sum;
}

int main() {
  const int heads = 16, seq = 2048;
  const size_t count = (size_t)heads * seq * D;
  std::vector<float> host(count);
  for (size_t i = 0; i < count; i++) host[i] = (float)rand() / RAND_MAX - 0.5f;
  float *Q, *K, *V, *O;
  cudaMalloc(&Q, count * sizeof(float));
  cudaMalloc(&K, count * sizeof(float));
  cudaMalloc(&V, count * sizeof(float));
  cudaMalloc(&O, count * sizeof(float));
  cudaMemcpy(Q, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(K, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(V, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  dim3 grid(seq / 64, heads);
  attention<<<grid, 64>>>(Q, K, V, O, seq, 1.0f / sqrtf((float)D));
  cudaDeviceSynchronize();
  cudaMemcpy(host.data(), O, count * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", host[0]);
  return 0;
}
