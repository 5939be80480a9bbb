// Distance histogram (two-body statistics): how many pairs of atoms lie how far
// apart.
//
// Overview
//   n atoms lie in a box. Each of the n (n - 1) / 2 pairs has a distance, and
//   the distance falls into a bucket: bucket b counts the pairs whose distance
//   lies in [b * width, (b + 1) * width). The input grows with n, the work with
//   its square: at 512,000 atoms there are 131 billion pairs to count, and each
//   atom takes part in 511,999 of them.
//
//   Each thread has an anchor, one atom, and pairs it with every atom that comes
//   after it in the input; so every pair is counted exactly once. A count is an
//   atomic addition, as in any histogram. The variants differ in where they
//   count and in how the other atoms come to the thread.
//
//   global             Counts in global memory: one atomic addition of 64 bits
//                      per pair, carried out by the L2 cache, where all threads
//                      of the GPU meet on the same few buckets.
//
//   privatised         Every block counts in buckets of its own in shared memory
//                      and adds them to the global ones when it is done.
//
//   tiled-privatised   Also, the other atoms come through shared memory: the
//                      block fetches as many as it has threads, and all of its
//                      anchors, each in a register, are paired with all of them.
//
//   shuffle-tiled      As before, but the tile lies in the registers of a warp:
//                      every lane holds one atom of it and hands it to the
//                      other lanes by a shuffle. Warps do not wait for each
//                      other, and shared memory is left to the counting.
//
// Trade-off
//   Private buckets have to be cleared and merged: work that grows with
//   buckets x blocks. More anchors per thread (coarsening) mean fewer blocks.
//   And lanes of a warp that meet on one bucket count one after the other, in
//   shared memory as well. `copies` private buckets for each bucket, used by
//   different lanes, let them count at the same time, for as many times the
//   shared memory; 32 copies put every lane on a bank of its own.
//
//   Worked numbers: 512,000 atoms, 80 buckets, 128 threads: 4000 blocks.
//     global             131 billion global atomics.
//     privatised         at most 80 x 4000 = 320,000 of them, and as many shared
//                        atomics as there are pairs.
//     tiled-privatised   each block fetches on average 256,000 atoms, where each
//                        of its 128 threads did before.
//
// Distances
//   sqrt(dx dx + dy dy + dz dz) in 32-bit floats, with a correctly rounded square
//   root, times a correctly rounded 1 / width. With u = 2^-24, a difference of
//   two floats is wrong by at most u of itself, so its square by 2 u; the square
//   itself and the two additions (a multiplication and two fused ones) add at
//   most 3 u; the root halves these 5 u and adds u of its own; 1 / width and the
//   product add u each: 5.5 u in all. Only a pair whose true quotient lies that
//   close to a whole number may fall into the bucket next to its own.
//
// Launch
//   grid    max(1, ceil(n / (blockDim.x * coarsening))). A block takes blockDim.x
//           anchors at a time, and the anchors of the next round lie one grid
//           width further on.
//   block   any number of threads; it need not be a multiple of 32.
//   shared  privatised, shuffle-tiled: 4 * buckets * copies bytes.
//           tiled-privatised: 16 * blockDim.x more, for the tile.
//   copies  a power of two.
//   n       up to 2^20: blockDim.x * n pairs, the most that one round of a block
//           counts, must stay below 2^32 for blocks of up to 1024 threads.
//   The global buckets hold 64 bits, as there can be more than 2^32 pairs.

// Which bucket does the pair (a, b) belong to? Rounding may take the distance of
// two opposite corners past the last bucket, which then counts it.
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

// The private buckets of a block: `copies` counters of 32 bits for each bucket,
// side by side. A thread always uses the same one of them.
struct PrivateBuckets {
    unsigned int *counters;
    unsigned int buckets;
    unsigned int copies;
    unsigned int own;          // which of the copies this thread uses
    unsigned long long pairs;  // most that any counter can hold by now
};

