/* warpscope
sizes  = "2^4..2^7:x2,226"   # n is `height`, `width`
block  = [16, 16]
grid   = ["floor((n + 13) / 16)", "floor((n + 13) / 16)", "64"]
args   = [
    "d_in: f32[32 * n * n] uniform",
    "d_filters: f32[18432] uniform",
    "d_out: f32[64 * (n - 2) * (n - 2)] zeros",
    "channels: i32 = 32",
    "height: i32 = n",
    "width: i32 = n",
    "outputs: i32 = 64",
]
output = "d_out"
tolerance = 1e-4
*/
// Convolution of images with several channels, NCHW, filters of 3 by 3: direct, and with a tile of the input in shared memory.
#include <cuda_runtime.h>
#include <vector>
#include <cstdio>
#include <random>

constexpr int TILE = 16, K = 3;

__global__ void conv_direct(const float *__restrict__ in, const float *__restrict__ filters, float *__restrict__ out, int channels, int height, int width, int outputs) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, f = blockIdx.z;
  int oh = height - K + 1, ow = width - K + 1;
  if (x >= ow || y >= oh) return;
  float sum = 0.0f;
  for (int c = 0; c < channels; c++)
    for (int ky = 0; ky < K; ky++)
      for (int kx = 0; kx < K; kx++)
        sum += in[(c * height + y + ky) * width + x + kx] * filters[((f * channels + c) * K + ky) * K + kx];
  out[(f * oh + y) * ow + x] = sum;
}

__global__ void conv_tiled(const float *__restrict__ in, const float *__restrict__ filters, float *__restrict__ out, int channels, int height, int width, int outputs) {
  __shared__ float tile[TILE + K - 1][TILE + K - 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, f = blockIdx.z;
  int oh = height - K + 1, ow = width - K + 1;
  float sum = 0.0f;
  for (int c = 0; c < channels; c++) {
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + K - 1) * (TILE + K - 1); i += TILE * TILE) {
      int ty = i / (TILE + K - 1), tx = i % (TILE + K - 1);
      int gy = blockIdx.y * TILE + ty, gx = blockIdx.x * TILE + tx;
      tile[ty][tx] = gy < height && gx < width ? in[(c * height + gy) * width + gx] : 0.0f;
    }
    __syncthreads();
    for (int ky = 0; ky < K; ky++)
      for (int kx = 0; kx < K; kx++)
        sum += tile[threadIdx.y + ky][threadIdx.x + kx] * filters[((f * channels + c) * K + ky) * K + kx];
    __syncthreads();
  }
  if (x < ow && y < oh) out[(f * oh + y) * ow + x] = sum;
}

int main() {
  const int channels = 32, height = 226, width = 226, outputs = 64;
  const int oh = height - K + 1, ow = width - K + 1;
  std::vector<float> in(channels * height * width), filters(outputs * channels * K * K), out(outputs * oh * ow);
  std::default_random_engine engine;
  std::normal_distribution<float> normal;
  for (auto &v : in) v = normal(engine);
  for (auto &v : filters) v = normal(engine);
  float *d_in, *d_filters, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_filters, filters.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_filters, filters.data(), filters.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(TILE, TILE), grid((ow + TILE - 1) / TILE, (oh + TILE - 1) / TILE, outputs);
  conv_direct<<<grid, block>>>(d_in, d_filters, d_out, channels, height, width, outputs);
  conv_tiled<<<grid, block>>>(d_in, d_filters, d_out, channels, height, width, outputs);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", out[0]);
}
