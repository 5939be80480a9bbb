// Matrix product with asynchronous copies: the variants async-copies and async-wide of
// matmul.cu, whose task and other variants are described there. It is a file of its own
// because of its target:
// Compiled for compute_80.
// Older GPUs have no copies from global to shared memory that run by themselves.
//
// Overview
//   register-tiled of matmul.cu moves each number of the next tiles through a register:
//   a load, some hundred cycles later a store. While a load is in flight, its register is
//   taken, so a block has only the next step in flight. And what a block loads, its
//   neighbours in C load again: a row of tiles shares rows of A, a column of tiles shares
//   columns of B.
//
//   async-copies   Idea: `cp.async` copies from global to shared memory without a
//                  register. A thread starts the copies of a later step and goes on; two
//                  further steps are in flight while one is multiplied. Tiles are also
//                  taken in bands of eight rows, so that the tiles that run at the same
//                  time form about a square of C and find each other's numbers in L2.
//                  Cost: three pairs of tiles in shared memory. A is stored by columns,
//                  which takes a copy of 4 bytes for each number.
//                  Counter: `shared_store_requests` falls to 0. The copies of A of 4 bytes
//                  raise `global_load_requests`, each for four sectors.
//
//   async-wide     Idea: a patch of 16 x 8 instead of 8 x 8 elements per thread. 24
//                  numbers from shared memory serve 128 products, where 16 served 64.
//                  Cost: 128 sums, and about 200 registers per thread, so a single block
//                  of 256 threads fits on a multiprocessor. Each warp has to find enough
//                  independent work by itself: 128 products.
//                  Counter: `shared_load_requests` falls by a quarter for large matrices;
//                  see the occupancy.
//
// Example
//   Order 8192, all blocks together:
//     register-tiled, async-copies   tiles of 128 x 128: 34 GB from global memory or L2
//     async-wide                     tiles of 128 x 256: 26 GB
//
// Launch
//   grid   max(1, tiles of C)
//   block  256 threads; tiles of 128 x 128 (async-copies) or 128 x 256 (async-wide).
//   m, n, k from 0 to 16384, so that each index fits into 32 bits. All elements are
//          written; with k = 0 they are 0. The matrices are aligned to 16 bytes.

// Numbers of k that a pair of tiles holds.
#define STEP 8

// Pairs of tiles: one is multiplied, the others are on their way.
#define STAGES 3

// Rows of tiles in a band.
#define BAND 8

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

// What a thread copies: from where, in the next step, and into which place of a tile.
struct Copies {
    const float *a;  // its first number of A; the others are 32 rows apart
    const float *b;  // its first group of B, or number, if groups are not aligned
    unsigned int a_row, a_column, b_row, b_column;
};

// Starts the copies of the step that begins at `begin`, of ROWS x STEP numbers of A, stored
// by columns, and of STEP x COLUMNS numbers of B. WHOLE: all of them are in the matrices.
template <unsigned int ROWS, unsigned int COLUMNS, bool ALIGNED, bool WHOLE>
static __device__ __forceinline__ void
copy_tiles(float (*a_tile)[ROWS + 4], float (*b_tile)[COLUMNS], Copies &copies, unsigned int top,
           unsigned int left, unsigned int begin, unsigned int m, unsigned int n, unsigned int k)
{
    // Eight neighbouring threads copy eight neighbours of a row of A: one sector. Their
    // places in the tile are a column apart; 4 floats more per column put them, and those
    // of the three other rows that the warp copies, on 32 different banks.
#pragma unroll
    for (unsigned int i = 0; i < ROWS / 32; ++i) {
        unsigned int row = copies.a_row + i * 32;
        bool inside = WHOLE || (top + row < m && begin + copies.a_column < k);
        copy<4>(&a_tile[copies.a_column][row], copies.a + (inside ? i * 32 * k : 0), inside);
    }
    // Rows of B begin anywhere, if n is no multiple of four: then no group may be copied.
    const unsigned int WIDTH = ALIGNED ? 4 : 1;
    const unsigned int ROWS_AT_ONCE = 256 / (COLUMNS / WIDTH);
#pragma unroll
    for (unsigned int i = 0; i < STEP / ROWS_AT_ONCE; ++i) {
        unsigned int row = copies.b_row + i * ROWS_AT_ONCE;
        bool inside = WHOLE || (begin + row < k && left + copies.b_column < n);
        copy<4 * WIDTH>(&b_tile[row][copies.b_column],
                        copies.b + (inside ? i * ROWS_AT_ONCE * n : 0), inside);
    }
    copies.a += STEP;
    copies.b += STEP * n;
}

// Loads what a thread's patch needs for one number of k: from a column of the tile of A,
// groups of four that are 32 apart, and from a row of the tile of B, two groups 16 apart.
template <unsigned int PATCH_ROWS>
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

// The tile of C of this block: PATCH_ROWS x 8 elements per thread.
template <unsigned int ROWS, unsigned int COLUMNS, unsigned int PATCH_ROWS, bool ALIGNED,
          bool WHOLE>
