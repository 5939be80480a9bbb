// Compiled for compute_70.
// Integrals, roots, differential equations, random numbers, prices, physics, numbers.

__device__ float peak(float x, float width)
{
    float t = (x - 0.3f) * width;
    return expf(-t * t) + 0.1f * x;
}

// Integrals by Simpson's rule: an interval that is not good enough is halved, and its right half waits in a local stack.
extern "C" __global__ void adaptive_simpson(const float *widths, float *integrals, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float starts[16], sizes[16], width = widths[i], sum = 0.0f;
    int waiting = 1;
    starts[0] = 0.0f;
    sizes[0] = 1.0f;
    while (waiting > 0) {
        waiting--;
        float x = starts[waiting], h = sizes[waiting];
        float a = peak(x, width), b = peak(x + 0.25f * h, width), c = peak(x + 0.5f * h, width);
        float d = peak(x + 0.75f * h, width), e = peak(x + h, width);
        float rough = h / 6.0f * (a + 4.0f * c + e), fine = h / 12.0f * (a + 4.0f * b + 2.0f * c + 4.0f * d + e);
        if (h > 0.2f || (fabsf(fine - rough) > 1e-5f * h && h > 0.0005f)) {
            starts[waiting] = x + 0.5f * h;
            sizes[waiting++] = 0.5f * h;
            starts[waiting] = x;
            sizes[waiting++] = 0.5f * h;
        } else {
            sum += fine;
        }
    }
    integrals[i] = sum;
}

// All five roots of x^5 + ... by Durand and Kerner: every root moves away from the others, until none moves.
extern "C" __global__ void durand_kerner(const float *coefficients, float2 *roots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float c[5];
    float2 z[5];
#pragma unroll
    for (int k = 0; k < 5; k++) {
        c[k] = coefficients[k * n + i];
        z[k] = make_float2(1.2f * cosf(1.2566371f * k + 0.4f), 1.2f * sinf(1.2566371f * k + 0.4f));
    }
    for (int round = 0; round < 40; round++) {
        float moved = 0.0f;
#pragma unroll
        for (int k = 0; k < 5; k++) {
            float2 value = make_float2(1.0f, 0.0f), away = make_float2(1.0f, 0.0f);
#pragma unroll
            for (int d = 4; d >= 0; d--)
                value = make_float2(value.x * z[k].x - value.y * z[k].y + c[d], value.x * z[k].y + value.y * z[k].x);
#pragma unroll
            for (int other = 0; other < 5; other++)
                if (other != k) {
                    float x = z[k].x - z[other].x, y = z[k].y - z[other].y;
                    away = make_float2(away.x * x - away.y * y, away.x * y + away.y * x);
                }
            float scale = 1.0f / (away.x * away.x + away.y * away.y + 1e-20f);
            float dx = (value.x * away.x + value.y * away.y) * scale, dy = (value.y * away.x - value.x * away.y) * scale;
            z[k].x -= dx;
            z[k].y -= dy;
            moved = fmaxf(moved, fabsf(dx) + fabsf(dy));
        }
        if (moved < 1e-5f) break;
    }
#pragma unroll
    for (int k = 0; k < 5; k++) roots[k * n + i] = z[k];
}

// Van der Pol's oscillator in double precision, by steps of order three and two: their difference sets the next step.
extern "C" __global__ void van_der_pol(const double *damping, double *place, int *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double mu = 1.0 + 7.0 * damping[i], x = 2.0, v = 0.0, t = 0.0, h = 0.01;
    int taken = 0;
    for (; t < 4.0 && taken < 300; taken++) {
        double a = v, fa = mu * (1.0 - x * x) * v - x;
        double xb = x + 0.5 * h * a, b = v + 0.5 * h * fa, fb = mu * (1.0 - xb * xb) * b - xb;
        double xc = x + 0.75 * h * b, c = v + 0.75 * h * fb, fc = mu * (1.0 - xc * xc) * c - xc;
        double x3 = x + h * (2.0 * a + 3.0 * b + 4.0 * c) * (1.0 / 9.0), v3 = v + h * (2.0 * fa + 3.0 * fb + 4.0 * fc) * (1.0 / 9.0);
        double fd = mu * (1.0 - x3 * x3) * v3 - x3;
        double miss = h * fmax(fabs(-5.0 * a + 6.0 * b + 8.0 * c - 9.0 * v3), fabs(-5.0 * fa + 6.0 * fb + 8.0 * fc - 9.0 * fd)) * (1.0 / 72.0);
        if (miss < 1e-4) {
            t += h;
            x = x3;
            v = v3;
            if (miss < 2e-5) h *= 1.5;
        } else {
            h *= 0.5;
        }
    }
    place[i] = x;
    steps[i] = taken;
}

