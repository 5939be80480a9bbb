// Scan in a single pass, by decoupled look-back: the variant decoupled-lookback of
// scan.cu, whose task and other variants are described there. It is a file of its
// own because of its target:
// Compiled for compute_70.
// Its blocks wait for each other, and the lanes that wait need independent progress,
// which PTX for older targets does not have. The other variants run from compute_50.
//
// Overview
//   The kernels of scan.cu move each value through DRAM four times: read, written as
//   a sum within its block, read again, written with the block's offset added. A
//   single pass moves it twice, which is the minimum. For that, each block has to get
//   its offset while all blocks are running.
//
//   decoupled-lookback
//     Idea: the input is cut into tiles, one per block. A block
//       1. takes the next tile from an atomic counter,
//       2. loads the tile and scans it within its warps,
//       3. publishes the total of the tile,
//       4. looks back over the tiles before it, nearest first, and adds their
//          totals, until it finds a tile with a published prefix: the sum of
//          everything up to the end of that tile,
//       5. publishes its own prefix,
//       6. adds its offset to its sums and writes them.
//     A block waits only for totals (step 3), and no total depends on another block.
//     So the chain through all tiles is decoupled from the work on each tile. D.
//     Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled
//     Look-back, NVIDIA Technical Report NVR-2016-002, 2016.
//     Cost: each block reads the states of earlier tiles, and the chain of prefixes
//     has a latency. More items per thread mean fewer tiles and more loads in flight,
//     but need more shared memory: 256 threads with 16 items use 16 KiB.
//     Counter: `global_store_sectors` is about half of that of scan.cu. The reads of
//     step 4 count as loads, so `global_load_sectors` can change from run to run.
//     `look_back` in the model's times is the latency of the chain.
//
//   Order of blocks
//     Blocks need not start in the order of their index. A block that waits for a
//     block that cannot start would wait forever. With the counter of step 1, each
//     earlier tile belongs to a block that is running.
//
//   Published words
//     A number and its kind (total or prefix) are one 64-bit word, written by one
//     store. No block can see one without the other, so no fence is needed.
//
//   Scan within a warp
//     Each warp has a segment of 32 * items elements and scans it in rounds. In each
//     round a lane loads WIDTH neighbours (four are 128 bits, the widest load), and
//     the warp a contiguous piece. A lane adds its neighbours in registers, the lanes
//     scan their sums by shuffles in five steps, and the total is carried to the next
//     round. The loads of several rounds are issued before the first is used. The
//     scanned elements stay in shared memory until the look-back ends.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * items))) blocks, one per tile.
//   block  any number of threads. In a last warp of fewer than 32 threads, only the
//          existing lanes take part in shuffles.
//   shared blockDim.x * items * 4 bytes.
//   n      below 2^31.
//   items  any number; the kernels named `wide` need a multiple of 4.
//   states one 64-bit word per tile, and `next_tile` one word; all 0 before the
//          launch.

// What a tile has published: the kind in the upper half of its word, the number in
// the lower half. 0: nothing yet.
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

// WIDTH neighbouring elements, loaded and stored at once.
template <typename T, unsigned int WIDTH>
struct __align__(sizeof(T) * WIDTH) Pack {
    T item[WIDTH];
};

// Loads the elements from `at` on.
template <typename T, unsigned int WIDTH>
static __device__ __forceinline__ Pack<T, WIDTH> load(const T *tile, unsigned int at)
{
    return *reinterpret_cast<const Pack<T, WIDTH> *>(tile + at);
}

// The same for a tile of `count` elements; elements beyond it are 0.
template <typename T, unsigned int WIDTH>
static __device__ __forceinline__ Pack<T, WIDTH> load_bounded(const T *tile, unsigned int at,
                                                              unsigned int count)
{
    Pack<T, WIDTH> pack;
#pragma unroll
    for (unsigned int w = 0; w < WIDTH; w++) {
        pack.item[w] = at + w < count ? tile[at + w] : T(0);
    }
    return pack;
}

// Stores elements from `at` on, into a tile that is `whole` or has `count` elements.
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

// This thread in its warp.
struct Lanes {
    unsigned int warp;   // index of the warp in its block
    unsigned int lane;   // index of the thread in its warp
    unsigned int count;  // existing threads of the warp
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
static __device__ __forceinline__ T warp_scan(T sum, const Lanes &lanes)
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
static __device__ __forceinline__ T warp_reduce(T sum, const Lanes &lanes)
{
    for (unsigned int d = 16; d > 0; d /= 2) {
        T right = __shfl_down_sync(lanes.mask, sum, d);
        if (lanes.lane + d < lanes.count) {
            sum += right;
        }
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

// The sum of everything before `tile`, which is not the first. A warp reads one
// earlier tile per lane at the same time, the nearest in lane 0.
template <typename T>
static __device__ __forceinline__ T look_back(const volatile unsigned long long *states,
                                              unsigned int tile, const Lanes &lanes)
{
    T sum = 0;
    unsigned int behind = 1;  // distance to the nearest tile of the window
    for (;;) {
        unsigned int distance = behind + lanes.lane;
        unsigned long long state;
        do {
            // Before the first tile: a prefix of 0.
            state = (unsigned long long)PREFIX << 32;
            if (distance <= tile) {
                state = states[tile - distance];
            }
        } while (__any_sync(lanes.mask, state >> 32 == 0));

        unsigned int prefixes = __ballot_sync(lanes.mask, state >> 32 == PREFIX);
        unsigned int nearest = prefixes ? __ffs(prefixes) - 1 : 31;
        T value;
        from_bits((unsigned int)state, value);
        if (lanes.lane > nearest) {
            value = 0;  // the nearest prefix contains it
        }
        sum = __shfl_sync(lanes.mask, warp_reduce(value, lanes), 0) + sum;
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

    // The lane's first element in the first round of its warp's segment, and the
    // distance between rounds.
    unsigned int start = lanes.warp * 32 * items + lanes.lane * WIDTH;
    unsigned int stride = lanes.count * WIDTH;
    unsigned int rounds = items / WIDTH;
    T *scanned = reinterpret_cast<T *>(shared_words);

    // 2. Load and scan within the warp.
    T running = 0;  // the sum of the rounds so far
    for (unsigned int round = 0; round < rounds; round += BATCH) {
        Neighbours batch[BATCH];
        if (whole && round + BATCH <= rounds) {
            // All loads of a full batch are issued before the first is used.
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                batch[k] = load<T, WIDTH>(values + first, start + (round + k) * stride);
            }
        } else {
#pragma unroll
            for (unsigned int k = 0; k < BATCH; k++) {
                unsigned int at = start + (round + k) * stride;
                batch[k] = load_bounded<T, WIDTH>(values + first, at, round + k < rounds ? count : 0);
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
                T inclusive = warp_scan(sum, lanes);
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
    __syncthreads();  // the totals of all warps are stored

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
    __syncthreads();  // the offset of the tile is known

    // 6. Add the offset of the warp's segment, and write. A thread reads from shared
    // memory only what it wrote, so no barrier is needed.
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

// The launch bounds limit the registers to 64 per thread, so that a block of 1024
// threads can launch on every GPU.

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
