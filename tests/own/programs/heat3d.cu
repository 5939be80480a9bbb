/* warpscope
sizes  = "2^6..2^8:x2,258"   # n is `NX`, `NY`, `NZ`
block  = [32, 8]
grid   = ["floor((n - 2) / 32)", "floor((n - 2) / 8)"]
args   = [
    "a: f32[n * n * n] uniform",
    "b: f32[n * n * n] zeros",
    "nx: i32 = n",
    "ny: i32 = n",
    "nz: i32 = n",
    "c: f32 = 0.1",
]
output = "b"
tolerance = 1e-4
[kernel.heat_plain]
block  = [32, 4, 2]
grid   = ["ceil(n / 32)", "ceil(n / 4)", "ceil(n / 2)"]
args   = [
    "b: f32[n * n * n] from heat_march_32_8",
    "a: f32[n * n * n] uniform",
    "nx: i32 = n",
    "ny: i32 = n",
    "nz: i32 = n",
    "c: f32 = 0.1",
]
output = "a"
*/
// 3D heat equation, 7 points; the plane-marching variant keeps three planes in registers.
#include <cmath>
#include <cstdio>
#include <memory>

template <int BX, int BY>
__global__ void heat_march(const float *__restrict__ u, float *__restrict__ v, int nx, int ny, int nz, float c) {
  __shared__ float plane[BY + 2][BX + 2];
  const int x = blockIdx.x * BX + threadIdx.x + 1;
  const int y = blockIdx.y * BY + threadIdx.y + 1;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const size_t slice = (size_t)nx * ny;
  if (x >= nx - 1 || y >= ny - 1) return;
  size_t at = (size_t)y * nx + x;
  float below = u[at];
  float here = u[at + slice];
  for (int z = 1; z < nz - 1; ++z) {
    at += slice;
    float above = u[at + slice];
    plane[ty][tx] = here;
    if (threadIdx.x == 0) plane[ty][0] = u[at - 1];
    if (threadIdx.x == BX - 1) plane[ty][BX + 1] = u[at + 1];
    if (threadIdx.y == 0) plane[0][tx] = u[at - nx];
    if (threadIdx.y == BY - 1) plane[BY + 1][tx] = u[at + nx];
    __syncthreads();
    v[at] = here + c * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + above + below - 6.0f * here);
    __syncthreads();
    below = here;
    here = above;
  }
}

__global__ void heat_plain(const float *u, float *v, int nx, int ny, int nz, float c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  size_t at = ((size_t)z * ny + y) * nx + x;
  v[at] = u[at] + c * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - (size_t)nx * ny] + u[at + (size_t)nx * ny] - 6.0f * u[at]);
}

int main() {
  constexpr int NX = 258, NY = 258, NZ = 258;
  const size_t bytes = sizeof(float) * NX * NY * NZ;
  auto host = std::make_unique<float[]>(NX * NY * NZ);
  for (int i = 0; i < NX * NY * NZ; ++i) host[i] = sinf(0.01f * i);
  float *a, *b;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMemcpy(a, host.get(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice);
  for (int step = 0; step < 10; step += 2) {
    heat_march<32, 8><<<dim3((NX - 2) / 32, (NY - 2) / 8), dim3(32, 8)>>>(a, b, NX, NY, NZ, 0.1f);
    dim3 threads(32, 4, 2);
    dim3 blocks((NX + 31) / 32, (NY + 3) / 4, (NZ + 1) / 2);
    heat_plain<<<blocks, threads>>>(b, a, NX, NY, NZ, 0.1f);
  }
  cudaMemcpy(host.get(), a, bytes, cudaMemcpyDeviceToHost);
  printf("%f\n", host[NX * NY + NX + 1]);
  cudaFree(a);
  cudaFree(b);
}
