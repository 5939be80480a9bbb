// Radix partition: sort the keys by one digit.
//
// Overview
//   The digit of a key is `bits` of its bits, from bit `low` upwards: with bits = 8
//   and low = 0 the lowest byte, which has 256 values. Afterwards all keys with digit
//   0 come first, then all with digit 1, and so on: one partition per digit. One such
//   pass is a step of a radix sort, and the first step of a hash join.
//
//   The offset of partition 5 is known only when all keys of partitions 0 to 4 have
//   been counted. So the work is a pipeline of three stages, each with variants.
//
//   1. histogram: how many keys has each digit?
//
//     global         Idea: one atomic addition in global memory per key.
//                    Cost: L2 serialises lanes with the same digit.
//                    Counter: `global_atomic_passes`.
//
//     shared         Idea: count in shared memory and add the counts to the global
//                    ones at the end of the block.
//                    Cost: digits * 4 bytes of shared memory, and a merge per block.
//                    Counter: `global_atomic_requests` falls,
//                    `shared_atomic_requests` rises.
//
//   2. scan: at which offset does each partition begin? It is the exclusive prefix
//      sum of the counts.
//
//     single-thread  Idea: one thread adds the counts one by one.
//                    Cost: each step waits for a load, and the rest of the GPU is
//                    idle.
//                    Counter: none; see the time of the phase `scan`.
//
//     shared         Idea: a Hillis-Steele scan in shared memory. In step s each
//                    thread adds the value 2^s places to its left, so 1024 values
//                    take 10 steps. The inclusive sums, shifted one place to the
//                    right, are the exclusive ones.
//                    Cost: two barriers per step.
//                    Counter: `barriers`, `shared_load_requests`.
//
//   3. reorder: move the keys to their partitions.
//
//     global         Idea: one cursor per digit in global memory. An atomic addition
//                    per key returns its place and advances the cursor.
//                    Cost: as the global histogram, and the writes are scattered.
//                    Counter: `global_atomic_passes`, `global_store_sectors`.
//
//     shared         Idea: each block counts its keys first and reserves all places
//                    of a digit by a single global atomic. Cursors in shared memory
//                    give the places to the keys of the block.
//                    Cost: the keys are read twice; the writes are scattered.
//                    Counter: `global_atomic_requests` falls,
//                    `shared_atomic_requests` rises.
//
//     stable         Idea: keys with the same digit keep their order, as a sort of
//                    several passes needs. No atomic decides the order: places follow
//                    from counts alone (below).
//                    Cost: counters per warp, and tables of digits * blocks entries;
//                    one ballot per bit of the digit; the writes are scattered.
//                    Counter: `warp_instructions`; the global atomics of the other
//                    reorders disappear.
//
//     staged         Idea: the same order, but the block first sorts its keys by
//                    digit in shared memory. Neighbouring threads then write
//                    neighbouring keys.
//                    Cost: more instructions, shared memory for a batch of keys, and
//                    bank conflicts. It pays only while a batch has several keys of
//                    each digit.
//                    Counter: `global_store_sectors` falls, `shared_bank_conflicts`
//                    and `warp_instructions` rise.
//
// How `stable` finds its places
//   The histogram counts per digit AND block, and the scan runs along the blocks of
//   each digit. So each block knows the offset of its keys of each digit. Within the
//   block, each warp takes a segment of neighbouring keys and counts them by digit; a
//   sum over the warps before it gives the warp's own offsets. Within the warp, the
//   lanes vote: after one ballot per bit of the digit, each lane knows the lanes with
//   the same digit, and adds the number of those to its left. Each warp has its own
//   cursors, so it advances them without atomics.
//
// Why `staged` writes fewer sectors
//   Memory is written in sectors of 32 bytes, 8 keys. Neighbouring keys have different
//   digits, so in the other reorders the 32 lanes of a warp write to up to 32 sectors,
//   4 bytes each: eight times the sectors that the keys fill. `staged` takes a batch of
//   up to 16 keys per thread and sorts it in shared memory, where scattered writes cost
//   little. A batch of 8192 keys has on average 32 of each of 256 digits: 128 bytes in
//   a row, in 4 or 5 sectors instead of 32.
//
//                   batch in order    a3 b1 a7 c2 b5 a1 ...
//                   sorted by digit   a3 a7 a1 ... b1 b5 ... c2 ...
//                   written out       one run per digit, each at its cursor
//
// Coarsening
//   More keys per thread mean fewer blocks, so smaller tables for `stable` and
//   `staged` and fewer merges. With many digits the counters in shared memory reduce
//   the occupancy, until no block fits.
//
// Launch (histogram and reorder)
//   Each block takes a tile of `tile` neighbouring keys, `tile` = block * coarsening.
//   grid    max(1, ceil(n / tile)) blocks, the same for both stages.
//   block   any number of threads, for any number of digits.
//   shared  histogram and reorder `shared`: digits * 4 bytes of dynamic shared memory;
//           reorder `stable`: digits * 4 bytes for each warp of the block;
//           reorder `staged`: 4 bytes for each key of a batch and for each digit, and
//           digits * 2 bytes for each warp.
//   n       below 2^31.
//   tables  counts, block_offsets: [digit][column] with `columns` columns per digit:
//           one per block if the reorder is `stable` or `staged`, else a single one.
//           offsets: where each partition begins. All counts and cursors are 0 before
//           the launch.

