// Barriers that not every thread of the block comes to together.

extern "C" __global__ void barrier_bad_half(unsigned *out) {
    if (threadIdx.x < 16) __syncthreads();  // BAD
    out[threadIdx.x] = 1;
}

extern "C" __global__ void barrier_good_half(unsigned *out) {
    if (threadIdx.x < 16) out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x >= 16) out[threadIdx.x] = 1;
}

extern "C" __global__ void barrier_bad_arms(unsigned *out) {
    if (threadIdx.x % 2) {
        out[threadIdx.x] = 1;
        __syncthreads();  // BAD
        out[threadIdx.x] += 1;
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();  // BAD
        out[threadIdx.x] += 3;
    }
}

extern "C" __global__ void barrier_good_arms(unsigned *out) {
    out[threadIdx.x] = threadIdx.x % 2 ? 1 : 2;
    __syncthreads();
    out[threadIdx.x] += threadIdx.x % 2 ? 1 : 3;
}

extern "C" __global__ void barrier_bad_loop(unsigned *out) {
    for (unsigned i = 0; i < threadIdx.x % 4; i++) {
        out[threadIdx.x] = i;
        __syncthreads();  // BAD
    }
}

extern "C" __global__ void barrier_good_loop(unsigned *out) {
    for (unsigned i = 0; i < 4; i++) {
        if (i < threadIdx.x % 4) out[threadIdx.x] = i;
        __syncthreads();
    }
}

extern "C" __global__ void barrier_bad_return(unsigned *out, unsigned n) {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = 1;
    __syncthreads();  // BAD
    out[threadIdx.x] += 1;
}

extern "C" __global__ void barrier_good_return(unsigned *out, unsigned n) {
    if (threadIdx.x < n) out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] += 1;
}

extern "C" __global__ void barrier_bad_one(unsigned *out) {
    __shared__ unsigned value;
    if (threadIdx.x == 0) {
        value = 3;
        __syncthreads();  // BAD
    }
    out[threadIdx.x] = 1;
}

extern "C" __global__ void barrier_good_one(unsigned *out) {
    __shared__ unsigned value;
    if (threadIdx.x == 0) value = 3;
    __syncthreads();
    out[threadIdx.x] = value;
}

// Whole warps take different ways to two barriers of one block: both count.
extern "C" __global__ void barrier_good_blocks(unsigned *out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = 1;
        __syncthreads();
        out[blockDim.x + threadIdx.x] = out[blockDim.x - 1 - threadIdx.x];
    }
}

extern "C" __global__ void barrier_good_flag(unsigned *out) {
    __shared__ volatile unsigned done, value;
    if (threadIdx.x == 0) done = 0;
    __syncthreads();
    if (threadIdx.x == 64) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 3000; i++) sum = sum * 3 + i;
        value = sum;
        __threadfence_block();
        done = 1;
    }
    if (threadIdx.x == 32)
        while (!done) {}
    __syncthreads();
    out[threadIdx.x] = value;
}
