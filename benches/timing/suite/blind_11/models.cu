// Compiled for compute_70.
// Random numbers, games, loans, molecules, fields of physics, distances, series, folding and tours.

__device__ float uniform(unsigned long long &state)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    unsigned bits = (unsigned)((state >> 18 ^ state) >> 27), turn = (unsigned)(state >> 59);
    bits = __funnelshift_r(bits, bits, turn);
    return ((bits >> 8) + 0.5f) * 5.9604645e-8f;
}

#define DRAWS 8

// Random numbers with gamma distributions (Marsaglia and Tsang): candidates from a normal number are drawn until one is accepted. A thread
// draws eight numbers of its own shape; shapes below one need a power more.
extern "C" __global__ void gamma_draws(const float *shapes, const unsigned *seeds, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long state = seeds[i];
    uniform(state);
    float shape = shapes[i], d = (shape < 1.0f ? shape + 1.0f : shape) - 0.33333333f, c = rsqrtf(9.0f * d);
    for (int k = 0; k < DRAWS; k++) {
        float cube, normal;
        while (true) {
            normal = sqrtf(-2.0f * logf(uniform(state))) * cospif(2.0f * uniform(state));
            cube = 1.0f + c * normal;
            if (cube <= 0.0f) continue;
            cube = cube * cube * cube;
            float u = uniform(state), square = normal * normal;
            if (u < 1.0f - 0.0331f * square * square) break;
            if (logf(u) < 0.5f * square + d * (1.0f - cube + logf(cube))) break;
        }
        float draw = d * cube;
        if (shape < 1.0f) draw *= powf(uniform(state), 1.0f / shape);
        out[(size_t)k * n + i] = draw;
    }
}

// The highest of five ranks in a row, if there are any; an ace may also be the lowest. Ranks are bits.
__device__ unsigned straight(unsigned ranks)
{
    unsigned m = ranks << 1 | ranks >> 12;
    m &= m << 1 & m << 2 & m << 3 & m << 4;
    return m == 0 ? 0 : 1u << (30 - __clz(m));
}

// The highest ranks, as many as wanted.
__device__ unsigned highest(unsigned ranks, int wanted)
{
    while (__popc(ranks) > wanted) ranks &= ranks - 1;
    return ranks;
}

// How good are the best five of seven cards? Bits are cards, 13 for each suit.
__device__ unsigned hand_value(unsigned long long cards)
{
    unsigned a = cards & 8191, b = cards >> 13 & 8191, c = cards >> 26 & 8191, d = cards >> 39 & 8191, flush = 0;
    if (__popc(a) > 4) flush = a;
    if (__popc(b) > 4) flush = b;
    if (__popc(c) > 4) flush = c;
    if (__popc(d) > 4) flush = d;
    if (flush != 0 && straight(flush) != 0) return 8u << 26 | straight(flush);
    unsigned any = a | b | c | d, odd = a ^ b ^ c ^ d, fours = a & b & c & d, threes = odd & (a & b | c & d), pairs = any & ~odd & ~fours;
    if (fours != 0) return 7u << 26 | fours << 13 | highest(any & ~fours, 1);
    unsigned three = highest(threes, 1), rest = (threes | pairs) & ~three;
    if (three != 0 && rest != 0) return 6u << 26 | three << 13 | highest(rest, 1);
    if (flush != 0) return 5u << 26 | highest(flush, 5);
    if (straight(any) != 0) return 4u << 26 | straight(any);
    if (three != 0) return 3u << 26 | three << 13 | highest(any & ~three, 2);
    unsigned two = highest(pairs, 2);
    return (unsigned)__popc(two) << 26 | two << 13 | highest(any & ~two, 5 - 2 * __popc(two));
}

__device__ unsigned long long deal(unsigned long long taken, int many, unsigned long long &state)
{
    unsigned long long dealt = 0;
    while (many > 0) {
        unsigned long long card = 1ull << (int)(uniform(state) * 52.0f);
        if ((taken | dealt) & card) continue;
        dealt |= card;
        many--;
    }
    return dealt;
}

