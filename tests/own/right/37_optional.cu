// A parameter that may be missing: a null pointer, as `bias` in many layers of neural networks.
//
// Both variants are one kernel. All threads get the same pointer, so `if (bias)` never splits a warp: what
// the variant with a bias takes longer is its load, which shows as sectors and bytes per element.
/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "ceil(n / block)"
args   = ["x: f32[n] uniform", "bias: null", "slope: f32 = 1e-2", "y: f32[n] zeros", "n: i32 = n"]
output = "y"
[kernel.leaky_with_bias]
kernel = "leaky"
args   = ["x: f32[n] uniform", "bias: f32[n] uniform", "slope: f32 = 1e-2", "y: f32[n] zeros", "n: i32 = n"]
reference = "leaky_with_bias"
*/
extern "C" __global__ void leaky(const float *x, const float *bias, float slope, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    if (bias) value += bias[i];
    y[i] = value > 0 ? value : slope * value;
}
