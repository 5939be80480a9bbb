/* warpscope
sizes  = "1024"   # n is `NX`
block  = [64, 4]
grid   = ["ceil(n / 64)", "128"]
args   = [
    "a: f32[4608 * n] uniform",
    "b: f32[4608 * n] zeros",
    "s: u8[512 * n] zeros",
    "omega: f32 = 1.2",
]
output = "b"
*/
// Lattice Boltzmann, D2Q9, one distribution after the other.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define Q 9
#define NX 1024
#define NY 512
__constant__ float w[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__constant__ int ex[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__global__ void stream_collide(const float *f, float *g, const unsigned char *solid, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= NX || y >= NY) return;
  int at = y * NX + x;
  float fi[Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int k = 0; k < Q; k++) {
    int sx = (x - ex[k] + NX) % NX, sy = (y - ey[k] + NY) % NY;
    fi[k] = f[k * NX * NY + sy * NX + sx];
    rho += fi[k];
    ux += fi[k] * ex[k];
    uy += fi[k] * ey[k];
  }
  if (solid[at]) {
    const int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
#pragma unroll
    for (int k = 0; k < Q; k++) g[opposite[k] * NX * NY + at] = fi[k];
    return;
  }
  ux /= rho;
  uy /= rho;
  float uu = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int k = 0; k < Q; k++) {
    float eu = 3.0f * (ex[k] * ux + ey[k] * uy);
    float feq = w[k] * rho * (1.0f + eu + 0.5f * eu * eu - uu);
    g[k * NX * NY + at] = fi[k] + omega * (feq - fi[k]);
  }
}

int main() {
  std::vector<float> f(Q * NX * NY);
  std::vector<unsigned char> solid(NX * NY, 0);
  const float weights[Q] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  for (int k = 0; k < Q; k++)
    for (int i = 0; i < NX * NY; i++) f[k * NX * NY + i] = weights[k];
  for (int x = 0; x < NX; x++) solid[x] = solid[(NY - 1) * NX + x] = 1;
  float *a, *b;
  unsigned char *s;
  cudaMalloc(&a, f.size() * sizeof(float));
  cudaMalloc(&b, f.size() * sizeof(float));
  cudaMalloc(&s, solid.size());
  cudaMemcpy(a, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(s, solid.data(), solid.size(), cudaMemcpyHostToDevice);
  dim3 threads(64, 4), grid((NX + 63) / 64, (NY + 3) / 4);
  for (int t = 0; t < 100; t++) {
    stream_collide<<<grid, threads>>>(a, b, s, 1.2f);
    std::swap(a, b);
  }
  cudaDeviceSynchronize();
}