// The digit of a key: `bits` bits from bit `low` upwards.
static __device__ __forceinline__ unsigned int digit_of(unsigned int key, unsigned int low,
                                                        unsigned int bits)
{
    return (key >> low) & ((1u << bits) - 1);
}

// One past the last key of this block.
static __device__ __forceinline__ unsigned int tile_end(unsigned int n, unsigned int tile)
{
    unsigned int first = blockIdx.x * tile;
    return n - first < tile ? n : first + tile;
}

// ---- stage 1: histogram -----------------------------------------------------

extern "C" __global__ void radix_histogram_global(const unsigned int *__restrict__ keys,
                                                  unsigned int n, unsigned int tile,
                                                  unsigned int low, unsigned int bits,
                                                  unsigned int *counts, unsigned int columns)
{
    unsigned int column = columns == 1 ? 0 : blockIdx.x;
    unsigned int end = tile_end(n, tile);

    for (unsigned int i = blockIdx.x * tile + threadIdx.x; i < end; i += blockDim.x) {
        atomicAdd(&counts[digit_of(keys[i], low, bits) * columns + column], 1u);
    }
}

extern "C" __global__ void radix_histogram_shared(const unsigned int *__restrict__ keys,
                                                  unsigned int n, unsigned int tile,
                                                  unsigned int low, unsigned int bits,
                                                  unsigned int *counts, unsigned int columns)
{
    extern __shared__ unsigned int block_counts[];
    unsigned int digits = 1u << bits;

    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        block_counts[digit] = 0;
    }
    __syncthreads();  // all counters are cleared before any thread counts

    unsigned int end = tile_end(n, tile);
    for (unsigned int i = blockIdx.x * tile + threadIdx.x; i < end; i += blockDim.x) {
        atomicAdd(&block_counts[digit_of(keys[i], low, bits)], 1u);
    }
    __syncthreads();  // all keys are counted

    unsigned int column = columns == 1 ? 0 : blockIdx.x;
    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        unsigned int count = block_counts[digit];
        if (count != 0) {
            atomicAdd(&counts[digit * columns + column], count);
        }
    }
}

// ---- stage 2: scan ----------------------------------------------------------

// One thread of one block does everything.
//   offsets[digit]                the number of keys with smaller digits
//   block_offsets[digit][column]  the number of keys with this digit in the columns
//                                 before this one
extern "C" __global__ void radix_scan_single_thread(const unsigned int *counts,
                                                    unsigned int digits, unsigned int columns,
                                                    unsigned int *block_offsets,
                                                    unsigned int *offsets)
{
    if (threadIdx.x != 0) {
        return;
    }
    unsigned int before = 0;
    for (unsigned int digit = 0; digit < digits; digit++) {
        offsets[digit] = before;
        unsigned int within = 0;
        for (unsigned int column = 0; column < columns; column++) {
            block_offsets[digit * columns + column] = within;
            within += counts[digit * columns + column];
        }
        before += within;
    }
}

