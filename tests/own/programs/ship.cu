/* warpscope
sizes  = "2^4..2^10:x4,1200"   # n is `width`
block  = [16, 16]
grid   = ["ceil(n / 16)", "13"]
args   = [
    "out: u16[208 * n] zeros",
    "width: i32 = n",
    "first_row: i32 = 0",
    "rows: i32 = 200",
    "zoom: f32 = 3 / n",
]
output = "out"
*/
#include <cstdio>
#include <cuda_runtime.h>

__global__ void escape(unsigned short* out, int width, int first_row, int rows, float zoom) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    float cr = (x - width * 0.7f) * zoom, ci = (y + first_row - width * 0.5f) * zoom;
    float zr = cr, zi = ci;
    unsigned short i = 0;
    for (; i < 300 && zr * zr + zi * zi < 4.0f; ++i) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * fabsf(zr * zi) + ci;
        zr = t;
    }
    out[y * width + x] = i;
}

int main() {
    constexpr int width = 1200, height = 800, parts = 4;
    unsigned short *host, *device;
    cudaMallocHost(&host, width * height * sizeof(unsigned short));
    cudaMalloc(&device, width * height * sizeof(unsigned short));
    cudaStream_t streams[parts];
    for (auto& stream : streams) cudaStreamCreate(&stream);
    const int rows = height / parts;
    for (int p = 0; p < parts; ++p) {
        size_t at = (size_t)p * rows * width;
        dim3 block(16, 16), grid((width + 15) / 16, (rows + 15) / 16);
        escape<<<grid, block, 0, streams[p]>>>(device + at, width, p * rows, rows, 3.0f / width);
        cudaMemcpyAsync(host + at, device + at, rows * width * sizeof(unsigned short), cudaMemcpyDeviceToHost, streams[p]);
    }
    cudaDeviceSynchronize();
    for (auto& stream : streams) cudaStreamDestroy(stream);
    printf("%d\n", host[width * 400 + 600]);
    cudaFree(device);
    cudaFreeHost(host);
}
