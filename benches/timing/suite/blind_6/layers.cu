// Compiled for compute_70.
// Matrix products, and layers of networks.

// A product of matrices whose inner size is split over blocks in z: each adds its part to the result.
extern "C" __global__ void product_split_k(const float *a, const float *b, float *c, int side, int inner, int part)
{
    extern __shared__ float tiles[];
    int size = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * size + tx, row = blockIdx.y * size + ty;
    float *left = tiles, *right = tiles + size * size, sum = 0.0f;
    int end = min((int)(blockIdx.z + 1) * part, inner);
    for (int k = blockIdx.z * part; k < end; k += size) {
        left[ty * size + tx] = row < side && k + tx < end ? a[row * inner + k + tx] : 0.0f;
        right[ty * size + tx] = column < side && k + ty < end ? b[(k + ty) * side + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < size; j++) sum += left[ty * size + j] * right[j * size + tx];
        __syncthreads();
    }
    if (row < side && column < side) atomicAdd(&c[row * side + column], sum);
}

// A product of matrices of complex numbers, by square tiles in shared memory.
extern "C" __global__ void product_complex(const float2 *a, const float2 *b, float2 *c, int side)
{
    __shared__ float2 left[16][17], right[16][17];
    int size = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * size + tx, row = blockIdx.y * size + ty;
    float2 sum = make_float2(0.0f, 0.0f), none = sum;
    for (int k = 0; k < side; k += size) {
        left[ty][tx] = row < side && k + tx < side ? a[row * side + k + tx] : none;
        right[ty][tx] = column < side && k + ty < side ? b[(k + ty) * side + column] : none;
        __syncthreads();
        for (int j = 0; j < size; j++) {
            float2 p = left[ty][j], q = right[j][tx];
            sum.x += p.x * q.x - p.y * q.y;
            sum.y += p.x * q.y + p.y * q.x;
        }
        __syncthreads();
    }
    if (row < side && column < side) c[row * side + column] = sum;
}

// Attention to the last 32 tokens only. A warp per token, two of 64 features per lane; the softmax goes along.
extern "C" __global__ void window_attention(const float2 *queries, const float2 *keys, const float2 *values, float2 *out, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    float2 query = queries[i * 32 + lane], sum = make_float2(0.0f, 0.0f);
    float most = -1e30f, total = 0.0f;
    for (int j = max(i - 31, 0); j <= i; j++) {
        float2 key = keys[j * 32 + lane], value = values[j * 32 + lane];
        float score = query.x * key.x + query.y * key.y;
        for (int d = 16; d > 0; d /= 2) score += __shfl_xor_sync(~0u, score, d);
        score *= 0.125f;
        float higher = fmaxf(most, score), old = __expf(most - higher), weight = __expf(score - higher);
        most = higher;
        total = total * old + weight;
        sum = make_float2(sum.x * old + weight * value.x, sum.y * old + weight * value.y);
    }
    out[i * 32 + lane] = make_float2(sum.x / total, sum.y / total);
}

