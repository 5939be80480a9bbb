// What the emulator's speed is measured on: see benches/emulator.rs.
// Sizes come as `unsigned int`, as in most CUDA code.

// One output of c = a * b per thread, n x n, in blocks of 16x16.
extern "C" __global__ void product(const float* a, const float* b, float* c, unsigned int n) {
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (unsigned int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

// The same in integers.
extern "C" __global__ void product_u32(const unsigned int* a, const unsigned int* b,
                                       unsigned int* c, unsigned int n) {
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n) return;
    unsigned int sum = 0;
    for (unsigned int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

// y += factor * x, one element per thread.
extern "C" __global__ void axpy(float factor, const float* x, float* y, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i] + y[i];
}

// The same in integers.
extern "C" __global__ void axpy_u32(unsigned int factor, const unsigned int* x, unsigned int* y,
                                    unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i] + y[i];
}

// Sums 256 values per block, halving the threads from barrier to barrier.
extern "C" __global__ void reduction(const unsigned int* x, unsigned int* sums, unsigned int n) {
    __shared__ unsigned int partial[256];
    unsigned int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned int width = 128; width > 0; width /= 2) {
        if (t < width) partial[t] += partial[t + width];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = partial[0];
}

// Counts values by their low bits: bins in shared memory, then added to global.
extern "C" __global__ void histogram(const unsigned int* x, unsigned int* bins, unsigned int n) {
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&mine[x[i] & 255], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

// Steps until the Collatz sequence of each index comes to 1: every lane of a
// warp leaves the loop at another time.
extern "C" __global__ void collatz(unsigned int* steps, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int value = i + 1, count = 0;
    while (value != 1) {
        if (value % 2 == 0) {
            value /= 2;
        } else {
            value = 3 * value + 1;
        }
        ++count;
    }
    steps[i] = count;
}