__device__ float random_unit(unsigned &state)
{
    state = state * 747796405u + 2891336453u;
    unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return ((word >> 22 ^ word) >> 8) * (1.0f / 16777216.0f) + 3e-8f;
}

// Prices whose variance is random as well, after Heston: two normal numbers that go together, 40 steps a path.
extern "C" __global__ void heston_paths(float *payoff, float strike, float back, float noise, float together, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = i * 1103515245u + 12345u;
    float price = 0.0f, variance = 0.04f, step = 0.025f, root = sqrtf(step), other = sqrtf(1.0f - together * together);
    for (int k = 0; k < 40; k++) {
        float radius = sqrtf(-2.0f * __logf(random_unit(state))), sine, cosine;
        __sincosf(6.2831853f * random_unit(state), &sine, &cosine);
        float a = radius * cosine, b = together * a + other * radius * sine, up = fmaxf(variance, 0.0f), spread = sqrtf(up);
        price += -0.5f * up * step + spread * root * a;
        variance += back * (0.04f - up) * step + noise * spread * root * b;
    }
    payoff[i] = fmaxf(100.0f * expf(price) - strike, 0.0f);
}

// Normal numbers by Marsaglia's polar method: points outside the circle are drawn again.
extern "C" __global__ void polar_normals(float *out, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = (i + seed) * 2654435769u;
    for (int k = 0; k < 6; k++) {
        float x, y, size;
        do {
            x = 2.0f * random_unit(state) - 1.0f;
            y = 2.0f * random_unit(state) - 1.0f;
            size = x * x + y * y;
        } while (size >= 1.0f || size < 1e-12f);
        float scale = sqrtf(-2.0f * logf(size) / size);
        out[2 * k * n + i] = x * scale;
        out[(2 * k + 1) * n + i] = y * scale;
    }
}

__constant__ int turn[24] = {843314857, 497837829, 263043837, 133525159, 67021687, 33543516, 16775851, 8388437,
                             4194283,   2097149,   1048576,   524288,    262144,   131072,   65536,    32768,
                             16384,     8192,      4096,      2048,      1024,     512,      256,      128};

// Sine and cosine with shifts and sums only (CORDIC): the vector turns by smaller and smaller angles.
extern "C" __global__ void cordic(const int *angles, int2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = 652032874, y = 0, left = angles[i];
#pragma unroll
    for (int k = 0; k < 24; k++) {
        int sign = left >> 31, dx = ((y >> k) ^ sign) - sign, dy = ((x >> k) ^ sign) - sign;
        x -= dx;
        y += dy;
        left -= (turn[k] ^ sign) - sign;
    }
    out[i] = make_int2(x, y);
}

// A flock of birds: each goes to the middle of those near it, flies as they do, and keeps off the nearest.
extern "C" __global__ void boids_tile(const float4 *birds, float2 *pull, float reach, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = birds[min(i, n - 1)];
    float x = 0.0f, y = 0.0f, vx = 0.0f, vy = 0.0f, away_x = 0.0f, away_y = 0.0f;
    int many = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        int count = min((int)blockDim.x, n - first);
        if (threadIdx.x < count) tile[threadIdx.x] = birds[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < count; k++) {
            float4 other = tile[k];
            float dx = other.x - own.x, dy = other.y - own.y, far = dx * dx + dy * dy;
            if (far < reach * reach) {
                many++;
                x += dx;
                y += dy;
                vx += other.z;
                vy += other.w;
                float push = 1.0f / (far + 0.01f);
                away_x -= dx * push;
                away_y -= dy * push;
            }
        }
        __syncthreads();
    }
    if (i >= n) return;
    float scale = 1.0f / many;
    pull[i] = make_float2(0.1f * x * scale + 0.3f * (vx * scale - own.z) + 0.05f * away_x,
                          0.1f * y * scale + 0.3f * (vy * scale - own.w) + 0.05f * away_y);
}

// Galton's board: balls fall past 48 rows of pins, left or right. Counters of all places in global memory.
extern "C" __global__ void galton_board(unsigned *places, unsigned seed, int balls, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long state = (i + 1ull) * 0x9e3779b97f4a7c15ull + seed;
    for (int k = 0; k < balls; k++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        atomicAdd(&places[__popcll(state * 0x2545f4914f6cdd1dull >> 16)], 1u);
    }
}

// Euler's totient of every number from `first`, by trial division: how many smaller numbers share no factor with it.
extern "C" __global__ void totients(unsigned *out, unsigned first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned left = first + i, result = left;
    if (left % 2 == 0) {
        result /= 2;
        while (left % 2 == 0) left /= 2;
    }
    for (unsigned p = 3; p * p <= left; p += 2)
        if (left % p == 0) {
            result -= result / p;
            while (left % p == 0) left /= p;
        }
    out[i] = left > 1 ? result - result / left : result;
}
