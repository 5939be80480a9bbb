// What memory allows: the device's own copy, and a kernel that only reads.
#include "peer.cuh"

__global__ void read_only(const uint4* values, size_t n, uint32_t* out) {
    size_t stride = size_t{gridDim.x} * blockDim.x;
    size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    uint32_t sum = 0;
    for (; i + 3 * stride < n; i += 4 * stride) {
        uint4 four[4];
        for (int k = 0; k < 4; ++k) four[k] = __ldcs(values + i + k * stride);
        for (int k = 0; k < 4; ++k) sum += four[k].x ^ four[k].y ^ four[k].z ^ four[k].w;
    }
    for (; i < n; i += stride) sum += values[i].x ^ values[i].y ^ values[i].z ^ values[i].w;
    // Never true in practice, so nothing is written, but the compiler cannot know it.
    if (sum == 0x12345678u) out[0] = sum;
}

int main() {
    size_t most = sizes().back();
    uint32_t *from = words(most), *to = device<uint32_t>(most);
    for (size_t n : sizes()) {
        auto copied = [&] { CHECK(cudaMemcpyAsync(to, from, 4 * n, cudaMemcpyDeviceToDevice)); };
        row("CUDA", "copy", n, "", median(copied));
        auto read = [&] {
            // Four loads per thread.
            unsigned blocks = static_cast<unsigned>((n / 4 + 4095) / 4096);
            read_only<<<blocks, 1024>>>(reinterpret_cast<const uint4*>(from), n / 4, to);
        };
        row("CUDA", "read", n, "", median(read));
    }
}