// Exclusive prefix sum of `count` values by one block, blockDim.x values at a time; the
// sum so far is carried to the next. Returns the sum of all values to all threads.
// `sums` has blockDim.x entries.
static __device__ __forceinline__ unsigned int block_scan(const unsigned int *values,
                                                          unsigned int count,
                                                          unsigned int *exclusive,
                                                          unsigned int *sums)
{
    unsigned int carry = 0;
    for (unsigned int start = 0; start < count; start += blockDim.x) {
        unsigned int i = start + threadIdx.x;
        // Values beyond the end are 0.
        sums[threadIdx.x] = i < count ? values[i] : 0;
        __syncthreads();

        // Hillis-Steele: all threads read, then all write.
        for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
            unsigned int left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }

        // The inclusive sum to the left is the exclusive sum.
        if (i < count) {
            exclusive[i] = carry + (threadIdx.x == 0 ? 0 : sums[threadIdx.x - 1]);
        }
        carry += sums[blockDim.x - 1];
        __syncthreads();  // all sums are read before they are overwritten
    }
    return carry;
}

// One block per digit: the prefix sums along its columns, and their total.
// Dynamic shared memory: block * 4 bytes.
extern "C" __global__ void radix_scan_columns(const unsigned int *counts, unsigned int columns,
                                              unsigned int *block_offsets, unsigned int *totals)
{
    extern __shared__ unsigned int sums[];
    unsigned int row = blockIdx.x * columns;

    unsigned int total = block_scan(&counts[row], columns, &block_offsets[row], sums);
    if (threadIdx.x == 0) {
        totals[blockIdx.x] = total;
    }
}

// One block: the offset of each partition.
// Dynamic shared memory: block * 4 bytes.
extern "C" __global__ void radix_scan_parts(const unsigned int *totals, unsigned int digits,
                                            unsigned int *offsets)
{
    extern __shared__ unsigned int sums[];
    block_scan(totals, digits, offsets, sums);
}

// ---- stage 3: reorder -------------------------------------------------------

extern "C" __global__ void radix_reorder_global(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int tile,
                                                unsigned int low, unsigned int bits,
                                                const unsigned int *__restrict__ offsets,
                                                unsigned int *cursors,
                                                unsigned int *__restrict__ moved)
{
    unsigned int end = tile_end(n, tile);

    for (unsigned int i = blockIdx.x * tile + threadIdx.x; i < end; i += blockDim.x) {
        unsigned int key = keys[i];
        unsigned int digit = digit_of(key, low, bits);
        moved[offsets[digit] + atomicAdd(&cursors[digit], 1u)] = key;
    }
}

extern "C" __global__ void radix_reorder_shared(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int tile,
                                                unsigned int low, unsigned int bits,
                                                const unsigned int *__restrict__ offsets,
                                                unsigned int *cursors,
                                                unsigned int *__restrict__ moved)
{
    // First the block's counts, then its cursors.
    extern __shared__ unsigned int block_cursors[];
    unsigned int digits = 1u << bits;
    unsigned int first = blockIdx.x * tile + threadIdx.x;
    unsigned int end = tile_end(n, tile);

    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        block_cursors[digit] = 0;
    }
    __syncthreads();
    for (unsigned int i = first; i < end; i += blockDim.x) {
        atomicAdd(&block_cursors[digit_of(keys[i], low, bits)], 1u);
    }
    __syncthreads();

    // Reserve places for all keys of a digit at once.
    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        unsigned int count = block_cursors[digit];
        if (count != 0) {
            block_cursors[digit] = offsets[digit] + atomicAdd(&cursors[digit], count);
        }
    }
    __syncthreads();

    for (unsigned int i = first; i < end; i += blockDim.x) {
        unsigned int key = keys[i];
        moved[atomicAdd(&block_cursors[digit_of(key, low, bits)], 1u)] = key;
    }
}

// The lanes of `lanes` that have the same digit as this lane. One ballot per bit
// removes the lanes that differ in it.
static __device__ __forceinline__ unsigned int lanes_with_digit(unsigned int lanes,
                                                                unsigned int digit,
                                                                unsigned int bits)
{
    unsigned int same = lanes;
    for (unsigned int bit = 0; bit < bits; bit++) {
        unsigned int mine = (digit >> bit) & 1;
        unsigned int ones = __ballot_sync(lanes, mine);
        same &= mine ? ones : ~ones;
    }
    return same;
}

