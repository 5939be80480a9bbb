// Compiled for compute_70.
// Molecules, orbits, money, random numbers, special functions, genes.

#define NEAR 32

// Electric forces between atoms and their 32 nearest others, as far as they are summed directly (Ewald): each charge is screened.
extern "C" __global__ void ewald_pairs(const float4 *atoms, const int *near, float *forces, float screen, float cut, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 own = atoms[i];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int k = 0; k < NEAR; k++) {
        float4 other = atoms[near[k * n + i]];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z, square = dx * dx + dy * dy + dz * dz;
        if (square > cut * cut || square == 0.0f) continue;
        float far = sqrtf(square), scaled = screen * far;
        float force = own.w * other.w * (erfcf(scaled) / far + 1.1283792f * screen * __expf(-scaled * scaled)) / square;
        x += force * dx;
        y += force * dy;
        z += force * dz;
    }
    forces[3 * i] = x;
    forces[3 * i + 1] = y;
    forces[3 * i + 2] = z;
}

// A star in the field of a galaxy (Henon and Heiles), in doubles: leapfrog steps, and how often it crosses the middle to the right.
extern "C" __global__ void henon_heiles(double4 *states, unsigned *crossings, double step, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double4 s = states[i];
    unsigned many = 0;
    for (int k = 0; k < steps; k++) {
        s.z -= 0.5 * step * (s.x + 2.0 * s.x * s.y);
        s.w -= 0.5 * step * (s.y + s.x * s.x - s.y * s.y);
        double before = s.x;
        s.x += step * s.z;
        s.y += step * s.w;
        many += before < 0.0 && s.x >= 0.0;
        s.z -= 0.5 * step * (s.x + 2.0 * s.x * s.y);
        s.w -= 0.5 * step * (s.y + s.x * s.x - s.y * s.y);
    }
    states[i] = s;
    crossings[i] = many;
}

#define FIRMS 64

