/* warpscope
sizes  = "2^10..2^20:x4"   # n is `vertices`
block  = 128
grid   = "ceil(n / block)"
args   = [
    "d_offsets: i32[n + 1] = 8 * i",
    "d_targets: i32[8 * n] uniform below n",
    "d_level: i32[n] = 0 - min(i, 1)",
    "vertices: i32 = n",
    "depth: i32 = 0",
    "d_more: i32[1] zeros",
]
output = "d_more"
[kernel.visit_queue]
grid   = "1"
args   = [
    "d_offsets: i32[n + 1] = 8 * i",
    "d_targets: i32[8 * n] uniform below n",
    "d_level: i32[n] = 0 - min(i, 1)",
    "d_queue: i32[n] zeros",
    "queued: i32 = 1",
    "d_next: i32[n] zeros",
    "d_size: i32[1] zeros",
    "depth: i32 = 0",
]
output = "d_size"
*/
// Breadth-first search by levels: every vertex is looked at, or only those of a queue.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

__global__ void visit_all(const int *offsets, const int *targets, int *level, int vertices, int depth, int *more) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth) return;
  for (int e = offsets[v]; e < offsets[v + 1]; e++)
    if (level[targets[e]] < 0) {
      level[targets[e]] = depth + 1;
      *more = 1;
    }
}

__global__ void visit_queue(const int *offsets, const int *targets, int *level, const int *queue, int queued, int *next, int *next_size, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queued) return;
  int v = queue[i];
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int t = targets[e];
    if (atomicCAS(&level[t], -1, depth + 1) == -1) next[atomicAdd(next_size, 1)] = t;
  }
}

int main() {
  const int vertices = 1 << 20, degree = 8;
  std::vector<int> offsets(vertices + 1), targets(vertices * degree), level(vertices, -1);
  for (int v = 0; v <= vertices; v++) offsets[v] = v * degree;
  for (auto &t : targets) t = rand() % vertices;
  level[0] = 0;
  int *d_offsets, *d_targets, *d_level, *d_queue, *d_next, *d_size, *d_more;
  cudaMalloc(&d_offsets, offsets.size() * sizeof(int));
  cudaMalloc(&d_targets, targets.size() * sizeof(int));
  cudaMalloc(&d_level, level.size() * sizeof(int));
  cudaMalloc(&d_queue, vertices * sizeof(int));
  cudaMalloc(&d_next, vertices * sizeof(int));
  cudaMalloc(&d_size, sizeof(int));
  cudaMalloc(&d_more, sizeof(int));
  cudaMemcpy(d_offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_targets, targets.data(), targets.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_level, level.data(), level.size() * sizeof(int), cudaMemcpyHostToDevice);
  int depth = 0, more = 1;
  while (more) {
    cudaMemset(d_more, 0, sizeof(int));
    visit_all<<<(vertices + 127) / 128, 128>>>(d_offsets, d_targets, d_level, vertices, depth++, d_more);
    cudaMemcpy(&more, d_more, sizeof(int), cudaMemcpyDeviceToHost);
  }
  int queued = 1;
  cudaMemset(d_queue, 0, sizeof(int));
  depth = 0;
  cudaMemcpy(d_level, level.data(), level.size() * sizeof(int), cudaMemcpyHostToDevice);
  while (queued > 0) {
    cudaMemset(d_size, 0, sizeof(int));
    visit_queue<<<(queued + 127) / 128, 128>>>(d_offsets, d_targets, d_level, d_queue, queued, d_next, d_size, depth++);
    cudaMemcpy(&queued, d_size, sizeof(int), cudaMemcpyDeviceToHost);
    std::swap(d_queue, d_next);
  }
  std::cout << depth << " levels\n";
}
