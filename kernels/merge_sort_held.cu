// Merge sort with the words of a thread in registers.
//
// Overview
//   The rungs above `bitonic-block+merge-path` of merge_sort.cu, which explains the merge
//   path and the words.
//
//   register-tiles
//     Idea: a thread loads HELD words, sorts them in registers by a network, and from
//     then on merges into registers. A block therefore needs shared memory for one tile
//     instead of two, so twice the warps hide each other's latency, and no word is copied
//     from one tile to the other.
//     Cost: registers. A kernel for each HELD.
//     Counter: `shared_load_requests` and `barriers` fall.
//
//   four-way
//     Idea: each pass merges four runs, so there are half as many passes, and each moves
//     all words through DRAM once. A block merges two pairs of segments in shared
//     memory, and then the two results. (To take the least of four heads word by word
//     was half as fast on an H200: three comparisons and a choice among four per word.)
//     Cost: a longer search for the place where a tile begins in each run; the pairs
//     merge one after the other, so the instructions stay.
//     Counter: `global_load_sectors` and `global_store_sectors` fall by nearly half.
//
// Where four runs are cut
//   `rank` merged words lie before a tile. Look at the word `step` places on in each run,
//   with step = rank / 4. Let x be the least of these four. In each of the other runs,
//   fewer than `step` words are less than x, so fewer than 4 * step <= rank words are, in
//   all. The first `step` words of the run with x are therefore among the first `rank`
//   merged words: move past them, and subtract `step` from `rank`. A fourth of the rank
//   goes each time.
//
// Order of equal keys
//   Whole words are compared: a key alone, or a key with its index below it. No two words
//   with an index are equal, so equal keys are ordered by their index. A word of ones
//   stands for the end of a run. A key of all ones is equal to it, so it does not matter
//   which of the two is taken.
//
// Launch
//   grid   max(1, ceil(n / tile)) blocks of a tile of blockDim.x * HELD words.
//          splits: a thread per tile.
//   block  any number of threads; it need not be a power of two.
//   shared one tile, with an unused word after every 128 bytes.
//   n      below 2^31.

typedef unsigned int u32;
typedef unsigned long long u64;

// Dynamic shared memory is declared once, aligned for both word types.
extern __shared__ u64 shared_words[];

// Words in shared memory with padding. Threads that each write HELD neighbours would use
// few of the 32 banks; the unused words spread them over all.
template <typename Word>
struct Padded {
    Word *words;

    __device__ __forceinline__ Word &operator[](u32 i) const
    {
        return words[i + i / (128 / sizeof(Word))];
    }
};

// The words of a tile, neighbours in different threads, in any order or sorted.
template <u32 HELD, typename Word, typename From>
static __device__ __forceinline__ void load(Word (&held)[HELD], const From &from, u32 count)
{
#pragma unroll
    for (u32 round = 0; round < HELD; round++) {
        u32 i = round * blockDim.x + threadIdx.x;
        held[round] = i < count ? from[i] : ~Word(0);
    }
}

// Writes the sorted words of the threads to a tile.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void store(const Word (&held)[HELD], const Padded<Word> &tile,
                                             Word *to, u32 count)
{
    __syncthreads();  // all threads have read the tile
#pragma unroll
    for (u32 i = 0; i < HELD; i++) {
        tile[threadIdx.x * HELD + i] = held[i];
    }
    __syncthreads();  // the tile is complete
#pragma unroll
    for (u32 round = 0; round < HELD; round++) {
        u32 i = round * blockDim.x + threadIdx.x;
        if (i < count) {
            to[i] = tile[i];
        }
    }
}

// ---- sort tiles: a network in registers, merges through shared memory -----------

// K. Batcher's odd-even merge sort: runs of `run` words become runs of twice the length.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void sort_held(Word (&held)[HELD])
{
#pragma unroll
    for (u32 run = 1; run < HELD; run *= 2) {
#pragma unroll
        for (u32 distance = run; distance >= 1; distance /= 2) {
            u32 start = distance % run;
#pragma unroll
            for (u32 i = 0; i < HELD; i++) {
                u32 j = i + distance;
                bool compared = i >= start && (i - start) % (2 * distance) < distance;
                if (j < HELD && compared && i / (2 * run) == j / (2 * run)) {
                    Word less = min(held[i], held[j]);
                    held[j] = max(held[i], held[j]);
                    held[i] = less;
                }
            }
        }
    }
}

