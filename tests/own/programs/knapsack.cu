/* warpscope
sizes  = "2^9..2^19:x4,1000000"   # n is `capacity`
block  = 256
grid   = "floor((n + 256) / block)"
args   = [
    "a: i32[n + 1] zeros",
    "b: i32[n + 1] zeros",
    "capacity: i32 = n",
    "weight: i32 = 1",
    "value: i32 = 1",
]
output = "b"
*/
#include <cuda_runtime.h>
#include <iostream>
#include <random>
#include <vector>

__global__ void row(const int *previous, int *current, int capacity, int weight, int value) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w > capacity) return;
  int best = previous[w];
  if (w >= weight) best = max(best, previous[w - weight] + value);
  current[w] = best;
}

int main() {
  const int items = 200, capacity = 1000000;
  std::vector<int> weights(items), values(items);
  std::mt19937 rng(3);
  std::uniform_int_distribution<> weight(1, 10000), value(1, 100);
  for (int i = 0; i < items; i++) {
    weights[i] = weight(rng);
    values[i] = value(rng);
  }
  int *a, *b;
  cudaMalloc(&a, (capacity + 1) * sizeof(int));
  cudaMalloc(&b, (capacity + 1) * sizeof(int));
  cudaMemset(a, 0, (capacity + 1) * sizeof(int));
  for (int i = 0; i < items; i++) {
    row<<<(capacity + 256) / 256, 256>>>(a, b, capacity, weights[i], values[i]);
    std::swap(a, b);
  }
  int best;
  cudaMemcpy(&best, a + capacity, sizeof(int), cudaMemcpyDeviceToHost);
  std::cout << best << std::endl;
}
