// Compiled for compute_70.
// Gravity, gases, genomes, families of species, orbits, clouds, eigenvalues, special functions, divisors and ancestors.

// Adds how another body, of which the fourth number is the mass, pulls.
__device__ void attract(float4 own, float4 other, float3 &sum)
{
    float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    float part = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), pull = other.w * part * part * part;
    sum = make_float3(sum.x + pull * dx, sum.y + pull * dy, sum.z + pull * dz);
}

// The gravity on each body from all others, by a tree: groups that are far away count as one body. Nodes are stored in the order of a walk
// through the tree. Each has the place after its part, its first body, and how many bodies it has if it is a leaf.
extern "C" __global__ void tree_gravity(const float4 *bodies, const float4 *centres, const float *sizes, const int *links, float *forces,
                                        int nodes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 own = bodies[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int at = 0; at < nodes;) {
        float4 centre = centres[at];
        float dx = centre.x - own.x, dy = centre.y - own.y, dz = centre.z - own.z;
        if (dx * dx + dy * dy + dz * dz > sizes[at]) {
            attract(own, centre, sum);
            at = links[3 * at];
            continue;
        }
        int first = links[3 * at + 1], many = links[3 * at + 2];
        for (int k = first; k < first + many; k++) attract(own, bodies[k], sum);
        at++;
    }
    forces[i] = sum.x;
    forces[n + i] = sum.y;
    forces[2 * n + i] = sum.z;
}

// A step of a gas of particles on a grid of hexagons (Frisch, Hasslacher and Pomeau): a cell takes the particles that come from its six
// neighbours, and a table tells how they leave after they met. Odd rows are half a cell to the right; sides are joined.
extern "C" __global__ void lattice_gas(const unsigned char *in, const unsigned char *table, unsigned char *out, unsigned time, int side)
{
    __shared__ unsigned char kept[128];
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < 128; k += blockDim.x * blockDim.y) kept[k] = table[k];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int west = x > 0 ? x - 1 : side - 1, east = x < side - 1 ? x + 1 : 0, left = y % 2 ? x : west, right = y % 2 ? east : x;
    const unsigned char *row = in + (size_t)y * side;
    const unsigned char *above = in + (size_t)(y > 0 ? y - 1 : side - 1) * side, *below = in + (size_t)(y < side - 1 ? y + 1 : 0) * side;
    unsigned state = (row[west] & 1) | (below[left] & 2) | (below[right] & 4) | (row[east] & 8) | (above[right] & 16) | (above[left] & 32);
    unsigned turn = ((x * 0x9e3779b1u) ^ (y * 0x85ebca6bu) ^ time) * 0xc2b2ae35u >> 31;
    out[(size_t)y * side + x] = kept[turn * 64 + state];
}

#define LETTERS 15
#define WINDOW 16

// The smallest of the hashes of 16 words of 15 letters that follow each other in a genome, and where it is (minimisers). A block keeps the
// hashes in shared memory.
extern "C" __global__ void minimiser_windows(const unsigned char *bases, unsigned *least, unsigned char *places, int n)
{
    extern __shared__ unsigned hashes[];
    int start = blockIdx.x * blockDim.x, i = start + threadIdx.x;
    for (int k = threadIdx.x; k < blockDim.x + WINDOW - 1; k += blockDim.x) {
        unsigned word = 0;
        if (start + k < n + WINDOW - 1)
            for (int j = 0; j < LETTERS; j++) word = word << 2 | bases[start + k + j];
        word = (word ^ word >> 15) * 0x2c1b3c6du;
        hashes[k] = word ^ word >> 12;
    }
    __syncthreads();
    if (i >= n) return;
    unsigned best = ~0u;
    int place = 0;
    for (int k = 0; k < WINDOW; k++) {
        unsigned hash = hashes[threadIdx.x + k];
        if (hash < best) {
            best = hash;
            place = k;
        }
    }
    least[i] = best;
    places[i] = place;
}

#define SPECIES 12
#define BRANCHES (2 * SPECIES - 2)

__device__ float4 along(const float4 *branch, float4 from)
{
    float out[4];
#pragma unroll
    for (int k = 0; k < 4; k++) out[k] = branch[k].x * from.x + branch[k].y * from.y + branch[k].z * from.z + branch[k].w * from.w;
    return make_float4(out[0], out[1], out[2], out[3]);
}