// Two runs to merge, as index ranges: [left, left_end) and [right, right_end).
struct Runs {
    u32 left;
    u32 left_end;
    u32 right;
    u32 right_end;
};

// How many of the first `diagonal` merged words come from the left run.
template <typename Words>
static __device__ __forceinline__ u32 split(const Words &words, const Runs &runs, u32 diagonal)
{
    u32 left_count = runs.left_end - runs.left;
    u32 right_count = runs.right_end - runs.right;
    u32 low = diagonal > right_count ? diagonal - right_count : 0;
    u32 high = min(diagonal, left_count);
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (words[runs.left + middle] <= words[runs.right + diagonal - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The first HELD merged words of two runs. From word `turn` on, those of two other runs.
template <u32 HELD, typename Word, typename From>
static __device__ __forceinline__ void merge_two(Word (&held)[HELD], const From &from, Runs runs,
                                                 u32 turn = HELD, const Runs &others = Runs())
{
    Word left = runs.left < runs.left_end ? from[runs.left] : ~Word(0);
    Word right = runs.right < runs.right_end ? from[runs.right] : ~Word(0);
#pragma unroll
    for (u32 i = 0; i < HELD; i++) {
        if (i == turn) {
            runs = others;
            left = runs.left < runs.left_end ? from[runs.left] : ~Word(0);
            right = runs.right < runs.right_end ? from[runs.right] : ~Word(0);
        }
        bool take_left = left <= right;
        held[i] = take_left ? left : right;
        u32 next = 1 + (take_left ? runs.left : runs.right);
        u32 end = take_left ? runs.left_end : runs.right_end;
        Word word = next < end ? from[next] : ~Word(0);
        left = take_left ? word : left;
        right = take_left ? right : word;
        runs.left = take_left ? next : runs.left;
        runs.right = take_left ? runs.right : next;
    }
}

// The two runs of `width` words around word `first`, cut off at `end`.
static __device__ __forceinline__ Runs pair_of_runs(u32 first, u32 width, u32 end)
{
    Runs runs;
    runs.left = min(first, end);
    runs.left_end = min(first + width, end);
    runs.right = runs.left_end;
    runs.right_end = min(first + 2 * width, end);
    return runs;
}

template <u32 HELD, typename Word>
static __device__ __forceinline__ void sort_tiles(const Word *words, Word *sorted, u32 n)
{
    u32 size = blockDim.x * HELD;
    u32 first = blockIdx.x * size;
    u32 count = first < n ? min(size, n - first) : 0;
    Padded<Word> tile = {reinterpret_cast<Word *>(shared_words)};

    Word held[HELD];
    load(held, words + first, count);
    sort_held(held);
    u32 mine = threadIdx.x * HELD;
    for (u32 width = HELD; width < size; width *= 2) {
        __syncthreads();  // all threads have read the tile
#pragma unroll
        for (u32 i = 0; i < HELD; i++) {
            tile[mine + i] = held[i];
        }
        __syncthreads();  // the tile is complete
        u32 pair = mine / (2 * width) * (2 * width);
        Runs runs = pair_of_runs(pair, width, size);
        u32 from_left = split(tile, runs, mine - pair);
        runs.left += from_left;
        runs.right += mine - pair - from_left;
        merge_two(held, tile, runs);
    }
    store(held, tile, sorted + first, count);
}

// ---- merge two runs -------------------------------------------------------------

// One thread per tile of the output: where the tile begins in the left run of its pair.
// `width` is a multiple of `tile`.
template <typename Word>
static __device__ __forceinline__ void find_two(const Word *words, u32 *splits, u32 n, u32 width,
                                                u32 tile)
{
    u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= (n + tile - 1) / tile) {
        return;
    }
    u32 out = index * tile;
    u32 pair = out / (2 * width) * (2 * width);
    Runs runs = pair_of_runs(pair, width, n);
    splits[index] = runs.left + split(words, runs, out - pair);
}

// Two segments of a run, as one after the other.
template <typename Word>
struct TwoSegments {
    const Word *words;
    u32 left;        // index of the first word of the left segment
    u32 right;       // of the right segment, less the length of the left one
    u32 left_count;

    __device__ __forceinline__ Word operator[](u32 i) const
    {
        return words[i + (i < left_count ? left : right)];
    }
};

template <u32 HELD, typename Word>
static __device__ __forceinline__ void merge_two_runs(const Word *from, Word *to,
                                                      const u32 *splits, u32 n, u32 width)
{
    u32 size = blockDim.x * HELD;
    u32 first = blockIdx.x * size;
    if (first >= n) {
        return;
    }
    u32 count = min(size, n - first);
    Word *staged = reinterpret_cast<Word *>(shared_words);

    // The tile begins at its own split and ends at that of the next tile, or at the end
    // of the runs if it is the last of its pair.
    u32 pair = first / (2 * width) * (2 * width);
    Runs runs = pair_of_runs(pair, width, n);
    u32 left = splits[blockIdx.x];
    u32 right = runs.right + (first - pair) - (left - runs.left);
    u32 left_end = first + count < runs.right_end ? splits[blockIdx.x + 1] : runs.left_end;
    u32 left_count = left_end - left;
    TwoSegments<Word> segments = {from, left, right - left_count, left_count};

    Word held[HELD];
    load(held, segments, count);
#pragma unroll
    for (u32 round = 0; round < HELD; round++) {
        staged[round * blockDim.x + threadIdx.x] = held[round];
    }
    __syncthreads();  // both segments are loaded

    u32 out = min(threadIdx.x * HELD, count);
    Runs own = {0, left_count, left_count, count};
    u32 from_left = split(staged, own, out);
    own.left += from_left;
    own.right += out - from_left;
    merge_two(held, staged, own);
    store(held, Padded<Word>{staged}, to + first, count);
}

// ---- merge four runs ------------------------------------------------------------

// Four runs, as index ranges [at, end).
struct FourRuns {
    u32 at[4];
    u32 end[4];
};

// Moves past the first `rank` merged words (see the overview).
template <typename Word, typename Words>
static __device__ __forceinline__ void advance(FourRuns &runs, const Words &words, u32 rank)
{
    while (rank > 0) {
        u32 step = max(1u, rank / 4);
        u32 which = 4;
        Word least = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            u32 i = runs.at[k] + step - 1;
            if (i < runs.end[k]) {
                Word word = words[i];
                bool less = which == 4 || word < least;
                which = less ? k : which;
                least = less ? word : least;
            }
        }
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            runs.at[k] += which == k ? step : 0;
        }
        rank -= step;
    }
}

