// Matrix product: C = A x B, with A of m x k, B of k x n and C of m x n floats.
//
// Overview
//   All three matrices are stored row by row (row-major). An element of C is
//   the sum of k products, a row of A times a column of B:
//
//       C[row][column] = A[row][0] * B[0][column] + ... + A[row][k-1] * B[k-1][column]
//
//   That is 2 m n k operations on only m k + k n + m n numbers: for matrices of
//   order n, every number takes part in n products. Whoever fetches it from
//   memory for each of them waits for memory; whoever keeps it close and uses
//   it often computes. The variants differ only in how often a number that was
//   fetched is used.
//
//   global             A thread computes one element and fetches all 2 k numbers
//                      for it itself. Neighbouring threads have neighbouring
//                      columns, so they share the fetches of A and read B in
//                      whole lines; the rest is left to the caches.
//
//   tiled              A block computes a square tile of C. It walks along k tile
//                      by tile: all threads fetch one number of A and one of B
//                      into shared memory, then every thread uses a row of the
//                      one and a column of the other. With a tile of 16 x 16
//                      every number that was fetched is used 16 times.
//
//   block-per-element  A whole block computes one element: each thread adds up
//                      some of the k products, and a tree in shared memory adds
//                      up the threads. Much parallelism for few elements and a
//                      long k; nothing is used twice, and the column of B is
//                      read with a stride of n.
//
//   window-2x2         A block owns a window of 2 x 2 elements, each computed as
//                      above, so that every number is used twice. The window
//                      then slides to the right along its two rows of A, which
//                      are still in the cache.
//
//   thread-per-element Panels, as in SUMMA (scalable universal matrix
//                      multiplication): a panel is 16 columns of A and the 16
//                      rows of B that go with them. All elements of C are
//                      brought up to date with one panel before the next panel
//                      is touched. The panel stays in the cache; the price is
//                      that the sums live in C itself, read and written once
//                      per panel. Every thread owns its elements from beginning
//                      to end, so a single block can compute all of C, which is
//                      how it was published; more blocks only share the work.
//
//   register-tiled     A block computes a tile of 128 x 128 (or less), and each of
//                      its threads a patch of 8 x 8 in registers: 16 numbers
//                      from shared memory serve 64 products, where `tiled` needs
//                      two numbers for each product. Fetches are 128 bits wide,
//                      and the next numbers are always on their way while the
//                      present ones are multiplied: from global memory into
//                      registers and on into a second tile, and from shared
//                      memory into a second set of registers.
//
// Trade-off
//   Worked numbers: order 4096, 137 billion operations.
//     global              fetches 2 numbers for 2 operations: 550 GB through the
//                         caches, if no two threads shared a fetch.
//     tiled, 16 x 16      a 16th: 34 GB, and 275 billion reads of shared memory.
//     register-tiled, 256 a 128th: 4.3 GB, and 17 billion reads of shared memory.
//   Each step towards registers uses fewer, larger blocks, and a matrix whose
//   order is no multiple of the tile leaves part of the last tiles idle: for
//   small matrices the large tiles leave most of the GPU idle too.
//
// Launch
//   grid    global, thread-per-element: max(1, ceil(m n / (blockDim.x * c)))
//           tiled: max(1, ceil(tiles / c)), tiles = ceil(m / T) * ceil(n / T)
//           block-per-element: max(1, ceil(m n / c))
//           window-2x2: max(1, ceil(windows / c)), windows = ceil(m / 2) * ceil(n / 2)
//           register-tiled: max(1, tiles of C)
//           with c the coarsening; a smaller grid means more work per block.
//   block   global, block-per-element, window-2x2, thread-per-element: any number
//           of threads, need not be a multiple of 32. tiled_T: T * T threads.
//           register_tiled_S: S threads, with tiles of 64 x 64 (64 threads),
//           128 x 64 (128) and 128 x 128 (256). Blocks and grids are linear.
//   shared  block-per-element: 4 bytes per thread, threads rounded up to a power
//           of two; window-2x2: four times that. The others use none beside what
//           they declare.
//   m, n, k from 0 to 16384, so that every index fits into 32 bits. No element is
//           left unwritten: with k = 0 they are 0. The matrices begin at a
//           multiple of 16 bytes.

