// Compiled for compute_80.
// Products, transforms and small matrices, layers and short types.

#define DEPTH 32
#define ROWS 4

// The shortest ways of two parts: a product of matrices with sums instead of products and minima instead of sums. Also writes which place
// in the middle is best. A thread has four rows of a column.
extern "C" __global__ void min_plus_product(const unsigned *a, const unsigned *b, unsigned *best, unsigned short *middles, int n)
{
    __shared__ unsigned left[DEPTH][DEPTH], right[DEPTH][DEPTH];
    int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * blockDim.y * ROWS, column = blockIdx.x * DEPTH + x;
    unsigned least[ROWS], through[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) least[r] = ~0u, through[r] = 0;
    for (int start = 0; start < n; start += DEPTH) {
        for (int r = y; r < blockDim.y * ROWS; r += blockDim.y)
            left[r][x] = start + x < n && top + r < n ? a[(top + r) * n + start + x] : 1u << 30;
        for (int r = y; r < DEPTH; r += blockDim.y) right[r][x] = start + r < n && column < n ? b[(start + r) * n + column] : 1u << 30;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < DEPTH; k++) {
            unsigned value = right[k][x];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                unsigned sum = left[y + r * blockDim.y][k] + value;
                if (sum < least[r]) {
                    least[r] = sum;
                    through[r] = start + k;
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int row = top + y + r * blockDim.y;
        if (row >= n || column >= n) continue;
        best[row * n + column] = least[r];
        middles[row * n + column] = through[r];
    }
}

#define FEATURES 48
#define SLICE 16

// How similar are all points of two sets? A Gaussian of the distance in 48 dimensions (a kernel matrix). Blocks read slices of 16
// dimensions of their points into shared memory.
extern "C" __global__ void rbf_matrix(const float *rows, const float *columns, float *out, float gamma, int n)
{
    __shared__ float left[16][SLICE + 1], right[32][SLICE + 1];
    int x = threadIdx.x, y = threadIdx.y, thread = y * blockDim.x + x, threads = blockDim.x * blockDim.y;
    int first = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    float sum = 0.0f;
    for (int start = 0; start < FEATURES; start += SLICE) {
        for (int k = thread; k < blockDim.y * SLICE; k += threads)
            left[k / SLICE][k % SLICE] = top + k / SLICE < n ? rows[(top + k / SLICE) * FEATURES + start + k % SLICE] : 0.0f;
        for (int k = thread; k < blockDim.x * SLICE; k += threads)
            right[k / SLICE][k % SLICE] = first + k / SLICE < n ? columns[(first + k / SLICE) * FEATURES + start + k % SLICE] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SLICE; k++) {
            float away = left[y][k] - right[x][k];
            sum += away * away;
        }
        __syncthreads();
    }
    if (first + x < n && top + y < n) out[(top + y) * n + first + x] = __expf(-gamma * sum);
}

#define POINTS 243
#define THIRD (POINTS / 3)

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Fourier transforms of 243 complex numbers: five rounds of three at a time, from one half of shared memory to the other. 81 threads have
// a transform, and a block has as many as fit.
extern "C" __global__ void fft_243(const float2 *in, float2 *out, int n)
{
    extern __shared__ float2 kept[];
    int own = threadIdx.x / THIRD, j = threadIdx.x % THIRD, transform = blockIdx.x * (blockDim.x / THIRD) + own;
    float2 *from = kept + own * 2 * POINTS, *to = from + POINTS;
    bool active = transform < n;
    for (int k = j; active && k < POINTS; k += THIRD) from[k] = in[transform * POINTS + k];
    __syncthreads();
    for (int size = 1; size < POINTS; size *= 3) {
        float2 turn, a = from[j], b = from[j + THIRD], c = from[j + 2 * THIRD];
        int at = j % size;
        sincospif(-2.0f * at / (3 * size), &turn.y, &turn.x);
        b = times(b, turn);
        c = times(c, times(turn, turn));
        float2 sum = make_float2(b.x + c.x, b.y + c.y), half = make_float2(a.x - 0.5f * sum.x, a.y - 0.5f * sum.y);
        float2 side = make_float2(0.8660254f * (b.y - c.y), -0.8660254f * (b.x - c.x));
        float2 *place = to + (j - at) * 3 + at;
        place[0] = make_float2(a.x + sum.x, a.y + sum.y);
        place[size] = make_float2(half.x + side.x, half.y + side.y);
        place[2 * size] = make_float2(half.x - side.x, half.y - side.y);
        float2 *other = from;
        from = to;
        to = other;
        __syncthreads();
    }
    for (int k = j; active && k < POINTS; k += THIRD) out[transform * POINTS + k] = from[k];
}

