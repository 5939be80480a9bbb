/* warpscope
sizes  = "2^14..2^24:x4"   # n is `length`
block  = 256
grid   = "1024"
args   = [
    "d_text: i8[n] uniform from 97 below 123",
    "length: i32 = n",
    "d_counts: u32[26] zeros",
]
output = "d_counts"
[kernel.letters_warps]
shared = "104 * floor(block / 32)"
*/
// Counts the letters of a text: global atomics, shared counters, and counters for each warp.
#include <cuda_runtime.h>
#include <cstring>
#include <cstdio>
#include <string>

const int LETTERS = 26;

__global__ void letters_global(const char *text, int length, unsigned *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (; i < length; i += stride) {
    int at = text[i] - 'a';
    if (at >= 0 && at < LETTERS) atomicAdd(&counts[at], 1);
  }
}

__global__ void letters_shared(const char *text, int length, unsigned *counts) {
  __shared__ unsigned mine[LETTERS];
  for (int b = threadIdx.x; b < LETTERS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) {
    int at = text[i] - 'a';
    if (at >= 0 && at < LETTERS) atomicAdd(&mine[at], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < LETTERS; b += blockDim.x) atomicAdd(&counts[b], mine[b]);
}

__global__ void letters_warps(const char *text, int length, unsigned *counts) {
  extern __shared__ unsigned warps[];
  int warp = threadIdx.x / warpSize, count = blockDim.x / warpSize;
  for (int b = threadIdx.x; b < LETTERS * count; b += blockDim.x) warps[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) {
    int at = text[i] - 'a';
    if (at >= 0 && at < LETTERS) atomicAdd(&warps[warp * LETTERS + at], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < LETTERS; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < count; w++) sum += warps[w * LETTERS + b];
    atomicAdd(&counts[b], sum);
  }
}

int main() {
  int length = 1 << 24;
  std::string text(length, ' ');
  for (int i = 0; i < length; i++) text[i] = 'a' + rand() % 26;
  char *d_text;
  unsigned *d_counts, counts[LETTERS];
  cudaMalloc(&d_text, length);
  cudaMalloc(&d_counts, LETTERS * sizeof(unsigned));
  cudaMemcpy(d_text, text.data(), length, cudaMemcpyHostToDevice);
  int threads = 256, blocks = 1024;
  cudaMemset(d_counts, 0, sizeof(counts));
  letters_global<<<blocks, threads>>>(d_text, length, d_counts);
  cudaMemset(d_counts, 0, sizeof(counts));
  letters_shared<<<blocks, threads>>>(d_text, length, d_counts);
  cudaMemset(d_counts, 0, sizeof(counts));
  letters_warps<<<blocks, threads, LETTERS * (threads / 32) * sizeof(unsigned)>>>(d_text, length, d_counts);
  cudaMemcpy(counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost);
  printf("%u\n", counts[0]);
}
