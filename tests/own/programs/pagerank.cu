/* warpscope
sizes  = "2^7..2^17:x4"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "n: i32 = n",
    "d_offsets: i32[n + 1] = 4 * i",
    "d_sources: i32[1048576] uniform below n",
    "contribution: f32[n] from contribute",
    "rank: f32[n] uniform",
    "damping: f32 = 0.85",
]
output = "rank"
tolerance = 1e-4
[kernel.contribute]
args   = [
    "n: i32 = n",
    "d_degree: i32[n] uniform below n",
    "rank: f32[n] uniform",
    "contribution: f32[n] zeros",
]
output = "contribution"
*/
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

__global__ void pull(int n, const int *__restrict__ offsets, const int *__restrict__ sources, const float *__restrict__ contribution, float *__restrict__ rank, float damping) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0.0f;
  for (int e = offsets[v]; e < offsets[v + 1]; ++e) sum += contribution[sources[e]];
  rank[v] = (1.0f - damping) / n + damping * sum;
}

__global__ void contribute(int n, const int *degree, const float *rank, float *contribution) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) contribution[v] = degree[v] > 0 ? rank[v] / degree[v] : 0.0f;
}

int main() {
  const int n = 1 << 17, m = 1 << 20;
  std::mt19937 gen(11);
  std::uniform_int_distribution<int> vertex(0, n - 1);
  std::vector<std::pair<int, int>> edges(m);
  std::vector<int> degree(n, 0), offsets(n + 1, 0), sources(m);
  for (auto &e : edges) {
    e = {vertex(gen), vertex(gen)};
    degree[e.first]++;
    offsets[e.second + 1]++;
  }
  for (int v = 0; v < n; v++) offsets[v + 1] += offsets[v];
  std::vector<int> next(offsets.begin(), offsets.end() - 1);
  for (auto &e : edges) sources[next[e.second]++] = e.first;
  int *d_offsets, *d_sources, *d_degree;
  float *rank, *contribution;
  cudaMalloc(&d_offsets, (n + 1) * sizeof(int));
  cudaMalloc(&d_sources, m * sizeof(int));
  cudaMalloc(&d_degree, n * sizeof(int));
  cudaMalloc(&rank, n * sizeof(float));
  cudaMalloc(&contribution, n * sizeof(float));
  cudaMemcpy(d_offsets, offsets.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_sources, sources.data(), m * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_degree, degree.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  std::vector<float> initial(n, 1.0f / n);
  cudaMemcpy(rank, initial.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < 20; i++) {
    contribute<<<(n + 255) / 256, 256>>>(n, d_degree, rank, contribution);
    pull<<<(n + 255) / 256, 256>>>(n, d_offsets, d_sources, contribution, rank, 0.85f);
  }
  cudaDeviceSynchronize();
}
