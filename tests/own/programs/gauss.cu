/* warpscope
sizes  = "2^7..2^11:x4,3840"   # n is `w`
block  = 128
grid   = ["ceil(n / block)", "2160"]
shared = "4 * (block + 16)"
args   = [
    "a: u8[8640 * n] uniform",
    "b: u8[8640 * n] zeros",
    "w: i32 = n",
    "h: i32 = 2160",
]
output = "b"
constants = ["weights: f32[17] uniform"]
[kernel.blurColumns]
block  = [32, 8]
grid   = ["ceil(n / 32)", "270"]
shared = 0
args   = [
    "b: u8[8640 * n] from blurRows",
    "a: u8[8640 * n] uniform",
    "w: i32 = n",
    "h: i32 = 2160",
]
output = "a"
*/
// Separable Gaussian blur of RGBA pixels, rows in shared memory, columns straight from global memory.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

const int R = 8;
__constant__ float weights[2 * R + 1];

__global__ void blurRows(const uchar4 *in, uchar4 *out, int w, int h) {
  extern __shared__ uchar4 line[];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  for (int i = threadIdx.x; i < blockDim.x + 2 * R; i += blockDim.x) {
    int sx = min(max((int)(blockIdx.x * blockDim.x) + i - R, 0), w - 1);
    line[i] = in[y * w + sx];
  }
  __syncthreads();
  if (x >= w) return;
  float r = 0, g = 0, b = 0;
  for (int k = 0; k <= 2 * R; k++) {
    uchar4 p = line[threadIdx.x + k];
    r += weights[k] * p.x;
    g += weights[k] * p.y;
    b += weights[k] * p.z;
  }
  out[y * w + x] = make_uchar4(r, g, b, 255);
}

__global__ void blurColumns(const uchar4 *in, uchar4 *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float r = 0, g = 0, b = 0;
  for (int k = -R; k <= R; k++) {
    uchar4 p = in[min(max(y + k, 0), h - 1) * w + x];
    r += weights[k + R] * p.x;
    g += weights[k + R] * p.y;
    b += weights[k + R] * p.z;
  }
  out[y * w + x] = make_uchar4(r, g, b, 255);
}

int main(int argc, char **argv) {
  int w = 3840, h = 2160;
  std::vector<uchar4> image(w * h);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) image[y * w + x] = make_uchar4(x & 255, y & 255, (x + y) & 255, 255);
  float kernel[2 * R + 1], sum = 0;
  for (int i = -R; i <= R; i++) sum += kernel[i + R] = expf(-i * i / 18.0f);
  for (float &k : kernel) k /= sum;
  cudaMemcpyToSymbol(weights, kernel, sizeof(kernel));
  uchar4 *a, *b;
  cudaMalloc(&a, image.size() * sizeof(uchar4));
  cudaMalloc(&b, image.size() * sizeof(uchar4));
  cudaMemcpy(a, image.data(), image.size() * sizeof(uchar4), cudaMemcpyHostToDevice);
  const int threads = 128;
  blurRows<<<dim3((w + threads - 1) / threads, h), threads, (threads + 2 * R) * sizeof(uchar4)>>>(a, b, w, h);
  dim3 block(32, 8);
  blurColumns<<<dim3((w + 31) / 32, (h + 7) / 8), block>>>(b, a, w, h);
  cudaMemcpy(image.data(), a, image.size() * sizeof(uchar4), cudaMemcpyDeviceToHost);
  printf("%d\n", image[0].x);
}
