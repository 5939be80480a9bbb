// Matrix product whose last tiles are shared out: the variant async-relay of matmul.cu, whose
// task and other variants are described there. It is a file of its own because of its target:
// Compiled for compute_80.
// Older GPUs have no copies from global to shared memory that run by themselves.
//
// Overview
//   A block of async-wide of matmul_async.cu takes a multiprocessor for itself, and all blocks
//   take equally long. So they run in waves: an H200 has 132 multiprocessors, and order 8192
//   has 2048 tiles, 15.5 waves. During half of the 16th wave every second multiprocessor idles.
//
//   async-relay    Idea: nobody idles at the end. The last tiles are cut along k into parts of
//                  equal length, and each part is a block. While some multiprocessors finish
//                  their last whole tile, the others take parts, and at the end no one waits
//                  longer than a part takes. The blocks of a tile form a relay: the first one
//                  writes its sums to C, each next one waits until the one before it is done,
//                  adds its own sums, and hands C on. So the sums are added in the same order
//                  in every run.
//                  Cost: each part but the first reads and writes its tile of C once more.
//                  At order 8192 a part takes 260 000 cycles, and handing it on takes some
//                  thousand. At order 2048 a part is a quarter as long, and 128 tiles fill
//                  132 multiprocessors anyway: there async-wide is faster.
//                  Counter: `warp_instructions` stays. The time that multiprocessors are
//                  active grows from 96.9 to 99.5 % of the kernel's (`sm__cycles_active` of
//                  Nsight Compute), and the kernel is faster by as much: 52 TFLOP/s.
//
// Order of parts
//   The first parts of all cut tiles come first, then all second ones, and so on. Between two
//   parts of a tile lie as many blocks as tiles are cut, and the earlier part has ended, or
//   nearly so, before the later one begins.
//   Blocks need not start in the order of their index. A block that waits for one that cannot
//   start would wait forever. Therefore a block takes the next piece of work from an atomic
//   counter: each earlier piece then belongs to a block that is running or has ended.
//
// Order of products
//   A multiprocessor keeps the operands of the last `fma` for the next one. Going back and
//   forth over the columns of a patch, two `fma` in a row share a factor at every turn.
//
// Launch
//   grid   max(1, whole + (tiles - whole) * parts), with tiles of 128 x 256
//   block  256 threads
//   whole  tiles that one block computes; the others are cut into `parts` parts. `parts` is
//          at least 1.
//   next   one word, 0 before the launch: the next piece of work.
//   done   a word for each cut tile, 0 before the launch: its parts that are done.
//   m, n, k from 0 to 16384, so that each index fits into 32 bits. All elements are
//          written; with k = 0 they are 0. The matrices are aligned to 16 bytes.

// Rows and columns of a tile of C.
#define ROWS 128
#define COLUMNS 256

// Numbers of k that a pair of tiles holds.
#define STEP 8

// Pairs of tiles: one is multiplied, the others are on their way.
#define STAGES 3

// Rows of tiles in a band.
#define BAND 8

// Rows of a thread's patch; it has eight columns.
#define PATCH_ROWS 16

// Starts a copy of 4 or 16 bytes to shared memory; of zeros, if they are not `inside`.
template <unsigned int BYTES>
static __device__ __forceinline__ void copy(float *to, const float *from, bool inside)
{
    unsigned int address = static_cast<unsigned int>(__cvta_generic_to_shared(to));
    unsigned int bytes = inside ? BYTES : 0;  // the rest becomes zero
    if (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                     "r"(bytes)
                     : "memory");
    }
}

// Ends a group: the copies that the thread has started since the last group.
static __device__ __forceinline__ void end_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all groups of the thread but the last STAGES - 2 have arrived.
static __device__ __forceinline__ void wait_for_next()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
}

// A piece of work: a tile of C, and which numbers of k are multiplied for it.
struct Piece {
    unsigned int top, left;    // first row and column of the tile
    unsigned int length;       // numbers of k; A and B begin at the first one
    unsigned int part;         // 0, or how many parts of the tile come before
    unsigned int *done;        // parts of the tile that are done; none for a whole tile
};

