// Compiled for compute_70.
// Hash tables, graphs, sparse matrices, sorting, text, dynamic programming, searches.

// Looks keys up in a hash table of buckets. Eight lanes look at the eight places of a bucket together.
extern "C" __global__ void bucket_lookup(const unsigned *table, const unsigned *queries, unsigned *places, int bits, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, i = thread / 8, lane = thread % 8;
    if (i >= n) return;
    unsigned shift = threadIdx.x & 24, group = 255u << shift, key = queries[i], bucket = key * 2654435769u >> (32 - bits);
    unsigned place = ~0u;
    for (;;) {
        unsigned found = table[8 * bucket + lane];
        unsigned hits = __ballot_sync(group, found == key) >> shift;
        if (hits) {
            place = 8 * bucket + __ffs(hits & 255) - 1;
            break;
        }
        if (__ballot_sync(group, found == 0)) break;
        bucket = (bucket + 1) & ((1u << bits) - 1);
    }
    if (lane == 0) places[i] = place;
}

// A round of peeling a graph: vertices with too few links leave, and their neighbours have one link less.
extern "C" __global__ void core_peel(const int *starts, const unsigned *links, int *left, int least, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = starts[i], to = starts[i + 1];
    if (to - from >= least) return;
    for (int k = from; k < to; k++) atomicSub(&left[links[k]], 1);
}

// A layer of a graph network: the mean of the features of eight random neighbours. A warp per vertex, 64 features.
extern "C" __global__ void sample_features(const int *starts, const unsigned *links, const float2 *features, float2 *out, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    int from = starts[i];
    unsigned many = starts[i + 1] - from, state = i * 747796405u + 2891336453u;
    float2 own = features[i * 32 + lane], sum = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        state = state * 1664525u + 1013904223u;
        float2 other = features[links[from + (state >> 8) % many] * 32 + lane];
        sum.x += other.x;
        sum.y += other.y;
    }
    out[i * 32 + lane] = make_float2(fmaxf(0.5f * own.x + 0.125f * sum.x, 0.0f), fmaxf(0.5f * own.y + 0.125f * sum.y, 0.0f));
}

// A sparse matrix times a vector, eight entries a thread: it finds the row of its first entry by bisection.
extern "C" __global__ void balanced_product(const int *starts, const unsigned *columns, const float *values, const float *x,
                                            float *y, int rows, int entries)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8, last = min(first + 8, entries);
    if (first >= entries) return;
    int row = 0, high = rows;
    while (high - row > 1) {
        int middle = (row + high) / 2;
        if (starts[middle] <= first) row = middle;
        else high = middle;
    }
    float sum = 0.0f;
    int end = starts[row + 1];
    for (int k = first; k < last; k++) {
        if (k >= end) {
            atomicAdd(&y[row], sum);
            sum = 0.0f;
            while (k >= end) end = starts[++row + 1];
        }
        sum += values[k] * x[columns[k]];
    }
    atomicAdd(&y[row], sum);
}

// Sorts a block's keys by their low 16 bits, a bit per round: first the keys with a zero, then those with a one.
extern "C" __global__ void radix_block(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned keys[];
    unsigned *zeros = keys + blockDim.x;
    int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
    unsigned key = in[blockIdx.x * blockDim.x + t];
    for (int bit = 0; bit < 16; bit++) {
        bool zero = !(key >> bit & 1);
        unsigned votes = __ballot_sync(~0u, zero);
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        int before = __popc(votes & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < warps; w++) {
            if (w < warp) before += zeros[w];
            all += zeros[w];
        }
        keys[zero ? before : all + t - before] = key;
        __syncthreads();
        key = keys[t];
    }
    out[blockIdx.x * blockDim.x + t] = key;
}

__device__ void order(unsigned &a, unsigned &b)
{
    unsigned low = min(a, b);
    b = max(a, b);
    a = low;
}