// ---- global: one thread per element -----------------------------------------

extern "C" __global__ void matmul_global(const float *a, const float *b, float *c,
                                         unsigned int m, unsigned int n, unsigned int k)
{
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;

    for (unsigned int element = first; element < m * n; element += stride) {
        unsigned int row = element / n;
        unsigned int column = element % n;
        float sum = 0.0f;
        for (unsigned int i = 0; i < k; ++i) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[element] = sum;
    }
}

// ---- tiled: tiles of A and B in shared memory --------------------------------

template <unsigned int TILE>
static __device__ __forceinline__ void tiled(const float *a, const float *b, float *c,
                                             unsigned int m, unsigned int n, unsigned int k)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    unsigned int y = threadIdx.x / TILE;  // the thread's place in the tile
    unsigned int x = threadIdx.x % TILE;
    unsigned int across = (n + TILE - 1) / TILE;
    unsigned int tiles = across * ((m + TILE - 1) / TILE);

    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned int row = tile / across * TILE + y;
        unsigned int column = tile % across * TILE + x;
        float sum = 0.0f;
        for (unsigned int begin = 0; begin < k; begin += TILE) {
            // What lies outside a matrix counts as 0 and adds nothing. Every
            // thread fetches, also one whose own element lies outside C.
            unsigned int a_column = begin + x;
            unsigned int b_row = begin + y;
            a_tile[y][x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
            b_tile[y][x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
            __syncthreads();  // no thread may multiply before both tiles are there

#pragma unroll
            for (unsigned int i = 0; i < TILE; ++i) {
                sum += a_tile[y][i] * b_tile[i][x];
            }
            __syncthreads();  // no thread may fetch the next tiles while these are read
        }
        if (row < m && column < n) {
            c[row * n + column] = sum;
        }
    }
}

extern "C" __global__ void matmul_tiled_8(const float *a, const float *b, float *c,
                                          unsigned int m, unsigned int n, unsigned int k)
{
    tiled<8>(a, b, c, m, n, k);
}

extern "C" __global__ void matmul_tiled_16(const float *a, const float *b, float *c,
                                           unsigned int m, unsigned int n, unsigned int k)
{
    tiled<16>(a, b, c, m, n, k);
}

extern "C" __global__ void matmul_tiled_32(const float *a, const float *b, float *c,
                                           unsigned int m, unsigned int n, unsigned int k)
{
    tiled<32>(a, b, c, m, n, k);
}

// ---- block-per-element and window-2x2: a tree over the threads of a block ----

// The number of threads of the block, rounded up to a power of two.
static __device__ __forceinline__ unsigned int tree_width()
{
    unsigned int width = 1;
    while (width < blockDim.x) {
        width *= 2;
    }
    return width;
}

// Puts this thread's sum at the foot of a tree. A tree halves again and again,
// so its width has to be a power of two; places without a thread get a 0.
static __device__ __forceinline__ void plant(float *tree, unsigned int width, float sum)
{
    tree[threadIdx.x] = sum;
    if (threadIdx.x + blockDim.x < width) {
        tree[threadIdx.x + blockDim.x] = 0.0f;
    }
}

// Adds up `trees` trees, which lie one behind the other; tree[0], tree[width], ...
// hold the totals, which thread 0 may read. Begins and ends without a barrier.
static __device__ __forceinline__ void add_up(float *tree, unsigned int width,
                                              unsigned int trees)
{
    for (unsigned int half = width / 2; half > 0; half /= 2) {
        __syncthreads();  // no thread may read sums that are still being written
        if (threadIdx.x < half) {
            for (unsigned int t = 0; t < trees; ++t) {
                tree[t * width + threadIdx.x] += tree[t * width + threadIdx.x + half];
            }
        }
    }
}

