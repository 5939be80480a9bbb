// Distance histogram (two-body statistics): how many pairs of atoms are how far apart.
//
// Overview
//   A box holds n atoms. Each of the n (n - 1) / 2 pairs has a distance, which falls
//   into a bucket: bucket b counts the pairs with a distance in
//   [b * width, (b + 1) * width). The work grows with the square of n: 512,000 atoms
//   have 131 billion pairs.
//
//   Each thread has an anchor, one atom, and pairs it with each atom after it in the
//   input, so each pair is counted once. A count is an atomic addition, as in any
//   histogram. The variants differ in where they count, and in how the other atoms
//   reach the thread.
//
//   global             Idea: count in global memory, one 64-bit atomic addition per
//                      pair.
//                      Cost: the L2 cache executes them, and all threads of the GPU
//                      compete for the same few buckets.
//                      Counter: `global_atomic_passes`, `hottest_chunk_passes`.
//
//   privatised         Idea: each block counts in private buckets in shared memory
//                      and adds them to the global buckets at the end.
//                      Cost: each block clears and merges all buckets.
//                      Counter: `global_atomic_requests` falls,
//                      `shared_atomic_wavefronts` counts the additions instead.
//
//   tiled-privatised   Idea: the other atoms also come through shared memory. The
//                      block loads a tile of one atom per thread and pairs all of its
//                      anchors, held in registers, with all atoms of the tile.
//                      Cost: two barriers per tile, and shared memory for the tile.
//                      Counter: `global_load_requests` falls, `shared_load_requests`
//                      and `barriers` rise.
//
//   shuffle-tiled      Idea: the tile is in the registers of a warp. Each lane holds
//                      one atom and passes it to the other lanes by shuffles. Warps
//                      do not wait for each other.
//                      Cost: three shuffles per pair of anchor and atom.
//                      Counter: `shared_load_requests` and `barriers` fall back,
//                      `warp_instructions` rises.
//
// Copies
//   Lanes of a warp that count in different buckets of one bank are serialised.
//   `copies` private buckets for each bucket, used by different lanes, spread them
//   over the banks, for `copies` times the shared memory. With 32 copies each lane has
//   its own bank. Counter: `shared_atomic_wavefronts` falls to
//   `shared_atomic_requests`.
//
// Example
//   512,000 atoms, 80 buckets, 128 threads: 4000 blocks.
//     global             131 billion global atomic additions.
//     privatised         at most 80 x 4000 = 320,000 of them, and one in shared
//                        memory per pair.
//     tiled-privatised   each block loads on average 256,000 atoms once, instead of
//                        each of its 128 threads.
//   More anchors per thread (coarsening) mean fewer blocks, so fewer merges.
//
// Distances
//   sqrt(dx dx + dy dy + dz dz) in 32-bit floats, with a correctly rounded square
//   root, times a correctly rounded 1 / width. Let u = 2^-24. The difference of two
//   floats has a relative error of at most u, so its square has 2 u. The square itself
//   and the two additions (a multiplication and two fused ones) add at most 3 u. The
//   root halves these 5 u and adds u. 1 / width and the product add u each: 5.5 u in
//   all. Only a pair whose exact quotient is that close to a whole number can fall
//   into the neighbouring bucket.
//
// Launch
//   grid    max(1, ceil(n / (blockDim.x * coarsening))). A block takes blockDim.x
//           anchors at a time; the anchors of the next round are one grid width later.
//   block   any number of threads; it need not be a multiple of 32.
//   shared  privatised, shuffle-tiled: 4 * buckets * copies bytes.
//           tiled-privatised: 16 * blockDim.x more, for the tile.
//   copies  a power of two.
//   n       up to 2^20: blockDim.x * n pairs, the most that a block counts in one
//           round, must stay below 2^32 for blocks of up to 1024 threads.
//   The global buckets have 64 bits, because there can be more than 2^32 pairs.

// The bucket of the pair (a, b). Rounding can put the distance of two opposite corners
// past the last bucket, which then counts it.
static __device__ __forceinline__ unsigned int bucket_of(float ax, float ay, float az,
                                                         float bx, float by, float bz,
                                                         float per_width,
                                                         unsigned int buckets)
{
    float dx = ax - bx;
    float dy = ay - by;
    float dz = az - bz;
    float distance = __fsqrt_rn(dx * dx + dy * dy + dz * dz);
    return min((unsigned int)(distance * per_width), buckets - 1);
}

