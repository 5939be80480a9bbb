// Merge sort: sort short runs, then merge pairs of runs until one run is left.
//
// Overview
//   A merge of two sorted runs repeatedly takes the smaller of their first keys. On
//   ties it takes the left one, so equal keys keep their order: the sort is stable.
//   Merges of different pairs are independent, but each level has half as many, down
//   to a single merge of all n keys. The variants differ in how they sort the first
//   runs, and in how they keep threads busy in the last merges.
//
//   insertion-per-thread
//     Idea: three steps. sort slices: each thread sorts a slice by insertion. merge
//     in blocks: each block merges its slices level by level, one pair of runs per
//     thread. merge runs: a single block merges the blocks' runs in the same way.
//     Cost: a slice of s keys takes about s^2 / 4 moves. In the last level one thread
//     merges all keys while the others wait.
//     Counter: `thread_instructions` / `warp_instructions`, the mean of active lanes,
//     is far below 32.
//
//   merge-path
//     Idea: sort slices as above. Then each merge is split evenly over threads: each
//     thread writes the same number of merged keys, wherever in the two runs they
//     come from. One launch per level.
//     Cost: each thread first searches its start. Each level moves all keys through
//     DRAM twice. Threads of a warp read at unrelated places, a 32-byte sector per
//     key.
//     Counter: `global_load_sectors` per `global_load_requests`.
//
//   bitonic-block+merge-path
//     Idea: three steps. sort tiles: each block sorts a tile in shared memory; each
//     warp sorts rows of 32 keys in registers by a bitonic network, and merges along
//     the merge path do the rest. find splits: where the merge path enters each tile
//     of the output. merge: each block loads the two segments that make up its tile,
//     merges them in shared memory, and writes the tile.
//     Cost: shared memory for two tiles, and bank conflicts of reads at unrelated
//     places. With 256 threads and 16 keys each, the first step saves twelve levels
//     of 26 for n = 2^26.
//     Counter: `global_load_sectors` falls, `shared_bank_conflicts` appears.
//
// The merge path
//   The merge of runs A and B is a path through a grid: one step right for each key
//   of A, one step down for each key of B. After d steps the path crosses diagonal d,
//   with i keys from A and d - i from B, where A[i - 1] <= B[d - i] and
//   B[d - i - 1] < A[i]. A binary search along the diagonal finds i without merging
//   anything before it. O. Green, R. McColl and D. Bader, GPU Merge Path, ICS 2012.
//
// Words
//   The u32 kernels sort keys alone, where the order of equal keys is not visible.
//   The u64 kernels sort words with a key in the upper half and a payload in the
//   lower half (the index of the key in the input), and compare only keys. A bitonic
//   network is not stable, so it compares whole words: equal keys are then ordered by
//   their index.
//
// Launch
//   grid   sort slices, merge in blocks, merge-path, sort tiles, merge tiles:
//          max(1, ceil(n / (blockDim.x * items))) blocks, where `items` is the
//          coarsening: keys per slice, or merged keys per thread.
//          merge runs: 1 block. find splits: ceil(tiles / blockDim.x).
//   block  any number of threads; it need not be a power of two.
//   shared sort tiles, merge tiles: two tiles of blockDim.x * items words, with an
//          unused word after every 128 bytes. None for the others.
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

// Words in shared memory with padding. Threads that each write `items` neighbours would
// use few of the 32 banks; the unused words spread them over all.
template <typename Word>
struct Padded {
    Word *words;

    __device__ __forceinline__ Word &operator[](u32 i) const
    {
        return words[i + i / (128 / sizeof(Word))];
    }
};

// Loads in flight per thread when a block copies.
#define BATCH 8

// Rows that each warp loads at a time.
#define ROWS 4

// A block copies `count` words. The loads of a batch have no condition between them, so
// they do not wait for each other: beyond the end they load the last word.
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

// Two runs to merge, as index ranges of one array: [left, left_end) and
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
static __device__ __forceinline__ Runs advance(const Words &words, Runs runs, u32 diagonal)
{
    u32 from_left = split(words, runs, diagonal);
    runs.left += from_left;
    runs.right += diagonal - from_left;
    return runs;
}

