// Compiled for compute_70.
// Sparse matrices, graphs, queues, strings, codes, groups, merging, searches and bits.

#define ITEMS 8

// A sparse matrix in compressed rows times a vector. Threads share the entries and the ends of rows evenly (merge path): each finds where
// it starts by binary search. Rows that began in an earlier thread, or go on in a later one, are added up with atomics.
extern "C" __global__ void merge_path_product(const int *ends, const unsigned *columns, const float *values, const float *vector,
                                              float *out, int entries, int n)
{
    int step = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS, stop = min(step + ITEMS, n + entries);
    if (step >= stop) return;
    int row = max(0, step - entries), high = min(step, n);
    while (row < high) {
        int middle = (row + high) / 2;
        if (ends[middle] <= step - middle - 1) row = middle + 1;
        else high = middle;
    }
    int entry = step - row;
    bool whole = false;
    float sum = 0.0f;
    for (; step < stop; step++) {
        if (entry < ends[row]) {
            sum += values[entry] * vector[columns[entry]];
            entry++;
            continue;
        }
        if (whole) out[row] = sum;
        else atomicAdd(&out[row], sum);
        whole = true;
        sum = 0.0f;
        row++;
    }
    if (row < n && sum != 0.0f) atomicAdd(&out[row], sum);
}

#define MOST 16

// To which community of its neighbours should each vertex of a graph move (Louvain)? Adds up the weights to each community in a short list,
// and takes the one with the largest gain of modularity.
extern "C" __global__ void louvain_gains(const int *starts, const unsigned *targets, const unsigned char *weights, const unsigned *groups,
                                         const unsigned *totals, unsigned *best, unsigned all, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned met[MOST], sums[MOST], own = groups[v], degree = 0;
    int many = 0;
    for (int k = starts[v]; k < starts[v + 1]; k++) {
        unsigned group = groups[targets[k]], weight = weights[k];
        int at = 0;
        while (at < many && met[at] != group) at++;
        if (at == many) {
            met[many] = group;
            sums[many++] = 0;
        }
        sums[at] += weight;
        degree += weight;
    }
    long long most = -(1ll << 62);
    unsigned choice = own;
    for (int at = 0; at < many; at++) {
        unsigned total = totals[met[at]] - (met[at] == own ? degree : 0);
        long long gain = (long long)all * sums[at] - (long long)degree * total;
        if (gain > most || (gain == most && met[at] < choice)) {
            most = gain;
            choice = met[at];
        }
    }
    best[v] = choice;
}

// A round of putting tasks in order: each task of the queue is done, and tasks that wait for it have one less to wait for. Those that wait
// for none go to the next queue.
extern "C" __global__ void kahn_frontier(const unsigned *queue, const int *starts, const unsigned *targets, unsigned *waits, unsigned *next,
                                         unsigned *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned task = queue[i];
    for (int k = starts[task]; k < starts[task + 1]; k++) {
        unsigned target = targets[k];
        if (atomicSub(&waits[target], 1u) == 1) next[atomicAdd(count, 1u)] = target;
    }
}

#define LETTERS 32
#define QUERIES 5

// Which of five words is a name most like? Compares the sets of three letters in a row that occur in both, as sets of 256 bits. The sets of
// the words are given.
extern "C" __global__ void trigram_scores(const uint4 *names, const unsigned *words, float *scores, unsigned char *best, int n)
{
    __shared__ unsigned sets[QUERIES * 8];
    for (int k = threadIdx.x; k < QUERIES * 8; k += blockDim.x) sets[k] = words[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 halves[2] = {names[2 * i], names[2 * i + 1]};
    const unsigned char *letters = (const unsigned char *)halves;
    unsigned own[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 2; k < LETTERS && letters[k] != 0; k++) {
        unsigned hash = ((letters[k - 2] * 31 + letters[k - 1]) * 31 + letters[k]) * 0x9e3779b1u >> 24;
        own[hash / 32] |= 1u << hash % 32;
    }
    float highest = -1.0f;
    int choice = 0;
    for (int q = 0; q < QUERIES; q++) {
        int both = 0, any = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            both += __popc(own[k] & sets[q * 8 + k]);
            any += __popc(own[k] | sets[q * 8 + k]);
        }
        float score = (float)both / any;
        if (score > highest) {
            highest = score;
            choice = q;
        }
    }
    scores[i] = highest;
    best[i] = choice;
}

// Reads identifiers (UUIDs) of 36 letters, with dashes after the 8th, 12th, 16th and 20th of 32 hexadecimal digits. Those with anything
// else become zero and are counted.
extern "C" __global__ void parse_uuids(const unsigned *text, uint4 *numbers, unsigned *invalid, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned words[9], parts[4] = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < 9; k++) words[k] = text[(size_t)i * 9 + k];
    bool right = true;
    int digits = 0;
