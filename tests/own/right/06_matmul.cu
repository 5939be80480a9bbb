// Product of two n x n matrices: C = A B.

/* warpscope
sizes  = "32..512:x2"            # the order of the matrices
block  = [16, 16]
grid   = ["ceil(n / 16)", "ceil(n / 16)"]
args   = ["A: f32[n^2] uniform", "B: f32[n^2] uniform", "C: f32[n^2] zeros", "n: i32 = n"]
output = "C"
view   = "grid"
reference = "matmul_naive"
tolerance = 1e-4
bytes  = "12 * n^2"
flops  = "2 * n^3"

[kernel.matmul_two_by_two]
grid   = ["ceil(n / 32)", "ceil(n / 32)"]
*/

#define TILE 16

extern "C" __global__ void matmul_naive(const float *A, const float *B, float *C, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
        C[row * n + col] = sum;
    }
}

// Tiles of A and B in shared memory: each loaded value is used 16 times.
extern "C" __global__ void matmul_tiled(const float *A, const float *B, float *C, int n) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int step = 0; step < n; step += TILE) {
        a[ty][tx] = row < n && step + tx < n ? A[row * n + step + tx] : 0.0f;
        b[ty][tx] = step + ty < n && col < n ? B[(step + ty) * n + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; k++) sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = sum;
}

// Each thread computes 2 x 2 elements of a tile of 32 x 32: four values from
// shared memory serve four products instead of two.
extern "C" __global__ void matmul_two_by_two(const float *A, const float *B, float *C, int n) {
    __shared__ float a[2 * TILE][TILE], b[TILE][2 * TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 2 * TILE + ty, col = blockIdx.x * 2 * TILE + tx;
    float sum[2][2] = {{0.0f, 0.0f}, {0.0f, 0.0f}};
    for (int step = 0; step < n; step += TILE) {
        for (int half = 0; half < 2; half++) {
            int r = row + half * TILE, c = col + half * TILE;
            a[ty + half * TILE][tx] = r < n && step + tx < n ? A[r * n + step + tx] : 0.0f;
            b[ty][tx + half * TILE] = step + ty < n && c < n ? B[(step + ty) * n + c] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    sum[i][j] += a[ty + i * TILE][k] * b[k][tx + j * TILE];
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (row + i * TILE < n && col + j * TILE < n)
                C[(row + i * TILE) * n + col + j * TILE] = sum[i][j];
}
