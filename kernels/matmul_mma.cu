// Matrix product by the tensor cores, a warp at a time: the variant tensor-cores-warp of
// matmul.cu, whose task and other variants are described there. It is a file of its own
// because of its target:
// Compiled for compute_80.
// Older tensor cores multiply 16-bit floats only.
//
// Overview
//   async-wide of matmul_async.cu issues one `fma` of a warp for 32 products. It is limited
//   by how many instructions a multiprocessor starts per cycle.
//
//   tensor-cores-warp   Idea: one instruction multiplies small matrices. `mma.sync` adds a
//                       product of 16 x 8 by 8 x 8 numbers to 16 x 8 sums: 1024 products,
//                       where `fma` takes 32 instructions. Each lane of the warp holds
//                       some numbers of all three matrices in its registers. Copies and
//                       bands of tiles are those of async-wide.
//                       Cost: the inputs lose bits. A tensor core reads a float as TF32,
//                       with 10 bits of fraction instead of 23, and ignores the others: a
//                       number of A is cut by at most 2^-10 of its size. A number of B
//                       grows by 2^-11 of its size before. That is at least half and less
//                       than one of the last bit that stays, so that cutting leaves it
//                       at most 2^-11 too small or too large. One product is wrong by at
//                       most 2^-10 + 2^-11, about 0.15 %; the sums stay floats. (The
//                       instruction that rounds to TF32 becomes three.)
//                       Counter: `warp_instructions` falls to a twelfth of that of
//                       async-wide, `shared_load_requests` to a sixth.
//
//   The warp waits until its product has started and names every register of it. tensor-cores
//   of matmul_wgmma.cu goes further: four warps multiply together, the second factor comes
//   from shared memory by itself, and the warps go on meanwhile. It is faster, but only GPUs
//   of compute capability 9.0 have it. This variant runs on all from 8.0 on.
//
// How C is computed
//   Eight warps share a tile of C of 256 x 128; each has 64 x 64 sums, 128 per lane. For
//   eight numbers of k it loads 64 x 8 numbers of A and 8 x 64 of B into registers once and
//   multiplies them in 32 instructions. The next numbers are loaded meanwhile.
//
//   A quarter of a multiprocessor starts such an instruction every six cycles or so, and it
//   has two warps only. Where both wait, its tensor core idles. Each step, 64 instructions of
//   a warp, has two such places:
//   - At the barrier a warp waits for the slowest one. Behind it come loads, and they take
//     time too. So it lies in the middle of a part: the warp already has the numbers of the
//     next 16 instructions.
//   - A copy reads its address late, and a warp that changes it soon after has to wait. So
//     each copy has an address of its own, which moves on in the next step, and the copies
//     are spread over 16 instructions instead of all waiting in one queue.
//
//   `mma.sync` says which lane holds what, in neighbouring registers, as a wide load fills
//   them. Of its first factor, 16 x 8, lane l has rows l / 4 and l / 4 + 8 at column l % 4,
//   then the same rows at column l % 4 + 4. Of its second factor, 8 x 8, it has column l / 4
//   at rows l % 4 and l % 4 + 4. Two neighbours of a row of B have the same k. Such numbers
//   belong together in a first factor, never in a second one. So the kernel computes the
//   transposed product: C^T = B^T A^T.
//
//   A      `ldmatrix` loads four matrices of 8 rows of 16 bytes: lane l gets bytes
//          4 (l % 4) to 4 (l % 4) + 3 of row l / 4. It was made for numbers of 16 bits, two
//          per lane, but it does not look into them: here they are one float. One
//          `ldmatrix` loads 16 rows of A with eight numbers of k, where plain loads would
//          take four instructions.
//          The tile has rows of 64 bytes. If it lay there unchanged, rows 0, 2, 4 and 6
//          would begin in the same bank. Therefore the four groups of 16 bytes of a row
//          change places: group g of row r lies where group g xor (r / 2 mod 4) would.
//          Eight rows then use all banks.
//   B      Which column of C is which row of C^T is free to choose. A lane has four
//          neighbours of 32 columns, 4 (l / 4) to 4 (l / 4) + 3: one 128-bit load fetches
//          them, and one stores them. The first two are rows l / 4 and l / 4 + 8 of a
//          product, the others of the next one. Rows of the tile are 8 floats longer than
//          needed, so that the four rows of k and two groups of columns that eight lanes
//          load at a time lie in different banks.
//
// Launch
//   grid   max(1, tiles of C), tiles of 256 x 128
//   block  256 threads: eight warps, four down and two across
//   shared 4 * 25088 bytes of dynamic shared memory: four pairs of tiles. They fit
//          the 99 KiB that a block has at most on GPUs of compute capability 8.6 and 8.9.
//   m, n, k from 0 to 16384. All elements are written; with k = 0 they are 0. The
//          matrices are aligned to 16 bytes.

