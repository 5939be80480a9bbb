// Compiled for compute_70.
// Water, finite elements, neurons, neutrons, orbits, reactions.

__device__ float3 flux_along(float h, float along, float across)
{
    float u = along / h;
    return make_float3(along, along * u + 4.905f * h * h, across * u);
}

// One Lax-Friedrichs step of the shallow water equations on a square; the rim stays.
extern "C" __global__ void swe_step(const float *h, const float *hu, const float *hv, float *h2, float *hu2, float *hv2,
                                    float ratio, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    int i = y * n + x;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) {
        h2[i] = h[i];
        hu2[i] = hu[i];
        hv2[i] = hv[i];
        return;
    }
    int e = i + 1, w = i - 1, s = i + n, t = i - n;
    float3 fe = flux_along(h[e], hu[e], hv[e]), fw = flux_along(h[w], hu[w], hv[w]);
    float3 gs = flux_along(h[s], hv[s], hu[s]), gt = flux_along(h[t], hv[t], hu[t]);
    h2[i] = 0.25f * (h[e] + h[w] + h[s] + h[t]) - ratio * (fe.x - fw.x + gs.x - gt.x);
    hu2[i] = 0.25f * (hu[e] + hu[w] + hu[s] + hu[t]) - ratio * (fe.y - fw.y + gs.z - gt.z);
    hv2[i] = 0.25f * (hv[e] + hv[w] + hv[s] + hv[t]) - ratio * (fe.z - fw.z + gs.y - gt.y);
}

// Residual of Poisson's equation on linear triangles: each adds to its three corners.
extern "C" __global__ void fem_residual(const int *corners, const float2 *nodes, const float *u, float *residual,
                                        float source, int triangles)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= triangles) return;
    int a = corners[3 * t], b = corners[3 * t + 1], c = corners[3 * t + 2];
    float2 p = nodes[a], q = nodes[b], r = nodes[c];
    float ua = u[a], ub = u[b], uc = u[c];
    float det = (q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y);
    float2 ga = make_float2(q.y - r.y, r.x - q.x), gb = make_float2(r.y - p.y, p.x - r.x);
    float2 gc = make_float2(p.y - q.y, q.x - p.x);
    float gx = (ua * ga.x + ub * gb.x + uc * gc.x) / det, gy = (ua * ga.y + ub * gb.y + uc * gc.y) / det;
    float load = source * det / 6.0f;
    atomicAdd(&residual[a], 0.5f * (gx * ga.x + gy * ga.y) - load);
    atomicAdd(&residual[b], 0.5f * (gx * gb.x + gy * gb.y) - load);
    atomicAdd(&residual[c], 0.5f * (gx * gc.x + gy * gc.y) - load);
}

// Structure factors of a crystal: a block per wave vector sums over all atoms.
extern "C" __global__ void structure_factors(const float4 *atoms, const float *waves, float2 *factor, int n)
{
    __shared__ float2 sum[256];
    float kx = waves[3 * blockIdx.x], ky = waves[3 * blockIdx.x + 1], kz = waves[3 * blockIdx.x + 2];
    float re = 0.0f, im = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float4 atom = atoms[i];
        float s, c;
        sincosf(kx * atom.x + ky * atom.y + kz * atom.z, &s, &c);
        re += atom.w * c;
        im += atom.w * s;
    }
    sum[threadIdx.x] = make_float2(re, im);
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sum[threadIdx.x].x += sum[threadIdx.x + half].x;
            sum[threadIdx.x].y += sum[threadIdx.x + half].y;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) factor[blockIdx.x] = sum[0];
}

struct State {
    double x, y, u, v;
};

// Earth, moon and a small body in the frame that turns with them.
__device__ State rates(State s)
{
    const double mu = 0.01215;
    double dx = s.x + mu, ex = s.x - 1.0 + mu;
    double r = dx * dx + s.y * s.y, q = ex * ex + s.y * s.y;
    double a = (1.0 - mu) / (r * sqrt(r)), b = mu / (q * sqrt(q));
    State d = {s.u, s.v, s.x + 2.0 * s.v - a * dx - b * ex, s.y - 2.0 * s.u - (a + b) * s.y};
    return d;
}

