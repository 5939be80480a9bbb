// Compiled for compute_70.
// Special functions, random numbers, simulations and puzzles.

// Lambert's function: which w gives w * exp(w) = x? Halley's steps in doubles until they are very small.
extern "C" __global__ void lambert_w(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i], w = log1p(x);
    for (int k = 0; k < 12; k++) {
        double power = exp(w), miss = w * power - x;
        double step = miss / (power * (w + 1.0) - (w + 2.0) * miss / (2.0 * w + 2.0));
        w -= step;
        if (fabs(step) < 1e-12 * (1.0 + fabs(w))) break;
    }
    out[i] = w;
}

// Distance between two places on the earth as an ellipsoid (Vincenty): the angle between them is improved until it stays the same. Each
// pair has latitude and longitude of both places, in radians.
extern "C" __global__ void vincenty_distances(const double4 *pairs, double *meters, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double wide = 6378137.0, flat = 1.0 / 298.257223563, high = wide * (1.0 - flat);
    double4 pair = pairs[i];
    double t1 = (1.0 - flat) * tan(pair.x), t2 = (1.0 - flat) * tan(pair.z);
    double c1 = 1.0 / sqrt(1.0 + t1 * t1), s1 = t1 * c1, c2 = 1.0 / sqrt(1.0 + t2 * t2), s2 = t2 * c2;
    double apart = pair.w - pair.y, angle = apart, sine, cosine, sigma, square, middle;
    for (int k = 0; k < 20; k++) {
        double s, c;
        sincos(angle, &s, &c);
        double a = c2 * s, b = c1 * s2 - s1 * c2 * c;
        sine = sqrt(a * a + b * b);
        cosine = s1 * s2 + c1 * c2 * c;
        sigma = atan2(sine, cosine);
        double alpha = c1 * c2 * s / sine;
        square = 1.0 - alpha * alpha;
        middle = cosine - 2.0 * s1 * s2 / square;
        double part = flat / 16.0 * square * (4.0 + flat * (4.0 - 3.0 * square)), before = angle;
        angle = apart + (1.0 - part) * flat * alpha *
                (sigma + part * sine * (middle + part * cosine * (2.0 * middle * middle - 1.0)));
        if (fabs(angle - before) < 1e-12) break;
    }
    double u = square * (wide * wide - high * high) / (high * high);
    double a = 1.0 + u / 16384.0 * (4096.0 + u * (u * (320.0 - 175.0 * u) - 768.0));
    double b = u / 1024.0 * (256.0 + u * (u * (74.0 - 47.0 * u) - 128.0));
    double twice = 2.0 * middle * middle - 1.0;
    double change = b * sine * (middle + b / 4.0 * (cosine * twice - b / 6.0 * middle * (4.0 * sine * sine - 3.0) * (2.0 * twice - 1.0)));
    meters[i] = high * a * (sigma - change);
}

#define LINES 24

__device__ float voigt(float x, float y)
{
    if (x * x > 900.0f) return 0.5641896f * y / (x * x + y * y);
    const float at[6] = {0.31424037f, 0.94778839f, 1.59768264f, 2.27950708f, 3.02063703f, 3.8897249f};
    const float even[6] = {1.01172805f, -0.75197147f, 1.2557727e-2f, 1.00220082e-2f, -2.42068135e-4f, 5.00848061e-7f};
    const float odd[6] = {1.393237f, 0.231152406f, -0.155351466f, 6.21836624e-3f, 9.19082986e-5f, -6.27525958e-7f};
    float up = y + 1.5f, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 6; k++) {
        float right = x - at[k], left = x + at[k];
        float near = __fdividef(1.0f, right * right + up * up), far = __fdividef(1.0f, left * left + up * up);
        sum += even[k] * up * (near + far) - odd[k] * (right * near - left * far);
    }
    return sum;
}

// How much light a gas absorbs at each frequency: adds 24 spectral lines near it. Each has the shape of heat and pressure together
// (Voigt, after Humlicek). A line has a place, a strength, and a width by pressure.
extern "C" __global__ void voigt_lines(const float4 *lines, float *absorbed, float spacing, float heat, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float place = i * spacing, sum = 0.0f;
    int first = (int)place;
    for (int k = first; k < first + LINES; k++) {
        float4 line = lines[k];
        sum += line.y * voigt((place - line.x) * heat, line.z * heat);
    }
    absorbed[i] = sum;
}

__device__ unsigned permuted(unsigned long long &state)
{
    unsigned long long old = state;
    state = old * 6364136223846793005ull + 1442695040888963407ull;
    unsigned mixed = (unsigned)((old >> 18 ^ old) >> 27), turn = old >> 59;
    return mixed >> turn | mixed << (-turn & 31);
}

// Above 0, at most 1.
__device__ float uniform(unsigned long long &state)
{
    return ((permuted(state) >> 8) + 1) * (1.0f / 16777216.0f);
}

#define CUSTOMERS 100

// How long do customers wait in a queue? Random times between arrivals, and random times of service (Lindley). A thread follows 100
// customers through a queue of its own and writes their mean and their longest wait.
extern "C" __global__ void queue_waits(float *means, float *longest, float load, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long state = ((unsigned long long)seed << 32 | i) * 0x9e3779b97f4a7c15ull;
    float wait = 0.0f, sum = 0.0f, most = 0.0f;
    for (int k = 0; k < CUSTOMERS; k++) {
        float service = -load * __logf(uniform(state)), gap = -__logf(uniform(state));
        wait = fmaxf(wait + service - gap, 0.0f);
        sum += wait;
        most = fmaxf(most, wait);
    }
    means[i] = sum / CUSTOMERS;
    longest[i] = most;
}

