// Compiled for compute_70.
// Layers forward and backward, short types, pictures, sound.

// Gradient of softmax and cross-entropy: a block per row.
extern "C" __global__ void entropy_gradient(const float *logits, const int *label, float *grad, float *loss, int classes)
{
    __shared__ float part[32];
    const float *row = logits + (long long)blockIdx.x * classes;
    int warps = blockDim.x / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float most = -1e30f, sum = 0;
    for (int k = threadIdx.x; k < classes; k += blockDim.x) most = fmaxf(most, row[k]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (lane == 0) part[warp] = most;
    __syncthreads();
    for (int w = 0; w < warps; w++) most = fmaxf(most, part[w]);
    __syncthreads();
    for (int k = threadIdx.x; k < classes; k += blockDim.x) sum += expf(row[k] - most);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < warps; w++) sum += part[w];
    int right = label[blockIdx.x];
    for (int k = threadIdx.x; k < classes; k += blockDim.x)
        grad[(long long)blockIdx.x * classes + k] = expf(row[k] - most) / sum - (k == right ? 1.0f : 0.0f);
    if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + most - row[right];
}

// Gradient of overlapping pools of 3 x 3: adds to where each maximum came from.
extern "C" __global__ void unpool_gradient(const float *grad, const unsigned char *which, float *out, int side, int pooled)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= pooled || y >= pooled) return;
    int from = (blockIdx.z * pooled + y) * pooled + x, k = which[from];
    atomicAdd(&out[(blockIdx.z * side + 2 * y + k / 3) * side + 2 * x + k % 3], grad[from]);
}

// A causal convolution with holes (WaveNet), channels last: 32 channels in and out.
extern "C" __global__ void dilated_conv(const float *in, const float *weights, float *out, int hole, int length)
{
    extern __shared__ float w[];
    int many = blockDim.x * blockDim.y, thread = threadIdx.y * 32 + threadIdx.x;
    for (int k = thread; k < 2 * 32 * 32; k += many) w[k] = weights[k];
    __syncthreads();
    for (int t = blockIdx.x * blockDim.y + threadIdx.y; t < length; t += gridDim.x * blockDim.y) {
        float sum = 0.0f;
        for (int tap = 0; tap < 2; tap++) {
            int at = t - tap * hole;
            if (at < 0) continue;
            for (int c = 0; c < 32; c++) sum += in[at * 32 + c] * w[(tap * 32 + c) * 32 + threadIdx.x];
        }
        out[t * 32 + threadIdx.x] = tanhf(sum);
    }
}

__device__ float2 halves(unsigned pair)
{
    float2 f;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }" : "=f"(f.x), "=f"(f.y) : "r"(pair));
    return f;
}

__device__ unsigned pair_of(float x, float y)
{
    unsigned pair;
    asm("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }" : "=r"(pair) : "f"(x), "f"(y));
    return pair;
}

// A gate and its values in half precision (SwiGLU), eight at once.
extern "C" __global__ void swiglu_halves(const uint4 *gate, const uint4 *up, uint4 *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 g4 = gate[i], u4 = up[i];
        unsigned g[4] = {g4.x, g4.y, g4.z, g4.w}, u[4] = {u4.x, u4.y, u4.z, u4.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 a = halves(g[k]), b = halves(u[k]);
            g[k] = pair_of(a.x / (1.0f + __expf(-a.x)) * b.x, a.y / (1.0f + __expf(-a.y)) * b.y);
        }
        out[i] = make_uint4(g[0], g[1], g[2], g[3]);
    }
}

// Rounds floats to bfloat16 at random, so that the mean stays right.
extern "C" __global__ void stochastic_bf16(const float *in, unsigned short *out, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned r = (i + seed) * 747796405u + 2891336453u;
    r = (r >> ((r >> 28) + 4) ^ r) * 277803737u;
    r ^= r >> 22;
    out[i] = (__float_as_uint(in[i]) + (r & 0xffff)) >> 16;
}