// Sorts eight keys a thread in registers, by a network of 19 comparisons.
extern "C" __global__ void sort_eight(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = in[k * n + i];
    order(v[0], v[2]); order(v[1], v[3]); order(v[4], v[6]); order(v[5], v[7]);
    order(v[0], v[4]); order(v[1], v[5]); order(v[2], v[6]); order(v[3], v[7]);
    order(v[0], v[1]); order(v[2], v[3]); order(v[4], v[5]); order(v[6], v[7]);
    order(v[2], v[4]); order(v[3], v[5]);
    order(v[1], v[4]); order(v[3], v[6]);
    order(v[1], v[2]); order(v[3], v[4]); order(v[5], v[6]);
#pragma unroll
    for (int k = 0; k < 8; k++) out[k * n + i] = v[k];
}

#define PRIME 2147483647ull

// Where may a file be cut? A hash of the last 32 bytes rolls over 64 bytes per thread; a cut is where its low bits are zero.
extern "C" __global__ void rolling_hashes(const unsigned char *text, unsigned long long leaves, unsigned *cuts, unsigned *hashes, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, at = thread * 64;
    if (at + 96 > n) return;
    unsigned long long hash = 0;
    for (int k = 0; k < 32; k++) hash = (hash * 257 + text[at + k]) % PRIME;
    unsigned many = 0;
    for (int k = 0; k < 64; k++) {
        hash = (hash * 257 + text[at + k + 32] + (256 * PRIME - text[at + k] * leaves)) % PRIME;
        many += (hash & 63) == 0;
    }
    cuts[thread] = many;
    hashes[thread] = hash;
}

// The longest common subsequence of a pattern of 64 letters and a text of 128 each, 64 cells of the table at once.
extern "C" __global__ void lcs_bitwords(const unsigned long long *pattern, const unsigned *texts, int *longest, int n)
{
    __shared__ unsigned long long where[4];
    if (threadIdx.x < 4) where[threadIdx.x] = pattern[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long row = ~0ull;
    for (int w = 0; w < 8; w++) {
        unsigned letters = texts[w * n + i];
        for (int k = 0; k < 16; k++, letters >>= 2) {
            unsigned long long match = row & where[letters & 3];
            row = (row + match) | (row - match);
        }
    }
    longest[i] = __popcll(~row);
}

// In which order are 32 matrices multiplied best? A block fills the triangle of costs, a diagonal after another.
extern "C" __global__ void matrix_chain(const unsigned *sizes, unsigned *costs)
{
    __shared__ unsigned cost[32][33], size[33];
    for (int k = threadIdx.x; k < 33; k += blockDim.x) size[k] = sizes[blockIdx.x * 33 + k];
    for (int k = threadIdx.x; k < 32; k += blockDim.x) cost[k][k] = 0;
    for (int length = 1; length < 32; length++) {
        __syncthreads();
        for (int i = threadIdx.x; i + length < 32; i += blockDim.x) {
            int j = i + length;
            unsigned least = ~0u;
            for (int k = i; k < j; k++) least = min(least, cost[i][k] + cost[k + 1][j] + size[i] * size[k + 1] * size[j + 1]);
            cost[i][j] = least;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) costs[blockIdx.x] = cost[0][31];
}

__device__ unsigned long long block_least(unsigned long long own, unsigned long long *warps)
{
    for (int d = 16; d > 0; d /= 2) own = min(own, __shfl_xor_sync(~0u, own, d));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; w++) own = min(own, warps[w]);
    __syncthreads();
    return own;
}

// Which point is nearest? Distance and number share 64 bits; the last block to finish takes the least of all blocks.
extern "C" __global__ void nearest_last_block(const float *points, volatile unsigned long long *parts, unsigned *finished,
                                              unsigned long long *nearest, float x, float y, float z, int n)
{
    __shared__ unsigned long long warps[32];
    __shared__ bool last;
    unsigned long long own = ~0ull;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float dx = points[i] - x, dy = points[n + i] - y, dz = points[2 * n + i] - z;
        own = min(own, (unsigned long long)__float_as_uint(dx * dx + dy * dy + dz * dz) << 32 | i);
    }
    own = block_least(own, warps);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
        __threadfence();
        last = atomicAdd(finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    own = ~0ull;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) own = min(own, parts[b]);
    own = block_least(own, warps);
    if (threadIdx.x == 0) *nearest = own;
}
