// Compiled for compute_70.
// Physics, statistics, random numbers, vectors, splines, transforms, powers.

// Forces that keep the angles of molecules: each angle is of three atoms and of a kind, and pulls at all three.
extern "C" __global__ void bond_angles(const int4 *angles, const float4 *atoms, const float2 *kinds, float *forces, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int4 angle = angles[i];
    float4 p = atoms[angle.x], o = atoms[angle.y], q = atoms[angle.z];
    float2 kind = kinds[angle.w];
    float ux = p.x - o.x, uy = p.y - o.y, uz = p.z - o.z, vx = q.x - o.x, vy = q.y - o.y, vz = q.z - o.z;
    float u = rsqrtf(ux * ux + uy * uy + uz * uz + 1e-3f), v = rsqrtf(vx * vx + vy * vy + vz * vz + 1e-3f);
    ux *= u; uy *= u; uz *= u;
    vx *= v; vy *= v; vz *= v;
    float cosine = ux * vx + uy * vy + uz * vz, pull = kind.x * (kind.y - cosine);
    u *= pull;
    v *= pull;
    float px = u * (vx - cosine * ux), py = u * (vy - cosine * uy), pz = u * (vz - cosine * uz);
    float qx = v * (ux - cosine * vx), qy = v * (uy - cosine * vy), qz = v * (uz - cosine * vz);
    atomicAdd(&forces[3 * angle.x], px);
    atomicAdd(&forces[3 * angle.x + 1], py);
    atomicAdd(&forces[3 * angle.x + 2], pz);
    atomicAdd(&forces[3 * angle.z], qx);
    atomicAdd(&forces[3 * angle.z + 1], qy);
    atomicAdd(&forces[3 * angle.z + 2], qz);
    atomicAdd(&forces[3 * angle.y], -px - qx);
    atomicAdd(&forces[3 * angle.y + 1], -py - qy);
    atomicAdd(&forces[3 * angle.y + 2], -pz - qz);
}

// How likely is a value at least as far from zero by chance? Student's distribution by a continued fraction (Lentz), as many terms as it
// takes.
extern "C" __global__ void student_tails(const float *values, const unsigned *degrees, float *chances, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float square = values[i] * values[i], many = degrees[i], a = 0.5f * many, b = 0.5f;
    float x = many / (many + square), rest = square / (many + square);
    bool turned = x > (a + 1.0f) / (a + b + 2.0f);
    if (turned) {
        float other = a;
        a = b;
        b = other;
        other = x;
        x = rest;
        rest = other;
    }
    float c = 1.0f, d = 1.0f / (1.0f - (a + b) * x / (a + 1.0f)), sum = d;
    for (int m = 1; m < 200; m++) {
        float term = m * (b - m) * x / ((a - 1.0f + 2 * m) * (a + 2 * m));
        d = 1.0f / (1.0f + term * d);
        c = 1.0f + term / c;
        sum *= c * d;
        term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 1.0f + 2 * m));
        d = 1.0f / (1.0f + term * d);
        c = 1.0f + term / c;
        sum *= c * d;
        if (fabsf(c * d - 1.0f) < 2e-6f) break;
    }
    float part = expf(lgammaf(a + b) - lgammaf(a) - lgammaf(b) + a * logf(x) + b * logf(rest)) / a * sum;
    chances[i] = turned ? 1.0f - part : part;
}

// How is a body turned? Adds up the readings of a gyroscope as quaternions. The readings of a step lie side by side for all bodies.
extern "C" __global__ void attitude_steps(const float *rates, float4 *turned, float half, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 q = turned[i];
    for (int s = 0; s < steps; s++) {
        float x = half * rates[3 * s * n + i], y = half * rates[(3 * s + 1) * n + i], z = half * rates[(3 * s + 2) * n + i];
        float4 p = make_float4(q.x + q.w * x + q.y * z - q.z * y, q.y + q.w * y + q.z * x - q.x * z,
                               q.z + q.w * z + q.x * y - q.y * x, q.w - q.x * x - q.y * y - q.z * z);
        float length = rsqrtf(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
        q = make_float4(p.x * length, p.y * length, p.z * length, p.w * length);
    }
    turned[i] = q;
}

// Random walks on 32 x 32 places that enter none twice, with a bit per place in local memory. After how many steps are they stuck?
extern "C" __global__ void avoiding_walks(unsigned *steps, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned seen[32], random = (i + 1) * 2654435769u ^ seed;
    for (int k = 0; k < 32; k++) seen[k] = 0;
    int x = 16, y = 16, many = 0;
    while (true) {
        seen[y] |= 1u << x;
        unsigned open = 0;
        if (x > 0 && !(seen[y] >> (x - 1) & 1)) open |= 1;
        if (x < 31 && !(seen[y] >> (x + 1) & 1)) open |= 2;
        if (y > 0 && !(seen[y - 1] >> x & 1)) open |= 4;
        if (y < 31 && !(seen[y + 1] >> x & 1)) open |= 8;
        if (open == 0) break;
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        for (unsigned skip = (random >> 8) % __popc(open); skip > 0; skip--) open &= open - 1;
        int way = __ffs(open) - 1;
        if (way < 2) x += 2 * way - 1;
        else y += 2 * way - 5;
        many++;
    }
    steps[i] = many;
}

#define SAMPLE 2048

// How sure is a mean? Each block draws 2048 of as many values, with repetition, and writes their mean.
extern "C" __global__ void bootstrap_means(const float *sample, float *means, unsigned seed)
{
    __shared__ float values[SAMPLE], sums[32];
    for (int k = threadIdx.x; k < SAMPLE; k += blockDim.x) values[k] = sample[k];
    __syncthreads();
    float sum = 0.0f;
    for (int k = threadIdx.x; k < SAMPLE; k += blockDim.x) {
        unsigned word = (blockIdx.x * SAMPLE + k) * 747796405u + seed;
        word = (word >> ((word >> 28) + 4) ^ word) * 277803737u;
        sum += values[(word >> 22 ^ word) % SAMPLE];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++) sum += sums[w];
    means[blockIdx.x] = sum / SAMPLE;
}

// Products of a vector with eight others at once, as for making it perpendicular to them.
extern "C" __global__ void eight_dots(const double *vector, const double *others, double *dots, int n)
{
    __shared__ double parts[8][32];
    double sums[8] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double value = vector[i];
#pragma unroll
        for (int k = 0; k < 8; k++) sums[k] += value * others[k * n + i];
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        for (int d = 16; d > 0; d /= 2) sums[k] += __shfl_down_sync(~0u, sums[k], d);
        if (threadIdx.x % 32 == 0) parts[k][threadIdx.x / 32] = sums[k];
    }
    __syncthreads();
    if (threadIdx.x >= 8) return;
    double sum = 0.0;
    for (int w = 0; w < blockDim.x / 32; w++) sum += parts[threadIdx.x][w];
    atomicAdd(&dots[threadIdx.x], sum);
}

