// Radix partition: move every key to the part that some of its bits name.
//
// Overview
//   A key belongs to the part whose number stands in `bits` of its bits, from
//   bit `low` upwards: with bits = 8 and low = 0, its lowest byte, 256 parts.
//   Afterwards all keys of part 0 lie first, then all of part 1, and so on. One
//   such pass is a step of a radix sort, and the first step of a hash join.
//
//   Nobody knows where part 5 begins before every key of parts 0 to 4 has been
//   counted. So the work is a pipeline of three stages, each with variants:
//
//   1. histogram   How many keys has each part?
//        global         one atomic addition in global memory per key.
//        shared         private counters per block in shared memory, added to
//                       the global ones at the end.
//
//   2. scan        Where does each part begin? The exclusive prefix sum of the
//                  counts: the number of keys in all parts before it.
//        single-thread  one thread adds them up, one after the other. Every
//                       step waits for a load; the other thousands of threads
//                       of the GPU have nothing to do.
//        shared         a Hillis-Steele scan in shared memory: in step s every
//                       thread adds the value 2^s places to its left, so 1024
//                       values take 10 steps. That gives inclusive sums;
//                       shifted one place to the right they are exclusive.
//
//   3. reorder     Move the keys. Each needs a place of its own in its part.
//        global         one cursor per part in global memory: an atomic addition
//                       per key both takes a place and moves the cursor on.
//        shared         each block counts its keys first and takes all its
//                       places of a part with a single global atomic; inside the
//                       block, cursors in shared memory hand them out.
//        stable         keys of one part keep the order they came in, as a sort
//                       by several passes needs. No atomic decides who comes
//                       first: places follow from counts alone.
//        staged         the same order, but a block first sorts its keys by part
//                       in shared memory, then writes them out side by side.
//
// How `stable` finds its places
//   The histogram counts per part AND block, the scan runs along the blocks of
//   each part, so every block knows where its keys of a part begin. Inside the
//   block, each warp takes a run of neighbouring keys and counts them by part;
//   a sum over the warps before it tells where the warp's own keys begin. And
//   inside the warp, lanes vote: after one ballot per bit of the part's number,
//   each lane knows which lanes hold the same part, and its place is the number
//   of those to its left. Cursors are private to a warp, so moving them on takes
//   no atomic either.
//
// Why `staged` is faster
//   Memory is written in sectors of 32 bytes, 8 keys. Neighbouring keys belong to
//   different parts, so in the other three the 32 lanes of a warp write to 32
//   sectors, 4 bytes to each: eight times as many on their way to the L2 cache as
//   the keys would fill. `staged` takes a tile of up to 16 keys per thread and
//   sorts it by part in shared memory, where a scattered write costs little. Then
//   the block walks through the sorted tile: neighbouring threads hold neighbours
//   of one part and write to neighbouring places. A tile of 8192 keys has on
//   average 32 of each of 256 parts: 128 bytes in a row, which lie in 4 or 5
//   sectors instead of 32.
//
//                   tile in order     a3 b1 a7 c2 b5 a1 ...
//                   sorted by part    a3 a7 a1 ... b1 b5 ... c2 ...
//                   written out       one run per part, each where its cursor is
//
// Trade-off
//   Private counters in shared memory take parts * 4 bytes per block, for
//   `stable` even per warp: with many parts few blocks fit on a multiprocessor,
//   and with more yet none. The tables of `stable` and `staged` have
//   parts * blocks entries, so more keys per thread (coarsening) make them
//   smaller. And `staged` pays only as long as a tile has several keys of each
//   part: with thousands of parts its runs are single keys again.
//
// Launch (histogram and reorder)
//   Every block takes `chunk` neighbouring keys, `chunk` = block * coarsening.
//   grid    max(1, ceil(n / chunk)) blocks, the same for both stages.
//   block   any number of threads, whatever the number of parts.
//   shared  histogram and reorder `shared`: parts * 4 bytes of dynamic shared
//           memory; reorder `stable`: parts * 4 bytes for each warp of the block;
//           reorder `staged`: 4 bytes for each key of a tile and for each part,
//           and parts * 2 bytes for each warp.
//   n       below 2^31.
//   tables  counts, offsets: [part][column] with `columns` columns per part: one
//           for each block if the reorder is `stable` or `staged`, else a single
//           one.
//           begins: where each part begins. All counts and cursors are zero at
//           the start.