// Normalises groups of channels of pictures: a block has a group, reads it for mean and variance, and once more to write.
extern "C" __global__ void group_norm(const float *in, const float *scales, const float *shifts, float *out, int groups, int channels,
                                      int pixels)
{
    __shared__ float sums[32], squares[32];
    int size = channels * pixels, first = blockIdx.x % groups * channels, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const float *from = in + (long long)blockIdx.x * size;
    float *to = out + (long long)blockIdx.x * size, sum = 0.0f, square = 0.0f;
    for (int k = threadIdx.x; k < size; k += blockDim.x) {
        float value = from[k];
        sum += value;
        square += value * value;
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(~0u, sum, d);
        square += __shfl_down_sync(~0u, square, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[warp] = sum;
        squares[warp] = square;
    }
    __syncthreads();
    sum = square = 0.0f;
    for (int w = 0; w < warps; w++) {
        sum += sums[w];
        square += squares[w];
    }
    float mean = sum / size, scale = rsqrtf(square / size - mean * mean + 1e-5f);
    for (int k = threadIdx.x; k < size; k += blockDim.x) {
        int channel = first + k / pixels;
        to[k] = (from[k] - mean) * scale * scales[channel] + shifts[channel];
    }
}

// Draws a word per row by its likelihood: the largest score with Gumbel noise wins. A block per row.
extern "C" __global__ void gumbel_rows(const float *scores, float *best, int *chosen, float heat, int columns)
{
    __shared__ float values[32];
    __shared__ int places[32];
    const float *row = scores + (long long)blockIdx.x * columns;
    float most = -1e30f;
    int place = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        unsigned word = (blockIdx.x * columns + k) * 2654435769u;
        word = (word ^ word >> 16) * 2246822519u;
        float unit = ((word ^ word >> 13) >> 9) * (1.0f / 8388608.0f) + 1e-7f;
        float value = row[k] / heat - logf(-logf(unit * 0.99999f));
        if (value > most) {
            most = value;
            place = k;
        }
    }
    for (int round = 0; round < 2; round++) {
        for (int d = 16; d > 0; d /= 2) {
            float other = __shfl_xor_sync(~0u, most, d);
            int at = __shfl_xor_sync(~0u, place, d);
            if (other > most || (other == most && at < place)) {
                most = other;
                place = at;
            }
        }
        if (round == 1) break;
        if (threadIdx.x % 32 == 0) {
            values[threadIdx.x / 32] = most;
            places[threadIdx.x / 32] = place;
        }
        __syncthreads();
        if (threadIdx.x >= 32) return;
        most = threadIdx.x < blockDim.x / 32 ? values[threadIdx.x] : -1e30f;
        place = threadIdx.x < blockDim.x / 32 ? places[threadIdx.x] : 0;
    }
    if (threadIdx.x == 0) {
        best[blockIdx.x] = most;
        chosen[blockIdx.x] = place;
    }
}

__device__ unsigned fma2(unsigned a, unsigned b, unsigned c)
{
    asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
    return c;
}

__device__ float both(unsigned pair)
{
    float low, high;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }" : "=f"(low), "=f"(high) : "r"(pair));
    return low + high;
}

// Products of two lists of vectors in half precision, row by row: a warp per row, eight halves per load.
extern "C" __global__ void dot_halves(const uint4 *a, const uint4 *b, float *out, int loads, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = lane; k < loads; k += 32) {
        uint4 p = a[row * loads + k], q = b[row * loads + k];
        sum += both(fma2(p.x, q.x, fma2(p.y, q.y, fma2(p.z, q.z, fma2(p.w, q.w, 0u)))));
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) out[row] = sum;
}

// A step of Adagrad for the rows of an embedding that a batch used, each once: 32 numbers a row.
extern "C" __global__ void adagrad_rows(const unsigned *used, const float *gradient, float *weights, float *history, float rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 32 * n) return;
    int at = used[i / 32] * 32 + i % 32;
    float slope = gradient[i], sum = history[at] + slope * slope;
    history[at] = sum;
    weights[at] -= rate * slope / (sqrtf(sum) + 1e-8f);
}

__device__ float between(const float *plane, float x, float y, int side)
{
    x = fminf(fmaxf(x, 0.0f), side - 1.001f);
    y = fminf(fmaxf(y, 0.0f), side - 1.001f);
    int left = (int)x, top = (int)y;
    float a = x - left, b = y - top;
    const float *p = plane + top * side + left;
    return (1.0f - b) * ((1.0f - a) * p[0] + a * p[1]) + b * ((1.0f - a) * p[side] + a * p[side + 1]);
}

// Cuts boxes out of a map of features, each as 7 x 7 cells with four samples a cell. A thread per cell and channel.
extern "C" __global__ void roi_align(const float *features, const float4 *boxes, float *out, int channels, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell = i % 49, channel = i / 49 % channels;
    float4 box = boxes[i / 49 / channels];
    float wide = box.z / 7.0f, high = box.w / 7.0f, x = box.x + cell % 7 * wide, y = box.y + cell / 7 * high, sum = 0.0f;
    const float *plane = features + channel * side * side;
    for (int k = 0; k < 4; k++) sum += between(plane, x + (0.25f + 0.5f * (k % 2)) * wide, y + (0.25f + 0.5f * (k / 2)) * high, side);
    out[i] = 0.25f * sum;
}