#define DEALS 16

// How often does a hand of poker win? Deals the five cards on the table and those of another player 16 times. Two points for a better
// hand, and one for an equal one.
extern "C" __global__ void poker_odds(const uchar2 *hands, const unsigned *seeds, unsigned char *points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long state = seeds[i], own = 1ull << hands[i].x | 1ull << hands[i].y;
    uniform(state);
    int sum = 0;
    for (int k = 0; k < DEALS; k++) {
        unsigned long long table = deal(own, 5, state), other = deal(own | table, 2, state);
        unsigned mine = hand_value(own | table), theirs = hand_value(other | table);
        sum += mine > theirs ? 2 : mine == theirs;
    }
    points[i] = sum;
}

// What are loans worth, and how much will be lost? Each month some borrowers pay everything back, some fail, and the others pay the same
// rate. Loans have up to 360 months; factors tell what money of a month is worth today.
extern "C" __global__ void mortgage_values(const double *balances, const float4 *terms, const double *factors, double *values,
                                           double *losses, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 term = terms[i];
    double balance = balances[i], rate = term.x / 12.0, early = term.z / 12.0, fail = term.w / 12.0, value = 0.0, loss = 0.0;
    int months = (int)term.y;
    double payment = balance * rate / (1.0 - pow(1.0 + rate, -(double)months)), share = 1.0;
    for (int month = 0; month < months && share > 1e-4; month++) {
        double interest = balance * rate, failed = share * fail, factor = factors[month];
        share -= failed;
        loss += 0.4 * failed * balance * factor;
        value += 0.6 * failed * balance * factor;
        balance -= payment - interest;
        double gone = share * early * fmin(1.0, month / 30.0);
        value += (share * payment + gone * balance) * factor;
        share -= gone;
    }
    values[i] = value;
    losses[i] = loss;
}

