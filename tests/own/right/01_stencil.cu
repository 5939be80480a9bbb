// 1D stencil: each output is the mean of the 2 * radius + 1 inputs around it.
// Inputs beyond the ends count as zero.

/* warpscope
sizes     = "2^10..2^22:x4"
block     = 256
coarsen   = 16
params    = { radius = [4, 1, 16] }
grid      = "ceil(n / block)"
args      = [ "in: f32[n] uniform", "out: f32[n] zeros", "n: i32 = n", "radius: i32 = radius" ]
output    = "out"
view      = "line"
reference = "stencil_plain"
tolerance = 1e-5
bytes     = "8 * n"
flops     = "n * (2 * radius + 2)"

[kernel.stencil_tiled]
shared    = "4 * (block + 2 * radius)"

[kernel.stencil_running]
grid      = "ceil(n / (block * coarsen))"
args      = [ "in: f32[n] uniform", "out: f32[n] zeros", "n: i32 = n", "radius: i32 = radius", "chunk: i32 = coarsen" ]
*/

// Every thread loads all of its neighbours from global memory. Neighbouring
// threads load nearly the same values, so the caches do the reuse.
extern "C" __global__ void stencil_plain(const float *in, float *out, int n, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int offset = -radius; offset <= radius; offset++) {
        int j = i + offset;
        if (j >= 0 && j < n) sum += in[j];
    }
    out[i] = sum / (2 * radius + 1);
}

// The block loads its inputs and a halo of `radius` on both sides into shared
// memory once.
extern "C" __global__ void stencil_tiled(const float *in, float *out, int n, int radius) {
    extern __shared__ float tile[];
    int first = (int)(blockIdx.x * blockDim.x) - radius;
    for (int t = threadIdx.x; t < blockDim.x + 2 * radius; t += blockDim.x) {
        int j = first + t;
        tile[t] = (j >= 0 && j < n) ? in[j] : 0.0f;
    }
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int t = 0; t <= 2 * radius; t++) sum += tile[threadIdx.x + t];
    out[i] = sum / (2 * radius + 1);
}

// A thread computes `chunk` neighbouring outputs and keeps a running sum: one
// value enters, one leaves. Two loads per output for any radius, but the loads
// of a warp are `chunk` elements apart.
extern "C" __global__ void stencil_running(const float *in, float *out, int n, int radius, int chunk) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    int end = min(begin + chunk, n);
    if (begin >= n) return;

    float sum = 0.0f;
    for (int j = max(begin - radius, 0); j < min(begin + radius, n); j++) sum += in[j];
    for (int i = begin; i < end; i++) {
        if (i + radius < n) sum += in[i + radius];
        out[i] = sum / (2 * radius + 1);
        if (i - radius >= 0) sum -= in[i - radius];
    }
}
