// Indices that leave their buffer and land in another one. The buffers of the
// tests lie 66 KiB apart; `far` is the distance in elements.

extern "C" __global__ void wrong_allocation_bad_forward(unsigned *a, unsigned *b, unsigned far) {
    a[threadIdx.x + far] = 1;  // BAD
    b[threadIdx.x] = 2;
}

extern "C" __global__ void wrong_allocation_good_forward(unsigned *a, unsigned *b, unsigned far) {
    a[threadIdx.x] = far;
    b[threadIdx.x] = 2;
}

extern "C" __global__ void wrong_allocation_bad_backward(unsigned *a, unsigned *b, unsigned far) {
    a[threadIdx.x] = 1;
    b[(int)threadIdx.x - (int)far] = 2;  // BAD
}

extern "C" __global__ void wrong_allocation_good_backward(unsigned *a, unsigned *b, unsigned far) {
    a[threadIdx.x] = 1;
    b[(int)(threadIdx.x + far) - (int)far] = 2;
}

extern "C" __global__ void wrong_allocation_bad_gather(unsigned *a, unsigned *b, unsigned *index) {
    b[threadIdx.x] = a[index[threadIdx.x]];  // BAD
}

extern "C" __global__ void wrong_allocation_good_gather(unsigned *a, unsigned *b, unsigned *index) {
    b[threadIdx.x] = a[index[threadIdx.x] % blockDim.x];
}

extern "C" __global__ void wrong_allocation_bad_wrap(unsigned *a, unsigned *b, unsigned row) {
    unsigned i = row * 65536 + threadIdx.x;
    a[threadIdx.x] = b[(int)i - 16896];  // BAD
}

extern "C" __global__ void wrong_allocation_good_wrap(unsigned *a, unsigned *b, unsigned row) {
    unsigned i = row * 65536 + threadIdx.x;
    a[threadIdx.x] = b[i];
}

extern "C" __global__ void wrong_allocation_bad_atomic(unsigned *a, unsigned *b, unsigned far) {
    atomicAdd(a + far, 1);  // BAD
    b[threadIdx.x + 1] = 1;
}

extern "C" __global__ void wrong_allocation_good_atomic(unsigned *a, unsigned *b, unsigned far) {
    atomicAdd(a + far % 8, 1);
    b[threadIdx.x + 1] = 1;
}

// Either buffer may be meant: nothing is wrong.
extern "C" __global__ void wrong_allocation_good_either(unsigned *a, unsigned *b, unsigned far) {
    unsigned *to = threadIdx.x % 2 ? a : b;
    to[threadIdx.x] = far;
}
