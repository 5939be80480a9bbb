/* warpscope
# Sizes of a sweep: 2^10, 2^12, … 2^20. `n` in the expressions below.
sizes     = "2^10..2^20:x4"
# Threads per block, and elements per thread; --block and --coarsen change them.
block     = 256
coarsen   = 4
# Number of blocks: one expression, or a list of up to three. Operators: + - * / % ^,
# functions: min max ceil floor log2.
grid      = "ceil(n / (block * coarsen))"
# Numbers of your own: the first is the default; --set radius=4 changes it.
params    = { radius = [2, 1, 4] }
# One text per parameter of the kernel, in the same order. A buffer has a type, a length
# and its contents (zeros, uniform, normal, iota, ones, sorted, …, or = EXPRESSION of i).
args      = [
    "in: f32[n] uniform",
    "out: f32[n] zeros",
    "n: i32 = n",
    "radius: i32 = radius",
]
# The buffer that is compared and drawn. view: line, columns, grid or points.
output    = "out"
view      = "line"
# The kernel whose output is right, and by how much others may differ from it.
reference = "smooth_plain"
tolerance = 1e-5
# Bytes and floating-point operations of a case, for bandwidth and roofline.
bytes     = "8 * n"
flops     = "n * (2 * radius + 2)"

# What differs for one kernel.
[kernel.smooth_tiled]
shared    = "4 * (block + 2 * radius)"
*/

// Smooths a signal: each output is the mean of its neighbours up to `radius` away.
extern "C" __global__ void smooth_plain(const float *in, float *out, int n, int radius)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float sum = 0.0f;
        for (int j = i - radius; j <= i + radius; j++) {
            sum += j >= 0 && j < n ? in[j] : 0.0f;
        }
        out[i] = sum / (2 * radius + 1);
    }
}

// The same; neighbours are read once per block into shared memory.
extern "C" __global__ void smooth_tiled(const float *in, float *out, int n, int radius)
{
    extern __shared__ float tile[];

    int stride = gridDim.x * blockDim.x;
    for (int first = blockIdx.x * blockDim.x; first < n; first += stride) {
        for (int t = threadIdx.x; t < blockDim.x + 2 * radius; t += blockDim.x) {
            int j = first + t - radius;
            tile[t] = j >= 0 && j < n ? in[j] : 0.0f;
        }
        __syncthreads();  // the tile is complete before any thread reads it

        int i = first + threadIdx.x;
        if (i < n) {
            float sum = 0.0f;
            for (int t = 0; t <= 2 * radius; t++) {
                sum += tile[threadIdx.x + t];
            }
            out[i] = sum / (2 * radius + 1);
        }
        __syncthreads();  // the tile is read before the next one is written
    }
}
