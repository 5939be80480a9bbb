/* warpscope
sizes  = "2^8..2^18:x4"   # n is `count`
block  = 128
grid   = "ceil(n / block)"
args   = [
    "messages: u32[16 * n] uniform below 2147483648",
    "digests: u32[8 * n] zeros",
    "count: i32 = n",
]
output = "digests"
*/
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct Digest { uint32_t word[8]; };

__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

__global__ void sha256(const uint32_t *messages, Digest *digests, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  uint32_t w[64];
  for (int i = 0; i < 16; i++) w[i] = messages[id * 16 + i];
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
  for (int i = 0; i < 64; i++) {
    uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
    uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  digests[id].word[0] = s[0] + a; digests[id].word[1] = s[1] + b; digests[id].word[2] = s[2] + c; digests[id].word[3] = s[3] + d;
  digests[id].word[4] = s[4] + e; digests[id].word[5] = s[5] + f; digests[id].word[6] = s[6] + g; digests[id].word[7] = s[7] + h;
}

int main(int argc, char **argv) {
  const int count = 1 << 18;
  size_t bytes = (size_t)count * 64;
  uint32_t *host = (uint32_t *)malloc(bytes);
  for (size_t i = 0; i < bytes / 4; i++) host[i] = rand();
  uint32_t *messages;
  Digest *digests;
  if (cudaMalloc(&messages, bytes) != cudaSuccess || cudaMalloc(&digests, count * sizeof(Digest)) != cudaSuccess) return 1;
  cudaMemcpy(messages, host, bytes, cudaMemcpyHostToDevice);
  sha256<<<(count + 127) / 128, 128>>>(messages, digests, count);
  cudaDeviceSynchronize();
  free(host);
}