// Attention of one new token over a cache of keys and values of 64 halves: a block per head.
extern "C" __global__ void decode_attention(const float *query, const unsigned *keys, const unsigned *values,
                                            float *out, int cached)
{
    __shared__ float q[64], most[8], sums[8], parts[8][64];
    int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y, head = blockIdx.x;
    for (int k = warp * 32 + lane; k < 64; k += warps * 32) q[k] = query[head * 64 + k];
    __syncthreads();
    keys += head * cached * 32;
    values += head * cached * 32;
    float m = -1e30f, s = 0, x = 0, y = 0;
    for (int t = warp; t < cached; t += warps) {
        float2 k = halves(keys[t * 32 + lane]);
        float dot = k.x * q[2 * lane] + k.y * q[2 * lane + 1];
        for (int d = 16; d > 0; d /= 2) dot += __shfl_xor_sync(~0u, dot, d);
        dot *= 0.125f;
        float next = fmaxf(m, dot), old = expf(m - next), now = expf(dot - next);
        float2 v = halves(values[t * 32 + lane]);
        m = next;
        s = s * old + now;
        x = x * old + now * v.x;
        y = y * old + now * v.y;
    }
    if (lane == 0) {
        most[warp] = m;
        sums[warp] = s;
    }
    parts[warp][2 * lane] = x;
    parts[warp][2 * lane + 1] = y;
    __syncthreads();
    for (int k = warp * 32 + lane; k < 64; k += warps * 32) {
        float all = -1e30f, total = 0, value = 0;
        for (int w = 0; w < warps; w++) all = fmaxf(all, most[w]);
        for (int w = 0; w < warps; w++) {
            float by = expf(most[w] - all);
            total += by * sums[w];
            value += by * parts[w][k];
        }
        out[head * 64 + k] = value / total;
    }
}

__device__ float log_sum(float a, float b)
{
    float m = fmaxf(a, b);
    return m < -1e29f ? m : m + log1pf(expf(fminf(a, b) - m));
}

// Connectionist temporal classification, forward: a block per text, a thread per place.
extern "C" __global__ void ctc_alphas(const float *scores, const int *texts, float *loss, int steps, int symbols, int letters)
{
    extern __shared__ float alpha[];
    int places = 2 * letters + 1, s = threadIdx.x;
    const float *mine = scores + blockIdx.x * steps * symbols;
    int symbol = s < places && s % 2 ? texts[blockIdx.x * letters + s / 2] : 0;
    bool skips = s < places && s % 2 && s > 2 && texts[blockIdx.x * letters + s / 2 - 1] != symbol;
    float *now = alpha, *next = alpha + places;
    if (s < places) now[s] = s < 2 ? mine[symbol] : -1e30f;
    __syncthreads();
    for (int t = 1; t < steps; t++) {
        if (s < places) {
            float a = now[s];
            if (s > 0) a = log_sum(a, now[s - 1]);
            if (skips) a = log_sum(a, now[s - 2]);
            next[s] = a + mine[t * symbols + symbol];
        }
        __syncthreads();
        float *other = now;
        now = next;
        next = other;
    }
    if (s == 0) loss[blockIdx.x] = -log_sum(now[places - 1], now[places - 2]);
}

// Sums of gradients by feature and bin for boosted trees: a column of blocks per feature.
extern "C" __global__ void boost_histograms(const unsigned char *bins, const float2 *gradients, float *sums, int n)
{
    __shared__ float mine[128];
    for (int k = threadIdx.x; k < 128; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = bins[(long long)blockIdx.y * n + i] & 63;
        atomicAdd(&mine[2 * bin], gradients[i].x);
        atomicAdd(&mine[2 * bin + 1], gradients[i].y);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += blockDim.x) atomicAdd(&sums[blockIdx.y * 128 + k], mine[k]);
}