// Writes the first `count` merged words of the runs to to[out], to[out + 1], ... The
// first word of each run is in a register, and only the word that was taken is
// replaced. An empty run has any word up to `last` there, which is never taken.
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

// The two runs of `width` words from `first` on, cut off at `end`.
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
        u32 at = i;
        // Greater keys move up by one; equal keys stay before this one.
        while (at > first && key(sorted[at - 1]) > key(word)) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = word;
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

// Each block merges the runs of `run` words in its own `span`, in `levels` levels. Each
// level moves the words from one array to the other, so after an odd number of levels
// they are in `b`. A run without a partner is copied.
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
        __syncthreads();  // all runs of this level are complete
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

// One level: runs of `width` words, a multiple of `items`, become runs of twice the
// width. Each thread writes `items` merged words.
template <typename Word>
static __device__ __forceinline__ void merge_path(const Word *from, Word *to, u32 n, u32 width,
                                                  u32 items)
{
    u32 out = (blockIdx.x * blockDim.x + threadIdx.x) * items;
    if (out >= n) {
        return;
    }
    u32 first = out / (2 * width) * (2 * width);
    Runs runs = advance(from, pair_of_runs(first, width, n), out - first);
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

// Dynamic shared memory is declared once, aligned for both word types.
extern __shared__ u64 shared_words[];

// Sorts one word per lane over the first `lanes` lanes of a warp, a power of two. Runs
// of k lanes, alternately ascending and descending, become runs of 2k by exchanges at
// distance k, k / 2, ... 1.
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

    // A row has one word per lane of a warp. In a block smaller than a warp it is the
    // largest power of two; a last warp of fewer than 32 lanes sorts no rows.
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
                // Words beyond the end sort behind all others.
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
    __syncthreads();  // all rows are sorted

    // Each thread writes `items` merged words per level. If these cover more than one
    // pair of runs, the thread merges pair by pair.
    u32 begin = min(threadIdx.x * items, count);
    u32 end = min(begin + items, count);
    for (u32 width = lanes; width < count; width *= 2) {
        for (u32 out = begin; out < end;) {
            u32 pair = out & ~(2 * width - 1);  // a width is a power of two
            u32 stop = min(end, pair + 2 * width);
            Runs runs = advance(from, pair_of_runs(pair, width, count), out - pair);
            merge<Word>(from, runs, count - 1, to, out, stop - out);
            out = stop;
        }
        __syncthreads();  // all runs of this level are complete
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

// One thread per tile of the output: how many words of its pair's left run come before
// the tile. `width` is a multiple of `tile`.
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

// Two segments as one: the words of the left segment, then those of the right.
template <typename Word>
struct Segments {
    const Word *left;
    const Word *right;  // such that right[left_count] is the first word of the right
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
    // Staged words are read at unpredictable indices. Merged words are written with a
    // stride of `items`: only those need the padding.
    Word *staged = reinterpret_cast<Word *>(shared_words);
    Padded<Word> merged = { staged + tile };

    // The segments of the two runs that make up this tile: from its own split to that
    // of the next tile, or to the end if it is the last of its pair.
    u32 pair = first / (2 * width) * (2 * width);
    Runs whole = pair_of_runs(pair, width, n);
    u32 before = splits[blockIdx.x];
    u32 left_count = whole.left_end - whole.left - before;
    if (first + count < whole.right_end) {
        left_count = splits[blockIdx.x + 1] - before;
    }
    Segments<Word> segments;
    segments.left = from + whole.left + before;
    segments.left_count = left_count;
    segments.right = from + whole.right + (first - pair - before) - left_count;
    copy<Word>(segments, staged, count);
    __syncthreads();  // both segments are loaded

    u32 out = threadIdx.x * items;
    if (out < count) {
        Runs runs = { 0, left_count, left_count, count };
        runs = advance(staged, runs, out);
        merge<Word>(staged, runs, count - 1, merged, out, min(items, count - out));
    }
    __syncthreads();  // the tile is complete

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
