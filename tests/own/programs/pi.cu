/* warpscope
sizes  = "2^5..2^11:x4,2640"   # n is `blocks`
block  = 128
grid   = "n"
args   = [
    "hits: u64[1] zeros",
    "draws: i32 = 1000",
    "seed: u32 = 12345",
]
output = "hits"
[kernel.pi_128]
block  = 128
*/
// Estimates pi: each thread draws points with a generator of its own, blocks add their hits.
#include <cstdint>
#include <iostream>

__device__ uint32_t xorshift(uint32_t &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

template <int THREADS>
__global__ void pi(unsigned long long *hits, int draws, uint32_t seed) {
  uint32_t state = seed ^ ((blockIdx.x * THREADS + threadIdx.x + 1) * 2654435761u);
  unsigned inside = 0;
  for (int i = 0; i < draws; i++) {
    float x = xorshift(state) * (1.0f / 4294967296.0f);
    float y = xorshift(state) * (1.0f / 4294967296.0f);
    inside += x * x + y * y < 1.0f;
  }
  __shared__ unsigned sums[THREADS / 32];
  inside = __reduce_add_sync(0xffffffff, inside);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = inside;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned all = 0;
    for (int w = 0; w < THREADS / 32; w++) all += sums[w];
    atomicAdd(hits, (unsigned long long)all);
  }
}

int main() {
  constexpr int threads = 128;
  int blocks = 2640, draws = 1000;
  unsigned long long *hits;
  cudaMallocManaged(&hits, sizeof(*hits));
  *hits = 0;
  pi<threads><<<blocks, threads>>>(hits, draws, 12345u);
  cudaDeviceSynchronize();
  std::cout << 4.0 * *hits / (double(blocks) * threads * draws) << std::endl;
  cudaFree(hits);
}
