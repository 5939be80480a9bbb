// Scan in a single pass with the tile in registers: the variant lookback-registers of
// scan.cu, whose task and other variants are described there. Look-back is described in
// scan_lookback.cu. The file has the same target, for the same reason:
// Compiled for compute_70.
//
// Overview
//   decoupled-lookback keeps the scanned tile in shared memory while it looks back: each
//   value is stored there and loaded again. A large tile leaves room for few blocks.
//
//   lookback-registers
//     Idea: a thread keeps its values in registers, 4 to 32 of them, and only the totals
//     of warps go through shared memory. The number of values is fixed when the kernel is
//     compiled, so that each has its own register, and all loads are issued before the
//     first value is used. A tile of 1024 threads with 32 values each has 128 KiB, so the
//     chain of look-backs has few links.
//     Cost: up to 32 registers for the values.
//     Counter: `shared_load_requests` and `shared_store_requests` fall to a few per warp
//     and tile. On an H200, 256 threads with 32 values each take 715 us for n = 2^28:
//     3000 GB/s.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * items))) blocks, one per tile.
//   block  a multiple of 32 threads.
//   shared none beside the static one.
//   n      below 2^31.
//   items  4, 8, 16 or 32: the number in the kernel's name.
//   values and sums aligned to 16 bytes.
//   states one 64-bit word per tile, and `next_tile` one word; all 0 before the launch.

// What a tile has published: the kind in the upper half of its word, the number in
// the lower half. 0: nothing yet.
#define TOTAL 1u   // the sum of the tile
#define PREFIX 2u  // the sum of everything up to the end of the tile

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ unsigned int to_bits(unsigned int value)
{
    return value;
}

static __device__ __forceinline__ unsigned int to_bits(float value)
{
    return __float_as_uint(value);
}

static __device__ __forceinline__ void from_bits(unsigned int bits, unsigned int &value)
{
    value = bits;
}

static __device__ __forceinline__ void from_bits(unsigned int bits, float &value)
{
    value = __uint_as_float(bits);
}

// Four neighbours, loaded and stored at once.
template <typename T>
struct __align__(16) Four {
    T item[4];
};

// The inclusive scan over the lanes of a warp.
template <typename T>
static __device__ __forceinline__ T warp_scan(T sum, unsigned int lane)
{
#pragma unroll
    for (unsigned int d = 1; d < 32; d *= 2) {
        T left = __shfl_up_sync(ALL_LANES, sum, d);
        if (lane >= d) {
            sum = left + sum;
        }
    }
    return sum;
}

// The sum over the lanes of a warp, in all of them.
template <typename T>
static __device__ __forceinline__ T warp_sum(T sum)
{
#pragma unroll
    for (unsigned int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, d);
    }
    return sum;
}

// A single 64-bit store to the L2 cache, which all blocks share.
template <typename T>
static __device__ __forceinline__ void publish(volatile unsigned long long *state,
                                               unsigned int kind, T value)
{
    *state = (unsigned long long)kind << 32 | to_bits(value);
}

// The sum of everything before `tile`, which is not the first. A warp reads 32 earlier
// tiles at the same time, the nearest in lane 0.
template <typename T>
static __device__ __forceinline__ T look_back(const volatile unsigned long long *states,
                                              unsigned int tile, unsigned int lane)
{
    T sum = 0;
    for (unsigned int distance = 1 + lane;; distance += 32) {
        unsigned long long state;
        do {
            // Before the first tile: a prefix of 0.
            state = (unsigned long long)PREFIX << 32;
            if (distance <= tile) {
                state = states[tile - distance];
            }
        } while (__any_sync(ALL_LANES, state >> 32 == 0));

        unsigned int prefixes = __ballot_sync(ALL_LANES, state >> 32 == PREFIX);
        T value;
        from_bits((unsigned int)state, value);
        if (prefixes && lane > __ffs(prefixes) - 1) {
            value = 0;  // the nearest prefix contains it
        }
        sum = warp_sum(value) + sum;
        if (prefixes) {
            return sum;
        }
    }
}

