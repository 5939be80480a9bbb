// Reads of memory that nobody wrote, and reads of memory that somebody did.

extern "C" __global__ void uninit_bad_global(unsigned *out, unsigned *scratch) {
    out[threadIdx.x] = scratch[threadIdx.x];  // BAD
}

extern "C" __global__ void uninit_good_global(unsigned *out, unsigned *scratch) {
    scratch[threadIdx.x] = 2 * threadIdx.x;
    out[threadIdx.x] = scratch[threadIdx.x];
}

extern "C" __global__ void uninit_bad_tail(unsigned *out, unsigned *scratch, unsigned n) {
    if (threadIdx.x < n - 1) scratch[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = scratch[n - 1 - threadIdx.x];  // BAD
}

extern "C" __global__ void uninit_good_tail(unsigned *out, unsigned *scratch, unsigned n) {
    if (threadIdx.x < n) scratch[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = scratch[n - 1 - threadIdx.x];
}

extern "C" __global__ void uninit_bad_counter(unsigned *count) {
    atomicAdd(count, 1);  // BAD
}

extern "C" __global__ void uninit_good_counter(unsigned *count) {
    if (threadIdx.x == 0) *count = 0;
    __syncthreads();
    atomicAdd(count, 1);
}

extern "C" __global__ void uninit_bad_shared(unsigned *out) {
    extern __shared__ unsigned tile[];
    if (threadIdx.x % 2 == 0) tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];  // BAD
}

extern "C" __global__ void uninit_good_shared(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void uninit_bad_shared_bins(unsigned *out) {
    extern __shared__ unsigned bins[];
    atomicAdd(&bins[threadIdx.x % 8], 1);  // BAD
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = 1;
}

extern "C" __global__ void uninit_good_shared_bins(unsigned *out) {
    extern __shared__ unsigned bins[];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void uninit_bad_bytes(unsigned *out, unsigned char *scratch) {
    scratch[4 * threadIdx.x] = 1;
    scratch[4 * threadIdx.x + 1] = 2;
    out[threadIdx.x] = *(unsigned *)(scratch + 4 * threadIdx.x);  // BAD
}

extern "C" __global__ void uninit_good_bytes(unsigned *out, unsigned char *scratch) {
    scratch[4 * threadIdx.x] = 1;
    scratch[4 * threadIdx.x + 1] = 2;
    out[threadIdx.x] = scratch[4 * threadIdx.x] + scratch[4 * threadIdx.x + 1];
}