// The four runs of `width` words from word `first` on, cut off at `end`.
static __device__ __forceinline__ FourRuns four_runs(u32 first, u32 width, u32 end)
{
    FourRuns runs;
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        // 4 * width can be 2^32 or more; `end - first` is not.
        u64 start = (u64)first + (u64)k * width;
        runs.at[k] = (u32)min(start, (u64)end);
        runs.end[k] = (u32)min(start + width, (u64)end);
    }
    return runs;
}

// The first word of the four runs that hold word `i`.
static __device__ __forceinline__ u32 group_of(u32 i, u32 width)
{
    return (u32)(i / (4 * (u64)width) * (4 * (u64)width));
}

// One thread per tile of the output: where the tile begins in each of its four runs.
template <typename Word>
static __device__ __forceinline__ void find_four(const Word *words, uint4 *splits, u32 n,
                                                 u32 width, u32 tile)
{
    u32 index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= (n + tile - 1) / tile) {
        return;
    }
    u32 out = index * tile;
    u32 group = group_of(out, width);
    FourRuns runs = four_runs(group, width, n);
    advance<Word>(runs, words, out - group);
    splits[index] = make_uint4(runs.at[0], runs.at[1], runs.at[2], runs.at[3]);
}

// Segments of four runs, as one after the other: segment k begins at bound[k], and
// its words at offset[k] + bound[k].
template <typename Word>
struct FourSegments {
    const Word *words;
    u32 bound[4];
    u32 offset[4];

    __device__ __forceinline__ Word operator[](u32 i) const
    {
        u32 lower = i < bound[1] ? offset[0] : offset[1];
        u32 upper = i < bound[3] ? offset[2] : offset[3];
        return words[i + (i < bound[2] ? lower : upper)];
    }
};