__device__ float3 minus(float4 a, float4 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ void push(float *forces, int atom, float p, float3 a, float q, float3 b)
{
    atomicAdd(&forces[3 * atom], p * a.x + q * b.x);
    atomicAdd(&forces[3 * atom + 1], p * a.y + q * b.y);
    atomicAdd(&forces[3 * atom + 2], p * a.z + q * b.z);
}

// Forces of twisted bonds in molecules. A torsion has four atoms, and its energy depends on the angle between the planes of the first three
// and the last three. A thread per torsion.
extern "C" __global__ void torsion_forces(const float4 *atoms, const int4 *torsions, const float4 *kinds, const unsigned char *kind,
                                          float *forces, float *energies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int4 four = torsions[i];
    float4 second = atoms[four.y], third = atoms[four.z], type = kinds[kind[i]];
    float3 f = minus(atoms[four.x], second), g = minus(second, third), h = minus(atoms[four.w], third), a = cross(f, g), b = cross(h, g);
    float aa = 1.0f / dot(a, a), bb = 1.0f / dot(b, b), length = sqrtf(dot(g, g));
    float angle = atan2f(dot(cross(b, a), g) / length, dot(a, b)), sine, cosine;
    sincosf(type.y * angle - type.z, &sine, &cosine);
    energies[i] = type.x * (1.0f + cosine);
    float pull = type.x * type.y * sine, left = dot(f, g) * aa / length, right = dot(h, g) * bb / length;
    push(forces, four.x, -pull * length * aa, a, 0.0f, b);
    push(forces, four.y, pull * (length * aa + left), a, -pull * right, b);
    push(forces, four.z, -pull * left, a, pull * (right - length * bb), b);
    push(forces, four.w, 0.0f, a, pull * length * bb, b);
}

// Products of quaternions, of which the second may be conjugate.
__device__ float4 turned(float4 a, float4 b, float sign)
{
    b = make_float4(b.x, sign * b.y, sign * b.z, sign * b.w);
    return make_float4(a.x * b.x - a.y * b.y - a.z * b.z - a.w * b.w, a.x * b.y + a.y * b.x + a.z * b.w - a.w * b.z,
                       a.x * b.z - a.y * b.w + a.z * b.x + a.w * b.y, a.x * b.w + a.y * b.z - a.z * b.y + a.w * b.x);
}

// The energy of a field on a lattice of four dimensions (gauge theory with SU(2)). Each link between two sites has a quaternion, and each
// site sums up the products around its six squares. Sides are joined. Blocks add up their sums in doubles.
extern "C" __global__ void plaquette_sums(const float4 *links, float *energies, double *total, int side)
{
    __shared__ float parts[32];
    int sites = side * side * side * side, site = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (site < sites) {
        int next[4], step = 1;
#pragma unroll
        for (int d = 0; d < 4; d++, step *= side) next[d] = site / step % side == side - 1 ? site - (side - 1) * step : site + step;
#pragma unroll
        for (int a = 0; a < 3; a++)
#pragma unroll
            for (int b = a + 1; b < 4; b++) {
                float4 around = turned(links[a * sites + site], links[b * sites + next[a]], 1.0f);
                around = turned(around, links[a * sites + next[b]], -1.0f);
                float4 last = links[b * sites + site];
                sum += 1.0f - (around.x * last.x + around.y * last.y + around.z * last.z + around.w * last.w);
            }
        energies[site] = sum;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++) sum += parts[w];
    atomicAdd(total, (double)sum);
}

__device__ float3 along(float3 a, float3 b, float part)
{
    return make_float3(a.x + part * b.x, a.y + part * b.y, a.z + part * b.z);
}

// The square of the distance of a point to a triangle: to a corner, an edge or the inside. The point and two corners are given relative to
// the first corner.
__device__ float triangle_distance(float3 p, float3 b, float3 c)
{
    float d1 = dot(b, p), d2 = dot(c, p);
    if (d1 <= 0.0f && d2 <= 0.0f) return dot(p, p);
    float3 pb = along(p, b, -1.0f), pc = along(p, c, -1.0f);
    float d3 = dot(b, pb), d4 = dot(c, pb), d5 = dot(b, pc), d6 = dot(c, pc);
    if (d3 >= 0.0f && d4 <= d3) return dot(pb, pb);
    if (d6 >= 0.0f && d5 <= d6) return dot(pc, pc);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    float3 away;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) away = along(p, b, -d1 / (d1 - d3));
    else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) away = along(p, c, -d2 / (d2 - d6));
    else if (va <= 0.0f && d4 >= d3 && d5 >= d6) away = along(pb, along(c, b, -1.0f), -(d4 - d3) / ((d4 - d3) + (d5 - d6)));
    else {
        float part = 1.0f / (va + vb + vc);
        away = along(along(p, b, -vb * part), c, -vc * part);
    }
    return dot(away, away);
}

// Which of the triangles in its cell of space is closest to a point? Cells have lists of triangles of any length, and triangles have three
// numbers of corners.
extern "C" __global__ void triangle_distances(const float4 *points, const unsigned *cells, const int *starts, const uint3 *triangles,
                                              const float4 *corners, float *distances, int *closest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 point = points[i];
    unsigned cell = cells[i];
    float least = 1e30f;
    int choice = -1;
    for (int k = starts[cell]; k < starts[cell + 1]; k++) {
        uint3 three = triangles[k];
        float4 a = corners[three.x];
        float distance = triangle_distance(minus(point, a), minus(corners[three.y], a), minus(corners[three.z], a));
        if (distance < least) {
            least = distance;
            choice = k;
        }
    }
    distances[i] = sqrtf(least);
    closest[i] = choice;
}

#define TURN 6.283185307179586

