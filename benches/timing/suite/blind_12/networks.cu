// Compiled for compute_80.
// Sparse matrices, graphs, tours, layers of networks, short types, products modulo a prime and selection.

// A sparse matrix times a vector. A row has its first column, and a byte for each entry that tells how far it is from the one before;
// values are in bf16. A warp per row adds up the bytes.
extern "C" __global__ void delta_columns_product(const int *starts, const unsigned *firsts, const unsigned char *deltas,
                                                 const unsigned short *values, const float *vector, float *out, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    unsigned column = firsts[row];
    int end = starts[row + 1];
    float sum = 0.0f;
    for (int k = starts[row]; k < end; k += 32) {
        unsigned away = k + lane < end ? deltas[k + lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(~0u, away, d);
            if (lane >= d) away += other;
        }
        if (k + lane < end) sum += __uint_as_float((unsigned)values[k + lane] << 16) * vector[column + away];
        column += __shfl_sync(~0u, away, 31);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) out[row] = sum;
}

#define SLOTS 256

// How many vertices of a graph can be reached in two steps, and over how many ways at most? A warp per vertex counts them in a hash table
// of its own in shared memory; eight lanes follow a neighbour.
extern "C" __global__ void two_step_paths(const int *starts, const unsigned *targets, unsigned *reached, unsigned *ways, int n)
{
    extern __shared__ unsigned tables[];
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n) return;
    unsigned *keys = tables + threadIdx.x / 32 * 2 * SLOTS, *counts = keys + SLOTS;
    for (int k = lane; k < SLOTS; k += 32) {
        keys[k] = ~0u;
        counts[k] = 0;
    }
    __syncwarp();
    for (int k = starts[v] + lane / 8; k < starts[v + 1]; k += 4) {
        unsigned through = targets[k];
        for (int j = starts[through] + lane % 8; j < starts[through + 1]; j += 8) {
            unsigned target = targets[j], slot = target * 0x9e3779b1u >> 24;
            while (true) {
                unsigned found = atomicCAS(&keys[slot], ~0u, target);
                if (found == ~0u || found == target) break;
                slot = (slot + 1) % SLOTS;
            }
            atomicAdd(&counts[slot], 1u);
        }
    }
    __syncwarp();
    unsigned many = 0, most = 0;
    for (int k = lane; k < SLOTS; k += 32) {
        many += keys[k] != ~0u;
        most = max(most, counts[k]);
    }
    for (int d = 16; d > 0; d /= 2) {
        many += __shfl_down_sync(~0u, many, d);
        most = max(most, __shfl_down_sync(~0u, most, d));
    }
    if (lane > 0) return;
    reached[v] = many;
    ways[v] = most;
}

// A round of finding the largest flow through a network (push and relabel): a vertex with more than it gives away pushes it down along its
// edges, one after another. If some is left, the vertex is lifted just above its lowest neighbour.
extern "C" __global__ void preflow_round(const int *starts, const unsigned *targets, const unsigned *rooms, const unsigned *excess,
                                         const unsigned *heights, unsigned *pushed, unsigned *gained, unsigned *left,
                                         unsigned *lifted, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned rest = excess[v], height = heights[v], lowest = ~0u;
    int end = starts[v + 1];
    for (int k = starts[v]; k < end && rest > 0; k++) {
        unsigned room = rooms[k], target = targets[k];
        if (room == 0) continue;
        unsigned below = heights[target], part = below + 1 == height ? min(room, rest) : 0;
        if (part > 0) {
            pushed[k] = part;
            atomicAdd(&gained[target], part);
            rest -= part;
        }
        if (part < room) lowest = min(lowest, below);
    }
    left[v] = rest;
    lifted[v] = rest > 0 && lowest != ~0u ? max(height, lowest + 1) : height;
}

__device__ float leaky(float x)
{
    return x > 0.0f ? x : 0.2f * x;
}

