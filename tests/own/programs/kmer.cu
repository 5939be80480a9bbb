/* warpscope
sizes  = "2^12..2^22:x4"   # n is `length`
block  = 256
grid   = "ceil(n / block)"
args   = [
    "d_dna: i8[n] uniform from 65 below 85",
    "length: u64 = n",
    "d_counts: u32[65536] zeros",
]
output = "d_counts"
constants = ["code: u8[256] uniform below 4"]
*/
// Counts the words of length 8 in DNA.
#include <cuda_runtime.h>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#define K 8

__constant__ unsigned char code[256];

__global__ void count_kmers(const char *dna, size_t length, unsigned int *counts) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i + K > length) return;
  unsigned int key = 0;
  for (int k = 0; k < K; k++) key = key << 2 | code[(unsigned char)dna[i + k]];
  atomicAdd(&counts[key], 1u);
}

int main() {
  const size_t length = 1 << 22;
  const char letters[] = "ACGT";
  std::string dna(length, 'A');
  std::mt19937 gen(5);
  for (auto &c : dna) c = letters[gen() % 4];
  unsigned char table[256] = {0};
  table['C'] = 1; table['G'] = 2; table['T'] = 3;
  cudaMemcpyToSymbol(code, table, sizeof(table));
  char *d_dna;
  unsigned int *d_counts;
  cudaMalloc(&d_dna, length);
  cudaMalloc(&d_counts, sizeof(unsigned int) << (2 * K));
  cudaMemcpy(d_dna, dna.data(), length, cudaMemcpyHostToDevice);
  cudaMemset(d_counts, 0, sizeof(unsigned int) << (2 * K));
  count_kmers<<<(length + 255) / 256, 256>>>(d_dna, length, d_counts);
  std::vector<unsigned int> counts(1 << (2 * K));
  cudaMemcpy(counts.data(), d_counts, counts.size() * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  printf("%u\n", counts[0]);
}
