// Compiled for compute_70.
// Filters, texts, graphs, trees, indexes and codes.

__device__ unsigned long long mixed(unsigned long long key)
{
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdull;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53ull;
    return key ^ key >> 33;
}

// Asks an xor filter whether keys may be in a set: three bytes, one from each part of the filter, must combine to the mark of the key.
// The answers of a warp fill a word.
extern "C" __global__ void xor_filter_query(const unsigned long long *keys, const unsigned char *filter, unsigned *found, unsigned part,
                                            int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool hit = false;
    if (i < n) {
        unsigned long long hash = mixed(keys[i]);
        unsigned a = __umulhi((unsigned)hash, part), b = part + __umulhi((unsigned)(hash >> 21), part);
        unsigned c = 2 * part + __umulhi((unsigned)(hash >> 42 | hash << 22), part);
        unsigned mark = (hash ^ hash >> 32) & 255;
        hit = (filter[a] ^ filter[b] ^ filter[c]) == mark;
    }
    unsigned bits = __ballot_sync(~0u, hit);
    if (threadIdx.x % 32 == 0 && i < n) found[i / 32] = bits;
}

#define CHUNK 16
#define EARLIER 3
#define CLASSES 32

// Counts how often the words of a dictionary occur in a text (Aho and Corasick): one table says which state follows for each letter, the
// other how many words end in a state. A thread per 64 letters. It starts 12 letters earlier, and no word is longer.
extern "C" __global__ void aho_matches(const unsigned *text, const unsigned short *next, const unsigned char *ends, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = 0, count = 0;
    for (int k = i > 0 ? -EARLIER : 0; k < CHUNK; k++) {
        unsigned four = text[i * CHUNK + k];
        for (int b = 0; b < 4; b++) {
            unsigned letter = (four >> 8 * b & 255) - 'a';
            state = next[state * CLASSES + (letter < 26 ? letter : 26)];
            if (k >= 0) count += ends[state];
        }
    }
    counts[i] = count;
}

// Finds the marks that give JSON its structure, but not those inside of strings. A warp takes a record of 1024 bytes, a lane 32 bytes.
// A bit says for each byte whether it is such a mark.
extern "C" __global__ void json_structure(const uint4 *text, unsigned *marks, unsigned *counts, int n)
{
    int record = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (record >= n) return;
    uint4 a = text[(record * 32 + lane) * 2], b = text[(record * 32 + lane) * 2 + 1];
    unsigned words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, quotes = 0, structure = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) {
        unsigned byte = words[k / 4] >> k % 4 * 8 & 255;
        if (byte == '"') quotes |= 1u << k;
        // Square brackets differ from curly brackets in one bit.
        if (byte == ',' || byte == ':' || (byte | 32) == '{' || (byte | 32) == '}') structure |= 1u << k;
    }
    unsigned inside = quotes;
    for (int d = 1; d < 32; d *= 2) inside ^= inside << d;
    unsigned odd = __ballot_sync(~0u, __popc(quotes) & 1);
    if (__popc(odd & ((1u << lane) - 1)) & 1) inside = ~inside;
    structure &= ~inside;
    marks[record * 32 + lane] = structure;
    int count = __popc(structure);
    for (int d = 16; d > 0; d /= 2) count += __shfl_down_sync(~0u, count, d);
    if (lane == 0) counts[record] = count;
}

// Reads lines of a table in text: skips a number and a name, then multiplies a price by a quantity, in cents. Names in quotes may hold
// commas. A thread per line.
extern "C" __global__ void csv_prices(const char *text, const unsigned *starts, long long *totals, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *at = text + starts[i];
    bool quoted = false;
    for (int commas = 0; commas < 2; at++) {
        char letter = *at;
        if (letter == '"') quoted = !quoted;
        else if (letter == ',' && !quoted) commas++;
    }
    bool minus = *at == '-', point = false;
    if (minus) at++;
    long long cents = 0;
    int places = 0;
    for (; *at != ','; at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        cents = cents * 10 + (*at - '0');
        places += point;
    }
    for (; places < 2; places++) cents *= 10;
    int quantity = 0;
    for (at++; *at != '\n'; at++) quantity = quantity * 10 + (*at - '0');
    totals[i] = (minus ? -cents : cents) * quantity;
}

__device__ unsigned dice(unsigned number, unsigned day)
{
    unsigned bits = (number + day * 0x9e3779b9u) * 0x85ebca6bu;
    bits = (bits ^ bits >> 15) * 0xc2b2ae35u;
    return bits ^ bits >> 16;
}

// A day of an epidemic on a graph of contacts. A healthy person (0) may fall ill through each ill contact, an ill one (1) may recover (2).
extern "C" __global__ void infect_contacts(const int *starts, const unsigned *contacts, const unsigned char *before, unsigned char *after,
                                           unsigned *fresh, unsigned likely, unsigned day, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned state = before[v];
    if (state == 0) {
        for (int k = starts[v]; k < starts[v + 1]; k++)
            if (before[contacts[k]] == 1 && dice(k, day) < likely) {
                state = 1;
                atomicAdd(fresh, 1u);
                break;
            }
    } else if (state == 1 && dice(v, ~day) < 0x20000000u) state = 2;
    after[v] = state;
}

