// Compiled for compute_70.
// Scans, sparse matrices, graphs, sorting, groups, hash tables, search in text.

// Sums before every element, as Blelloch does it: up a tree and down again. A block has two elements a thread.
extern "C" __global__ void scan_tree(const int *in, int *out, int *totals)
{
    extern __shared__ int tree[];
    int t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n, offset = 1;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    }
    if (t == 0) {
        totals[blockIdx.x] = tree[n - 1];
        tree[n - 1] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1, kept = tree[low];
            tree[low] = tree[high];
            tree[high] += kept;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}

// A sparse matrix in slices of 32 rows, each as wide as its longest row and kept by columns.
extern "C" __global__ void sliced_product(const int *slices, const unsigned *columns, const float *values, const float *x,
                                          float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = slices[row / 32] + row % 32; k < slices[row / 32 + 1]; k += 32) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// A sparse matrix by rows in double precision, eight lanes a row.
extern "C" __global__ void eight_lanes_product(const int *starts, const unsigned *columns, const double *values, const double *x,
                                               double *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    double sum = 0.0;
    if (row < rows)
        for (int k = starts[row] + lane; k < starts[row + 1]; k += 8) sum += values[k] * x[columns[k]];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 8);
    if (lane == 0 && row < rows) y[row] = sum;
}

// How many friends two people share, of all that they have: the lists are sorted. A thread per pair.
extern "C" __global__ void shared_friends(const int *starts, const unsigned *friends, const unsigned *pairs, float *share, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned u = pairs[2 * i], v = pairs[2 * i + 1];
    int a = starts[u], ends_a = starts[u + 1], b = starts[v], ends_b = starts[v + 1], both = 0;
    int all = ends_a - a + ends_b - b;
    while (a < ends_a && b < ends_b) {
        unsigned x = friends[a], y = friends[b];
        both += x == y;
        a += x <= y;
        b += y <= x;
    }
    share[i] = (float)both / (all - both);
}

// A step of page rank: every page hands its rank on to the pages that it names.
extern "C" __global__ void push_rank(const int *starts, const unsigned *links, const float *rank, float *next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int from = starts[i], to = starts[i + 1];
    float share = 0.85f * rank[i] / (to - from);
    for (int k = from; k < to; k++) atomicAdd(&next[links[k]], share);
}

// A level of a search in breadth: who is not reached yet looks for a neighbour that was, in a bitmap.
extern "C" __global__ void pull_level(const int *starts, const unsigned *links, const unsigned *reached, unsigned *next,
                                      int *level, int now, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || level[i] >= 0) return;
    for (int k = starts[i]; k < starts[i + 1]; k++) {
        unsigned from = links[k];
        if (reached[from / 32] >> from % 32 & 1) {
            level[i] = now;
            atomicOr(&next[i / 32], 1u << i % 32);
            return;
        }
    }
}

// Batcher's odd-even merge sort in shared memory: two keys a thread.
extern "C" __global__ void merge_network(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned keys[];
    int t = threadIdx.x, n = 2 * blockDim.x;
    for (int k = t; k < n; k += blockDim.x) keys[k] = in[blockIdx.x * n + k];
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool first = stride == size / 2;
            if (first || (t & (size / 2 - 1)) >= stride) {
                int low = first ? at : at - stride, high = first ? at + stride : at;
                unsigned a = keys[low], b = keys[high];
                keys[low] = min(a, b);
                keys[high] = max(a, b);
            }
        }
    __syncthreads();
    for (int k = t; k < n; k += blockDim.x) out[blockIdx.x * n + k] = keys[k];
}

// Sales by shop: every block sums its part in shared memory and adds it to the totals.
extern "C" __global__ void group_totals(const unsigned *shop, const float *sale, float *totals, unsigned *many, int shops, int n)
{
    extern __shared__ float own[];
    unsigned *counts = (unsigned *)(own + shops);
    for (int k = threadIdx.x; k < shops; k += blockDim.x) {
        own[k] = 0.0f;
        counts[k] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[shop[i]], sale[i]);
        atomicAdd(&counts[shop[i]], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < shops; k += blockDim.x) {
        atomicAdd(&totals[k], own[k]);
        atomicAdd(&many[k], counts[k]);
    }
}

// How often is every key there? A hash table with open addresses; zero is an empty place.
extern "C" __global__ void count_keys(const unsigned *keys, unsigned *table, unsigned *counts, int bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i] + 1, at = key * 2654435769u >> (32 - bits);
    for (;;) {
        unsigned seen = atomicCAS(&table[at], 0u, key);
        if (seen == 0 || seen == key) break;
        at = (at + 1) & ((1u << bits) - 1);
    }
    atomicAdd(&counts[at], 1u);
}

// Mean and standard deviation in one launch: the last block to finish adds up what all wrote.
extern "C" __global__ void deviation_last_block(const float *in, double2 *parts, unsigned *finished, double *result, int n)
{
    __shared__ double sums[32], squares[32];
    __shared__ bool last;
    double sum = 0.0, square = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = in[i];
        sum += v;
        square += v * v;
    }
    for (int round = 0; round < 2; round++) {
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_down_sync(~0u, sum, d);
            square += __shfl_down_sync(~0u, square, d);
        }
        if (threadIdx.x % 32 == 0) {
            sums[threadIdx.x / 32] = sum;
            squares[threadIdx.x / 32] = square;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < blockDim.x / 32; w++) {
                sum += sums[w];
                square += squares[w];
            }
            if (round == 0) {
                parts[blockIdx.x] = make_double2(sum, square);
                __threadfence();
                last = atomicAdd(finished, 1u) == gridDim.x - 1;
            } else {
                result[0] = sum / n;
                result[1] = sqrt(square / n - sum / n * (sum / n));
            }
        }
        __syncthreads();
        if (!last) return;
        sum = square = 0.0;
        for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
            sum += ((volatile double2 *)parts)[b].x;
            square += ((volatile double2 *)parts)[b].y;
        }
    }
}

__constant__ char word[4] = {'d', 'e', 'a', 'f'};

// Horspool's search for a word of four letters: a thread looks through 256 bytes, and leaps.
extern "C" __global__ void leap_search(const char *text, unsigned *found, int n)
{
    __shared__ unsigned char leap[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) leap[k] = k == 'd' ? 3 : k == 'e' ? 2 : k == 'a' ? 1 : 4;
    __syncthreads();
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * 256, end = min(at + 256, n - 3), many = 0;
    while (at < end) {
        int k = 3;
        while (k >= 0 && text[at + k] == word[k]) k--;
        many += k < 0;
        at += leap[(unsigned char)text[at + 3]];
    }
    if (many > 0) atomicAdd(found, many);
}