// Riemann's zeta function on its critical line, as a real number (Riemann and Siegel): a sum of cosines with as many terms as the root of
// the height, and one term to correct it.
extern "C" __global__ void riemann_siegel(const double *heights, const double *logarithms, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double t = heights[i], root = sqrt(t / TURN), sum = 0.0;
    double theta = 0.5 * t * (log(t / TURN) - 1.0) - TURN / 16.0 + 1.0 / (48.0 * t);
    int terms = (int)root;
    for (int k = 1; k <= terms; k++) {
        double phase = theta - t * logarithms[k];
        phase -= TURN * rint(phase / TURN);
        sum += cos(phase) * rsqrt((double)k);
    }
    double p = root - terms, rest = cospi(2.0 * (p * p - p - 0.0625)) / cospi(2.0 * p);
    out[i] = 2.0 * sum + (terms % 2 == 0 ? -rest : rest) / sqrt(root);
}

#define LENGTH 72

// How many pairs can a strand of RNA form at most when it folds onto itself (Nussinov)? A block fills the triangle of a strand of 72 bases,
// one diagonal after another. A pair has at least three bases between.
extern "C" __global__ void nussinov_folds(const unsigned char *strands, unsigned char *pairs)
{
    __shared__ unsigned char most[LENGTH + 1][LENGTH + 1], bases[LENGTH];
    for (int k = threadIdx.x; k < (LENGTH + 1) * (LENGTH + 1); k += blockDim.x) most[k / (LENGTH + 1)][k % (LENGTH + 1)] = 0;
    for (int k = threadIdx.x; k < LENGTH; k += blockDim.x) bases[k] = strands[blockIdx.x * LENGTH + k];
    __syncthreads();
    for (int size = 4; size < LENGTH; size++) {
        for (int first = threadIdx.x; first + size < LENGTH; first += blockDim.x) {
            int last = first + size, code = bases[first] * 4 + bases[last];
            int best = most[first + 1][last - 1] + (0x5a48 >> code & 1);
            for (int k = first; k < last; k++) best = max(best, most[first][k] + most[k + 1][last]);
            most[first][last] = best;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) pairs[blockIdx.x] = most[0][LENGTH - 1];
}

// The squares that a knight can go to, as bits of a board of 8 x 8.
__device__ unsigned long long jumps(int square)
{
    unsigned long long at = 1ull << square, left = at >> 1 & 0x7f7f7f7f7f7f7f7full, right = at << 1 & 0xfefefefefefefefeull;
    unsigned long long left2 = at >> 2 & 0x3f3f3f3f3f3f3f3full, right2 = at << 2 & 0xfcfcfcfcfcfcfcfcull;
    unsigned long long near = left | right, far = left2 | right2;
    return near << 16 | near >> 16 | far << 8 | far >> 8;
}

// Knights that visit all squares of a board once (Warnsdorff): each goes where it will have the fewest ways on, and any of those if there
// are several. Writes the way, and how long it is.
extern "C" __global__ void knights_tours(const unsigned *seeds, uint4 *ways, unsigned char *lengths, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = seeds[i] | 1;
    uint4 kept[4] = {};
    unsigned char *way = (unsigned char *)kept;
    int square = state >> 26, length = 0;
    unsigned long long unused = ~0ull;
    while (true) {
        way[length++] = square;
        unused &= ~(1ull << square);
        unsigned long long choices = jumps(square) & unused;
        if (choices == 0) break;
        int fewest = 9, ties = 0;
        for (; choices != 0; choices &= choices - 1) {
            int next = __ffsll(choices) - 1, ways_on = __popcll(jumps(next) & unused);
            if (ways_on > fewest) continue;
            if (ways_on < fewest) ties = 0;
            fewest = ways_on;
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            if (__umulhi(state, ++ties) == 0) square = next;
        }
    }
    for (int k = 0; k < 4; k++) ways[(size_t)i * 4 + k] = kept[k];
    lengths[i] = length;
}