// Lower and upper factors of 32 x 32 matrices, without exchanging rows. A warp per matrix: a lane keeps a column in registers.
extern "C" __global__ void lu_warps(const float *matrices, float *factors, int n)
{
    int matrix = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (matrix >= n) return;
    float column[32];
#pragma unroll
    for (int row = 0; row < 32; row++) column[row] = matrices[matrix * 1024 + row * 32 + lane];
#pragma unroll
    for (int k = 0; k < 31; k++) {
        float part = 1.0f / __shfl_sync(~0u, column[k], k);
#pragma unroll
        for (int row = k + 1; row < 32; row++) {
            float factor = __shfl_sync(~0u, column[row], k) * part;
            if (lane > k) column[row] -= factor * column[k];
            if (lane == k) column[row] = factor;
        }
    }
#pragma unroll
    for (int row = 0; row < 32; row++) factors[matrix * 1024 + row * 32 + lane] = column[row];
}

// The rotation in each 3 x 3 matrix (polar decomposition), as the simulation of soft bodies needs it: the mean of a matrix and its
// transposed inverse, again and again until it does not change. Also counts the rounds.
extern "C" __global__ void polar_3x3(const float *matrices, float *rotations, unsigned char *rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[9], change;
    int round = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) m[k] = matrices[(size_t)k * n + i];
    do {
        float c[9] = {m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
                      m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],
                      m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]};
        float part = 0.5f / (m[0] * c[0] + m[1] * c[1] + m[2] * c[2]);
        change = 0.0f;
#pragma unroll
        for (int k = 0; k < 9; k++) {
            float next = 0.5f * m[k] + part * c[k];
            change = fmaxf(change, fabsf(next - m[k]));
            m[k] = next;
        }
        round++;
    } while (change > 1e-4f && round < 20);
#pragma unroll
    for (int k = 0; k < 9; k++) rotations[(size_t)k * n + i] = m[k];
    rounds[i] = round;
}

__device__ float2 from_halves(unsigned pair)
{
    float2 out;
    asm("{.reg .f16 low, high;\n mov.b32 {low, high}, %2;\n cvt.f32.f16 %0, low;\n cvt.f32.f16 %1, high;}"
        : "=f"(out.x), "=f"(out.y)
        : "r"(pair));
    return out;
}

__device__ unsigned to_halves(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

#define PAIRS 256

// Softmax of attention scores that lose the more the further two words are apart (ALiBi): 512 scores of 16 bits in a row, a slope for each
// head. A warp per row keeps its scores in registers.
extern "C" __global__ void alibi_softmax(const unsigned *scores, const float *slopes, unsigned *shares, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    int query = row % (2 * PAIRS);
    float slope = slopes[row / (2 * PAIRS)], most = -1e30f, sum = 0.0f;
    float2 own[PAIRS / 32];
#pragma unroll
    for (int k = 0; k < PAIRS / 32; k++) {
        int column = 2 * (k * 32 + lane);
        own[k] = from_halves(scores[row * PAIRS + k * 32 + lane]);
        own[k].x -= slope * abs(query - column);
        own[k].y -= slope * abs(query - column - 1);
        most = fmaxf(most, fmaxf(own[k].x, own[k].y));
    }
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
#pragma unroll
    for (int k = 0; k < PAIRS / 32; k++) {
        own[k] = make_float2(__expf(own[k].x - most), __expf(own[k].y - most));
        sum += own[k].x + own[k].y;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    float part = 1.0f / sum;
#pragma unroll
    for (int k = 0; k < PAIRS / 32; k++) shares[row * PAIRS + k * 32 + lane] = to_halves(own[k].x * part, own[k].y * part);
}

__device__ float2 widened(unsigned pair)
{
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000));
}

#define CHANNELS 1280

