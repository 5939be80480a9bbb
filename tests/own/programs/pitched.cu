/* warpscope
sizes  = "2^6..2^10:x4,1920"   # n is `width`
block  = [32, 8]
grid   = ["ceil(n / 32)", "135"]
args   = [
    "src: u8[552960 * ceil(n / 512)] uniform",
    "srcPitch: u64 = 512 * ceil(n / 512)",
    "dst: u8[552960 * ceil(n / 512)] zeros",
    "dstPitch: u64 = 512 * ceil(n / 512)",
    "width: i32 = n",
    "height: i32 = 1080",
]
output = "dst"
*/
// Median filter of 3 by 3 on a pitched image.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__device__ inline void sort2(uint8_t &a, uint8_t &b) {
  uint8_t lo = min(a, b);
  b = max(a, b);
  a = lo;
}

__global__ void median3x3(const uint8_t *src, size_t srcPitch, uint8_t *dst, size_t dstPitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  uint8_t v[9];
#pragma unroll
  for (int j = -1; j <= 1; j++)
#pragma unroll
    for (int i = -1; i <= 1; i++) v[(j + 1) * 3 + i + 1] = src[(y + j) * srcPitch + x + i];
  sort2(v[1], v[2]); sort2(v[4], v[5]); sort2(v[7], v[8]);
  sort2(v[0], v[1]); sort2(v[3], v[4]); sort2(v[6], v[7]);
  sort2(v[1], v[2]); sort2(v[4], v[5]); sort2(v[7], v[8]);
  sort2(v[0], v[3]); sort2(v[5], v[8]); sort2(v[4], v[7]);
  sort2(v[3], v[6]); sort2(v[1], v[4]); sort2(v[2], v[5]);
  sort2(v[4], v[7]); sort2(v[4], v[2]); sort2(v[6], v[4]);
  sort2(v[4], v[2]);
  dst[y * dstPitch + x] = v[4];
}

int main() {
  int width = 1920, height = 1080;
  uint8_t *host = (uint8_t *)malloc(width * height);
  for (int i = 0; i < width * height; i++) host[i] = rand() & 255;
  uint8_t *src, *dst;
  size_t srcPitch, dstPitch;
  cudaMallocPitch(&src, &srcPitch, width, height);
  cudaMallocPitch(&dst, &dstPitch, width, height);
  cudaMemcpy2D(src, srcPitch, host, width, width, height, cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  median3x3<<<grid, block>>>(src, srcPitch, dst, dstPitch, width, height);
  cudaMemcpy2D(host, width, dst, dstPitch, width, height, cudaMemcpyDeviceToHost);
  printf("%d\n", host[width + 1]);
}
