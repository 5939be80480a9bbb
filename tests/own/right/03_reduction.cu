// Largest value of an array, in one launch.

/* warpscope
sizes   = "2^10..2^24:x4"
block   = 256
coarsen = 8
grid    = "ceil(n / (block * coarsen))"
args    = ["values: u32[n] uniform", "largest: u32[1] zeros", "n: u32 = n"]
output  = "largest"
tolerance = 0
bytes   = "4 * n"

[kernel.max_tree]
shared  = "4 * block"
*/

// One atomic per value, all at one address.
extern "C" __global__ void max_atomic(const unsigned int *values, unsigned int *largest, unsigned int n) {
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicMax(largest, values[i]);
}

// Each thread keeps its own maximum; a tree in shared memory joins them.
extern "C" __global__ void max_tree(const unsigned int *values, unsigned int *largest, unsigned int n) {
    extern __shared__ unsigned int part[];
    unsigned int best = 0;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        best = max(best, values[i]);
    part[threadIdx.x] = best;
    __syncthreads();

    // The next power of two at or above half of the block, so that any block works.
    unsigned int half = 1;
    while (2 * half < blockDim.x) half *= 2;
    for (; half > 0; half /= 2) {
        if (threadIdx.x < half && threadIdx.x + half < blockDim.x)
            part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicMax(largest, part[0]);
}

// The lanes of a warp pass their maxima on by shuffles: no shared memory and no
// barrier, and one atomic per warp. Launch it with whole warps.
extern "C" __global__ void max_shuffle(const unsigned int *values, unsigned int *largest, unsigned int n) {
    unsigned int best = 0;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        best = max(best, values[i]);
    for (int offset = 16; offset > 0; offset /= 2)
        best = max(best, __shfl_down_sync(0xffffffff, best, offset));
    if (threadIdx.x % 32 == 0) atomicMax(largest, best);
}
