// Two images mixed in three ways, by kernels that macros make and launch.
//
// Photo programs have a dozen of these kernels, so `MIX` writes them: they differ in one expression. The longest of them
// still takes the time of the shortest, because all three wait for the same twelve bytes of each pixel; the Counters
// screen shows equal sectors and different instructions. `TIMED` stands for the macros that check a launch for
// errors; the last kernel is passed to a function that repeats its launch.

#include <cstdio>
#include <vector>

/* warpscope
sizes  = "2^10..2^20:x4,777777"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "lower: f32[n] uniform",
    "upper: f32[n] uniform",
    "mixed: f32[n] zeros",
    "n: i32 = n",
]
output = "mixed"
tolerance = 1e-4
[kernel.mix_screen]
reference = "mix_screen"
[kernel.mix_overlay]
reference = "mix_overlay"
[kernel.darken]
block  = 512
grid   = "132"
args   = [
    "lower: f32[n] uniform",
    "dark: f32[n] zeros",
    "by: f32 = 0.5",
    "n: i32 = n",
]
output = "dark"
*/

__device__ float clamped(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

#define MIX(NAME, EXPRESSION)                                                  \
    __global__ void mix_##NAME(const float *lower, const float *upper,         \
                               float *mixed, int n)                            \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        if (i >= n) return;                                                    \
        float a = lower[i], b = upper[i]; /* two pixels of one place */        \
        mixed[i] = clamped(EXPRESSION);                                        \
    }

MIX(add, a + b)
MIX(screen, 1.0f - (1.0f - a) * (1.0f - b))
MIX(overlay, a < 0.5f ? 2.0f * a * b : 1.0f - 2.0f * (1.0f - a) * (1.0f - b))

__global__ void darken(const float *image, float *dark, float by, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        dark[i] = image[i] * (1.0f - by);
}

#define TIMED(kernel, n, threads, ...)                                         \
    do {                                                                       \
        kernel<<<((n) + (threads) - 1) / (threads), threads>>>(__VA_ARGS__);   \
        if (cudaGetLastError() != cudaSuccess) return 1;                       \
    } while (0)

template <typename Kernel, typename... Args>
void repeat(int times, Kernel kernel, dim3 grid, dim3 block, Args... args)
{
    while (times-- > 0) kernel<<<grid, block>>>(args...);
}

int main()
{
    int width = 512, height = 1 << 11, n = width * height;
    std::vector<float> image(n, 0.25f);
    float *lower, *upper, *mixed, *dark;
    cudaMalloc(&lower, n * sizeof(float));
    cudaMalloc(&upper, n * sizeof(float));
    cudaMalloc(&mixed, n * sizeof(float));
    cudaMalloc(&dark, n * sizeof(float));
    cudaMemcpy(lower, image.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(upper, image.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    TIMED(mix_add, n, 256, lower, upper, mixed, n);
    TIMED(mix_screen, n, 256,  // the same image
          lower, upper, mixed, n);
    void *args[] = {&lower, &upper, (void *)&mixed, &n};
    cudaLaunchKernel((void *)mix_overlay, dim3((n + 255) / 256), dim3(256), args, 0, 0);
    repeat(10, darken, dim3(132), dim3(512), lower, dark, 0.5f, n);
    cudaMemcpy(image.data(), mixed, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", image[n - 1]);
}
