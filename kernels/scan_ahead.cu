// Scan in a single pass with copies that run ahead: the variant lookback-ahead of scan.cu,
// whose task and other variants are described there. It needs asynchronous bulk copies:
// Compiled for compute_90.
//
// Overview
//   A block of decoupled-lookback loads its tile, looks back, and stores its sums, one after
//   the other. While it looks back it moves no data, and its registers or its shared
//   memory are taken.
//
//   lookback-ahead
//     Idea: a block stays and takes many tiles, and its warps have different jobs. Up to
//     nine tiles are in shared memory: some arrive, some wait for their offset, some leave.
//       loader     One thread takes tiles from the atomic counter, ahead of time, and
//                  starts a bulk copy for each free stage of shared memory.
//       scanners   They add up the next tile that arrived, and publish its total. Then
//                  they finish the tile that arrived `ahead` tiles earlier: its offset is
//                  known by now. A bulk copy writes it.
//       look-back  One warp computes the offsets, in the order of the tiles. It knows the
//                  prefix of the block's tile before, and adds the totals of the tiles
//                  between the two, which other blocks published `ahead` tiles ago.
//     The copies never wait for the look-back, and the look-back seldom waits for a total.
//     Barriers in shared memory (mbarrier) connect the jobs: `full` counts the bytes of a
//     copy, `added` the warps that added up their part, `known` the offsets of warps,
//     `empty` the warps whose results have left the stage.
//     Cost: all shared memory of a multiprocessor for one block; compute capability 9.0.
//     Counter: `global_load_requests` falls to one per tile and `global_store_requests` to
//     one per warp and tile, since bulk copies pass the registers by. On an H200, 256
//     scanning threads with 20 values each take 518 us for n = 2^28: 4140 GB/s, the rate
//     of a device-to-device copy.
//
//   Order of blocks
//     A total depends on its own tile only, and a tile belongs to a running block as soon as
//     it is taken from the counter. The block that has the lowest unpublished tile can
//     finish all of its earlier ones, so it reaches that tile.
//
//   Banks
//     A thread has 4 * QUARTERS neighbours. With an odd number of 128-bit words between
//     the words of two lanes, the eight lanes of a wavefront use all banks once.
//
// Launch
//   grid   any number of blocks; more than fit at once find no tile left.
//   block  32 * (scanning warps + 2) threads, at most 1024.
//   shared stages * 4 * (items + 1) bytes for each scanning thread, where the items are 4,
//          12, 20 or 28: the number in the kernel's name.
//   stages 2 to 9; `ahead` is at most stages - 2.
//   n      below 2^31.
//   values and sums aligned to 16 bytes.
//   states one 64-bit word per tile, and `next_tile` one word; all 0 before the launch.

#define MOST_STAGES 9
#define ALL_LANES 0xffffffffu

// What says that a tile's total is published: the upper half of its word.
#define PUBLISHED 1u

// Rounds of the look-back whose loads are issued together.
#define WINDOWS 5

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

// ---- barriers and bulk copies -----------------------------------------------

static __device__ __forceinline__ unsigned int shared_address(const void *pointer)
{
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

static __device__ __forceinline__ void barrier_init(unsigned long long *barrier, unsigned int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
                 : "memory");
}

