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
//                       with 10 bits of fraction instead of 23. B is rounded to the
//                       nearest such number here; of A the core ignores the low bits. One
//                       product is wrong by at most 2^-10 + 2^-11 of its size, about
//                       0.15 %; the sums stay floats. No machine instruction rounds
//                       like that: it takes two or three per number.
//                       Counter: `warp_instructions` falls to a tenth of that of
//                       async-wide, `shared_load_requests` to a quarter.
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
//   B      Which column of C is which row of C^T is free to choose. Rows l / 4 and
//          l / 4 + 8 of the product are columns 2 (l / 4) and 2 (l / 4) + 1 of 16: a lane
//          loads both by one 64-bit load, and stores two neighbours of C. Rows of the tile
//          are 8 floats longer than needed, so that the four rows of k that a warp loads
//          lie in different banks.
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
    const float *a, *b;           // the thread's first copies of the next step,
    unsigned int a_row, a_column; // their places in the tiles,
    unsigned int b_row, b_column;
    unsigned int a_to, b_to;      // and in shared memory, of the first pair of tiles
    unsigned int a_from, b_from;  // what the thread loads from the first pair of tiles
};

// Starts the copies of the step that begins at `begin`, WIDTH numbers at a time; none, if it
// is behind the last one. The group may be empty, so that the number of groups tells which
// step has arrived. WHOLE: all numbers are in the matrices.
template <unsigned int WIDTH, bool WHOLE>
static __device__ __forceinline__ void copy_step(Work &work, unsigned int begin,
                                                 unsigned int stage)
{
    const unsigned int A_ROWS = THREADS * WIDTH / STEP;  // that all threads copy at once
    const unsigned int B_ROWS = THREADS * WIDTH / COLUMNS;
    if (begin < work.k) {
#pragma unroll
        for (unsigned int row = 0; row < ROWS; row += A_ROWS) {
            bool inside =
                WHOLE || (work.top + work.a_row + row < work.m && begin + work.a_column < work.k);
            copy<4 * WIDTH>(work.a_to + stage * STAGE_BYTES + 4 * row * STEP,
                            work.a + (inside ? row * work.k : 0), inside);
        }
#pragma unroll
        for (unsigned int row = 0; row < STEP; row += B_ROWS) {
            bool inside =
                WHOLE || (begin + work.b_row + row < work.k && work.left + work.b_column < work.n);
            copy<4 * WIDTH>(work.b_to + stage * STAGE_BYTES + 4 * row * B_PITCH,
                            work.b + (inside ? row * work.n : 0), inside);
        }
        work.a += STEP;
        work.b += STEP * work.n;
    }
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
    unsigned int b[ACROSS][4];
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
    for (unsigned int i = 0; i < 2 * ACROSS; ++i) {
        unsigned int *to = &part.b[i / 2][i % 2 * 2];
        unsigned int row = half * 8 + i % 2 * 4;
        unsigned int from =
            work.b_from + stage * STAGE_BYTES + 4 * (row * B_PITCH + i / 2 * 16);
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1])
                     : "r"(from)
                     : "memory");
    }
}

// The nearest TF32 number.
static __device__ __forceinline__ unsigned int rounded(unsigned int number)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(__uint_as_float(number)));
    return bits;
}

// Rounds what the lane has of 16 columns of B.
static __device__ __forceinline__ void round_columns(Part &part, unsigned int j)
{
#pragma unroll
    for (unsigned int i = 0; i < 4; ++i) {
        part.b[j][i] = rounded(part.b[j][i]);
    }
}

// Adds the products of a part. Its first 16 columns of B are rounded, those of the next part
// will be. Rounding goes on beside the products.
static __device__ __forceinline__ void multiply(float *sums, Part &part, Part &next)
{
#pragma unroll
    for (unsigned int j = 0; j < ACROSS; ++j) {
        if (j + 1 < ACROSS) {
            round_columns(part, j + 1);
        } else {
            round_columns(next, 0);
        }
#pragma unroll
        for (unsigned int step = 0; step < DOWN; ++step) {
            // Back and forth, so that two products in a row share a factor.
            unsigned int i = j % 2 == 0 ? step : DOWN - 1 - step;
            float *to = sums + 4 * (j * DOWN + i);
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                         "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                         : "r"(part.b[j][0]), "r"(part.b[j][1]), "r"(part.b[j][2]),
                           "r"(part.b[j][3]), "r"(part.a[i][0]), "r"(part.a[i][1]));
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
    work.b_from = tiles + A_BYTES + 4 * (lane % 4 * B_PITCH + x + lane / 4 * 2);

    float sums[4 * DOWN * ACROSS];
#pragma unroll
    for (unsigned int i = 0; i < 4 * DOWN * ACROSS; ++i) {
        sums[i] = 0.0f;
    }
#pragma unroll
    for (unsigned int stage = 0; stage < STAGES; ++stage) {
        copy_step<WIDTH, WHOLE>(work, stage * STEP, stage);
    }
    wait_for_next<STAGES - 1>();
    Part first, second;
    load(first, work, 0, 0);
    round_columns(first, 0);

    unsigned int now = 0;  // the pair of tiles that is multiplied
    for (unsigned int begin = 0; begin < work.k; begin += STEP) {
        unsigned int next = now + 1 == STAGES ? 0 : now + 1;
        load(second, work, now, 1);
        multiply(sums, first, second);

        // All warps have loaded all of this pair of tiles: it is free for a later step. What
        // is loaded behind the last step is not used.
        wait_for_next<STAGES - 2>();
        load(first, work, next, 0);
        copy_step<WIDTH, WHOLE>(work, begin + STAGES * STEP, now);
        multiply(sums, second, first);
        now = next;
    }

    // A lane's sums are of two neighbouring rows in each eight, two columns in each 16.
#pragma unroll
    for (unsigned int i = 0; i < 2 * DOWN; ++i) {
        unsigned int row = work.top + y + i / 2 * 8 + lane % 4 * 2 + i % 2;
#pragma unroll
        for (unsigned int j = 0; j < ACROSS; ++j) {
            unsigned int column = work.left + x + j * 16 + lane / 4 * 2;
            const float *from = sums + 4 * (j * DOWN + i / 2) + i % 2;
            float *to = &c[row * work.n + column];
            if (WIDTH == 4) {
                if (WHOLE || (row < work.m && column < work.n)) {
                    *reinterpret_cast<float2 *>(to) = make_float2(from[0], from[2]);
                }
            } else {
                if (row < work.m && column < work.n) {
                    to[0] = from[0];
                }
                if (row < work.m && column + 1 < work.n) {
                    to[1] = from[2];
                }
            }
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
