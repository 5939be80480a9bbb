// Arithmetic: fractals, integers, bits, random numbers, mixed precision, local arrays.
// Compiled for compute_70.

extern "C" __global__ void mandelbrot(int *out, int width, int height, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float cx = -2.2f + 3.0f * x / width, cy = -1.5f + 3.0f * y / height, zx = 0.0f, zy = 0.0f;
    int steps = 0;
    while (steps < most && zx * zx + zy * zy < 4.0f) {
        float next = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = next;
        steps++;
    }
    out[y * width + x] = steps;
}

extern "C" __global__ void collatz(int *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long value = i + 1;
        int count = 0;
        while (value != 1) {
            value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            count++;
        }
        steps[i] = count;
    }
}

extern "C" __global__ void digit_sums(const unsigned *in, unsigned *out, unsigned base, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned value = in[i], sum = 0;
        while (value > 0) {
            sum += value % base;
            value /= base;
        }
        out[i] = sum;
    }
}

extern "C" __global__ void gcd_pairs(const unsigned *a, const unsigned *b, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = a[i], y = b[i];
        while (y != 0) {
            unsigned rest = x % y;
            x = y;
            y = rest;
        }
        out[i] = x;
    }
}

extern "C" __global__ void waves(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s, c;
        sincosf(in[i], &s, &c);
        out[i] = s * expf(-c) + c * expf(-s);
    }
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years,
                                         float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
        float d1 = (logf(s / k) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root);
        float d2 = d1 - 0.3f * root;
        float n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f);
        float worth = k * expf(-0.02f * t);
        call[i] = s * n1 - worth * n2;
        put[i] = worth * (1.0f - n2) - s * (1.0f - n1);
    }
}

extern "C" __global__ void hamming(const uint2 *a, const uint2 *b, int *out, int words, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bits = 0;
        for (int word = 0; word < words; word++) {
            uint2 x = a[word * n + i], y = b[word];
            bits += __popc(x.x ^ y.x) + __popc(x.y ^ y.y);
        }
        out[i] = bits;
    }
}

__device__ unsigned spread(unsigned x)
{
    x &= 0x3ff;
    x = (x | x << 16) & 0x30000ff;
    x = (x | x << 8) & 0x300f00f;
    x = (x | x << 4) & 0x30c30c3;
    return (x | x << 2) & 0x9249249;
}

extern "C" __global__ void morton_codes(const float *x, const float *y, const float *z, unsigned *codes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned cx = x[i] * 1023.0f, cy = y[i] * 1023.0f, cz = z[i] * 1023.0f;
        codes[i] = spread(cx) | spread(cy) << 1 | spread(cz) << 2;
    }
}

extern "C" __global__ void bit_reverse(const float *in, float *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

// CRC-32 of messages of 64 bytes, with the table in constant memory.
__constant__ unsigned crc_table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

extern "C" __global__ void crc32(const unsigned char *messages, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned crc = 0xffffffff;
        for (int k = 0; k < 64; k++) {
            crc ^= messages[i * 64 + k];
            crc = crc >> 4 ^ crc_table[crc & 15];
            crc = crc >> 4 ^ crc_table[crc & 15];
        }
        out[i] = ~crc;
    }
}

extern "C" __global__ void xorshift_fill(unsigned *state, unsigned *out, int each, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = state[i];
        for (int k = 0; k < each; k++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            out[k * n + i] = x;
        }
        state[i] = x;
    }
}

extern "C" __global__ void philox_normal(float2 *out, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned c0 = i, c1 = 0, c2 = 0, c3 = 0, k0 = seed, k1 = 0x1234567;
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xd2511f53, c0), low0 = 0xd2511f53 * c0;
        unsigned high1 = __umulhi(0xcd9e8d57, c2), low1 = 0xcd9e8d57 * c2;
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    float u = (c0 + 0.5f) * 2.3283064e-10f, v = (c1 + 0.5f) * 2.3283064e-10f, s, c;
    float radius = sqrtf(-2.0f * logf(u));
    sincospif(2.0f * v, &s, &c);
    out[i] = make_float2(radius * c, radius * s);
}

extern "C" __global__ void monte_carlo_pi(unsigned *hits, int tries)
{
    __shared__ unsigned sum;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, inside = 0;
    unsigned long long state = i * 0x9e3779b97f4a7c15ull + 1;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    for (int k = 0; k < tries; k++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        float x = (unsigned)(state >> 40) * (1.0f / 16777216.0f);
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        float y = (unsigned)(state >> 40) * (1.0f / 16777216.0f);
        inside += x * x + y * y < 1.0f;
    }
    atomicAdd(&sum, inside);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(hits, sum);
    }
}

extern "C" __global__ void option_paths(float *payoff, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = i * 747796405u + 1u;
        float price = 100.0f, sum = 0.0f;
        for (int k = 0; k < steps; k++) {
            float noise = -2.0f;
            for (int part = 0; part < 4; part++) {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
                noise += x * 2.3283064e-10f;
            }
            price *= __expf(0.0001f + 0.02f * noise);
            sum += price;
        }
        payoff[i] = fmaxf(sum / steps - 100.0f, 0.0f);
    }
}

