// Merge sort: sort short runs, then merge runs two by two until one is left.
//
// Overview
//   The merge of two sorted runs repeatedly takes the lesser of their first
//   keys. On ties it takes the left one, so that equal keys keep their order: the
//   sort is stable. Merges of different pairs do not depend on each other, but
//   there are fewer of them with every level, down to a single one of all n keys.
//   The variants differ in where the first runs come from, and in what keeps
//   threads busy in the last merges.
//
//   insertion-per-thread
//     sort slices       Every thread sorts a slice of its own by insertion.
//     merge in blocks   Every block merges its threads' slices, level by level,
//                       a pair of runs per thread.
//     merge runs        A single block merges the blocks' runs in the same way.
//     In the last level one thread merges all keys while the others wait.
//
//   merge-path
//     sort slices       As above.
//     merge             Every merge is split evenly over threads: each thread
//                       writes the same number of merged keys, wherever in the
//                       two runs they come from. One launch per level.
//
//   bitonic-block+merge-path
//     sort tiles        Every block sorts a tile in shared memory: each warp sorts
//                       32 keys at a time in its registers by a bitonic network,
//                       and merges along the merge path do the rest.
//     find splits       Where the merge path enters each tile of the output.
//     merge             Every block loads the two stretches that make up its
//                       tile, merges them in shared memory, and writes the tile.
//
// The merge path
//   The merge of runs A and B is a path through a grid that steps right with each
//   key of A and down with each key of B. Its point after d steps lies where the
//   path crosses the d-th diagonal: i keys from A and d - i from B, with
//   A[i - 1] <= B[d - i] and B[d - i - 1] < A[i]. A binary search along the
//   diagonal finds that i in log2 steps, without merging anything before it. O.
//   Green, R. McColl and D. Bader, GPU Merge Path, ICS 2012.
//
// Trade-off
//   Insertion takes about s^2 / 4 moves for a slice of s keys: long slices save
//   levels, at a growing price. Every level of merging in global memory moves all
//   keys through DRAM twice. A tile sorted in shared memory saves the first
//   levels: with 256 threads and 16 keys each, twelve levels of 26 for n = 2^26.
//   Threads of a warp that walk along the merge path read neighbouring runs at
//   unrelated places; in global memory that costs a 32-byte sector per key, in
//   shared memory a few bank conflicts, while the accesses to global memory are
//   of neighbouring keys by neighbouring threads.
//
// Words
//   The u32 kernels sort bare keys, in which the order of equal keys cannot be
//   seen. The u64 kernels sort words that hold a key in the upper half and a
//   payload in the lower (the key's place in the input), and compare keys only.
//   A bitonic network is not stable: it compares whole words, so that equal keys
//   are ordered by their place.
//
// Launch
//   grid   sort slices, merge in blocks, merge-path, sort tiles, merge tiles:
//          max(1, ceil(n / (blockDim.x * items))) blocks, where `items` is the
//          coarsening: keys of a slice, or merged keys per thread.
//          merge runs: 1 block. find splits: ceil(tiles / blockDim.x).
//   block  any number of threads; it need not be a power of two.
//   shared sort tiles, merge tiles: two tiles of blockDim.x * items words, with an
//          unused word after every 128 bytes of them. None for the others.
//   n      below 2^31; blockDim.x * items at most 2^20.

typedef unsigned int u32;
typedef unsigned long long u64;

static __device__ __forceinline__ u32 key(u32 word)
{
    return word;
}

static __device__ __forceinline__ u32 key(u64 word)
{
    return (u32)(word >> 32);
}

// ---- merging ----------------------------------------------------------------

// Words in shared memory, where threads that each write `items` neighbours would
// meet in a few of the 32 banks. The unused words spread them.
template <typename Word>
struct Padded {
    Word *words;

    __device__ __forceinline__ Word &operator[](u32 i) const
    {
        return words[i + i / (128 / sizeof(Word))];
    }
};

// Words that each thread has under way at once when a block copies.
#define BATCH 8

// Rows that each warp has under way at once.
#define ROWS 4

// A block copies `count` words. Nothing stands between the loads of a batch, so
// that they do not wait for each other: beyond the end they load the last word.
template <typename Word, typename From, typename To>
static __device__ __forceinline__ void copy(const From &from, const To &to, u32 count)
{
    for (u32 first = threadIdx.x; first < count; first += BATCH * blockDim.x) {
        Word batch[BATCH];
#pragma unroll
        for (u32 k = 0; k < BATCH; k++) {
            batch[k] = from[min(first + k * blockDim.x, count - 1)];
        }
#pragma unroll
        for (u32 k = 0; k < BATCH; k++) {
            if (first + k * blockDim.x < count) {
                to[first + k * blockDim.x] = batch[k];
            }
        }
    }
}

