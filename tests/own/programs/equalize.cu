/* warpscope
sizes  = "2^5..2^11:x4"   # n is `width`
block  = 256
grid   = "120"
args   = [
    "img: u8[1536 * n] uniform from 60 below 140",
    "size: i32 = 1536 * n",
    "hist: u32[256] zeros",
]
output = "hist"
tolerance = 1e-4
[kernel.histogram]
block  = 256
[kernel.cumulate]
block  = 256
grid   = "1"
args   = [
    "hist: u32[256] from histogram",
    "cdf: f32[256] zeros",
    "size: i32 = 1536 * n",
]
output = "cdf"
[kernel.apply]
grid   = "ceil(1536 * n / block)"
args   = [
    "img: u8[1536 * n] uniform from 60 below 140",
    "cdf: f32[256] from cumulate",
    "size: i32 = 1536 * n",
]
output = "img"
*/
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned char uchar;
#define BINS 256

__global__ void histogram(const uchar *img, int size, unsigned int *hist) {
  __shared__ unsigned int local[BINS];
  local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&local[img[i]], 1);
    i += stride;
  }
  __syncthreads();
  atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}

__global__ void cumulate(const unsigned int *hist, float *cdf, int size) {
  __shared__ float s[BINS];
  int t = threadIdx.x;
  s[t] = hist[t] / (float)size;
  for (int d = 1; d < BINS; d <<= 1) {
    __syncthreads();
    float v = t >= d ? s[t - d] : 0.0f;
    __syncthreads();
    s[t] += v;
  }
  cdf[t] = s[t];
}

__global__ void apply(uchar *img, const float *cdf, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) img[i] = (uchar)(255.0f * cdf[img[i]]);
}

int main() {
  int width = 2048, height = 1536, size = width * height;
  uchar *h = (uchar *)malloc(size);
  for (int i = 0; i < size; i++) h[i] = 60 + rand() % 80;
  uchar *img;
  unsigned int *hist;
  float *cdf;
  cudaMalloc((void **)&img, size);
  cudaMalloc((void **)&hist, BINS * sizeof(unsigned int));
  cudaMalloc((void **)&cdf, BINS * sizeof(float));
  cudaMemcpy(img, h, size, cudaMemcpyHostToDevice);
  cudaMemset(hist, 0, BINS * sizeof(unsigned int));
  histogram<<<120, BINS>>>(img, size, hist);
  cumulate<<<1, BINS>>>(hist, cdf, size);
  apply<<<(size + 255) / 256, 256>>>(img, cdf, size);
  cudaMemcpy(h, img, size, cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
}
