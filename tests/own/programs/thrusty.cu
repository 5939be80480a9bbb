/* warpscope
sizes  = "2^8..2^18:x4"   # n is `count`
block  = 256
grid   = "ceil(n / block)"
args   = [
    "values: f32[n] uniform",
    "where: u32[8 * n] uniform below n",
    "out: f32[n] zeros",
    "count: u64 = n",
    "per: i32 = 8",
]
output = "out"
*/
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <iostream>
#include <random>

// Weighted sums over random positions.
__global__ void gatherSum(const float *values, const unsigned *where, float *out, size_t count, int per) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int k = 0; k < per; ++k) sum += values[where[i * per + k]];
  out[i] = sum / per;
}

int main() {
  const size_t count = 1 << 18;
  const int per = 8;
  thrust::host_vector<unsigned> where(count * per);
  std::mt19937 rng(1);
  std::uniform_int_distribution<unsigned> pick(0, count - 1);
  for (size_t i = 0; i < where.size(); ++i) where[i] = pick(rng);
  thrust::device_vector<unsigned> d_where = where;
  thrust::device_vector<float> values(count);
  thrust::sequence(values.begin(), values.end());
  thrust::device_vector<float> out(count, 0.0f);
  int block = 256;
  gatherSum<<<(count + block - 1) / block, block>>>(thrust::raw_pointer_cast(values.data()), thrust::raw_pointer_cast(d_where.data()), thrust::raw_pointer_cast(out.data()), count, per);
  cudaDeviceSynchronize();
  std::cout << out[0] << "\n";
}
