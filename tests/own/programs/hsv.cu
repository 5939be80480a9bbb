/* warpscope
sizes  = "2^10..2^20:x4,2073600"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "in: u8[3 * n] uniform",
    "out: f32[3 * n] zeros",
    "n: i32 = n",
]
output = "out"
tolerance = 1e-4
[kernel.hues]
args   = [
    "out: f32[3 * n] from convert",
    "n: i32 = n",
    "bins: i32[36] zeros",
]
output = "bins"
*/
// Converts pixels of three bytes to hue, saturation and value, and counts the hues.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Pixel { unsigned char r, g, b; };
struct Hsv { float h, s, v; };

__global__ void convert(const Pixel *in, Hsv *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Pixel p = in[i];
  float r = p.r / 255.0f, g = p.g / 255.0f, b = p.b / 255.0f;
  float hi = fmaxf(r, fmaxf(g, b)), lo = fminf(r, fminf(g, b));
  float d = hi - lo, h = 0.0f;
  if (d > 0.0f) {
    if (hi == r)
      h = fmodf((g - b) / d, 6.0f);
    else if (hi == g)
      h = (b - r) / d + 2.0f;
    else
      h = (r - g) / d + 4.0f;
    h *= 60.0f;
    if (h < 0.0f) h += 360.0f;
  }
  out[i] = Hsv{h, hi > 0.0f ? d / hi : 0.0f, hi};
}

__global__ void hues(const Hsv *in, int n, int *bins) {
  __shared__ int local[36];
  if (threadIdx.x < 36) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[min((int)(in[i].h / 10.0f), 35)], 1);
  __syncthreads();
  if (threadIdx.x < 36) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main(int argc, char **argv) {
  const int n = 1920 * 1080;
  std::vector<Pixel> image(n);
  for (auto &p : image) p = {(unsigned char)(rand() % 256), (unsigned char)(rand() % 256), (unsigned char)(rand() % 256)};
  Pixel *in;
  Hsv *out;
  int *bins;
  cudaMalloc(&in, n * sizeof(Pixel));
  cudaMalloc(&out, n * sizeof(Hsv));
  cudaMalloc(&bins, 36 * sizeof(int));
  cudaMemcpy(in, image.data(), n * sizeof(Pixel), cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 36 * sizeof(int));
  convert<<<(n + 255) / 256, 256>>>(in, out, n);
  hues<<<(n + 255) / 256, 256>>>(out, n, bins);
  int host[36];
  cudaMemcpy(host, bins, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d\n", host[0]);
}
