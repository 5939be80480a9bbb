/* warpscope
sizes  = "2^4..2^10:x4,1920"   # n is `width`
block  = [16, 16]
grid   = ["ceil(n / 16)", "68"]
args   = [
    "image: f32[1080 * n] zeros",
    "width: i32 = n",
    "height: i32 = 1080",
    "frequency: f32 = 8",
    "octaves: i32 = 6",
]
output = "image"
constants = ["perm: i32[512] uniform below 256"]
*/
// Perlin noise with several octaves; the permutation lies in constant memory.
#include <cstdio>
#include <cuda_runtime.h>
#include <numeric>
#include <algorithm>
#include <random>

__constant__ int perm[512];

__device__ float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
__device__ float lerp(float t, float a, float b) { return a + t * (b - a); }
__device__ float grad(int hash, float x, float y) {
  int h = hash & 7;
  float u = h < 4 ? x : y;
  float v = h < 4 ? y : x;
  return ((h & 1) ? -u : u) + ((h & 2) ? -2.0f * v : 2.0f * v);
}

__device__ float noise(float x, float y) {
  int X = (int)floorf(x) & 255, Y = (int)floorf(y) & 255;
  x -= floorf(x);
  y -= floorf(y);
  float u = fade(x), v = fade(y);
  int a = perm[X] + Y, b = perm[X + 1] + Y;
  return lerp(v, lerp(u, grad(perm[a], x, y), grad(perm[b], x - 1, y)),
              lerp(u, grad(perm[a + 1], x, y - 1), grad(perm[b + 1], x - 1, y - 1)));
}

__global__ void perlin(float *image, int width, int height, float frequency, int octaves) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float amplitude = 1.0f, sum = 0.0f, f = frequency;
  for (int o = 0; o < octaves; o++) {
    sum += amplitude * noise(px * f / width, py * f / height);
    amplitude *= 0.5f;
    f *= 2.0f;
  }
  image[py * width + px] = sum;
}

int main() {
  const int width = 1920, height = 1080;
  int table[512];
  std::iota(table, table + 256, 0);
  std::shuffle(table, table + 256, std::mt19937(1));
  for (int i = 0; i < 256; i++) table[256 + i] = table[i];
  cudaMemcpyToSymbol(perm, table, sizeof(table));
  float *image;
  cudaMalloc(&image, width * height * sizeof(float));
  dim3 block(16, 16);
  dim3 grid((width + 15) / 16, (height + 15) / 16);
  perlin<<<grid, block>>>(image, width, height, 8.0f, 6);
  cudaDeviceSynchronize();
  float *host = new float[width * height];
  cudaMemcpy(host, image, width * height * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", host[12345]);
  delete[] host;
  cudaFree(image);
}
