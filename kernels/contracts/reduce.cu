// The sum of all values. Each thread adds up its share, each block its threads in shared
// memory, and one atomic addition per block makes the sum.
extern "C" __global__ void mine(const unsigned int *values, unsigned int n, unsigned int *sum)
{
    extern __shared__ unsigned int sums[];

    // Threads of a warp read neighbours; the grid strides over the input.
    unsigned int total = 0;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        total += values[i];
    }
    sums[threadIdx.x] = total;
    __syncthreads();  // all sums are written before any thread reads them

    // A tree: half as many threads in each step. The block may have any size.
    for (unsigned int count = blockDim.x; count > 1;) {
        unsigned int half = (count + 1) / 2;
        if (threadIdx.x < count / 2) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        count = half;
        __syncthreads();  // the step is done before the next one reads its sums
    }
    if (threadIdx.x == 0) {
        atomicAdd(sum, sums[0]);
    }
}