__device__ State plus(State s, double h, State d)
{
    State r = {s.x + h * d.x, s.y + h * d.y, s.u + h * d.u, s.v + h * d.v};
    return r;
}

// Orbits by Bogacki and Shampine's method, with steps as long as the error allows.
extern "C" __global__ void moon_orbits(const double *starts, double *places, int *steps, double until, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    State s = {0.4 + 0.3 * starts[2 * i], 0.0, 0.0, 0.8 + 0.6 * starts[2 * i + 1]};
    State k1 = rates(s);
    double t = 0.0, h = 0.01;
    int count = 0;
    while (t < until && count < 400) {
        State k2 = rates(plus(s, 0.5 * h, k1)), k3 = rates(plus(s, 0.75 * h, k2));
        State next = plus(plus(plus(s, h * 2.0 / 9.0, k1), h / 3.0, k2), h * 4.0 / 9.0, k3);
        State k4 = rates(next);
        State other = plus(plus(plus(plus(s, h * 7.0 / 24.0, k1), h / 4.0, k2), h / 3.0, k3), h / 8.0, k4);
        double error = fabs(next.x - other.x) + fabs(next.y - other.y);
        if (error < 1e-5) {
            t += h;
            s = next;
            k1 = k4;
        }
        h *= error < 1e-6 ? 1.5 : error < 1e-5 ? 1.0 : 0.5;
        count++;
    }
    places[2 * i] = s.x;
    places[2 * i + 1] = s.y;
    steps[i] = count;
}

// Neutrons through a slab: each flies, scatters and is absorbed, or leaves on one side.
extern "C" __global__ void slab_transport(unsigned *depths, unsigned *fates, unsigned seed, float thickness, int n)
{
    __shared__ unsigned tally[64];
    __shared__ unsigned fate[3];
    if (threadIdx.x < 64) tally[threadIdx.x] = 0;
    if (threadIdx.x < 3) fate[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned r = (i + 1) * 2654435761u ^ seed;
        float x = 0.0f, mu = 1.0f;
        int end;
        while (true) {
            r ^= r << 13;
            r ^= r >> 17;
            r ^= r << 5;
            x -= mu * logf(((r >> 8) + 1) * 5.9604645e-8f);
            end = x < 0.0f ? 1 : x >= thickness ? 2 : 0;
            if (end) break;
            atomicAdd(&tally[min((int)(x / thickness * 64.0f), 63)], 1u);
            r = r * 1664525u + 1013904223u;
            if ((r >> 8) * 5.9604645e-8f < 0.25f) break;
            r = r * 1664525u + 1013904223u;
            mu = (r >> 8) * 1.1920929e-7f - 1.0f;
        }
        atomicAdd(&fate[end], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&depths[threadIdx.x], tally[threadIdx.x]);
    if (threadIdx.x < 3) atomicAdd(&fates[threadIdx.x], fate[threadIdx.x]);
}

// Multigrid: from a fine grid of 2 n + 1 points a side to n, with weights 1, 2, 1.
extern "C" __global__ void restrict_grid(const double *fine, double *coarse, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= n || y >= n || z >= n) return;
    int side = 2 * n + 1;
    double sum = 0.0;
    for (int dz = 0; dz < 3; dz++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) {
                int weight = (dx == 1 ? 2 : 1) * (dy == 1 ? 2 : 1) * (dz == 1 ? 2 : 1);
                sum += weight * fine[((2 * z + dz) * side + 2 * y + dy) * side + 2 * x + dx];
            }
    coarse[(z * n + y) * n + x] = sum / 64.0;
}

