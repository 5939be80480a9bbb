// Compiled for compute_70.
// Layers of neural networks, mixed precision, and many small systems of equations.

__device__ float low_half(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high_half(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

#define STRIP 8
#define DEEP 32

// A product of matrices of short floats (bf16), summed as floats. A thread has two columns of eight rows; the eight rows of the left
// matrix come through shared memory.
extern "C" __global__ void product_bf16(const unsigned short *a, const unsigned *b, float2 *c, int n)
{
    __shared__ float rows[STRIP][DEEP];
    int pair = blockIdx.x * blockDim.x + threadIdx.x, top = blockIdx.y * STRIP, pairs = n / 2;
    float2 sums[STRIP];
#pragma unroll
    for (int r = 0; r < STRIP; r++) sums[r] = make_float2(0.0f, 0.0f);
    for (int first = 0; first < n; first += DEEP) {
        for (int k = threadIdx.x; k < STRIP * DEEP; k += blockDim.x)
            rows[k / DEEP][k % DEEP] = __uint_as_float((unsigned)a[(top + k / DEEP) * n + first + k % DEEP] << 16);
        __syncthreads();
        if (pair < pairs)
            for (int k = 0; k < DEEP; k++) {
                unsigned two = b[(first + k) * pairs + pair];
                float left = low_half(two), right = high_half(two);
#pragma unroll
                for (int r = 0; r < STRIP; r++) {
                    sums[r].x += rows[r][k] * left;
                    sums[r].y += rows[r][k] * right;
                }
            }
        __syncthreads();
    }
    if (pair >= pairs) return;
#pragma unroll
    for (int r = 0; r < STRIP; r++) c[(top + r) * pairs + pair] = sums[r];
}

#define MOST 32

// Many systems of equations with five diagonals, symmetric and in doubles, a thread each: a root-free decomposition on the way down, the
// solution on the way up.
extern "C" __global__ void banded_solves(const double *diagonal, const double *first, const double *second, double *x, int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double near[MOST], far[MOST], value[MOST];
    double d1 = 1.0, d2 = 1.0, near1 = 0.0, far1 = 0.0, far2 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int k = 0; k < size; k++) {
        double pivot = diagonal[k * n + i] - near1 * near1 * d1 - far2 * far2 * d2;
        double y = x[k * n + i] - near1 * y1 - far2 * y2;
        double beside = (first[k * n + i] - far1 * near1 * d1) / pivot, beyond = second[k * n + i] / pivot;
        near[k] = beside;
        far[k] = beyond;
        value[k] = y / pivot;
        d2 = d1;
        d1 = pivot;
        y2 = y1;
        y1 = y;
        far2 = far1;
        near1 = beside;
        far1 = beyond;
    }
    double after = 0.0, later = 0.0;
    for (int k = size - 1; k >= 0; k--) {
        double own = value[k] - near[k] * after - far[k] * later;
        x[k * n + i] = own;
        later = after;
        after = own;
    }
}

__device__ float from_fp8(unsigned code)
{
    unsigned size = code & 127;
    float value = size < 8 ? size * 0.001953125f : __uint_as_float((size << 20) + (120u << 23));
    return code & 128 ? -value : value;
}

// Floats of eight bits, with four bits of exponent, become ordinary floats. Every 128 numbers have a scale.
extern "C" __global__ void fp8_rows(const unsigned *codes, const float *scales, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned four = codes[i];
    float scale = scales[i / 32];
    out[i] = make_float4(scale * from_fp8(four & 255), scale * from_fp8(four >> 8 & 255), scale * from_fp8(four >> 16 & 255),
                         scale * from_fp8(four >> 24));
}

#define PAGE 16

// How well does a word fit those before it, whose keys lie in pages of 16 here and there? A block per text; its warps take keys of 64
// numbers in turn.
extern "C" __global__ void paged_scores(const float2 *queries, const float2 *keys, const int *pages, const int *lengths, float *scores,
                                        int most)
{
    int text = blockIdx.x, lane = threadIdx.x % 32, length = lengths[text];
    float2 query = queries[text * 32 + lane];
    const int *own = pages + text * (most / PAGE);
    for (int at = threadIdx.x / 32; at < length; at += blockDim.x / 32) {
        float2 key = keys[(own[at / PAGE] * PAGE + at % PAGE) * 32 + lane];
        float sum = query.x * key.x + query.y * key.y;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (lane == 0) scores[text * most + at] = sum * 0.125f;
    }
}

#define WIDE 128

// Brings back what two experts made of each word, weighs it and adds it to what the word was. An expert that was full has no result.
extern "C" __global__ void combine_experts(const float4 *words, const float4 *results, const int2 *places, const float2 *weights,
                                           float4 *out)
{
    int word = blockIdx.x;
    int2 place = places[word];
    float2 weight = weights[word];
    for (int k = threadIdx.x; k < WIDE; k += blockDim.x) {
        float4 sum = words[word * WIDE + k];
        if (place.x >= 0) {
            float4 one = results[place.x * WIDE + k];
            sum.x += weight.x * one.x;
            sum.y += weight.x * one.y;
            sum.z += weight.x * one.z;
            sum.w += weight.x * one.w;
        }
        if (place.y >= 0) {
            float4 one = results[place.y * WIDE + k];
            sum.x += weight.y * one.x;
            sum.y += weight.y * one.y;
            sum.z += weight.y * one.z;
            sum.w += weight.y * one.w;
        }
        out[word * WIDE + k] = sum;
    }
}

// The way back through a layer that bends pictures: each pixel adds its gradient to the four pixels that it was mixed from, in every
// channel.
extern "C" __global__ void grid_sample_gradient(const float *gradient, const float2 *from, float *out, int channels, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float2 at = from[y * side + x];
    int left = (int)floorf(at.x), top = (int)floorf(at.y);
    float right_share = at.x - left, low_share = at.y - top;
    for (int channel = 0; channel < channels; channel++) {
        float own = gradient[(channel * side + y) * side + x], *plane = out + channel * side * side;
        for (int k = 0; k < 4; k++) {
            int px = left + k % 2, py = top + k / 2;
            if (px < 0 || py < 0 || px >= side || py >= side) continue;
            float share = (k % 2 == 0 ? 1.0f - right_share : right_share) * (k / 2 == 0 ? 1.0f - low_share : low_share);
            atomicAdd(&plane[py * side + px], own * share);
        }
    }
}

__device__ float widened(unsigned short half)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(half));
    return wide;
}

