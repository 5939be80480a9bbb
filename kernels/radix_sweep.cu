// Radix partition in a single pass over the keys after the histogram.
// Compiled for compute_70.
//
// Overview
//   The rungs above the pipelines of radix_partition.cu. Their stages count less: one
//   count per digit, not one per digit and block. So the histogram is free to read the
//   keys as fast as it can, and the scan adds up a single row.
//
//     histogram=wide      Idea: each load takes four keys, and four loads are under way
//                         at once. Counters stay in shared memory.
//                         Cost: none, but a tile of its own: 128 keys per thread, so
//                         that few blocks merge their counters.
//                         Counter: `global_load_requests` falls to a quarter.
//
//     scan=warps          Idea: prefix sums by shuffles within each warp, then over the
//                         warps: two barriers instead of two per step.
//                         Cost: none.
//                         Counter: `barriers`.
//
//     reorder=one-sweep   Idea: `staged`, but a tile learns from the tiles before it, in
//                         the same launch, how many keys of each digit they have: it
//                         publishes its own counts, looks back until it meets a complete
//                         sum, and publishes its sum. The table of digits * blocks is
//                         neither scanned nor read by another launch.
//                         Cost: a word per digit and tile, which blocks poll. A thread
//                         holds all its keys in registers.
//                         Counter: `global_load_sectors` falls. Waits depend on when
//                         blocks run, so counts vary from run to run.
//
//     reorder=reserve     Idea: give up the order. An atomic addition in shared memory
//                         gives each key its rank in the tile, and one global atomic per
//                         digit and tile reserves the places.
//                         Cost: not stable. A later pass of a radix sort would undo the
//                         work of the passes before it; for a join it does not matter.
//                         Counter: `warp_instructions` falls, `shared_atomic_requests`
//                         and `global_atomic_requests` rise.
//
// Look-back (D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with Decoupled
// Look-back, NVIDIA 2016; A. Adinets and D. Merrill, Onesweep, arXiv 2206.01784)
//   A state has 2 bits for its kind and 30 for a count: no more than 2^30 - 1 keys. Tiles
//   are numbered by an atomic counter in the order in which blocks start. A block
//   therefore waits only for blocks that run already, so the waiting ends. It needs
//   independent progress of blocks and lanes: compute_70.
//
// Launch (reorder)
//   Each block takes a tile of blockDim.x * HELD keys. A kernel for each HELD: the keys of
//   a thread are in registers, and all loops over them are unrolled.
//   grid    max(1, ceil(n / tile)) blocks; wide: ceil(n / (128 * blockDim.x)).
//   block   any number of threads, for any number of digits.
//   shared  wide: digits * 4 bytes. one-sweep: 4 bytes for each key of a tile and each
//           digit, and digits * 2 bytes for each warp. reserve: 4 bytes for each key of a
//           tile and 8 for each digit.
//   All counts, cursors, states and the tile counter are 0 before the launch. Keys are
//   aligned to 16 bytes.

// The digit of a key: `bits` bits from bit `low` upwards.
static __device__ __forceinline__ unsigned int digit_of(unsigned int key, unsigned int low,
                                                        unsigned int bits)
{
    return (key >> low) & ((1u << bits) - 1);
}

// This thread in its warp. The last warp of a block can have fewer than 32 lanes.
struct Lanes {
    unsigned int warp;   // index of the warp in its block
    unsigned int warps;  // warps of the block
    unsigned int lane;   // index of the thread in its warp
    unsigned int width;  // threads of the warp
    unsigned int mask;   // a bit for each of them
};

static __device__ __forceinline__ Lanes lanes_of_warp()
{
    Lanes lanes;
    lanes.warp = threadIdx.x / 32;
    lanes.warps = (blockDim.x + 31) / 32;
    lanes.lane = threadIdx.x % 32;
    lanes.width = min(32u, blockDim.x - 32 * lanes.warp);
    lanes.mask = 0xffffffffu >> (32 - lanes.width);
    return lanes;
}

