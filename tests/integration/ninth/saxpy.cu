// Saxpy: y = a x + y, one value after the other.
//
// Overview
//   The simplest kernel that moves data: two values are read and one written for
//   two floating-point operations. Nothing can be faster than the memory.
//
// Variants
//   plain   Each thread takes values one grid width apart.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks.
//   block  any number of threads.
//   n      below 2^31.

extern "C" __global__ void saxpy_plain(float a, const float *x, float *y, unsigned int n)
{
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = a * x[i] + y[i];
    }
}