// ---- global: one atomic addition in global memory per pair -------------------

extern "C" __global__ void distance_histogram_global(const float *x, const float *y,
                                                     const float *z, unsigned int n,
                                                     unsigned long long *counts,
                                                     unsigned int buckets, float per_width,
                                                     unsigned int copies)
{
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;

    for (unsigned int i = first; i < n; i += stride) {
        float ax = x[i], ay = y[i], az = z[i];
        for (unsigned int j = i + 1; j < n; ++j) {
            unsigned int bucket =
                bucket_of(ax, ay, az, x[j], y[j], z[j], per_width, buckets);
            atomicAdd(&counts[bucket], 1ull);
        }
    }
}

// ---- private buckets ---------------------------------------------------------

// The private buckets of a block: `copies` adjacent 32-bit counters for each bucket. A
// thread always uses the same copy.
struct PrivateBuckets {
    unsigned int *counters;
    unsigned int buckets;
    unsigned int copies;
    unsigned int copy;         // the copy that this thread uses
    unsigned long long pairs;  // upper bound of any counter
};

static __device__ __forceinline__ PrivateBuckets
clear_private_buckets(unsigned int *counters, unsigned int buckets, unsigned int copies)
{
    PrivateBuckets own = {counters, buckets, copies, threadIdx.x & (copies - 1), 0};
    for (unsigned int i = threadIdx.x; i < buckets * copies; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads();  // all counters are cleared before any thread counts
    return own;
}

static __device__ __forceinline__ void count(const PrivateBuckets &own, unsigned int bucket)
{
    atomicAdd(&own.counters[bucket * own.copies + own.copy], 1u);
}

// Adds the private buckets to the global ones and clears them.
static __device__ __forceinline__ void merge(const PrivateBuckets &own,
                                             unsigned long long *counts)
{
    __syncthreads();  // all pairs are counted before any thread merges
    for (unsigned int bucket = threadIdx.x; bucket < own.buckets; bucket += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int copy = 0; copy < own.copies; ++copy) {
            // Each lane begins with a different copy, so that lanes use different
            // banks although their buckets are `copies` apart.
            unsigned int i = bucket * own.copies + ((copy + threadIdx.x) & (own.copies - 1));
            sum += own.counters[i];
            own.counters[i] = 0;
        }
        if (sum != 0) {
            atomicAdd(&counts[bucket], (unsigned long long)sum);
        }
    }
    __syncthreads();  // all counters are cleared before any thread counts
}

// Called before a round of blockDim.x anchors, each paired with fewer than n atoms. All
// of these pairs can fall into one bucket. If its 32-bit counter could overflow, merge
// first. All threads of the block decide alike.
static __device__ __forceinline__ void merge_before_overflow(PrivateBuckets &own,
                                                             unsigned long long *counts, unsigned int n)
{
    unsigned long long round = (unsigned long long)blockDim.x * n;
    if (own.pairs + round > 0xffffffffull) {
        merge(own, counts);
        own.pairs = 0;
    }
    own.pairs += round;
}

// ---- privatised: the other atoms from global memory --------------------------

extern "C" __global__ void distance_histogram_privatised(const float *x, const float *y,
                                                         const float *z, unsigned int n,
                                                         unsigned long long *counts,
                                                         unsigned int buckets,
                                                         float per_width,
                                                         unsigned int copies)
{
    extern __shared__ unsigned int counters[];

    PrivateBuckets own = clear_private_buckets(counters, buckets, copies);
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        merge_before_overflow(own, counts, n);
        unsigned int i = first + threadIdx.x;
        if (i < n) {
            float ax = x[i], ay = y[i], az = z[i];
            for (unsigned int j = i + 1; j < n; ++j) {
                count(own, bucket_of(ax, ay, az, x[j], y[j], z[j], per_width, buckets));
            }
        }
    }
    merge(own, counts);
}

// ---- tiled-privatised: the other atoms through shared memory -----------------