// Adds two sparse matrices with sorted rows: a thread merges a row of each. The sum has room for all entries of both rows.
extern "C" __global__ void add_sparse_rows(const int *starts_a, const unsigned *columns_a, const float *values_a, const int *starts_b,
                                           const unsigned *columns_b, const float *values_b, unsigned *columns, float *values, int *sizes,
                                           float weight, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    int a = starts_a[row], end_a = starts_a[row + 1], b = starts_b[row], end_b = starts_b[row + 1], first = a + b, to = first;
    while (a < end_a || b < end_b) {
        unsigned column_a = a < end_a ? columns_a[a] : ~0u, column_b = b < end_b ? columns_b[b] : ~0u;
        float sum = 0.0f;
        if (column_a <= column_b) sum = values_a[a++];
        if (column_b <= column_a) sum += weight * values_b[b++];
        columns[to] = min(column_a, column_b);
        values[to++] = sum;
    }
    sizes[row] = to - first;
}

// Inserts keys into one search tree that is not balanced. Node 0 is the root. A thread goes down and hangs its node on a free place with
// compare and swap; if another thread was faster, it goes on from there. Counts keys that were in the tree before.
extern "C" __global__ void tree_inserts(const unsigned *keys, int *children, unsigned *repeated, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i >= n) return;
    unsigned key = keys[i];
    int node = 0;
    for (;;) {
        unsigned other = keys[node];
        if (other == key) {
            atomicAdd(repeated, 1u);
            return;
        }
        int *child = &children[2 * node + (key > other)], next = *(volatile int *)child;
        if (next < 0) next = atomicCAS(child, -1, i);
        if (next < 0) return;
        node = next;
    }
}

struct __align__(16) Letters {
    unsigned before[4];
    unsigned long long low, high;
};

// How often a letter occurs before a place: counts up to each block of 64 letters are stored, the rest is counted in two bit planes.
__device__ unsigned occurrences(const Letters *index, unsigned at, unsigned letter)
{
    const Letters *block = &index[at / 64];
    unsigned long long low = letter & 1 ? block->low : ~block->low, high = letter & 2 ? block->high : ~block->high;
    return block->before[letter] + __popcll(low & high & ((1ull << at % 64) - 1));
}

// Counts where short genes occur in a genome, with an FM index: letter by letter from the last to the first, a range of suffixes narrows.
extern "C" __global__ void fm_index_search(const Letters *index, const unsigned *smaller, const unsigned *genes,
                                           const unsigned char *lengths, unsigned *matches, unsigned length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned gene = genes[i], low = 0, high = length;
    int many = lengths[i];
    for (int k = 0; k < many && low < high; k++) {
        unsigned letter = gene >> 2 * k & 3, first = smaller[letter];
        low = first + occurrences(index, low, letter);
        high = first + occurrences(index, high, letter);
    }
    matches[i] = high - low;
}

#define SLOTS 1024
#define SYMBOLS 64

// Decodes texts that were packed with asymmetric numeral systems (rANS). The low ten bits of the state choose the symbol. A thread decodes
// a text of 64 symbols.
extern "C" __global__ void rans_streams(const unsigned *slots, const unsigned *starts, const unsigned short *packed, unsigned char *symbols,
                                        int n)
{
    __shared__ unsigned table[SLOTS];
    for (int k = threadIdx.x; k < SLOTS; k += blockDim.x) table[k] = slots[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned short *next = packed + starts[i];
    unsigned state = next[0] | (unsigned)next[1] << 16;
    next += 2;
    for (int k = 0; k < SYMBOLS; k++) {
        unsigned slot = table[state % SLOTS];
        symbols[k * n + i] = slot >> 24;
        state = (slot >> 12 & 0xfff) * (state / SLOTS) + (slot & 0xfff);
        if (state < 0x10000) state = state << 16 | *next++;
    }
}

// Counts keys in bytes that stop at 255. Four counters share a word, which changes by compare and swap.
extern "C" __global__ void saturating_counts(const unsigned *keys, unsigned *counters, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], shift = key % 4 * 8, *word = &counters[key / 4], seen = *word;
    while ((seen >> shift & 255) < 255) {
        unsigned old = atomicCAS(word, seen, seen + (1u << shift));
        if (old == seen) break;
        seen = old;
    }
}

struct Particle {
    float position[3], velocity[3], mass, charge;
    int kind, number;
};

// Puts particles of 40 bytes into a new order. A thread copies one particle.
extern "C" __global__ void shuffle_records(const Particle *from, const unsigned *order, Particle *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = from[order[i]];
}
