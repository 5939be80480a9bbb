// Compiled for compute_70.
// Layers of neural networks, and products of matrices.

// The gradient of a normalisation of rows of 384 numbers. A warp per row keeps the row in registers, 12 numbers a lane.
extern "C" __global__ void layer_norm_gradient(const float *x, const float *dy, const float *scales, float *dx, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float value[12], slope[12], sum = 0.0f, square = 0.0f;
#pragma unroll
    for (int k = 0; k < 12; k++) {
        value[k] = x[row * 384 + 32 * k + lane];
        slope[k] = dy[row * 384 + 32 * k + lane] * scales[32 * k + lane];
        sum += value[k];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    float mean = sum / 384.0f;
#pragma unroll
    for (int k = 0; k < 12; k++) {
        value[k] -= mean;
        square += value[k] * value[k];
    }
    for (int d = 16; d > 0; d /= 2) square += __shfl_xor_sync(~0u, square, d);
    float scale = rsqrtf(square / 384.0f + 1e-5f), straight = 0.0f, along = 0.0f;
#pragma unroll
    for (int k = 0; k < 12; k++) {
        value[k] *= scale;
        straight += slope[k];
        along += slope[k] * value[k];
    }
    for (int d = 16; d > 0; d /= 2) {
        straight += __shfl_xor_sync(~0u, straight, d);
        along += __shfl_xor_sync(~0u, along, d);
    }
#pragma unroll
    for (int k = 0; k < 12; k++) dx[row * 384 + 32 * k + lane] = scale * (slope[k] - (straight + value[k] * along) / 384.0f);
}

__device__ float2 unpacked(unsigned pair)
{
    float2 two;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }" : "=f"(two.x), "=f"(two.y) : "r"(pair));
    return two;
}

__device__ unsigned packed(float low, float high)
{
    unsigned pair;
    asm("{ .reg .f16 a, b; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; mov.b32 %0, {a, b}; }" : "=r"(pair) : "f"(low), "f"(high));
    return pair;
}

#define PAIRS 1024

// Softmax of rows of 2048 halves: exponentials as floats, the row in shared memory meanwhile. A block per row.
extern "C" __global__ void softmax_halves(const unsigned *in, unsigned *out)
{
    __shared__ float2 row[PAIRS];
    __shared__ float parts[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    in += blockIdx.x * PAIRS;
    out += blockIdx.x * PAIRS;
    float most = -1e30f, sum = 0.0f;
    for (int k = threadIdx.x; k < PAIRS; k += blockDim.x) {
        float2 two = unpacked(in[k]);
        row[k] = two;
        most = fmaxf(most, fmaxf(two.x, two.y));
    }
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (lane == 0) parts[warp] = most;
    __syncthreads();
    for (int w = 0; w < warps; w++) most = fmaxf(most, parts[w]);
    __syncthreads();
    for (int k = threadIdx.x; k < PAIRS; k += blockDim.x) {
        float2 two = make_float2(__expf(row[k].x - most), __expf(row[k].y - most));
        row[k] = two;
        sum += two.x + two.y;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) parts[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < warps; w++) sum += parts[w];
    float scale = 1.0f / sum;
    for (int k = threadIdx.x; k < PAIRS; k += blockDim.x) out[k] = packed(row[k].x * scale, row[k].y * scale);
}

// Brings planes of any size to 7 x 7: the mean of a window for each cell, where windows may share pixels.
extern "C" __global__ void adaptive_pool(const float *in, float *out, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int column = i % 7, row = i / 7 % 7;
    const float *plane = in + i / 49 * side * side;
    int left = column * side / 7, right = ((column + 1) * side + 6) / 7, top = row * side / 7, bottom = ((row + 1) * side + 6) / 7;
    float sum = 0.0f;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) sum += plane[y * side + x];
    out[i] = sum / ((right - left) * (bottom - top));
}

// A transposed convolution with 4 x 4 weights that makes planes twice as large. A thread gathers what a pixel gets.
extern "C" __global__ void conv_transposed(const float *in, const float *weights, float *out, int channels, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, filter = blockIdx.z;
    if (x >= 2 * side || y >= 2 * side) return;
    float sum = 0.0f;
    for (int channel = 0; channel < channels; channel++) {
        const float *plane = in + channel * side * side, *kernel = weights + (channel * gridDim.z + filter) * 16;
        for (int ky = (y + 1) % 2; ky < 4; ky += 2) {
            int from_y = (y + 1 - ky) / 2;
            if (y + 1 < ky || from_y >= side) continue;
            for (int kx = (x + 1) % 2; kx < 4; kx += 2) {
                int from_x = (x + 1 - kx) / 2;
                if (x + 1 < kx || from_x >= side) continue;
                sum += plane[from_y * side + from_x] * kernel[4 * ky + kx];
            }
        }
    }
    out[(filter * 2 * side + y) * 2 * side + x] = sum;
}

