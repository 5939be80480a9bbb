// Dot product of two vectors, with sums in 64-bit floats.

/* warpscope
sizes   = "2^10..2^22:x4"
block   = 256
coarsen = 8
grid    = "ceil(n / (block * coarsen))"
args    = ["a: f32[n] uniform", "b: f32[n] uniform", "sum: f64[1] zeros", "n: u32 = n"]
output  = "sum"
tolerance = 1e-9
bytes   = "8 * n"
flops   = "2 * n"

[kernel.dot_shared]
shared  = "8 * block"
*/

extern "C" __global__ void dot_atomic(const float *a, const float *b, double *sum, unsigned int n) {
    double mine = 0.0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (double)a[i] * b[i];
    atomicAdd(sum, mine);
}

// The tree of the textbook, for blocks that are powers of two.
extern "C" __global__ void dot_shared(const float *a, const float *b, double *sum, unsigned int n) {
    extern __shared__ double cache[];
    double mine = 0.0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (double)a[i] * b[i];
    cache[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half != 0; half /= 2) {
        if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, cache[0]);
}

// Shuffles inside the warps, then one barrier.
extern "C" __global__ void dot_warps(const float *a, const float *b, double *sum, unsigned int n) {
    __shared__ double warps[32];
    unsigned int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    double mine = 0.0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (double)a[i] * b[i];
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (lane == 0) warps[warp] = mine;
    __syncthreads();
    if (warp > 0) return;
    mine = lane < blockDim.x / 32 ? warps[lane] : 0.0;
    for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xffffffff, mine, offset);
    if (lane == 0) atomicAdd(sum, mine);
}
