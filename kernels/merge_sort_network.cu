// Merge sort with merges by networks.
//
// Overview
//   The rung above `register-tiles+four-way` of merge_sort_held.cu; merge_sort.cu explains
//   the merge path and the words.
//
//   networks+four-way
//     Idea: a warp merges a part of 32 * HELD words by a network of minima and maxima. It
//     puts the words of the left run, ascending, before those of the right run, descending.
//     Such a sequence is bitonic: exchanges at half its length, a quarter, ... 1 sort it
//     (K. Batcher, Sorting networks and their applications, AFIPS 1968). No load waits for
//     a comparison, the lanes of a warp load neighbours, and only each warp searches the
//     merge path, not each thread.
//     Cost: a word takes part in log2(32 * HELD) exchanges per merge, where a thread that
//     takes the least of two heads compares it once. One part more than warps.
//     Counter: `shared_load_requests`, `shared_bank_conflicts` and `thread_instructions`
//     fall. 2^26 keys on an H200, tiles of 4,096 words (256 threads of 16 before, 128 of 32
//     now), per pass: bank conflicts from 20.9 to 5.7 million, warp instructions from 184 to
//     116 million; the first step: 63 to 5.0 and 494 to 231 million.
//
// A network in two layouts
//   Rows: word i of a lane is word 32 * i + lane of the part, so exchanges at a distance of
//   32 words and more are between words of one lane. Neighbours: word i of a lane is word
//   HELD * lane + i, so exchanges below HELD are within a lane. The words go from rows to
//   neighbours through shared memory. A distance between the two (HELD < 32) takes a
//   shuffle.
//
// Where four runs are cut
//   `rank` merged words lie before a tile; the end of a run is cut off, or its beginning,
//   until nothing is left of `rank`. Look at the word in the middle of what is left of each
//   run, with m words before it; let M be the sum of the four m.
//     rank > M:  fewer than M words are less than the least of the middles, as in each other
//                run all from the middle on are greater. So this word and the m before it
//                are among the first `rank`: move past them.
//     rank <= M: at least M words are less than the greatest of the middles. So it is not
//                among the first `rank`: end its run before it.
//   Each look halves a run and loads one word, and the first looks of all tiles are at the
//   same words. Of equal words, that of an earlier run counts as less.
//
// Order of equal keys
//   Whole words are compared, as in merge_sort_held.cu. Words of ones fill incomplete parts.
//
// Launch
//   grid   max(1, ceil(n / tile)) blocks of a tile of blockDim.x * HELD words.
//          splits: a thread per tile.
//   block  whole warps.
//   shared blockDim.x / 32 + 1 parts of HELD rows, and 7 rows; a row has 32 words and 16
//          unused bytes.
//   n      below 2^31.

typedef unsigned int u32;
typedef unsigned long long u64;

#define WARP 0xffffffffu

// Dynamic shared memory is declared once, aligned for packs.
extern __shared__ uint4 shared_packs[];

// Words that one instruction loads or stores: 16 bytes.
template <typename Word>
struct __align__(16) Pack {
    static const u32 SIZE = 16 / sizeof(Word);

    Word words[SIZE];
};

template <typename Word>
static __device__ __forceinline__ Pack<Word> load(const Word *words)
{
    return *reinterpret_cast<const Pack<Word> *>(words);
}

template <typename Word>
static __device__ __forceinline__ void store(Word *words, const Pack<Word> &pack)
{
    *reinterpret_cast<Pack<Word> *>(words) = pack;
}

// Rows of 32 words in shared memory. After each is an unused pack: lanes that each load a
// pack of their own row then use all 32 banks.
template <typename Word>
struct Rows {
    static const u32 PITCH = 32 + Pack<Word>::SIZE;

    Word *words;

    __device__ __forceinline__ Word *at(u32 i) const
    {
        return words + i + i / 32 * Pack<Word>::SIZE;
    }
};

// ---- exchanges ------------------------------------------------------------------

template <typename Word>
static __device__ __forceinline__ void exchange(Word &low, Word &high)
{
    Word less = min(low, high);
    high = max(low, high);
    low = less;
}

// K. Batcher's odd-even merge sort of the words of a lane.
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
                    exchange(held[i], held[j]);
                }
            }
        }
    }
}

// Exchanges at distances of `from`, from / 2, ... 1 words of a lane.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void halve(Word (&held)[HELD], u32 from)
{
#pragma unroll
    for (u32 distance = from; distance >= 1; distance /= 2) {
#pragma unroll
        for (u32 i = 0; i < HELD; i++) {
            if (i / distance % 2 == 0) {
                exchange(held[i], held[i + distance]);
            }
        }
    }
}