extern "C" __global__ void radix_reorder_stable(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int tile,
                                                unsigned int low, unsigned int bits,
                                                const unsigned int *__restrict__ offsets,
                                                const unsigned int *__restrict__ block_offsets,
                                                unsigned int columns,
                                                unsigned int *__restrict__ moved)
{
    extern __shared__ unsigned int warp_cursors[];  // [warp][digit]
    unsigned int digits = 1u << bits;
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    // The last warp of the block can have fewer than 32 lanes.
    unsigned int width = blockDim.x - warp * 32 < 32 ? blockDim.x - warp * 32 : 32;
    unsigned int warp_mask = 0xffffffffu >> (32 - width);
    unsigned int *cursors = &warp_cursors[warp * digits];

    // This warp's segment of the block's tile.
    unsigned int length = (tile + warps - 1) / warps;
    unsigned int end = tile_end(n, tile);
    unsigned int first = blockIdx.x * tile + warp * length;
    unsigned int last = first < end && end - first > length ? first + length : end;

    // 1. Count the segment by digit.
    for (unsigned int digit = lane; digit < digits; digit += width) {
        cursors[digit] = 0;
    }
    __syncwarp(warp_mask);
    for (unsigned int i = first + lane; i < last; i += width) {
        atomicAdd(&cursors[digit_of(keys[i], low, bits)], 1u);
    }
    __syncthreads();

    // 2. From counts to cursors: the offset of the partition, plus the keys of the
    //    digit in the blocks before, plus those in the warps before.
    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        unsigned int place = offsets[digit] + block_offsets[digit * columns + blockIdx.x];
        for (unsigned int w = 0; w < warps; w++) {
            unsigned int count = warp_cursors[w * digits + digit];
            warp_cursors[w * digits + digit] = place;
            place += count;
        }
    }
    __syncthreads();

    // 3. Move the segment in order, one key per lane at a time.
    for (unsigned int i = first + lane; i - lane < last; i += width) {
        unsigned int lanes = __ballot_sync(warp_mask, i < last);
        if (i < last) {
            unsigned int key = keys[i];
            unsigned int digit = digit_of(key, low, bits);
            unsigned int same = lanes_with_digit(lanes, digit, bits);
            unsigned int rank = __popc(same & ((1u << lane) - 1));
            unsigned int place = cursors[digit];
            __syncwarp(lanes);  // all lanes have read before one advances the cursor
            if (rank == 0) {
                cursors[digit] = place + __popc(same);
            }
            moved[place + rank] = key;
        }
        __syncwarp(warp_mask);
    }
}

// Keys per thread in a batch of `staged`. The loops over them are unrolled, so that each
// key is in a register. More keys make longer runs of each digit and cost less per key
// for the tables, but leave registers for fewer warps. Of 8, 12, 16 and 20, 16 was the
// fastest on an H200.
#define HELD 16

// The exclusive prefix sum over the threads of a block; `all` becomes the sum of all
// values. `sums` has an entry per warp.
static __device__ __forceinline__ unsigned int block_exclusive_sum(unsigned int value,
                                                                   unsigned int warp_mask,
                                                                   unsigned int *sums,
                                                                   unsigned int *all)
{
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;

    // Hillis-Steele by shuffles, then the sums of the warps before.
    unsigned int sum = value;
    for (unsigned int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(warp_mask, sum, distance);
        sum += lane >= distance ? left : 0;
    }
    if (lane == 31 || threadIdx.x == blockDim.x - 1) {
        sums[warp] = sum;
    }
    __syncthreads();
    unsigned int before = 0;
    unsigned int total = 0;
    for (unsigned int w = 0; w * 32 < blockDim.x; w++) {
        before += w < warp ? sums[w] : 0;
        total += sums[w];
    }
    __syncthreads();  // all sums are read before they are overwritten
    *all = total;
    return before + sum - value;
}

