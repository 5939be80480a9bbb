/* warpscope
sizes  = "2^5..2^10:x2"   # n is `image.width`, `image.height`
block  = [16, 16]
grid   = ["ceil(n / 16)", "ceil(n / 16)"]
args   = [
    "in: u8[4 * n * n] uniform",
    "out: u8[4 * n * n] zeros",
    "width: i32 = n",
    "height: i32 = n",
    "radius: i32 = 5",
    "space: f32 = 1 / 18",
    "range: f32 = 1 / 1800",
]
output = "out"
*/
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>
#include <cuda_runtime.h>

struct Image {
    int width = 0, height = 0;
    std::vector<uchar4> pixels;
    size_t bytes() const { return pixels.size() * sizeof(uchar4); }
};

Image load(const std::string& path) {
    Image image;
    FILE* file = fopen(path.c_str(), "rb");
    if (!file) return image;
    if (fscanf(file, "P6 %d %d 255", &image.width, &image.height) == 2) image.pixels.resize(image.width * image.height);
    fclose(file);
    return image;
}

__global__ void bilateral(const uchar4* in, uchar4* out, int width, int height, int radius, float space, float range) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 c = in[y * width + x];
    float3 sum = make_float3(0, 0, 0);
    float weight = 0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
            uchar4 p = in[py * width + px];
            float r = p.x - c.x, g = p.y - c.y, b = p.z - c.z;
            float w = __expf(-(dx * dx + dy * dy) * space - (r * r + g * g + b * b) * range);
            sum.x += w * p.x; sum.y += w * p.y; sum.z += w * p.z;
            weight += w;
        }
    out[y * width + x] = make_uchar4(sum.x / weight, sum.y / weight, sum.z / weight, 255);
}

int main(int argc, char** argv) {
    Image image = load(argv[1]);
    uchar4 *in, *out;
    cudaMalloc(&in, image.bytes());
    cudaMalloc(&out, image.bytes());
    cudaMemcpy(in, image.pixels.data(), image.bytes(), cudaMemcpyHostToDevice);
    dim3 block(16, 16);
    dim3 grid((image.width + block.x - 1) / block.x, (image.height + block.y - 1) / block.y);
    float sigma = 3.0f, tone = 30.0f;
    bilateral<<<grid, block>>>(in, out, image.width, image.height, 5, 1 / (2 * sigma * sigma), 1 / (2 * tone * tone));
    cudaMemcpy(image.pixels.data(), out, image.bytes(), cudaMemcpyDeviceToHost);
}
