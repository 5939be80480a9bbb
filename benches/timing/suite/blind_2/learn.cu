// Compiled for compute_70.
// Steps of learning and of inference.

// Adam, with weight decay.
extern "C" __global__ void adam_step(float *w, const float *g, float *m, float *v, float rate, float c1, float c2, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float grad = g[i] + 0.01f * w[i];
        float mi = m[i] = 0.9f * m[i] + 0.1f * grad;
        float vi = v[i] = 0.999f * v[i] + 0.001f * grad * grad;
        w[i] -= rate * (mi * c1) / (sqrtf(vi * c2) + 1e-8f);
    }
}

__device__ float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

// The cell of an LSTM after its products: four gates, element by element.
extern "C" __global__ void lstm_gates(const float *gates, const float *bias, float *cell, float *hidden, int width, int batch)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
    if (j >= width || b >= batch) return;
    const float *row = gates + b * 4 * width;
    float in = sigmoid(row[j] + bias[j]);
    float forget = sigmoid(row[width + j] + bias[width + j]);
    float fresh = tanhf(row[2 * width + j] + bias[2 * width + j]);
    float out = sigmoid(row[3 * width + j] + bias[3 * width + j]);
    float c = forget * cell[b * width + j] + in * fresh;
    cell[b * width + j] = c;
    hidden[b * width + j] = out * tanhf(c);
}

__device__ float from_half(unsigned short h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

__device__ unsigned short to_half(float f)
{
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

// Rotary position embedding in place: pairs of halves half a head apart.
extern "C" __global__ void rotary_halves(unsigned short *q, int heads, int width, int tokens)
{
    int token = blockIdx.x;
    for (int i = threadIdx.x; i < heads * width / 2; i += blockDim.x) {
        int head = i / (width / 2), j = i % (width / 2);
        float turn = token * exp2f(-13.287712f * 2 * j / width);
        float s = sinf(turn), c = cosf(turn);
        unsigned short *at = q + ((size_t)token * heads + head) * width + j;
        float x = from_half(at[0]), y = from_half(at[width / 2]);
        at[0] = to_half(x * c - y * s);
        at[width / 2] = to_half(x * s + y * c);
    }
}

// Mixture of experts: the two best of 16 and their weights, a thread per token.
extern "C" __global__ void route_experts(const float *scores, int *expert, float *weight, int *load, int tokens)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= tokens) return;
    float best = -1e30f, next = -1e30f;
    int who = 0, other = 0;
    for (int e = 0; e < 16; e++) {
        float s = scores[t * 16 + e];
        if (s > best) {
            next = best; other = who;
            best = s; who = e;
        } else if (s > next) {
            next = s; other = e;
        }
    }
    float share = 1.0f / (1.0f + expf(next - best));
    expert[2 * t] = who;
    expert[2 * t + 1] = other;
    weight[2 * t] = share;
    weight[2 * t + 1] = 1.0f - share;
    atomicAdd(&load[who], 1);
    atomicAdd(&load[other], 1);
}

// Weights of four bits, eight to a word, with a scale per 64, times a vector: a warp per row.
extern "C" __global__ void gemv_int4(const unsigned *__restrict__ weights, const float *__restrict__ scales,
                                     const float *__restrict__ x, float *__restrict__ y, int columns, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    const unsigned *w = weights + (size_t)row * columns / 8;
    float sum = 0.0f;
    for (int k = lane; k < columns / 8; k += 32) {
        unsigned packed = w[k];
        float part = 0.0f;
#pragma unroll
        for (int j = 0; j < 8; j++) part += (float)((int)(packed >> 4 * j & 15u) - 8) * x[8 * k + j];
        sum += part * scales[row * (columns / 64) + k / 8];
    }
    for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, m);
    if (lane == 0) y[row] = sum;
}

// Gradients of batch normalisation: sums over rows for each column, 32 columns to a block.
extern "C" __global__ void norm_gradients(const float *grad, const float *x, float *dscale, float *dshift, int rows, int columns)
{
    __shared__ float a[16][33], b[16][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float s = 0, p = 0;
    if (c < columns)
        for (int r = threadIdx.y; r < rows; r += blockDim.y) {
            float g = grad[r * columns + c];
            s += g;
            p += g * x[r * columns + c];
        }
    a[threadIdx.y][threadIdx.x] = s;
    b[threadIdx.y][threadIdx.x] = p;
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (threadIdx.y < half) {
            a[threadIdx.y][threadIdx.x] += a[threadIdx.y + half][threadIdx.x];
            b[threadIdx.y][threadIdx.x] += b[threadIdx.y + half][threadIdx.x];
        }
        __syncthreads();
    }
    if (threadIdx.y == 0 && c < columns) {
        dshift[c] = a[0][threadIdx.x];
        dscale[c] = b[0][threadIdx.x];
    }
}

