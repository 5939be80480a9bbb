// Monte Carlo: of n random points in a square, how many are in the quarter circle?
// Four times that share is pi. Every thread owns an xorshift generator.

/* warpscope
sizes   = "2^10..2^22:x4"        # random points
block   = 256
coarsen = 16
grid    = "ceil(n / (block * coarsen))"
args    = ["inside: u64[1] zeros", "points: u64 = n", "per_thread: u32 = coarsen", "seed: u32 = 2463534242"]
output  = "inside"
tolerance = 0
*/

// Marsaglia's xorshift with 32 bits of state, which must not be zero.
__device__ unsigned int next(unsigned int *state) {
    unsigned int x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

// A start of its own for each thread: neighbouring numbers give unrelated states.
__device__ unsigned int start(unsigned int seed, unsigned int thread) {
    unsigned int x = seed ^ (thread * 0x9e3779b9u);
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    x ^= x >> 16;
    return x ? x : 1;
}

__device__ bool hit(unsigned int *state) {
    float x = next(state) * 2.3283064e-10f;  // 2^-32
    float y = next(state) * 2.3283064e-10f;
    return x * x + y * y <= 1.0f;
}

// One atomic for each point inside.
extern "C" __global__ void pi_atomic(unsigned long long *inside, unsigned long long points,
                                     unsigned int per_thread, unsigned int seed) {
    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int state = start(seed, (unsigned int)thread);
    for (unsigned int k = 0; k < per_thread && thread * per_thread + k < points; k++)
        if (hit(&state)) atomicAdd(inside, 1ULL);
}

// Each thread counts its own points.
extern "C" __global__ void pi_counted(unsigned long long *inside, unsigned long long points,
                                      unsigned int per_thread, unsigned int seed) {
    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int state = start(seed, (unsigned int)thread);
    unsigned int count = 0;
    for (unsigned int k = 0; k < per_thread && thread * per_thread + k < points; k++)
        count += hit(&state);
    if (count > 0) atomicAdd(inside, (unsigned long long)count);
}

// The block adds its counts first: one atomic per block.
extern "C" __global__ void pi_per_block(unsigned long long *inside, unsigned long long points,
                                        unsigned int per_thread, unsigned int seed) {
    __shared__ unsigned int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int state = start(seed, (unsigned int)thread);
    unsigned int count = 0;
    for (unsigned int k = 0; k < per_thread && thread * per_thread + k < points; k++)
        count += hit(&state);
    atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
