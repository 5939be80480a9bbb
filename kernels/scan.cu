// Scan: the running sums of the input (prefix sums), in three kernels.
//
// Overview
//   The inclusive scan of x[0], x[1], ... has the sums
//       s[i] = x[0] + x[1] + ... + x[i],
//   the exclusive scan leaves out x[i] itself: s[0] = 0. Each sum depends on the one
//   before it, but three kernels can share the work among any number of threads:
//
//     scan blocks   Each block scans its segment of the input in shared memory and
//                   writes the segment's total.
//     scan totals   The exclusive scan of the totals gives the offset of each block.
//                   Few values: the CPU scans them, or these same kernels do, level
//                   by level, until one block is enough.
//     add back      Each block adds its offset to all of its sums.
//
//   Values are read and written twice; the variant decoupled-lookback, in
//   scan_lookback.cu, does it once. The variants here differ in the first kernel.
//
//   hillis-steele    Idea: in step d = 1, 2, 4, ... each element adds the element d
//                    places to its left. After log2(m) steps each holds the sum of
//                    all elements before it. Two buffers, swapped after each step,
//                    keep reads and writes apart.
//                    Cost: m log2(m) additions for m elements, 10 240 for m = 1024,
//                    and a barrier per step; all threads are busy.
//                    Counter: `shared_load_requests` and `thread_instructions`.
//
//   blelloch         Idea: two sweeps over a balanced tree of the elements. Up: each
//                    node becomes the sum of its children. Down, from a root of 0:
//                    each node gives its value to its left child, and its value plus
//                    the left child's sum to its right child.
//                    Cost: 2 m additions, 2046 for m = 1024, in twice as many steps,
//                    and near the root most threads are idle. The accesses move
//                    apart: at distance 16 all lanes of a warp use one bank.
//                    Counter: `shared_bank_conflicts`.
//
//   blelloch-padded  Idea: the same tree with an unused word after every 32 elements,
//                    so that the lanes use different banks.
//                    Cost: 3 % more shared memory, and a shift and an addition for
//                    each index.
//                    Counter: `shared_bank_conflicts` falls, `warp_instructions`
//                    rises.
//
//   totals=cpu, totals=gpu  The scan of the totals. On the CPU it needs two copies;
//                    see the phases of `warpscope run`. On the GPU it needs more
//                    launches; see `launch` in the model's times.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks.
//   block  any number of threads; it need not be a power of two.
//   shared Hillis-Steele: 2 * blockDim.x elements. A block scans its segment in
//          tiles of one element per thread and carries the sum to the next tile.
//          Blelloch: one element per leaf. The tree covers the whole segment,
//          rounded up to a power of two and filled with zeros; padded, one more
//          element for every 32 leaves.
//   n      below 2^31. `per_block` is blockDim.x * coarsening, at most 2^31.
//   totals one element per block.
//   The sums may overwrite the values.

// Dynamic shared memory is declared once, as 32-bit words, for both element types.
extern __shared__ unsigned int shared_words[];

// The segment of the input that this block scans: [first, end).
static __device__ __forceinline__ unsigned int segment_first(unsigned int per_block)
{
    return blockIdx.x * per_block;
}

static __device__ __forceinline__ unsigned int segment_end(unsigned int per_block, unsigned int n)
{
    return min(n, segment_first(per_block) + per_block);
}

// ---- hillis-steele: every element adds its d-th left neighbour --------------

template <typename T>
static __device__ __forceinline__ void hillis_steele(const T *values, T *sums, T *totals,
                                                     unsigned int n, unsigned int per_block,
                                                     unsigned int exclusive)
{
    unsigned int end = segment_end(per_block, n);
    unsigned int thread = threadIdx.x;
    T *from = reinterpret_cast<T *>(shared_words);
    T *to = from + blockDim.x;
    T carry = 0;  // the sum of the tiles so far

    for (unsigned int tile = segment_first(per_block); tile < end; tile += blockDim.x) {
        unsigned int i = tile + thread;
        from[thread] = i < end ? values[i] : T(0);
        __syncthreads();  // all elements are stored before any thread adds

        for (unsigned int d = 1; d < blockDim.x; d *= 2) {
            T sum = from[thread];
            if (thread >= d) {
                sum = from[thread - d] + sum;
            }
            to[thread] = sum;
            T *swap = from;
            from = to;
            to = swap;
            __syncthreads();  // all sums of this step are stored before the next step
        }

        if (i < end) {
            T sum = from[thread];
            if (exclusive) {
                sum = thread > 0 ? from[thread - 1] : T(0);
            }
            sums[i] = carry + sum;
        }
        carry += from[blockDim.x - 1];
        __syncthreads();  // all sums are read before the next tile overwrites them
    }
    if (thread == 0) {
        totals[blockIdx.x] = carry;
    }
}

extern "C" __global__ void scan_hillis_steele_u32(const unsigned int *values, unsigned int *sums,
                                                  unsigned int *totals, unsigned int n,
                                                  unsigned int per_block, unsigned int exclusive)
{
    hillis_steele(values, sums, totals, n, per_block, exclusive);
}