// The exclusive prefix sum over the threads of a block; `all` becomes the sum of all
// values. `sums` has an entry per warp.
static __device__ __forceinline__ unsigned int block_exclusive_sum(unsigned int value,
                                                                   const Lanes &lanes,
                                                                   unsigned int *sums,
                                                                   unsigned int *all)
{
    // Hillis-Steele by shuffles, then the sums of the warps before.
    unsigned int sum = value;
    for (unsigned int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(lanes.mask, sum, distance);
        sum += lanes.lane >= distance ? left : 0;
    }
    if (lanes.lane == lanes.width - 1) {
        sums[lanes.warp] = sum;
    }
    __syncthreads();
    unsigned int before = 0;
    unsigned int total = 0;
    for (unsigned int w = 0; w < lanes.warps; w++) {
        before += w < lanes.warp ? sums[w] : 0;
        total += sums[w];
    }
    __syncthreads();  // all sums are read before they are overwritten
    *all = total;
    return before + sum - value;
}

// The ranks of the keys that a thread holds, each below 2^16: two in a register.
template <unsigned int HELD>
struct Ranks {
    unsigned int pairs[HELD / 2];

    __device__ __forceinline__ void set(unsigned int round, unsigned int rank)
    {
        if (round % 2 == 0) {
            pairs[round / 2] = rank;
        } else {
            pairs[round / 2] |= rank << 16;
        }
    }

    __device__ __forceinline__ unsigned int get(unsigned int round) const
    {
        return round % 2 == 0 ? pairs[round / 2] & 0xffff : pairs[round / 2] >> 16;
    }
};

// ---- histogram: four keys per load, four loads under way ----------------------

// Loads under way per thread.
#define BATCH 4

// `tile` is a multiple of 4.
extern "C" __global__ void radix_histogram_wide(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int tile,
                                                unsigned int low, unsigned int bits,
                                                unsigned int *counts)
{
    extern __shared__ unsigned int block_counts[];
    unsigned int digits = 1u << bits;
    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        block_counts[digit] = 0;
    }
    __syncthreads();  // all counters are cleared before any thread counts

    unsigned int first = blockIdx.x * tile;
    unsigned int count = n - first < tile ? n - first : tile;
    unsigned int vectors = count / 4;
    const uint4 *wide = reinterpret_cast<const uint4 *>(keys + first);
    unsigned int batches = vectors / (BATCH * blockDim.x);
    for (unsigned int b = 0; b < batches; b++) {
        const uint4 *first_of_batch = &wide[b * BATCH * blockDim.x + threadIdx.x];
        uint4 batch[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            batch[k] = __ldcs(&first_of_batch[k * blockDim.x]);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            atomicAdd(&block_counts[digit_of(batch[k].x, low, bits)], 1u);
            atomicAdd(&block_counts[digit_of(batch[k].y, low, bits)], 1u);
            atomicAdd(&block_counts[digit_of(batch[k].z, low, bits)], 1u);
            atomicAdd(&block_counts[digit_of(batch[k].w, low, bits)], 1u);
        }
    }
    // What is left of the last tile: less than a batch.
    unsigned int done = batches * BATCH * blockDim.x * 4;
    for (unsigned int i = done + threadIdx.x; i < count; i += blockDim.x) {
        atomicAdd(&block_counts[digit_of(keys[first + i], low, bits)], 1u);
    }
    __syncthreads();  // all keys are counted

    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        unsigned int found = block_counts[digit];
        if (found != 0) {
            atomicAdd(&counts[digit], found);
        }
    }
}

// ---- scan: one block, prefix sums by shuffles ---------------------------------

extern "C" __global__ void __launch_bounds__(1024)
radix_scan_warps(const unsigned int *counts, unsigned int digits, unsigned int *offsets)
{
    __shared__ unsigned int sums[32];
    Lanes lanes = lanes_of_warp();
    unsigned int carry = 0;
    for (unsigned int start = 0; start < digits; start += blockDim.x) {
        unsigned int digit = start + threadIdx.x;
        unsigned int all;
        unsigned int before =
            block_exclusive_sum(digit < digits ? counts[digit] : 0, lanes, sums, &all);
        if (digit < digits) {
            offsets[digit] = carry + before;
        }
        carry += all;
    }
}

