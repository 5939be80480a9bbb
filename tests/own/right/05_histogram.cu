// Two histograms beside the built-in ones: what helps when many lanes of a warp
// count into the same bin?

/* warpscope
like   = "histogram"

[kernel.two_copies]
shared = "8 * bins"
*/

// Odd and even warps count into bins of their own, so that fewer lanes meet at
// one address.
extern "C" __global__ void two_copies(const unsigned int *values, unsigned int n,
                                      unsigned int *bins, unsigned int bin_count) {
    extern __shared__ unsigned int copies[];
    for (unsigned int b = threadIdx.x; b < 2 * bin_count; b += blockDim.x) copies[b] = 0;
    __syncthreads();

    unsigned int *mine = copies + (threadIdx.x / 32 % 2) * bin_count;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[values[i] % bin_count], 1);
    __syncthreads();

    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x) {
        unsigned int count = copies[b] + copies[bin_count + b];
        if (count > 0) atomicAdd(&bins[b], count);
    }
}

// Lanes with the same bin elect a leader, which adds for all of them. Written for
// GPUs without __match_any_sync: the leader's bin goes round the warp.
extern "C" __global__ void aggregated(const unsigned int *values, unsigned int n,
                                      unsigned int *bins, unsigned int bin_count) {
    unsigned int lane = threadIdx.x % 32;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned int bin = values[i] % bin_count;
        unsigned int waiting = __activemask();
        while (waiting >> lane & 1) {
            unsigned int leader = __ffs(waiting) - 1;
            unsigned int same = __ballot_sync(waiting, bin == __shfl_sync(waiting, bin, leader));
            if (lane == leader) atomicAdd(&bins[bin], __popc(same));
            waiting &= ~same;
        }
    }
}
