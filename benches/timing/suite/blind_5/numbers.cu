// Compiled for compute_70.
// Polynomials, random paths, prices, hashes, ciphers, transforms, small sorts.

// A series of Chebyshev polynomials in double precision, by Clenshaw's rule.
extern "C" __global__ void chebyshev_series(const double *x, const double *coefficients, double *y, int many, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double t = 2.0 * x[i] - 1.0, a = 0.0, b = 0.0;
    for (int k = many - 1; k > 0; k--) {
        double next = 2.0 * t * a - b + coefficients[k];
        b = a;
        a = next;
    }
    y[i] = t * a - b + coefficients[0];
}

// A polynomial of degree eight in half precision, two numbers at once.
extern "C" __global__ void horner_halves(const unsigned *x, const unsigned *coefficients, unsigned *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = x[i], sum = coefficients[8];
#pragma unroll
    for (int k = 7; k >= 0; k--) asm("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(sum) : "r"(at), "r"(coefficients[k]));
    y[i] = sum;
}

__device__ float uniform(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return ((state >> 8) + 0.5f) / 16777216.0f;
}

// An option on the mean of a price: a random path each, normal numbers by Box and Muller.
extern "C" __global__ void asian_paths(float *payoff, float strike, float drift, float spread, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = (i + 1) * 2654435769u;
    float price = 100.0f, sum = 0.0f;
    for (int t = 0; t < steps; t++) {
        float radius = sqrtf(-2.0f * logf(uniform(state)));
        price *= expf(drift + spread * radius * cosf(6.2831853f * uniform(state)));
        sum += price;
    }
    payoff[i] = fmaxf(sum / steps - strike, 0.0f);
}

// Which volatility explains the price of an option? Newton's method on Black and Scholes' formula.
extern "C" __global__ void implied_volatility(const float *strike, const float *years, const float *paid, float *volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float k = strike[i], t = years[i], root = sqrtf(t), later = k * expf(-0.02f * t), v = 0.3f;
    for (int round = 0; round < 12; round++) {
        float d = (logf(100.0f / k) + (0.02f + 0.5f * v * v) * t) / (v * root);
        float miss = 100.0f * normcdff(d) - later * normcdff(d - v * root) - paid[i];
        if (fabsf(miss) < 1e-3f) break;
        float slope = 39.894228f * root * expf(-0.5f * d * d);
        v = fminf(fmaxf(v - miss / fmaxf(slope, 1.0f), 0.02f), 3.0f);
    }
    volatility[i] = v;
}

__device__ float mirrored(unsigned i, unsigned base)
{
    float value = 0.0f, digit = 1.0f;
    for (; i > 0; i /= base) {
        digit /= base;
        value += digit * (i % base);
    }
    return value;
}

// Halton's points, spread evenly in a cube: digits in base 2, 3 and 5, mirrored.
extern "C" __global__ void halton_points(float *points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    points[3 * i] = mirrored(i + 1, 2);
    points[3 * i + 1] = mirrored(i + 1, 3);
    points[3 * i + 2] = mirrored(i + 1, 5);
}

__constant__ unsigned sines[64] = {0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
                                   0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
                                   0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
                                   0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
                                   0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
                                   0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
                                   0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
                                   0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
__constant__ int turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

// MD5 of blocks of 64 bytes, one a thread.
extern "C" __global__ void md5_blocks(const unsigned *text, uint4 *digest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned m[16], a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
    for (int k = 0; k < 16; k++) m[k] = text[k * n + i];
#pragma unroll
    for (int k = 0; k < 64; k++) {
        unsigned f = k < 16 ? (b & c) | (~b & d) : k < 32 ? (d & b) | (~d & c) : k < 48 ? b ^ c ^ d : c ^ (b | ~d);
        int g = k < 16 ? k : k < 32 ? (5 * k + 1) % 16 : k < 48 ? (3 * k + 5) % 16 : 7 * k % 16;
        unsigned sum = a + f + sines[k] + m[g];
        int turn = turns[k / 16 * 4 + k % 4];
        a = d;
        d = c;
        c = b;
        b += sum << turn | sum >> (32 - turn);
    }
    digest[i] = make_uint4(a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476);
}

// RC4: every thread has its own key and its own 256 bytes, and writes 64 bytes of its stream.
extern "C" __global__ void rc4_streams(const unsigned char *keys, unsigned *stream, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= n) return;
    unsigned char s[256];
    for (int k = 0; k < 256; k++) s[k] = k;
    for (int k = 0, j = 0; k < 256; k++) {
        unsigned char kept = s[k];
        j = (j + kept + keys[16 * thread + k % 16]) & 255;
        s[k] = s[j];
        s[j] = kept;
    }
    int i = 0, j = 0;
    for (int w = 0; w < 16; w++) {
        unsigned four = 0;
        for (int k = 0; k < 4; k++) {
            i = (i + 1) & 255;
            unsigned char a = s[i];
            j = (j + a) & 255;
            unsigned char b = s[j];
            s[i] = b;
            s[j] = a;
            four = four << 8 | s[(a + b) & 255];
        }
        stream[w * n + thread] = four;
    }
}

// Fourier transforms of 32 complex numbers: a warp each, a number per lane.
extern "C" __global__ void fft_warps(const float2 *in, float2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i / 32 >= n) return;
    float2 v = in[i];
    for (int half = 16; half > 0; half /= 2) {
        float x = __shfl_xor_sync(~0u, v.x, half), y = __shfl_xor_sync(~0u, v.y, half), s, c;
        if (lane & half) {
            x -= v.x;
            y -= v.y;
            __sincosf(-3.14159265f * (lane & (half - 1)) / half, &s, &c);
            v = make_float2(x * c - y * s, x * s + y * c);
        } else {
            v = make_float2(v.x + x, v.y + y);
        }
    }
    out[i - lane + (__brev(lane) >> 27)] = v;
}

__device__ float2 normal(float high, float low)
{
    float sum = __fadd_rn(high, low);
    return make_float2(sum, __fsub_rn(low, __fsub_rn(sum, high)));
}

// A polynomial in pairs of floats, which together have nearly the digits of a double.
extern "C" __global__ void pair_polynomial(const float *x, const float2 *coefficients, float2 *y, int degree, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = x[i];
    float2 sum = coefficients[degree];
    for (int k = degree - 1; k >= 0; k--) {
        float high = __fmul_rn(sum.x, t), low = __fmaf_rn(sum.x, t, -high);
        low = __fmaf_rn(sum.y, t, low);
        float2 c = coefficients[k];
        float all = __fadd_rn(c.x, high), part = __fsub_rn(all, c.x);
        float lost = __fadd_rn(__fsub_rn(c.x, __fsub_rn(all, part)), __fsub_rn(high, part));
        sum = normal(all, __fadd_rn(__fadd_rn(lost, low), c.y));
    }
    y[i] = sum;
}

// Sorts 24 numbers a thread by insertion, in local memory.
extern "C" __global__ void insertion_sorts(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float list[24];
    for (int k = 0; k < 24; k++) {
        float value = in[k * n + i];
        int at = k;
        for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
        list[at] = value;
    }
    for (int k = 0; k < 24; k++) out[k * n + i] = list[k];
}