#define ROWS 256     // of a tile of C
#define COLUMNS 128
#define STEP 16      // numbers of k in a pair of tiles: 64 bytes of a row of A
#define STAGES 4
#define BAND 8       // rows of tiles that run at the same time

#define THREADS 256
#define B_PITCH (COLUMNS + 8)  // floats
#define A_BYTES (ROWS * STEP * 4)
#define STAGE_BYTES (A_BYTES + STEP * B_PITCH * 4)

// Of a warp: 64 x 64 sums, as 8 x 4 products of 8 rows and 16 columns of C.
#define WARPS_DOWN 4
#define DOWN 8
#define ACROSS 4

// Copies of a thread in a step, 16 bytes each, and the rows that all threads copy at once.
#define A_COPIES 4
#define B_COPIES 2
#define COPIES (A_COPIES + B_COPIES)
#define A_ROWS (ROWS / A_COPIES)
#define B_ROWS (STEP / B_COPIES)

// ---- copies ---------------------------------------------------------------------

// Starts a copy to shared memory; what is not `inside` becomes zero.
template <unsigned int BYTES>
static __device__ __forceinline__ void copy(unsigned int to, const float *from, bool inside)
{
    unsigned int bytes = inside ? BYTES : 0;
    if (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    }
}

// The byte of a tile of A at which a number lies.
static __device__ __forceinline__ unsigned int a_place(unsigned int row, unsigned int column)
{
    return 4 * (row * STEP + (column ^ (row / 2 % 4 * 4)));
}

// What a thread needs to know in each step.
struct Work {
    unsigned int m, n, k;
    unsigned int top, left;       // first row and column of the tile of C
    const float *a, *b;           // the thread's first copies of the first step,
    unsigned int a_row, a_column; // their places in the tiles,
    unsigned int b_row, b_column;
    unsigned int a_to, b_to;      // and in shared memory, of the first pair of tiles
    unsigned int a_from, b_from;  // what the thread loads from the first pair of tiles
};

// Where the thread's copies of the first step come from, if all numbers are in the matrices.
static __device__ __forceinline__ void find_sources(const float **from, const Work &work)
{
#pragma unroll
    for (unsigned int i = 0; i < COPIES; ++i) {
        from[i] = i < A_COPIES ? work.a + i * A_ROWS * work.k
                               : work.b + (i - A_COPIES) * B_ROWS * work.n;
    }
}

// Moves on to the next step.
static __device__ __forceinline__ void advance(const float **from, const Work &work)
{
#pragma unroll
    for (unsigned int i = 0; i < COPIES; ++i) {
        from[i] += i < A_COPIES ? STEP : STEP * work.n;
    }
}

// Starts the first or the second half of the thread's copies of a step. Behind the last step
// (not `more`) they write zeros.
static __device__ __forceinline__ void copy_half(const Work &work, const float *const *from,
                                                 unsigned int stage, unsigned int half, bool more)
{
#pragma unroll
    for (unsigned int i = half * COPIES / 2; i < (half + 1) * COPIES / 2; ++i) {
        unsigned int to = i < A_COPIES ? work.a_to + 4 * i * A_ROWS * STEP
                                       : work.b_to + 4 * (i - A_COPIES) * B_ROWS * B_PITCH;
        copy<16>(to + stage * STAGE_BYTES, from[i], more);
    }
}

// Starts all copies of the step that begins at `begin`, WIDTH numbers at a time, in a tile
// that ends outside the matrices.
template <unsigned int WIDTH>
static __device__ __forceinline__ void copy_edge(const Work &work, unsigned int begin,
                                                 unsigned int stage)
{
    if (begin >= work.k) {
        return;
    }
#pragma unroll
    for (unsigned int row = 0; row < ROWS; row += THREADS * WIDTH / STEP) {
        bool inside = work.top + work.a_row + row < work.m && begin + work.a_column < work.k;
        copy<4 * WIDTH>(work.a_to + stage * STAGE_BYTES + 4 * row * STEP,
                        work.a + (inside ? row * work.k + begin : 0), inside);
    }
#pragma unroll
    for (unsigned int row = 0; row < STEP; row += THREADS * WIDTH / COLUMNS) {
        bool inside = begin + work.b_row + row < work.k && work.left + work.b_column < work.n;
        copy<4 * WIDTH>(work.b_to + stage * STAGE_BYTES + 4 * row * B_PITCH,
                        work.b + (inside ? (begin + row) * work.n : 0), inside);
    }
}

