// Distance histogram with several anchors per thread in registers.
//
// Overview
//   The rungs above `tiled-privatised` of distance_histogram.cu, which says what is
//   counted, and what `copies` are.
//
//   register-tiled     Idea: each thread holds several anchors, so one load from the
//                      tile of `tiled-privatised` serves several pairs. The grid has
//                      a second dimension: each block pairs its anchors with one
//                      chunk of the other atoms, so all blocks take about as long.
//                      Cost: registers; each block clears and merges all buckets for
//                      its chunk only. Blocks whose chunk comes before their anchors
//                      end at once.
//                      Counter: `shared_load_requests` falls by the number of
//                      anchors, `global_atomic_requests` rises.
//
//   approximate-root   Idea: the same, with the square root of the special-function
//                      unit, one instruction instead of about eight, and the bucket
//                      from a rounded sum instead of a conversion (see Distances).
//                      Cost: the root may be off by one unit in the last place.
//                      Counter: `warp_instructions` falls.
//
// Distances
//   register-tiled computes them as the other variants do, with a relative error of at
//   most 5.5 u, u = 2^-24, in the quotient of distance and width.
//
//   approximate-root: sqrt.approx has a relative error of at most 2^-23, 2 u instead of
//   1 u. The product with 1 / width is not rounded by itself: a fused multiply-add adds
//   it to 2^23 and rounds down. Floats from 2^23 to 2^24 are the whole numbers, so the
//   sum is 2^23 plus the whole part of the exact product, and its low bits are the
//   bucket. One rounding more and one less: 5.5 u again, so the same check holds.
//
// Example
//   512,000 atoms, 80 buckets, 256 threads, on an H200: 95 ms for register-tiled with 4
//   anchors, 50 ms for approximate-root, 47 ms with 8 anchors. tiled-privatised takes
//   112 ms.
//
// Launch
//   grid    x: max(1, ceil(n / (blockDim.x * ANCHORS))); y: max(1, ceil(n / chunk)). A
//           kernel for each number of ANCHORS per thread: 1, 2, 4 or 8.
//   block   any number of threads; it need not be a multiple of 32.
//   shared  16 * blockDim.x + 4 * buckets * copies bytes.
//   copies  a power of two.
//   pairs   a block has at most 1024 * 8 * chunk, below 2^32.
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

// ---- private buckets ---------------------------------------------------------

// The private buckets of a block: `copies` adjacent 32-bit counters for each bucket. A
// thread always uses the same copy.
struct PrivateBuckets {
    unsigned int *counters;
    unsigned int buckets;
    unsigned int copies;
    unsigned int copy;  // the copy that this thread uses
};

static __device__ __forceinline__ PrivateBuckets
clear_private_buckets(unsigned int *counters, unsigned int buckets, unsigned int copies)
{
    PrivateBuckets own = {counters, buckets, copies, threadIdx.x & (copies - 1)};
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

// Adds the private buckets to the global ones.
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
        }
        if (sum != 0) {
            atomicAdd(&counts[bucket], (unsigned long long)sum);
        }
    }
}

// ---- register-tiled: several anchors per thread, a chunk of the others per block ----

// Counts the pair (a, b) in the bucket of bucket_of.
struct ExactRoot {
    static __device__ __forceinline__ void pair(const PrivateBuckets &own, float ax, float ay,
                                                float az, float4 b, float per_width)
    {
        count(own, bucket_of(ax, ay, az, b.x, b.y, b.z, per_width, own.buckets));
    }
};

// The same by the approximate root. There is no check against the last bucket: the
// buckets reach past the diagonal of the box by a whole one.
struct ApproximateRoot {
    static __device__ __forceinline__ void pair(const PrivateBuckets &own, float ax, float ay,
                                                float az, float4 b, float per_width)
    {
        const float two_23 = 8388608.0f;
        float dx = ax - b.x;
        float dy = ay - b.y;
        float dz = az - b.z;
        float distance;
        asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(distance) : "f"(dx * dx + dy * dy + dz * dz));
        unsigned int bits = __float_as_uint(__fmaf_rd(distance, per_width, two_23));
        // The offset of counters[(bits - two_23) * copies + copy] in bytes. All but the
        // product with `bits` is the same for all pairs; it may wrap around. In C, the
        // compiler would multiply by 4 last, which takes one instruction more.
        unsigned int bytes = 4 * own.copies;
        unsigned int offset;
        asm("mad.lo.u32 %0, %1, %2, %3;"
            : "=r"(offset)
            : "r"(bits), "r"(bytes), "r"(4 * own.copy - __float_as_uint(two_23) * bytes));
        atomicAdd((unsigned int *)((char *)own.counters + offset), 1u);
    }
};