// ROUNDS times four values per thread.
template <typename T, unsigned int ROUNDS>
static __device__ __forceinline__ void scan_registers(const T *values, T *sums,
                                                      unsigned long long *states,
                                                      unsigned int *next_tile, unsigned int n,
                                                      unsigned int exclusive)
{
    __shared__ unsigned int shared_tile;
    __shared__ T shared_before;
    __shared__ T warp_totals[32];
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int warps = blockDim.x / 32;

    // 1. Take the next tile.
    if (threadIdx.x == 0) {
        shared_tile = atomicAdd(next_tile, 1u);
    }
    __syncthreads();
    unsigned int tile = shared_tile;
    unsigned int per_tile = blockDim.x * 4 * ROUNDS;
    unsigned int first = tile * per_tile;
    unsigned int count = first < n ? min(per_tile, n - first) : 0;
    bool whole = count == per_tile;

    // 2. Load. In each round a warp loads a contiguous piece.
    unsigned int start = warp * 128 * ROUNDS + lane * 4;
    Four<T> own[ROUNDS];
#pragma unroll
    for (unsigned int round = 0; round < ROUNDS; round++) {
        unsigned int at = start + round * 128;
        if (whole) {
            own[round] = *reinterpret_cast<const Four<T> *>(values + first + at);
        } else {
#pragma unroll
            for (unsigned int w = 0; w < 4; w++) {
                own[round].item[w] = at + w < count ? values[first + at + w] : T(0);
            }
        }
    }

    // 3. Scan within the warp: what lies before the lane's values of each round.
    T before_round[ROUNDS];
    T running = 0;
#pragma unroll
    for (unsigned int round = 0; round < ROUNDS; round++) {
        const Four<T> &four = own[round];
        T inclusive = warp_scan(four.item[0] + four.item[1] + four.item[2] + four.item[3], lane);
        T before = __shfl_up_sync(ALL_LANES, inclusive, 1);
        before_round[round] = lane > 0 ? running + before : running;
        running += __shfl_sync(ALL_LANES, inclusive, 31);
    }
    if (lane == 0) {
        warp_totals[warp] = running;
    }
    __syncthreads();  // the totals of all warps are stored

    // 4. Each warp scans the totals of all warps; the first one publishes, looks back, and
    // publishes again.
    T totals = warp_scan(lane < warps ? warp_totals[lane] : T(0), lane);
    T before_warp = __shfl_sync(ALL_LANES, totals, warp > 0 ? warp - 1 : 0);
    if (warp == 0) {
        T total = __shfl_sync(ALL_LANES, totals, 31);
        T before = 0;
        before_warp = 0;
        if (tile > 0) {
            if (lane == 0) {
                publish(&states[tile], TOTAL, total);
            }
            before = look_back<T>(states, tile, lane);
        }
        if (lane == 0) {
            publish(&states[tile], PREFIX, before + total);
            shared_before = before;
        }
    }
    __syncthreads();  // the offset of the tile is known

    // 5. Add the offset, and write.
    T offset = shared_before + before_warp;
#pragma unroll
    for (unsigned int round = 0; round < ROUNDS; round++) {
        unsigned int at = start + round * 128;
        T before = offset + before_round[round];
        Four<T> four;
#pragma unroll
        for (unsigned int w = 0; w < 4; w++) {
            T after = before + own[round].item[w];
            four.item[w] = exclusive ? before : after;
            before = after;
        }
        if (whole) {
            *reinterpret_cast<Four<T> *>(sums + first + at) = four;
        } else {
#pragma unroll
            for (unsigned int w = 0; w < 4; w++) {
                if (at + w < count) {
                    sums[first + at + w] = four.item[w];
                }
            }
        }
    }
}

// The launch bounds limit the registers to 64 per thread, so that a block of 1024
// threads can launch on every GPU.
#define KERNEL(TYPE, SUFFIX, ITEMS)                                                            \
    extern "C" __global__ void __launch_bounds__(1024) scan_registers_##ITEMS##_##SUFFIX(      \
        const TYPE *values, TYPE *sums, unsigned long long *states, unsigned int *next_tile,   \
        unsigned int n, unsigned int exclusive)                                                \
    {                                                                                          \
        scan_registers<TYPE, ITEMS / 4>(values, sums, states, next_tile, n, exclusive);        \
    }

KERNEL(unsigned int, u32, 4)
KERNEL(unsigned int, u32, 8)
KERNEL(unsigned int, u32, 16)
KERNEL(unsigned int, u32, 32)
KERNEL(float, f32, 4)
KERNEL(float, f32, 8)
KERNEL(float, f32, 16)
KERNEL(float, f32, 32)