// y = a x + y in pairs of halves.
extern "C" __global__ void half2_axpy(const unsigned *x, unsigned *y, unsigned a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned sum;
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(x[i]), "r"(y[i]));
        y[i] = sum;
    }
}

extern "C" __global__ void half_to_float(const unsigned short *in, float *out, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(in[i]));
        out[i] = value * scale;
    }
}

extern "C" __global__ void dot_int8(const int *a, const int *b, int *out, int words, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int sum = 0;
        for (int k = 0; k < words; k++) {
            asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a[k * n + i]), "r"(b[k]));
        }
        out[i] = sum;
    }
}

extern "C" __global__ void kmeans_assign(const float2 *points, const float2 *centres, int *nearest, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = points[i];
        float best = 1e30f;
        int which = 0;
        for (int c = 0; c < k; c++) {
            float dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
            if (d < best) {
                best = d;
                which = c;
            }
        }
        nearest[i] = which;
    }
}

#define ROTATE(x, by) ((x) >> (by) | (x) << (32 - (by)))

// Rounds like those of SHA-256 on 16 words per thread, the schedule in a ring.
extern "C" __global__ void sha_rounds(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned w[16];
    for (int k = 0; k < 16; k++) {
        w[k] = in[k * n + i];
    }
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        unsigned word = w[k % 16];
        unsigned t1 = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g)) + word + 0x428a2f98 * k;
        unsigned t2 = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
        unsigned w1 = w[(k + 1) % 16], w14 = w[(k + 14) % 16];
        w[k % 16] = word + (ROTATE(w1, 7) ^ ROTATE(w1, 18) ^ w1 >> 3) + w[(k + 9) % 16] +
                    (ROTATE(w14, 17) ^ ROTATE(w14, 19) ^ w14 >> 10);
    }
    out[i] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

// Sixteen counters of a thread's own, indexed by the data.
extern "C" __global__ void local_histogram(const unsigned char *in, int *out, int each, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    int counts[16];
    for (int k = 0; k < 16; k++) {
        counts[k] = 0;
    }
    for (int k = 0; k < each; k++) {
        counts[in[k * n + i] % 16]++;
    }
    int best = 0;
    for (int k = 1; k < 16; k++) {
        if (counts[k] > counts[best]) {
            best = k;
        }
    }
    out[i] = best;
}

// Every thread sorts 64 keys of its own with a heap.
extern "C" __global__ void heap_sort_local(const unsigned *in, unsigned *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) {
        return;
    }
    unsigned heap[64];
    for (int k = 0; k < 64; k++) {
        heap[k] = in[k * n + t];
    }
    for (int round = 32 + 63; round > 0; round--) {
        int root = round > 63 ? round - 64 : 0, end = round > 63 ? 64 : round;
        if (round <= 63) {
            unsigned top = heap[0];
            heap[0] = heap[round];
            heap[round] = top;
        }
        while (2 * root + 1 < end) {
            int child = 2 * root + 1;
            if (child + 1 < end && heap[child + 1] > heap[child]) {
                child++;
            }
            if (heap[root] >= heap[child]) {
                break;
            }
            unsigned top = heap[root];
            heap[root] = heap[child];
            heap[child] = top;
            root = child;
        }
    }
    for (int k = 0; k < 64; k++) {
        out[k * n + t] = heap[k];
    }
}

// The median of the 7 x 7 neighbours: an insertion sort in local memory.
extern "C" __global__ void median_7x7(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3) {
        return;
    }
    unsigned char window[49];
    int count = 0;
#pragma unroll 1
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            unsigned char value = in[(y + dy) * width + x + dx];
            int k = count++;
            while (k > 0 && window[k - 1] > value) {
                window[k] = window[k - 1];
                k--;
            }
            window[k] = value;
        }
    }
    out[y * width + x] = window[24];
}

// Solves a system of 8 equations per thread, with pivoting.
extern "C" __global__ void solve_local(const float *matrices, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) {
        return;
    }
    float a[8][9];
    for (int row = 0; row < 8; row++) {
        for (int column = 0; column < 9; column++) {
            a[row][column] = matrices[(row * 9 + column) * n + t];
        }
    }
    for (int step = 0; step < 8; step++) {
        int pivot = step;
        for (int row = step + 1; row < 8; row++) {
            if (fabsf(a[row][step]) > fabsf(a[pivot][step])) {
                pivot = row;
            }
        }
        for (int column = step; column < 9; column++) {
            float top = a[step][column];
            a[step][column] = a[pivot][column];
            a[pivot][column] = top;
        }
        for (int row = step + 1; row < 8; row++) {
            float factor = a[row][step] / a[step][step];
            for (int column = step; column < 9; column++) {
                a[row][column] -= factor * a[step][column];
            }
        }
    }
    for (int row = 7; row >= 0; row--) {
        float sum = a[row][8];
        for (int column = row + 1; column < 8; column++) {
            sum -= a[row][column] * out[column * n + t];
        }
        out[row * n + t] = sum / a[row][row];
    }
}

extern "C" __global__ void lookup_palette(const unsigned *index, const float *palette, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = palette[index[i]];
    }
}