extern "C" __global__ void distance_histogram_tiled_privatised(
    const float *x, const float *y, const float *z, unsigned int n,
    unsigned long long *counts, unsigned int buckets, float per_width, unsigned int copies)
{
    // First the tile, one atom per thread; then the counters. An atom has four floats
    // instead of three, so that one 128-bit load reads it.
    extern __shared__ float4 tile[];
    unsigned int *counters = reinterpret_cast<unsigned int *>(tile + blockDim.x);

    PrivateBuckets own = clear_private_buckets(counters, buckets, copies);
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        merge_before_overflow(own, counts, n);
        // A thread without an anchor still loads tiles.
        unsigned int i = first + threadIdx.x;
        bool anchored = i < n;
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        if (anchored) {
            ax = x[i];
            ay = y[i];
            az = z[i];
        }
        // The first tile is the anchors themselves: each is paired with those after
        // it. All atoms of later tiles come after all anchors.
        for (unsigned int begin = first; begin < n; begin += blockDim.x) {
            unsigned int atoms = min(blockDim.x, n - begin);
            if (threadIdx.x < atoms) {
                unsigned int j = begin + threadIdx.x;
                tile[threadIdx.x] = make_float4(x[j], y[j], z[j], 0.0f);
            }
            __syncthreads();  // the tile is complete before any thread reads it

            if (anchored) {
                for (unsigned int j = begin == first ? threadIdx.x + 1 : 0; j < atoms; ++j) {
                    float4 other = tile[j];
                    count(own, bucket_of(ax, ay, az, other.x, other.y, other.z, per_width,
                                         buckets));
                }
            }
            __syncthreads();  // all threads have read the tile before the next is stored
        }
    }
    merge(own, counts);
}

// ---- shuffle-tiled: the other atoms through the registers of a warp ----------

extern "C" __global__ void distance_histogram_shuffle_tiled(
    const float *x, const float *y, const float *z, unsigned int n,
    unsigned long long *counts, unsigned int buckets, float per_width, unsigned int copies)
{
    extern __shared__ unsigned int counters[];

    // The last warp of a block can have fewer than 32 lanes. Its tiles are smaller, and
    // only its existing lanes take part in shuffles.
    unsigned int lane = threadIdx.x % 32;
    unsigned int lanes = min(blockDim.x - (threadIdx.x - lane), 32u);
    unsigned int mask = 0xffffffffu >> (32 - lanes);

    PrivateBuckets own = clear_private_buckets(counters, buckets, copies);
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        merge_before_overflow(own, counts, n);
        // A lane without an anchor, past the last atom, still passes atoms on.
        unsigned int warp_first = first + threadIdx.x - lane;
        bool anchored = warp_first + lane < n;
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        if (anchored) {
            ax = x[warp_first + lane];
            ay = y[warp_first + lane];
            az = z[warp_first + lane];
        }

        // The first tile is the anchors themselves: each is paired with those of the
        // later lanes.
        unsigned int atoms = warp_first < n ? min(lanes, n - warp_first) : 0;
        for (unsigned int from = 1; from < atoms; ++from) {
            float bx = __shfl_sync(mask, ax, from);
            float by = __shfl_sync(mask, ay, from);
            float bz = __shfl_sync(mask, az, from);
            if (lane < from) {
                count(own, bucket_of(ax, ay, az, bx, by, bz, per_width, buckets));
            }
        }
        // All atoms of later tiles come after all anchors of the warp.
        for (unsigned int begin = warp_first + lanes; begin < n; begin += lanes) {
            atoms = min(lanes, n - begin);
            float tx = 0.0f, ty = 0.0f, tz = 0.0f;
            if (lane < atoms) {
                tx = x[begin + lane];
                ty = y[begin + lane];
                tz = z[begin + lane];
            }
            for (unsigned int from = 0; from < atoms; ++from) {
                float bx = __shfl_sync(mask, tx, from);
                float by = __shfl_sync(mask, ty, from);
                float bz = __shfl_sync(mask, tz, from);
                // If atoms follow the anchors, each lane has an anchor.
                count(own, bucket_of(ax, ay, az, bx, by, bz, per_width, buckets));
            }
        }
    }
    merge(own, counts);
}