// Exchanges at distances of `from`, from / 2, ... 1 lanes.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void halve_lanes(Word (&held)[HELD], u32 from)
{
#pragma unroll
    for (u32 lanes = from; lanes >= 1; lanes /= 2) {
        bool lower = (threadIdx.x & lanes) == 0;
#pragma unroll
        for (u32 i = 0; i < HELD; i++) {
            Word other = __shfl_xor_sync(WARP, held[i], lanes);
            held[i] = lower ? min(held[i], other) : max(held[i], other);
        }
    }
}

// ---- the two layouts of a part --------------------------------------------------

// The neighbours of a lane in the rows of its warp.
template <u32 HELD, typename Word>
static __device__ __forceinline__ Word *neighbours(Word *rows)
{
    return Rows<Word>{rows}.at(threadIdx.x % 32 * HELD);
}

template <u32 HELD, typename Word>
static __device__ __forceinline__ void write_neighbours(const Word (&held)[HELD], Word *rows)
{
    const u32 size = Pack<Word>::SIZE;
#pragma unroll
    for (u32 i = 0; i < HELD; i += size) {
        Pack<Word> pack;
#pragma unroll
        for (u32 k = 0; k < size; k++) {
            pack.words[k] = held[i + k];
        }
        store(neighbours<HELD>(rows) + i, pack);
    }
}

// From rows to neighbours, and the exchanges below 32 words.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void finish(Word (&held)[HELD], Word *rows)
{
    const u32 size = Pack<Word>::SIZE;
    u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 i = 0; i < HELD; i++) {
        rows[Rows<Word>::PITCH * i + lane] = held[i];
    }
    __syncwarp();
#pragma unroll
    for (u32 i = 0; i < HELD; i += size) {
        Pack<Word> pack = load(neighbours<HELD>(rows) + i);
#pragma unroll
        for (u32 k = 0; k < size; k++) {
            held[i + k] = pack.words[k];
        }
    }
    halve_lanes(held, 16 / HELD);
    halve(held, HELD / 2);
}

// ---- merges within a warp -------------------------------------------------------

// Sorted runs of `lanes` lanes become runs of twice as many. The first exchanges are with the
// upper run backwards.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void merge_lanes(Word (&held)[HELD], u32 lanes)
{
    bool lower = (threadIdx.x & lanes) == 0;
#pragma unroll
    for (u32 i = 0; i < HELD / 2; i++) {
        u32 j = HELD - 1 - i;
        Word other_i = __shfl_xor_sync(WARP, held[j], 2 * lanes - 1);
        Word other_j = __shfl_xor_sync(WARP, held[i], 2 * lanes - 1);
        held[i] = lower ? min(held[i], other_i) : max(held[i], other_i);
        held[j] = lower ? min(held[j], other_j) : max(held[j], other_j);
    }
    halve_lanes(held, lanes / 2);
    halve(held, HELD / 2);
}

// The same for runs of `height` rows, through the rows of the warp.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void merge_rows(Word (&held)[HELD], Word *rows, u32 height)
{
    const u32 pitch = Rows<Word>::PITCH;
    u32 lane = threadIdx.x % 32;
    write_neighbours(held, rows);
    __syncwarp();
#pragma unroll
    for (u32 i = 0; i < HELD; i++) {
        u32 pair = i / (2 * height) * (2 * height);
        u32 backwards = 2 * pair + 3 * height - 1 - i;
        held[i] = i - pair < height ? rows[pitch * i + lane] : rows[pitch * backwards + 31 - lane];
    }
    __syncwarp();
    halve(held, height);
    finish(held, rows);
}

// ---- merges of a block, a part per warp -----------------------------------------

// `count` merged words from `rank` on of two runs, [left, left_end) and [right, right_end).
struct Part {
    u32 left;
    u32 left_end;
    u32 right;
    u32 right_end;
    u32 rank;
    u32 count;
};

// How many words of the left run come before a part, in the lower half of the warp, and
// before its end, in the upper half. Half a warp tries 16 places of the merge path at once. A
// run has at most `most` words.
template <typename Word>
static __device__ __forceinline__ u32 split(const Rows<Word> &tile, const Part &part, u32 most)
{
    u32 half = threadIdx.x / 16 % 2;
    u32 diagonal = part.rank + half * part.count;
    u32 right_count = part.right_end - part.right;
    u32 low = diagonal > right_count ? diagonal - right_count : 0;
    u32 high = min(diagonal, part.left_end - part.left);
    u32 step = most;
    do {
        step = (step + 15) / 16;
        u32 place = low + (threadIdx.x % 16 + 1) * step - 1;
        bool before = place < high;
        Word left = before ? *tile.at(part.left + place) : 0;
        Word right = before ? *tile.at(part.right + diagonal - 1 - place) : 0;
        u32 found = __ballot_sync(WARP, before && left <= right);
        low += __popc(found >> (16 * half) & 0xffff) * step;
    } while (step > 1);
    return low;
}

