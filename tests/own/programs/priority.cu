/* warpscope
sizes  = "2^6..2^16:x4,100000"   # n is `n`, `vertices`
block  = 256
grid   = "ceil(n / block)"
args   = [
    "dist: i32[n] zeros",
    "n: i32 = n",
    "source: i32 = 0",
]
output = "dist"
[kernel.relax_edges]
grid   = "ceil(8 * n / block)"
args   = [
    "d_edges: i32[24 * n] uniform below n",
    "count: i32 = 8 * n",
    "dist: i32[n] from fill_distances",
    "changed: i32[1] zeros",
]
reference = "relax_edges"
*/
// Single-source shortest paths by relaxation of all edges (Bellman-Ford) on a graph with weights.
#include <climits>
#include <cuda_runtime.h>
#include <cstdio>
#include <tuple>
#include <vector>

struct Edge { int from, to, weight; };

static std::tuple<std::vector<Edge>, int> random_graph(int vertices, int degree) {
  std::vector<Edge> edges;
  edges.reserve(vertices * degree);
  for (int v = 0; v < vertices; v++)
    for (int d = 0; d < degree; d++) edges.push_back({v, rand() % vertices, 1 + rand() % 100});
  return {edges, vertices};
}

__global__ void fill_distances(int *dist, int n, int source) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dist[i] = i == source ? 0 : INT_MAX;
}

__global__ void relax_edges(const Edge *edges, int count, int *dist, int *changed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Edge e = edges[i];
  int d = dist[e.from];
  if (d == INT_MAX) return;
  if (atomicMin(&dist[e.to], d + e.weight) > d + e.weight) *changed = 1;
}

int main() {
  auto [edges, n] = random_graph(100000, 8);
  const int count = static_cast<int>(edges.size());
  Edge *d_edges;
  int *dist, *changed;
  cudaMalloc(&d_edges, count * sizeof(Edge));
  cudaMalloc(&dist, n * sizeof(int));
  cudaMallocManaged(&changed, sizeof(int));
  cudaMemcpy(d_edges, edges.data(), count * sizeof(Edge), cudaMemcpyHostToDevice);
  fill_distances<<<(n + 255) / 256, 256>>>(dist, n, 0);
  do {
    *changed = 0;
    relax_edges<<<(count + 255) / 256, 256>>>(d_edges, count, dist, changed);
    cudaDeviceSynchronize();
  } while (*changed);
  printf("done\n");
}
