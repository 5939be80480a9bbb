// Histogram with wide loads: the variant shared-wide of histogram.cu, whose task, binning and
// other variants are described there.
//
// Overview
//   `shared` of histogram.cu has one load of 4 bytes in flight per thread, and waits for it
//   before it counts. An H200 reads 4.8 TB/s with a latency of about 0.6 us, so about 3 MB
//   must be in flight, 22 KB on each multiprocessor: 11 bytes for each of 2048 threads.
//
//   shared-wide   Idea: a thread loads four neighbours with one instruction of 128 bits,
//                 and issues four such loads before it counts: 64 bytes in flight. The
//                 loads are marked `evict first`, since no value is read twice.
//                 Cost: 16 registers for the values in flight.
//                 Counter: `global_load_requests` falls to a quarter of that of `shared`;
//                 `global_load_sectors` stays. On an H200, n = 2^28 takes 256 us instead
//                 of 430 us: 4200 GB/s, for 8 bins as for 2048. DRAM is the limit: the
//                 division of modulo binning fits into the time of the loads.
//
// Coarsening
//   A block clears and merges its bins once, so it should count many values. Best are
//   blocks of 1024 threads that all fit at once, two per multiprocessor: on an H200 264
//   blocks, coarsening 993 for n = 2^28. A round of four loads takes 16 values per thread;
//   with a coarsening below 16, some threads count nothing.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks.
//   block  any number of threads; it need not be a multiple of 32.
//   shared bin_count * 4 bytes.
//   n      below 2^31; it need not be a multiple of 4.
//   values aligned to 16 bytes.

// Loads of a thread in flight.
#define IN_FLIGHT 4

// The bin of a value, as in histogram.cu.
struct ByRange {
    static __device__ __forceinline__ unsigned int bin(unsigned int value, unsigned int bin_count)
    {
        return __umulhi(value, bin_count);
    }
};

struct ByModulo {
    static __device__ __forceinline__ unsigned int bin(unsigned int value, unsigned int bin_count)
    {
        return value % bin_count;
    }
};

template <typename BINNING>
static __device__ __forceinline__ void count_four(unsigned int *block_bins, uint4 four,
                                                  unsigned int bin_count)
{
    atomicAdd(&block_bins[BINNING::bin(four.x, bin_count)], 1u);
    atomicAdd(&block_bins[BINNING::bin(four.y, bin_count)], 1u);
    atomicAdd(&block_bins[BINNING::bin(four.z, bin_count)], 1u);
    atomicAdd(&block_bins[BINNING::bin(four.w, bin_count)], 1u);
}

template <typename BINNING>
static __device__ __forceinline__ void histogram_wide(const unsigned int *values, unsigned int n,
                                                      unsigned int *bins, unsigned int bin_count)
{
    extern __shared__ unsigned int block_bins[];
    const uint4 *fours = reinterpret_cast<const uint4 *>(values);
    unsigned int whole = n / 4;  // full groups of four values
    unsigned int stride = gridDim.x * blockDim.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    // Phase 1. Clear the private bins, as in histogram.cu.
    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        block_bins[bin] = 0;
    }
    __syncthreads();  // all bins are cleared before any thread counts

    // Phase 2. Count in rounds of several loads, then what is left: less than a round,
    // and at most three values that are no group. With more threads than groups there is
    // no full round, and the sum of strides could exceed 32 bits.
    if (stride <= whole) {
        for (; i + (IN_FLIGHT - 1) * stride < whole; i += IN_FLIGHT * stride) {
            uint4 loaded[IN_FLIGHT];
#pragma unroll
            for (unsigned int k = 0; k < IN_FLIGHT; k++) {
                loaded[k] = __ldcs(&fours[i + k * stride]);
            }
#pragma unroll
            for (unsigned int k = 0; k < IN_FLIGHT; k++) {
                count_four<BINNING>(block_bins, loaded[k], bin_count);
            }
        }
    }
    for (; i < whole; i += stride) {
        count_four<BINNING>(block_bins, __ldcs(&fours[i]), bin_count);
    }
    if (blockIdx.x == 0) {
        for (unsigned int at = 4 * whole + threadIdx.x; at < n; at += blockDim.x) {
            atomicAdd(&block_bins[BINNING::bin(values[at], bin_count)], 1u);
        }
    }
    __syncthreads();  // all values are counted before any thread merges

    // Phase 3. Add the private bins to the global bins, except empty ones.
    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        unsigned int count = block_bins[bin];
        if (count > 0) {
            atomicAdd(&bins[bin], count);
        }
    }
}

// The launch bounds limit the registers to 32 per thread, so that two blocks of 1024
// threads fit on a multiprocessor.

extern "C" __global__ void __launch_bounds__(1024, 2)
histogram_shared_wide_modulo(const unsigned int *values, unsigned int n, unsigned int *bins,
                             unsigned int bin_count)
{
    histogram_wide<ByModulo>(values, n, bins, bin_count);
}

extern "C" __global__ void __launch_bounds__(1024, 2)
histogram_shared_wide_range(const unsigned int *values, unsigned int n, unsigned int *bins,
                            unsigned int bin_count)
{
    histogram_wide<ByRange>(values, n, bins, bin_count);
}