// A gated recurrent unit over a sequence: a block per sequence, a thread per number of the state, which is in shared memory.
extern "C" __global__ void gru_sequence(const float *gates, const float *weights, float *states, int steps)
{
    extern __shared__ float state[];
    int many = blockDim.x, t = threadIdx.x;
    float own = 0.0f, *kept = state + many;
    state[t] = 0.0f;
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        const float *in = gates + (long long)(blockIdx.x * steps + step) * 3 * many + t;
        float update = in[0], reset = in[many], candidate = in[2 * many];
        for (int k = 0; k < many; k++) {
            update += weights[k * many + t] * state[k];
            reset += weights[(many + k) * many + t] * state[k];
        }
        update = 1.0f / (1.0f + __expf(-update));
        reset = 1.0f / (1.0f + __expf(-reset));
        kept[t] = reset * own;
        __syncthreads();
        for (int k = 0; k < many; k++) candidate += weights[(2 * many + k) * many + t] * kept[k];
        own += update * (tanhf(candidate) - own);
        state[t] = own;
        __syncthreads();
    }
    states[blockIdx.x * many + t] = own;
}

__device__ float apart(float4 a, float4 b)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    return x * x + y * y + z * z + w * w;
}

// A loss for learning what is alike: how much nearer than the third is the second picture of a triple? A warp per triple, rows of 128
// numbers.
extern "C" __global__ void triplet_losses(const float4 *table, const unsigned *triples, float *losses, float margin, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    float4 anchor = table[32 * triples[3 * i] + lane];
    float near = apart(anchor, table[32 * triples[3 * i + 1] + lane]), far = apart(anchor, table[32 * triples[3 * i + 2] + lane]);
    for (int d = 16; d > 0; d /= 2) {
        near += __shfl_down_sync(~0u, near, d);
        far += __shfl_down_sync(~0u, far, d);
    }
    if (lane == 0) losses[i] = fmaxf(0.0f, sqrtf(near) - sqrtf(far) + margin);
}

// A product of matrices by square tiles, with two tiles of each in shared memory: the next ones are on their way while one is used.
extern "C" __global__ void product_pipelined(const float *a, const float *b, float *c, int side)
{
    extern __shared__ float tiles[];
    int size = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, own = ty * size + tx, area = size * size;
    int x = blockIdx.x * size + tx, y = blockIdx.y * size + ty, steps = (side + size - 1) / size;
    tiles[own] = y < side && tx < side ? a[y * side + tx] : 0.0f;
    tiles[area + own] = ty < side && x < side ? b[ty * side + x] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int step = 0; step < steps; step++) {
        int column = (step + 1) * size + tx, row = (step + 1) * size + ty;
        float next_a = y < side && column < side ? a[y * side + column] : 0.0f;
        float next_b = row < side && x < side ? b[row * side + x] : 0.0f;
        const float *now = tiles + step % 2 * 2 * area;
        for (int k = 0; k < size; k++) sum += now[ty * size + k] * now[area + k * size + tx];
        float *next = tiles + (step + 1) % 2 * 2 * area;
        next[own] = next_a;
        next[area + own] = next_b;
        __syncthreads();
    }
    if (x < side && y < side) c[y * side + x] = sum;
}

// The largest eigenvalues of matrices of 32 x 32 positive numbers by ten products with a vector. A warp per matrix, a column per lane.
extern "C" __global__ void power_iteration(const float *matrices, float *largest, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    float column[32], value = 1.0f, length = 1.0f;
#pragma unroll
    for (int k = 0; k < 32; k++) column[k] = matrices[(i * 32 + k) * 32 + lane];
    for (int round = 0; round < 10; round++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 32; k++) sum += column[k] * __shfl_sync(~0u, value, k);
        length = sum * sum;
        for (int d = 16; d > 0; d /= 2) length += __shfl_xor_sync(~0u, length, d);
        length = sqrtf(length);
        value = sum / length;
    }
    if (lane == 0) largest[i] = length;
}

// Features of points in space: grids from coarse to fine keep two numbers per corner in a hash table each. A thread per point and grid.
extern "C" __global__ void hash_grid_encode(const float *points, const float2 *tables, float2 *features, float growth, int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, level = blockIdx.y;
    if (i >= n) return;
    float cells = 16.0f * powf(growth, level), x = points[3 * i] * cells, y = points[3 * i + 1] * cells, z = points[3 * i + 2] * cells;
    unsigned cx = x, cy = y, cz = z;
    x -= cx;
    y -= cy;
    z -= cz;
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        unsigned dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
        unsigned place = ((cx + dx) ^ (cy + dy) * 2654435761u ^ (cz + dz) * 805459861u) % size;
        float weight = (dx ? x : 1.0f - x) * (dy ? y : 1.0f - y) * (dz ? z : 1.0f - z);
        float2 corner = tables[level * size + place];
        sum.x += weight * corner.x;
        sum.y += weight * corner.y;
    }
    features[level * n + i] = sum;
}
