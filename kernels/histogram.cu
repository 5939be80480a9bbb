// Histogram: count how many input values fall into each bin.
//
// Overview
//   Each thread reads some of the values, computes the bin of each, and adds one to
//   that bin. Several threads can update one bin at the same time, so the addition
//   must be atomic: no other thread can access the bin between its read and its
//   write. The variants differ in the memory that holds the bins while they count.
//
//   global   Idea: one atomic addition in global memory per value.
//            Cost: the L2 cache executes these atomics for the whole GPU. It
//            serialises the lanes of a warp that update the same bin, and with few
//            bins all blocks compete for a few addresses.
//            Counter: `global_atomic_passes`; `hottest_chunk_passes` is the part
//            that a single L2 slice has to do.
//
//   shared   Idea: each block counts in private bins in shared memory and adds them
//            to the global bins at the end. Blocks do not compete while they count.
//            Cost: each block clears and merges all bins. Shared memory is small,
//            so many bins reduce the occupancy, until no block fits.
//            Counter: `global_atomic_requests` falls to at most one per 32 bins and
//            block. `shared_atomic_wavefronts` counts the additions in shared memory;
//            additions of one to the same bin combine, different bins in one bank
//            conflict.
//
// Coarsening
//   More values per thread mean fewer blocks, so fewer merges.
//   Example: n = 2^20 values, 256 bins, 128 threads per block.
//     coarsening 1:   8192 blocks merge up to 8192 x 256 = 2 097 152 bins, twice
//                     as many atomic additions as `global` needs for the values.
//     coarsening 16:  512 blocks merge up to 131 072 bins, an eighth of the values.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks. The kernels do not
//          read the coarsening: they use a grid-stride loop, in which neighbouring
//          threads read neighbouring values.
//   block  any number of threads; it need not be a multiple of 32.
//   shared bin_count * 4 bytes of dynamic shared memory for `shared`, none for
//          `global`.
//   n      below 2^31, so that `i + stride` cannot wrap around.
//
// Binning
//   modulo  Idea: the remainder by the number of bins.
//           Cost: an integer division per value, which has no machine instruction of
//           its own.
//           Counter: `divisions`.
//   range   Idea: bins of equal width over the range of a 32-bit value.
//           Cost: one multiplication per value.

// The bin of a value, in two ways.

// Modulo: the remainder by the number of bins. Consecutive values belong to
// consecutive bins and wrap around.
static __device__ __forceinline__ unsigned int bin_by_modulo(unsigned int value,
                                                             unsigned int bin_count)
{
    return value % bin_count;
}

// Range: bin_count bins of equal width over the range of a 32-bit value,
// [0, 2^32). floor(value * bin_count / 2^32) is the upper half of the 64-bit
// product, which the GPU computes without a division.
static __device__ __forceinline__ unsigned int bin_by_range(unsigned int value,
                                                            unsigned int bin_count)
{
    return __umulhi(value, bin_count);
}

// ---- global: one atomic addition in global memory per value -----------------

extern "C" __global__ void histogram_global_modulo(const unsigned int *values,
                                                   unsigned int n,
                                                   unsigned int *bins,
                                                   unsigned int bin_count)
{
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;

    for (unsigned int i = first; i < n; i += stride) {
        atomicAdd(&bins[bin_by_modulo(values[i], bin_count)], 1u);
    }
}

extern "C" __global__ void histogram_global_range(const unsigned int *values,
                                                  unsigned int n,
                                                  unsigned int *bins,
                                                  unsigned int bin_count)
{
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;

    for (unsigned int i = first; i < n; i += stride) {
        atomicAdd(&bins[bin_by_range(values[i], bin_count)], 1u);
    }
}

// ---- shared: private bins per block, merged at the end ----------------------

// Phase 1. Clear the private bins. The threads stride by the block size, so any
// block size works with any number of bins: with more bins than threads each
// thread clears several, with fewer bins some threads clear none. (A plain
// `block_bins[threadIdx.x] = 0` would leave bins uncleared in the first case
// and write past the end of the array in the second.)
static __device__ __forceinline__ void clear_block_bins(unsigned int *block_bins,
                                                        unsigned int bin_count)
{
    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        block_bins[bin] = 0;
    }
}

// Phase 3. Add the private bins to the global bins. An empty bin is skipped, which
// saves a global atomic addition.
static __device__ __forceinline__ void merge_block_bins(const unsigned int *block_bins,
                                                        unsigned int *bins,
                                                        unsigned int bin_count)
{
    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        unsigned int count = block_bins[bin];
        if (count != 0) {
            atomicAdd(&bins[bin], count);
        }
    }
}

extern "C" __global__ void histogram_shared_modulo(const unsigned int *values,
                                                   unsigned int n,
                                                   unsigned int *bins,
                                                   unsigned int bin_count)
{
    extern __shared__ unsigned int block_bins[];

    clear_block_bins(block_bins, bin_count);
    __syncthreads();  // all bins are cleared before any thread counts

    // Phase 2. Count as `global` does, but in the private bins.
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = first; i < n; i += stride) {
        atomicAdd(&block_bins[bin_by_modulo(values[i], bin_count)], 1u);
    }
    __syncthreads();  // all values are counted before any thread merges

    merge_block_bins(block_bins, bins, bin_count);
}

extern "C" __global__ void histogram_shared_range(const unsigned int *values,
                                                  unsigned int n,
                                                  unsigned int *bins,
                                                  unsigned int bin_count)
{
    extern __shared__ unsigned int block_bins[];

    clear_block_bins(block_bins, bin_count);
    __syncthreads();  // all bins are cleared before any thread counts

    // Phase 2. Count as `global` does, but in the private bins.
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = first; i < n; i += stride) {
        atomicAdd(&block_bins[bin_by_range(values[i], bin_count)], 1u);
    }
    __syncthreads();  // all values are counted before any thread merges

    merge_block_bins(block_bins, bins, bin_count);
}