// Two runs to merge, as places in one array: [left, left_end) and
// [right, right_end).
struct Runs {
    u32 left;
    u32 left_end;
    u32 right;
    u32 right_end;
};

// How many of the first `diagonal` merged keys come from the left run.
template <typename Words>
static __device__ __forceinline__ u32 split(const Words &words, const Runs &runs, u32 diagonal)
{
    u32 left_count = runs.left_end - runs.left;
    u32 right_count = runs.right_end - runs.right;
    u32 low = diagonal > right_count ? diagonal - right_count : 0;
    u32 high = min(diagonal, left_count);
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (key(words[runs.left + middle]) <= key(words[runs.right + diagonal - 1 - middle])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The runs without their first `diagonal` merged keys.
template <typename Words>
static __device__ __forceinline__ Runs skip(const Words &words, Runs runs, u32 diagonal)
{
    u32 from_left = split(words, runs, diagonal);
    runs.left += from_left;
    runs.right += diagonal - from_left;
    return runs;
}

// Writes the first `count` merged words of the runs to to[out], to[out + 1], ...
// The first word of each run is kept in a register, and only the one that was
// taken is replaced. Once a run is used up, its word is any word up to `last`, and
// never taken.
template <typename Word, typename From, typename To>
static __device__ __forceinline__ void merge(const From &from, Runs runs, u32 last, const To &to,
                                             u32 out, u32 count)
{
    Word left = from[min(runs.left, last)];
    Word right = from[min(runs.right, last)];
#pragma unroll 4
    for (u32 i = 0; i < count; i++) {
        bool take_left = runs.right >= runs.right_end ||
                         (runs.left < runs.left_end && key(left) <= key(right));
        to[out + i] = take_left ? left : right;
        runs.left += take_left;
        runs.right += !take_left;
        Word next = from[min(take_left ? runs.left : runs.right, last)];
        left = take_left ? next : left;
        right = take_left ? right : next;
    }
}

// The two runs of `width` words from `first` on, of which those from `end` on do
// not exist.
static __device__ __forceinline__ Runs pair_of_runs(u32 first, u32 width, u32 end)
{
    Runs runs;
    runs.left = first;
    runs.left_end = min(first + width, end);
    runs.right = runs.left_end;
    runs.right_end = min(runs.right + width, end);
    return runs;
}

// ---- sort slices: insertion, a slice per thread -----------------------------

template <typename Word>
static __device__ __forceinline__ void sort_slices(const Word *words, Word *sorted, u32 n,
                                                   u32 items)
{
    u32 first = (blockIdx.x * blockDim.x + threadIdx.x) * items;
    u32 end = min(first + items, n);
    for (u32 i = first; i < end; i++) {
        Word word = words[i];
        u32 place = i;
        // Greater keys make room; equal ones stay before it.
        while (place > first && key(sorted[place - 1]) > key(word)) {
            sorted[place] = sorted[place - 1];
            place--;
        }
        sorted[place] = word;
    }
}

extern "C" __global__ void merge_sort_slices_u32(const u32 *words, u32 *sorted, u32 n, u32 items)
{
    sort_slices(words, sorted, n, items);
}

extern "C" __global__ void merge_sort_slices_u64(const u64 *words, u64 *sorted, u32 n, u32 items)
{
    sort_slices(words, sorted, n, items);
}

// ---- merge in blocks, merge runs: a pair of runs per thread -----------------

// Every block merges the runs of `run` words in its own `span`, in `levels`
// levels. Words go from one array to the other in each level, so with an odd
// number of levels they end in `b`. A run without a partner is copied, as the
// others move too.
template <typename Word>
static __device__ __forceinline__ void merge_pairs(Word *a, Word *b, u32 n, u32 span, u32 run,
                                                   u32 levels)
{
    u32 first = blockIdx.x * span;
    u32 end = min(first + span, n);
    u32 count = first < end ? end - first : 0;
    Word *from = a;
    Word *to = b;
    u32 width = run;
    for (u32 level = 0; level < levels; level++) {
        u32 pairs = count > 0 ? (count - 1) / (2 * width) + 1 : 0;
        for (u32 pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
            Runs runs = pair_of_runs(first + pair * 2 * width, width, end);
            merge<Word>(from, runs, end - 1, to, runs.left, runs.right_end - runs.left);
        }
        __syncthreads();  // a level needs all runs of the level before it
        Word *swap = from;
        from = to;
        to = swap;
        width *= 2;
    }
}

extern "C" __global__ void merge_sort_pairs_u32(u32 *a, u32 *b, u32 n, u32 span, u32 run,
                                                u32 levels)
{
    merge_pairs(a, b, n, span, run, levels);
}

extern "C" __global__ void merge_sort_pairs_u64(u64 *a, u64 *b, u32 n, u32 span, u32 run,
                                                u32 levels)
{
    merge_pairs(a, b, n, span, run, levels);
}

// ---- merge-path: every merge split evenly over threads ----------------------

// One level: runs of `width` words, a multiple of `items`, become runs of twice
// that. Each thread writes `items` merged words.
template <typename Word>
static __device__ __forceinline__ void merge_path(const Word *from, Word *to, u32 n, u32 width,
                                                  u32 items)
{
    u32 out = (blockIdx.x * blockDim.x + threadIdx.x) * items;
    if (out >= n) {
        return;
    }
    u32 first = out / (2 * width) * (2 * width);
    Runs runs = skip(from, pair_of_runs(first, width, n), out - first);
    merge<Word>(from, runs, n - 1, to, out, min(items, n - out));
}

extern "C" __global__ void merge_sort_path_u32(const u32 *from, u32 *to, u32 n, u32 width,
                                               u32 items)
{
    merge_path(from, to, n, width, items);
}

extern "C" __global__ void merge_sort_path_u64(const u64 *from, u64 *to, u32 n, u32 width,
                                               u32 items)
{
    merge_path(from, to, n, width, items);
}

// ---- sort tiles: bitonic rows in registers, merged in shared memory ---------

// Dynamic shared memory is declared once, aligned for both types of words.
extern __shared__ u64 shared_words[];

// Sorts one word per lane over the first `lanes` lanes of a warp, a power of two.
// Runs of k lanes, alternately ascending and descending, are merged into runs of
// 2k by exchanges at distance k, k / 2, ... 1.
template <typename Word>
static __device__ __forceinline__ Word bitonic_row(Word word, u32 lane, u32 lanes)
{
    u32 mask = 0xffffffffu >> (32 - lanes);
#pragma unroll
    for (u32 run = 2; run <= 32; run *= 2) {
        if (run > lanes) {
            break;
        }
#pragma unroll
        for (u32 distance = run / 2; distance > 0; distance /= 2) {
            Word other = __shfl_xor_sync(mask, word, distance);
            bool ascending = (lane & run) == 0;
            bool lower = (lane & distance) == 0;
            word = lower == ascending ? min(word, other) : max(word, other);
        }
    }
    return word;
}

template <typename Word>
static __device__ __forceinline__ void sort_tiles(const Word *words, Word *sorted, u32 n, u32 items)
{
    u32 tile = blockDim.x * items;
    u32 first = blockIdx.x * tile;
    u32 count = first < n ? min(tile, n - first) : 0;
    Padded<Word> from = { reinterpret_cast<Word *>(shared_words) };
    Padded<Word> to = { &from[tile] };

    // Rows of as many words as a warp has lanes. In a block of less than a warp,
    // the largest power of two; a last warp of fewer than 32 lanes sorts no rows.
    u32 lanes = blockDim.x < 32 ? 1u << (31 - __clz(blockDim.x)) : 32;
    u32 lane = threadIdx.x % 32;
    u32 warps = max(1u, blockDim.x / 32);
    u32 rows = (count + lanes - 1) / lanes;
    if (threadIdx.x / 32 < warps && lane < lanes) {
        for (u32 row = threadIdx.x / 32; row < rows; row += ROWS * warps) {
            Word batch[ROWS];
#pragma unroll
            for (u32 k = 0; k < ROWS; k++) {
                u32 i = (row + k * warps) * lanes + lane;
                // Words that do not exist go behind all others.
                Word word = words[first + min(i, count - 1)];
                batch[k] = i < count ? word : ~Word(0);
            }
#pragma unroll
            for (u32 k = 0; k < ROWS; k++) {
                u32 i = (row + k * warps) * lanes + lane;
                if (row + k * warps < rows) {
                    Word word = bitonic_row(batch[k], lane, lanes);
                    if (i < count) {
                        from[i] = word;
                    }
                }
            }
        }
    }
    __syncthreads();  // the rows have to be sorted

    // Each thread writes `items` merged words in every level. Where these are
    // more than a pair of runs, or begin in one pair and end in the next, it
    // takes them pair by pair.
    u32 begin = min(threadIdx.x * items, count);
    u32 end = min(begin + items, count);
    for (u32 width = lanes; width < count; width *= 2) {
        for (u32 out = begin; out < end;) {
            u32 pair = out & ~(2 * width - 1);  // a width is a power of two
            u32 stop = min(end, pair + 2 * width);
            Runs runs = skip(from, pair_of_runs(pair, width, count), out - pair);
            merge<Word>(from, runs, count - 1, to, out, stop - out);
            out = stop;
        }
        __syncthreads();  // a level needs all runs of the level before it
        Padded<Word> swap = from;
        from = to;
        to = swap;
    }

    copy<Word>(from, sorted + first, count);
}

extern "C" __global__ void __launch_bounds__(1024)
merge_sort_tiles_u32(const u32 *words, u32 *sorted, u32 n, u32 items)
{
    sort_tiles(words, sorted, n, items);
}

extern "C" __global__ void __launch_bounds__(1024)
merge_sort_tiles_u64(const u64 *words, u64 *sorted, u32 n, u32 items)
{
    sort_tiles(words, sorted, n, items);
}

// ---- find splits, merge tiles: the merge path through shared memory ---------

// One thread per tile of the output: how many words of its pair's left run lie
// before the tile. `width` is a multiple of `tile`.
template <typename Word>
static __device__ __forceinline__ void find_splits(const Word *words, u32 *splits, u32 n, u32 width,
                                                   u32 tile)
{
    u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= (n + tile - 1) / tile) {
        return;
    }
    u32 out = index * tile;
    u32 first = out / (2 * width) * (2 * width);
    splits[index] = split(words, pair_of_runs(first, width, n), out - first);
}

extern "C" __global__ void merge_sort_splits_u32(const u32 *words, u32 *splits, u32 n, u32 width,
                                                 u32 tile)
{
    find_splits(words, splits, n, width, tile);
}

extern "C" __global__ void merge_sort_splits_u64(const u64 *words, u32 *splits, u32 n, u32 width,
                                                 u32 tile)
{
    find_splits(words, splits, n, width, tile);
}

// Two stretches as one: word i comes from the left one as long as it lasts.
template <typename Word>
struct Stretches {
    const Word *left;
    const Word *right;  // of the word after the last of the left one, less its index
    u32 left_count;

    __device__ __forceinline__ Word operator[](u32 i) const
    {
        return i < left_count ? left[i] : right[i];
    }
};

template <typename Word>
static __device__ __forceinline__ void merge_tiles(const Word *from, Word *to, const u32 *splits,
                                                   u32 n, u32 width, u32 items)
{
    u32 tile = blockDim.x * items;
    u32 first = blockIdx.x * tile;
    if (first >= n) {
        return;
    }
    u32 count = min(tile, n - first);
    // Staged words are read at places that nobody can foresee, merged ones are
    // written at a stride of `items`: only those need the padding.
    Word *staged = reinterpret_cast<Word *>(shared_words);
    Padded<Word> merged = { staged + tile };

    // The stretches of the two runs that make up this tile: from its own split to
    // that of the next tile, or to the end if it is the last of its pair.
    u32 pair = first / (2 * width) * (2 * width);
    Runs whole = pair_of_runs(pair, width, n);
    u32 before = splits[blockIdx.x];
    u32 left_count = whole.left_end - whole.left - before;
    if (first + count < whole.right_end) {
        left_count = splits[blockIdx.x + 1] - before;
    }
    Stretches<Word> stretches;
    stretches.left = from + whole.left + before;
    stretches.left_count = left_count;
    stretches.right = from + whole.right + (first - pair - before) - left_count;
    copy<Word>(stretches, staged, count);
    __syncthreads();  // both stretches have to be there

    u32 out = threadIdx.x * items;
    if (out < count) {
        Runs runs = { 0, left_count, left_count, count };
        runs = skip(staged, runs, out);
        merge<Word>(staged, runs, count - 1, merged, out, min(items, count - out));
    }
    __syncthreads();  // the tile has to be complete

    copy<Word>(merged, to + first, count);
}

extern "C" __global__ void __launch_bounds__(1024)
merge_sort_merge_tiles_u32(const u32 *from, u32 *to, const u32 *splits, u32 n, u32 width, u32 items)
{
    merge_tiles(from, to, splits, n, width, items);
}

extern "C" __global__ void __launch_bounds__(1024)
merge_sort_merge_tiles_u64(const u64 *from, u64 *to, const u32 *splits, u32 n, u32 width, u32 items)
{
    merge_tiles(from, to, splits, n, width, items);
}