// ---- reorder=one-sweep: stable, places by look-back ---------------------------

// The kind of a state is in its two upper bits; 0 means not published yet.
#define COUNT 0x40000000u  // the keys of the digit in the tile
#define SUM 0x80000000u    // in the tile and all tiles before it
#define VALUE 0x3fffffffu

template <unsigned int HELD>
static __device__ __forceinline__ void
one_sweep(const unsigned int *__restrict__ keys, unsigned int n, unsigned int low,
          unsigned int bits, const unsigned int *__restrict__ offsets,
          volatile unsigned int *states, unsigned int *next_tile,
          unsigned int *__restrict__ moved)
{
    unsigned int digits = 1u << bits;
    unsigned int batch = blockDim.x * HELD;
    extern __shared__ unsigned int staged[];  // the tile, sorted by digit
    // A key of a digit in slot s of the tile goes to moved[targets[digit] + s].
    unsigned int *targets = &staged[batch];
    // [warp][digit], first counts, then slots. A tile has at most 1024 * HELD keys, so
    // 16 bits are enough.
    unsigned short *slots = (unsigned short *)&targets[digits];
    __shared__ unsigned int sums[32];
    __shared__ unsigned int shared_tile;

    Lanes lanes = lanes_of_warp();
    unsigned int left_mask = (1u << lanes.lane) - 1;
    unsigned short *my_slots = &slots[lanes.warp * digits];

    // 1. Take the next tile, and load this warp's segment of it.
    if (threadIdx.x == 0) {
        shared_tile = atomicAdd(next_tile, 1u);
    }
    for (unsigned int digit = lanes.lane; digit < digits; digit += lanes.width) {
        my_slots[digit] = 0;
    }
    __syncthreads();
    unsigned int tile = shared_tile;
    unsigned int first = tile * batch;
    unsigned int count = first < n ? min(batch, n - first) : 0;
    unsigned int mine = lanes.warp * 32 * HELD + lanes.lane;
    unsigned int held[HELD];
#pragma unroll
    for (unsigned int round = 0; round < HELD; round++) {
        // Keys beyond the end have the largest digit and come last, so they get the
        // last slots, which are not written out.
        unsigned int i = mine + round * lanes.width;
        held[round] = i < count ? __ldcs(&keys[first + i]) : 0xffffffffu;
    }

    // 2. Rank each key among those of its digit in the segment.
    Ranks<HELD> ranks;
    const unsigned int GROUP = HELD < 8 ? HELD : 8;
#pragma unroll
    for (unsigned int group = 0; group < HELD; group += GROUP) {
        // The lanes with the same digit as this one. One ballot per bit removes the lanes
        // that differ in it. The ballots of the keys of a group do not wait for each
        // other, so they are the inner loop. Bits beyond the key are all 0.
        unsigned int same[GROUP];
#pragma unroll
        for (unsigned int k = 0; k < GROUP; k++) {
            same[k] = lanes.mask;
        }
        for (unsigned int bit = low; bit < min(low + bits, 32u); bit++) {
#pragma unroll
            for (unsigned int k = 0; k < GROUP; k++) {
                bool is_one = (held[group + k] >> bit) & 1;
                unsigned int ones = __ballot_sync(lanes.mask, is_one);
                same[k] &= is_one ? ones : ~ones;
            }
        }
        // The first lane of a digit advances the counter of the warp.
#pragma unroll
        for (unsigned int k = 0; k < GROUP; k++) {
            unsigned int digit = digit_of(held[group + k], low, bits);
            unsigned int counted = my_slots[digit];
            __syncwarp(lanes.mask);  // all lanes have read before one writes
            if ((same[k] & left_mask) == 0) {
                my_slots[digit] = counted + __popc(same[k]);
            }
            __syncwarp(lanes.mask);
            ranks.set(group + k, counted + __popc(same[k] & left_mask));
        }
    }
    __syncthreads();

    // 3. From counts to slots: the keys of the tile with smaller digits, plus those of
    //    the digit in the warps before. One thread per digit, which also publishes the
    //    count: others may look back at it meanwhile.
    unsigned int carry = 0;
    for (unsigned int start = 0; start < digits; start += blockDim.x) {
        unsigned int digit = start + threadIdx.x;
        unsigned int total = 0;
        for (unsigned int w = 0; w < lanes.warps && digit < digits; w++) {
            total += slots[w * digits + digit];
        }
        if (digit < digits) {
            states[tile * digits + digit] = (tile == 0 ? SUM : COUNT) | total;
        }
        unsigned int all;
        unsigned int slot = carry + block_exclusive_sum(total, lanes, sums, &all);
        carry += all;
        if (digit < digits) {
            targets[digit] = total;
        }
        for (unsigned int w = 0; w < lanes.warps && digit < digits; w++) {
            unsigned int in_warp = slots[w * digits + digit];
            slots[w * digits + digit] = slot;
            slot += in_warp;
        }
    }
    __syncthreads();

    // 4. Sort the tile: scattered writes to shared memory.
#pragma unroll
    for (unsigned int round = 0; round < HELD; round++) {
        staged[my_slots[digit_of(held[round], low, bits)] + ranks.get(round)] = held[round];
    }

    // 5. Look back, one thread per digit.
    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        unsigned int before = 0;
        for (unsigned int other = tile; other > 0;) {
            unsigned int state = states[(other - 1) * digits + digit];
            if (state != 0) {
                before += state & VALUE;
                other = state & SUM ? 0 : other - 1;
            }
        }
        if (tile > 0) {
            states[tile * digits + digit] = SUM | (before + targets[digit]);
        }
        // The slots of warp 0 are where the digits begin.
        targets[digit] = offsets[digit] + before - slots[digit];
    }
    __syncthreads();

    // 6. Write the tile: neighbouring threads write neighbouring keys.
