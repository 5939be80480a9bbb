/* warpscope
sizes  = "2^12..2^22:x4"
block  = 512
grid   = "floor(n / 1024)"
args   = [
    "keys: u32[n] uniform",
]
output = "keys"
[kernel.sortTile]
block  = 512
[kernel.mergeGlobal]
block  = 256
grid   = "floor(n / 512)"
args   = [
    "keys: u32[n] from sortTile",
    "size: u32 = 2048",
    "stride: u32 = 1024",
]
reference = "mergeGlobal"
[kernel.mergeTile]
block  = 512
args   = [
    "keys: u32[n] from mergeGlobal",
    "size: u32 = 2048",
]
reference = "mergeTile"
*/
// Bitonic sort of unsigned keys: steps within a block in shared memory, larger ones in global memory.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

constexpr int BLOCK = 512;
constexpr int TILE = 2 * BLOCK;

__device__ inline void order(uint32_t &a, uint32_t &b, bool up) {
  if ((a > b) == up) {
    uint32_t t = a;
    a = b;
    b = t;
  }
}

__global__ void sortTile(uint32_t *keys) {
  __shared__ uint32_t tile[TILE];
  uint32_t base = blockIdx.x * TILE;
  tile[threadIdx.x] = keys[base + threadIdx.x];
  tile[threadIdx.x + BLOCK] = keys[base + threadIdx.x + BLOCK];
  for (uint32_t size = 2; size <= TILE; size <<= 1) {
    bool up = ((base + 2 * threadIdx.x) & size) == 0;
    for (uint32_t stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      uint32_t pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      order(tile[pos], tile[pos + stride], up);
    }
  }
  __syncthreads();
  keys[base + threadIdx.x] = tile[threadIdx.x];
  keys[base + threadIdx.x + BLOCK] = tile[threadIdx.x + BLOCK];
}

__global__ void mergeGlobal(uint32_t *keys, uint32_t size, uint32_t stride) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t pos = 2 * i - (i & (stride - 1));
  bool up = (pos & size) == 0;
  uint32_t a = keys[pos], b = keys[pos + stride];
  order(a, b, up);
  keys[pos] = a;
  keys[pos + stride] = b;
}

__global__ void mergeTile(uint32_t *keys, uint32_t size) {
  __shared__ uint32_t tile[TILE];
  uint32_t base = blockIdx.x * TILE;
  tile[threadIdx.x] = keys[base + threadIdx.x];
  tile[threadIdx.x + BLOCK] = keys[base + threadIdx.x + BLOCK];
  bool up = (base & size) == 0;
  for (uint32_t stride = BLOCK; stride > 0; stride >>= 1) {
    __syncthreads();
    uint32_t pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    order(tile[pos], tile[pos + stride], up);
  }
  __syncthreads();
  keys[base + threadIdx.x] = tile[threadIdx.x];
  keys[base + threadIdx.x + BLOCK] = tile[threadIdx.x + BLOCK];
}

int main() {
  const uint32_t n = 1u << 22;
  std::vector<uint32_t> host(n);
  std::mt19937 gen(42);
  std::generate(host.begin(), host.end(), gen);
  uint32_t *keys = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&keys), n * sizeof(uint32_t));
  cudaMemcpy(keys, host.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
  sortTile<<<n / TILE, BLOCK>>>(keys);
  for (uint32_t size = 2 * TILE; size <= n; size <<= 1) {
    for (uint32_t stride = size / 2; stride >= TILE; stride >>= 1)
      mergeGlobal<<<n / (2 * 256), 256>>>(keys, size, stride);
    mergeTile<<<n / TILE, BLOCK>>>(keys, size);
  }
  cudaMemcpy(host.data(), keys, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  std::cout << (std::is_sorted(host.begin(), host.end()) ? "sorted" : "not sorted") << std::endl;
  cudaFree(keys);
}
