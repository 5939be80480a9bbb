/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "264"
args   = [
    "d_points: f32[4 * n] uniform",
    "d_label: i32[n] zeros",
    "d_sums: f32[64] zeros",
    "d_counts: i32[16] zeros",
    "n: i32 = n",
]
output = "d_counts"
constants = ["centroids: f32[64] uniform"]
*/
#include <cstdio>
#include <random>
#include <vector>

constexpr int K = 16;
constexpr int DIM = 4;

__constant__ float centroids[K * DIM];

__global__ void assign(const float* points, int* label, float* sums, int* counts, int n)
{
    __shared__ float block_sums[K * DIM];
    __shared__ int block_counts[K];
    for (int i = threadIdx.x; i < K * DIM; i += blockDim.x) block_sums[i] = 0;
    if (threadIdx.x < K) block_counts[threadIdx.x] = 0;
    __syncthreads();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
        float x[DIM];
        #pragma unroll
        for (int d = 0; d < DIM; ++d) x[d] = points[d * n + p];
        int best = 0;
        float least = 3.4e38f;
        for (int k = 0; k < K; ++k) {
            float distance = 0;
            #pragma unroll
            for (int d = 0; d < DIM; ++d) {
                float delta = x[d] - centroids[k * DIM + d];
                distance += delta * delta;
            }
            if (distance < least) { least = distance; best = k; }
        }
        label[p] = best;
        atomicAdd(&block_counts[best], 1);
        #pragma unroll
        for (int d = 0; d < DIM; ++d) atomicAdd(&block_sums[best * DIM + d], x[d]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < K * DIM; i += blockDim.x) atomicAdd(&sums[i], block_sums[i]);
    if (threadIdx.x < K) atomicAdd(&counts[threadIdx.x], block_counts[threadIdx.x]);
}

int main()
{
    const int n = 1 << 20;
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.f, 1.f);
    std::vector<float> points(n * DIM);
    for (auto& x : points) x = normal(random);
    std::vector<float> center(K * DIM);
    for (int k = 0; k < K; ++k)
        for (int d = 0; d < DIM; ++d) center[k * DIM + d] = points[d * n + k * 1000];

    float *d_points, *d_sums;
    int *d_label, *d_counts;
    cudaMalloc((void**)&d_points, points.size() * sizeof(float));
    cudaMalloc((void**)&d_label, n * sizeof(int));
    cudaMalloc((void**)&d_sums, K * DIM * sizeof(float));
    cudaMalloc((void**)&d_counts, K * sizeof(int));
    cudaMemcpy(d_points, points.data(), points.size() * sizeof(float), cudaMemcpyHostToDevice);

    for (int step = 0; step < 10; ++step) {
        cudaMemcpyToSymbol(centroids, center.data(), sizeof(float) * K * DIM);
        cudaMemset(d_sums, 0, K * DIM * sizeof(float));
        cudaMemset(d_counts, 0, K * sizeof(int));
        assign<<<264, 256>>>(d_points, d_label, d_sums, d_counts, n);
        std::vector<float> sums(K * DIM);
        std::vector<int> counts(K);
        cudaMemcpy(sums.data(), d_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
        cudaMemcpy(counts.data(), d_counts, counts.size() * sizeof(int), cudaMemcpyDeviceToHost);
        for (int k = 0; k < K; ++k)
            for (int d = 0; d < DIM; ++d)
                if (counts[k]) center[k * DIM + d] = sums[k * DIM + d] / counts[k];
    }
    printf("%f\n", center[0]);
    return 0;
}
