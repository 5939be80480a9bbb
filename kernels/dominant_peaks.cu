// Dominant peaks: for each peak, the distance to the nearest higher peak.
//
// Overview
//   A surface has many local maxima, and most of them are small. A peak is dominant
//   if no higher peak is near: a small peak on a flank has a higher one next to it, a
//   summit has none for a long distance. So the result is, for each peak, the least
//   distance to any higher peak. On the autocorrelation of a periodic pattern the
//   dominant peaks are the points of its lattice.
//
//   The peaks are sorted by height, highest first, so the higher peaks of peak i are
//   the i peaks before it: n * (n - 1) / 2 pairs in all. Coordinates are whole pixels
//   and distances stay squared, so each result is an exact integer.
//
//   global           Idea: one thread per peak, which reads all peaks before it from
//                    global memory. The threads of a warp read the same address: a
//                    broadcast from the L1 cache.
//                    Cost: two loads per pair. The work grows with the index of the
//                    peak, so the first blocks end early and the last run long.
//                    Counter: `global_load_requests`, with about one of
//                    `global_load_sectors` for each.
//
//   block-per-peaks  Idea: a block per peak. Each thread reads every blockDim.x-th
//                    peak before it, then a tree in shared memory finds the minimum
//                    of the threads. The loads are coalesced and shared evenly.
//                    Cost: a reduction per peak, log2(block) steps with a barrier
//                    each. It pays only where a peak has many more than a block of
//                    peaks before it.
//                    Counter: `barriers`, and `warp_instructions`.
//
//   tiled            Idea: one thread per peak, but the block loads the other peaks
//                    tile by tile into shared memory, one per thread. Each peak is
//                    loaded from global memory once per block instead of once per
//                    warp.
//                    Cost: two barriers per tile. The inner loop reads one word of
//                    shared memory for all threads: a broadcast without conflicts.
//                    Counter: `global_load_requests` falls, `shared_load_requests`
//                    takes its place, `shared_bank_conflicts` stays 0.
//
// Launch
//   grid    max(1, ceil(n / (block * coarsening))) blocks. Threads (blocks in
//           block-per-peaks) take several peaks, one grid width apart.
//   block   any number of threads.
//   shared  block-per-peaks: 4 bytes per thread, with the number of threads rounded
//           up to a power of two. tiled: 8 bytes per thread.
//   x, y    whole pixels, below 32768, so that a squared distance fits into 32 bits.
//   least   squared distances; the highest peak has no higher one and gets
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

// `leaves` is blockDim.x rounded up to a power of two. Leaves beyond the last thread
// hold NOTHING_HIGHER, which changes no minimum.
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
        __syncthreads();  // all leaves are written

        for (unsigned int half = leaves / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                minima[threadIdx.x] = min(minima[threadIdx.x], minima[threadIdx.x + half]);
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            least[i] = minima[0];
        }
        __syncthreads();  // the result is read before the leaves are overwritten
    }
}

// ---- tiled: one thread per peak, the others through shared memory -----------

extern "C" __global__ void peaks_tiled(const int *__restrict__ x, const int *__restrict__ y,
                                       unsigned int n, unsigned int *__restrict__ least)
{
    extern __shared__ int2 tile[];
    unsigned int stride = gridDim.x * blockDim.x;

    // All threads of the block run the same rounds, because they load tiles for each
    // other. Threads without a peak only load.
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        unsigned int i = first + threadIdx.x;
        int my_x = i < n ? x[i] : 0;
        int my_y = i < n ? y[i] : 0;
        unsigned int nearest = NOTHING_HIGHER;

        // Whole tiles before this block's peaks: each thread compares with all of them.
        for (unsigned int start = 0; start < first; start += blockDim.x) {
            tile[threadIdx.x] = make_int2(x[start + threadIdx.x], y[start + threadIdx.x]);
            __syncthreads();  // the tile is complete
            for (unsigned int j = 0; j < blockDim.x; j++) {
                nearest = min(nearest, squared_distance(my_x, my_y, tile[j].x, tile[j].y));
            }
            __syncthreads();  // all threads have read it
        }

        // The tile of the block's own peaks: only those before the thread's are higher.
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