// Loads a part as rows, the right run backwards, and makes the exchanges from 32 words on.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void take(Word (&held)[HELD], const Rows<Word> &tile,
                                            const Part &part, u32 most)
{
    const int pitch = Rows<Word>::PITCH;
    const u32 all = 32 * HELD;
    u32 lane = threadIdx.x % 32;
    u32 low = split(tile, part, most);
    u32 begin = __shfl_sync(WARP, low, 0);
    u32 end = __shfl_sync(WARP, low, 16);
    // Volatile: loads on a condition are not made branches.
    const volatile Word *left = tile.at(part.left + begin + lane);
    const volatile Word *right = tile.at(part.right + part.rank - begin + all - 1 - lane);
    int place = (int)lane - (int)(end - begin);
    int gap = (int)(all - part.count);
    if (gap == 0) {
#pragma unroll
        for (int i = 0; i < (int)HELD; i++) {
            held[i] = *(place + 32 * i < 0 ? left + pitch * i : right - pitch * i);
        }
    } else {
#pragma unroll
        for (int i = 0; i < (int)HELD; i++) {
            held[i] = ~Word(0);
            if (place < -32 * i) {
                held[i] = left[pitch * i];
            }
            if (place >= gap - 32 * i) {
                held[i] = right[-pitch * i];
            }
        }
    }
    halve(held, HELD / 2);
}

// Writes the sorted words of a part to global memory.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void copy_out(Word *rows, Word *to, u32 count)
{
    const u32 size = Pack<Word>::SIZE;
    u32 lane = threadIdx.x % 32;
    __syncwarp();
    if (count == 32 * HELD) {
        const Word *from = Rows<Word>{rows}.at(lane * size);
#pragma unroll
        for (u32 i = 0; i < HELD; i += size) {
            store(to + 32 * i + lane * size, load(from + Rows<Word>::PITCH * i));
        }
    } else {
        for (u32 i = lane; i < count; i += 32) {
            to[i] = *Rows<Word>{rows}.at(i);
        }
    }
}

// ---- sort tiles -----------------------------------------------------------------

template <u32 HELD, typename Word>
static __device__ __forceinline__ void sort_tiles(const Word *words, Word *sorted, u32 n)
{
    const u32 size = Pack<Word>::SIZE;
    const u32 all = 32 * HELD;
    u32 tile_size = blockDim.x * HELD;
    u32 lane = threadIdx.x % 32;
    u32 mine = threadIdx.x / 32 * all;
    u32 first = blockIdx.x * tile_size + mine;
    u32 count = first < n ? min(all, n - first) : 0;
    Rows<Word> tile = {reinterpret_cast<Word *>(shared_packs)};
    Word *rows = tile.at(mine);

    Word held[HELD];
    if (count == all) {
#pragma unroll
        for (u32 i = 0; i < HELD; i += size) {
            Pack<Word> pack = load(words + first + 32 * i + lane * size);
#pragma unroll
            for (u32 k = 0; k < size; k++) {
                held[i + k] = pack.words[k];
            }
        }
    } else {
#pragma unroll
        for (u32 i = 0; i < HELD; i++) {
            held[i] = 32 * i + lane < count ? words[first + 32 * i + lane] : ~Word(0);
        }
    }
    sort_held(held);
#pragma unroll
    for (u32 lanes = 1; lanes < 32; lanes *= 2) {
        // From four lanes on, shared memory takes fewer instructions than shuffles.
        if (lanes < 4 || lanes * HELD < 32) {
            merge_lanes(held, lanes);
        } else {
            merge_rows(held, rows, lanes * HELD / 32);
        }
    }
    write_neighbours(held, rows);
    for (u32 width = all; width < tile_size; width *= 2) {
        __syncthreads();  // the runs are complete
        u32 pair = mine / (2 * width) * (2 * width);
        u32 middle = min(pair + width, tile_size);
        Part part = {pair, middle, middle, min(pair + 2 * width, tile_size), mine - pair, all};
        take(held, tile, part, width);
        __syncthreads();  // all warps have read the runs
        finish(held, rows);
        write_neighbours(held, rows);
    }
    copy_out<HELD>(rows, sorted + first, count);
}

// ---- find splits ----------------------------------------------------------------

