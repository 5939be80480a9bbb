// A whole program for nvcc, with its host code: only the kernels and what they use are compiled here.

/* warpscope
sizes   = "2^10..2^20:x4"
block   = 256
grid    = "ceil(n / block)"
args    = ["in: f32[n] uniform", "out: f32[n] zeros", "n: i32 = n"]
output  = "out"
view    = "line"
tolerance = 1e-6
*/

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

using namespace std;

#define CHECK(call) check((call), __FILE__, __LINE__)
#define HOST_DEVICE __host__ __device__

const int RADIUS = 2;
__constant__ float weights[2 * RADIUS + 1] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
int repetitions = 3;

struct Range {
    int low, high;
    HOST_DEVICE int clamp(int i) const { return i < low ? low : i > high ? high : i; }
};

class Timer {
public:
    Timer() : start(chrono::steady_clock::now()) {}
    double seconds() const { return chrono::duration<double>(chrono::steady_clock::now() - start).count(); }

private:
    chrono::steady_clock::time_point start;
};

inline void check(cudaError_t error, const char *file, int line, bool stop = true)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
        if (stop) exit(1);
    }
}

// What the kernels should give, on the host.
static vector<float> reference(const vector<float> &in)
{
    vector<float> out(in.size());
    for (size_t i = 0; i < in.size(); i++)
        for (int k = -RADIUS; k <= RADIUS; k++) out[i] += in[min(max((int)i + k, 0), (int)in.size() - 1)];
    return out;
}

__global__ void smooth_shared(const float *in, float *out, int n);

__global__ void smooth(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Range range = {0, n - 1};
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[k + RADIUS] * in[range.clamp(i + k)];
    out[i] = sum;
}

__global__ void smooth_shared(const float *in, float *out, int n)
{
    __shared__ float tile[1024 + 2 * RADIUS];
    Range range = {0, n - 1};
    int first = blockIdx.x * blockDim.x - RADIUS;
    for (int t = threadIdx.x; t < blockDim.x + 2 * RADIUS; t += blockDim.x) tile[t] = in[range.clamp(first + t)];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++) sum += weights[k] * tile[threadIdx.x + k];
    out[i] = sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    vector<float> in(n), out(n);
    generate(in.begin(), in.end(), [] { return rand() / (float)RAND_MAX; });
    float *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, n * sizeof(float)));
    CHECK(cudaMalloc(&device_out, n * sizeof(float)));
    CHECK(cudaMemcpy(device_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    Timer timer;
    for (int k = 0; k < repetitions; k++) smooth_shared<<<(n + 255) / 256, 256>>>(device_in, device_out, n);
    CHECK(cudaDeviceSynchronize());
    cout << timer.seconds() << " s" << endl;
    CHECK(cudaMemcpy(out.data(), device_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    return equal(out.begin(), out.end(), reference(in).begin()) ? 0 : 1;
}