// The part of a key: the bit field of `bits` bits from bit `low` upwards.
static __device__ __forceinline__ unsigned int part_of(unsigned int key, unsigned int low,
                                                       unsigned int bits)
{
    return (key >> low) & ((1u << bits) - 1);
}

// One past the last key of this block.
static __device__ __forceinline__ unsigned int chunk_end(unsigned int n, unsigned int chunk)
{
    unsigned int first = blockIdx.x * chunk;
    return n - first < chunk ? n : first + chunk;
}

// ---- stage 1: histogram -----------------------------------------------------

extern "C" __global__ void radix_histogram_global(const unsigned int *__restrict__ keys,
                                                  unsigned int n, unsigned int chunk,
                                                  unsigned int low, unsigned int bits,
                                                  unsigned int *counts, unsigned int columns)
{
    unsigned int column = columns == 1 ? 0 : blockIdx.x;
    unsigned int end = chunk_end(n, chunk);

    for (unsigned int i = blockIdx.x * chunk + threadIdx.x; i < end; i += blockDim.x) {
        atomicAdd(&counts[part_of(keys[i], low, bits) * columns + column], 1u);
    }
}

extern "C" __global__ void radix_histogram_shared(const unsigned int *__restrict__ keys,
                                                  unsigned int n, unsigned int chunk,
                                                  unsigned int low, unsigned int bits,
                                                  unsigned int *counts, unsigned int columns)
{
    extern __shared__ unsigned int block_counts[];
    unsigned int parts = 1u << bits;

    for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
        block_counts[part] = 0;
    }
    __syncthreads();  // no thread may count before every counter is cleared

    unsigned int end = chunk_end(n, chunk);
    for (unsigned int i = blockIdx.x * chunk + threadIdx.x; i < end; i += blockDim.x) {
        atomicAdd(&block_counts[part_of(keys[i], low, bits)], 1u);
    }
    __syncthreads();  // every key is counted

    unsigned int column = columns == 1 ? 0 : blockIdx.x;
    for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
        unsigned int count = block_counts[part];
        if (count != 0) {
            atomicAdd(&counts[part * columns + column], count);
        }
    }
}

// ---- stage 2: scan ----------------------------------------------------------

// One thread of one block does everything.
//   begins[part]          keys in all parts before this one
//   offsets[part][column] keys of this part in all columns before this one
extern "C" __global__ void radix_scan_single_thread(const unsigned int *counts,
                                                    unsigned int parts, unsigned int columns,
                                                    unsigned int *offsets, unsigned int *begins)
{
    if (threadIdx.x != 0) {
        return;
    }
    unsigned int before = 0;
    for (unsigned int part = 0; part < parts; part++) {
        begins[part] = before;
        unsigned int within = 0;
        for (unsigned int column = 0; column < columns; column++) {
            offsets[part * columns + column] = within;
            within += counts[part * columns + column];
        }
        before += within;
    }
}

// Exclusive prefix sum of `count` values by one block, in stretches of a block;
// what came before a stretch is carried into it. Returns the sum of all values
// (to every thread). `sums` has blockDim.x entries.
static __device__ __forceinline__ unsigned int block_scan(const unsigned int *values,
                                                          unsigned int count,
                                                          unsigned int *exclusive,
                                                          unsigned int *sums)
{
    unsigned int carry = 0;
    for (unsigned int stretch = 0; stretch < count; stretch += blockDim.x) {
        unsigned int i = stretch + threadIdx.x;
        // Past the end counts as zero, which changes no sum.
        sums[threadIdx.x] = i < count ? values[i] : 0;
        __syncthreads();

        // Hillis-Steele. Read, wait until everybody has read, then write.
        for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
            unsigned int left = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }

        // Shifted one place: what is left of a value is its exclusive sum.
        if (i < count) {
            exclusive[i] = carry + (threadIdx.x == 0 ? 0 : sums[threadIdx.x - 1]);
        }
        carry += sums[blockDim.x - 1];
        __syncthreads();  // everybody has read the sums before the next stretch
    }
    return carry;
}