// Four runs, as index ranges [at, end).
struct FourRuns {
    u32 at[4];
    u32 end[4];
};

// The four runs of `width` words that hold word `i`, cut off at `end`.
static __device__ __forceinline__ FourRuns four_runs(u32 i, u32 width, u32 end)
{
    u32 first = width < 1u << 29 ? i - i % (4 * width) : 0;
    FourRuns runs;
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        runs.at[k] = first;
        first += min(width, end - first);
        runs.end[k] = first;
    }
    return runs;
}

// Moves past the first `rank` merged words (see the overview).
template <typename Word>
static __device__ __forceinline__ void advance(FourRuns &runs, const Word *words, u32 rank)
{
    Word middle[4];
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        u32 size = runs.end[k] - runs.at[k];
        middle[k] = size > 0 ? words[runs.at[k] + size / 2] : 0;
    }
    while (rank > 0) {
        u32 before = 0;
        u32 least = 4;
        u32 most = 4;
        Word least_word = 0;
        Word most_word = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            u32 size = runs.end[k] - runs.at[k];
            before += size / 2;
            bool less = size > 0 && (least == 4 || middle[k] < least_word);
            least = less ? k : least;
            least_word = less ? middle[k] : least_word;
            bool more = size > 0 && (most == 4 || middle[k] >= most_word);
            most = more ? k : most;
            most_word = more ? middle[k] : most_word;
        }
        bool past = rank > before;
        u32 which = past ? least : most;
        u32 at = 0;
        u32 size = 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            at = which == k ? runs.at[k] : at;
            size = which == k ? runs.end[k] - runs.at[k] : size;
        }
        u32 moved = past ? size / 2 + 1 : 0;
        rank -= moved;
        at += moved;
        size = past ? size - moved : size / 2;
        Word word = size > 0 ? words[at + size / 2] : 0;
#pragma unroll
        for (u32 k = 0; k < 4; k++) {
            runs.at[k] = which == k ? at : runs.at[k];
            runs.end[k] = which == k ? at + size : runs.end[k];
            middle[k] = which == k ? word : middle[k];
        }
    }
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
    FourRuns runs = four_runs(index * tile, width, n);
    advance(runs, words, index * tile - runs.at[0]);
    splits[index] = make_uint4(runs.at[0], runs.at[1], runs.at[2], runs.at[3]);
}

// ---- merge four runs ------------------------------------------------------------

// Segments of four runs, and where they lie in the tile: each has rows of its own, and its
// words are at the same places of rows as in global memory, whose lines have as many bytes.
struct Segments {
    u32 begin[4];  // first word in global memory
    u32 row[4];    // first row in the tile
    u32 at[4];     // first word in the tile
    u32 end[4];    // and end

    // The word of global memory that is the first of a row.
    __device__ __forceinline__ u32 source(u32 i) const
    {
        u32 lower = i < row[1] ? begin[0] - at[0] : begin[1] - at[1];
        u32 upper = i < row[3] ? begin[2] - at[2] : begin[3] - at[3];
        return 32 * i + (i < row[2] ? lower : upper);
    }

    // Part `index` of the merges of the first two segments, which have `parts` parts, and of
    // the last two.
    __device__ __forceinline__ Part part(u32 index, u32 parts, u32 all) const
    {
        bool lower = index < parts;
        Part part;
        part.left = lower ? at[0] : at[2];
        part.left_end = lower ? end[0] : end[2];
        part.right = lower ? at[1] : at[3];
        part.right_end = lower ? end[1] : end[3];
        u32 length = part.left_end - part.left + part.right_end - part.right;
        part.rank = min((lower ? index : index - parts) * all, length);
        part.count = min(all, length - part.rank);
        return part;
    }
};

// Loads rows from `first` on up to `end`. Lanes beyond a segment load words that nobody reads.
template <u32 HELD, typename Word>
static __device__ __forceinline__ void load_rows(const Rows<Word> &tile, const Word *words,
                                                 const Segments &segments, u32 first, u32 end,
                                                 u32 n)
{
    const u32 size = Pack<Word>::SIZE;
    const u32 more = HELD + size;  // rows of a warp: there are up to 7 more than HELD for each
    u32 lane = threadIdx.x % 32;
    u32 row = lane / (32 / size);  // of `size` rows
    u32 place = lane % (32 / size) * size;
    u32 last = n / size * size - size;
    for (u32 i = first + threadIdx.x / 32 * more; i < end; i += blockDim.x / 32 * more) {
        // A lane finds where a row comes from.
        u32 source = segments.source(i + lane);
        u32 source_32 = segments.source(i + 32 + lane);
        Pack<Word> packs[more / size];
#pragma unroll
        for (u32 k = 0; k < more; k += size) {
            u32 from = __shfl_sync(WARP, k < 32 ? source : source_32, k + row);
            packs[k / size] = load(words + min(from + place, last));
        }
        Word *to = tile.at(32 * (i + row)) + place;
#pragma unroll
        for (u32 k = 0; k < more; k += size) {
            if (i + k + row < end) {
                store(to + Rows<Word>::PITCH * k, packs[k / size]);
            }
        }
    }
}