// Numbers times their gates, scaled by the root of their mean square (a norm of state-space models). Rows have 1280 numbers in bf16, and a
// thread takes four at once. A block per row keeps the products in shared memory.
extern "C" __global__ void gated_norm_bf16(const uint2 *in, const uint2 *gates, const uint2 *gains, uint2 *out)
{
    __shared__ float4 row[CHANNELS / 4];
    __shared__ float parts[32];
    int start = blockIdx.x * (CHANNELS / 4);
    float squares = 0.0f;
    for (int k = threadIdx.x; k < CHANNELS / 4; k += blockDim.x) {
        uint2 values = in[start + k], gate = gates[start + k];
        float2 a = widened(values.x), b = widened(values.y), c = widened(gate.x), d = widened(gate.y);
        a.x *= c.x / (1.0f + __expf(-c.x));
        a.y *= c.y / (1.0f + __expf(-c.y));
        b.x *= d.x / (1.0f + __expf(-d.x));
        b.y *= d.y / (1.0f + __expf(-d.y));
        squares += a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y;
        row[k] = make_float4(a.x, a.y, b.x, b.y);
    }
    for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(~0u, squares, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
    __syncthreads();
    squares = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++) squares += parts[w];
    float scale = rsqrtf(squares / CHANNELS + 1e-5f);
    for (int k = threadIdx.x; k < CHANNELS / 4; k += blockDim.x) {
        uint2 gain = gains[k], result;
        float2 first = widened(gain.x), second = widened(gain.y);
        float4 own = row[k];
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result.x) : "f"(own.y * scale * first.y), "f"(own.x * scale * first.x));
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result.y) : "f"(own.w * scale * second.y), "f"(own.z * scale * second.x));
        out[start + k] = result;
    }
}

// One vector for each group of vectors: a weighted mean, where weights are a softmax of products with a query (attention pooling). Vectors
// have 64 numbers. A block per group: each warp joins some vectors, and the first warp joins what the warps have.
extern "C" __global__ void attention_pooling(const float2 *vectors, const int *starts, const float2 *query, float2 *out)
{
    __shared__ float2 sums[32][32], levels[32];
    int group = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float2 wanted = query[lane], sum = make_float2(0.0f, 0.0f);
    float most = -1e30f, total = 0.0f;
    for (int k = starts[group] + warp; k < starts[group + 1]; k += warps) {
        float2 own = vectors[k * 32 + lane];
        float score = own.x * wanted.x + own.y * wanted.y;
        for (int d = 16; d > 0; d /= 2) score += __shfl_xor_sync(~0u, score, d);
        float higher = fmaxf(most, score), old = __expf(most - higher), weight = __expf(score - higher);
        sum = make_float2(sum.x * old + own.x * weight, sum.y * old + own.y * weight);
        total = total * old + weight;
        most = higher;
    }
    sums[warp][lane] = sum;
    if (lane == 0) levels[warp] = make_float2(most, total);
    __syncthreads();
    if (warp > 0) return;
    for (int w = 0; w < warps; w++) most = fmaxf(most, levels[w].x);
    sum = make_float2(0.0f, 0.0f);
    total = 0.0f;
    for (int w = 0; w < warps; w++) {
        float weight = __expf(levels[w].x - most);
        sum = make_float2(sum.x + weight * sums[w][lane].x, sum.y + weight * sums[w][lane].y);
        total += weight * levels[w].y;
    }
    out[group * 32 + lane] = make_float2(sum.x / total, sum.y / total);
}

#define PARTS 16

// Distances of many compressed vectors to a query (product quantisation): a vector has a byte for each of 16 parts, and a table tells how
// far the query is from each of 256 choices of a part. The table is in shared memory.
extern "C" __global__ void pq_scan(const uint4 *codes, const float *tables, float *distances, int n)
{
    __shared__ float kept[PARTS * 256];
    for (int k = threadIdx.x; k < PARTS * 256; k += blockDim.x) kept[k] = tables[k];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 code = codes[i];
        const unsigned words[4] = {code.x, code.y, code.z, code.w};
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < PARTS; k++) sum += kept[k * 256 + (words[k / 4] >> k % 4 * 8 & 255)];
        distances[i] = sum;
    }
}

__device__ unsigned added(unsigned a, unsigned b, int scale_a, int scale_b, int zero)
{
    unsigned out = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int sum = (signed char)(a >> 8 * k) * scale_a + (signed char)(b >> 8 * k) * scale_b;
        int rounded = ((sum + (1 << 15)) >> 16) + zero;
        out |= (min(max(rounded, zero), 127) & 255) << 8 * k;
    }
    return out;
}

// Adds two layers of bytes with scales of their own, as 16.16 numbers, and takes zero instead of negative numbers. A thread has 16 bytes.
extern "C" __global__ void add_int8(const uint4 *a, const uint4 *b, uint4 *out, int scale_a, int scale_b, int zero, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 p = a[i], q = b[i];
    out[i] = make_uint4(added(p.x, q.x, scale_a, scale_b, zero), added(p.y, q.y, scale_a, scale_b, zero),
                        added(p.z, q.z, scale_a, scale_b, zero), added(p.w, q.w, scale_a, scale_b, zero));
}
