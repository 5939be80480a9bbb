// Compiled for compute_70.
// Dense algebra in other forms, and the layers of networks.

#define FULL 0xffffffffu

template <typename T, int SIDE>
__device__ void product(const T *a, const T *b, T *c, int n)
{
    __shared__ T left[SIDE][SIDE], right[SIDE][SIDE];
    int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    T sum = 0;
    for (int tile = 0; tile * SIDE < n; tile++) {
        int k = tile * SIDE;
        left[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : T(0);
        right[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : T(0);
        __syncthreads();
        for (int i = 0; i < SIDE; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void product_doubles(const double *a, const double *b, double *c, int n)
{
    product<double, 16>(a, b, c, n);
}

// 64 x 64 results per block of 256 threads, 4 x 4 per thread; n is a multiple of 64.
extern "C" __global__ void product_registers(const float *__restrict__ a, const float *__restrict__ b,
                                             float *__restrict__ c, int n)
{
    __shared__ float as[16][64], bs[16][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        int r = threadIdx.x / 4, q = threadIdx.x % 4 * 4;
        float4 part = *reinterpret_cast<const float4 *>(&a[(row + r) * n + k + q]);
        as[q][r] = part.x; as[q + 1][r] = part.y; as[q + 2][r] = part.z; as[q + 3][r] = part.w;
        *reinterpret_cast<float4 *>(&bs[ty][tx * 4]) =
            *reinterpret_cast<const float4 *>(&b[(k + ty) * n + column + tx * 4]);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 l = *reinterpret_cast<float4 *>(&as[i][ty * 4]);
            float4 m = *reinterpret_cast<float4 *>(&bs[i][tx * 4]);
            float x[4] = {l.x, l.y, l.z, l.w}, y[4] = {m.x, m.y, m.z, m.w};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int o = 0; o < 4; o++) sum[p][o] += x[p] * y[o];
        }
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        *reinterpret_cast<float4 *>(&c[(row + ty * 4 + p) * n + column + tx * 4]) =
            make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
}

// A warp per 16 x 16 results on tensor cores, from halves to floats; n is a multiple of 32.
extern "C" __global__ void product_halves(const unsigned short *a, const unsigned short *b, float *c, int n)
{
    int warp = threadIdx.x / 32;
    int row = (blockIdx.y * 2 + warp / 2) * 16, column = (blockIdx.x * 2 + warp % 2) * 16;
    float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 0; k < n; k += 16) {
        unsigned x[8], y[8];
        asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7])
                     : "l"(__cvta_generic_to_global(a + row * n + k)), "r"(n));
        asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                     : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]), "=r"(y[4]), "=r"(y[5]), "=r"(y[6]), "=r"(y[7])
                     : "l"(__cvta_generic_to_global(b + k * n + column)), "r"(n));
        asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
                     "{%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%0,%1,%2,%3,%4,%5,%6,%7};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
                       "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    }
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;"
                 :: "l"(__cvta_generic_to_global(c + row * n + column)), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]),
                    "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7]), "r"(n) : "memory");
}

// Factors of symmetric 16 x 16 matrices, a block of 32 threads each.
extern "C" __global__ void cholesky_small(const float *in, float *out)
{
    __shared__ float m[16][17];
    const float *from = in + blockIdx.x * 256;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) m[i / 16][i % 16] = from[i];
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        if (threadIdx.x == 0) m[k][k] = sqrtf(m[k][k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < 16; i += blockDim.x) m[i][k] /= m[k][k];
        __syncthreads();
        for (int i = threadIdx.x; i < 256; i += blockDim.x) {
            int r = i / 16, c = i % 16;
            if (c > k && r >= c) m[r][c] -= m[r][k] * m[c][k];
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        out[blockIdx.x * 256 + i] = i / 16 >= i % 16 ? m[i / 16][i % 16] : 0.0f;
}

// One step of LU without pivots: subtract column times row.
extern "C" __global__ void lu_update(double *m, int k, int n)
{
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) m[i * n + j] -= m[i * n + k] / m[k * n + k] * m[k * n + j];
}