#pragma unroll
    for (int k = 0; k < 36; k++) {
        unsigned letter = words[k / 4] >> k % 4 * 8 & 255;
        if (k == 8 || k == 13 || k == 18 || k == 23) {
            right = right && letter == '-';
            continue;
        }
        unsigned digit = letter - '0', other = (letter | 32) - 'a';
        right = right && (digit < 10 || other < 6);
        parts[digits / 8] = parts[digits / 8] << 4 | (digit < 10 ? digit : other + 10);
        digits++;
    }
    if (!right) atomicAdd(invalid, 1u);
    numbers[i] = right ? make_uint4(parts[0], parts[1], parts[2], parts[3]) : make_uint4(0, 0, 0, 0);
}

#define SAMPLES 64

// Unpacks sound without loss (Rice codes, as in FLAC): a difference has a number of zeros, a one, and some low bits. A thread has a block
// of 64 samples, of which it knows the first bit, how many low bits there are and the sample before.
extern "C" __global__ void rice_decode(const unsigned *bits, const unsigned *starts, const unsigned char *lows, const int *before,
                                       int *samples, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = starts[i], low = lows[i];
    int sample = before[i];
    for (int k = 0; k < SAMPLES; k++) {
        unsigned window = __funnelshift_l(bits[at / 32 + 1], bits[at / 32], at % 32), zeros = __clz(window);
        unsigned code = zeros << low | (window << (zeros + 1)) >> 1 >> (31 - low);
        at += zeros + 1 + low;
        sample += (int)(code >> 1) ^ -(int)(code & 1);
        samples[i * SAMPLES + k] = sample;
    }
}

#define PRIME 2147483647u

// The products of the numbers in each group, modulo a prime. There is no such atomic, so that a thread tries again until no other thread
// came between.
extern "C" __global__ void group_products(const unsigned *groups, const unsigned *numbers, unsigned *products, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned *product = &products[groups[i]], number = numbers[i], seen = *product, old;
    do {
        old = seen;
        seen = atomicCAS(product, old, (unsigned)((unsigned long long)old * number % PRIME));
    } while (seen != old);
}

#define RUNS 8
#define RUN 8

// Merges eight sorted runs of eight keys (a tree of losers): each inner node keeps the run that lost there, and only the way of the last
// winner is played again. A thread per group of runs.
extern "C" __global__ void loser_tree(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    in += (size_t)i * RUNS * RUN;
    out += (size_t)i * RUNS * RUN;
    unsigned keys[RUNS];
    unsigned char losers[RUNS], winners[2 * RUNS], used[RUNS];
    for (int run = 0; run < RUNS; run++) {
        keys[run] = in[run * RUN];
        winners[RUNS + run] = run;
        used[run] = 0;
    }
    for (int node = RUNS - 1; node > 0; node--) {
        int a = winners[2 * node], b = winners[2 * node + 1];
        bool first = keys[a] <= keys[b];
        winners[node] = first ? a : b;
        losers[node] = first ? b : a;
    }
    int winner = winners[1];
    for (int k = 0; k < RUNS * RUN; k++) {
        out[k] = keys[winner];
        int next = ++used[winner];
        keys[winner] = next < RUN ? in[winner * RUN + next] : ~0u;
        for (int node = (RUNS + winner) / 2; node > 0; node /= 2) {
            int other = losers[node];
            if (keys[other] < keys[winner]) {
                losers[node] = winner;
                winner = other;
            }
        }
    }
}

// The first entry of a sorted table that is not below a key. Guesses from the first and the last entry that are left, and takes the middle
// every third time.
extern "C" __global__ void interpolation_search(const unsigned *table, const unsigned *keys, unsigned *places, unsigned size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], low = 0, high = size;
    for (int round = 1; low < high; round++) {
        unsigned first = table[low], last = table[high - 1];
        if (key <= first) break;
        if (key > last) {
            low = high;
            break;
        }
        unsigned guess = low + (high - low) / 2;
        if (round % 3 != 0) guess = low + (unsigned)((unsigned long long)(key - first) * (high - 1 - low) / (last - first));
        if (table[guess] < key) low = guess + 1;
        else high = guess;
    }
    places[i] = low;
}

// The product of two matrices of 8 x 8 bits, where one and one is zero.
__device__ unsigned long long bits_product(unsigned long long a, unsigned long long b)
{
    unsigned long long sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum ^= (a >> k & 0x0101010101010101ull) * 255 & (b >> 8 * k & 255) * 0x0101010101010101ull;
    return sum;
}

// Powers of matrices of 8 x 8 bits, each in a number of 64 bits. Exponents have 16 bits.
extern "C" __global__ void bit_matrices(const unsigned long long *matrices, const unsigned short *exponents, unsigned long long *powers,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long square = matrices[i], power = 0x8040201008040201ull;
    for (unsigned left = exponents[i]; left > 0; left >>= 1) {
        if (left & 1) power = bits_product(power, square);
        square = bits_product(square, square);
    }
    powers[i] = power;
}