template <int ANCHORS, typename Root>
static __device__ __forceinline__ void
register_tiled(const float *__restrict__ x, const float *__restrict__ y,
               const float *__restrict__ z, unsigned int n, unsigned long long *counts,
               unsigned int buckets, float per_width, unsigned int copies, unsigned int chunk)
{
    // First the tile, one atom per thread; then the counters.
    extern __shared__ float4 tile[];
    unsigned int *counters = reinterpret_cast<unsigned int *>(tile + blockDim.x);

    // The block's anchors are [first, last). Of its chunk, it takes the atoms from the
    // first anchor on.
    unsigned int first = blockIdx.x * blockDim.x * ANCHORS;
    unsigned int last = first + blockDim.x * ANCHORS;
    unsigned int begin = max(first, blockIdx.y * chunk);
    unsigned int end = min(n, blockIdx.y * chunk + chunk);
    if (begin >= end) {
        return;
    }

    PrivateBuckets own = clear_private_buckets(counters, buckets, copies);
    float ax[ANCHORS], ay[ANCHORS], az[ANCHORS];
#pragma unroll
    for (int k = 0; k < ANCHORS; k++) {
        unsigned int i = first + k * blockDim.x + threadIdx.x;
        ax[k] = i < n ? x[i] : 0.0f;
        ay[k] = i < n ? y[i] : 0.0f;
        az[k] = i < n ? z[i] : 0.0f;
    }

    for (unsigned int start = begin; start < end; start += blockDim.x) {
        unsigned int atoms = min(blockDim.x, end - start);
        if (threadIdx.x < atoms) {
            unsigned int j = start + threadIdx.x;
            tile[threadIdx.x] = make_float4(x[j], y[j], z[j], 0.0f);
        }
        __syncthreads();  // the tile is complete before any thread reads it

        // If all atoms come after all anchors, all anchors exist.
        bool all_after = start >= last;
#pragma unroll 4
        for (unsigned int j = 0; all_after && j < atoms; j++) {
            float4 b = tile[j];
#pragma unroll
            for (int k = 0; k < ANCHORS; k++) {
                Root::pair(own, ax[k], ay[k], az[k], b, per_width);
            }
        }
        for (unsigned int j = 0; !all_after && j < atoms; j++) {
            float4 b = tile[j];
#pragma unroll
            for (int k = 0; k < ANCHORS; k++) {
                if (first + k * blockDim.x + threadIdx.x < start + j) {
                    Root::pair(own, ax[k], ay[k], az[k], b, per_width);
                }
            }
        }
        __syncthreads();  // all threads have read the tile before the next is stored
    }
    merge(own, counts);
}

#define REGISTER_TILED(NAME, ANCHORS, Root)                                                 \
    extern "C" __global__ void __launch_bounds__(1024)                                      \
    distance_histogram_##NAME##_##ANCHORS(                                                  \
        const float *__restrict__ x, const float *__restrict__ y,                           \
        const float *__restrict__ z, unsigned int n, unsigned long long *counts,            \
        unsigned int buckets, float per_width, unsigned int copies, unsigned int chunk)     \
    {                                                                                       \
        register_tiled<ANCHORS, Root>(x, y, z, n, counts, buckets, per_width, copies, chunk); \
    }

REGISTER_TILED(register_tiled, 1, ExactRoot)
REGISTER_TILED(register_tiled, 2, ExactRoot)
REGISTER_TILED(register_tiled, 4, ExactRoot)
REGISTER_TILED(register_tiled, 8, ExactRoot)
REGISTER_TILED(approximate_root, 1, ApproximateRoot)
REGISTER_TILED(approximate_root, 2, ApproximateRoot)
REGISTER_TILED(approximate_root, 4, ApproximateRoot)
REGISTER_TILED(approximate_root, 8, ApproximateRoot)