__device__ unsigned short narrowed(float wide)
{
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(wide));
    return half;
}

#define SPAN 32

// A filter over the last four moments of each channel, then x / (1 + exp(-x)). Halves in and out; a thread takes 32 moments of a channel.
extern "C" __global__ void causal_conv(const unsigned short *in, const float4 *weights, unsigned short *out, int channels)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * SPAN;
    if (channel >= channels) return;
    float4 weight = weights[channel];
    float a = 0.0f, b = 0.0f, c = 0.0f;
    if (first > 0) {
        a = widened(in[(first - 3) * channels + channel]);
        b = widened(in[(first - 2) * channels + channel]);
        c = widened(in[(first - 1) * channels + channel]);
    }
    for (int k = first; k < first + SPAN; k++) {
        float d = widened(in[k * channels + channel]);
        float sum = weight.x * a + weight.y * b + weight.z * c + weight.w * d;
        out[k * channels + channel] = narrowed(sum / (1.0f + __expf(-sum)));
        a = b;
        b = c;
        c = d;
    }
}

#define PLANES 64
#define CELLS 49
#define NARROW 16

// Makes some channels of a picture louder than others: means of 64 planes, two small layers that weigh them, then the product. A block
// per picture.
extern "C" __global__ void squeeze_excite(const float *in, const float *down, const float *up, float *out)
{
    __shared__ float means[PLANES], hidden[NARROW], gains[PLANES];
    int lane = threadIdx.x % 32, t = threadIdx.x;
    in += (long long)blockIdx.x * PLANES * CELLS;
    out += (long long)blockIdx.x * PLANES * CELLS;
    for (int plane = t / 32; plane < PLANES; plane += blockDim.x / 32) {
        float sum = in[plane * CELLS + lane];
        if (lane + 32 < CELLS) sum += in[plane * CELLS + lane + 32];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (lane == 0) means[plane] = sum / CELLS;
    }
    __syncthreads();
    if (t < NARROW) {
        float sum = 0.0f;
        for (int k = 0; k < PLANES; k++) sum += down[k * NARROW + t] * means[k];
        hidden[t] = fmaxf(sum, 0.0f);
    }
    __syncthreads();
    if (t < PLANES) {
        float sum = 0.0f;
        for (int k = 0; k < NARROW; k++) sum += up[k * PLANES + t] * hidden[k];
        gains[t] = 1.0f / (1.0f + __expf(-sum));
    }
    __syncthreads();
    for (int k = t; k < PLANES * CELLS; k += blockDim.x) out[k] = in[k] * gains[k / CELLS];
}

// Attention without a table of scores (RWKV): a channel keeps a sum of values and a sum of weights, both fade, and the largest exponent
// so far keeps them small. A thread per channel goes through all moments.
extern "C" __global__ void wkv_channels(const float *keys, const float *values, const float *fades, const float *bonus, float *out,
                                        int steps, int channels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float fade = fades[i % channels], extra = bonus[i % channels], sum = 0.0f, weight = 0.0f, most = -1e30f;
    for (int step = 0; step < steps; step++) {
        float key = keys[step * n + i], value = values[step * n + i];
        float larger = fmaxf(most, key + extra), old = __expf(most - larger), now = __expf(key + extra - larger);
        out[step * n + i] = (old * sum + now * value) / (old * weight + now);
        larger = fmaxf(most - fade, key);
        old = __expf(most - fade - larger);
        now = __expf(key - larger);
        sum = old * sum + now * value;
        weight = old * weight + now;
        most = larger;
    }
}