// Values of a cubic spline: a bisection of the knots in shared memory finds the piece.
extern "C" __global__ void spline_values(const double *knots, const double2 *pieces, const double *x, double *y, int many, int n)
{
    extern __shared__ double own[];
    for (int k = threadIdx.x; k < many; k += blockDim.x) own[k] = knots[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double at = x[i];
    int low = 0, high = many;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (own[middle] <= at) low = middle;
        else high = middle;
    }
    double2 first = pieces[2 * low], second = pieces[2 * low + 1];
    at -= own[low];
    y[i] = first.x + at * (first.y + at * (second.x + at * second.y));
}

__device__ void four(float2 &a, float2 &b, float2 &c, float2 &d)
{
    float2 s = make_float2(a.x + c.x, a.y + c.y), t = make_float2(a.x - c.x, a.y - c.y);
    float2 u = make_float2(b.x + d.x, b.y + d.y), v = make_float2(b.x - d.x, b.y - d.y);
    a = make_float2(s.x + u.x, s.y + u.y);
    b = make_float2(t.x + v.y, t.y - v.x);
    c = make_float2(s.x - u.x, s.y - u.y);
    d = make_float2(t.x - v.y, t.y + v.x);
}

// Fourier transforms of 16 complex numbers: a thread each, in registers, by two rounds of four transforms of four.
extern "C" __global__ void fft_sixteen(const float2 *in, float2 *out, int n)
{
    const float cosines[10] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f,
                               -0.92387953f};
    const float sines[10] = {0.0f, 0.38268343f, 0.70710678f, 0.92387953f, 1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f,
                             -0.38268343f};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v[16];
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = in[k * n + i];
#pragma unroll
    for (int k = 0; k < 4; k++) four(v[k], v[4 + k], v[8 + k], v[12 + k]);
#pragma unroll
    for (int j = 1; j < 4; j++)
#pragma unroll
        for (int k = 1; k < 4; k++) {
            float2 w = v[4 * j + k];
            float c = cosines[j * k], s = sines[j * k];
            v[4 * j + k] = make_float2(c * w.x + s * w.y, c * w.y - s * w.x);
        }
#pragma unroll
    for (int j = 0; j < 4; j++) four(v[4 * j], v[4 * j + 1], v[4 * j + 2], v[4 * j + 3]);
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int k = 0; k < 4; k++) out[(j + 4 * k) * n + i] = v[4 * j + k];
}

typedef unsigned long long u64;

// a * b / 2^64 modulo m, where `inverse` times m is 1 modulo 2^64.
__device__ u64 reduced(u64 a, u64 b, u64 m, u64 inverse)
{
    u64 high = __umul64hi(a, b), less = __umul64hi(a * b * inverse, m);
    return high < less ? high - less + m : high - less;
}

// Powers modulo odd numbers of 64 bits, after Montgomery: no division for the remainders of products.
extern "C" __global__ void montgomery_powers(const u64 *bases, const unsigned *exponents, const u64 *modules, u64 *powers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 m = modules[i], inverse = m, power = (0 - m) % m, square = power;
    for (int k = 0; k < 5; k++) inverse *= 2 - m * inverse;
    for (int k = 0; k < 64; k++) square = square >= m - square ? square - (m - square) : square + square;
    u64 base = reduced(bases[i] % m, square, m, inverse);
    for (unsigned exponent = exponents[i]; exponent > 0; exponent >>= 1) {
        if (exponent & 1) power = reduced(power, base, m, inverse);
        base = reduced(base, base, m, inverse);
    }
    powers[i] = reduced(power, 1, m, inverse);
}
