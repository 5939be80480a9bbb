/* warpscope
sizes  = "2^9..2^19:x4"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "d_label: i32[n] zeros",
    "n: i32 = n",
]
output = "d_label"
[kernel.propagate]
grid   = "ceil(3 * n / block)"
args   = [
    "d_edges: i32[6 * n] uniform below n",
    "m: i32 = 3 * n",
    "d_label: i32[n] from init",
    "d_changed: i32[1] zeros",
]
output = "d_changed"
[kernel.compress]
args   = [
    "d_label: i32[n] from propagate",
    "n: i32 = n",
]
reference = "compress"
*/
// Connected components by label propagation and by hooking with path compression.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

__global__ void init(int *label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < n) label[v] = v;
}

__global__ void propagate(const int2 *edges, int m, int *label, int *changed) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  int2 edge = edges[e];
  int a = label[edge.x], b = label[edge.y];
  if (a < b) {
    atomicMin(&label[edge.y], a);
    *changed = 1;
  } else if (b < a) {
    atomicMin(&label[edge.x], b);
    *changed = 1;
  }
}

__global__ void compress(int *label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int l = label[v];
  while (l != label[l]) l = label[l];
  label[v] = l;
}

int main(int argc, char *argv[]) {
  const int n = 1 << 19;
  const int m = 3 * n;
  std::vector<int2> edges(m);
  for (int i = 0; i < m; i++) {
    edges[i].x = rand() % n;
    edges[i].y = rand() % n;
  }
  int2 *d_edges;
  int *d_label, *d_changed, changed = 1;
  cudaMalloc(&d_edges, m * sizeof(int2));
  cudaMalloc(&d_label, n * sizeof(int));
  cudaMalloc(&d_changed, sizeof(int));
  cudaMemcpy(d_edges, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice);
  init<<<(n + 255) / 256, 256>>>(d_label, n);
  int rounds = 0;
  while (changed) {
    changed = 0;
    cudaMemcpy(d_changed, &changed, sizeof(int), cudaMemcpyHostToDevice);
    propagate<<<(m + 255) / 256, 256>>>(d_edges, m, d_label, d_changed);
    compress<<<(n + 255) / 256, 256>>>(d_label, n);
    cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost);
    rounds++;
  }
  printf("%d rounds\n", rounds);
  cudaFree(d_edges);
  cudaFree(d_label);
  cudaFree(d_changed);
}