extern "C" __global__ void matmul_block_per_element(const float *a, const float *b, float *c,
                                                    unsigned int m, unsigned int n,
                                                    unsigned int k)
{
    extern __shared__ float sums[];

    unsigned int width = tree_width();

    for (unsigned int element = blockIdx.x; element < m * n; element += gridDim.x) {
        unsigned int row = element / n;
        unsigned int column = element % n;
        float sum = 0.0f;
        for (unsigned int i = threadIdx.x; i < k; i += blockDim.x) {
            sum += a[row * k + i] * b[i * n + column];
        }
        plant(sums, width, sum);
        add_up(sums, width, 1);
        if (threadIdx.x == 0) {
            c[element] = sums[0];
        }
        __syncthreads();  // no thread may plant again before the total is read
    }
}

extern "C" __global__ void matmul_window_2x2(const float *a, const float *b, float *c,
                                             unsigned int m, unsigned int n, unsigned int k)
{
    extern __shared__ float sums[];

    unsigned int width = tree_width();
    unsigned int across = (n + 1) / 2;
    unsigned int windows = across * ((m + 1) / 2);

    // Each block takes windows that follow each other, and slides over them.
    unsigned int per_block = (windows + gridDim.x - 1) / gridDim.x;
    unsigned int begin = min(blockIdx.x * per_block, windows);
    unsigned int end = min(begin + per_block, windows);

    for (unsigned int window = begin; window < end; ++window) {
        unsigned int row = window / across * 2;
        unsigned int column = window % across * 2;
        // With an odd number of rows or columns the last window hangs over.
        bool below = row + 1 < m;
        bool right = column + 1 < n;

        float sum00 = 0.0f, sum01 = 0.0f, sum10 = 0.0f, sum11 = 0.0f;
        for (unsigned int i = threadIdx.x; i < k; i += blockDim.x) {
            float a0 = a[row * k + i];
            float a1 = below ? a[(row + 1) * k + i] : 0.0f;
            float b0 = b[i * n + column];
            float b1 = right ? b[i * n + column + 1] : 0.0f;
            sum00 += a0 * b0;
            sum01 += a0 * b1;
            sum10 += a1 * b0;
            sum11 += a1 * b1;
        }
        plant(sums, width, sum00);
        plant(sums + width, width, sum01);
        plant(sums + 2 * width, width, sum10);
        plant(sums + 3 * width, width, sum11);
        add_up(sums, width, 4);

        if (threadIdx.x == 0) {
            c[row * n + column] = sums[0];
            if (right) {
                c[row * n + column + 1] = sums[width];
            }
            if (below) {
                c[(row + 1) * n + column] = sums[2 * width];
            }
            if (below && right) {
                c[(row + 1) * n + column + 1] = sums[3 * width];
            }
        }
        __syncthreads();  // no thread may plant again before the totals are read
    }
}

// ---- thread-per-element: panel after panel, the sums in C --------------------

extern "C" __global__ void matmul_thread_per_element(const float *a, const float *b, float *c,
                                                     unsigned int m, unsigned int n,
                                                     unsigned int k)
{
    const unsigned int PANEL = 16;

    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;

    // The first panel sets the elements instead of adding to them, also where
    // k = 0 makes it an empty one.
    unsigned int begin = 0;
    do {
        unsigned int end = min(begin + PANEL, k);
        for (unsigned int element = first; element < m * n; element += stride) {
            unsigned int row = element / n;
            unsigned int column = element % n;
            float sum = begin == 0 ? 0.0f : c[element];
            for (unsigned int i = begin; i < end; ++i) {
                sum += a[row * k + i] * b[i * n + column];
            }
            c[element] = sum;
        }
        begin += PANEL;
    } while (begin < k);
}

// ---- register-tiled: a patch of 8 x 8 elements per thread --------------------

// Columns of A and rows of B in a tile.
const unsigned int STEP = 8;

// Rows and columns of a thread's patch.
const unsigned int PATCH = 8;

// Four neighbouring numbers of a row, 0 where they lie outside the matrix.
// ALIGNED: the number of columns is a multiple of 4, and so is `column`; then
// the four are all inside or all outside, and one fetch of 128 bits gets them.
template <bool ALIGNED>
static __device__ __forceinline__ float4 fetch(const float *matrix, unsigned int row,
                                               unsigned int column, unsigned int rows,
                                               unsigned int columns)
{
    float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float *from = matrix + (row * columns + column);
    if (ALIGNED) {
        if (row < rows && column < columns) {
            four = *reinterpret_cast<const float4 *>(from);
        }
    } else if (row < rows) {
        if (column < columns) four.x = from[0];
        if (column + 1 < columns) four.y = from[1];
        if (column + 2 < columns) four.z = from[2];
        if (column + 3 < columns) four.w = from[3];
    }
    return four;
}