__device__ unsigned census(const unsigned char *picture, int x, int y, int width)
{
    unsigned code = 0, middle = picture[y * width + x];
    for (int v = -2; v <= 2; v++)
        for (int u = -2; u <= 2; u++) code = code << 1 | (picture[(y + v) * width + x + u] < middle);
    return code;
}

// Stereo by the census transform: the shift of 24 with the fewest different bits.
extern "C" __global__ void census_shift(const unsigned char *left, const unsigned char *right, unsigned char *shift,
                                        int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 26 || y < 2 || x >= width - 2 || y >= height - 2) return;
    unsigned code = census(left, x, y, width);
    int best = 99, at = 0;
    for (int d = 0; d < 24; d++) {
        int bits = __popc(code ^ census(right, x - d, y, width));
        if (bits < best) {
            best = bits;
            at = d;
        }
    }
    shift[y * width + x] = at;
}

__constant__ short step_sizes[64] = {
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143,
    157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552,
    1707, 1878, 2066, 2272, 2499, 2749, 3024};
__constant__ signed char step_moves[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

// Decodes sound of four bits per sample: blocks of 64 samples, one per thread.
extern "C" __global__ void adpcm(const unsigned char *packed, short *sound, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = 0, index = 16;
    for (int k = 0; k < 64; k++) {
        int code = packed[i * 32 + k / 2] >> (k % 2 * 4) & 15, step = step_sizes[index];
        int change = step >> 3;
        if (code & 4) change += step;
        if (code & 2) change += step >> 1;
        if (code & 1) change += step >> 2;
        value = min(max(code & 8 ? value - change : value + change, -32768), 32767);
        index = min(max(index + step_moves[code & 7], 0), 63);
        sound[i * 64 + k] = value;
    }
}

// A comb filter with its own delay per channel, in a ring in local memory.
extern "C" __global__ void comb_reverb(const float *in, const int *delay, float *out, int samples, int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float ring[64];
    int length = delay[c], at = 0;
    for (int k = 0; k < 64; k++) ring[k] = 0.0f;
    for (int t = 0; t < samples; t++) {
        float y = in[t * channels + c] + 0.7f * ring[at];
        ring[at] = y;
        at = (at + 1) % length;
        out[t * channels + c] = y;
    }
}

// Changes the order of a tensor's four axes to any other, by division.
extern "C" __global__ void permute_axes(const float *in, float *out, const int *sizes, const int *strides, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rest = i, from = 0;
    for (int axis = 3; axis >= 0; axis--) {
        from += rest % sizes[axis] * strides[axis];
        rest /= sizes[axis];
    }
    out[i] = in[from];
}

// The matrix of the normal equations of eight unknowns, in registers.
extern "C" __global__ void normal_matrix(const float4 *rows, float *matrix, int n)
{
    float sums[36] = {0};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 p = rows[2 * i], q = rows[2 * i + 1];
        float a[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
#pragma unroll
        for (int r = 0, k = 0; r < 8; r++)
#pragma unroll
            for (int c = 0; c <= r; c++) sums[k++] += a[r] * a[c];
    }
#pragma unroll
    for (int k = 0; k < 36; k++) {
        float sum = sums[k];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x % 32 == 0) atomicAdd(&matrix[k], sum);
    }
}

// Thins edges: keeps a pixel that is no less steep than both neighbours across the edge.
extern "C" __global__ void thin_edges(const float *dx, const float *dy, unsigned char *edge, float least, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int at = y * width + x;
    bool keep = false;
    float m = hypotf(dx[at], dy[at]);
    if (m > least && x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        float angle = atan2f(dy[at], dx[at]) * 1.2732395f;
        int way = ((int)rintf(angle) + 8) % 4;
        int step = way == 0 ? 1 : way == 1 ? width + 1 : way == 2 ? width : width - 1;
        keep = m >= hypotf(dx[at - step], dy[at - step]) && m >= hypotf(dx[at + step], dy[at + step]);
    }
    edge[at] = keep ? 255 : 0;
}