template <u32 HELD, typename Word>
static __device__ __forceinline__ void merge_four_runs(const Word *from, Word *to,
                                                       const uint4 *splits, u32 n, u32 width)
{
    u32 size = blockDim.x * HELD;
    u32 first = blockIdx.x * size;
    if (first >= n) {
        return;
    }
    u32 count = min(size, n - first);
    Word *staged = reinterpret_cast<Word *>(shared_words);

    // The tile begins at its own splits and ends at those of the next tile, or at the end
    // of the runs if it is the last of its group.
    FourRuns runs = four_runs(group_of(first, width), width, n);
    uint4 begin = splits[blockIdx.x];
    uint4 end = make_uint4(runs.end[0], runs.end[1], runs.end[2], runs.end[3]);
    if (first + count < runs.end[3]) {
        end = splits[blockIdx.x + 1];
    }
    FourSegments<Word> segments;
    segments.words = from;
    segments.bound[0] = 0;
    segments.bound[1] = end.x - begin.x;
    segments.bound[2] = segments.bound[1] + end.y - begin.y;
    segments.bound[3] = segments.bound[2] + end.z - begin.z;
    segments.offset[0] = begin.x;
    segments.offset[1] = begin.y - segments.bound[1];
    segments.offset[2] = begin.z - segments.bound[2];
    segments.offset[3] = begin.w - segments.bound[3];

    Word held[HELD];
    load(held, segments, count);
#pragma unroll
    for (u32 round = 0; round < HELD; round++) {
        staged[round * blockDim.x + threadIdx.x] = held[round];
    }
    __syncthreads();  // all segments are loaded

    // Two merges, of the first two segments and of the last two, give two runs, one after
    // the other. One thread may write the end of the first and the beginning of the second.
    u32 out = min(threadIdx.x * HELD, count);
    u32 half = segments.bound[2];
    Runs lower = {0, segments.bound[1], segments.bound[1], half};
    Runs upper = {half, segments.bound[3], segments.bound[3], count};
    bool in_lower = out < half;
    Runs own = in_lower ? lower : upper;
    u32 rank = in_lower ? out : out - half;
    u32 from_left = split(staged, own, rank);
    own.left += from_left;
    own.right += rank - from_left;
    merge_two(held, staged, own, in_lower ? half - out : HELD, upper);
    __syncthreads();  // all threads have read the segments
    Padded<Word> tile = {staged};
#pragma unroll
    for (u32 i = 0; i < HELD; i++) {
        tile[threadIdx.x * HELD + i] = held[i];
    }
    __syncthreads();  // both runs are complete

    // The third merge, of the two results.
    own = {0, half, half, count};
    from_left = split(tile, own, out);
    own.left += from_left;
    own.right += out - from_left;
    merge_two(held, tile, own);
    store(held, tile, to + first, count);
}

// ---- kernels --------------------------------------------------------------------

#define OF_WORD(Word)                                                                      \
    extern "C" __global__ void merge_sort_held_splits_##Word(                              \
        const Word *words, u32 *splits, u32 n, u32 width, u32 tile)                        \
    {                                                                                      \
        find_two(words, splits, n, width, tile);                                           \
    }                                                                                      \
    extern "C" __global__ void merge_sort_four_splits_##Word(                              \
        const Word *words, uint4 *splits, u32 n, u32 width, u32 tile)                      \
    {                                                                                      \
        find_four(words, splits, n, width, tile);                                          \
    }

#define OF_HELD(Word, HELD)                                                                \
    extern "C" __global__ void __launch_bounds__(1024)                                     \
    merge_sort_held_tiles_##HELD##_##Word(const Word *words, Word *sorted, u32 n)          \
    {                                                                                      \
        sort_tiles<HELD>(words, sorted, n);                                                \
    }                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024)                                     \
    merge_sort_held_merge_##HELD##_##Word(const Word *from, Word *to, const u32 *splits,   \
                                          u32 n, u32 width)                                \
    {                                                                                      \
        merge_two_runs<HELD>(from, to, splits, n, width);                                  \
    }                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024)                                     \
    merge_sort_four_merge_##HELD##_##Word(const Word *from, Word *to, const uint4 *splits, \
                                          u32 n, u32 width)                                \
    {                                                                                      \
        merge_four_runs<HELD>(from, to, splits, n, width);                                 \
    }

OF_WORD(u32)
OF_WORD(u64)
OF_HELD(u32, 4)
OF_HELD(u64, 4)
OF_HELD(u32, 8)
OF_HELD(u64, 8)
OF_HELD(u32, 16)
OF_HELD(u64, 16)
OF_HELD(u32, 32)
OF_HELD(u64, 32)