// Writes four neighbouring numbers of a row, as far as they lie inside.
template <bool ALIGNED>
static __device__ __forceinline__ void put(float *matrix, unsigned int row,
                                           unsigned int column, unsigned int rows,
                                           unsigned int columns, const float *four)
{
    float *to = matrix + (row * columns + column);
    if (ALIGNED) {
        if (row < rows && column < columns) {
            *reinterpret_cast<float4 *>(to) = make_float4(four[0], four[1], four[2], four[3]);
        }
    } else if (row < rows) {
#pragma unroll
        for (unsigned int i = 0; i < 4; ++i) {
            if (column + i < columns) to[i] = four[i];
        }
    }
}

// Eight numbers from shared memory, as two fours that lie `apart`.
static __device__ __forceinline__ void pick(float *numbers, const float *from, unsigned int apart)
{
    float4 low = *reinterpret_cast<const float4 *>(from);
    float4 high = *reinterpret_cast<const float4 *>(from + apart);
    numbers[0] = low.x;
    numbers[1] = low.y;
    numbers[2] = low.z;
    numbers[3] = low.w;
    numbers[4] = high.x;
    numbers[5] = high.y;
    numbers[6] = high.z;
    numbers[7] = high.w;
}

// One block's tile of ROWS x COLUMNS elements of C.
template <unsigned int ROWS, unsigned int COLUMNS, bool ALIGNED>
static __device__ __forceinline__ void register_tile(const float *a, const float *b, float *c,
                                                     unsigned int m, unsigned int n,
                                                     unsigned int k,
                                                     float (*a_tiles)[STEP][ROWS + 4],
                                                     float (*b_tiles)[STEP][COLUMNS])
{
    const unsigned int THREADS = ROWS / PATCH * (COLUMNS / PATCH);
    const unsigned int A_FETCHES = ROWS * STEP / 4 / THREADS;     // fours per thread
    const unsigned int B_FETCHES = COLUMNS * STEP / 4 / THREADS;

    unsigned int across = (n + COLUMNS - 1) / COLUMNS;
    unsigned int top = blockIdx.x / across * ROWS;  // the tile's first row and column
    unsigned int left = blockIdx.x % across * COLUMNS;

    // The thread's place among the patches. A warp covers 4 x 8 patches, so that
    // its reads of shared memory fall on 4 and 8 different fours that lie side by
    // side: no two on one bank. A patch is four quarters of 4 x 4, half a tile
    // apart, for the same reason.
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    const unsigned int WARPS_ACROSS = COLUMNS / PATCH / 8;
    unsigned int y = (warp / WARPS_ACROSS * 4 + lane / 8) * 4;
    unsigned int x = (warp % WARPS_ACROSS * 8 + lane % 8) * 4;

    float4 a_next[A_FETCHES];  // on their way from global memory
    float4 b_next[B_FETCHES];
    float a_now[2][PATCH];  // on their way from shared memory, and in use
    float b_now[2][PATCH];
    float sums[PATCH][PATCH];
#pragma unroll
    for (unsigned int i = 0; i < PATCH; ++i) {
#pragma unroll
        for (unsigned int j = 0; j < PATCH; ++j) {
            sums[i][j] = 0.0f;
        }
    }

    unsigned int buffer = 0;
    // The first round only fetches, the last one only multiplies.
    for (unsigned int begin = 0; begin < k + STEP; begin += STEP) {
        if (begin < k) {
#pragma unroll
            for (unsigned int f = 0; f < A_FETCHES; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                a_next[f] = fetch<ALIGNED>(a, top + four / 2, begin + four % 2 * 4, m, k);
            }
#pragma unroll
            for (unsigned int f = 0; f < B_FETCHES; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                b_next[f] = fetch<ALIGNED>(b, begin + four / (COLUMNS / 4),
                                           left + four % (COLUMNS / 4) * 4, k, n);
            }
        }

        if (begin > 0) {
            const float *a_from = &a_tiles[buffer][0][y];
            const float *b_from = &b_tiles[buffer][0][x];
            pick(a_now[0], a_from, ROWS / 2);
            pick(b_now[0], b_from, COLUMNS / 2);
#pragma unroll
            for (unsigned int step = 0; step < STEP; ++step) {
                if (step + 1 < STEP) {
                    pick(a_now[(step + 1) % 2], a_from + (step + 1) * (ROWS + 4), ROWS / 2);
                    pick(b_now[(step + 1) % 2], b_from + (step + 1) * COLUMNS, COLUMNS / 2);
                }
#pragma unroll
                for (unsigned int i = 0; i < PATCH; ++i) {
#pragma unroll
                    for (unsigned int j = 0; j < PATCH; ++j) {
                        sums[i][j] += a_now[step % 2][i] * b_now[step % 2][j];
                    }
                }
            }
            buffer ^= 1;
        }

        if (begin < k) {
            // The tile of A is kept by columns: then the eight numbers that a
            // patch needs for one step lie in two fours. The four floats beyond
            // its rows put the two halves of a warp's writes on different banks.
#pragma unroll
            for (unsigned int f = 0; f < A_FETCHES; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                float *to = &a_tiles[buffer][four % 2 * 4][four / 2];
                to[0 * (ROWS + 4)] = a_next[f].x;
                to[1 * (ROWS + 4)] = a_next[f].y;
                to[2 * (ROWS + 4)] = a_next[f].z;
                to[3 * (ROWS + 4)] = a_next[f].w;
            }
#pragma unroll
            for (unsigned int f = 0; f < B_FETCHES; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                float *to = &b_tiles[buffer][four / (COLUMNS / 4)][four % (COLUMNS / 4) * 4];
                *reinterpret_cast<float4 *>(to) = b_next[f];
            }
            // One barrier per round is enough: what is written next is the other
            // pair of tiles, which nobody has read since the barrier before.
            __syncthreads();
        }
    }

#pragma unroll
    for (unsigned int i = 0; i < PATCH; ++i) {
        unsigned int row = top + i / 4 * (ROWS / 2) + y + i % 4;
        put<ALIGNED>(c, row, left + x, m, n, &sums[i][0]);
        put<ALIGNED>(c, row, left + COLUMNS / 2 + x, m, n, &sums[i][4]);
    }
}