__device__ unsigned drawn(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

// About normal: how many of 32 random bits are set, and a fraction to fill the gaps.
__device__ float bell(unsigned &state)
{
    float many = __popc(drawn(state));
    return (many - 16.5f + (drawn(state) >> 8) / 16777216.0f) * 0.35f;
}

// How many of 64 firms fail in a year, if a part of their luck is common to all? A thread per scenario; blocks count how often each
// number comes.
extern "C" __global__ void copula_losses(const float *thresholds, unsigned *counts, float common, float own, unsigned seed, int n)
{
    __shared__ float limits[FIRMS];
    __shared__ unsigned bins[FIRMS + 1];
    for (int k = threadIdx.x; k <= FIRMS; k += blockDim.x) bins[k] = 0;
    for (int k = threadIdx.x; k < FIRMS; k += blockDim.x) limits[k] = thresholds[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned state = (i + 1) * 2654435761u ^ seed;
        for (int k = 0; k < 4; k++) drawn(state);
        float luck = common * bell(state);
        int failed = 0;
        for (int k = 0; k < FIRMS; k++) failed += luck + own * bell(state) < limits[k];
        atomicAdd(&bins[failed], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k <= FIRMS; k += blockDim.x)
        if (bins[k] > 0) atomicAdd(&counts[k], bins[k]);
}

#define DIMENSIONS 6

// Sobol's points, which fill a cube evenly. The bits of the point's number choose which direction numbers are combined.
extern "C" __global__ void sobol_points(const unsigned *directions, float *points, int n)
{
    __shared__ unsigned own[DIMENSIONS * 32];
    for (int k = threadIdx.x; k < DIMENSIONS * 32; k += blockDim.x) own[k] = directions[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned gray = i ^ i >> 1;
    unsigned point[DIMENSIONS] = {0, 0, 0, 0, 0, 0};
    while (gray != 0) {
        int bit = __ffs(gray) - 1;
        gray &= gray - 1;
#pragma unroll
        for (int d = 0; d < DIMENSIONS; d++) point[d] ^= own[32 * d + bit];
    }
#pragma unroll
    for (int d = 0; d < DIMENSIONS; d++) points[d * n + i] = point[d] * 2.3283064e-10f;
}

#define KINDS 1000

// Draws from a thousand kinds that are not equally likely, by the alias method: one look at a table decides between two. 64 draws a
// thread, counted by the block.
extern "C" __global__ void alias_draws(const float *shares, const unsigned *aliases, unsigned *counts, unsigned seed, int n)
{
    __shared__ unsigned own[KINDS];
    for (int k = threadIdx.x; k < KINDS; k += blockDim.x) own[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long state = ((unsigned long long)i << 32 | seed) * 0x9e3779b97f4a7c15ull;
        for (int k = 0; k < 64; k++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            unsigned word = state >> 32, kind = __umulhi(word, KINDS);
            float rest = (word * KINDS >> 8) / 16777216.0f;
            if (rest >= shares[kind]) kind = aliases[kind];
            atomicAdd(&own[kind], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < KINDS; k += blockDim.x)
        if (own[k] > 0) atomicAdd(&counts[k], own[k]);
}

// How many calls come in an hour? Draws from Poisson's distribution by Knuth's method: random factors until their product is too small.
extern "C" __global__ void poisson_draws(const float *limits, unsigned char *calls, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = (i * 747796405u + 2891336453u) ^ seed;
    float limit = limits[i], product = 1.0f;
    int many = -1;
    do {
        state = state * 747796405u + 2891336453u;
        unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
        product *= ((word >> 22 ^ word) >> 8) / 16777216.0f;
        many++;
    } while (product > limit && many < 255);
    calls[i] = many;
}

// How long does a pendulum swing that starts at a given angle? The complete elliptic integral by arithmetic and geometric means, which
// soon agree.
extern "C" __global__ void agm_periods(const double *sines, const double *lengths, double *periods, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double modulus = sines[i], a = 1.0, b = sqrt(1.0 - modulus * modulus);
    while (a - b > 1e-14 * a) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    periods[i] = 6.283185307179586 * sqrt(lengths[i] / 9.80665) / a;
}

#define MOTIF 12

// Looks for a motif in a genome with two bits per letter: the score of a place is a sum over a table. A thread takes 16 places and keeps
// the best; places above a limit are counted.
extern "C" __global__ void motif_scores(const unsigned *genome, const int *table, int *best, unsigned *hits, int limit, int n)
{
    __shared__ int scores[4 * MOTIF];
    for (int k = threadIdx.x; k < 4 * MOTIF; k += blockDim.x) scores[k] = table[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long letters = (unsigned long long)genome[i + 1] << 32 | genome[i];
    int most = -1000000, many = 0;
    for (int place = 0; place < 16; place++) {
        int score = 0;
#pragma unroll
        for (int k = 0; k < MOTIF; k++) score += scores[4 * k + (letters >> 2 * k & 3)];
        most = max(most, score);
        many += score >= limit;
        letters >>= 2;
    }
    best[i] = most;
    if (many > 0) atomicAdd(hits, (unsigned)many);
}

#define SPECIES 64

// How many changes does a tree of 64 species need to explain a letter of their genes (Fitch)? The sets of letters that a branch may have
// go up from the leaves. A thread per letter.
extern "C" __global__ void fitch_sites(const unsigned char *leaves, const uchar2 *branches, unsigned char *changes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char sets[2 * SPECIES];
    int many = 0;
    for (int k = 0; k < SPECIES; k++) sets[k] = leaves[k * n + i];
    for (int k = 0; k < SPECIES - 1; k++) {
        uchar2 two = branches[k];
        unsigned left = sets[two.x], right = sets[two.y], both = left & right;
        if (both == 0) many++;
        sets[SPECIES + k] = both != 0 ? both : left | right;
    }
    changes[i] = many;
}
