// Compiled for compute_80.
// Tables, packets, names, prices, caches, genes, words.

typedef unsigned long long u64;

// Revenue of the sales that pass a filter: four columns of a table, one sum.
extern "C" __global__ void filter_revenue(const int *day, const float *discount, const float *quantity, const float *price,
                                          double *revenue, int first, int last, int n)
{
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (day[i] >= first && day[i] < last && quantity[i] < 24.0f && discount[i] > 0.05f) sum += price[i] * discount[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(revenue, sum);
}

// A column back from its dictionary; a bit says which values are missing.
extern "C" __global__ void dictionary_decode(const unsigned short *codes, const unsigned *valid, const u64 *dictionary,
                                             u64 *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    values[i] = valid[i / 32] >> (i % 32) & 1 ? dictionary[codes[i]] : 0;
}

// Internet checksums of packets of different lengths: a warp per packet.
extern "C" __global__ void packet_checksums(const unsigned *data, const int *offsets, unsigned short *sums, int packets)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (warp >= packets) return;
    unsigned sum = 0;
    for (int at = offsets[warp] + lane; at < offsets[warp + 1]; at += 32) {
        unsigned word = data[at];
        sum += (word & 0xffff) + (word >> 16);
    }
    sum = __reduce_add_sync(~0u, sum);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    if (lane == 0) sums[warp] = ~sum;
}

__constant__ char sound[27] = "01230120022455012623010202";

// Soundex: a letter and three digits for a name of up to 16 letters.
extern "C" __global__ void soundex(const char *names, char4 *codes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *name = names + 16 * i;
    char code[4] = {name[0], '0', '0', '0'};
    char last = sound[name[0] - 'A'];
    int filled = 1;
    for (int k = 1; k < 16 && name[k] && filled < 4; k++) {
        char now = sound[name[k] - 'A'];
        if (now != '0' && now != last) code[filled++] = now;
        last = now;
    }
    codes[i] = make_char4(code[0], code[1], code[2], code[3]);
}

// How far prices are from their moving average, in deviations: a thread follows one share.
extern "C" __global__ void price_bands(const float *price, float *score, float weight, int days, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float mean = price[i], variance = 1e-4f;
    for (int day = 0; day < days; day++) {
        float off = price[day * n + i] - mean;
        score[day * n + i] = off / sqrtf(variance);
        mean += weight * off;
        variance = (1.0f - weight) * (variance + weight * off * off);
    }
}

// Simulates small caches of 8 sets with 4 ways, least recently used: a trace per thread.
extern "C" __global__ void cache_sets(const unsigned *trace, int *misses, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned tags[8][4];
    for (int s = 0; s < 8; s++)
        for (int w = 0; w < 4; w++) tags[s][w] = ~0u;
    int count = 0;
    for (int k = 0; k < length; k++) {
        unsigned line = trace[k * n + i] >> 6;
        unsigned *set = tags[line % 8];
        int way = 0;
        while (way < 3 && set[way] != line) way++;
        if (set[way] != line) count++;
        // The newest line is the first.
        for (; way > 0; way--) set[way] = set[way - 1];
        set[0] = line;
    }
    misses[i] = count;
}

__device__ int choose(const float *wheel, float at, int n)
{
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (wheel[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

// A generation of a genetic algorithm: a warp per child takes 64 genes from two parents.
extern "C" __global__ void breed(const float *wheel, const float *genes, float *children, unsigned seed, int n)
{
    int child = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (child >= n) return;
    unsigned r = (child + 1) * 747796405u + seed;
    int mother = 0, father = 0;
    if (lane == 0) {
        mother = choose(wheel, (r >> 8) * 5.9604645e-8f * wheel[n - 1], n);
        r = r * 1664525u + 1013904223u;
        father = choose(wheel, (r >> 8) * 5.9604645e-8f * wheel[n - 1], n);
    }
    r = __shfl_sync(~0u, r, 0);
    mother = __shfl_sync(~0u, mother, 0);
    father = __shfl_sync(~0u, father, 0);
    int cut = r >> 4 & 63;
    for (int gene = lane; gene < 64; gene += 32) {
        unsigned m = (r ^ gene * 2654435761u) * 2246822519u;
        float value = genes[(gene < cut ? mother : father) * 64 + gene];
        if (m >> 26 == 0) value += (m & 0xffff) / 65536.0f - 0.5f;
        children[child * 64 + gene] = value;
    }
}

// How much a guess of five letters tells: the entropy of its colours over all answers.
extern "C" __global__ void guess_entropy(const unsigned *guesses, const unsigned *answers, float *entropy, int many)
{
    __shared__ int seen[243];
    __shared__ float total;
    for (int k = threadIdx.x; k < 243; k += blockDim.x) seen[k] = 0;
    if (threadIdx.x == 0) total = 0.0f;
    __syncthreads();
    unsigned guess = guesses[blockIdx.x];
    for (int a = threadIdx.x; a < many; a += blockDim.x) {
        unsigned answer = answers[a];
        int colours[5] = {0, 0, 0, 0, 0}, used = 0;
        for (int k = 0; k < 5; k++)
            if ((guess >> 5 * k & 31) == (answer >> 5 * k & 31)) {
                colours[k] = 2;
                used |= 1 << k;
            }
        for (int k = 0; k < 5; k++)
            for (int j = 0; j < 5 && colours[k] == 0; j++)
                if (!(used >> j & 1) && (guess >> 5 * k & 31) == (answer >> 5 * j & 31)) {
                    colours[k] = 1;
                    used |= 1 << j;
                }
        int pattern = 0;
        for (int k = 0; k < 5; k++) pattern = 3 * pattern + colours[k];
        atomicAdd(&seen[pattern], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 243; k += blockDim.x)
        if (seen[k] > 0) {
            float p = seen[k] / (float)many;
            atomicAdd(&total, -p * log2f(p));
        }
    __syncthreads();
    if (threadIdx.x == 0) entropy[blockIdx.x] = total;
}

// Turns a sparse matrix from rows to columns: `next` has the next free place of each column.
extern "C" __global__ void transpose_sparse(const int *starts, const int *columns, const float *values, int *next,
                                            int *out_rows, float *out_values, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    for (int e = starts[row]; e < starts[row + 1]; e++) {
        int place = atomicAdd(&next[columns[e]], 1);
        out_rows[place] = row;
        out_values[place] = values[e];
    }
}

// A query on bitmaps: how many rows are in two of them and not in the third, and which?
extern "C" __global__ void bitmap_query(const uint4 *a, const uint4 *b, const uint4 *c, uint4 *found, u64 *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned many = 0;
    if (i < n) {
        uint4 x = a[i], y = b[i], z = c[i];
        uint4 r = make_uint4(x.x & y.x & ~z.x, x.y & y.y & ~z.y, x.z & y.z & ~z.z, x.w & y.w & ~z.w);
        many = __popc(r.x) + __popc(r.y) + __popc(r.z) + __popc(r.w);
        found[i] = r;
    }
    many = __reduce_add_sync(~0u, many);
    if (threadIdx.x % 32 == 0 && many > 0) atomicAdd(count, (u64)many);
}
