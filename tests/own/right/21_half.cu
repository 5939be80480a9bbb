// A line through half-precision numbers: y = a * x + b, one or two numbers per thread.

#include <cuda_fp16.h>

/* warpscope
sizes     = "2^10..2^22:x4"
block     = 256
grid      = "ceil(n / block)"
args      = [ "x: u16[n] = i % 512", "y: u16[n] zeros", "n: i32 = n" ]
output    = "y"

[kernel.line_pairs]
grid      = "ceil(n / (2 * block))"
*/

// The bits of whole numbers below 512 are small halves: 0 to 2^-15.
extern "C" __global__ void line_single(const __half *x, __half *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(x[i], __float2half(3.0f), __float2half(0.25f));
}

// Loads and computes two numbers at once.
extern "C" __global__ void line_pairs(const __half *x, __half *y, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        half2 two = *(const half2 *)(x + i);
        *(half2 *)(y + i) = __hfma2(two, __float2half2_rn(3.0f), __floats2half2_rn(0.25f, 0.25f));
    } else if (i < n) {
        half sum = x[i] * half(3.0f);
        sum += half(0.25f);
        y[i] = __float2half(__half2float(sum));
    }
}
