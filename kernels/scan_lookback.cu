// Scan in a single pass, by decoupled look-back.
// Compiled for compute_70.
//
// Overview
//   The three kernels of scan.cu move every value through DRAM four times: read,
//   written as a sum of its block, read again, and written with what lies before
//   the block added. A single pass moves it twice, the least there is. For that
//   a block has to learn what lies before it while all blocks are running.
//
//   The input is cut into tiles, one per block. A block
//     1. takes the next tile,
//     2. loads it and scans it within its warps,
//     3. publishes the total of its tile,
//     4. looks back over the tiles before its own, nearest first, and adds up
//        their totals, until it meets one that has published its prefix already:
//        the sum of everything up to the end of that tile,
//     5. publishes its own prefix,
//     6. adds what lies before the tile to its sums, and writes them.
//   A block waits for totals only (step 3), which no block has to wait for: the
//   chain through all tiles is decoupled from the work on each of them. D.
//   Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled
//   Look-back, NVIDIA Technical Report NVR-2016-002, 2016.
//
//   Step 1 is an atomic counter. Blocks need not start in the order of their
//   index, and a block that waits for one that cannot start would wait for ever;
//   with a counter, every earlier tile is in the hands of a block that runs.
//
//   A published number and the word that says which of the two it is lie in one
//   64-bit word, stored at once. So nobody can see one without the other, and no
//   fence is needed.
//
// How a warp scans
//   Every warp has a stretch of its own: 32 lanes times `items` elements. It
//   takes it in rounds, in which each lane loads WIDTH neighbours (four of them
//   are 128 bits, the widest load there is), and all lanes together a contiguous
//   piece. A lane sums its neighbours in registers, the lanes exchange their sums
//   by shuffles in five steps, and the sum of the round is carried into the next.
//   The loads of several rounds are issued before the first is used. What is
//   scanned waits in shared memory for the look-back to end.
//
// Trade-off
//   More items per thread are fewer tiles to look back over and more loads at
//   once, for more shared memory: 256 threads with 16 items take 16 KiB, eight
//   such blocks fit on a multiprocessor of an H200 and keep 128 KiB of loads
//   under way, where 25 KiB would hide the latency of its DRAM.
//   Blocks that wait have to make progress side by side with those they wait
//   for, which GPUs promise from compute_70 on.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * items))) blocks, one per tile.
//   block  any number of threads; in a last warp of fewer than 32 the lanes that
//          exist exchange among themselves.
//   shared blockDim.x * items * 4 bytes.
//   n      below 2^31.
//   items  any number; the kernels named `wide` take multiples of 4.
//   states one 64-bit word per tile, and `next_tile` one word; all 0 at first.

// What a tile has published, in the upper half of its word; the number itself is
// in the lower half. 0: nothing yet.
#define TOTAL 1u   // the sum of the tile
#define PREFIX 2u  // the sum of everything up to the end of the tile

// Rounds whose loads are issued together.
#define BATCH 4

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

// WIDTH neighbours, loaded and stored at once.
template <typename T, unsigned int WIDTH>
struct __align__(sizeof(T) * WIDTH) Pack {
    T item[WIDTH];
};

// The neighbours from `at` on.
template <typename T, unsigned int WIDTH>
static __device__ __forceinline__ Pack<T, WIDTH> load(const T *tile, unsigned int at)
{
    return *reinterpret_cast<const Pack<T, WIDTH> *>(tile + at);
}

// The same, where elements from `count` on do not exist and count as 0.
template <typename T, unsigned int WIDTH>
static __device__ __forceinline__ Pack<T, WIDTH> load_some(const T *tile, unsigned int at,
                                                           unsigned int count)
{
    Pack<T, WIDTH> pack;
#pragma unroll
    for (unsigned int w = 0; w < WIDTH; w++) {
        pack.item[w] = at + w < count ? tile[at + w] : T(0);
    }
    return pack;
}

// Writes the neighbours from `at` on, of a tile that is `whole` or has `count`
// elements.
template <typename T, unsigned int WIDTH>
static __device__ __forceinline__ void store(T *tile, unsigned int at, unsigned int count,
                                             bool whole, const Pack<T, WIDTH> &pack)
{
    if (whole) {
        *reinterpret_cast<Pack<T, WIDTH> *>(tile + at) = pack;
        return;
    }
#pragma unroll
    for (unsigned int w = 0; w < WIDTH; w++) {
        if (at + w < count) {
            tile[at + w] = pack.item[w];
        }
    }
}

