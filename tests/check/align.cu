// Addresses that are not multiples of the access's size, and right ones.

extern "C" __global__ void align_bad_byte(unsigned *out, unsigned char *in) {
    out[threadIdx.x] = *(unsigned *)(in + 4 * threadIdx.x + 1);  // BAD
}

extern "C" __global__ void align_good_byte(unsigned *out, unsigned char *in) {
    out[threadIdx.x] = in[4 * threadIdx.x + 1];
}

extern "C" __global__ void align_bad_wide(unsigned long long *out, unsigned *in) {
    out[threadIdx.x] = *(unsigned long long *)(in + 1 + 2 * threadIdx.x);  // BAD
}

extern "C" __global__ void align_good_wide(unsigned long long *out, unsigned *in) {
    out[threadIdx.x] = *(unsigned long long *)(in + 2 * threadIdx.x);
}

extern "C" __global__ void align_bad_vector(unsigned *out) {
    *(uint4 *)(out + 2 + 4 * threadIdx.x) = make_uint4(1, 2, 3, 4);  // BAD
}

extern "C" __global__ void align_good_vector(unsigned *out) {
    *(uint4 *)(out + 4 * threadIdx.x) = make_uint4(1, 2, 3, 4);
}

extern "C" __global__ void align_bad_atomic(unsigned char *out) {
    atomicAdd((unsigned *)(out + 2), 1);  // BAD
}

extern "C" __global__ void align_good_atomic(unsigned char *out) {
    atomicAdd((unsigned *)(out + 4), 1);
}

extern "C" __global__ void align_bad_shared(unsigned *out) {
    extern __shared__ unsigned char bytes[];
    *(unsigned short *)(bytes + 2 * threadIdx.x + 1) = 1;  // BAD
    out[threadIdx.x] = 1;
}

extern "C" __global__ void align_good_shared(unsigned *out) {
    extern __shared__ unsigned char bytes[];
    *(unsigned short *)(bytes + 2 * threadIdx.x) = 1;
    out[threadIdx.x] = *(unsigned short *)(bytes + 2 * threadIdx.x);
}