// The gradient of an embedding table: rows of 64 floats added where their words are.
extern "C" __global__ void embedding_gradient(const int *words, const float *grad, float *table, int n)
{
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i < n) atomicAdd(&table[words[i] * 64 + threadIdx.x], grad[i * 64 + threadIdx.x]);
}

// Which boxes overlap which later ones by more than half: 64 bits per pair of tiles.
extern "C" __global__ void overlap_masks(const float4 *boxes, unsigned long long *masks, int n)
{
    __shared__ float4 tile[64];
    int row = blockIdx.y * 64 + threadIdx.x, first = blockIdx.x * 64;
    if (blockIdx.x < blockIdx.y) return;
    if (first + threadIdx.x < n) tile[threadIdx.x] = boxes[first + threadIdx.x];
    __syncthreads();
    if (row >= n) return;
    float4 a = boxes[row];
    unsigned long long mask = 0;
    for (int i = first > row ? 0 : row + 1 - first; i < min(64, n - first); i++) {
        float4 b = tile[i];
        float w = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.0f), h = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.0f);
        float both = w * h;
        float all = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - both;
        if (both > 0.5f * all) mask |= 1ull << i;
    }
    masks[(size_t)row * gridDim.x + blockIdx.x] = mask;
}

// Sums of absolute differences between all pairs of rows of 128.
extern "C" __global__ void manhattan_pairs(const float *a, const float *b, float *d, int n)
{
    __shared__ float p[16][17], q[16][17];
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    int jj = blockIdx.x * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 128; k += 16) {
        p[threadIdx.y][threadIdx.x] = i < n ? a[i * 128 + k + threadIdx.x] : 0;
        q[threadIdx.y][threadIdx.x] = jj < n ? b[jj * 128 + k + threadIdx.x] : 0;
        __syncthreads();
        for (int t = 0; t < 16; t++) sum += fabsf(p[threadIdx.y][t] - q[threadIdx.x][t]);
        __syncthreads();
    }
    if (i < n && j < n) d[i * n + j] = sum;
}

// Channels to pixels: depth to space by two.
extern "C" __global__ void pixel_shuffle(const float *in, float *out, int channels, int height, int width, int total)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= total) return;
    int x = o % (2 * width), y = o / (2 * width) % (2 * height);
    int c = o / (4 * width * height) % channels, b = o / (4 * width * height * channels);
    int from = ((b * channels * 4 + c * 4 + y % 2 * 2 + x % 2) * height + y / 2) * width + x / 2;
    out[o] = in[from];
}

struct Split {
    float limit;
    short feature, left;
};

// A forest of trees of depth 8 over 16 features: a thread per sample, votes in a local array.
extern "C" __global__ void forest_votes(const Split *trees, const float *features, unsigned char *label, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int votes[8] = {};
    for (int t = 0; t < count; t++) {
        const Split *tree = trees + t * 511;
        int node = 0;
        while (node < 255) {
            Split s = tree[node];
            node = s.left + (features[s.feature * n + i] > s.limit);
        }
        votes[tree[node].feature & 7]++;
    }
    int best = 0;
    for (int k = 1; k < 8; k++)
        if (votes[k] > votes[best]) best = k;
    label[i] = best;
}

// A residual and noise by a hash: dropout of one in ten, two halves at a time.
extern "C" __global__ void dropout_residual(const unsigned *x, const unsigned *residual, unsigned *out, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (i ^ seed) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    h ^= h >> 16;
    unsigned a = x[i], r = residual[i];
    float low = (h & 0xffff) < 6554 ? 0.0f : from_half(a & 0xffff) * 1.1111f;
    float high = (h >> 16) < 6554 ? 0.0f : from_half(a >> 16) * 1.1111f;
    out[i] = to_half(low + from_half(r & 0xffff)) | (unsigned)to_half(high + from_half(r >> 16)) << 16;
}
