// Histogram: count how many input values fall into each bin.
//
// Overview
//   Every thread reads some of the input, decides for each value which bin it
//   belongs to, and adds one to that bin. Two threads may meet on the same bin
//   at the same moment, so the addition has to be atomic: read, add one and
//   write back as a single step that nobody can interrupt.
//
//   The variants differ only in WHERE those atomic additions happen.
//
//   global   Every value costs one atomic addition on the bins in global
//            memory. The additions are carried out by the L2 cache, which the
//            whole GPU shares: all threads of all blocks meet on the same few
//            addresses, and additions to one address are done one after the
//            other. Nothing to set up, nothing to merge.
//
//   shared   Every block keeps private bins in shared memory, which lies inside
//            its own multiprocessor. Threads of one block still meet on the
//            same bins, but blocks no longer wait for each other, and nothing
//            leaves the chip. At the end each block adds its private bins to
//            the global ones: at most one global atomic per block and bin,
//            instead of one per value.
//
// Trade-off
//   The private bins have to be cleared before use and merged after it: work
//   that grows with bins x blocks, whatever the input. For few values or many
//   bins that overhead can cost more than it saves. And shared memory is
//   small: the more of it a block takes, the fewer blocks fit on a
//   multiprocessor at once, until a single block no longer fits at all.
//
//   Worked numbers: n = 2^20 values, 256 bins, 128 threads per block.
//     coarsening 1:   8192 blocks; merging takes up to 8192 x 256 = 2 097 152
//                     global atomics, twice as many as `global` needs for the
//                     values themselves.
//     coarsening 16:  512 blocks; up to 131 072, an eighth of them.
//   Giving each thread more values (coarsening) is what makes private bins pay.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks. The kernels
//          never see the coarsening factor: a grid with fewer threads than
//          values makes each thread take several, one grid width apart (a
//          grid-stride loop), so neighbouring threads always read neighbouring
//          values.
//   block  any number of threads; it need not be a multiple of 32.
//   shared bin_count * 4 bytes of dynamic shared memory for `shared`, none
//          for `global`.
//   n      below 2^31, so that `i + stride` cannot wrap around.

// Which bin does a value belong to? Two answers.

// Modulo: the remainder by the number of bins. Neighbouring values go to
// neighbouring bins and wrap around.
static __device__ __forceinline__ unsigned int bin_by_modulo(unsigned int value,
                                                             unsigned int bin_count)
{
    return value % bin_count;
}

// Range: cut the whole range of a 32-bit value, [0, 2^32), into bin_count bins
// of equal width. floor(value * bin_count / 2^32) is the upper half of the
// 64-bit product, which the GPU computes in one instruction; no division.
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

// Phase 1. Clear the private bins. The threads share the work in strides of a
// block, so any block size serves any number of bins: with more bins than
// threads each thread clears several, with fewer some clear none. (Writing
// `block_bins[threadIdx.x] = 0` instead would leave bins uncleared in the first
// case and write past the end of the array in the second.)
static __device__ __forceinline__ void clear_block_bins(unsigned int *block_bins,
                                                        unsigned int bin_count)
{
    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        block_bins[bin] = 0;
    }
}

// Phase 3. Add the private bins to the global ones. Bins that stayed empty have
// nothing to add, and skipping them saves a global atomic each.
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
    __syncthreads();  // no thread may count before every bin is cleared

    // Phase 2. Count, as `global` does, but into the private bins.
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = first; i < n; i += stride) {
        atomicAdd(&block_bins[bin_by_modulo(values[i], bin_count)], 1u);
    }
    __syncthreads();  // no thread may merge before every value is counted

    merge_block_bins(block_bins, bins, bin_count);
}

extern "C" __global__ void histogram_shared_range(const unsigned int *values,
                                                  unsigned int n,
                                                  unsigned int *bins,
                                                  unsigned int bin_count)
{
    extern __shared__ unsigned int block_bins[];

    clear_block_bins(block_bins, bin_count);
    __syncthreads();  // no thread may count before every bin is cleared

    // Phase 2. Count, as `global` does, but into the private bins.
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = first; i < n; i += stride) {
        atomicAdd(&block_bins[bin_by_range(values[i], bin_count)], 1u);
    }
    __syncthreads();  // no thread may merge before every value is counted

    merge_block_bins(block_bins, bins, bin_count);
}
