// Compiled for compute_70.
// Linear algebra, number theory, codes and counting.

typedef unsigned long long u64;

// A matrix of diagonals times a vector.
extern "C" __global__ void diagonal_product(const double *values, const int *offsets, const double *x, double *y, int diagonals, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0.0;
    for (int d = 0; d < diagonals; d++) {
        int column = row + offsets[d];
        if (column >= 0 && column < n) sum += values[d * n + row] * x[column];
    }
    y[row] = sum;
}

// Blocks of 4 x 4 in compressed rows: four threads per block row.
extern "C" __global__ void block_rows_product(const int *starts, const int *columns, const float4 *values, const float4 *x,
                                              float *y, int rows)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int row = t / 4, part = t % 4;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int e = starts[row]; e < starts[row + 1]; e++) {
        float4 a = values[4 * e + part], v = x[columns[e]];
        sum += a.x * v.x + a.y * v.y + a.z * v.z + a.w * v.w;
    }
    y[t] = sum;
}

// Eigenvalues of symmetric 3 x 3 matrices by Jacobi's rotations.
extern "C" __global__ void eigenvalues_3x3(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a[3][3];
    a[0][0] = in[6 * i]; a[1][1] = in[6 * i + 1]; a[2][2] = in[6 * i + 2];
    a[0][1] = a[1][0] = in[6 * i + 3];
    a[0][2] = a[2][0] = in[6 * i + 4];
    a[1][2] = a[2][1] = in[6 * i + 5];
    for (int sweep = 0; sweep < 5; sweep++)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2, r = 3 - p - q;
            if (fabsf(a[p][q]) < 1e-9f) continue;
            float theta = (a[q][q] - a[p][p]) / (2.0f * a[p][q]);
            float t = copysignf(1.0f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1.0f));
            float c = 1.0f / sqrtf(t * t + 1.0f), s = t * c, pq = a[p][q], pr = a[p][r], qr = a[q][r];
            a[p][p] -= t * pq;
            a[q][q] += t * pq;
            a[p][q] = a[q][p] = 0.0f;
            a[p][r] = a[r][p] = c * pr - s * qr;
            a[q][r] = a[r][q] = s * pr + c * qr;
        }
    out[3 * i] = a[0][0];
    out[3 * i + 1] = a[1][1];
    out[3 * i + 2] = a[2][2];
}

// Q and R of 8 x 8 matrices by Householder's reflections: a thread each, rows in local memory.
extern "C" __global__ void householder_8x8(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[8][8];
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) m[r][c] = in[(r * 8 + c) * n + i];
    for (int k = 0; k < 7; k++) {
        float norm = 0;
        for (int r = k; r < 8; r++) norm += m[r][k] * m[r][k];
        norm = sqrtf(norm);
        float alpha = m[k][k] > 0 ? -norm : norm;
        float v[8], length = 0;
        for (int r = k; r < 8; r++) {
            v[r] = m[r][k] - (r == k ? alpha : 0);
            length += v[r] * v[r];
        }
        if (length == 0) continue;
        for (int c = k; c < 8; c++) {
            float dot = 0;
            for (int r = k; r < 8; r++) dot += v[r] * m[r][c];
            dot *= 2 / length;
            for (int r = k; r < 8; r++) m[r][c] -= dot * v[r];
        }
    }
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) out[(r * 8 + c) * n + i] = c >= r ? m[r][c] : 0;
}

// Many products of 8 x 8 matrices: 64 threads each, a block has several.
extern "C" __global__ void small_products(const double *a, const double *b, double *c, int many)
{
    extern __shared__ double tiles[];
    int slot = threadIdx.x / 64, t = threadIdx.x % 64, row = t / 8, column = t % 8;
    int which = blockIdx.x * (blockDim.x / 64) + slot;
    double *left = tiles + 128 * slot, *right = left + 64;
    if (which < many) {
        left[t] = a[which * 64 + t];
        right[t] = b[which * 64 + t];
    }
    __syncthreads();
    if (which >= many) return;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += left[row * 8 + k] * right[k * 8 + column];
    c[which * 64 + t] = sum;
}

