// Scan: the running sums of the input (prefix sums), in three kernels.
//
// Overview
//   The inclusive scan of x[0], x[1], ... has the sums
//       s[i] = x[0] + x[1] + ... + x[i],
//   the exclusive scan leaves x[i] itself out: s[0] = 0. Every sum seems to need
//   the one before it, and yet the work can be spread over any number of
//   threads:
//
//     scan blocks   Every block scans its own part of the input in shared
//                   memory, and writes down the total of that part.
//     scan totals   The exclusive scan of those totals says what lies before
//                   each block. There are far fewer of them than values: they
//                   are scanned on the CPU, or by these same kernels, whose
//                   own totals are scanned in turn until one block is enough.
//     add back      Every block adds what lies before it to all of its sums.
//
//   The variants differ in how a block scans its part.
//
//   hillis-steele   In step d = 1, 2, 4, ... every element adds the one d places
//                   to its left. After log2(m) steps each holds the sum of all
//                   before it. Threads read what others overwrite in the same
//                   step, so there are two buffers, swapped after every step.
//
//   blelloch        Two sweeps over a balanced tree laid over the elements. Up:
//                   every node becomes the sum of its two children. Down, from a
//                   root of 0: every node hands what lies before it to its left
//                   child, and that plus the left child's sum to its right one.
//
// Trade-off
//   For m elements Hillis-Steele does m log2(m) additions in log2(m) steps, in
//   which all threads are busy; Blelloch does 2m in 2 log2(m) steps, and in the
//   steps next to the root almost all threads wait. For m = 1024 these are
//   10 240 additions in 10 steps against 2046 in 20.
//
//   Blelloch's accesses also lie ever further apart: at distance d = 16 all
//   lanes of a warp meet in one of the 32 banks of shared memory, and are served
//   one by one. The padded form leaves an unused word after every 32 elements,
//   so that the lanes fall into different banks again: 3 % more memory, and one
//   shift and one addition for every index.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks.
//   block  any number of threads; it need not be a power of two.
//   shared Hillis-Steele: 2 * blockDim.x elements, whatever the coarsening: a
//          block takes its part in tiles of one element per thread, and carries
//          the running sum from tile to tile.
//          Blelloch: one element per leaf. The tree lies over the block's whole
//          part, which is rounded up to a power of two and filled with zeros;
//          padded, one more element for every 32 leaves.
//   n      below 2^31. `per_block` is blockDim.x * coarsening, at most 2^31.
//   totals one element per block.
//   The sums may take the place of the values.

// Dynamic shared memory is declared once, as words of 32 bits, which both types of
// elements have.
extern __shared__ unsigned int shared_words[];

// The part of the input that belongs to this block: [first, end).
static __device__ __forceinline__ unsigned int part_first(unsigned int per_block)
{
    return blockIdx.x * per_block;
}

static __device__ __forceinline__ unsigned int part_end(unsigned int per_block, unsigned int n)
{
    return min(n, part_first(per_block) + per_block);
}

// ---- hillis-steele: every element adds its d-th left neighbour --------------

template <typename T>
static __device__ __forceinline__ void hillis_steele(const T *values, T *sums, T *totals,
                                                     unsigned int n, unsigned int per_block,
                                                     unsigned int exclusive)
{
    unsigned int end = part_end(per_block, n);
    unsigned int thread = threadIdx.x;
    T *from = reinterpret_cast<T *>(shared_words);
    T *to = from + blockDim.x;
    T carry = 0;  // the sum of the tiles so far

    for (unsigned int tile = part_first(per_block); tile < end; tile += blockDim.x) {
        unsigned int i = tile + thread;
        from[thread] = i < end ? values[i] : T(0);
        __syncthreads();  // no thread may add before every element is there

        for (unsigned int d = 1; d < blockDim.x; d *= 2) {
            T sum = from[thread];
            if (thread >= d) {
                sum = from[thread - d] + sum;
            }
            to[thread] = sum;
            T *swap = from;
            from = to;
            to = swap;
            __syncthreads();  // a step needs all sums of the step before it
        }

        if (i < end) {
            T sum = from[thread];
            if (exclusive) {
                sum = thread > 0 ? from[thread - 1] : T(0);
            }
            sums[i] = carry + sum;
        }
        carry += from[blockDim.x - 1];
        __syncthreads();  // no thread may load over sums that others still read
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

// Where element i lies in shared memory.
template <bool PADDED>
static __device__ __forceinline__ unsigned int place(unsigned int i)
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
    unsigned int first = part_first(per_block);
    unsigned int end = part_end(per_block, n);
    unsigned int count = first < end ? end - first : 0;

    for (unsigned int i = threadIdx.x; i < leaves; i += blockDim.x) {
        tree[place<PADDED>(i)] = i < count ? values[first + i] : T(0);
    }

    // Up: a node of 2d leaves is kept in its last leaf, and its left child in the
    // last leaf of the first half.
    for (unsigned int d = 1; d < leaves; d *= 2) {
        __syncthreads();  // the children have to be complete
        unsigned int nodes = leaves / (2 * d);
        for (unsigned int node = threadIdx.x; node < nodes; node += blockDim.x) {
            unsigned int left = 2 * d * node + d - 1;
            tree[place<PADDED>(left + d)] += tree[place<PADDED>(left)];
        }
    }
    __syncthreads();  // the root has to be complete

    // Nothing lies before the root.
    if (threadIdx.x == 0) {
        total = tree[place<PADDED>(leaves - 1)];
        totals[blockIdx.x] = total;
        tree[place<PADDED>(leaves - 1)] = T(0);
    }

    // Down.
    for (unsigned int d = leaves / 2; d > 0; d /= 2) {
        __syncthreads();  // the parents have to be complete
        unsigned int nodes = leaves / (2 * d);
        for (unsigned int node = threadIdx.x; node < nodes; node += blockDim.x) {
            unsigned int left = 2 * d * node + d - 1;
            T before = tree[place<PADDED>(left + d)];
            tree[place<PADDED>(left + d)] = before + tree[place<PADDED>(left)];
            tree[place<PADDED>(left)] = before;
        }
    }
    __syncthreads();  // no thread may read a leaf before it is complete

    // The leaves hold the exclusive scan. What lies before the next element is
    // the inclusive sum of this one.
    for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
        unsigned int leaf = exclusive ? i : i + 1;
        sums[first + i] = leaf < leaves ? tree[place<PADDED>(leaf)] : total;
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

// `offsets` is the exclusive scan of the totals; grid, block and `per_block` are
// those of the scan that wrote them.
template <typename T>
static __device__ __forceinline__ void add_back(T *sums, const T *offsets, unsigned int n,
                                                unsigned int per_block)
{
    unsigned int end = part_end(per_block, n);
    T offset = offsets[blockIdx.x];

    for (unsigned int i = part_first(per_block) + threadIdx.x; i < end; i += blockDim.x) {
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
