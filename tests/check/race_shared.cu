// Races in shared memory between two barriers, and barriers that prevent them.

extern "C" __global__ void race_shared_bad_reverse(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];  // BAD
}

extern "C" __global__ void race_shared_good_reverse(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void race_shared_bad_reduce(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];  // BAD
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

extern "C" __global__ void race_shared_good_reduce(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}

extern "C" __global__ void race_shared_bad_count(unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    count += threadIdx.x;  // BAD
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

extern "C" __global__ void race_shared_good_count(unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    atomicAdd(&count, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}

extern "C" __global__ void race_shared_bad_reuse(unsigned *out, unsigned rounds) {
    extern __shared__ unsigned tile[];
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        tile[threadIdx.x] = round + threadIdx.x;  // BAD
        __syncthreads();
        sum += tile[(threadIdx.x + 32) % blockDim.x];
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void race_shared_good_reuse(unsigned *out, unsigned rounds) {
    extern __shared__ unsigned tile[];
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        tile[threadIdx.x] = round + threadIdx.x;
        __syncthreads();
        sum += tile[(threadIdx.x + 32) % blockDim.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void race_shared_bad_clear(unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    atomicAdd(&bins[threadIdx.x % 8], 1);  // BAD
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void race_shared_good_clear(unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void race_shared_bad_collide(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x / 2] = threadIdx.x;  // BAD
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x / 2];
}

extern "C" __global__ void race_shared_good_collide(unsigned *out) {
    extern __shared__ unsigned tile[];
    if (threadIdx.x % 2 == 0) tile[threadIdx.x / 2] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x / 2];
}

// Every thread writes the same value: which of them comes last does not matter.
extern "C" __global__ void race_shared_good_same(unsigned *out) {
    __shared__ unsigned found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (threadIdx.x % 3 == 0) found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}
