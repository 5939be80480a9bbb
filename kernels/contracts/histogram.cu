// One count per bin. Each block counts in shared memory first, so that few atomic
// additions reach global memory.
extern "C" __global__ void mine(const unsigned int *values, unsigned int n,
                                unsigned int *bins, unsigned int bin_count)
{
    extern __shared__ unsigned int counts[];

    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        counts[bin] = 0;
    }
    __syncthreads();  // all counts are 0 before any thread adds to them

    // Threads of a warp read neighbours; the grid strides over the input.
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&counts[values[i] % bin_count], 1u);
    }
    __syncthreads();  // all values are counted before any thread reads the counts

    for (unsigned int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
        atomicAdd(&bins[bin], counts[bin]);
    }
}
