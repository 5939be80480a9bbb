// Warp-wide instructions that name lanes which the block does not have.

extern "C" __global__ void mask_bad_sum(unsigned *out) {
    unsigned value = threadIdx.x;
    for (unsigned step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step);  // BAD
    }
    if (threadIdx.x == 0) *out = value;
}

extern "C" __global__ void mask_good_sum(unsigned *out) {
    unsigned value = threadIdx.x;
    for (unsigned step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffff, value, step);
    }
    if (threadIdx.x == 0) *out = value;
}

extern "C" __global__ void mask_bad_ballot(unsigned *out) {
    out[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x % 3 == 0);  // BAD
}

extern "C" __global__ void mask_good_ballot(unsigned *out) {
    unsigned lanes = blockDim.x >= 32 ? 0xffffffff : (1u << blockDim.x) - 1;
    out[threadIdx.x] = __ballot_sync(lanes, threadIdx.x % 3 == 0);
}

extern "C" __global__ void mask_bad_any(unsigned *out) {
    out[threadIdx.x] = __any_sync(0xffffffff, threadIdx.x == 7);  // BAD
}

extern "C" __global__ void mask_good_any(unsigned *out) {
    out[threadIdx.x] = __any_sync(__activemask(), threadIdx.x == 7);
}

extern "C" __global__ void mask_bad_broadcast(unsigned *out) {
    out[threadIdx.x] = __shfl_sync(0x0000ffff, threadIdx.x, 0, 16);  // BAD
}

extern "C" __global__ void mask_good_broadcast(unsigned *out) {
    if (threadIdx.x < 8) out[threadIdx.x] = __shfl_sync(0x000000ff, threadIdx.x, 0, 8);
}

extern "C" __global__ void mask_bad_syncwarp(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(0xffffffff);  // BAD
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" __global__ void mask_good_syncwarp(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(0xffffffff);
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
