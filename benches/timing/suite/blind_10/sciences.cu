// Compiled for compute_70.
// Random games, prices, flows, chemistry, special functions, sound, roots and polygons.

__device__ unsigned throw_die(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return 1 + __umulhi(state, 6);
}

#define GAMES 30

// Plays 30 games of craps: 7 or 11 wins at once, 2, 3 or 12 loses, and any other sum must come again before a 7. Counts games won and
// throws. A thread per player.
extern "C" __global__ void craps_games(const unsigned *seeds, unsigned char *won, unsigned short *throws, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = seeds[i] | 1;
    int wins = 0, many = 0;
    for (int game = 0; game < GAMES; game++) {
        int point = throw_die(state) + throw_die(state);
        many++;
        if (point == 7 || point == 11) {
            wins++;
            continue;
        }
        if (point == 2 || point == 3 || point == 12) continue;
        int sum;
        do {
            sum = throw_die(state) + throw_die(state);
            many++;
        } while (sum != point && sum != 7);
        wins += sum == point;
    }
    won[i] = wins;
    throws[i] = many;
}

// Implied volatility by Hagan's formula for the SABR model. An option has a forward price, a strike and a time; each thread has its own
// alpha, beta, rho and nu.
extern "C" __global__ void sabr_smile(const float *forwards, const float *strikes, const float *times, const float4 *models, float *out,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float forward = forwards[i], strike = strikes[i], ratio = logf(forward / strike);
    float4 model = models[i];
    float alpha = model.x, beta = model.y, rho = model.z, nu = model.w, rest = 1.0f - beta;
    float middle = powf(forward * strike, 0.5f * rest), log_square = rest * rest * ratio * ratio;
    float below = middle * (1.0f + log_square / 24.0f + log_square * log_square / 1920.0f);
    float z = nu / alpha * middle * ratio;
    float x = logf((sqrtf(1.0f - 2.0f * rho * z + z * z) + z - rho) / (1.0f - rho));
    float bend = fabsf(z) < 1e-3f ? 1.0f - 0.5f * rho * z : z / x;
    float drift = rest * rest * alpha * alpha / (24.0f * middle * middle) + 0.25f * rho * beta * nu * alpha / middle +
                  (2.0f - 3.0f * rho * rho) * nu * nu / 24.0f;
    out[i] = alpha / below * bend * (1.0f + drift * times[i]);
}

// How fast does the air move around vortices (Biot and Savart)? Each vortex is a short piece of a line with a place and a direction. A
// block reads them in tiles through shared memory. A thread per point.
extern "C" __global__ void biot_savart(const float4 *points, const float4 *places, const float4 *directions, float4 *velocities,
                                       float core, int vortices, int n)
{
    extern __shared__ float4 tile[];
    float4 *turns = tile + blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 point = i < n ? points[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f), sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int start = 0; start < vortices; start += blockDim.x) {
        int many = min(vortices - start, (int)blockDim.x);
        if (threadIdx.x < many) {
            tile[threadIdx.x] = places[start + threadIdx.x];
            turns[threadIdx.x] = directions[start + threadIdx.x];
        }
        __syncthreads();
        for (int k = 0; k < many; k++) {
            float4 place = tile[k], turn = turns[k];
            float x = point.x - place.x, y = point.y - place.y, z = point.z - place.z;
            float close = rsqrtf(x * x + y * y + z * z + core), strength = place.w * close * close * close;
            sum.x += strength * (turn.y * z - turn.z * y);
            sum.y += strength * (turn.z * x - turn.x * z);
            sum.z += strength * (turn.x * y - turn.y * x);
        }
        __syncthreads();
    }
    if (i < n) velocities[i] = sum;
}

// Robertson's reactions of three substances, where one is 10^9 times faster than another. Twenty implicit Euler steps that become longer,
// each by Newton's method with two unknowns, since the sum of all substances stays 1.
extern "C" __global__ void robertson_steps(const double *rates, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double slow = rates[i], fast = rates[n + i], back = rates[2 * n + i], a = 1.0, b = 0.0, step = 1e-3;
    for (int k = 0; k < 20; k++, step *= 2.0) {
        double start_a = a, start_b = b;
        for (int round = 0; round < 12; round++) {
            double c = 1.0 - a - b, make = slow * a, join = back * b * c, burn = fast * b * b;
            double miss_a = a - start_a + step * (make - join), miss_b = b - start_b - step * (make - join - burn);
            double aa = 1.0 + step * (slow + back * b), ab = -step * back * (c - b);
            double ba = -step * (slow + back * b), bb = 1.0 + step * (back * (c - b) + 2.0 * fast * b);
            double scale = 1.0 / (aa * bb - ab * ba);
            double change_a = scale * (bb * miss_a - ab * miss_b), change_b = scale * (aa * miss_b - ba * miss_a);
            a -= change_a;
            b -= change_b;
            if (fabs(change_a) < 1e-10 && fabs(change_b) < 1e-14) break;
        }
    }
    out[i] = a;
    out[n + i] = b;
    out[2 * n + i] = 1.0 - a - b;
}

