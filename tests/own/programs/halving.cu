/* warpscope
sizes  = "2^12..2^22:x4"   # n is `N`
block  = 64
grid   = "floor(n / block)"
args   = [
    "in: i32[n] uniform below n",
    "out: i32[floor(floor(4 * n / 32) / 4)] zeros",
]
output = "out"
*/
#include <cstdio>
#include <cuda_runtime.h>
#define N (1 << 22)

__global__ void naive(const int *in, int *out) {
  __shared__ int s[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = in[i];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sequential(const int *in, int *out) {
  __shared__ int s[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = in[i];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
typedef void (*Kernel)(const int *, int *);

int main() {
  int *h = new int[N], *in, *out;
  for (int i = 0; i < N; i++) h[i] = i & 7;
  cudaMalloc(&in, sizeof(int) * N);
  cudaMalloc(&out, sizeof(int) * N / 32);
  cudaMemcpy(in, h, sizeof(int) * N, cudaMemcpyHostToDevice);
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  struct { const char *name; Kernel kernel; } all[] = {{"naive", naive}, {"sequential", sequential}};
  for (auto &one : all)
    for (int threads = 64; threads <= 1024; threads *= 2) {
      cudaEventRecord(a);
      one.kernel<<<N / threads, threads>>>(in, out);
      cudaEventRecord(b);
      cudaEventSynchronize(b);
      float ms;
      cudaEventElapsedTime(&ms, a, b);
      printf("%s %d %f\n", one.name, threads, ms);
    }
}