// The lower triangle of A times its transpose; blocks above the diagonal leave at once.
extern "C" __global__ void rank_k_lower(const float *a, float *c, int n, int k)
{
    const int T = 32;
    if (blockIdx.x > blockIdx.y) return;
    __shared__ float p[T][T + 1], q[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    int other = blockIdx.x * T + threadIdx.y;
    float sum[4] = {};
    for (int base = 0; base < k; base += T) {
        for (int i = 0; i < T; i += 8) {
            p[threadIdx.y + i][threadIdx.x] = row + i < n ? a[(row + i) * k + base + threadIdx.x] : 0.0f;
            q[threadIdx.y + i][threadIdx.x] = other + i < n ? a[(other + i) * k + base + threadIdx.x] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < T; j++) {
            float right = q[threadIdx.x][j];
            for (int i = 0; i < 4; i++) sum[i] += p[threadIdx.y + 8 * i][j] * right;
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        if (row + 8 * i < n && column <= row + 8 * i) c[(row + 8 * i) * n + column] = sum[i];
}

// Lower triangular systems of order 64: a block each, column by column.
extern "C" __global__ void lower_solves(const float *matrices, const float *right, float *x)
{
    __shared__ float b[64], pivot;
    const float *m = matrices + blockIdx.x * 64 * 64;
    int t = threadIdx.x;
    b[t] = right[blockIdx.x * 64 + t];
    for (int k = 0; k < 64; k++) {
        __syncthreads();
        if (t == k) {
            pivot = b[k] / m[k * 64 + k];
            b[k] = pivot;
        }
        __syncthreads();
        if (t > k) b[t] -= m[t * 64 + k] * pivot;
    }
    x[blockIdx.x * 64 + t] = b[t];
}

// A += x yT, four columns per thread.
extern "C" __global__ void outer_update(const float *__restrict__ x, const float4 *__restrict__ y, float4 *a, int quads, int rows)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (q >= quads || r >= rows) return;
    float s = x[r];
    float4 v = y[q], m = a[r * quads + q];
    a[r * quads + q] = make_float4(m.x + s * v.x, m.y + s * v.y, m.z + s * v.z, m.w + s * v.w);
}

#define QUARTER(a, b, c, d) \
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 16); \
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 12); \
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 8); \
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 7);

// ChaCha20: 64 bytes of stream per thread, added to the text.
extern "C" __global__ void chacha_stream(const uint4 *text, uint4 *out, const unsigned *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned in[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}, s[16];
#pragma unroll
    for (int k = 0; k < 8; k++) in[4 + k] = key[k];
    in[12] = i;
    in[13] = key[8]; in[14] = key[9]; in[15] = key[10];
#pragma unroll
    for (int k = 0; k < 16; k++) s[k] = in[k];
    for (int round = 0; round < 10; round++) {
        QUARTER(s[0], s[4], s[8], s[12]) QUARTER(s[1], s[5], s[9], s[13])
        QUARTER(s[2], s[6], s[10], s[14]) QUARTER(s[3], s[7], s[11], s[15])
        QUARTER(s[0], s[5], s[10], s[15]) QUARTER(s[1], s[6], s[11], s[12])
        QUARTER(s[2], s[7], s[8], s[13]) QUARTER(s[3], s[4], s[9], s[14])
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint4 t = text[4 * i + k];
        out[4 * i + k] = make_uint4(t.x ^ (s[4 * k] + in[4 * k]), t.y ^ (s[4 * k + 1] + in[4 * k + 1]),
                                    t.z ^ (s[4 * k + 2] + in[4 * k + 2]), t.w ^ (s[4 * k + 3] + in[4 * k + 3]));
    }
}