// What a thread copies: from where, in the next step, and into which place of a tile.
struct Copies {
    const float *a;  // its first number of A; the others are 32 rows apart
    const float *b;  // its first group of B, or number, if groups are not aligned
    unsigned int a_row, a_column, b_row, b_column;
};

// Starts the copies of the step that begins at `begin`, of ROWS x STEP numbers of A, stored
// by columns, and of STEP x COLUMNS numbers of B. WHOLE: all of them are in the matrices.
template <bool ALIGNED, bool WHOLE>
static __device__ __forceinline__ void
copy_tiles(float (*a_tile)[ROWS + 4], float (*b_tile)[COLUMNS], const Copies &copies,
           const Piece &piece, unsigned int begin, unsigned int m, unsigned int n,
           unsigned int k)
{
    // Eight neighbouring threads copy eight neighbours of a row of A: one sector. Their
    // places in the tile are a column apart; 4 floats more per column put them, and those
    // of the three other rows that the warp copies, on 32 different banks.
#pragma unroll
    for (unsigned int i = 0; i < ROWS / 32; ++i) {
        unsigned int row = copies.a_row + i * 32;
        bool inside = WHOLE || (piece.top + row < m && begin + copies.a_column < piece.length);
        copy<4>(&a_tile[copies.a_column][row], copies.a + (inside ? i * 32 * k : 0), inside);
    }
    // Rows of B begin anywhere, if n is no multiple of four: then no group may be copied.
    const unsigned int WIDTH = ALIGNED ? 4 : 1;
    const unsigned int ROWS_AT_ONCE = 256 / (COLUMNS / WIDTH);
#pragma unroll
    for (unsigned int i = 0; i < STEP / ROWS_AT_ONCE; ++i) {
        unsigned int row = copies.b_row + i * ROWS_AT_ONCE;
        bool inside = WHOLE || (begin + row < piece.length && piece.left + copies.b_column < n);
        copy<4 * WIDTH>(&b_tile[row][copies.b_column],
                        copies.b + (inside ? i * ROWS_AT_ONCE * n : 0), inside);
    }
}

// Loads what a thread's patch needs for one number of k: from a column of the tile of A,
// groups of four that are 32 apart, and from a row of the tile of B, two groups 16 apart.
static __device__ __forceinline__ void load_patches(float *a_now, float *b_now,
                                                    const float *a_from, const float *b_from)
{
#pragma unroll
    for (unsigned int i = 0; i < PATCH_ROWS; i += 4) {
        *reinterpret_cast<float4 *>(a_now + i) =
            *reinterpret_cast<const float4 *>(a_from + i * 8);
    }
    *reinterpret_cast<float4 *>(b_now) = *reinterpret_cast<const float4 *>(b_from);
    *reinterpret_cast<float4 *>(b_now + 4) = *reinterpret_cast<const float4 *>(b_from + 16);
}

// Waits until the parts before this one are done.
static __device__ __forceinline__ void wait_for_parts(const Piece &piece)
{
    if (threadIdx.x == 0) {
        while (*const_cast<volatile unsigned int *>(piece.done) != piece.part) {
        }
        __threadfence();  // what they wrote to C can be read now
    }
    __syncthreads();
}

// Tells the next part that this one is done.
static __device__ __forceinline__ void hand_on(const Piece &piece)
{
    __threadfence();  // the sums are in C first
    __syncthreads();
    if (threadIdx.x == 0) {
        *const_cast<volatile unsigned int *>(piece.done) = piece.part + 1;
    }
}

// Loads four rows of eight columns of C: two groups of four, 16 apart. `__ldcg` reads what
// other multiprocessors wrote, since it passes L1 by.
template <bool ALIGNED, bool WHOLE>
static __device__ __forceinline__ void load_sums(float (*before)[8], const float *from,
                                                 unsigned int row, unsigned int column,
                                                 unsigned int m, unsigned int n)
{
#pragma unroll
    for (unsigned int down = 0; down < 4; ++down) {
#pragma unroll
        for (unsigned int j = 0; j < 8; ++j) {
            unsigned int right = j / 4 * 16 + j % 4;
            if (ALIGNED && j % 4 == 0 && (WHOLE || (row + down < m && column + right < n))) {
                *reinterpret_cast<float4 *>(&before[down][j]) =
                    __ldcg(reinterpret_cast<const float4 *>(from + down * n + right));
            } else if (!ALIGNED && row + down < m && column + right < n) {
                before[down][j] = __ldcg(from + down * n + right);
            }
        }
    }
}

