// Compiled for compute_70.
// Sparse products, joins, labels, sketches, sorting networks, generators.

// Joins partitions of two tables: a block hashes one side in shared memory and probes it.
extern "C" __global__ void join_partitions(const uint2 *build, const int *first, const unsigned *probe,
                                           const int *begin, unsigned *sums)
{
    __shared__ unsigned keys[1024], values[1024], total;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        keys[i] = ~0u;
        values[i] = 0;
    }
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = first[blockIdx.x] + threadIdx.x; i < first[blockIdx.x + 1]; i += blockDim.x) {
        uint2 pair = build[i];
        unsigned at = pair.x * 2654435761u >> 22;
        while (true) {
            unsigned old = atomicCAS(&keys[at], ~0u, pair.x);
            if (old == ~0u || old == pair.x) break;
            at = (at + 1) & 1023;
        }
        atomicMax(&values[at], pair.y);
    }
    __syncthreads();
    unsigned mine = 0;
    for (int i = begin[blockIdx.x] + threadIdx.x; i < begin[blockIdx.x + 1]; i += blockDim.x) {
        unsigned key = probe[i], at = key * 2654435761u >> 22;
        while (keys[at] != ~0u && keys[at] != key) at = (at + 1) & 1023;
        if (keys[at] == key) mine += values[at];
    }
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// Each vertex takes the label that most of its neighbours have; of two, the smaller.
extern "C" __global__ void label_votes(const int *starts, const int *targets, const int *label, int *next, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int begin = starts[v], end = starts[v + 1], best = label[v], most = 0;
    for (int a = begin; a < end; a++) {
        int mine = label[targets[a]], count = 0;
        for (int b = begin; b < end; b++) count += label[targets[b]] == mine;
        if (count > most || (count == most && mine < best)) {
            most = count;
            best = mine;
        }
    }
    next[v] = best;
}

// A product with a sparse matrix in columns: a thread per column adds to the rows.
extern "C" __global__ void columns_product(const int *starts, const int *rows, const float *values, const float *x,
                                           float *y, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float by = x[c];
    for (int k = starts[c]; k < starts[c + 1]; k++) atomicAdd(&y[rows[k]], values[k] * by);
}

// Products of rows of two dense matrices where a sparse one has entries: 16 lanes each.
extern "C" __global__ void sampled_products(const int2 *__restrict__ places, const float4 *__restrict__ a,
                                            const float4 *__restrict__ b, float *out, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 16, lane = threadIdx.x % 16;
    float sum = 0;
    if (i < n) {
        int2 at = places[i];
        float4 u = __ldg(&a[at.x * 16 + lane]), v = __ldg(&b[at.y * 16 + lane]);
        sum = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 16);
    if (lane == 0 && i < n) out[i] = sum;
}