// One block per part: the prefix sums along its columns, and its total.
// Dynamic shared memory: block * 4 bytes.
extern "C" __global__ void radix_scan_columns(const unsigned int *counts, unsigned int columns,
                                              unsigned int *offsets, unsigned int *totals)
{
    extern __shared__ unsigned int sums[];
    unsigned int row = blockIdx.x * columns;

    unsigned int total = block_scan(&counts[row], columns, &offsets[row], sums);
    if (threadIdx.x == 0) {
        totals[blockIdx.x] = total;
    }
}

// One block: where each part begins.
// Dynamic shared memory: block * 4 bytes.
extern "C" __global__ void radix_scan_parts(const unsigned int *totals, unsigned int parts,
                                            unsigned int *begins)
{
    extern __shared__ unsigned int sums[];
    block_scan(totals, parts, begins, sums);
}

// ---- stage 3: reorder -------------------------------------------------------

extern "C" __global__ void radix_reorder_global(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int chunk,
                                                unsigned int low, unsigned int bits,
                                                const unsigned int *__restrict__ begins,
                                                unsigned int *cursors,
                                                unsigned int *__restrict__ moved)
{
    unsigned int end = chunk_end(n, chunk);

    for (unsigned int i = blockIdx.x * chunk + threadIdx.x; i < end; i += blockDim.x) {
        unsigned int key = keys[i];
        unsigned int part = part_of(key, low, bits);
        moved[begins[part] + atomicAdd(&cursors[part], 1u)] = key;
    }
}

extern "C" __global__ void radix_reorder_shared(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int chunk,
                                                unsigned int low, unsigned int bits,
                                                const unsigned int *__restrict__ begins,
                                                unsigned int *cursors,
                                                unsigned int *__restrict__ moved)
{
    // First the block's counts, then its cursors.
    extern __shared__ unsigned int places[];
    unsigned int parts = 1u << bits;
    unsigned int first = blockIdx.x * chunk + threadIdx.x;
    unsigned int end = chunk_end(n, chunk);

    for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
        places[part] = 0;
    }
    __syncthreads();
    for (unsigned int i = first; i < end; i += blockDim.x) {
        atomicAdd(&places[part_of(keys[i], low, bits)], 1u);
    }
    __syncthreads();

    // Take room for all keys of a part at once.
    for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
        unsigned int count = places[part];
        if (count != 0) {
            places[part] = begins[part] + atomicAdd(&cursors[part], count);
        }
    }
    __syncthreads();

    for (unsigned int i = first; i < end; i += blockDim.x) {
        unsigned int key = keys[i];
        moved[atomicAdd(&places[part_of(key, low, bits)], 1u)] = key;
    }
}

// The lanes of `lanes` that hold the same part as this one. Lanes that differ in
// any bit of the part's number fall out, one ballot per bit.
static __device__ __forceinline__ unsigned int lanes_alike(unsigned int lanes, unsigned int part,
                                                           unsigned int bits)
{
    unsigned int alike = lanes;
    for (unsigned int bit = 0; bit < bits; bit++) {
        unsigned int mine = (part >> bit) & 1;
        unsigned int ones = __ballot_sync(lanes, mine);
        alike &= mine ? ones : ~ones;
    }
    return alike;
}

