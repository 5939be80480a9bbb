// Structures that a kernel takes by value: an image is a pointer with a width and a height.
//
// The block below is the one that `warpscope list` prints for `main`. Members are written in braces, in the
// order of the `struct`, and lie in memory as in C. The buffer of `out` is called `out.pixels`.
//
// `stretch_by_four` computes the same with four pixels per thread: fewer threads, each with more loads under way.
// Compare their times on the Sweep screen.

/* warpscope
sizes  = "2^5..2^10:x2"   # n is `order`
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 8)"]
args   = [
    "in: { pixels: f32[n * n] uniform, width: i32 = n, height: i32 = n }",
    "out: { pixels: f32[n * n] zeros, width: i32 = n, height: i32 = n }",
    "levels: { black: f32 = 0.25, white: f32 = 0.75 }",
]
output = "out.pixels"
[kernel.stretch_by_four]
grid   = ["ceil(n / 128)", "ceil(n / 8)"]
*/

#include <cstdio>
#include <vector>

struct Image {
    float *pixels;
    int width, height;
};

struct Levels {
    float black, white;
};

__global__ void stretch(Image in, Image out, Levels levels)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.width || y >= in.height) return;
    float value = (in.pixels[y * in.width + x] - levels.black) / (levels.white - levels.black);
    out.pixels[y * out.width + x] = fminf(fmaxf(value, 0.0f), 1.0f);
}

// Each thread takes four pixels of its row that lie one warp apart.
__global__ void stretch_by_four(Image in, Image out, Levels levels)
{
    int first = blockIdx.x * blockDim.x * 4 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= in.height) return;
    for (int x = first; x < min(in.width, first + 4 * (int)blockDim.x); x += blockDim.x) {
        float value = (in.pixels[y * in.width + x] - levels.black) / (levels.white - levels.black);
        out.pixels[y * out.width + x] = fminf(fmaxf(value, 0.0f), 1.0f);
    }
}

int main()
{
    const int order = 1024;
    std::vector<float> host(order * order, 0.5f);
    Image in, out;
    in.width = in.height = out.width = out.height = order;
    cudaMalloc(&in.pixels, order * order * sizeof(float));
    cudaMalloc(&out.pixels, order * order * sizeof(float));
    cudaMemcpy(in.pixels, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    Levels levels = {0.25f, 0.75f};
    dim3 block(32, 8);
    stretch<<<dim3((order + 31) / 32, (order + 7) / 8), block>>>(in, out, levels);
    stretch_by_four<<<dim3((order + 127) / 128, (order + 7) / 8), block>>>(in, out, levels);
    cudaMemcpy(host.data(), out.pixels, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);  // 0.5
}
