// One kernel launched for two buffers, and one that reads both.
//
// The program fills `x` and `y` on the GPU, with the same kernel and other arguments. `distance` reads
// both. So the block below has a second launch of `ramp` under a name of its own: `[kernel.ramp_y]` with
// `kernel = "ramp"`. It is the block that `warpscope list` prints for `main`. Element 100 is 500: the
// lengths of the sides are 300 and 400.

/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "x: f32[n] zeros",
    "n: i32 = n",
    "start: f32 = 0",
    "step: f32 = 3",
]
output = "x"
tolerance = 1e-4
[kernel.ramp_y]
kernel = "ramp"
args   = [
    "y: f32[n] zeros",
    "n: i32 = n",
    "start: f32 = 0",
    "step: f32 = 4",
]
output = "y"
[kernel.distance]
args   = [
    "x: f32[n] from ramp",
    "y: f32[n] from ramp_y",
    "out: f32[n] zeros",
    "n: i32 = n",
]
output = "out"
*/

#include <cstdio>
#include <vector>

__global__ void ramp(float *values, int n, float start, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = start + step * i;
}

__global__ void distance(const float *x, const float *y, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sqrtf(x[i] * x[i] + y[i] * y[i]);
}

int main()
{
    const int n = 1 << 20, threads = 256, blocks = (n + threads - 1) / threads;
    float *x, *y, *out;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    ramp<<<blocks, threads>>>(x, n, 0.0f, 3.0f);
    ramp<<<blocks, threads>>>(y, n, 0.0f, 4.0f);
    distance<<<blocks, threads>>>(x, y, out, n);
    std::vector<float> host(n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[100]);  // 500
}
