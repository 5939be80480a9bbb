/* warpscope
sizes  = "2^10..2^20:x4"
block  = 128
grid   = "ceil(n / 1024)"
args   = [
    "a: u32[n] uniform below n",
    "hist: u32[16 * ceil(n / 1024)] zeros",
    "n: i32 = n",
    "shift: i32 = 0",
]
output = "hist"
[kernel.count]
block  = 128
[kernel.scan]
block  = 1024
grid   = "1"
args   = [
    "hist: u32[16 * ceil(n / 1024)] from count",
    "total: i32 = 16 * ceil(n / 1024)",
]
reference = "scan"
[kernel.scatter]
block  = 128
args   = [
    "a: u32[n] uniform below n",
    "b: u32[n] zeros",
    "hist: u32[16 * ceil(n / 1024)] from scan",
    "n: i32 = n",
    "shift: i32 = 0",
]
output = "b"
*/
#include <cstdio>
#include <vector>
#include <algorithm>

// LSD radix sort, four bits a pass.
constexpr int BITS = 4, BINS = 1 << BITS, THREADS = 128, ITEMS = 8;

__global__ void count(const unsigned* keys, unsigned* hist, int n, int shift) {
    __shared__ unsigned bins[BINS];
    if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
    __syncthreads();
    int base = blockIdx.x * THREADS * ITEMS;
    for (int k = 0; k < ITEMS; ++k) {
        int i = base + k * THREADS + threadIdx.x;
        if (i < n) atomicAdd(&bins[(keys[i] >> shift) & (BINS - 1)], 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS) hist[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void scan(unsigned* hist, int total) {
    __shared__ unsigned s[1024];
    unsigned carry = 0;
    for (int base = 0; base < total; base += 1024) {
        int i = base + threadIdx.x;
        unsigned v = i < total ? hist[i] : 0;
        s[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < 1024; d <<= 1) {
            unsigned t = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
            __syncthreads();
            s[threadIdx.x] += t;
            __syncthreads();
        }
        if (i < total) hist[i] = carry + s[threadIdx.x] - v;
        carry += s[1023];
        __syncthreads();
    }
}

__global__ void scatter(const unsigned* keys, unsigned* out, const unsigned* hist, int n, int shift) {
    __shared__ unsigned place[BINS];
    if (threadIdx.x < BINS) place[threadIdx.x] = hist[threadIdx.x * gridDim.x + blockIdx.x];
    __syncthreads();
    int base = blockIdx.x * THREADS * ITEMS;
    // One warp after the other, so that the order stays.
    for (int k = 0; k < ITEMS; ++k)
        for (int w = 0; w < THREADS / 32; ++w) {
            int i = base + k * THREADS + threadIdx.x;
            bool mine = threadIdx.x / 32 == w && i < n;
            if (threadIdx.x / 32 == w) {
                unsigned digit = mine ? (keys[i] >> shift) & (BINS - 1) : BINS;
                unsigned peers = __match_any_sync(~0u, digit);
                unsigned before = __popc(peers & ((1u << (threadIdx.x & 31)) - 1));
                if (mine) out[place[digit] + before] = keys[i];
                __syncwarp();
                if (mine && before == 0) place[digit] += __popc(peers);
            }
            __syncthreads();
        }
}

int main() {
    int n = 1 << 20;
    std::vector<unsigned> keys(n);
    unsigned s = 99;
    for (auto& k : keys) k = s = s * 1103515245u + 12345u;
    unsigned *a, *b, *hist;
    int blocks = (n + THREADS * ITEMS - 1) / (THREADS * ITEMS);
    cudaMalloc(&a, n * sizeof(unsigned));
    cudaMalloc(&b, n * sizeof(unsigned));
    cudaMalloc(&hist, BINS * blocks * sizeof(unsigned));
    cudaMemcpy(a, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    for (int shift = 0; shift < 32; shift += BITS) {
        count<<<blocks, THREADS>>>(a, hist, n, shift);
        scan<<<1, 1024>>>(hist, BINS * blocks);
        scatter<<<blocks, THREADS>>>(a, b, hist, n, shift);
        std::swap(a, b);
    }
    cudaMemcpy(keys.data(), a, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("%d\n", std::is_sorted(keys.begin(), keys.end()));
}
