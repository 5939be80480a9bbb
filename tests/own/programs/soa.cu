/* warpscope
sizes  = "2^10..2^20:x4"   # n is `count`
block  = 256
grid   = "ceil(n / block)"
args   = [
    "p: { x: f32[n] uniform, y: f32[n] uniform, z: f32[n] uniform, vx: f32[n] uniform, vy: f32[n] uniform, vz: f32[n] uniform, count: i32 = n }",
    "dt: f32 = 0.01",
    "box: f32 = 1",
]
output = "p.vz"
[kernel.cells]
args   = [
    "p: { x: f32[n] uniform, y: f32[n] uniform, z: f32[n] uniform, vx: f32[n] uniform, vy: f32[n] uniform, vz: f32[n] uniform, count: i32 = n }",
    "box: f32 = 1",
    "side: i32 = 32",
    "counts: i32[32768] zeros",
]
output = "counts"
*/
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particles {
  float *x, *y, *z;
  float *vx, *vy, *vz;
  int count;
};

__global__ void advance(Particles p, float dt, float box) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  float x = p.x[i] + p.vx[i] * dt, y = p.y[i] + p.vy[i] * dt, z = p.z[i] + p.vz[i] * dt;
  if (x < 0 || x > box) p.vx[i] = -p.vx[i];
  if (y < 0 || y > box) p.vy[i] = -p.vy[i];
  if (z < 0 || z > box) p.vz[i] = -p.vz[i];
  p.x[i] = x;
  p.y[i] = y;
  p.z[i] = z;
}

__global__ void cells(Particles p, float box, int side, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  int cx = min(max((int)(p.x[i] / box * side), 0), side - 1);
  int cy = min(max((int)(p.y[i] / box * side), 0), side - 1);
  int cz = min(max((int)(p.z[i] / box * side), 0), side - 1);
  atomicAdd(&counts[(cz * side + cy) * side + cx], 1);
}

static float *upload(const std::vector<float> &host) {
  float *d;
  cudaMalloc(&d, host.size() * sizeof(float));
  cudaMemcpy(d, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  const int count = 1 << 20;
  std::vector<float> h(count);
  Particles p;
  p.count = count;
  for (auto &v : h) v = rand() / (float)RAND_MAX;
  p.x = upload(h);
  p.y = upload(h);
  p.z = upload(h);
  p.vx = upload(h);
  p.vy = upload(h);
  p.vz = upload(h);
  const int side = 32;
  int *counts;
  cudaMalloc(&counts, side * side * side * sizeof(int));
  cudaMemset(counts, 0, side * side * side * sizeof(int));
  advance<<<(count + 255) / 256, 256>>>(p, 0.01f, 1.0f);
  cells<<<(count + 255) / 256, 256>>>(p, 1.0f, side, counts);
  cudaDeviceSynchronize();
}
