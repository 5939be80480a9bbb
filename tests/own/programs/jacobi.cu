/* warpscope
sizes  = "2^6..2^11:x2"
block  = [16, 16]
grid   = ["ceil(n / 16)", "ceil(n / 16)"]
args   = [
    "a: f64[n * n] uniform",
    "b: f64[n * n] uniform",
    "n: i32 = n",
    "change: u64[1] zeros",
]
output = "change"
*/
// Jacobi iteration on a square plate until the largest change is small.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void sweep(const double *__restrict__ a, double *__restrict__ b, int n, unsigned long long *change) {
  __shared__ double largest[256];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  double diff = 0.0;
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
    double v = 0.25 * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
    diff = fabs(v - a[y * n + x]);
    b[y * n + x] = v;
  }
  largest[t] = diff;
  __syncthreads();
  for (int s = blockDim.x * blockDim.y / 2; s > 0; s /= 2) {
    if (t < s) largest[t] = fmax(largest[t], largest[t + s]);
    __syncthreads();
  }
  if (t == 0) atomicMax(change, (unsigned long long)__double_as_longlong(largest[0]));
}

int main() {
  const int n = 2048;
  std::vector<double> plate(n * n, 0.0);
  for (int x = 0; x < n; x++) plate[x] = 100.0;
  double *a, *b;
  unsigned long long *change;
  size_t bytes = plate.size() * sizeof(double);
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&change, sizeof(unsigned long long));
  cudaMemcpy(a, plate.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, plate.data(), bytes, cudaMemcpyHostToDevice);
  dim3 threads(16, 16);
  dim3 blocks((n + threads.x - 1) / threads.x, (n + threads.y - 1) / threads.y);
  double error = 1.0;
  int iterations = 0;
  while (error > 1e-3 && iterations < 1000) {
    cudaMemset(change, 0, sizeof(unsigned long long));
    sweep<<<blocks, threads>>>(a, b, n, change);
    cudaMemcpy(&error, change, sizeof(double), cudaMemcpyDeviceToHost);
    std::swap(a, b);
    iterations++;
  }
  printf("%d iterations\n", iterations);
}