// A layer of graph attention: a vertex takes the mean of its neighbours' 64 numbers, weighted by a softmax of scores that both ends have. A
// warp per vertex.
extern "C" __global__ void graph_attention(const int *starts, const unsigned *targets, const float *own_scores, const float *scores,
                                           const float2 *features, float2 *out, int n)
{
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= n) return;
    int start = starts[v], end = starts[v + 1];
    float own = own_scores[v], most = -1e30f, total = 0.0f;
    for (int k = start + lane; k < end; k += 32) most = fmaxf(most, leaky(own + scores[targets[k]]));
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k = start; k < end; k++) {
        unsigned target = targets[k];
        float weight = __expf(leaky(own + scores[target]) - most);
        float2 feature = features[target * 32 + lane];
        sum.x += weight * feature.x;
        sum.y += weight * feature.y;
        total += weight;
    }
    out[v * 32 + lane] = make_float2(sum.x / total, sum.y / total);
}

#define CITIES 64

// Tours that ants take through 64 cities: each next city is drawn by how much an ant likes the way, among those that it has not seen. A
// warp per ant has two cities per lane.
extern "C" __global__ void ant_tours(const unsigned *likes, const unsigned *roads, const unsigned *seeds, unsigned char *tours,
                                     unsigned *lengths, int n)
{
    int ant = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (ant >= n) return;
    unsigned state = seeds[ant] | 1, low = 1, high = 1, length = 0, first = state >> 26, city = first;
    for (int step = 0;; step++) {
        if (lane == 0) tours[(size_t)ant * CITIES + step] = city;
        if (city == lane) low = 0;
        if (city == lane + 32) high = 0;
        if (step == CITIES - 1) break;
        unsigned a = low * likes[city * CITIES + lane], sum = a + high * likes[city * CITIES + 32 + lane], scan = sum;
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(~0u, scan, d);
            if (lane >= d) scan += other;
        }
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        unsigned draw = __umulhi(state, __shfl_sync(~0u, scan, 31));
        int winner = __ffs(__ballot_sync(~0u, scan > draw)) - 1;
        unsigned next = winner + 32 * __shfl_sync(~0u, draw >= scan - sum + a ? 1u : 0u, winner);
        length += roads[city * CITIES + next];
        city = next;
    }
    if (lane == 0) lengths[ant] = length + roads[city * CITIES + first];
}

__device__ float2 from_halves(unsigned pair)
{
    float2 out;
    asm("{.reg .f16 low, high;\n mov.b32 {low, high}, %2;\n cvt.f32.f16 %0, low;\n cvt.f32.f16 %1, high;}"
        : "=f"(out.x), "=f"(out.y)
        : "r"(pair));
    return out;
}

// Joins two parts of a softmax, each with its maximum and its sum.
__device__ float2 joined(float2 a, float2 b)
{
    float most = fmaxf(a.x, b.x);
    return make_float2(most, a.y * __expf(a.x - most) + b.y * __expf(b.x - most));
}

__device__ float2 block_joined(float2 own, float2 *warps)
{
    for (int d = 16; d > 0; d /= 2)
        own = joined(own, make_float2(__shfl_xor_sync(~0u, own.x, d), __shfl_xor_sync(~0u, own.y, d)));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    own = warps[0];
    for (int w = 1; w < blockDim.x / 32; w++) own = joined(own, warps[w]);
    return own;
}

// A small network learns from a large one: how far are its shares from the other's (Kullback and Leibler), and the slopes for its scores?
// Scores have 16 bits, two together. A block per row reads both rows twice.
extern "C" __global__ void distill_rows(const unsigned *teacher, const unsigned *student, float *losses, float2 *slopes, float heat,
                                        int pairs)
{
    __shared__ float2 teachers[32], students[32];
    __shared__ float parts[32];
    size_t row = (size_t)blockIdx.x * pairs;
    float2 other = make_float2(-1e30f, 0.0f), own = other;
    for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
        float2 a = from_halves(teacher[row + k]), b = from_halves(student[row + k]);
        other = joined(joined(other, make_float2(heat * a.x, 1.0f)), make_float2(heat * a.y, 1.0f));
        own = joined(joined(own, make_float2(heat * b.x, 1.0f)), make_float2(heat * b.y, 1.0f));
    }
    other = block_joined(other, teachers);
    own = block_joined(own, students);
    float level = other.x + __logf(other.y), below = own.x + __logf(own.y), loss = 0.0f;
    for (int k = threadIdx.x; k < pairs; k += blockDim.x) {
        float2 a = from_halves(teacher[row + k]), b = from_halves(student[row + k]);
        a = make_float2(heat * a.x - level, heat * a.y - level);
        b = make_float2(heat * b.x - below, heat * b.y - below);
        float p = __expf(a.x), q = __expf(a.y);
        loss += p * (a.x - b.x) + q * (a.y - b.y);
        slopes[row + k] = make_float2(__expf(b.x) - p, __expf(b.y) - q);
    }
    for (int d = 16; d > 0; d /= 2) loss += __shfl_down_sync(~0u, loss, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = loss;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++) loss += parts[w];
    losses[blockIdx.x] = loss;
}

