// y = a x + y

/* warpscope
sizes   = "2^10..2^24:x4"
block   = 256
coarsen = 4
grid    = "ceil(n / block)"
params  = { a = [2, 1, 3] }
args    = ["x: f32[n] normal", "y: f32[n] iota", "n: i32 = n", "a: f32 = a"]
output  = "y"
view    = "line"
tolerance = 0
bytes   = "12 * n"
flops   = "2 * n"

[kernel.saxpy_grid_stride]
grid    = "ceil(n / (block * coarsen))"

[kernel.saxpy_wide]
grid    = "ceil(n / (4 * block))"
*/

extern "C" __global__ void saxpy(const float *x, float *y, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy_grid_stride(const float *__restrict__ x, float *__restrict__ y, int n, float a) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = fmaf(a, x[i], y[i]);
}

// Four elements with one load of 128 bits; the last few one by one.
extern "C" __global__ void __launch_bounds__(1024)
saxpy_wide(const float *__restrict__ x, float *__restrict__ y, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 v = reinterpret_cast<const float4 *>(x)[i];
        float4 w = reinterpret_cast<float4 *>(y)[i];
        w.x += a * v.x;
        w.y += a * v.y;
        w.z += a * v.z;
        w.w += a * v.w;
        reinterpret_cast<float4 *>(y)[i] = w;
    } else {
        for (int j = 4 * i; j < n; j++) y[j] += a * x[j];
    }
}