#pragma unroll
    for (unsigned int round = 0; round < HELD; round++) {
        unsigned int slot = round * blockDim.x + threadIdx.x;
        if (slot < count) {
            unsigned int key = staged[slot];
            moved[targets[digit_of(key, low, bits)] + slot] = key;
        }
    }
}

#define ONE_SWEEP(HELD)                                                                    \
    extern "C" __global__ void __launch_bounds__(1024) radix_reorder_one_sweep_##HELD(     \
        const unsigned int *__restrict__ keys, unsigned int n, unsigned int low,           \
        unsigned int bits, const unsigned int *__restrict__ offsets,                       \
        volatile unsigned int *states, unsigned int *next_tile,                            \
        unsigned int *__restrict__ moved)                                                  \
    {                                                                                      \
        one_sweep<HELD>(keys, n, low, bits, offsets, states, next_tile, moved);            \
    }

ONE_SWEEP(4)
ONE_SWEEP(8)
ONE_SWEEP(16)
ONE_SWEEP(24)

// ---- reorder=reserve: not stable, places by one atomic per digit and tile -------

// The tile from key `first` on. It is WHOLE, or has `count` keys.
template <unsigned int HELD, bool WHOLE>
static __device__ __forceinline__ void
reserve_tile(const unsigned int *__restrict__ keys, unsigned int first, unsigned int count,
             unsigned int low, unsigned int bits, const unsigned int *__restrict__ offsets,
             unsigned int *cursors, unsigned int *__restrict__ moved)
{
    unsigned int digits = 1u << bits;
    extern __shared__ unsigned int staged[];  // the tile, sorted by digit
    // For each digit the number of keys, then the slot of the first.
    unsigned int *slots = &staged[blockDim.x * HELD];
    // A key of a digit in slot s of the tile goes to moved[targets[digit] + s].
    unsigned int *targets = &slots[digits];
    __shared__ unsigned int sums[32];
    Lanes lanes = lanes_of_warp();

    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        slots[digit] = 0;
    }

    // 1. Load: four neighbouring keys at a time.
    unsigned int held[HELD];