// Stores such rows and columns.
template <bool ALIGNED, bool WHOLE>
static __device__ __forceinline__ void store_sums(float *to, float (*sums)[8], unsigned int row,
                                                  unsigned int column, unsigned int m,
                                                  unsigned int n)
{
#pragma unroll
    for (unsigned int down = 0; down < 4; ++down) {
#pragma unroll
        for (unsigned int j = 0; j < 8; ++j) {
            unsigned int right = j / 4 * 16 + j % 4;
            if (ALIGNED && j % 4 == 0 && (WHOLE || (row + down < m && column + right < n))) {
                *reinterpret_cast<float4 *>(to + down * n + right) =
                    *reinterpret_cast<float4 *>(&sums[down][j]);
            } else if (!ALIGNED && row + down < m && column + right < n) {
                to[down * n + right] = sums[down][j];
            }
        }
    }
}

// A piece of work: PATCH_ROWS x 8 elements of C per thread.
template <bool ALIGNED, bool WHOLE>
static __device__ __forceinline__ void
multiply(const float *a, const float *b, float *c, const Piece &piece, unsigned int m,
         unsigned int n, unsigned int k, float (*a_tiles)[STEP][ROWS + 4],
         float (*b_tiles)[STEP][COLUMNS])
{
    // A warp covers 8 x 4 patches. Lanes that load at the same time load neighbouring or
    // equal groups of four numbers.
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int y = lane / 2 % 8 * 4;
    unsigned int x = warp * 32 + (lane % 2 + lane / 16 * 2) * 4;

    float a_now[2][PATCH_ROWS];  // in flight from shared memory, and in use
    float b_now[2][8];
    float sums[PATCH_ROWS][8];
#pragma unroll
    for (unsigned int i = 0; i < PATCH_ROWS; ++i) {
#pragma unroll
        for (unsigned int j = 0; j < 8; ++j) {
            sums[i][j] = 0.0f;
        }
    }

    const unsigned int IN_ROW = ALIGNED ? COLUMNS / 4 : COLUMNS;  // copies of a row of B
    Copies copies;
    copies.a_row = threadIdx.x / STEP;
    copies.a_column = threadIdx.x % STEP;
    copies.b_row = threadIdx.x / IN_ROW;
    copies.b_column = threadIdx.x % IN_ROW * (COLUMNS / IN_ROW);
    copies.a = a + (piece.top + copies.a_row) * k + copies.a_column;
    copies.b = b + copies.b_row * n + piece.left + copies.b_column;

    // Groups of the first steps. A group may be empty, so that the number of groups
    // still tells which step has arrived.
#pragma unroll
    for (unsigned int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage * STEP < piece.length) {
            copy_tiles<ALIGNED, WHOLE>(a_tiles[stage], b_tiles[stage], copies, piece,
                                       stage * STEP, m, n, k);
        }
        end_group();
        copies.a += STEP;
        copies.b += STEP * n;
    }

    unsigned int now = 0;             // the pair of tiles that is multiplied
    unsigned int free = STAGES - 1;   // the pair that is free for a later step
    wait_for_next();
    __syncthreads();
    load_patches(a_now[0], b_now[0], &a_tiles[0][0][y], &b_tiles[0][0][x]);
    for (unsigned int begin = 0; begin < piece.length; begin += STEP) {
        unsigned int later = begin + (STAGES - 1) * STEP;
        if (later < piece.length) {
            copy_tiles<ALIGNED, WHOLE>(a_tiles[free], b_tiles[free], copies, piece, later, m, n,
                                       k);
        }
        end_group();
        copies.a += STEP;
        copies.b += STEP * n;

        free = now;
        now = now + 1 == STAGES ? 0 : now + 1;
#pragma unroll
        for (unsigned int step = 0; step < STEP; ++step) {
            // The next numbers are loaded before those of this step are used; after the
            // last ones of a pair of tiles come the first ones of the next pair.
            unsigned int tiles = step + 1 < STEP ? free : now;
            unsigned int next = (step + 1) % STEP;
            if (next == 0) {
                // All threads' copies to the next pair have arrived, and all threads have
                // read all of this one, which the next round fills again.
                wait_for_next();
                __syncthreads();
            }
            load_patches(a_now[(step + 1) % 2], b_now[(step + 1) % 2], &a_tiles[tiles][next][y],
                         &b_tiles[tiles][next][x]);
#pragma unroll
            for (unsigned int i = 0; i < PATCH_ROWS; ++i) {
#pragma unroll
                for (unsigned int each = 0; each < 8; ++each) {
                    unsigned int j = i % 2 == 0 ? each : 7 - each;
                    sums[i][j] += a_now[step % 2][i] * b_now[step % 2][j];
                }
            }
        }
    }

    if (piece.part > 0) {
        wait_for_parts(piece);
    }
    // Four rows at a time, so that their loads are in flight together.
