// Compiled for compute_70.
// Hash tables, trees, graphs, sparse matrices, rows, sequences, lists.

// Looks keys up in a cuckoo hash table: a key is in one of two places, or nowhere.
extern "C" __global__ void cuckoo_lookup(const uint2 *table, const unsigned *queries, unsigned *values, int shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = queries[i];
    uint2 first = table[key * 2654435769u >> shift], second = table[(key ^ key >> 15) * 2246822519u >> shift];
    values[i] = first.x == key ? first.y : second.x == key ? second.y : ~0u;
}

// Sums over parts of a list by a tree of sums: both ends of a part go up from the leaves until they meet.
extern "C" __global__ void segment_queries(const unsigned *tree, const uint2 *queries, unsigned *sums, unsigned leaves, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned first = queries[i].x + leaves, end = queries[i].y + leaves, sum = 0;
    for (; first < end; first /= 2, end /= 2) {
        if (first & 1) sum += tree[first++];
        if (end & 1) sum += tree[--end];
    }
    sums[i] = sum;
}

// Finds the least key that is not smaller than the query in a tree of 15 keys and 16 children per node. Half a warp looks at a node's
// keys at once.
extern "C" __global__ void btree_lookup(const unsigned *tree, const unsigned *queries, unsigned *places, int levels, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    unsigned query = i < n ? queries[i] : 0, node = 0, place = ~0u;
    for (int level = 0; level < levels; level++) {
        unsigned smaller = __ballot_sync(~0u, tree[16 * node + lane] < query) >> (threadIdx.x & 16) & 0xffff;
        unsigned child = __popc(smaller);
        if (child < 15) place = 16 * node + child;
        node = 16 * node + child + 1;
    }
    if (i < n && lane == 0) places[i] = place;
}

// The nearest common ancestor of two nodes of a tree. Parents have smaller numbers, so the larger of the two goes up.
extern "C" __global__ void common_ancestors(const unsigned *parents, const uint2 *pairs, unsigned *ancestors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = pairs[i].x, b = pairs[i].y;
    while (a != b) {
        if (a > b) a = parents[a];
        else b = parents[b];
    }
    ancestors[i] = a;
}

// A symmetric sparse matrix times a vector. Of two equal entries only one is kept, so each adds to two rows.
extern "C" __global__ void symmetric_product(const int *starts, const unsigned *columns, const double *values, const double *diagonal,
                                             const double *x, double *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double own = x[row], sum = diagonal[row] * own;
    for (int k = starts[row]; k < starts[row + 1]; k++) {
        unsigned column = columns[k];
        double value = values[k];
        sum += value * x[column];
        atomicAdd(&y[column], value * own);
    }
    atomicAdd(&y[row], sum);
}

// A round of pairing the vertices of a graph: each free one proposes to its free neighbour with the heaviest edge, of equal ones to the
// first.
extern "C" __global__ void propose_matches(const int *starts, const unsigned *links, const unsigned char *weights,
                                           const unsigned char *taken, int *proposal, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = -1, most = -1;
    if (!taken[i])
        for (int k = starts[i]; k < starts[i + 1]; k++) {
            int weight = weights[k];
            if (weight > most && !taken[links[k]]) {
                most = weight;
                best = links[k];
            }
        }
    proposal[i] = best;
}

// The middle value of every row: a block counts the highest eight bits and picks the bin with the middle, then the next eight bits of
// what is in that bin, and so on.
extern "C" __global__ void median_rows(const unsigned *in, unsigned *medians, int columns)
{
    __shared__ unsigned counts[256], chosen, left;
    const unsigned *row = in + (long long)blockIdx.x * columns;
    if (threadIdx.x == 0) {
        chosen = 0;
        left = columns / 2;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int k = threadIdx.x; k < 256; k += blockDim.x) counts[k] = 0;
        __syncthreads();
        unsigned above = chosen;
        for (int k = threadIdx.x; k < columns; k += blockDim.x) {
            unsigned key = row[k];
            if (shift == 24 || key >> (shift + 8) == above) atomicAdd(&counts[key >> shift & 255], 1u);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned digit = 0, rank = left;
            while (rank >= counts[digit]) rank -= counts[digit++];
            left = rank;
            chosen = above << 8 | digit;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) medians[blockIdx.x] = chosen;
}

// The best local match of a pattern of 32 letters in a text, where longer gaps cost less per letter (Gotoh). A warp per pair: a lane
// has a letter of the pattern, and all lanes together go over a diagonal of the table.
extern "C" __global__ void gotoh_warps(const unsigned char *patterns, const unsigned char *texts, int *scores, int length, int n)
{
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (pair >= n) return;
    int letter = patterns[32 * pair + lane], score = 0, across = -1000, down = -1000, corner = 0, best = 0;
    const unsigned char *text = texts + pair * length;
    for (int step = 0; step < length + 31; step++) {
        int above = __shfl_up_sync(~0u, score, 1), gap = __shfl_up_sync(~0u, down, 1), at = step - lane;
        if (lane == 0) {
            above = 0;
            gap = -1000;
        }
        if (at >= 0 && at < length) {
            across = max(across - 1, score - 3);
            down = max(gap - 1, above - 3);
            score = max(max(0, corner + (text[at] == letter ? 2 : -1)), max(across, down));
            best = max(best, score);
        }
        corner = above;
    }
    for (int d = 16; d > 0; d /= 2) best = max(best, __shfl_xor_sync(~0u, best, d));
    if (lane == 0) scores[pair] = best;
}

// Where does a signal change its sign? A thread looks at four samples, a scan over the block gives it a place, and the block takes its
// part of the list at once.
extern "C" __global__ void zero_crossings(const float4 *signal, unsigned *places, unsigned *many, int quads)
{
    __shared__ unsigned sums[32], base;
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned changes = 0;
    if (i < quads) {
        float4 v = signal[i];
        float next = i + 1 < quads ? signal[i + 1].x : v.w;
        bool a = v.x < 0.0f, b = v.y < 0.0f, c = v.z < 0.0f, d = v.w < 0.0f, e = next < 0.0f;
        changes = (a != b) | (b != c) << 1 | (c != d) << 2 | (d != e) << 3;
    }
    unsigned own = __popc(changes), place = own;
    for (int d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(~0u, place, d);
        if (lane >= d) place += left;
    }
    if (lane == 31) sums[warp] = place;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned all = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            unsigned sum = sums[w];
            sums[w] = all;
            all += sum;
        }
        base = atomicAdd(many, all);
    }
    __syncthreads();
    place += base + sums[warp] - own;
    for (; changes != 0; changes &= changes - 1) places[place++] = 4 * i + __ffs(changes) - 1;
}