#pragma unroll
    for (unsigned int round = 0; round < HELD; round += 4) {
        unsigned int i = round * blockDim.x + 4 * threadIdx.x;
        if (WHOLE) {
            uint4 four = __ldcs(reinterpret_cast<const uint4 *>(&keys[first + i]));
            held[round] = four.x;
            held[round + 1] = four.y;
            held[round + 2] = four.z;
            held[round + 3] = four.w;
        } else {
            for (unsigned int k = 0; k < 4; k++) {
                held[round + k] = i + k < count ? keys[first + i + k] : 0;
            }
        }
    }
    __syncthreads();  // all counters are cleared before any thread counts

    // 2. Rank each key among those of its digit, in any order.
    Ranks<HELD> ranks;
#pragma unroll
    for (unsigned int round = 0; round < HELD; round++) {
        unsigned int i = round / 4 * 4 * blockDim.x + 4 * threadIdx.x + round % 4;
        if (WHOLE || i < count) {
            ranks.set(round, atomicAdd(&slots[digit_of(held[round], low, bits)], 1u));
        }
    }
    __syncthreads();

    // 3. One thread per digit: reserve places, and find the slot of the first key.
    unsigned int carry = 0;
    for (unsigned int start = 0; start < digits; start += blockDim.x) {
        unsigned int digit = start + threadIdx.x;
        unsigned int total = digit < digits ? slots[digit] : 0;
        unsigned int place = total != 0 ? atomicAdd(&cursors[digit], total) : 0;
        unsigned int all;
        unsigned int slot = carry + block_exclusive_sum(total, lanes, sums, &all);
        carry += all;
        if (digit < digits) {
            slots[digit] = slot;
            targets[digit] = offsets[digit] + place - slot;
        }
    }
    __syncthreads();

    // 4. Sort the tile: scattered writes to shared memory.
#pragma unroll
    for (unsigned int round = 0; round < HELD; round++) {
        unsigned int i = round / 4 * 4 * blockDim.x + 4 * threadIdx.x + round % 4;
        if (WHOLE || i < count) {
            staged[slots[digit_of(held[round], low, bits)] + ranks.get(round)] = held[round];
        }
    }
    __syncthreads();

    // 5. Write the tile: neighbouring threads write neighbouring keys.
#pragma unroll
    for (unsigned int round = 0; round < HELD; round++) {
        unsigned int slot = round * blockDim.x + threadIdx.x;
        if (WHOLE || slot < count) {
            unsigned int key = staged[slot];
            moved[targets[digit_of(key, low, bits)] + slot] = key;
        }
    }
}

template <unsigned int HELD>
static __device__ __forceinline__ void
reserve(const unsigned int *__restrict__ keys, unsigned int n, unsigned int low,
        unsigned int bits, const unsigned int *__restrict__ offsets, unsigned int *cursors,
        unsigned int *__restrict__ moved)
{
    unsigned int tile = blockDim.x * HELD;
    unsigned int first = blockIdx.x * tile;
    unsigned int count = n - first < tile ? n - first : tile;
    if (count == tile) {
        reserve_tile<HELD, true>(keys, first, count, low, bits, offsets, cursors, moved);
    } else {
        reserve_tile<HELD, false>(keys, first, count, low, bits, offsets, cursors, moved);
    }
}

#define RESERVE(HELD)                                                                      \
    extern "C" __global__ void __launch_bounds__(1024) radix_reorder_reserve_##HELD(       \
        const unsigned int *__restrict__ keys, unsigned int n, unsigned int low,           \
        unsigned int bits, const unsigned int *__restrict__ offsets, unsigned int *cursors, \
        unsigned int *__restrict__ moved)                                                  \
    {                                                                                      \
        reserve<HELD>(keys, n, low, bits, offsets, cursors, moved);                        \
    }

RESERVE(4)
RESERVE(8)
RESERVE(16)
RESERVE(24)