extern "C" __global__ void radix_reorder_stable(const unsigned int *__restrict__ keys,
                                                unsigned int n, unsigned int chunk,
                                                unsigned int low, unsigned int bits,
                                                const unsigned int *__restrict__ begins,
                                                const unsigned int *__restrict__ offsets,
                                                unsigned int columns,
                                                unsigned int *__restrict__ moved)
{
    extern __shared__ unsigned int warp_places[];  // [warp][part]
    unsigned int parts = 1u << bits;
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    // The last warp of the block may have fewer than 32 lanes.
    unsigned int width = blockDim.x - warp * 32 < 32 ? blockDim.x - warp * 32 : 32;
    unsigned int everybody = 0xffffffffu >> (32 - width);
    unsigned int *places = &warp_places[warp * parts];

    // This warp's run of neighbouring keys within the block's chunk.
    unsigned int run = (chunk + warps - 1) / warps;
    unsigned int end = chunk_end(n, chunk);
    unsigned int first = blockIdx.x * chunk + warp * run;
    unsigned int last = first < end && end - first > run ? first + run : end;

    // 1. Count the run by part.
    for (unsigned int part = lane; part < parts; part += width) {
        places[part] = 0;
    }
    __syncwarp(everybody);
    for (unsigned int i = first + lane; i < last; i += width) {
        atomicAdd(&places[part_of(keys[i], low, bits)], 1u);
    }
    __syncthreads();

    // 2. From counts to first places: where the part begins, plus its keys in
    //    the blocks before, plus its keys in the warps before.
    for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
        unsigned int place = begins[part] + offsets[part * columns + blockIdx.x];
        for (unsigned int w = 0; w < warps; w++) {
            unsigned int count = warp_places[w * parts + part];
            warp_places[w * parts + part] = place;
            place += count;
        }
    }
    __syncthreads();

    // 3. Move the run, a warp's width at a time, in order.
    for (unsigned int i = first + lane; i - lane < last; i += width) {
        unsigned int lanes = __ballot_sync(everybody, i < last);
        if (i < last) {
            unsigned int key = keys[i];
            unsigned int part = part_of(key, low, bits);
            unsigned int alike = lanes_alike(lanes, part, bits);
            unsigned int to_my_left = __popc(alike & ((1u << lane) - 1));
            unsigned int place = places[part];
            __syncwarp(lanes);  // every lane has read before one moves the cursor on
            if (to_my_left == 0) {
                places[part] = place + __popc(alike);
            }
            moved[place + to_my_left] = key;
        }
        __syncwarp(everybody);
    }
}

// Keys that a thread of `staged` holds at a time. The loops over them are
// unrolled, so that each has a register of its own. More of them make larger
// tiles, whose runs are longer and whose tables cost less per key; but registers
// are then left for fewer warps. Of 8, 12, 16 and 20, 16 was fastest on an H200.
#define HELD 16

