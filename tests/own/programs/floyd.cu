/* warpscope
sizes  = "2^5..2^10:x2"   # n is `N`
block  = [16, 16]
grid   = ["floor(n / 16)", "floor(n / 16)"]
args   = [
    "d_dist: i32[n * n] uniform from 1 below 101",
    "n: i32 = n",
    "k: i32 = 0",
]
output = "d_dist"
*/
// All shortest paths (Floyd-Warshall), one launch for each intermediate vertex.
#include <stdio.h>
#include <stdlib.h>
#define INF 1000000000
#define N 1024
#define BLOCK_SIZE 16

__global__ void relax(int *dist, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j]) dist[i * n + j] = through;
  }
}

int main(void) {
  int *dist = (int *)malloc(N * N * sizeof(int));
  srand(1);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      if (i == j)
        dist[i * N + j] = 0;
      else if (rand() % 100 < 10)
        dist[i * N + j] = rand() % 100 + 1;
      else
        dist[i * N + j] = INF;
    }
  int *d_dist;
  cudaMalloc((void **)&d_dist, N * N * sizeof(int));
  cudaMemcpy(d_dist, dist, N * N * sizeof(int), cudaMemcpyHostToDevice);
  dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
  dim3 blocks(N / BLOCK_SIZE, N / BLOCK_SIZE);
  for (int k = 0; k < N; k++) relax<<<blocks, threads>>>(d_dist, N, k);
  cudaDeviceSynchronize();
  cudaMemcpy(dist, d_dist, N * N * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", dist[N - 1]);
  cudaFree(d_dist);
  free(dist);
  return 0;
}