// How likely is each place of a genome in twelve species, given their family tree (Felsenstein)? A node multiplies what comes along its two
// branches, for each of four letters. A thread per place.
extern "C" __global__ void site_likelihoods(const unsigned char *letters, const float4 *branches, const int2 *pairs, float *out, int n)
{
    __shared__ float4 kept[4 * BRANCHES];
    __shared__ int2 joins[SPECIES - 1];
    for (int k = threadIdx.x; k < 4 * BRANCHES; k += blockDim.x) kept[k] = branches[k];
    for (int k = threadIdx.x; k < SPECIES - 1; k += blockDim.x) joins[k] = pairs[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 nodes[2 * SPECIES - 1];
    for (int k = 0; k < SPECIES; k++) {
        unsigned letter = letters[k * n + i];
        nodes[k] = make_float4(letter == 0, letter == 1, letter == 2, letter == 3);
    }
    for (int k = 0; k < SPECIES - 1; k++) {
        int2 join = joins[k];
        float4 a = along(kept + 4 * join.x, nodes[join.x]), b = along(kept + 4 * join.y, nodes[join.y]);
        nodes[SPECIES + k] = make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
    }
    float4 root = nodes[2 * SPECIES - 2];
    out[i] = logf(0.3f * root.x + 0.2f * root.y + 0.2f * root.z + 0.3f * root.w);
}

struct Body {
    double x, y, u, v;
};

// How a small body moves near two large ones that turn around each other, seen from a turning room.
__device__ Body motion(Body s, double mass)
{
    double p = s.x + mass, q = p - 1.0, near = p * p + s.y * s.y, far = q * q + s.y * s.y;
    double a = (1.0 - mass) / (near * sqrt(near)), b = mass / (far * sqrt(far));
    return {s.u, s.v, 2.0 * s.v + s.x - a * p - b * q, s.y - 2.0 * s.u - (a + b) * s.y};
}

__device__ Body plus(Body s, double h, Body a)
{
    return {s.x + h * a.x, s.y + h * a.y, s.u + h * a.u, s.v + h * a.v};
}

// Orbits of asteroids near the sun and a planet, with steps that become shorter where the error is large (Bogacki and Shampine). Also
// counts the steps.
extern "C" __global__ void three_body_adaptive(const double2 *in, double2 *out, unsigned *steps, float mass, float end, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double2 place = in[2 * i], speed = in[2 * i + 1];
    Body own = {place.x, place.y, speed.x, speed.y}, first = motion(own, mass);
    double time = 0.0, step = 0.001;
    unsigned count = 0;
    while (time < end && count < 2000) {
        double h = fmin(step, (double)end - time);
        Body second = motion(plus(own, 0.5 * h, first), mass), third = motion(plus(own, 0.75 * h, second), mass);
        Body next = plus(plus(plus(own, h * 2.0 / 9.0, first), h / 3.0, second), h * 4.0 / 9.0, third), last = motion(next, mass);
        Body error = plus(plus(plus({0.0, 0.0, 0.0, 0.0}, -5.0 / 72.0, first), 1.0 / 12.0, second), 1.0 / 9.0, third);
        error = plus(error, -0.125, last);
        double size = h * fmax(fmax(fabs(error.x), fabs(error.y)), fmax(fabs(error.u), fabs(error.v))) / 1e-7;
        if (size <= 1.0) {
            time += h;
            own = next;
            first = last;
        }
        step = h * fmin(3.0, fmax(0.3, 0.9 * rcbrt(size + 1e-6)));
        count++;
    }
    out[2 * i] = make_double2(own.x, own.y);
    out[2 * i + 1] = make_double2(own.u, own.v);
    steps[i] = count;
}

// Clouds and rain in columns of air, from the top down: vapour that is too much becomes water and warms the air, water becomes rain, and rain
// falls to the next layer or dries up. A thread per column.
extern "C" __global__ void cloud_columns(float *heat, float *vapour, float *water, float *rain, const float *pressure, const float *mass,
                                         float *fallen, float step, int layers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float falling = 0.0f;
    for (int layer = 0; layer < layers; layer++) {
        int at = layer * n + i;
        float t = heat[at], q = vapour[at], c = water[at], r = rain[at], p = pressure[at], own = mass[at];
        for (int round = 0; round < 3; round++) {
            float most = 0.622f * 611.2f * __expf(17.67f * (t - 273.15f) / (t - 29.65f)) / p;
            float rise = most * 4302.6f / ((t - 29.65f) * (t - 29.65f)), change = fmaxf((q - most) / (1.0f + 2488.0f * rise), -c);
            q -= change;
            c += change;
            t += 2488.0f * change;
        }
        r += falling / own;
        float made = step * (0.001f * fmaxf(c - 0.0005f, 0.0f) + 2.2f * c * __powf(r + 1e-9f, 0.875f));
        made = fminf(made, c);
        c -= made;
        r += made;
        float room = fmaxf(0.622f * 611.2f * __expf(17.67f * (t - 273.15f) / (t - 29.65f)) / p - q, 0.0f);
        float dried = fminf(r, step * 0.05f * room * sqrtf(r));
        r -= dried;
        q += dried;
        t -= 2488.0f * dried;
        falling = r * own * fminf(0.8f, step * 0.02f * __powf(r + 1e-9f, 0.1364f));
        r -= falling / own;
        heat[at] = t;
        vapour[at] = q;
        water[at] = c;
        rain[at] = r;
    }
    fallen[i] = falling;
}

#define ROUNDS 36

// The eigenvalues of matrices with three diagonals, by halving an interval: the signs of a recurrence tell how many eigenvalues are smaller
// (Sturm). A thread per eigenvalue reads all of its matrix in each round.
extern "C" __global__ void sturm_bisect(const double2 *diagonals, double *values, float bound, int order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double2 *own = diagonals + i / order * order;
    double low = -bound, high = bound;
    for (int round = 0; round < ROUNDS; round++) {
        double middle = 0.5 * (low + high), pivot = 1.0;
        int below = 0;
        for (int k = 0; k < order; k++) {
            pivot = own[k].x - middle - own[k].y / pivot;
            if (fabs(pivot) < 1e-30) pivot = -1e-30;
            below += pivot < 0.0;
        }
        if (below > i % order) high = middle;
        else low = middle;
    }
    values[i] = 0.5 * (low + high);
}

#define ORDERS 16

// Spherical Bessel functions of sixteen orders. The recurrence goes down from an order that is high enough for the argument, and the
// results are scaled by the first two functions, which are known.
extern "C" __global__ void spherical_bessel(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = 0.1 + 60.0 * in[i], part = 1.0 / x, above = 0.0, own = 1e-200, kept[ORDERS];
    for (int order = (int)x + 24 + (int)sqrt(40.0 * x); order >= ORDERS; order--) {
        double below = (2 * order + 1) * part * own - above;
        above = own;
        own = below;
        if (fabs(own) > 1e150) {
            own *= 1e-200;
            above *= 1e-200;
        }
    }
#pragma unroll
    for (int order = ORDERS - 1; order >= 0; order--) {
        kept[order] = own;
        double below = (2 * order + 1) * part * own - above;
        above = own;
        own = below;
    }
    double sine, cosine;
    sincos(x, &sine, &cosine);
    double zeroth = sine * part, first = (zeroth - cosine) * part;
    double scale = fabs(zeroth) > fabs(first) ? zeroth / kept[0] : first / kept[1];
#pragma unroll
    for (int order = 0; order < ORDERS; order++) out[(size_t)order * n + i] = scale * kept[order];
}

__device__ unsigned long long divisor(unsigned long long a, unsigned long long b)
{
    if (a == 0 || b == 0) return a | b;
    int shift = __ffsll(a | b) - 1;
    a >>= __ffsll(a) - 1;
    while (b != 0) {
        b >>= __ffsll(b) - 1;
        unsigned long long low = min(a, b);
        b = max(a, b) - low;
        a = low;
    }
    return a << shift;
}

// The greatest common divisor of the numbers in each group. There is no such atomic, so that a thread tries again until no other thread came
// between, or there is nothing to change.
extern "C" __global__ void group_gcds(const unsigned *groups, const unsigned long long *numbers, unsigned long long *divisors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long *place = &divisors[groups[i]], number = numbers[i], seen = *place;
    while (true) {
        unsigned long long wanted = divisor(seen, number);
        if (wanted == seen) break;
        unsigned long long old = atomicCAS(place, seen, wanted);
        if (old == seen) break;
        seen = old;
    }
}

#define SAMPLE 24

// When did the last common ancestor of 24 people live? Goes back in time: two random lines meet after a random time. Also adds up the
// lengths of all lines, and of those that led to one person only.
extern "C" __global__ void coalescent_times(const unsigned *seeds, float *ages, float *lengths, float *single, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char people[SAMPLE];
    for (int k = 0; k < SAMPLE; k++) people[k] = 1;
    unsigned long long state = seeds[i];
    float age = 0.0f, all = 0.0f, alone = 0.0f;
    for (int lines = SAMPLE, ones = SAMPLE; lines > 1; lines--) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned a = __umulhi((unsigned)(state >> 32), lines), b = __umulhi((unsigned)(state >> 20), lines - 1);
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        float time = -2.0f * logf(((state >> 40) + 0.5f) * 5.9604645e-8f) / (lines * (lines - 1));
        age += time;
        all += lines * time;
        alone += ones * time;
        if (b >= a) b++;
        ones -= (people[a] == 1) + (people[b] == 1);
        people[a] += people[b];
        people[b] = people[lines - 1];
    }
    ages[i] = age;
    lengths[i] = all;
    single[i] = alone;
}