// The place of this thread in its warp.
struct Lanes {
    unsigned int warp;   // index of the warp in its block
    unsigned int lane;   // index of the thread in its warp
    unsigned int count;  // threads of the warp that exist
    unsigned int mask;   // a bit for each of them
};

static __device__ __forceinline__ Lanes lanes_of_warp()
{
    Lanes lanes;
    lanes.warp = threadIdx.x / 32;
    lanes.lane = threadIdx.x % 32;
    lanes.count = min(32u, blockDim.x - 32 * lanes.warp);
    lanes.mask = 0xffffffffu >> (32 - lanes.count);
    return lanes;
}

// The inclusive scan over the lanes of a warp.
template <typename T>
static __device__ __forceinline__ T scan_lanes(T sum, const Lanes &lanes)
{
    for (unsigned int d = 1; d < 32; d *= 2) {
        T left = __shfl_up_sync(lanes.mask, sum, d);
        if (lanes.lane >= d) {
            sum = left + sum;
        }
    }
    return sum;
}

// The sum over the lanes of a warp, in lane 0.
template <typename T>
static __device__ __forceinline__ T add_lanes(T sum, const Lanes &lanes)
{
    for (unsigned int d = 16; d > 0; d /= 2) {
        T right = __shfl_down_sync(lanes.mask, sum, d);
        if (lanes.lane + d < lanes.count) {
            sum += right;
        }
    }
    return sum;
}

// A single 64-bit store, which goes to the L2 cache that all blocks share.
template <typename T>
static __device__ __forceinline__ void publish(volatile unsigned long long *state,
                                               unsigned int what, T value)
{
    *state = (unsigned long long)what << 32 | to_bits(value);
}

// The sum of everything before `tile`, which is not the first. A whole warp looks
// at as many tiles at once as it has lanes, the nearest one in lane 0.
template <typename T>
static __device__ __forceinline__ T look_back(const volatile unsigned long long *states,
                                              unsigned int tile, const Lanes &lanes)
{
    T sum = 0;
    unsigned int behind = 1;  // how far the nearest tile of the window lies behind
    for (;;) {
        unsigned int distance = behind + lanes.lane;
        unsigned long long state;
        do {
            // Before the first tile lies nothing: a prefix of 0.
            state = (unsigned long long)PREFIX << 32;
            if (distance <= tile) {
                state = states[tile - distance];
            }
        } while (__any_sync(lanes.mask, state >> 32 == 0));

        unsigned int prefixes = __ballot_sync(lanes.mask, state >> 32 == PREFIX);
        unsigned int nearest = prefixes ? __ffs(prefixes) - 1 : 31;
        T part;
        from_bits((unsigned int)state, part);
        if (lanes.lane > nearest) {
            part = 0;  // contained in the nearest prefix
        }
        sum = __shfl_sync(lanes.mask, add_lanes(part, lanes), 0) + sum;
        if (prefixes) {
            return sum;
        }
        behind += lanes.count;
    }
}