// Weights of four bits become bf16: a code is a place in a table of 16 levels, 64 weights have a scale of one byte, and 256 scales have a
// scale in turn. A thread has eight weights.
extern "C" __global__ void nf4_rows(const unsigned *codes, const unsigned char *scales, const float *steps, const float *levels, uint4 *out,
                                    float least, int n)
{
    __shared__ float kept[16];
    if (threadIdx.x < 16) kept[threadIdx.x] = levels[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned code = codes[i], pairs[4];
    float scale = scales[i / 8] * steps[i / 2048] + least;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float low = scale * kept[code >> 8 * k & 15], high = scale * kept[code >> (8 * k + 4) & 15];
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pairs[k]) : "f"(high), "f"(low));
    }
    out[i] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}

#define DEPTH 32
#define ROWS 4
#define PRIME 2147483647ull

// A product of matrices modulo the prime 2^31 - 1, with products of 64 bits. Two of them are added up before the sum becomes small again. A
// thread has four rows of a column.
extern "C" __global__ void product_mod_p(const unsigned *a, const unsigned *b, unsigned *out, int n)
{
    __shared__ unsigned left[DEPTH][DEPTH], right[DEPTH][DEPTH];
    int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * blockDim.y * ROWS, column = blockIdx.x * DEPTH + x;
    unsigned long long sums[ROWS] = {};
    for (int start = 0; start < n; start += DEPTH) {
        for (int r = y; r < blockDim.y * ROWS; r += blockDim.y)
            left[r][x] = start + x < n && top + r < n ? a[(top + r) * n + start + x] : 0;
        for (int r = y; r < DEPTH; r += blockDim.y) right[r][x] = start + r < n && column < n ? b[(start + r) * n + column] : 0;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < DEPTH; k += 2) {
            unsigned long long first = right[k][x], second = right[k + 1][x];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                int row = y + r * blockDim.y;
                unsigned long long sum = sums[r] + left[row][k] * first + left[row][k + 1] * second;
                sums[r] = (sum & PRIME) + (sum >> 31);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int row = top + y + r * blockDim.y;
        if (row < n && column < n) out[row * n + column] = sums[r] % PRIME;
    }
}

// A word that is larger for a larger number.
__device__ unsigned ordered(float value)
{
    unsigned bits = __float_as_uint(value);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

// The number at some place of each row if it were sorted, largest first, and as bits which numbers are not below. Four rounds count the
// next eight bits of those that are still in question. A block per row.
extern "C" __global__ void radix_select_rows(const float *rows, float *limits, unsigned *masks, int width, int wanted)
{
    __shared__ unsigned bins[256], prefix, left;
    const float *row = rows + (size_t)blockIdx.x * width;
    if (threadIdx.x == 0) {
        prefix = 0;
        left = wanted;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int k = threadIdx.x; k < 256; k += blockDim.x) bins[k] = 0;
        __syncthreads();
        unsigned known = prefix;
        for (int k = threadIdx.x; k < width; k += blockDim.x) {
            unsigned key = ordered(row[k]);
            if (shift == 24 || (key ^ known) >> (shift + 8) == 0) atomicAdd(&bins[key >> shift & 255], 1u);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned bin = 255;
            while (bins[bin] < left) left -= bins[bin--];
            prefix |= bin << shift;
        }
        __syncthreads();
    }
    unsigned limit = prefix;
    int words = (width + 31) / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) limits[blockIdx.x] = __uint_as_float(limit >> 31 ? limit ^ 1u << 31 : ~limit);
    for (int word = threadIdx.x / 32; word < words; word += blockDim.x / 32) {
        int k = word * 32 + lane;
        unsigned mask = __ballot_sync(~0u, k < width && ordered(row[k]) >= limit);
        if (lane == 0) masks[(size_t)blockIdx.x * words + word] = mask;
    }
}
