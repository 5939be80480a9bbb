// Matrix product: C = A x B, with A of m x k, B of k x n and C of m x n floats.
//
// Overview
//   All matrices are stored row by row (row-major). An element of C is the sum of k
//   products, a row of A times a column of B:
//
//       C[row][column] = A[row][0] * B[0][column] + ... + A[row][k-1] * B[k-1][column]
//
//   These are 2 m n k operations on only m k + k n + m n numbers: in matrices of
//   order n, each number takes part in n products. A kernel that loads it again for
//   each product is limited by memory; a kernel that reuses it is limited by
//   arithmetic. The variants differ in how often they reuse a loaded number.
//
//   global              Idea: a thread computes one element and loads all 2 k numbers
//                       for it.
//                       Cost: two loads per product. Neighbouring threads compute
//                       neighbouring columns: loads of A are broadcasts, loads of B
//                       are coalesced. All other reuse is left to the caches.
//                       Counter: `global_load_requests`.
//
//   tiled               Idea: a block computes a square tile of C and walks along k.
//                       In each step its threads load one tile of A and one of B into
//                       shared memory. With tiles of 16 x 16 each loaded number is
//                       used 16 times.
//                       Cost: two loads from shared memory per product, and two
//                       barriers per step.
//                       Counter: `global_load_sectors` falls, `shared_load_requests`
//                       and `barriers` appear.
//
//   block-per-element   Idea: a whole block computes one element. Each thread adds
//                       some of the k products, and a tree in shared memory adds the
//                       threads' sums. It has much parallelism for few elements and
//                       a long k.
//                       Cost: no reuse, a reduction per element, and loads of B with
//                       a stride of n.
//                       Counter: `global_load_sectors` per `global_load_requests`,
//                       and `barriers`.
//
//   window-2x2          Idea: a block computes 2 x 2 elements as above, so each loaded
//                       number is used twice. The window then slides to the right
//                       along two rows of A, which are still in the cache.
//                       Cost: four reductions per window.
//                       Counter: `global_load_requests` is half of that of
//                       block-per-element, `barriers` a quarter.
//
//   thread-per-element  Idea: panels, as in SUMMA (scalable universal matrix
//                       multiplication). A panel is 16 columns of A and the matching
//                       16 rows of B. All elements of C add one panel before the next
//                       panel begins, so the panel stays in the cache. Each thread
//                       owns its elements from start to end, so one block can compute
//                       all of C, as in the published version.
//                       Cost: the sums are in C, read and written once per panel.
//                       Counter: `global_store_requests` grows with k / 16.
//
//   register-tiled      Idea: a block computes a tile of up to 128 x 128, and each
//                       thread a patch of 8 x 8 in registers. 16 numbers from shared
//                       memory serve 64 products, where `tiled` needs two for each
//                       product. Loads are 128 bits wide and double-buffered: the
//                       next numbers move from global to shared memory, and from
//                       shared memory to registers, while the present ones are
//                       multiplied.
//                       Cost: up to 128 registers per thread and large tiles. Small
//                       matrices leave most of the GPU idle, and an order that is no
//                       multiple of the tile wastes part of the last tiles.
//                       Counter: `shared_load_requests` and `global_load_requests`
//                       fall; see the occupancy.
//
// Example
//   Order 4096, 137 billion operations:
//     global              2 numbers for 2 operations: 550 GB of loads, if no two
//                         threads share a load.
//     tiled, 16 x 16      a 16th: 34 GB, and 137 billion numbers from shared memory.
//     register-tiled, 256 a 128th: 4.3 GB, and 17 billion numbers from shared memory.
//
// Launch
//   grid    global, thread-per-element: max(1, ceil(m n / (blockDim.x * c)))
//           tiled: max(1, ceil(tiles / c)), tiles = ceil(m / T) * ceil(n / T)
//           block-per-element: max(1, ceil(m n / c))
//           window-2x2: max(1, ceil(windows / c)), windows = ceil(m / 2) * ceil(n / 2)
//           register-tiled: max(1, tiles of C)
//           with c the coarsening; a smaller grid means more work per block.
//   block   global, block-per-element, window-2x2, thread-per-element: any number of
//           threads, not only multiples of 32. tiled_T: T * T threads.
//           register_tiled_S: S threads, with tiles of 64 x 64 (64 threads),
//           128 x 64 (128) and 128 x 128 (256). Blocks and grids are one-dimensional.
//   shared  block-per-element: 4 bytes per thread, with the number of threads rounded
//           up to a power of two; window-2x2: four times that. The others declare
//           what they use.
//   m, n, k from 0 to 16384, so that each index fits into 32 bits. All elements are
//           written; with k = 0 they are 0. The matrices are aligned to 16 bytes.

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

    unsigned int y = threadIdx.x / TILE;  // row and column within the tile
    unsigned int x = threadIdx.x % TILE;
    unsigned int tiles_per_row = (n + TILE - 1) / TILE;
    unsigned int tiles = tiles_per_row * ((m + TILE - 1) / TILE);

    for (unsigned int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        unsigned int row = tile / tiles_per_row * TILE + y;
        unsigned int column = tile % tiles_per_row * TILE + x;
        float sum = 0.0f;
        for (unsigned int begin = 0; begin < k; begin += TILE) {
            // Numbers outside a matrix are 0. Each thread loads, even if its own
            // element is outside C.
            unsigned int a_column = begin + x;
            unsigned int b_row = begin + y;
            a_tile[y][x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
            b_tile[y][x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
            __syncthreads();  // both tiles are complete before any thread multiplies

#pragma unroll
            for (unsigned int i = 0; i < TILE; ++i) {
                sum += a_tile[y][i] * b_tile[i][x];
            }
            __syncthreads();  // all threads have read these tiles before the next are stored
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

// Stores this thread's partial sum in a tree, whose width is a power of two; the
// numbers beyond the last thread are 0.
static __device__ __forceinline__ void store_partial(float *tree, unsigned int width, float sum)
{
    tree[threadIdx.x] = sum;
    if (threadIdx.x + blockDim.x < width) {
        tree[threadIdx.x + blockDim.x] = 0.0f;
    }
}

// Reduces `trees` consecutive trees. The totals are in tree[0], tree[width], ..., and
// thread 0 may read them. Begins and ends without a barrier.
static __device__ __forceinline__ void block_reduce(float *tree, unsigned int width,
                                                    unsigned int trees)
{
    for (unsigned int half = width / 2; half > 0; half /= 2) {
        __syncthreads();  // the sums of the last step are stored
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
        store_partial(sums, width, sum);
        block_reduce(sums, width, 1);
        if (threadIdx.x == 0) {
            c[element] = sums[0];
        }
        __syncthreads();  // the total is read before the tree is overwritten
    }
}

extern "C" __global__ void matmul_window_2x2(const float *a, const float *b, float *c,
                                             unsigned int m, unsigned int n, unsigned int k)
{
    extern __shared__ float sums[];

    unsigned int width = tree_width();
    unsigned int windows_per_row = (n + 1) / 2;
    unsigned int windows = windows_per_row * ((m + 1) / 2);

    // Each block slides over consecutive windows.
    unsigned int per_block = (windows + gridDim.x - 1) / gridDim.x;
    unsigned int begin = min(blockIdx.x * per_block, windows);
    unsigned int end = min(begin + per_block, windows);

    for (unsigned int window = begin; window < end; ++window) {
        unsigned int row = window / windows_per_row * 2;
        unsigned int column = window % windows_per_row * 2;
        // With an odd number of rows or columns the last window is partly outside C.
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
        store_partial(sums, width, sum00);
        store_partial(sums + width, width, sum01);
        store_partial(sums + 2 * width, width, sum10);
        store_partial(sums + 3 * width, width, sum11);
        block_reduce(sums, width, 4);

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
        __syncthreads();  // the totals are read before the trees are overwritten
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

    // The first panel sets the elements instead of adding to them, even if k = 0 and
    // the panel is empty.
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

// Loads four neighbouring numbers of a row, 0 outside the matrix. ALIGNED: the number
// of columns and `column` are multiples of 4, so all four are inside or all outside,
// and one 128-bit load is enough.
template <bool ALIGNED>
static __device__ __forceinline__ float4 load4(const float *matrix, unsigned int row,
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

// Stores four neighbouring numbers of a row, if they are inside the matrix.
template <bool ALIGNED>
static __device__ __forceinline__ void store4(float *matrix, unsigned int row,
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

// Loads eight numbers from shared memory: two groups of four, `distance` apart.
static __device__ __forceinline__ void load8(float *numbers, const float *from, unsigned int distance)
{
    float4 low = *reinterpret_cast<const float4 *>(from);
    float4 high = *reinterpret_cast<const float4 *>(from + distance);
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
    const unsigned int A_LOADS = ROWS * STEP / 4 / THREADS;  // groups of four per thread
    const unsigned int B_LOADS = COLUMNS * STEP / 4 / THREADS;

    unsigned int tiles_per_row = (n + COLUMNS - 1) / COLUMNS;
    unsigned int top = blockIdx.x / tiles_per_row * ROWS;  // the tile's first row and column
    unsigned int left = blockIdx.x % tiles_per_row * COLUMNS;

    // The thread's patch. A warp covers 4 x 8 patches, so its loads from shared
    // memory touch 4 and 8 adjacent groups of four numbers, without bank conflicts.
    // A patch is four quarters of 4 x 4, half a tile apart, for the same reason.
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    const unsigned int WARPS_ACROSS = COLUMNS / PATCH / 8;
    unsigned int y = (warp / WARPS_ACROSS * 4 + lane / 8) * 4;
    unsigned int x = (warp % WARPS_ACROSS * 8 + lane % 8) * 4;

    float4 a_next[A_LOADS];  // in flight from global memory
    float4 b_next[B_LOADS];
    float a_now[2][PATCH];  // in flight from shared memory, and in use
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
    // The first round only loads, the last one only multiplies.
    for (unsigned int begin = 0; begin < k + STEP; begin += STEP) {
        if (begin < k) {
#pragma unroll
            for (unsigned int f = 0; f < A_LOADS; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                a_next[f] = load4<ALIGNED>(a, top + four / 2, begin + four % 2 * 4, m, k);
            }
#pragma unroll
            for (unsigned int f = 0; f < B_LOADS; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                b_next[f] = load4<ALIGNED>(b, begin + four / (COLUMNS / 4),
                                           left + four % (COLUMNS / 4) * 4, k, n);
            }
        }

        if (begin > 0) {
            const float *a_from = &a_tiles[buffer][0][y];
            const float *b_from = &b_tiles[buffer][0][x];
            load8(a_now[0], a_from, ROWS / 2);
            load8(b_now[0], b_from, COLUMNS / 2);
#pragma unroll
            for (unsigned int step = 0; step < STEP; ++step) {
                if (step + 1 < STEP) {
                    load8(a_now[(step + 1) % 2], a_from + (step + 1) * (ROWS + 4), ROWS / 2);
                    load8(b_now[(step + 1) % 2], b_from + (step + 1) * COLUMNS, COLUMNS / 2);
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
            // The tile of A is stored by columns, so that the eight numbers of a
            // patch for one step are two groups of four. Four more floats per
            // column put the two halves of a warp's stores on different banks.
#pragma unroll
            for (unsigned int f = 0; f < A_LOADS; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                float *to = &a_tiles[buffer][four % 2 * 4][four / 2];
                to[0 * (ROWS + 4)] = a_next[f].x;
                to[1 * (ROWS + 4)] = a_next[f].y;
                to[2 * (ROWS + 4)] = a_next[f].z;
                to[3 * (ROWS + 4)] = a_next[f].w;
            }
#pragma unroll
            for (unsigned int f = 0; f < B_LOADS; ++f) {
                unsigned int four = threadIdx.x + f * THREADS;
                float *to = &b_tiles[buffer][four / (COLUMNS / 4)][four % (COLUMNS / 4) * 4];
                *reinterpret_cast<float4 *>(to) = b_next[f];
            }
            // One barrier per round is enough: the next round stores the other
            // pair of tiles, which no thread has read since the last barrier.
            __syncthreads();
        }
    }

#pragma unroll
    for (unsigned int i = 0; i < PATCH; ++i) {
        unsigned int row = top + i / 4 * (ROWS / 2) + y + i % 4;
        store4<ALIGNED>(c, row, left + x, m, n, &sums[i][0]);
        store4<ALIGNED>(c, row, left + COLUMNS / 2 + x, m, n, &sums[i][4]);
    }
}

template <unsigned int ROWS, unsigned int COLUMNS>
static __device__ __forceinline__ void register_tiled(const float *a, const float *b, float *c,
                                                      unsigned int m, unsigned int n,
                                                      unsigned int k)
{
    __shared__ __align__(16) float a_tiles[2][STEP][ROWS + 4];
    __shared__ __align__(16) float b_tiles[2][STEP][COLUMNS];

    // An empty matrix still has one block, which does nothing.
    if (m == 0 || n == 0) {
        return;
    }
    if (n % 4 == 0 && k % 4 == 0) {
        register_tile<ROWS, COLUMNS, true>(a, b, c, m, n, k, a_tiles, b_tiles);
    } else {
        register_tile<ROWS, COLUMNS, false>(a, b, c, m, n, k, a_tiles, b_tiles);
    }
}

// The second launch bound is the number of blocks that should fit on a
// multiprocessor: with 65,536 registers, each thread can use 128.

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