template <unsigned int ROWS, unsigned int COLUMNS>
static __device__ __forceinline__ void register_tiled(const float *a, const float *b, float *c,
                                                      unsigned int m, unsigned int n,
                                                      unsigned int k)
{
    __shared__ __align__(16) float a_tiles[2][STEP][ROWS + 4];
    __shared__ __align__(16) float b_tiles[2][STEP][COLUMNS];

    // A matrix without elements still gets a block, which has nothing to do.
    if (m == 0 || n == 0) {
        return;
    }
    if (n % 4 == 0 && k % 4 == 0) {
        register_tile<ROWS, COLUMNS, true>(a, b, c, m, n, k, a_tiles, b_tiles);
    } else {
        register_tile<ROWS, COLUMNS, false>(a, b, c, m, n, k, a_tiles, b_tiles);
    }
}

// The second number is how many blocks should fit on a multiprocessor at once:
// with 65,536 registers it leaves 128 of them to each thread.

extern "C" __global__ void __launch_bounds__(64, 8)
matmul_register_tiled_64(const float *a, const float *b, float *c, unsigned int m,
                         unsigned int n, unsigned int k)
{
    register_tiled<64, 64>(a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(128, 4)
matmul_register_tiled_128(const float *a, const float *b, float *c, unsigned int m,
                          unsigned int n, unsigned int k)
{
    register_tiled<128, 64>(a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(256, 2)
matmul_register_tiled_256(const float *a, const float *b, float *c, unsigned int m,
                          unsigned int n, unsigned int k)
{
    register_tiled<128, 128>(a, b, c, m, n, k);
}
