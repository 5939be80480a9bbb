// Dominant peaks: how far is each peak from the nearest one that is higher?
//
// Overview
//   A surface has many local maxima, most of them small wiggles on the flank of
//   a bigger one. What makes a peak matter is not its height alone but how far
//   one has to walk to find a higher one: a wiggle has its mountain next to it,
//   a summit has nothing higher for miles. So for every peak we look for the
//   least distance to any higher peak; the peaks with the largest such distance
//   are the dominant ones. On the autocorrelation of a periodic pattern they are
//   the points of its lattice.
//
//   The peaks come sorted by height, highest first, so "any higher peak" is
//   "any peak before this one": peak i looks at i others, n * (n - 1) / 2 looks
//   in all. Coordinates are whole pixels and distances are kept squared, so
//   every result is an exact integer and no square root is needed.
//
//   global           One thread per peak, which reads all peaks before it from
//                    global memory. The threads of a warp read the same address
//                    in the same step, a broadcast out of the L1 cache. But
//                    neighbours work alike while the first block is done at
//                    once and the last one looks at everything: the grid ends
//                    with a few busy blocks.
//
//   block-per-peaks  A whole block works on one peak at a time: each thread looks
//                    at every blockDim.x-th peak before it, then the threads'
//                    minima are reduced pairwise in shared memory. Reads are
//                    spread evenly over threads and memory, but every peak pays
//                    for a reduction: log2(block) steps with a barrier each,
//                    worth it only when the peak has far more than a block of
//                    others to look at.
//
//   tiled            One thread per peak again, but the block loads the others
//                    tile by tile into shared memory, each thread one of them.
//                    A peak is then read from global memory once per block
//                    instead of once per thread, and the inner loop reads
//                    shared memory only, all threads the same word: a broadcast.
//
// Launch
//   grid    max(1, ceil(n / (block * coarsening))) blocks. Threads (or blocks, in
//           block-per-peaks) take several peaks one grid width apart.
//   block   any number of threads.
//   shared  block-per-peaks: 4 bytes for each thread, their number rounded up to
//           a power of two. tiled: 8 bytes per thread.
//   x, y    whole pixels, below 32768, so that a squared distance fits 32 bits.
//   least   squared distances; the highest peak has nothing higher and gets
//           NOTHING_HIGHER.

#define NOTHING_HIGHER 0xffffffffu

static __device__ __forceinline__ unsigned int squared_distance(int x0, int y0, int x1, int y1)
{
    int dx = x0 - x1;
    int dy = y0 - y1;
    return (unsigned int)(dx * dx + dy * dy);
}

// ---- global: one thread per peak --------------------------------------------

extern "C" __global__ void peaks_global(const int *__restrict__ x, const int *__restrict__ y,
                                        unsigned int n, unsigned int *__restrict__ least)
{
    unsigned int stride = gridDim.x * blockDim.x;

    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int my_x = x[i];
        int my_y = y[i];
        unsigned int nearest = NOTHING_HIGHER;
        for (unsigned int j = 0; j < i; j++) {
            nearest = min(nearest, squared_distance(my_x, my_y, x[j], y[j]));
        }
        least[i] = nearest;
    }
}

// ---- block-per-peaks: a block per peak, minima reduced pairwise --------------

// `leaves` is blockDim.x rounded up to a power of two; the leaves that belong to
// no thread hold NOTHING_HIGHER, which changes no minimum.
extern "C" __global__ void peaks_block_per_peaks(const int *__restrict__ x,
                                                 const int *__restrict__ y, unsigned int n,
                                                 unsigned int *__restrict__ least,
                                                 unsigned int leaves)
{
    extern __shared__ unsigned int minima[];

    for (unsigned int i = blockIdx.x; i < n; i += gridDim.x) {
        int my_x = x[i];
        int my_y = y[i];
        unsigned int nearest = NOTHING_HIGHER;
        for (unsigned int j = threadIdx.x; j < i; j += blockDim.x) {
            nearest = min(nearest, squared_distance(my_x, my_y, x[j], y[j]));
        }
        for (unsigned int leaf = threadIdx.x; leaf < leaves; leaf += blockDim.x) {
            minima[leaf] = leaf == threadIdx.x ? nearest : NOTHING_HIGHER;
        }
        __syncthreads();  // every leaf is written

        for (unsigned int half = leaves / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                minima[threadIdx.x] = min(minima[threadIdx.x], minima[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            least[i] = minima[0];
        }
        __syncthreads();  // the result is read before the next peak's leaves are written
    }
}

// ---- tiled: one thread per peak, the others through shared memory -----------

extern "C" __global__ void peaks_tiled(const int *__restrict__ x, const int *__restrict__ y,
                                       unsigned int n, unsigned int *__restrict__ least)
{
    extern __shared__ int2 tile[];
    unsigned int stride = gridDim.x * blockDim.x;

    // All threads of the block go round together, because they load tiles for
    // each other; those without a peak of their own only load.
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        unsigned int i = first + threadIdx.x;
        int my_x = i < n ? x[i] : 0;
        int my_y = i < n ? y[i] : 0;
        unsigned int nearest = NOTHING_HIGHER;

        // Whole tiles before this block's peaks: every thread looks at all of them.
        for (unsigned int start = 0; start < first; start += blockDim.x) {
            tile[threadIdx.x] = make_int2(x[start + threadIdx.x], y[start + threadIdx.x]);
            __syncthreads();  // the tile is complete
            for (unsigned int j = 0; j < blockDim.x; j++) {
                nearest = min(nearest, squared_distance(my_x, my_y, tile[j].x, tile[j].y));
            }
            __syncthreads();  // everybody is done with it
        }

        // The tile of the block's own peaks: only those before one's own are higher.
        tile[threadIdx.x] = make_int2(my_x, my_y);
        __syncthreads();
        for (unsigned int j = 0; j < threadIdx.x; j++) {
            nearest = min(nearest, squared_distance(my_x, my_y, tile[j].x, tile[j].y));
        }
        __syncthreads();

        if (i < n) {
            least[i] = nearest;
        }
    }
}
