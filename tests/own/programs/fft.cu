/* warpscope
sizes  = "2^8..2^18:x4"
block  = 256
grid   = "ceil(floor(n / 2) / block)"
args   = [
    "a: f32[2 * n] uniform",
    "b: f32[2 * n] zeros",
    "n: i32 = n",
    "half: i32 = 1",
]
output = "b"
*/
// Stockham FFT, radix 2, one launch per stage.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <utility>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t status = (call);                                             \
        if (status != cudaSuccess) {                                             \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

__device__ inline float2 cmul(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void stage(const float2* __restrict__ in, float2* __restrict__ out, int n, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    int k = i & (half - 1);
    float s, c;
    sincospif(-float(k) / half, &s, &c);
    float2 a = in[i];
    float2 b = cmul(in[i + n / 2], make_float2(c, s));
    int j = ((i - k) << 1) + k;
    out[j] = make_float2(a.x + b.x, a.y + b.y);
    out[j + half] = make_float2(a.x - b.x, a.y - b.y);
}

int main(int argc, char** argv) {
    int log2n = argc > 1 ? atoi(argv[1]) : 18;
    int n = 1 << log2n;
    std::vector<float2> host(n);
    for (int i = 0; i < n; ++i) host[i] = make_float2(cosf(0.01f * i), sinf(0.02f * i));
    float2 *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(float2)));
    CHECK(cudaMalloc(&b, n * sizeof(float2)));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
    const int threads = 256;
    for (int half = 1; half < n; half <<= 1) {
        stage<<<(n / 2 + threads - 1) / threads, threads>>>(a, b, n, half);
        CHECK(cudaGetLastError());
        std::swap(a, b);
    }
    CHECK(cudaMemcpy(host.data(), a, n * sizeof(float2), cudaMemcpyDeviceToHost));
    printf("%f %f\n", host[0].x, host[1].y);
    cudaFree(a);
    cudaFree(b);
}