// Random chemistry (Gillespie): two single molecules may join, a double one may break, and a single one may decay. Each reaction takes a
// random time, until the end of the experiment.
extern "C" __global__ void gillespie_reactions(const unsigned char *singles, unsigned *left, float join, float part, float decay, float end,
                                               unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long state = ((unsigned long long)seed << 32 | i) * 0x9e3779b97f4a7c15ull;
    int single = singles[i], both = 0;
    float time = 0.0f;
    for (;;) {
        float a = join * single * (single - 1), b = part * both, c = decay * single, all = a + b + c;
        if (all <= 0.0f) break;
        time -= logf(uniform(state)) / all;
        if (time > end) break;
        float choice = uniform(state) * all;
        if (choice <= a) {
            single -= 2;
            both++;
        } else if (choice <= a + b) {
            single += 2;
            both--;
        } else single--;
    }
    left[i] = both << 16 | single;
}

#define LAYERS 128
#define DRAWS 16

// Normal random numbers by the ziggurat (Marsaglia and Tsang): a table of 128 layers accepts almost all numbers at once. A thread draws
// 16 numbers.
extern "C" __global__ void ziggurat_normals(const unsigned *limits, const float *widths, const float *heights, float *normals,
                                            unsigned seed, int n)
{
    __shared__ unsigned limit[LAYERS];
    __shared__ float width[LAYERS], height[LAYERS];
    for (int k = threadIdx.x; k < LAYERS; k += blockDim.x) {
        limit[k] = limits[k];
        width[k] = widths[k];
        height[k] = heights[k];
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long state = ((unsigned long long)seed << 32 | i) * 0x9e3779b97f4a7c15ull;
    for (int k = 0; k < DRAWS; k++) {
        float value;
        for (;;) {
            int word = permuted(state), layer = word & (LAYERS - 1);
            value = word * width[layer];
            if ((unsigned)abs(word) < limit[layer]) break;
            if (layer == 0) {
                float x, y;
                do {
                    x = -logf(uniform(state)) * 0.2904764f;
                    y = -logf(uniform(state));
                } while (y + y < x * x);
                value = word > 0 ? 3.44262f + x : -3.44262f - x;
                break;
            }
            if (height[layer] + uniform(state) * (height[layer - 1] - height[layer]) < expf(-0.5f * value * value)) break;
        }
        normals[k * n + i] = value;
    }
}

// Two linear generators combined (L'Ecuyer's MRG32k3a), each with three words of state and a prime just below 2^32. A thread draws 24
// numbers from a state of its own.
extern "C" __global__ void combined_generators(const unsigned *states, float *draws, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long first_prime = 4294967087ull, second_prime = 4294944443ull;
    unsigned long long a = states[i], b = states[n + i], c = states[2 * n + i];
    unsigned long long d = states[3 * n + i], e = states[4 * n + i], f = states[5 * n + i];
    for (int k = 0; k < 24; k++) {
        unsigned long long first = (1403580ull * b + 810728ull * (first_prime - a)) % first_prime;
        a = b;
        b = c;
        c = first;
        unsigned long long second = (527612ull * f + 1370589ull * (second_prime - d)) % second_prime;
        d = e;
        e = f;
        f = second;
        unsigned draw = first > second ? first - second : first + first_prime - second;
        draws[k * n + i] = draw * 2.3283064e-10f;
    }
}

// Solves sudokus by trial: fills the empty cells in order, tries the digits that are still free in row, column and square, and goes back
// where none is left. A thread per sudoku.
extern "C" __global__ void sudoku_search(const unsigned char *puzzles, unsigned char *solved, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned short rows[9], columns[9], squares[9], open[81];
    unsigned char empty[81], digits[81];
    int many = 0;
    for (int k = 0; k < 9; k++) rows[k] = columns[k] = squares[k] = 0x1ff;
    for (int cell = 0; cell < 81; cell++) {
        int digit = puzzles[cell * n + i], row = cell / 9, column = cell % 9;
        if (digit > 0) {
            int bit = 1 << (digit - 1);
            rows[row] &= ~bit;
            columns[column] &= ~bit;
            squares[row / 3 * 3 + column / 3] &= ~bit;
        } else empty[many++] = cell;
        digits[cell] = digit;
    }
    int at = 0;
    bool forward = true;
    while (at >= 0 && at < many) {
        int cell = empty[at], row = cell / 9, column = cell % 9, square = row / 3 * 3 + column / 3;
        if (forward) open[at] = rows[row] & columns[column] & squares[square];
        else {
            int bit = 1 << (digits[cell] - 1);
            rows[row] |= bit;
            columns[column] |= bit;
            squares[square] |= bit;
        }
        int left = open[at];
        forward = left != 0;
        if (forward) {
            int bit = left & -left;
            open[at] = left ^ bit;
            digits[cell] = __ffs(bit);
            rows[row] &= ~bit;
            columns[column] &= ~bit;
            squares[square] &= ~bit;
            at++;
        } else at--;
    }
    for (int cell = 0; cell < 81; cell++) solved[cell * n + i] = digits[cell];
}