struct Matrix4 {
    float m[16];
};

// Inverses of 4 x 4 matrices by Gauss-Jordan, a thread each.
extern "C" __global__ void invert_4x4(const Matrix4 *in, Matrix4 *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float a[4][8];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            a[r][c] = in[t].m[4 * r + c];
            a[r][c + 4] = r == c;
        }
#pragma unroll
    for (int p = 0; p < 4; p++) {
        float scale = 1.0f / a[p][p];
#pragma unroll
        for (int c = 0; c < 8; c++) a[p][c] *= scale;
#pragma unroll
        for (int r = 0; r < 4; r++) {
            if (r == p) continue;
            float f = a[r][p];
#pragma unroll
            for (int c = 0; c < 8; c++) a[r][c] -= f * a[p][c];
        }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) out[t].m[4 * r + c] = a[r][c + 4];
}

// Attention of one head of 64 numbers, a block of 128 threads per query.
extern "C" __global__ void attention(const float *q, const float *k, const float *v, float *out, int length)
{
    extern __shared__ float scores[];
    __shared__ float query[64], best[4], total[4];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < 64) query[t] = q[blockIdx.x * 64 + t] * 0.125f;
    __syncthreads();
    float most = -1e30f;
    for (int j = t; j < length; j += blockDim.x) {
        const float4 *key = reinterpret_cast<const float4 *>(k + j * 64);
        float dot = 0;
        for (int d = 0; d < 16; d++) {
            float4 part = key[d];
            dot += part.x * query[4 * d] + part.y * query[4 * d + 1] + part.z * query[4 * d + 2] + part.w * query[4 * d + 3];
        }
        scores[j] = dot;
        most = fmaxf(most, dot);
    }
    for (int m = 16; m; m >>= 1) most = fmaxf(most, __shfl_xor_sync(FULL, most, m));
    if (lane == 0) best[warp] = most;
    __syncthreads();
    most = fmaxf(fmaxf(best[0], best[1]), fmaxf(best[2], best[3]));
    float sum = 0;
    for (int j = t; j < length; j += blockDim.x) {
        float e = expf(scores[j] - most);
        scores[j] = e;
        sum += e;
    }
    for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(FULL, sum, m);
    if (lane == 0) total[warp] = sum;
    __syncthreads();
    sum = total[0] + total[1] + total[2] + total[3];
    if (t < 64) {
        float mix = 0;
        for (int j = 0; j < length; j++) mix += scores[j] * v[j * 64 + t];
        out[blockIdx.x * 64 + t] = mix / sum;
    }
}

// Softmax in one pass over 512 columns, a warp per row: maximum and sum are kept together.
extern "C" __global__ void softmax_online(const float *in, float *out, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float most = -1e30f, sum = 0;
    for (int c = lane; c < 512; c += 32) {
        float x = in[row * 512 + c], next = fmaxf(most, x);
        sum = sum * __expf(most - next) + __expf(x - next);
        most = next;
    }
    for (int m = 1; m < 32; m *= 2) {
        float other = __shfl_xor_sync(FULL, most, m), others = __shfl_xor_sync(FULL, sum, m);
        float next = fmaxf(most, other);
        sum = sum * __expf(most - next) + others * __expf(other - next);
        most = next;
    }
    for (int c = lane; c < 512; c += 32) out[row * 512 + c] = __expf(in[row * 512 + c] - most) / sum;
}

// Normalise, shift and clip planes of channels; a plane of blocks for each.
extern "C" __global__ void batch_norm(const float *in, const float *mean, const float *var, const float *gamma,
                                      const float *beta, float *out, int pixels, int channels)
{
    int c = blockIdx.y;
    int at = (blockIdx.z * channels + c) * pixels;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        float y = (in[at + i] - mean[c]) / sqrtf(var[c] + 1e-5f) * gamma[c] + beta[c];
        out[at + i] = y > 0 ? y : 0;
    }
}

