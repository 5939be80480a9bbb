// Compiled for compute_70.
// Signals, physics on grids and in chains, and prices.

// A second-order recursive filter (Direct Form II transposed): a thread per channel.
extern "C" __global__ void biquad_channels(const float *in, float *out, int samples, int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    float z1 = 0.0f, z2 = 0.0f;
    for (int t = 0; t < samples; ++t) {
        float x = in[t * channels + c];
        float y = 0.2929f * x + z1;
        z1 = 0.5858f * x + z2;
        z2 = 0.2929f * x - 0.1716f * y;
        out[t * channels + c] = y;
    }
}

// Goertzel's algorithm: the power of one tone in one frame; frames stay in shared memory.
extern "C" __global__ void goertzel_tones(const float *signal, float *power, int tones)
{
    __shared__ float frame[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) frame[i] = signal[blockIdx.x * 256 + i];
    __syncthreads();
    for (int tone = threadIdx.x; tone < tones; tone += blockDim.x) {
        float w = 2.0f * cosf(6.2831853f * (tone + 1) / 512.0f), s1 = 0, s2 = 0;
        for (int i = 0; i < 256; i++) {
            float s = frame[i] + w * s1 - s2;
            s2 = s1;
            s1 = s;
        }
        power[blockIdx.x * tones + tone] = s1 * s1 + s2 * s2 - w * s1 * s2;
    }
}

// Correlation of a signal with itself: a block per lag.
extern "C" __global__ void autocorrelate(const float *x, float *r, int n)
{
    __shared__ float partial[32];
    int lag = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i < n - lag; i += blockDim.x) sum += x[i] * x[i + lag];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (int w = 0; w < (blockDim.x + 31) / 32; w++) total += partial[w];
        r[lag] = total;
    }
}

// A discrete Fourier transform by its definition.
extern "C" __global__ void dft_direct(const float2 *in, float2 *out, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float re = 0.0f, im = 0.0f;
    for (int t = 0; t < n; t++) {
        float s, c;
        __sincosf(-6.2831853f * (float)((long long)k * t % n) / n, &s, &c);
        float2 v = in[t];
        re += v.x * c - v.y * s;
        im += v.x * s + v.y * c;
    }
    out[k] = make_float2(re, im);
}

struct State {
    double x, y, z;
};

__device__ State slope(State s)
{
    return {10.0 * (s.y - s.x), s.x * (28.0 - s.z) - s.y, s.x * s.y - 8.0 / 3.0 * s.z};
}

__device__ State along(State s, State d, double h)
{
    return {s.x + h * d.x, s.y + h * d.y, s.z + h * d.z};
}

// Lorenz's equations by Runge and Kutta's fourth-order method, an ensemble of starts.
extern "C" __global__ void lorenz_rk4(State *states, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    State s = states[i];
    const double h = 0.005;
    for (int k = 0; k < steps; k++) {
        State a = slope(s), b = slope(along(s, a, h / 2)), c = slope(along(s, b, h / 2)), d = slope(along(s, c, h));
        s.x += h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        s.y += h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
        s.z += h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
    }
    states[i] = s;
}

// Half a sweep of the Ising model on a torus: spins of one colour flip by Metropolis' rule.
extern "C" __global__ void ising_sweep(signed char *spins, unsigned *seeds, int width, int colour, float beta)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= width || ((x ^ y) & 1) != colour) return;
    int left = (x + width - 1) % width, right = (x + 1) % width;
    int up = (y + width - 1) % width, down = (y + 1) % width;
    int s = spins[y * width + x];
    int around = spins[y * width + left] + spins[y * width + right] + spins[up * width + x] + spins[down * width + x];
    unsigned seed = seeds[y * width + x] * 1664525u + 1013904223u;
    seeds[y * width + x] = seed;
    float cost = 2.0f * s * around;
    if (cost <= 0 || (seed >> 8) * 5.9604645e-8f < expf(-beta * cost)) spins[y * width + x] = -s;
}

// Yee's scheme in two dimensions: the electric field from the magnetic one, with losses.
extern "C" __global__ void yee_electric(double *__restrict__ ez, const double *__restrict__ hx,
                                        const double *__restrict__ hy, const double *__restrict__ loss, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i >= n || j >= n) return;
    int at = j * n + i;
    double curl = hy[at] - hy[at - 1] - hx[at] + hx[at - n];
    double a = loss[at];
    ez[at] = (1.0 - a) / (1.0 + a) * ez[at] + 0.5 / (1.0 + a) * curl;
}

__device__ float minmod(float a, float b)
{
    return a * b <= 0.0f ? 0.0f : fabsf(a) < fabsf(b) ? a : b;
}

// Burgers' equation with slopes limited by minmod; several steps in shared memory with halos.
extern "C" __global__ void burgers_limited(const float *u, float *out, float ratio, int n)
{
    extern __shared__ float cells[];
    float *flux = cells + blockDim.x;
    int inner = blockDim.x - 16;
    int t = threadIdx.x, at = blockIdx.x * inner + t - 8;
    cells[t] = u[min(max(at, 0), n - 1)];
    for (int step = 0; step < 4; step++) {
        __syncthreads();
        float c = cells[t], l = t > 0 ? cells[t - 1] : c, r = t + 1 < blockDim.x ? cells[t + 1] : c;
        float edge = c + 0.5f * minmod(c - l, r - c);
        flux[t] = 0.5f * edge * edge;
        __syncthreads();
        if (t > 0) cells[t] = c - ratio * (flux[t] - flux[t - 1]);
    }
    if (t >= 8 && t < blockDim.x - 8 && at < n) out[at] = cells[t];
}

// Cox, Ross and Rubinstein's tree for an American put: a block per option.
extern "C" __global__ void binomial_puts(const float *spots, float *prices, int steps)
{
    extern __shared__ float value[];
    float spot = spots[blockIdx.x], strike = 100.0f;
    float dt = 1.0f / steps, up = expf(0.3f * sqrtf(dt)), grow = expf(0.05f * dt);
    float p = (grow - 1.0f / up) / (up - 1.0f / up);
    for (int i = threadIdx.x; i <= steps; i += blockDim.x)
        value[i] = fmaxf(strike - spot * powf(up, 2.0f * i - steps), 0.0f);
    for (int level = steps - 1; level >= 0; level--) {
        for (int base = 0; base <= level; base += blockDim.x) {
            int i = base + threadIdx.x;
            __syncthreads();
            float held = i <= level ? (p * value[i + 1] + (1.0f - p) * value[i]) / grow : 0.0f;
            float now = strike - spot * __powf(up, 2.0f * i - level);
            __syncthreads();
            if (i <= level) value[i] = fmaxf(held, now);
        }
    }
    if (threadIdx.x == 0) prices[blockIdx.x] = value[0];
}

struct Bond {
    float price, coupon;
    int years, frequency;
};

// The yield of each bond by Newton's method.
extern "C" __global__ void bond_yields(const Bond *bonds, float *yields, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bond bond = bonds[i];
    float y = 0.05f;
    for (int round = 0; round < 20; round++) {
        float value = 0, change = 0;
        for (int k = 1; k <= bond.years * bond.frequency; k++) {
            float t = (float)k / bond.frequency;
            float paid = bond.coupon / bond.frequency + (k == bond.years * bond.frequency ? 100.0f : 0.0f);
            float now = paid * expf(-y * t);
            value += now;
            change -= t * now;
        }
        float step = (value - bond.price) / change;
        y -= step;
        if (fabsf(step) < 1e-5f) break;
    }
    yields[i] = y;
}