// A batch is blockDim.x * rounds keys, rounds <= HELD. A longer tile is reordered batch
// by batch.
extern "C" __global__ void __launch_bounds__(1024)
radix_reorder_staged(const unsigned int *__restrict__ keys, unsigned int n, unsigned int tile,
                     unsigned int low, unsigned int bits,
                     const unsigned int *__restrict__ offsets,
                     const unsigned int *__restrict__ block_offsets, unsigned int columns,
                     unsigned int *__restrict__ moved, unsigned int rounds)
{
    unsigned int digits = 1u << bits;
    unsigned int batch = blockDim.x * rounds;
    extern __shared__ unsigned int staged[];  // the batch, sorted by digit
    // A key of a digit in slot s of the batch goes to moved[targets[digit] + s].
    unsigned int *targets = &staged[batch];
    // [warp][digit], first counts, then slots. A batch has at most 1024 * HELD keys, so
    // 16 bits are enough.
    unsigned short *slots = (unsigned short *)&targets[digits];
    __shared__ unsigned int sums[32];

    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    // The last warp of the block can have fewer than 32 lanes.
    unsigned int width = blockDim.x - warp * 32 < 32 ? blockDim.x - warp * 32 : 32;
    unsigned int warp_mask = 0xffffffffu >> (32 - width);
    unsigned int left_mask = (1u << lane) - 1;
    unsigned short *my_slots = &slots[warp * digits];
    // This lane's first key in its warp's segment of the batch: `rounds` times the
    // width of the warp.
    unsigned int mine = warp * 32 * rounds + lane;

    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        targets[digit] = offsets[digit] + block_offsets[digit * columns + blockIdx.x];
    }

    unsigned int end = tile_end(n, tile);
    for (unsigned int first = blockIdx.x * tile; first < end; first += batch) {
        unsigned int count = end - first < batch ? end - first : batch;

        // 1. Load the segment. All loads are issued before the first is used.
        unsigned int held[HELD];
        #pragma unroll
        for (unsigned int round = 0; round < HELD; round++) {
            unsigned int i = mine + round * width;
            held[round] = round < rounds && i < count ? keys[first + i] : 0;
        }

        // 2. Rank each key among those of its digit in the segment, and count them. As
        //    in `stable`, ballots find the lanes with the same digit, and the first of
        //    them advances the warp's counter.
        for (unsigned int digit = lane; digit < digits; digit += width) {
            my_slots[digit] = 0;
        }
        __syncwarp(warp_mask);
        unsigned int rank[HELD];
        #pragma unroll
        for (unsigned int round = 0; round < HELD; round++) {
            if (round < rounds) {
                bool exists = mine + round * width < count;
                unsigned int digit = digit_of(held[round], low, bits);
                unsigned int same = lanes_with_digit(warp_mask, digit, bits) &
                                    __ballot_sync(warp_mask, exists);
                unsigned int counted = my_slots[digit];
                __syncwarp(warp_mask);  // all lanes have read before one writes
                if (exists && (same & left_mask) == 0) {
                    my_slots[digit] = counted + __popc(same);
                }
                __syncwarp(warp_mask);
                rank[round] = counted + __popc(same & left_mask);
            }
        }
        __syncthreads();

        // 3. From counts to slots: the keys of the batch with smaller digits, plus those
        //    of the digit in the warps before. One thread per digit.
        unsigned int carry = 0;
        for (unsigned int start = 0; start < digits; start += blockDim.x) {
            unsigned int digit = start + threadIdx.x;
            unsigned int total = 0;
            for (unsigned int w = 0; w < warps && digit < digits; w++) {
                total += slots[w * digits + digit];
            }
            unsigned int all;
            unsigned int slot = carry + block_exclusive_sum(total, warp_mask, sums, &all);
            carry += all;
            if (digit < digits) {
                targets[digit] -= slot;
            }
            for (unsigned int w = 0; w < warps && digit < digits; w++) {
                unsigned int in_warp = slots[w * digits + digit];
                slots[w * digits + digit] = slot;
                slot += in_warp;
            }
        }
        __syncthreads();

        // 4. Sort the batch: scattered writes to shared memory.
        #pragma unroll
        for (unsigned int round = 0; round < HELD; round++) {
            if (round < rounds && mine + round * width < count) {
                unsigned int digit = digit_of(held[round], low, bits);
                staged[my_slots[digit] + rank[round]] = held[round];
            }
        }
        __syncthreads();

        // 5. Write the batch: neighbouring threads write neighbouring keys.
        for (unsigned int slot = threadIdx.x; slot < count; slot += blockDim.x) {
            unsigned int key = staged[slot];
            moved[targets[digit_of(key, low, bits)] + slot] = key;
        }
        __syncthreads();

        // 6. Advance the targets. The keys of a digit end where the next digit begins.
        for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
            targets[digit] += digit + 1 < digits ? slots[digit + 1] : count;
        }
        __syncthreads();
    }
}