// Neurons after Hodgkin and Huxley: 100 steps of four differential equations, and their spikes.
extern "C" __global__ void hodgkin_huxley(const float *current, float *voltage, int *spikes, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = -65.0f, m = 0.05f, h = 0.6f, k = 0.32f, in = current[i];
    int count = 0;
    for (int step = 0; step < 100; step++) {
        float am = 0.1f * (v + 40.0f) / (1.0f - expf(-(v + 40.0f) / 10.0f)), bm = 4.0f * expf(-(v + 65.0f) / 18.0f);
        float ah = 0.07f * expf(-(v + 65.0f) / 20.0f), bh = 1.0f / (1.0f + expf(-(v + 35.0f) / 10.0f));
        float ak = 0.01f * (v + 55.0f) / (1.0f - expf(-(v + 55.0f) / 10.0f)), bk = 0.125f * expf(-(v + 65.0f) / 80.0f);
        float sodium = 120.0f * m * m * m * h * (v - 50.0f), potassium = 36.0f * k * k * k * k * (v + 77.0f);
        float next = v + dt * (in - sodium - potassium - 0.3f * (v + 54.4f));
        m += dt * (am * (1.0f - m) - bm * m);
        h += dt * (ah * (1.0f - h) - bh * h);
        k += dt * (ak * (1.0f - k) - bk * k);
        count += v < 0.0f && next >= 0.0f;
        v = next;
    }
    voltage[i] = v;
    spikes[i] = count;
}

// Sends the spikes of a step along all synapses: a warp per neuron that fired.
extern "C" __global__ void spike_delivery(const int *starts, const int *targets, const float *weights, const int *fired,
                                          float *input, int many)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= many) return;
    int neuron = fired[warp];
    for (int s = starts[neuron] + lane; s < starts[neuron + 1]; s += 32) atomicAdd(&input[targets[s]], weights[s]);
}

__constant__ double log_rate[8] = {21.3, 18.9, 23.4, 17.2, 25.1, 19.8, 22.0, 16.4};
__constant__ double power[8] = {0.0, 0.7, -0.5, 1.2, -1.0, 0.0, 0.3, 1.5};
__constant__ double barrier[8] = {8900.0, 7600.0, 1200.0, 10300.0, 400.0, 15200.0, 6100.0, 3300.0};
__constant__ int reagents[8][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {0, 4, 1, 5}, {2, 2, 0, 4},
                                   {3, 5, 1, 1}, {4, 4, 2, 5}, {0, 5, 3, 3}, {1, 3, 4, 5}};

// Arrhenius' law in every cell of a flame: eight reactions of six species.
extern "C" __global__ void flame_chemistry(const double *temperature, const double *amounts, double *change, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double t = 600.0 + 1800.0 * temperature[i], over = 1.0 / t, log_t = log(t);
    double rate[8];
    for (int r = 0; r < 8; r++) {
        double k = exp(log_rate[r] + power[r] * log_t - barrier[r] * over);
        rate[r] = k * amounts[reagents[r][0] * n + i] * amounts[reagents[r][1] * n + i];
    }
    for (int s = 0; s < 6; s++) {
        double sum = 0.0;
        for (int r = 0; r < 8; r++) {
            int taken = (reagents[r][0] == s) + (reagents[r][1] == s), made = (reagents[r][2] == s) + (reagents[r][3] == s);
            sum += (made - taken) * rate[r];
        }
        change[s * n + i] = sum;
    }
}

// Distances of all pairs in a periodic box, counted in 64 bins: tiles of atoms in shared memory.
extern "C" __global__ void pair_histogram(const float *x, const float *y, const float *z, unsigned *bins, float most, int n)
{
    __shared__ unsigned local[64];
    extern __shared__ float3 tile[];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = min(i, n - 1);
    float px = x[at], py = y[at], pz = z[at];
    for (int base = 0; base < n; base += blockDim.x) {
        __syncthreads();
        int j = base + threadIdx.x;
        if (j < n) tile[threadIdx.x] = make_float3(x[j], y[j], z[j]);
        __syncthreads();
        int end = min((int)blockDim.x, n - base);
        for (int k = 0; k < end; k++) {
            float dx = px - tile[k].x, dy = py - tile[k].y, dz = pz - tile[k].z;
            dx -= rintf(dx);
            dy -= rintf(dy);
            dz -= rintf(dz);
            float r = sqrtf(dx * dx + dy * dy + dz * dz);
            if (r < most && i < n && base + k != i) atomicAdd(&local[(int)(r / most * 64.0f)], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
