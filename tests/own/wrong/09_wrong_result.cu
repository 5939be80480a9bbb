// expect: line 21: `mean_wrong` differs from `mean_right`

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: f32[n] uniform", "out: f32[n] zeros", "n: u32 = n"]
output = "out"
reference = "mean_right"
tolerance = 1e-6
*/

extern "C" __global__ void mean_right(const float *in, float *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float left = i > 0 ? in[i - 1] : 0.0f, right = i + 1 < n ? in[i + 1] : 0.0f;
    out[i] = (left + in[i] + right) / 3;
}

// Forgets that the last element has no right neighbour, without reading beyond.
extern "C" __global__ void mean_wrong(const float *in, float *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float left = i > 0 ? in[i - 1] : 0.0f, right = in[min(i + 1, n - 1)];
    out[i] = (left + in[i] + right) / 3;
}
