// Each block sorts its own `block` keys in shared memory.

/* warpscope
sizes  = "2^9..2^18:x4"
block  = 256
grid   = "ceil(n / block)"
shared = "4 * block"
args   = ["keys: u32[n] uniform", "sorted: u32[n] zeros", "n: u32 = n"]
output = "sorted"
view   = "columns"
tolerance = 0
*/

#define LAST 0xffffffffu  // sorts behind every key

__device__ void compare_exchange(unsigned int *a, unsigned int *b, bool ascending) {
    if ((*a > *b) == ascending) {
        unsigned int swap = *a;
        *a = *b;
        *b = swap;
    }
}

// Odd-even transposition: `block` steps, each with a compare of neighbours.
extern "C" __global__ void sort_odd_even(const unsigned int *keys, unsigned int *sorted, unsigned int n) {
    extern __shared__ unsigned int tile[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    tile[t] = i < n ? keys[i] : LAST;
    __syncthreads();
    for (unsigned int step = 0; step < blockDim.x; step++) {
        if (t % 2 == step % 2 && t + 1 < blockDim.x) compare_exchange(&tile[t], &tile[t + 1], true);
        __syncthreads();
    }
    if (i < n) sorted[i] = tile[t];
}

// Bitonic: log^2 steps. The block must be a power of two.
extern "C" __global__ void sort_bitonic(const unsigned int *keys, unsigned int *sorted, unsigned int n) {
    extern __shared__ unsigned int tile[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    tile[t] = i < n ? keys[i] : LAST;
    __syncthreads();
    for (unsigned int size = 2; size <= blockDim.x; size *= 2) {
        for (unsigned int distance = size / 2; distance > 0; distance /= 2) {
            unsigned int partner = t ^ distance;
            if (partner > t) compare_exchange(&tile[t], &tile[partner], (t & size) == 0);
            __syncthreads();
        }
    }
    if (i < n) sorted[i] = tile[t];
}

// Rank sort: count the keys before one's own. Quadratic work, but only one
// barrier, and all lanes of a warp read the same word.
extern "C" __global__ void sort_rank(const unsigned int *keys, unsigned int *sorted, unsigned int n) {
    extern __shared__ unsigned int tile[];
    unsigned int begin = blockIdx.x * blockDim.x, t = threadIdx.x;
    unsigned int count = min(blockDim.x, n - begin);
    if (t < count) tile[t] = keys[begin + t];
    __syncthreads();
    if (t >= count) return;
    unsigned int key = tile[t], rank = 0;
    for (unsigned int other = 0; other < count; other++)
        rank += tile[other] < key || (tile[other] == key && other < t);
    sorted[begin + rank] = key;
}
