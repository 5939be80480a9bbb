// Compiled for compute_70.
// Sparse matrices, graphs, sets, texts, codes, searches, sorts, bits and sums of items.

// A step of Jacobi's method for a sparse system in doubles. The matrix has compressed rows, and its diagonal is stored apart. A thread per
// row.
extern "C" __global__ void jacobi_sparse(const int *starts, const unsigned *columns, const double *values, const double *diagonal,
                                         const double *sides, const double *before, double *after, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double rest = sides[row];
    for (int k = starts[row]; k < starts[row + 1]; k++) rest -= values[k] * before[columns[k]];
    after[row] = rest / diagonal[row];
}

#define GROUPS 32

// A sparse matrix with 1024 columns times a vector. A bit for each place tells whether it has a value, and the values of a row are packed.
// A warp per row.
extern "C" __global__ void bitmap_product(const unsigned *masks, const unsigned *starts, const float *values, const float *vector,
                                          float *out, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    unsigned at = starts[row];
    float sum = 0.0f;
    for (int group = 0; group < GROUPS; group++) {
        unsigned mask = masks[row * GROUPS + group];
        if (mask >> lane & 1) sum += values[at + __popc(mask & ((1u << lane) - 1))] * vector[group * 32 + lane];
        at += __popc(mask);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) out[row] = sum;
}

// Who follows whom back? For each edge of a graph, looks for the opposite edge by binary search in the sorted neighbours of its end.
// Counts such edges for each vertex.
extern "C" __global__ void mutual_edges(const int *starts, const unsigned *targets, unsigned *counts, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned count = 0;
    for (int k = starts[v]; k < starts[v + 1]; k++) {
        unsigned other = targets[k];
        int low = starts[other], end = starts[other + 1], high = end;
        while (low < high) {
            int middle = (low + high) / 2;
            if (targets[middle] < v) low = middle + 1;
            else high = middle;
        }
        if (low < end && targets[low] == v) count++;
    }
    counts[v] = count;
}

// A round of pointer doubling in a forest: each node skips to the parent of its parent and adds up the depth. Tells whether another round
// is needed.
extern "C" __global__ void pointer_doubling(const int2 *nodes, int2 *next, unsigned *changed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int2 own = nodes[i], parent = nodes[own.x];
    next[i] = make_int2(parent.x, own.y + parent.y);
    if (parent.x != own.x) *changed = 1;
}

// Puts pairs of numbers into a set and counts the different ones. The set is a hash table with open addressing. A pair is a 64-bit key,
// and zero marks a free slot.
extern "C" __global__ void distinct_pairs(const uint2 *pairs, unsigned long long *table, unsigned *distinct, unsigned slots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 pair = pairs[i];
    unsigned long long key = (unsigned long long)pair.x << 32 | pair.y, hash = key * 0x9e3779b97f4a7c15ull;
    for (unsigned slot = hash >> 32;; slot++) {
        unsigned long long old = atomicCAS(&table[slot & (slots - 1)], 0ull, key);
        if (old == 0) atomicAdd(distinct, 1u);
        if (old == 0 || old == key) return;
    }
}

#define LETTERS 16

// How similar are two names (Jaro and Winkler)? Equal letters count if they are close to each other, and an equal beginning counts more.
// Names have 1 to 16 letters. A thread per pair.
extern "C" __global__ void jaro_names(const char *first, const char *second, const unsigned char *sizes, float *scores, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *a = first + i * LETTERS, *b = second + i * LETTERS;
    int size_a = (sizes[i] & 15) + 1, size_b = (sizes[i] >> 4) + 1, reach = max(max(size_a, size_b) / 2 - 1, 0);
    unsigned used_a = 0, used_b = 0;
    for (int x = 0; x < size_a; x++)
        for (int y = max(x - reach, 0); y < min(x + reach + 1, size_b); y++)
            if (!(used_b >> y & 1) && a[x] == b[y]) {
                used_a |= 1u << x;
                used_b |= 1u << y;
                break;
            }
    int swapped = 0, y = 0, prefix = 0;
    for (int x = 0; x < size_a; x++) {
        if (!(used_a >> x & 1)) continue;
        while (!(used_b >> y & 1)) y++;
        if (a[x] != b[y++]) swapped++;
    }
    while (prefix < 4 && prefix < min(size_a, size_b) && a[prefix] == b[prefix]) prefix++;
    float equal = __popc(used_a), score = 0.0f;
    if (equal > 0.0f) score = (equal / size_a + equal / size_b + (equal - 0.5f * swapped) / equal) / 3.0f;
    scores[i] = score + 0.1f * prefix * (1.0f - score);
}

// Decodes base64: a thread turns 16 letters into 12 bytes, with a table in shared memory. Also counts letters that are not base64.
extern "C" __global__ void base64_decode(const uint4 *text, const unsigned char *codes, unsigned *bytes, unsigned *invalid, int n)
{
    __shared__ unsigned char table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = codes[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 letters = text[i];
    const unsigned words[4] = {letters.x, letters.y, letters.z, letters.w};
    unsigned threes[4], wrong = 0;
#pragma unroll
    for (int w = 0; w < 4; w++) {
        threes[w] = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned code = table[words[w] >> 8 * k & 255];
            wrong += code > 63;
            threes[w] = threes[w] << 6 | (code & 63);
        }
        threes[w] = __byte_perm(threes[w], 0, 0x4012);
    }
    bytes[3 * i] = threes[0] | threes[1] << 24;
    bytes[3 * i + 1] = threes[1] >> 8 | threes[2] << 16;
    bytes[3 * i + 2] = threes[2] >> 16 | threes[3] << 8;
    if (wrong > 0) atomicAdd(invalid, wrong);
}