template <u32 HELD, typename Word>
static __device__ __forceinline__ void merge_four(const Word *from, Word *to,
                                                  const uint4 *splits, u32 n, u32 width)
{
    const u32 all = 32 * HELD;
    u32 size = blockDim.x * HELD;
    u32 first = blockIdx.x * size;
    u32 count = min(size, n - first);
    u32 warp = threadIdx.x / 32;
    Rows<Word> tile = {reinterpret_cast<Word *>(shared_packs)};

    // The tile begins at its own splits and ends at those of the next tile, or at the end
    // of the runs if it is the last of its group.
    FourRuns runs = four_runs(first, width, n);
    uint4 begin = splits[blockIdx.x];
    uint4 end = make_uint4(runs.end[0], runs.end[1], runs.end[2], runs.end[3]);
    if (first + count < runs.end[3]) {
        end = splits[blockIdx.x + 1];
    }
    u32 ends[4] = {end.x, end.y, end.z, end.w};
    Segments segments = {{begin.x, begin.y, begin.z, begin.w}};
    // The rows of one part before the segments are free for a result.
    u32 rows_end = HELD;
    bool incomplete = false;
#pragma unroll
    for (u32 k = 0; k < 4; k++) {
        u32 words = ends[k] - segments.begin[k];
        segments.row[k] = rows_end;
        segments.at[k] = 32 * rows_end + segments.begin[k] % 32;
        segments.end[k] = segments.at[k] + words;
        rows_end = (segments.end[k] + 31) / 32;
        incomplete |= words > 0 && ends[k] > n / Pack<Word>::SIZE * Pack<Word>::SIZE;
    }
    if (incomplete) {
        // The last pack of all words.
        for (u32 i = HELD + warp; i < rows_end; i += blockDim.x / 32) {
            u32 lane = threadIdx.x % 32;
            *tile.at(32 * i + lane) = from[min(segments.source(i) + lane, n - 1)];
        }
    } else {
        load_rows<HELD>(tile, from, segments, HELD, rows_end, n);
    }
    __syncthreads();  // the segments are loaded

    // Two merges. Each result begins with a part, so they have one part more than there are
    // warps. The first is free to write.
    Word held[HELD];
    u32 half = segments.end[0] - segments.at[0] + segments.end[1] - segments.at[1];
    u32 parts = (half + all - 1) / all;
    if (warp == 0) {
        take(held, tile, segments.part(0, parts, all), size);
        finish(held, tile.words);
        write_neighbours(held, tile.words);
    }
    take(held, tile, segments.part(warp + 1, parts, all), size);
    __syncthreads();  // all warps have read the segments
    Word *rows = tile.at((warp + 1) * all);
    finish(held, rows);
    write_neighbours(held, rows);
    __syncthreads();  // both results are complete

    // The third merge.
    Part part = {0, half, parts * all, parts * all + count - half};
    part.rank = min(warp * all, count);
    part.count = min(all, count - part.rank);
    take(held, tile, part, size);
    __syncthreads();  // all warps have read the results
    rows = tile.at(warp * all);
    finish(held, rows);
    write_neighbours(held, rows);
    copy_out<HELD>(rows, to + first + warp * all, part.count);
}

// ---- kernels --------------------------------------------------------------------

#define OF_WORD(Word)                                                                      \
    extern "C" __global__ void merge_sort_network_splits_##Word(                           \
        const Word *words, uint4 *splits, u32 n, u32 width, u32 tile)                      \
    {                                                                                      \
        find_four(words, splits, n, width, tile);                                          \
    }

#define OF_HELD(Word, HELD)                                                                \
    extern "C" __global__ void __launch_bounds__(1024)                                     \
    merge_sort_network_tiles_##HELD##_##Word(const Word *words, Word *sorted, u32 n)       \
    {                                                                                      \
        sort_tiles<HELD>(words, sorted, n);                                                \
    }                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024)                                     \
    merge_sort_network_merge_##HELD##_##Word(const Word *from, Word *to,                   \
                                             const uint4 *splits, u32 n, u32 width)        \
    {                                                                                      \
        merge_four<HELD>(from, to, splits, n, width);                                      \
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
