/* warpscope
sizes  = "2^11..2^21:x4,3000000"
block  = 512
grid   = "128"
args   = [
    "device: u32[n] uniform below n",
    "n: i32 = n",
    "prefix: u32 = 0",
    "known: u32 = 0",
    "shift: i32 = 24",
    "bins: u32[256] zeros",
]
output = "bins"
*/
// The k-th smallest by radix select: histograms of digits, and the host picks the digit.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void digits(const unsigned* keys, int n, unsigned prefix, unsigned known, int shift, unsigned* bins) {
    __shared__ unsigned mine[256];
    if (threadIdx.x < 256) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if ((keys[i] & known) == prefix) atomicAdd(&mine[keys[i] >> shift & 255], 1u);
    __syncthreads();
    if (threadIdx.x < 256 && mine[threadIdx.x]) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

unsigned kth(const unsigned* keys, int n, unsigned k) {
    unsigned *bins, host[256], prefix = 0, known = 0;
    cudaMalloc(&bins, sizeof host);
    for (int shift = 24; shift >= 0; shift -= 8) {
        cudaMemset(bins, 0, sizeof host);
        digits<<<128, 512>>>(keys, n, prefix, known, shift, bins);
        cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost);
        unsigned digit = 0;
        while (k >= host[digit]) k -= host[digit++];
        prefix |= digit << shift;
        known |= 255u << shift;
    }
    cudaFree(bins);
    return prefix;
}

int main() {
    int n = 3000000;
    std::vector<unsigned> keys(n);
    unsigned x = 12345;
    for (auto& key : keys) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; key = x; }
    unsigned* device;
    cudaMalloc(&device, n * sizeof(unsigned));
    cudaMemcpy(device, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    printf("%u\n", kth(device, n, n / 2));
    cudaFree(device);
}