#define LONGEST 12

// Packs symbols with codes of at most 12 bits (Huffman). A thread takes four symbols. A scan over the block tells where they start, and
// the bits are joined in shared memory. Each block has space of its own for its words.
extern "C" __global__ void pack_codes(const uchar4 *symbols, const unsigned *codes, unsigned *packed, unsigned *sizes)
{
    extern __shared__ unsigned bits[];
    __shared__ unsigned sums[32], table[256];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, space = blockDim.x * 4 * LONGEST / 32 + 2;
    for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = codes[k];
    for (int k = threadIdx.x; k < space; k += blockDim.x) bits[k] = 0;
    __syncthreads();
    uchar4 four = symbols[blockIdx.x * blockDim.x + threadIdx.x];
    const unsigned char each[4] = {four.x, four.y, four.z, four.w};
    unsigned long long own = 0;
    unsigned size = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        unsigned code = table[each[k]];
        own = own << (code >> 16) | (code & 0xffff);
        size += code >> 16;
    }
    unsigned end = size;
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(~0u, end, d);
        if (lane >= d) end += other;
    }
    if (lane == 31) sums[warp] = end;
    __syncthreads();
    for (int w = 0; w < warp; w++) end += sums[w];
    unsigned start = end - size, word = start / 32, shift = start % 32;
    own <<= 64 - size;
    atomicOr(&bits[word], (unsigned)(own >> 32 >> shift));
    atomicOr(&bits[word + 1], (unsigned)(own >> shift));
    if (shift > 0) atomicOr(&bits[word + 2], (unsigned)(own << (32 - shift)));
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) sizes[blockIdx.x] = sums[0] = end;
    __syncthreads();
    for (int k = threadIdx.x; k < (sums[0] + 31) / 32; k += blockDim.x) packed[blockIdx.x * space + k] = bits[k];
}

// Searches a table that is laid out like a complete binary tree, level by level (Eytzinger). Finds the first entry that is not below the
// key, by its place in the tree, and zero if there is none.
extern "C" __global__ void eytzinger_search(const unsigned *tree, const unsigned *keys, unsigned *places, unsigned size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = 1;
    while (at <= size) at = 2 * at + (tree[at] < key);
    places[i] = at >> __ffs(~at);
}

#define KEYS 1024

// Sorts 1024 keys in a block by merging. In each round, a key finds its place in the neighbouring run by binary search. Equal keys keep
// their order.
extern "C" __global__ void merge_sort_block(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[2][KEYS];
    in += blockIdx.x * KEYS;
    out += blockIdx.x * KEYS;
    for (int k = threadIdx.x; k < KEYS; k += blockDim.x) keys[0][k] = in[k];
    __syncthreads();
    int from = 0;
    for (int run = 1; run < KEYS; run *= 2, from ^= 1) {
        for (int k = threadIdx.x; k < KEYS; k += blockDim.x) {
            unsigned key = keys[from][k];
            bool right = k & run;
            int other = (k & ~(run - 1)) ^ run, low = other, high = other + run;
            while (low < high) {
                int middle = (low + high) / 2;
                unsigned met = keys[from][middle];
                if (right ? met <= key : met < key) low = middle + 1;
                else high = middle;
            }
            keys[from ^ 1][(k & ~(2 * run - 1)) + (k & (run - 1)) + low - other] = key;
        }
        __syncthreads();
    }
    for (int k = threadIdx.x; k < KEYS; k += blockDim.x) out[k] = keys[from][k];
}

// Collects the bits of a number that a mask selects, at the low end (as the instruction PEXT of other processors does).
extern "C" __global__ void extract_bits(const unsigned long long *numbers, const unsigned long long *masks, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long number = numbers[i], mask = masks[i];
    unsigned sum = 0;
    for (unsigned bit = 1; mask != 0; bit <<= 1) {
        if (number & mask & -mask) sum |= bit;
        mask &= mask - 1;
    }
    out[i] = sum;
}

#define ITEMS 24
#define WORDS 128

// Splits 24 weights into two groups that are as equal as possible: a bit for each sum that can be reached, up to 4095. An item shifts all
// bits by its weight. A block per problem finds the largest sum up to half of the total.
extern "C" __global__ void subset_sums(const unsigned *weights, unsigned *halves)
{
    __shared__ unsigned bits[2][WORDS], best;
    for (int k = threadIdx.x; k < WORDS; k += blockDim.x) bits[0][k] = k == 0;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    int from = 0;
    unsigned total = 0;
    for (int item = 0; item < ITEMS; item++, from ^= 1) {
        unsigned weight = weights[blockIdx.x * ITEMS + item], words = weight / 32, shift = weight % 32;
        total += weight;
        for (int k = threadIdx.x; k < WORDS; k += blockDim.x) {
            unsigned high = k >= words ? bits[from][k - words] : 0, low = k > words ? bits[from][k - words - 1] : 0;
            bits[from ^ 1][k] = bits[from][k] | __funnelshift_l(low, high, shift);
        }
        __syncthreads();
    }
    unsigned half = total / 2;
    for (int k = threadIdx.x; k <= half / 32; k += blockDim.x) {
        unsigned word = bits[from][k];
        if (k == half / 32) word &= ~0u >> (31 - half % 32);
        if (word != 0) atomicMax(&best, k * 32 + 31 - __clz(word));
    }
    __syncthreads();
    if (threadIdx.x == 0) halves[blockIdx.x] = best;
}