// Ends a group of copies. It may be empty, so that the number of groups tells which step has
// arrived.
static __device__ __forceinline__ void end_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until the next step's copies have arrived: those of the thread by the wait, all
// others by the barrier. AFTER later groups may be in flight.
template <unsigned int AFTER>
static __device__ __forceinline__ void wait_for_next()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(AFTER) : "memory");
    __syncthreads();
}

// ---- multiplications --------------------------------------------------------------

// A lane's numbers of eight of k: 64 rows of A, 64 columns of B.
struct Part {
    unsigned int a[DOWN][2];
    float b[ACROSS][4];
};

// Loads the first or the second half of a pair of tiles.
static __device__ __forceinline__ void load(Part &part, const Work &work, unsigned int stage,
                                            unsigned int half)
{
#pragma unroll
    for (unsigned int i = 0; i < DOWN; i += 2) {
        // The halves of a row of A are 32 bytes apart, in their changed places too.
        unsigned int from = (work.a_from ^ half * 32) + stage * STAGE_BYTES + i * 8 * STEP * 4;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(part.a[i][0]), "=r"(part.a[i][1]), "=r"(part.a[i + 1][0]),
                       "=r"(part.a[i + 1][1])
                     : "r"(from)
                     : "memory");
    }
#pragma unroll
    for (unsigned int i = 0; i < ACROSS; ++i) {
        unsigned int j = i / 2 * 2;  // the first of two products
        unsigned int high = i % 2;   // the first or the last four of eight numbers of k
        unsigned int row = half * 8 + high * 4;
        unsigned int from = work.b_from + stage * STAGE_BYTES + 4 * (row * B_PITCH + j * 16);
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(part.b[j][2 * high]), "=f"(part.b[j][2 * high + 1]),
                       "=f"(part.b[j + 1][2 * high]), "=f"(part.b[j + 1][2 * high + 1])
                     : "r"(from)
                     : "memory");
    }
}

// Makes what the lane has of 16 columns of B larger by 2^-11, so that cutting rounds it.
static __device__ __forceinline__ void round_columns(Part &part, unsigned int j)
{
#pragma unroll
    for (unsigned int i = 0; i < 4; ++i) {
        part.b[j][i] = __fmul_rn(part.b[j][i], 1.0f + 1.0f / 2048);
    }
}

// Adds the products of the part's columns from 16 j on, which are rounded. The columns that
// follow, in the same part or in the next one, are rounded meanwhile.
static __device__ __forceinline__ void multiply(float *sums, Part &part, Part &next,
                                                unsigned int j)
{
    round_columns(j + 1 < ACROSS ? part : next, (j + 1) % ACROSS);
#pragma unroll
    for (unsigned int step = 0; step < DOWN; ++step) {
        // Back and forth, so that two products in a row share a factor.
        unsigned int i = j % 2 == 0 ? step : DOWN - 1 - step;
        float *to = sums + 4 * (j * DOWN + i);
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                     : "r"(__float_as_uint(part.b[j][0])), "r"(__float_as_uint(part.b[j][1])),
                       "r"(__float_as_uint(part.b[j][2])), "r"(__float_as_uint(part.b[j][3])),
                       "r"(part.a[i][0]), "r"(part.a[i][1]));
    }
}

// Stores four neighbours of a row of C.
template <unsigned int WIDTH, bool WHOLE>
static __device__ __forceinline__ void store(const Work &work, float *c, unsigned int row,
                                             unsigned int column, float4 four)
{
    float *to = &c[row * work.n + column];
    if (WHOLE || (WIDTH == 4 && row < work.m && column < work.n)) {
        *reinterpret_cast<float4 *>(to) = four;
    } else if (WIDTH == 1 && row < work.m) {
        const float *numbers = &four.x;
#pragma unroll
        for (unsigned int i = 0; i < 4; ++i) {
            if (column + i < work.n) {
                to[i] = numbers[i];
            }
        }
    }
}

