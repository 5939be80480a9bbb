// Accesses outside of every allocation, and their right counterparts.
// Lines where something is wrong end in `BAD`.

extern "C" __global__ void bounds_bad_end(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i;  // BAD
}

extern "C" __global__ void bounds_good_end(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

extern "C" __global__ void bounds_bad_before(unsigned *out, unsigned *in, unsigned n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i - 1];  // BAD
}

extern "C" __global__ void bounds_good_before(unsigned *out, unsigned *in, unsigned n) {
    int i = threadIdx.x;
    if (i < n) out[i] = i > 0 ? in[i - 1] : 0;
}

extern "C" __global__ void bounds_bad_atomic(unsigned *bins, unsigned *in, unsigned n) {
    unsigned i = threadIdx.x;
    atomicAdd(&bins[in[i] % (n + 1)], 1);  // BAD
}

extern "C" __global__ void bounds_good_atomic(unsigned *bins, unsigned *in, unsigned n) {
    unsigned i = threadIdx.x;
    atomicAdd(&bins[in[i] % n], 1);
}

extern "C" __global__ void bounds_bad_shared(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[threadIdx.x + 1] = threadIdx.x;  // BAD
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void bounds_good_shared(unsigned *out) {
    extern __shared__ unsigned tile[];
    tile[blockDim.x - 1 - threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void bounds_bad_null(unsigned *out, unsigned long long table) {
    unsigned *in = (unsigned *)table;
    out[threadIdx.x] = in[threadIdx.x];  // BAD
}

extern "C" __global__ void bounds_good_null(unsigned *out, unsigned long long table) {
    unsigned *in = (unsigned *)table;
    out[threadIdx.x] = in ? in[threadIdx.x] : 7;
}

extern "C" __global__ void bounds_bad_vector(uint4 *out, unsigned n) {
    unsigned i = threadIdx.x;
    if (i < n) out[i] = make_uint4(i, i, i, i);  // BAD
}

extern "C" __global__ void bounds_good_vector(uint4 *out, unsigned n) {
    unsigned i = threadIdx.x;
    if (i < n / 4) out[i] = make_uint4(i, i, i, i);
}