#pragma unroll
    for (unsigned int i = 0; i < PATCH_ROWS; i += 4) {
        unsigned int row = piece.top + y + i * 8;
        unsigned int column = piece.left + x;
        float *to = c + row * n + column;
        float before[4][8];
#pragma unroll
        for (unsigned int down = 0; down < 4; ++down) {
#pragma unroll
            for (unsigned int j = 0; j < 8; ++j) {
                before[down][j] = 0.0f;
            }
        }
        if (piece.part > 0) {
            load_sums<ALIGNED, WHOLE>(before, to, row, column, m, n);
        }
#pragma unroll
        for (unsigned int down = 0; down < 4; ++down) {
#pragma unroll
            for (unsigned int j = 0; j < 8; ++j) {
                before[down][j] += sums[i + down][j];
            }
        }
        store_sums<ALIGNED, WHOLE>(to, before, row, column, m, n);
    }
    if (piece.done != nullptr) {
        hand_on(piece);
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
matmul_async_relay(const float *a, const float *b, float *c, unsigned int *next,
                   unsigned int *done, unsigned int m, unsigned int n, unsigned int k,
                   unsigned int whole, unsigned int parts)
{
    __shared__ __align__(16) float a_tiles[STAGES][STEP][ROWS + 4];
    __shared__ __align__(16) float b_tiles[STAGES][STEP][COLUMNS];
    __shared__ unsigned int taken;

    // An empty matrix still has one block, which does nothing.
    if (m == 0 || n == 0) {
        return;
    }
    if (threadIdx.x == 0) {
        taken = atomicAdd(next, 1u);
    }
    __syncthreads();

    unsigned int tiles_across = (n + COLUMNS - 1) / COLUMNS;
    unsigned int tiles_down = (m + ROWS - 1) / ROWS;
    unsigned int tile = taken;
    Piece piece;
    piece.length = k;
    piece.part = 0;
    piece.done = nullptr;
    if (taken >= whole) {
        // First all first parts, then all second ones. Parts begin at multiples of STEP.
        unsigned int cut = tiles_across * tiles_down - whole;
        unsigned int steps = (k + STEP - 1) / STEP;
        piece.part = (taken - whole) / cut;
        tile = whole + (taken - whole) % cut;
        piece.done = done + (tile - whole);
        unsigned int begin = steps * piece.part / parts * STEP;
        piece.length = min(k, steps * (piece.part + 1) / parts * STEP) - begin;
        a += begin;
        b += begin * n;
    }

    // Bands of BAND rows of tiles, each taken column by column; the last band may have
    // fewer rows.
    unsigned int band = tile / (BAND * tiles_across);
    unsigned int in_band = tile % (BAND * tiles_across);
    unsigned int rows_in_band = min(BAND, tiles_down - band * BAND);
    piece.top = (band * BAND + in_band % rows_in_band) * ROWS;
    piece.left = in_band / rows_in_band * COLUMNS;

    bool inside = piece.top + ROWS <= m && piece.left + COLUMNS <= n;
    if (n % 4 == 0 && k % STEP == 0 && inside) {
        multiply<true, true>(a, b, c, piece, m, n, k, a_tiles, b_tiles);
    } else if (n % 4 == 0) {
        multiply<true, false>(a, b, c, piece, m, n, k, a_tiles, b_tiles);
    } else {
        multiply<false, false>(a, b, c, piece, m, n, k, a_tiles, b_tiles);
    }
}