__device__ float ring(float radius)
{
    if (radius < 1e-3f) return 1.0f;
    float share = 2.0f * j1f(radius) / radius;
    return share * share;
}

// The picture of a star in a telescope: bright rings by a Bessel function, for red, green and blue light. A thread per pixel.
extern "C" __global__ void airy_disk(float4 *pixels, float scale, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float dx = x - 0.5f * side, dy = y - 0.5f * side, radius = scale * sqrtf(dx * dx + dy * dy);
    pixels[y * side + x] = make_float4(ring(radius / 0.65f), ring(radius / 0.55f), ring(radius / 0.45f), 1.0f);
}

// The derivative of the logarithm of the gamma function, in doubles: steps up to numbers from 8 on, then an asymptotic series. Numbers
// below zero are mirrored.
extern "C" __global__ void digamma_doubles(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i], sum = 0.0;
    if (x < 0.0) {
        sum = -3.14159265358979324 / tan(3.14159265358979324 * x);
        x = 1.0 - x;
    }
    for (; x < 8.0; x += 1.0) sum -= 1.0 / x;
    double inverse = 1.0 / x, square = inverse * inverse;
    double tail = square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square * (1.0 / 132)))));
    out[i] = sum + log(x) - 0.5 * inverse - tail;
}

#define HALF 64

// Frequencies of sound as audio codecs have them (MDCT): frames of 128 samples that overlap by half give 64 numbers each. Cosines come
// from a table in shared memory. 64 threads per frame.
extern "C" __global__ void mdct_frames(const float *samples, const float *window, const float *cosines, float *out, int n)
{
    extern __shared__ float frames[];
    __shared__ float table[8 * HALF];
    int frame = blockIdx.x * (blockDim.x / HALF) + threadIdx.x / HALF, k = threadIdx.x % HALF;
    float *own = frames + threadIdx.x / HALF * 2 * HALF;
    for (int t = threadIdx.x; t < 8 * HALF; t += blockDim.x) table[t] = cosines[t];
    if (frame < n) {
        own[k] = samples[frame * HALF + k] * window[k];
        own[HALF + k] = samples[(frame + 1) * HALF + k] * window[HALF + k];
    }
    __syncthreads();
    if (frame >= n) return;
    float sum = 0.0f;
    for (int t = 0; t < 2 * HALF; t++) sum += own[t] * table[(2 * t + 1 + HALF) * (2 * k + 1) % (8 * HALF)];
    out[frame * HALF + k] = sum;
}

#define DEGREE 7

// Where does a polynomial cross zero between 0 and 1? The lanes of a warp try 32 places at once and vote which part has the root. A warp
// per polynomial, in doubles.
extern "C" __global__ void section_roots(const double *polynomials, double *roots, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    double terms[DEGREE + 1], low = 0.0, width = 1.0;
#pragma unroll
    for (int k = 0; k <= DEGREE; k++) terms[k] = polynomials[i * (DEGREE + 1) + k];
    while (width > 1e-14) {
        width *= 0.03125;
        double x = low + lane * width, value = terms[DEGREE];
#pragma unroll
        for (int k = DEGREE - 1; k >= 0; k--) value = value * x + terms[k];
        unsigned below = __ballot_sync(~0u, value <= 0.0);
        low += width * (__popc(below) - 1);
    }
    if (lane == 0) roots[i] = low;
}

#define MOST 10

// How much of each triangle is inside of a square from 0 to 1 (Sutherland and Hodgman)? Four lines cut off corners, one after the other,
// between two lists of points. Writes the area and the number of corners.
extern "C" __global__ void clip_polygons(const float2 *triangles, float *areas, unsigned char *corners, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 points[2][MOST];
    int many = 3, from = 0;
    for (int k = 0; k < 3; k++) points[0][k] = triangles[3 * i + k];
    for (int line = 0; line < 4; line++, from ^= 1) {
        int kept = 0;
        for (int k = 0; k < many; k++) {
            float2 a = points[from][k], b = points[from][k + 1 < many ? k + 1 : 0];
            float in_a = line < 2 ? a.x : a.y, in_b = line < 2 ? b.x : b.y;
            if (line % 2 == 1) {
                in_a = 1.0f - in_a;
                in_b = 1.0f - in_b;
            }
            if (in_a >= 0.0f) points[from ^ 1][kept++] = a;
            if ((in_a >= 0.0f) != (in_b >= 0.0f)) {
                float part = in_a / (in_a - in_b);
                points[from ^ 1][kept++] = make_float2(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y));
            }
        }
        many = kept;
    }
    float area = 0.0f;
    for (int k = 0; k < many; k++) {
        float2 a = points[from][k], b = points[from][k + 1 < many ? k + 1 : 0];
        area += a.x * b.y - b.x * a.y;
    }
    areas[i] = 0.5f * fabsf(area);
    corners[i] = many;
}