template <typename T, unsigned int WIDTH>
static __device__ __forceinline__ void decoupled_lookback(const T *values, T *sums,
                                                          unsigned long long *states,
                                                          unsigned int *next_tile, unsigned int n,
                                                          unsigned int items,
                                                          unsigned int exclusive)
{
    extern __shared__ uint4 shared_words[];  // aligned for 128-bit accesses
    __shared__ unsigned int shared_tile;
    __shared__ T shared_before;
    __shared__ T warp_totals[32];
    typedef Pack<T, WIDTH> Neighbours;
    Lanes lanes = lanes_of_warp();

    // 1. Take the next tile.
    if (threadIdx.x == 0) {
        shared_tile = atomicAdd(next_tile, 1u);
    }
    __syncthreads();
    unsigned int tile = shared_tile;
    unsigned int per_tile = blockDim.x * items;
    unsigned int first = tile * per_tile;
    unsigned int count = first < n ? min(per_tile, n - first) : 0;
    bool whole = count == per_tile;

    // The lane's place in the first round of its warp's stretch, and from one
    // round to the next.
    unsigned int start = lanes.warp * 32 * items + lanes.lane * WIDTH;
    unsigned int stride = lanes.count * WIDTH;
    unsigned int rounds = items / WIDTH;
    T *scanned = reinterpret_cast<T *>(shared_words);

    // 2. Load and scan within the warp.
    T running = 0;  // the sum of the rounds so far
    for (unsigned int round = 0; round < rounds; round += BATCH) {
        Neighbours batch[BATCH];
        if (whole && round + BATCH <= rounds) {
            // Nothing stands between the loads of a full batch.
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                batch[k] = load<T, WIDTH>(values + first, start + (round + k) * stride);
            }
        } else {
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                unsigned int at = start + (round + k) * stride;
                batch[k] = load_some<T, WIDTH>(values + first, at, round + k < rounds ? count : 0);
            }
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            if (round + k < rounds) {
                T sum = 0;
#pragma unroll
                for (unsigned int w = 0; w < WIDTH; w++) {
                    sum += batch[k].item[w];
                }
                T inclusive = scan_lanes(sum, lanes);
                T before = __shfl_up_sync(lanes.mask, inclusive, 1);
                before = lanes.lane > 0 ? running + before : running;
#pragma unroll
                for (unsigned int w = 0; w < WIDTH; w++) {
                    T after = before + batch[k].item[w];
                    batch[k].item[w] = exclusive ? before : after;
                    before = after;
                }
                unsigned int at = start + (round + k) * stride;
                *reinterpret_cast<Neighbours *>(scanned + at) = batch[k];
                running += __shfl_sync(lanes.mask, inclusive, lanes.count - 1);
            }
        }
    }
    if (lanes.lane == 0) {
        warp_totals[lanes.warp] = running;
    }
    __syncthreads();  // the totals of all warps have to be there

    // 3 to 5. The first warp publishes, looks back, and publishes again.
    if (lanes.warp == 0) {
        unsigned int warps = (blockDim.x + 31) / 32;
        T total = 0;
        for (unsigned int warp = 0; warp < warps; warp++) {
            total += warp_totals[warp];
        }
        T before = 0;
        if (tile > 0) {
            if (lanes.lane == 0) {
                publish(&states[tile], TOTAL, total);
            }
            before = look_back<T>(states, tile, lanes);
        }
        if (lanes.lane == 0) {
            publish(&states[tile], PREFIX, before + total);
            shared_before = before;
        }
    }
    __syncthreads();  // what lies before the tile has to be known

    // 6. Add what lies before the warp's stretch, and write. A thread reads from
    // shared memory only what it wrote there.
    T before = shared_before;
    for (unsigned int warp = 0; warp < lanes.warp; warp++) {
        before += warp_totals[warp];
    }
    for (unsigned int round = 0; round < rounds; round++) {
        unsigned int at = start + round * stride;
        Neighbours pack = load<T, WIDTH>(scanned, at);
#pragma unroll
        for (unsigned int w = 0; w < WIDTH; w++) {
            pack.item[w] = before + pack.item[w];
        }
        store(sums + first, at, count, whole, pack);
    }
}

// With at most 64 registers per thread, a block of 1024 threads launches on every
// GPU: hence the bounds.

extern "C" __global__ void __launch_bounds__(1024)
scan_lookback_u32(const unsigned int *values, unsigned int *sums, unsigned long long *states,
                  unsigned int *next_tile, unsigned int n, unsigned int items,
                  unsigned int exclusive)
{
    decoupled_lookback<unsigned int, 1>(values, sums, states, next_tile, n, items, exclusive);
}

extern "C" __global__ void __launch_bounds__(1024)
scan_lookback_f32(const float *values, float *sums, unsigned long long *states,
                  unsigned int *next_tile, unsigned int n, unsigned int items,
                  unsigned int exclusive)
{
    decoupled_lookback<float, 1>(values, sums, states, next_tile, n, items, exclusive);
}

extern "C" __global__ void __launch_bounds__(1024)
scan_lookback_wide_u32(const unsigned int *values, unsigned int *sums, unsigned long long *states,
                       unsigned int *next_tile, unsigned int n, unsigned int items,
                       unsigned int exclusive)
{
    decoupled_lookback<unsigned int, 4>(values, sums, states, next_tile, n, items, exclusive);
}

extern "C" __global__ void __launch_bounds__(1024)
scan_lookback_wide_f32(const float *values, float *sums, unsigned long long *states,
                       unsigned int *next_tile, unsigned int n, unsigned int items,
                       unsigned int exclusive)
{
    decoupled_lookback<float, 4>(values, sums, states, next_tile, n, items, exclusive);
}