static __device__ __forceinline__ PrivateBuckets
begin_counting(unsigned int *counters, unsigned int buckets, unsigned int copies)
{
    PrivateBuckets own = {counters, buckets, copies, threadIdx.x & (copies - 1), 0};
    for (unsigned int i = threadIdx.x; i < buckets * copies; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads();  // no thread may count before every counter is cleared
    return own;
}

static __device__ __forceinline__ void count(const PrivateBuckets &own, unsigned int bucket)
{
    atomicAdd(&own.counters[bucket * own.copies + own.own], 1u);
}

// Adds the private buckets to the global ones and clears them.
static __device__ __forceinline__ void merge(const PrivateBuckets &own,
                                             unsigned long long *counts)
{
    __syncthreads();  // no thread may merge before every pair is counted
    for (unsigned int bucket = threadIdx.x; bucket < own.buckets; bucket += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int copy = 0; copy < own.copies; ++copy) {
            // Begin with a copy of the thread's own, so that lanes are on
            // different banks although their buckets lie `copies` apart.
            unsigned int i = bucket * own.copies + ((copy + threadIdx.x) & (own.copies - 1));
            sum += own.counters[i];
            own.counters[i] = 0;
        }
        if (sum != 0) {
            atomicAdd(&counts[bucket], (unsigned long long)sum);
        }
    }
    __syncthreads();  // no thread may count before every counter is cleared
}

// Before a round of blockDim.x anchors, each of which meets fewer than n atoms:
// all of these pairs may be as far apart as each other and fall into one bucket.
// Where its counter of 32 bits might not hold them, merge what is there first.
// Every thread of the block comes to the same answer.
static __device__ __forceinline__ void make_room(PrivateBuckets &own,
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

    PrivateBuckets own = begin_counting(counters, buckets, copies);
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        make_room(own, counts, n);
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
    // First the tile, one atom per thread; then the counters. An atom takes four
    // floats instead of three, so that a single read of 128 bits gets it.
    extern __shared__ float4 tile[];
    unsigned int *counters = reinterpret_cast<unsigned int *>(tile + blockDim.x);

    PrivateBuckets own = begin_counting(counters, buckets, copies);
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        make_room(own, counts, n);
        // A thread without an anchor helps to fetch the tiles.
        unsigned int i = first + threadIdx.x;
        bool anchored = i < n;
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        if (anchored) {
            ax = x[i];
            ay = y[i];
            az = z[i];
        }
        // The first tile is the anchors themselves, each of which meets those
        // that come after it; all atoms of the others come after all anchors.
        for (unsigned int begin = first; begin < n; begin += blockDim.x) {
            unsigned int atoms = min(blockDim.x, n - begin);
            if (threadIdx.x < atoms) {
                unsigned int j = begin + threadIdx.x;
                tile[threadIdx.x] = make_float4(x[j], y[j], z[j], 0.0f);
            }
            __syncthreads();  // no thread may read the tile before all of it is there

            if (anchored) {
                for (unsigned int j = begin == first ? threadIdx.x + 1 : 0; j < atoms; ++j) {
                    float4 other = tile[j];
                    count(own, bucket_of(ax, ay, az, other.x, other.y, other.z, per_width,
                                         buckets));
                }
            }
            __syncthreads();  // no thread may fetch the next tile while this is read
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

    // A block that is no multiple of 32 threads ends in a warp of fewer lanes. Its
    // tiles are smaller, and its shuffles name only the lanes that exist.
    unsigned int lane = threadIdx.x % 32;
    unsigned int lanes = min(blockDim.x - (threadIdx.x - lane), 32u);
    unsigned int mask = 0xffffffffu >> (32 - lanes);

    PrivateBuckets own = begin_counting(counters, buckets, copies);
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        make_room(own, counts, n);
        // A lane without an anchor, past the last atom, still hands atoms on.
        unsigned int warp_first = first + threadIdx.x - lane;
        bool anchored = warp_first + lane < n;
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        if (anchored) {
            ax = x[warp_first + lane];
            ay = y[warp_first + lane];
            az = z[warp_first + lane];
        }

        // The first tile is the anchors themselves: each lane meets the lanes
        // after it.
        unsigned int atoms = warp_first < n ? min(lanes, n - warp_first) : 0;
        for (unsigned int from = 1; from < atoms; ++from) {
            float bx = __shfl_sync(mask, ax, from);
            float by = __shfl_sync(mask, ay, from);
            float bz = __shfl_sync(mask, az, from);
            if (lane < from) {
                count(own, bucket_of(ax, ay, az, bx, by, bz, per_width, buckets));
            }
        }
        // All atoms of the tiles that follow come after all anchors of the warp.
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
                // Where atoms follow the anchors, no lane is without an anchor.
                count(own, bucket_of(ax, ay, az, bx, by, bz, per_width, buckets));
            }
        }
    }
    merge(own, counts);
}