// Entries in each row of the product of a sparse matrix with itself: a block and a table each.
extern "C" __global__ void product_row_sizes(const int *starts, const int *columns, int *sizes)
{
    __shared__ int table[512], count;
    for (int k = threadIdx.x; k < 512; k += blockDim.x) table[k] = -1;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int row = blockIdx.x;
    for (int k = starts[row] + threadIdx.y; k < starts[row + 1]; k += blockDim.y) {
        int through = columns[k];
        for (int j = starts[through] + threadIdx.x; j < starts[through + 1]; j += blockDim.x) {
            int column = columns[j], at = column * 107 & 511;
            while (true) {
                int old = atomicCAS(&table[at], -1, column);
                if (old == -1) atomicAdd(&count, 1);
                if (old == -1 || old == column) break;
                at = (at + 1) & 511;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) sizes[row] = count;
}

// One step of a bitonic sort in global memory.
extern "C" __global__ void exchange_step(unsigned *keys, int apart, int run, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ apart;
    if (other >= n || other <= i) return;
    unsigned a = keys[i], b = keys[other];
    if ((a > b) == ((i & run) == 0)) {
        keys[i] = b;
        keys[other] = a;
    }
}

// Estimates distinct values: most leading zeros per register, in shared memory first.
extern "C" __global__ void loglog_registers(const unsigned *values, int *registers, int n)
{
    extern __shared__ int most[];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) most[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned h = values[i];
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        h ^= h >> 16;
        atomicMax(&most[h & 2047], __clz(h | 2047) + 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 2048; k += blockDim.x)
        if (most[k] > 0) atomicMax(&registers[k], most[k]);
}

// Signatures of sets: the least of 64 hashes each, and a hash per thread.
extern "C" __global__ void min_hashes(const unsigned *items, const int *starts, const uint2 *factors, unsigned *out)
{
    int hash = threadIdx.x;
    uint2 f = factors[hash];
    unsigned least = ~0u;
    for (int i = starts[blockIdx.x]; i < starts[blockIdx.x + 1]; i++) least = min(least, f.x * items[i] + f.y);
    out[blockIdx.x * blockDim.x + hash] = least;
}

// The Mersenne Twister, a generator per block: the next rounds of its 624 words.
extern "C" __global__ void twister(unsigned *states, unsigned *out, int rounds)
{
    __shared__ unsigned s[624];
    for (int k = threadIdx.x; k < 624; k += blockDim.x) s[k] = states[blockIdx.x * 624 + k];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        // Words that need no word of this round, then those that need the ones before.
        for (int from = 0; from < 624; from += 227) {
            unsigned next[2];
            int end = min(from + 227, 624), many = 0;
            for (int k = from + threadIdx.x; k < end; k += blockDim.x) {
                unsigned y = (s[k] & 0x80000000u) | (s[(k + 1) % 624] & 0x7fffffffu);
                next[many++] = s[(k + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
            }
            __syncthreads();
            many = 0;
            for (int k = from + threadIdx.x; k < end; k += blockDim.x) s[k] = next[many++];
            __syncthreads();
        }
        for (int k = threadIdx.x; k < 624; k += blockDim.x) {
            unsigned y = s[k];
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c5680u;
            y ^= y << 15 & 0xefc60000u;
            out[(blockIdx.x * rounds + r) * 624 + k] = y ^ y >> 18;
        }
    }
    for (int k = threadIdx.x; k < 624; k += blockDim.x) states[blockIdx.x * 624 + k] = s[k];
}

// Distances to the goal of each tile of a map with walls: relaxes until nothing changes.
extern "C" __global__ void flow_tiles(const unsigned char *cost, int *distance, int side)
{
    __shared__ int d[18][18];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 16 + y) * side + blockIdx.x * 16 + x;
    for (int k = y * 16 + x; k < 18 * 18; k += 256) d[k / 18][k % 18] = 1 << 20;
    __syncthreads();
    int step = cost[at];
    if (x == 8 && y == 8) d[9][9] = 0;
    __syncthreads();
    bool more = true;
    while (__syncthreads_or(more)) {
        int near = min(min(d[y][x + 1], d[y + 2][x + 1]), min(d[y + 1][x], d[y + 1][x + 2])) + step;
        more = step < 250 && near < d[y + 1][x + 1];
        __syncthreads();
        if (more) d[y + 1][x + 1] = near;
    }
    distance[at] = d[y + 1][x + 1];
}

// Sorts rows of numbers by Shell's method, where they are: a thread per row.
extern "C" __global__ void shell_rows(float *rows, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float *row = rows + i * width;
    for (int gap = width / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int k = gap; k < width; k++) {
            float v = row[k];
            int j = k;
            for (; j >= gap && row[j - gap] > v; j -= gap) row[j] = row[j - gap];
            row[j] = v;
        }
}

// Entropy of each 64 bytes by their low halves, with counters in shared memory.
extern "C" __global__ void chunk_entropy(const uint4 *bytes, float *entropy, int n)
{
    extern __shared__ unsigned counts[];
    unsigned *mine = counts + threadIdx.x * 16;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 16; k++) mine[k] = 0;
    for (int q = 0; q < 4; q++) {
        uint4 four = bytes[i * 4 + q];
        unsigned w[4] = {four.x, four.y, four.z, four.w};
        for (int k = 0; k < 16; k++) mine[w[k / 4] >> (k % 4 * 8) & 15]++;
    }
    float sum = 0;
    for (int k = 0; k < 16; k++)
        if (mine[k]) sum -= mine[k] / 64.0f * log2f(mine[k] / 64.0f);
    entropy[i] = sum;
}
