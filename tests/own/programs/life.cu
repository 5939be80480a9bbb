/* warpscope
sizes  = "2^6..2^11:x2"   # n is `width`
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 8)"]
args   = [
    "d_a: u8[n * n] uniform below 2",
    "d_b: u8[n * n] zeros",
    "width: i32 = n",
    "height: i32 = n",
]
output = "d_b"
*/
// Conway's game of life on a torus, one byte per cell.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
  do {                                                                     \
    cudaError_t err_ = (call);                                             \
    if (err_ != cudaSuccess) {                                             \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
      exit(EXIT_FAILURE);                                                  \
    }                                                                      \
  } while (0)

__global__ void step(const unsigned char *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      if (dx == 0 && dy == 0) continue;
      int xx = (x + dx + width) % width;
      int yy = (y + dy + height) % height;
      alive += in[yy * width + xx];
    }
  unsigned char self = in[y * width + x];
  out[y * width + x] = (alive == 3) || (self && alive == 2);
}

int main(int argc, char **argv) {
  int width = argc > 1 ? atoi(argv[1]) : 2048;
  int height = width;
  int generations = 10;
  std::vector<unsigned char> world(width * height);
  for (auto &cell : world) cell = rand() % 4 == 0;
  unsigned char *d_a, *d_b;
  CHECK(cudaMalloc(&d_a, world.size()));
  CHECK(cudaMalloc(&d_b, world.size()));
  CHECK(cudaMemcpy(d_a, world.data(), world.size(), cudaMemcpyHostToDevice));
  dim3 block(32, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  for (int g = 0; g < generations; g++) {
    step<<<grid, block>>>(d_a, d_b, width, height);
    CHECK(cudaGetLastError());
    std::swap(d_a, d_b);
  }
  CHECK(cudaMemcpy(world.data(), d_a, world.size(), cudaMemcpyDeviceToHost));
  long total = 0;
  for (unsigned char c : world) total += c;
  printf("%ld alive\n", total);
  cudaFree(d_a);
  cudaFree(d_b);
  return 0;
}
