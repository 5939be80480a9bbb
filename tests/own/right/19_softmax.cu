// Softmax of the rows of a matrix: exp(x - max) / sum, as in an attention layer.

/* warpscope
sizes   = "16..1024:x4"          # rows
block   = 128
params  = { columns = [256, 64, 1024] }
args    = ["scores: f32[n * columns] uniform", "shares: f32[n * columns] zeros", "rows: i32 = n", "columns: i32 = columns"]
grid    = "n"
output  = "shares"
view    = "grid"
reference = "softmax_thread"
tolerance = 1e-4
bytes   = "8 * n * columns"

[kernel.softmax_thread]
grid    = "ceil(n / block)"

[kernel.softmax_warp]
grid    = "ceil(n * 32 / block)"
*/

#include <math.h>

// A thread per row, three passes. The lanes of a warp are a row apart.
extern "C" __global__ void softmax_thread(const float *scores, float *shares, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float *in = scores + row * columns;
    float *out = shares + row * columns;
    float most = -INFINITY;
    for (int c = 0; c < columns; c++) most = fmaxf(most, in[c]);
    float sum = 0.0f;
    for (int c = 0; c < columns; c++) sum += expf(in[c] - most);
    for (int c = 0; c < columns; c++) out[c] = expf(in[c] - most) / sum;
}

// A warp per row. It keeps the maximum and the sum up to date in one pass: when
// the maximum grows, the sum shrinks by the same factor ("online softmax").
extern "C" __global__ void softmax_warp(const float *scores, float *shares, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *in = scores + row * columns;
    float *out = shares + row * columns;
    float most = -1e30f, sum = 0.0f;
    for (int c = lane; c < columns; c += 32) {
        float next = fmaxf(most, in[c]);
        sum = sum * expf(most - next) + expf(in[c] - next);
        most = next;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other_most = __shfl_xor_sync(0xffffffff, most, offset);
        float other_sum = __shfl_xor_sync(0xffffffff, sum, offset);
        float next = fmaxf(most, other_most);
        sum = sum * expf(most - next) + other_sum * expf(other_most - next);
        most = next;
    }
    for (int c = lane; c < columns; c += 32) out[c] = expf(in[c] - most) / sum;
}

// A block per row, with a tree in shared memory for the maximum and the sum.
extern "C" __global__ void softmax_block(const float *scores, float *shares, int rows, int columns) {
    __shared__ float part[1024];
    const float *in = scores + blockIdx.x * columns;
    float *out = shares + blockIdx.x * columns;
    int t = threadIdx.x;

    float most = -INFINITY;
    for (int c = t; c < columns; c += blockDim.x) most = fmaxf(most, in[c]);
    part[t] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();

    float sum = 0.0f;
    for (int c = t; c < columns; c += blockDim.x) sum += expf(in[c] - most);
    part[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    sum = part[0];
    for (int c = t; c < columns; c += blockDim.x) out[c] = expf(in[c] - most) / sum;
}
