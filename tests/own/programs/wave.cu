/* warpscope
sizes  = "2^5..2^10:x2"   # n is `g`
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 8)"]
shared = "1728"
args   = [
    "b: f32[n * n] zeros",
    "a: f32[n * n] uniform",
    "v: f32[n * n] uniform",
    "g: { nx: i32 = n, ny: i32 = n, dx: f32 = 10, dt: f32 = 1e-3 }",
]
output = "b"
*/
// Acoustic waves in two dimensions, fourth order, with a halo in dynamic shared memory.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>

struct Grid {
  int nx, ny;
  float dx, dt;
  size_t bytes() const { return sizeof(float) * nx * ny; }
};

__global__ void step_wave(float *next, const float *now, const float *velocity, Grid g) {
  extern __shared__ float tile[];
  const int R = 2;
  int w = blockDim.x + 2 * R;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int ty = threadIdx.y; ty < blockDim.y + 2 * R; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < w; tx += blockDim.x) {
      int gx = min(max((int)(blockIdx.x * blockDim.x) + tx - R, 0), g.nx - 1);
      int gy = min(max((int)(blockIdx.y * blockDim.y) + ty - R, 0), g.ny - 1);
      tile[ty * w + tx] = now[gy * g.nx + gx];
    }
  __syncthreads();
  if (x >= g.nx || y >= g.ny) return;
  const float *c = &tile[(threadIdx.y + R) * w + threadIdx.x + R];
  float lap = -5.0f * c[0] + 4.0f / 3.0f * (c[1] + c[-1] + c[w] + c[-w]) - 1.0f / 12.0f * (c[2] + c[-2] + c[2 * w] + c[-2 * w]);
  float v = velocity[y * g.nx + x] * g.dt / g.dx;
  next[y * g.nx + x] = 2.0f * c[0] - next[y * g.nx + x] + v * v * lap;
}

int main(int argc, char **argv) {
  Grid g{argc > 1 ? std::atoi(argv[1]) : 1024, argc > 2 ? std::atoi(argv[2]) : 1024, 10.0f, 1e-3f};
  float *host = new float[g.nx * g.ny]();
  host[g.ny / 2 * g.nx + g.nx / 2] = 1.0f;
  float *a, *b, *v;
  cudaMalloc(&a, g.bytes());
  cudaMalloc(&b, g.bytes());
  cudaMalloc(&v, g.bytes());
  cudaMemcpy(a, host, g.bytes(), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, g.bytes());
  for (int i = 0; i < g.nx * g.ny; i++) host[i] = 1500.0f + 500.0f * (i / g.nx > g.ny / 2);
  cudaMemcpy(v, host, g.bytes(), cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  dim3 grid((g.nx + 31) / 32, (g.ny + 7) / 8);
  size_t shared = (32 + 4) * (8 + 4) * sizeof(float);
  for (int t = 0; t < 100; t++) {
    step_wave<<<grid, block, shared>>>(b, a, v, g);
    std::swap(a, b);
  }
  cudaMemcpy(host, a, g.bytes(), cudaMemcpyDeviceToHost);
  std::cout << host[0] << std::endl;
  delete[] host;
}
