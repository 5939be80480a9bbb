/* warpscope
sizes  = "2^6..2^9:x2,700"
block  = 256
grid   = ["ceil(n / 64)", "ceil(n / 64)"]
args   = [
    "M: i32 = n",
    "N: i32 = n",
    "Kd: i32 = n",
    "alpha: f32 = 1",
    "a: f32[n * n] uniform",
    "b: f32[n * n] uniform",
    "beta: f32 = 0.5",
    "c: f32[n * n] zeros",
]
output = "c"
[kernel.gemm_64_64_16_4_4]
block  = 256
*/
#include <cstdio>
#include <cstdlib>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN)) gemm(int M, int N, int Kd, float alpha, const float* A, const float* B, float beta, float* C) {
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN];
    const int threads = (BM / TM) * (BN / TN);
    int tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
    int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < Kd; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads) {
            int r = i / BK, k = i % BK;
            As[k][r] = row0 + r < M && k0 + k < Kd ? A[(row0 + r) * Kd + k0 + k] : 0.f;
        }
        for (int i = threadIdx.x; i < BN * BK; i += threads) {
            int k = i / BN, c = i % BN;
            Bs[k][c] = col0 + c < N && k0 + k < Kd ? B[(k0 + k) * N + col0 + c] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            #pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][ty * TM + i];
            #pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx * TN + j];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            int r = row0 + ty * TM + i, c = col0 + tx * TN + j;
            if (r < M && c < N) C[r * N + c] = alpha * acc[i][j] + beta * C[r * N + c];
        }
}

void run(int m, int n, int k, float* a, float* b, float* c) {
    constexpr int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
    dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    gemm<BM, BN, BK, TM, TN><<<grid, (BM / TM) * (BN / TN)>>>(m, n, k, 1.0f, a, b, 0.5f, c);
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 700;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    float* host = (float*)malloc(n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) host[i] = (i % 13) * 0.25f;
    cudaMemcpy(a, host, n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, n * n * sizeof(float));
    run(n, n, n, a, b, c);
    cudaMemcpy(host, c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[n + 1]);
}