static __device__ __forceinline__ void
async_tile(const float *a, const float *b, float *c, unsigned int top, unsigned int left,
           unsigned int m, unsigned int n, unsigned int k, float (*a_tiles)[STEP][ROWS + 4],
           float (*b_tiles)[STEP][COLUMNS])
{
    // A warp covers 8 x 4 patches. Lanes that load at the same time load neighbouring or
    // equal groups of four numbers.
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    const unsigned int WARPS_DOWN = ROWS / (8 * PATCH_ROWS);
    unsigned int y = warp % WARPS_DOWN * 8 * PATCH_ROWS + lane / 2 % 8 * 4;
    unsigned int x = warp / WARPS_DOWN * 32 + (lane % 2 + lane / 16 * 2) * 4;

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
    copies.a = a + (top + copies.a_row) * k + copies.a_column;
    copies.b = b + copies.b_row * n + left + copies.b_column;

    // Groups of the first steps. A group may be empty, so that the number of groups
    // still tells which step has arrived.
#pragma unroll
    for (unsigned int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage * STEP < k) {
            copy_tiles<ROWS, COLUMNS, ALIGNED, WHOLE>(a_tiles[stage], b_tiles[stage], copies, top,
                                                      left, stage * STEP, m, n, k);
        }
        end_group();
    }

    unsigned int now = 0;             // the pair of tiles that is multiplied
    unsigned int free = STAGES - 1;   // the pair that is free for a later step
    wait_for_next();
    __syncthreads();
    load_patches<PATCH_ROWS>(a_now[0], b_now[0], &a_tiles[0][0][y], &b_tiles[0][0][x]);
    for (unsigned int begin = 0; begin < k; begin += STEP) {
        unsigned int later = begin + (STAGES - 1) * STEP;
        if (later < k) {
            copy_tiles<ROWS, COLUMNS, ALIGNED, WHOLE>(a_tiles[free], b_tiles[free], copies, top,
                                                      left, later, m, n, k);
        }
        end_group();

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
            load_patches<PATCH_ROWS>(a_now[(step + 1) % 2], b_now[(step + 1) % 2],
                                     &a_tiles[tiles][next][y], &b_tiles[tiles][next][x]);
#pragma unroll
            for (unsigned int i = 0; i < PATCH_ROWS; ++i) {
#pragma unroll
                for (unsigned int j = 0; j < 8; ++j) {
                    sums[i][j] += a_now[step % 2][i] * b_now[step % 2][j];
                }
            }
        }
    }

#pragma unroll
    for (unsigned int i = 0; i < PATCH_ROWS; ++i) {
        unsigned int row = top + y + i / 4 * 32 + i % 4;
#pragma unroll
        for (unsigned int j = 0; j < 8; j += 4) {
            unsigned int column = left + x + j * 4;
            if (ALIGNED) {
                if (WHOLE || (row < m && column < n)) {
                    *reinterpret_cast<float4 *>(&c[row * n + column]) = make_float4(
                        sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
                }
            } else {
#pragma unroll
                for (unsigned int each = 0; each < 4; ++each) {
                    if (row < m && column + each < n) {
                        c[row * n + column + each] = sums[i][j + each];
                    }
                }
            }
        }
    }
}

template <unsigned int ROWS, unsigned int COLUMNS, unsigned int PATCH_ROWS>
static __device__ __forceinline__ void async_tiled(const float *a, const float *b, float *c,
                                                   unsigned int m, unsigned int n,
                                                   unsigned int k)
{
    __shared__ __align__(16) float a_tiles[STAGES][STEP][ROWS + 4];
    __shared__ __align__(16) float b_tiles[STAGES][STEP][COLUMNS];

    // An empty matrix still has one block, which does nothing.
    if (m == 0 || n == 0) {
        return;
    }
    // Bands of BAND rows of tiles, each taken column by column; the last band may have
    // fewer rows.
    unsigned int tiles_across = (n + COLUMNS - 1) / COLUMNS;
    unsigned int tiles_down = (m + ROWS - 1) / ROWS;
    unsigned int band = blockIdx.x / (BAND * tiles_across);
    unsigned int in_band = blockIdx.x % (BAND * tiles_across);
    unsigned int rows_in_band = min(BAND, tiles_down - band * BAND);
    unsigned int top = (band * BAND + in_band % rows_in_band) * ROWS;
    unsigned int left = in_band / rows_in_band * COLUMNS;

    if (n % 4 == 0 && k % STEP == 0 && top + ROWS <= m && left + COLUMNS <= n) {
        async_tile<ROWS, COLUMNS, PATCH_ROWS, true, true>(a, b, c, top, left, m, n, k, a_tiles,
                                                          b_tiles);
    } else if (n % 4 == 0) {
        async_tile<ROWS, COLUMNS, PATCH_ROWS, true, false>(a, b, c, top, left, m, n, k, a_tiles,
                                                           b_tiles);
    } else {
        async_tile<ROWS, COLUMNS, PATCH_ROWS, false, false>(a, b, c, top, left, m, n, k, a_tiles,
                                                            b_tiles);
    }
}

// ---- async-copies: patches of 8 x 8 ------------------------------------------

extern "C" __global__ void __launch_bounds__(256, 2)
matmul_async_copies(const float *a, const float *b, float *c, unsigned int m, unsigned int n,
                    unsigned int k)
{
    async_tiled<128, 128, 8>(a, b, c, m, n, k);
}

// ---- async-wide: patches of 16 x 8 -------------------------------------------

extern "C" __global__ void __launch_bounds__(256, 1)
matmul_async_wide(const float *a, const float *b, float *c, unsigned int m, unsigned int n,
                  unsigned int k)
{
    async_tiled<128, 256, 16>(a, b, c, m, n, k);
}