// The tile of C of this block.
template <unsigned int WIDTH, bool WHOLE>
static __device__ __forceinline__ void multiply_tiles(Work work, const float *a, const float *b,
                                                      float *c, unsigned int tiles)
{
    unsigned int lane = threadIdx.x % 32;
    unsigned int y = threadIdx.x / 32 % WARPS_DOWN * 8 * DOWN;  // of the warp in the tile of C
    unsigned int x = threadIdx.x / 32 / WARPS_DOWN * 16 * ACROSS;

    work.a_row = threadIdx.x / (STEP / WIDTH);
    work.a_column = threadIdx.x % (STEP / WIDTH) * WIDTH;
    work.b_row = threadIdx.x / (COLUMNS / WIDTH);
    work.b_column = threadIdx.x % (COLUMNS / WIDTH) * WIDTH;
    work.a = a + (work.top + work.a_row) * work.k + work.a_column;
    work.b = b + work.b_row * work.n + work.left + work.b_column;
    work.a_to = tiles + a_place(work.a_row, work.a_column);
    work.b_to = tiles + A_BYTES + 4 * (work.b_row * B_PITCH + work.b_column);

    // For `ldmatrix` each lane names a row: of rows 0 to 7 and 8 to 15, the first and the
    // second four numbers of k.
    work.a_from = tiles + a_place(y + lane / 16 * 8 + lane % 8, lane / 8 % 2 * 4);
    work.b_from = tiles + A_BYTES + 4 * (lane % 4 * B_PITCH + x + lane / 4 * 4);

    float sums[4 * DOWN * ACROSS];
#pragma unroll
    for (unsigned int i = 0; i < 4 * DOWN * ACROSS; ++i) {
        sums[i] = 0.0f;
    }
    const float *from[COPIES];
    find_sources(from, work);
#pragma unroll
    for (unsigned int stage = 0; stage < STAGES; ++stage) {
        if (WHOLE) {
            if (stage > 0) {
                advance(from, work);
            }
            copy_half(work, from, stage, 0, stage * STEP < work.k);
            copy_half(work, from, stage, 1, stage * STEP < work.k);
        } else {
            copy_edge<WIDTH>(work, stage * STEP, stage);
        }
        end_group();
    }
    wait_for_next<STAGES - 1>();
    Part first, second;
    load(first, work, 0, 0);
    round_columns(first, 0);

    unsigned int now = 0;  // the pair of tiles that is multiplied
    for (unsigned int begin = 0; begin < work.k; begin += STEP) {
        unsigned int next = now + 1 == STAGES ? 0 : now + 1;
        unsigned int later = begin + STAGES * STEP;
        advance(from, work);  // The copies before have read their addresses by now.
        load(second, work, now, 1);
#pragma unroll
        for (unsigned int j = 0; j < ACROSS; ++j) {
            multiply(sums, first, second, j);
        }
#pragma unroll
        for (unsigned int j = 0; j < ACROSS; ++j) {
            if (j == ACROSS / 2) {
                // All warps have loaded all of this pair of tiles: it is free for a later
                // step. What is loaded behind the last step is not used.
                wait_for_next<STAGES - 2>();
                load(first, work, next, 0);
                if (!WHOLE) {
                    copy_edge<WIDTH>(work, later, now);
                }
            }
            multiply(sums, second, first, j);
            if (WHOLE && j >= ACROSS / 2) {
                copy_half(work, from, now, j - ACROSS / 2, later < work.k);
            }
        }
        end_group();
        now = next;
    }

    // A lane's sums are of two neighbouring rows in each eight, four columns in each 32.
#pragma unroll
    for (unsigned int i = 0; i < 2 * DOWN; ++i) {
        unsigned int row = work.top + y + i / 2 * 8 + lane % 4 * 2 + i % 2;
#pragma unroll
        for (unsigned int j = 0; j < ACROSS; j += 2) {
            unsigned int column = work.left + x + j * 16 + lane / 4 * 4;
            const float *left = sums + 4 * (j * DOWN + i / 2) + i % 2;
            const float *right = left + 4 * DOWN;
            float4 four = make_float4(left[0], left[2], right[0], right[2]);
            store<WIDTH, WHOLE>(work, c, row, column, four);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
matmul_tensor_cores_warp(const float *a, const float *b, float *c, unsigned int m,
                         unsigned int n, unsigned int k)
{
    extern __shared__ __align__(128) unsigned char shared[];

    // An empty matrix still has one block, which does nothing.
    if (m == 0 || n == 0) {
        return;
    }

    // Bands of BAND rows of tiles, each taken column by column.
    unsigned int tiles_across = (n + COLUMNS - 1) / COLUMNS;
    unsigned int tiles_down = (m + ROWS - 1) / ROWS;
    unsigned int band = blockIdx.x / (BAND * tiles_across);
    unsigned int in_band = blockIdx.x % (BAND * tiles_across);
    unsigned int rows_in_band = min(BAND, tiles_down - band * BAND);

    Work work;
    work.m = m;
    work.n = n;
    work.k = k;
    work.top = (band * BAND + in_band % rows_in_band) * ROWS;
    work.left = in_band / rows_in_band * COLUMNS;
    unsigned int tiles = static_cast<unsigned int>(__cvta_generic_to_shared(shared));

    if (n % 4 == 0 && k % STEP == 0 && work.top + ROWS <= m && work.left + COLUMNS <= n) {
        multiply_tiles<4, true>(work, a, b, c, tiles);
    } else if (n % 4 == 0 && k % 4 == 0) {
        multiply_tiles<4, false>(work, a, b, c, tiles);
    } else {
        multiply_tiles<1, false>(work, a, b, c, tiles);
    }
}