// 3 x 3 over 16 channels to one of several filters per plane of blocks.
extern "C" __global__ void conv_channels(const float *in, const float *weights, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int filter = blockIdx.z;
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int c = 0; c < 16; c++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int sx = x + dx, sy = y + dy;
                if (sx >= 0 && sx < n && sy >= 0 && sy < n)
                    sum += in[(c * n + sy) * n + sx] * weights[(filter * 16 + c) * 9 + (dy + 1) * 3 + dx + 1];
            }
    out[(filter * n + y) * n + x] = sum;
}

// Each of the channels, last in memory, with its own 3 x 3 filter.
extern "C" __global__ void depthwise(const float *__restrict__ in, const float *__restrict__ weights,
                                     float *__restrict__ out, int n, int channels)
{
    int c = threadIdx.x;
    int x = blockIdx.x % n, y = blockIdx.x / n;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
        if (sx < 0 || sy < 0 || sx >= n || sy >= n) continue;
        sum += in[(sy * n + sx) * channels + c] * weights[k * channels + c];
    }
    out[(y * n + x) * channels + c] = fminf(fmaxf(sum, 0.0f), 6.0f);
}

extern "C" __global__ void max_pool(const float *in, float *out, int width, int height, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int ow = width / 2, oh = height / 2;
    int x = i % ow, y = i / ow % oh, plane = i / (ow * oh);
    const float *p = in + (plane * height + 2 * y) * width + 2 * x;
    out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}

// Patches of 3 x 3 as columns of a matrix, with zeros beyond the border.
extern "C" __global__ void im2col(const float *image, float *columns, int n, int channels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * n * n) return;
    int x = i % n, y = i / n % n, c = i / (n * n);
    float *to = columns + (size_t)c * 9 * n * n + y * n + x;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            int sx = x + kx - 1, sy = y + ky - 1;
            bool inside = sx >= 0 && sy >= 0 && sx < n && sy < n;
            *to = inside ? image[(c * n + sy) * n + sx] : 0.0f;
            to += n * n;
        }
}

// Sums of 20 rows of a table for each bag; rows have 64 numbers.
extern "C" __global__ void embedding_bags(const float *table, const int *words, float *out, int bags)
{
    int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags) return;
    float sum = 0;
    for (int w = 0; w < 20; w++) {
        int word = words[bag * 20 + w];
        if (word >= 0) sum += table[(size_t)word * 64 + threadIdx.x];
    }
    out[bag * 64 + threadIdx.x] = sum;
}

// Rows of 1024 floats to bytes, scaled by their largest.
extern "C" __global__ void quantise_rows(const float4 *in, char4 *out, float *scales)
{
    __shared__ float most;
    __shared__ float warps[32];
    float4 x = in[blockIdx.x * 256 + threadIdx.x];
    float m = fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
    for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_down_sync(FULL, m, d));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) m = fmaxf(m, warps[w]);
        most = m;
        scales[blockIdx.x] = m / 127.0f;
    }
    __syncthreads();
    float s = 127.0f / most;
    out[blockIdx.x * 256 + threadIdx.x] =
        make_char4(__float2int_rn(x.x * s), __float2int_rn(x.y * s), __float2int_rn(x.z * s), __float2int_rn(x.w * s));
}

// The tanh form of GELU after a bias, four numbers at once.
extern "C" __global__ void gelu_bias(float4 *x, const float4 *bias, int columns, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 a = x[i], b = bias[i % columns];
        float *v = &a.x;
        const float *w = &b.x;
        for (int k = 0; k < 4; k++) {
            float y = v[k] + w[k];
            v[k] = 0.5f * y * (1.0f + tanhf(0.79788456f * (y + 0.044715f * y * y * y)));
        }
        x[i] = a;
    }
}
