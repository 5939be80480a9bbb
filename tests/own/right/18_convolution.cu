// Convolution of a signal with a fixed filter of nine weights: where do the
// weights live?

/* warpscope
sizes     = "2^10..2^22:x4"
block     = 128
grid      = "ceil(n / block)"
args      = ["in: f32[n + 8] normal", "out: f32[n] zeros", "n: u32 = n"]
output    = "out"
view      = "line"
tolerance = 1e-5
bytes     = "8 * n"
flops     = "18 * n"
*/

#define TAPS 9

// A binomial filter, which is nearly a Gaussian one.
__constant__ float weights[TAPS] = {1 / 256.f,  8 / 256.f,  28 / 256.f, 56 / 256.f, 70 / 256.f,
                                    56 / 256.f, 28 / 256.f, 8 / 256.f,  1 / 256.f};

__device__ float table[TAPS] = {1 / 256.f,  8 / 256.f,  28 / 256.f, 56 / 256.f, 70 / 256.f,
                                56 / 256.f, 28 / 256.f, 8 / 256.f,  1 / 256.f};

// All lanes read the same weight: one broadcast from the constant cache.
extern "C" __global__ void weights_constant(const float *in, float *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < TAPS; k++) sum += weights[k] * in[i + k];
    out[i] = sum;
}

// From global memory: one more load for each product.
extern "C" __global__ void weights_global(const float *in, float *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < TAPS; k++) sum += table[k] * in[i + k];
    out[i] = sum;
}

// Written into the code, and the filter's symmetry saves four products.
extern "C" __global__ void weights_in_code(const float *in, float *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float *v = in + i;
    out[i] = (70.f * v[4] + 56.f * (v[3] + v[5]) + 28.f * (v[2] + v[6]) + 8.f * (v[1] + v[7]) + (v[0] + v[8]))
           * (1 / 256.f);
}