static __device__ __forceinline__ void barrier_arrive(unsigned long long *barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Arrives, and lets the barrier wait for this many bytes too.
static __device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

// Waits until the barrier's phase of this parity is complete.
static __device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned int parity)
{
    unsigned int complete;
    do {
        asm volatile("{ .reg .pred complete;\n"
                     "mbarrier.try_wait.parity.shared.b64 complete, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, complete; }"
                     : "=r"(complete)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (complete == 0);
}

static __device__ __forceinline__ void copy_in(void *to, const void *from, unsigned int bytes,
                                               unsigned long long *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

static __device__ __forceinline__ void copy_out(void *to, const void *from, unsigned int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

// ---- shared work --------------------------------------------------------------

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

// The same without the lane's own value.
template <typename T>
static __device__ __forceinline__ T without_own(T inclusive, unsigned int lane)
{
    T before = __shfl_up_sync(ALL_LANES, inclusive, 1);
    return lane > 0 ? before : T(0);
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

static __device__ __forceinline__ void write_state(unsigned long long *state, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(state), "l"(word) : "memory");
}

static __device__ __forceinline__ unsigned long long read_state(const unsigned long long *state)
{
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(state) : "memory");
    return word;
}

// A stage of shared memory and the parity of its barriers, which changes with each round
// through all stages.
struct Stage {
    unsigned int index;
    unsigned int parity;

    __device__ __forceinline__ void advance(unsigned int stages)
    {
        index++;
        if (index == stages) {
            index = 0;
            parity ^= 1;
        }
    }
};

// What the warps of a block share, beside the tiles.
template <typename T>
struct Shared {
    unsigned long long full[MOST_STAGES];   // the tile has arrived
    unsigned long long added[MOST_STAGES];  // all totals of warps are stored
    unsigned long long known[MOST_STAGES];  // the offsets of all warps are stored
    unsigned long long empty[MOST_STAGES];  // the results have left
    unsigned int tile[MOST_STAGES];
    T warp_total[MOST_STAGES][32];
    T before_warp[MOST_STAGES][32];
};

template <typename T>
struct Job {
    const T *values;
    T *sums;
    unsigned long long *states;
    unsigned int n;
    unsigned int per_tile;
    unsigned int tiles;
    unsigned int stages;
    unsigned int scanners;  // scanning warps

    // Whether the tile is as long as the others.
    __device__ __forceinline__ bool whole(unsigned int tile) const
    {
        return tile * per_tile + per_tile <= n;
    }
};

// One thread: takes tiles, and copies each into the next free stage. A last tile that is
// shorter is left to the scanners: a bulk copy has a multiple of 16 bytes.
template <typename T>
static __device__ __forceinline__ void load_tiles(const Job<T> &job, T *buffer, Shared<T> &shared,
                                                  unsigned int *next_tile)
{
    // The stages are empty at first: the phase before the first one counts as complete.
    Stage stage = {0, 1};
    for (;;) {
        unsigned int tile = atomicAdd(next_tile, 1u);
        barrier_wait(&shared.empty[stage.index], stage.parity);
        shared.tile[stage.index] = tile;
        if (tile < job.tiles && job.whole(tile)) {
            unsigned int bytes = job.per_tile * 4;
            barrier_expect(&shared.full[stage.index], bytes);
            copy_in(buffer + stage.index * job.per_tile, job.values + tile * job.per_tile, bytes,
                    &shared.full[stage.index]);
        } else {
            barrier_arrive(&shared.full[stage.index]);
        }
        if (tile >= job.tiles) {
            return;
        }
        stage.advance(job.stages);
    }
}

// One warp: finds what lies before each tile, and before each of its warps.
template <typename T>
static __device__ __forceinline__ void look_back(const Job<T> &job, Shared<T> &shared,
                                                 unsigned int lane)
{
    Stage stage = {0, 0};
    T prefix = 0;           // the sum of everything up to the end of the block's last tile
    unsigned int next = 0;  // the tile after that one
    for (;;) {
        barrier_wait(&shared.full[stage.index], stage.parity);
        unsigned int tile = shared.tile[stage.index];
        if (tile >= job.tiles) {
            return;
        }
        // The totals of the tiles that other blocks have taken since.
        T between = 0;
        for (unsigned int first = next; first < tile; first += 32 * WINDOWS) {
            unsigned long long state[WINDOWS];
            bool missing;
            do {
                missing = false;
#pragma unroll
                for (unsigned int k = 0; k < WINDOWS; k++) {
                    unsigned int at = first + 32 * k + lane;
                    state[k] = at < tile ? read_state(&job.states[at])
                                         : (unsigned long long)PUBLISHED << 32;
                    missing |= state[k] >> 32 == 0;
                }
            } while (__any_sync(ALL_LANES, missing));
#pragma unroll
            for (unsigned int k = 0; k < WINDOWS; k++) {
                T total;
                from_bits((unsigned int)state[k], total);
                between += total;
            }
        }
        T before = prefix + warp_sum(between);

        barrier_wait(&shared.added[stage.index], stage.parity);
        T total = lane < job.scanners ? shared.warp_total[stage.index][lane] : T(0);
        T inclusive = warp_scan(total, lane);
        T before_warp = before + without_own(inclusive, lane);
        if (lane < job.scanners) {
            shared.before_warp[stage.index][lane] = before_warp;
            barrier_arrive(&shared.known[stage.index]);
        }
        prefix = before + __shfl_sync(ALL_LANES, inclusive, 31);
        next = tile + 1;
        stage.advance(job.stages);
    }
}

// The scanning warps. A thread works on the same 4 * QUARTERS neighbours of a stage when the
// tile arrives, and again when its offset is known.
template <typename T, unsigned int QUARTERS>
static __device__ __forceinline__ void scan_tiles(const Job<T> &job, T *buffer, T *before_lane,
                                                  Shared<T> &shared, unsigned int lane,
                                                  unsigned int warp, unsigned int ahead,
                                                  unsigned int exclusive)
{
    unsigned int start = (warp * 32 + lane) * 4 * QUARTERS;  // of the thread's values in a tile
    unsigned int threads = job.scanners * 32;
    Stage arrived = {0, 0};
    Stage finished = {0, 0};
    unsigned int tiles = 0xffffffffu;  // of this block, unknown as yet
    for (unsigned int step = 0; tiles == 0xffffffffu || step < tiles + ahead; step++) {
        if (step < tiles) {
            barrier_wait(&shared.full[arrived.index], arrived.parity);
            unsigned int tile = shared.tile[arrived.index];
            if (tile >= job.tiles) {
                tiles = step;
                if (step >= tiles + ahead) {
                    break;
                }
            } else {
                T *own = buffer + arrived.index * job.per_tile + start;
                if (!job.whole(tile)) {
                    unsigned int first = tile * job.per_tile + start;
                    for (unsigned int w = 0; w < 4 * QUARTERS; w++) {
                        own[w] = first + w < job.n ? job.values[first + w] : T(0);
                    }
                }
                T sum = 0;
#pragma unroll
                for (unsigned int q = 0; q < QUARTERS; q++) {
                    Four<T> four = reinterpret_cast<const Four<T> *>(own)[q];
                    sum += four.item[0] + four.item[1] + four.item[2] + four.item[3];
                }
                T inclusive = warp_scan(sum, lane);
                before_lane[arrived.index * threads + threadIdx.x] = without_own(inclusive, lane);
                if (lane == 31) {
                    shared.warp_total[arrived.index][warp] = inclusive;
                    barrier_arrive(&shared.added[arrived.index]);
                }
                if (warp == 0) {
                    barrier_wait(&shared.added[arrived.index], arrived.parity);
                    T total = warp_sum(lane < job.scanners ? shared.warp_total[arrived.index][lane]
                                                           : T(0));
                    if (lane == 0) {
                        write_state(&job.states[tile],
                                    (unsigned long long)PUBLISHED << 32 | to_bits(total));
                    }
                }
                arrived.advance(job.stages);
            }
        }
        if (step >= ahead) {
            barrier_wait(&shared.known[finished.index], finished.parity);
            unsigned int tile = shared.tile[finished.index];
            T *own = buffer + finished.index * job.per_tile + start;
            T before = shared.before_warp[finished.index][warp] +
                       before_lane[finished.index * threads + threadIdx.x];
#pragma unroll
            for (unsigned int q = 0; q < QUARTERS; q++) {
                Four<T> four = reinterpret_cast<Four<T> *>(own)[q];
#pragma unroll
                for (unsigned int w = 0; w < 4; w++) {
                    T after = before + four.item[w];
                    four.item[w] = exclusive ? before : after;
                    before = after;
                }
                reinterpret_cast<Four<T> *>(own)[q] = four;
            }
            // The copy engine sees what the warp wrote.
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (lane == 0 && step > ahead) {
                // The stage before is free as soon as its copy has read it.
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
                barrier_arrive(&shared.empty[(finished.index > 0 ? finished.index : job.stages) - 1]);
            }
            unsigned int first = tile * job.per_tile;
            if (job.whole(tile)) {
                if (lane == 0) {
                    copy_out(job.sums + first + start, own, 32 * 4 * QUARTERS * sizeof(T));
                }
            } else {
                for (unsigned int w = 0; w < 4 * QUARTERS; w++) {
                    if (first + start + w < job.n) {
                        job.sums[first + start + w] = own[w];
                    }
                }
            }
            finished.advance(job.stages);
        }
    }
    // Shared memory must stay until the last copies have read it.
    if (lane == 0) {
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

template <typename T, unsigned int QUARTERS>
static __device__ __forceinline__ void scan_ahead(const T *values, T *sums,
                                                  unsigned long long *states,
                                                  unsigned int *next_tile, unsigned int n,
                                                  unsigned int stages, unsigned int ahead,
                                                  unsigned int exclusive)
{
    extern __shared__ __align__(128) unsigned int shared_words[];
    __shared__ Shared<T> shared;
    unsigned int lane = threadIdx.x % 32;
    unsigned int warp = threadIdx.x / 32;

    Job<T> job;
    job.values = values;
    job.sums = sums;
    job.states = states;
    job.n = n;
    job.stages = stages;
    job.scanners = blockDim.x / 32 - 2;
    job.per_tile = job.scanners * 32 * 4 * QUARTERS;
    job.tiles = (n + job.per_tile - 1) / job.per_tile;
    T *buffer = reinterpret_cast<T *>(shared_words);
    T *before_lane = buffer + stages * job.per_tile;

    if (threadIdx.x == 0) {
        for (unsigned int stage = 0; stage < stages; stage++) {
            barrier_init(&shared.full[stage], 1);
            barrier_init(&shared.added[stage], job.scanners);
            barrier_init(&shared.known[stage], job.scanners);
            barrier_init(&shared.empty[stage], job.scanners);
        }
        // The copy engine sees the barriers.
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();  // the barriers are ready

    if (warp < job.scanners) {
        scan_tiles<T, QUARTERS>(job, buffer, before_lane, shared, lane, warp, ahead, exclusive);
    } else if (warp == job.scanners) {
        if (lane == 0) {
            load_tiles(job, buffer, shared, next_tile);
        }
    } else {
        look_back(job, shared, lane);
    }
}

#define KERNEL(TYPE, SUFFIX, ITEMS)                                                            \
    extern "C" __global__ void __launch_bounds__(1024) scan_ahead_##ITEMS##_##SUFFIX(          \
        const TYPE *values, TYPE *sums, unsigned long long *states, unsigned int *next_tile,   \
        unsigned int n, unsigned int stages, unsigned int ahead, unsigned int exclusive)       \
    {                                                                                          \
        scan_ahead<TYPE, ITEMS / 4>(values, sums, states, next_tile, n, stages, ahead,         \
                                    exclusive);                                                \
    }

KERNEL(unsigned int, u32, 4)
KERNEL(unsigned int, u32, 12)
KERNEL(unsigned int, u32, 20)
KERNEL(unsigned int, u32, 28)
KERNEL(float, f32, 4)
KERNEL(float, f32, 12)
KERNEL(float, f32, 20)
KERNEL(float, f32, 28)