// Parity bytes of a Reed-Solomon code: products in GF(256) by tables of logarithms in shared memory.
extern "C" __global__ void reed_solomon(const unsigned char *data, const unsigned char *tables, unsigned char *parity, int stripes)
{
    __shared__ unsigned char log[256], power[512];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        log[i] = tables[i];
        power[i] = tables[256 + i];
        power[i + 255] = tables[256 + i];
    }
    __syncthreads();
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= stripes) return;
    unsigned char sum[4] = {0, 0, 0, 0};
    for (int d = 0; d < 10; d++) {
        unsigned char byte = data[d * stripes + s];
        if (byte)
#pragma unroll
            for (int p = 0; p < 4; p++) sum[p] ^= power[log[byte] + (d * (p + 1)) % 255];
    }
#pragma unroll
    for (int p = 0; p < 4; p++) parity[p * stripes + s] = sum[p];
}

// A stage of a transform modulo 998244353.
extern "C" __global__ void modular_butterflies(unsigned *x, const unsigned *roots, int half, int n)
{
    const u64 M = 998244353;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int k = t % half, at = (t / half) * 2 * half + k;
    unsigned a = x[at], b = (u64)x[at + half] * roots[k] % M;
    unsigned sum = a + b, difference = a + (unsigned)M - b;
    x[at] = sum >= M ? sum - (unsigned)M : sum;
    x[at + half] = difference >= M ? difference - (unsigned)M : difference;
}

// Products of 256-bit numbers, limbs of 32 bits.
extern "C" __global__ void long_products(const unsigned *a, const unsigned *b, unsigned *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x[8], y[8], z[16] = {};
    for (int k = 0; k < 8; k++) {
        x[k] = a[k * n + i];
        y[k] = b[k * n + i];
    }
#pragma unroll
    for (int j = 0; j < 8; j++) {
        u64 carry = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            u64 now = (u64)x[j] * y[k] + z[j + k] + carry;
            z[j + k] = (unsigned)now;
            carry = now >> 32;
        }
        z[j + 8] = (unsigned)carry;
    }
    for (int k = 0; k < 16; k++) c[k * n + i] = z[k];
}

// A row of the knapsack's table: with item or without.
extern "C" __global__ void knapsack_row(const int *before, int *after, int weight, int value, int capacity)
{
    int room = blockIdx.x * blockDim.x + threadIdx.x;
    if (room > capacity) return;
    int best = before[room];
    if (room >= weight) best = max(best, before[room - weight] + value);
    after[room] = best;
}

// Points in the order of Hilbert's curve.
extern "C" __global__ void hilbert_codes(const ushort2 *points, unsigned *codes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = points[i].x, y = points[i].y, code = 0;
    for (unsigned s = 1u << 15; s > 0; s >>= 1) {
        unsigned rx = (x & s) > 0, ry = (y & s) > 0;
        code += s * s * ((3 * rx) ^ ry);
        if (ry == 0) {
            if (rx == 1) {
                x = s - 1 - x;
                y = s - 1 - y;
            }
            unsigned t = x; x = y; y = t;
        }
    }
    codes[i] = code;
}

// 32 x 32 bits transposed, a matrix per warp, by ballots.
extern "C" __global__ void transpose_bits(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = i < n ? in[i] : 0, mine = 0;
    for (int bit = 0; bit < 32; bit++) {
        unsigned column = __ballot_sync(0xffffffffu, row >> bit & 1);
        if ((threadIdx.x & 31) == bit) mine = column;
    }
    if (i < n) out[i] = mine;
}

// The density of the gamma distribution, by its logarithm.
extern "C" __global__ void gamma_density(const float *x, float *density, float shape, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    density[i] = expf((shape - 1.0f) * logf(v) - v / scale - lgammaf(shape + 0.1f * v) - shape * logf(scale)) + erfcf(v);
}

// Legendre polynomials up to an order, of doubles, by recurrence.
extern "C" __global__ void legendre_sums(const double *x, const double *weights, double *out, int order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double v = 2.0 * x[i] - 1.0, before = 1.0, now = v, sum = weights[0] + weights[1] * v;
    for (int k = 2; k < order; k++) {
        double next = ((2 * k - 1) * v * now - (k - 1) * before) / k;
        before = now;
        now = next;
        sum += weights[k] * now;
    }
    out[i] = sum;
}
