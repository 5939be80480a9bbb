/* warpscope
sizes  = "2^8..2^18:x4,500000"   # n is `rows`
block  = 256
grid   = "528"
args   = [
    "table: u64[1048576] = 18446744073709551615",
    "mask: u32 = 1048575",
    "lk: u32[n] = 2654435761 * i % 1000003",
    "v: u32[n] = i % 1000",
    "rows: u64 = n",
]
output = "table"
[kernel.probe]
args   = [
    "table: u64[1048576] from build",
    "mask: u32 = 1048575",
    "rk: u32[n] = (40503 * i + 7) % 1000003",
    "rows: u64 = n",
    "total: u64[1] zeros",
    "hits: u32[1] zeros",
]
output = "hits"
*/
#include <cstdint>
#include <cstdio>
#include <vector>

using Entry = unsigned long long;
static const Entry EMPTY = ~0ULL;

__device__ __forceinline__ uint32_t mix(uint32_t x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16;
}

__global__ void build(Entry* table, uint32_t mask, const uint32_t* keys, const uint32_t* values, size_t rows) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < rows; i += stride) {
        Entry entry = (Entry)keys[i] << 32 | values[i];
        for (uint32_t at = mix(keys[i]) & mask;; at = (at + 1) & mask) {
            Entry old = atomicCAS(&table[at], ~0ULL, entry);
            if (old == ~0ULL) break;
        }
    }
}

__global__ void probe(const Entry* table, uint32_t mask, const uint32_t* keys, size_t rows,
                      unsigned long long* total, unsigned int* hits) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned long long mine = 0;
    unsigned int found = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < rows; i += stride) {
        uint32_t key = keys[i];
        for (uint32_t at = mix(key) & mask;; at = (at + 1) & mask) {
            Entry entry = table[at];
            if (entry == ~0ULL) break;
            if ((uint32_t)(entry >> 32) == key) { mine += (uint32_t)entry; ++found; }
        }
    }
    for (int offset = 16; offset; offset /= 2) {
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
        found += __shfl_down_sync(0xffffffffu, found, offset);
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(total, mine);
        atomicAdd(hits, found);
    }
}

int main() {
    const size_t rows = 500000;
    const uint32_t slots = 1u << 20;
    std::vector<uint32_t> left(rows), right(rows), values(rows);
    for (size_t i = 0; i < rows; ++i) {
        left[i] = (uint32_t)(i * 2654435761u) % 1000003u;
        right[i] = (uint32_t)(i * 40503u + 7) % 1000003u;
        values[i] = (uint32_t)i % 1000;
    }
    Entry* table; uint32_t *lk, *rk, *v; unsigned long long* total; unsigned int* hits;
    cudaMalloc(&table, slots * sizeof(Entry));
    cudaMalloc(&lk, rows * 4); cudaMalloc(&rk, rows * 4); cudaMalloc(&v, rows * 4);
    cudaMalloc(&total, 8); cudaMalloc(&hits, 4);
    cudaMemset(table, 0xff, slots * sizeof(Entry));
    cudaMemset(total, 0, 8); cudaMemset(hits, 0, 4);
    cudaMemcpy(lk, left.data(), rows * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(rk, right.data(), rows * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(v, values.data(), rows * 4, cudaMemcpyHostToDevice);
    build<<<528, 256>>>(table, slots - 1, lk, v, rows);
    probe<<<528, 256>>>(table, slots - 1, rk, rows, total, hits);
    unsigned int h; cudaMemcpy(&h, hits, 4, cudaMemcpyDeviceToHost);
    printf("%u\n", h);
}