extern "C" __global__ void scan_hillis_steele_f32(const float *values, float *sums, float *totals,
                                                  unsigned int n, unsigned int per_block,
                                                  unsigned int exclusive)
{
    hillis_steele(values, sums, totals, n, per_block, exclusive);
}

// ---- blelloch: up and down a tree -------------------------------------------

// Index of element i in shared memory.
template <bool PADDED>
static __device__ __forceinline__ unsigned int tree_index(unsigned int i)
{
    return PADDED ? i + i / 32 : i;
}

template <typename T, bool PADDED>
static __device__ __forceinline__ void blelloch(const T *values, T *sums, T *totals,
                                                unsigned int n, unsigned int per_block,
                                                unsigned int leaves, unsigned int exclusive)
{
    __shared__ T total;
    T *tree = reinterpret_cast<T *>(shared_words);
    unsigned int first = segment_first(per_block);
    unsigned int end = segment_end(per_block, n);
    unsigned int count = first < end ? end - first : 0;

    for (unsigned int i = threadIdx.x; i < leaves; i += blockDim.x) {
        tree[tree_index<PADDED>(i)] = i < count ? values[first + i] : T(0);
    }

    // Up. A node of 2d leaves is stored in its last leaf, its left child in the last
    // leaf of the first half.
    for (unsigned int d = 1; d < leaves; d *= 2) {
        __syncthreads();  // the children are complete
        unsigned int nodes = leaves / (2 * d);
        for (unsigned int node = threadIdx.x; node < nodes; node += blockDim.x) {
            unsigned int left = 2 * d * node + d - 1;
            tree[tree_index<PADDED>(left + d)] += tree[tree_index<PADDED>(left)];
        }
    }
    __syncthreads();  // the root is complete

    // The exclusive sum of the root is 0.
    if (threadIdx.x == 0) {
        total = tree[tree_index<PADDED>(leaves - 1)];
        totals[blockIdx.x] = total;
        tree[tree_index<PADDED>(leaves - 1)] = T(0);
    }

    // Down.
    for (unsigned int d = leaves / 2; d > 0; d /= 2) {
        __syncthreads();  // the parents are complete
        unsigned int nodes = leaves / (2 * d);
        for (unsigned int node = threadIdx.x; node < nodes; node += blockDim.x) {
            unsigned int left = 2 * d * node + d - 1;
            T before = tree[tree_index<PADDED>(left + d)];
            tree[tree_index<PADDED>(left + d)] = before + tree[tree_index<PADDED>(left)];
            tree[tree_index<PADDED>(left)] = before;
        }
    }
    __syncthreads();  // all leaves are complete before any is read

    // The leaves hold the exclusive scan. The exclusive sum of the next element is
    // the inclusive sum of this one.
    for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
        unsigned int leaf = exclusive ? i : i + 1;
        sums[first + i] = leaf < leaves ? tree[tree_index<PADDED>(leaf)] : total;
    }
}

extern "C" __global__ void scan_blelloch_u32(const unsigned int *values, unsigned int *sums,
                                             unsigned int *totals, unsigned int n,
                                             unsigned int per_block, unsigned int leaves,
                                             unsigned int exclusive)
{
    blelloch<unsigned int, false>(values, sums, totals, n, per_block, leaves, exclusive);
}

extern "C" __global__ void scan_blelloch_f32(const float *values, float *sums, float *totals,
                                             unsigned int n, unsigned int per_block,
                                             unsigned int leaves, unsigned int exclusive)
{
    blelloch<float, false>(values, sums, totals, n, per_block, leaves, exclusive);
}

extern "C" __global__ void scan_blelloch_padded_u32(const unsigned int *values, unsigned int *sums,
                                                    unsigned int *totals, unsigned int n,
                                                    unsigned int per_block, unsigned int leaves,
                                                    unsigned int exclusive)
{
    blelloch<unsigned int, true>(values, sums, totals, n, per_block, leaves, exclusive);
}

extern "C" __global__ void scan_blelloch_padded_f32(const float *values, float *sums,
                                                    float *totals, unsigned int n,
                                                    unsigned int per_block, unsigned int leaves,
                                                    unsigned int exclusive)
{
    blelloch<float, true>(values, sums, totals, n, per_block, leaves, exclusive);
}

// ---- add back: a map over the sums ------------------------------------------

// `offsets` is the exclusive scan of the totals. Grid, block and `per_block` are
// those of the launch that wrote the totals.
template <typename T>
static __device__ __forceinline__ void add_back(T *sums, const T *offsets, unsigned int n,
                                                unsigned int per_block)
{
    unsigned int end = segment_end(per_block, n);
    T offset = offsets[blockIdx.x];

    for (unsigned int i = segment_first(per_block) + threadIdx.x; i < end; i += blockDim.x) {
        sums[i] = offset + sums[i];
    }
}

extern "C" __global__ void scan_add_back_u32(unsigned int *sums, const unsigned int *offsets,
                                             unsigned int n, unsigned int per_block)
{
    add_back(sums, offsets, n, per_block);
}

extern "C" __global__ void scan_add_back_f32(float *sums, const float *offsets, unsigned int n,
                                             unsigned int per_block)
{
    add_back(sums, offsets, n, per_block);
}