// For each thread of the block the sum of the values of the threads before it;
// `all` becomes the sum of all values. `sums` has an entry per warp.
static __device__ __forceinline__ unsigned int sum_before(unsigned int value,
                                                          unsigned int everybody,
                                                          unsigned int *sums, unsigned int *all)
{
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;

    // Hillis-Steele from register to register, then over the sums of the warps.
    unsigned int sum = value;
    for (unsigned int distance = 1; distance < 32; distance *= 2) {
        unsigned int left = __shfl_up_sync(everybody, sum, distance);
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
    __syncthreads();  // everybody has read the sums before they are written again
    *all = total;
    return before + sum - value;
}

// A tile is blockDim.x * rounds keys, rounds <= HELD. A chunk longer than that
// takes several tiles, one after the other.
extern "C" __global__ void __launch_bounds__(1024)
radix_reorder_staged(const unsigned int *__restrict__ keys, unsigned int n, unsigned int chunk,
                     unsigned int low, unsigned int bits,
                     const unsigned int *__restrict__ begins,
                     const unsigned int *__restrict__ offsets, unsigned int columns,
                     unsigned int *__restrict__ moved, unsigned int rounds)
{
    unsigned int parts = 1u << bits;
    unsigned int tile = blockDim.x * rounds;
    extern __shared__ unsigned int staged[];  // the tile, sorted by part
    // A key of a part in slot s of the tile goes to moved[targets[part] + s].
    unsigned int *targets = &staged[tile];
    // [warp][part], first counts, then slots. A tile has at most 1024 * HELD keys,
    // so that 16 bits are enough.
    unsigned short *slots = (unsigned short *)&targets[parts];
    __shared__ unsigned int sums[32];

    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    // The last warp of the block may have fewer than 32 lanes.
    unsigned int width = blockDim.x - warp * 32 < 32 ? blockDim.x - warp * 32 : 32;
    unsigned int everybody = 0xffffffffu >> (32 - width);
    unsigned int to_my_left = (1u << lane) - 1;
    unsigned short *my_slots = &slots[warp * parts];
    // This warp's run of neighbouring keys within the tile: `rounds` times its width.
    unsigned int mine = warp * 32 * rounds + lane;

    for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
        targets[part] = begins[part] + offsets[part * columns + blockIdx.x];
    }

    unsigned int end = chunk_end(n, chunk);
    for (unsigned int first = blockIdx.x * chunk; first < end; first += tile) {
        unsigned int count = end - first < tile ? end - first : tile;

        // 1. Read the run. All loads are under way before the first is needed.
        unsigned int held[HELD];
        #pragma unroll
        for (unsigned int round = 0; round < HELD; round++) {
            unsigned int i = mine + round * width;
            held[round] = round < rounds && i < count ? keys[first + i] : 0;
        }

        // 2. Rank each key among those of its part in the run, and count them: as
        //    in `stable`, lanes with the same part find each other by ballots, and
        //    the first of them moves the warp's counter on.
        for (unsigned int part = lane; part < parts; part += width) {
            my_slots[part] = 0;
        }
        __syncwarp(everybody);
        unsigned int rank[HELD];
        #pragma unroll
        for (unsigned int round = 0; round < HELD; round++) {
            if (round < rounds) {
                bool there = mine + round * width < count;
                unsigned int part = part_of(held[round], low, bits);
                unsigned int alike = lanes_alike(everybody, part, bits) &
                                     __ballot_sync(everybody, there);
                unsigned int counted = my_slots[part];
                __syncwarp(everybody);  // every lane has read before one counts on
                if (there && (alike & to_my_left) == 0) {
                    my_slots[part] = counted + __popc(alike);
                }
                __syncwarp(everybody);
                rank[round] = counted + __popc(alike & to_my_left);
            }
        }
        __syncthreads();

        // 3. From counts to slots: the keys of the tile in all parts before, plus
        //    those of the part in the warps before. A thread per part.
        unsigned int carry = 0;
        for (unsigned int stretch = 0; stretch < parts; stretch += blockDim.x) {
            unsigned int part = stretch + threadIdx.x;
            unsigned int total = 0;
            for (unsigned int w = 0; w < warps && part < parts; w++) {
                total += slots[w * parts + part];
            }
            unsigned int all;
            unsigned int slot = carry + sum_before(total, everybody, sums, &all);
            carry += all;
            if (part < parts) {
                targets[part] -= slot;
            }
            for (unsigned int w = 0; w < warps && part < parts; w++) {
                unsigned int in_warp = slots[w * parts + part];
                slots[w * parts + part] = slot;
                slot += in_warp;
            }
        }
        __syncthreads();

        // 4. Sort the tile: scattered writes, but to shared memory.
        #pragma unroll
        for (unsigned int round = 0; round < HELD; round++) {
            if (round < rounds && mine + round * width < count) {
                unsigned int part = part_of(held[round], low, bits);
                staged[my_slots[part] + rank[round]] = held[round];
            }
        }
        __syncthreads();

        // 5. Write it out: neighbouring threads, neighbouring places.
        for (unsigned int slot = threadIdx.x; slot < count; slot += blockDim.x) {
            unsigned int key = staged[slot];
            moved[targets[part_of(key, low, bits)] + slot] = key;
        }
        __syncthreads();

        // 6. Move the targets on. A part ends in the slot where the next begins.
        for (unsigned int part = threadIdx.x; part < parts; part += blockDim.x) {
            targets[part] += part + 1 < parts ? slots[part + 1] : count;
        }
        __syncthreads();
    }
}
