// C = A B, a thread per element. A is m by k, B is k by n, C is m by n, all row by row.
extern "C" __global__ void mine(const float *a, const float *b, float *c, unsigned int m,
                                unsigned int n, unsigned int k)
{
    // Threads of a warp compute neighbours of a row: they read the same element of A
    // and neighbours of B.
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < m * n; i += stride) {
        unsigned int row = i / n, column = i % n;
        float sum = 0.0f;
        for (unsigned int j = 0; j < k; j++) {
            sum += a[row * k + j] * b[j * n + column];
        }
        c[i] = sum;
    }
}
