// Compiled for compute_70.
// Graphs, trees, texts, sets and sorted runs.

typedef unsigned long long u64;

// Triangles: for each vertex, common later neighbours of it and of each neighbour; rows are sorted.
extern "C" __global__ void count_triangles(const int *starts, const int *targets, u64 *total, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    u64 found = 0;
    if (v < n)
        for (int e = starts[v]; e < starts[v + 1]; e++) {
            int u = targets[e];
            int a = e + 1, b = starts[u];
            while (a < starts[v + 1] && b < starts[u + 1]) {
                int x = targets[a], y = targets[b];
                if (x == y) found++;
                if (x <= y) a++;
                if (y <= x) b++;
            }
        }
    for (int d = 16; d > 0; d >>= 1) found += __shfl_down_sync(0xffffffffu, found, d);
    if ((threadIdx.x & 31) == 0 && found > 0) atomicAdd(total, found);
}

// One round of Bellman and Ford: a thread per edge.
extern "C" __global__ void relax_edges(const int *from, const int *to, const unsigned *length, const unsigned *before,
                                       unsigned *after, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    unsigned d = before[from[e]];
    if (d == 0xffffffffu) return;
    unsigned through = d + length[e];
    if (through < before[to[e]]) atomicMin(&after[to[e]], through);
}

// A round of Jones and Plassmann's colouring: who has the largest number among its neighbours.
extern "C" __global__ void colour_round(const int *starts, const int *targets, const unsigned *order, int *colour, int round, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || colour[v] >= 0) return;
    unsigned mine = order[v];
    for (int e = starts[v]; e < starts[v + 1]; e++) {
        int u = targets[e];
        if (u == v) continue;
        int c = ((volatile int *)colour)[u];
        if ((c < 0 || c == round) && order[u] > mine) return;
    }
    colour[v] = round;
}

// The lightest edge that leaves each component: weight and edge in one 64-bit minimum.
extern "C" __global__ void lightest_edges(const int2 *edges, const unsigned *weight, const int *component, u64 *best, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int a = component[edges[e].x], b = component[edges[e].y];
    if (a == b) return;
    u64 key = (u64)weight[e] << 32 | (unsigned)e;
    if (key < *(volatile u64 *)&best[a]) atomicMin(&best[a], key);
    if (key < *(volatile u64 *)&best[b]) atomicMin(&best[b], key);
}

// Walks of 20 steps from every vertex, each to a random neighbour.
extern "C" __global__ void graph_walks(const int *__restrict__ starts, const int *__restrict__ targets, int *walks, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned seed = v * 747796405u + 2891336453u;
    int at = v;
    for (int step = 0; step < 20; step++) {
        int first = starts[at], many = starts[at + 1] - first;
        seed = seed * 1664525u + 1013904223u;
        at = targets[first + (int)((seed >> 8) % (unsigned)many)];
        walks[step * n + v] = at;
    }
}

// Nearest neighbour in an implicit k-d tree of two dimensions, with a stack of its own.
extern "C" __global__ void kd_nearest(const float2 *tree, const float2 *queries, int *nearest, int nodes, int n)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= n) return;
    float2 at = queries[q];
    int stack[24], depth = 0, best = -1;
    float least = 1e30f;
    stack[depth++] = 0;
    while (depth > 0) {
        int node = stack[--depth];
        if (node < 0) {
            // The far side of a plane: worth a look only if the plane is near.
            node = ~node;
            int parent = (node - 1) / 2;
            float2 p = tree[parent];
            bool vertical = (32 - __clz(parent + 1)) & 1;
            float off = vertical ? at.x - p.x : at.y - p.y;
            if (off * off >= least) continue;
        }
        if (node >= nodes) continue;
        float2 p = tree[node];
        float dx = at.x - p.x, dy = at.y - p.y, d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = node;
        }
        bool vertical = (32 - __clz(node + 1)) & 1;
        int side = (vertical ? dx : dy) > 0;
        stack[depth++] = ~(2 * node + 2 - side);
        stack[depth++] = 2 * node + 1 + side;
    }
    nearest[q] = best;
}

// Routes: the longest prefix of an address in a binary trie.
extern "C" __global__ void longest_prefix(const int2 *trie, const int *route, const unsigned *addresses, int *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned address = addresses[i];
    int node = 0, best = -1;
    for (int bit = 31; bit >= 0 && node >= 0; bit--) {
        if (route[node] >= 0) best = route[node];
        int2 children = trie[node];
        node = address >> bit & 1 ? children.y : children.x;
    }
    found[i] = best;
}

// Words into a Bloom filter with four hashes.
extern "C" __global__ void bloom_insert(const unsigned *keys, unsigned *filter, unsigned mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = keys[i] * 2654435761u, step = keys[i] * 40503u | 1;
    for (int k = 0; k < 4; k++) {
        h += step ^ h >> 15;
        unsigned bit = h & mask;
        atomicOr(&filter[bit / 32], 1u << bit % 32);
    }
}

// Which words may be in it.
extern "C" __global__ void bloom_query(const unsigned *keys, const unsigned *filter, unsigned mask, bool *maybe, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned h = keys[i] * 2654435761u, step = keys[i] * 40503u | 1;
        bool all = true;
        for (int k = 0; k < 4 && all; k++) {
            h += step ^ h >> 15;
            unsigned bit = h & mask;
            all = filter[bit / 32] >> bit % 32 & 1;
        }
        maybe[i] = all;
    }
}

// Fowler, Noll and Vo's hash of strings of different lengths.
extern "C" __global__ void hash_strings(const unsigned char *text, const int *offsets, unsigned *hashes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = 2166136261u;
    for (int at = offsets[i]; at < offsets[i + 1]; at++) h = (h ^ text[at]) * 16777619u;
    hashes[i] = h;
}

__constant__ unsigned char classes[16] = {0, 1, 2, 2, 3, 1, 0, 4, 5, 5, 2, 0, 1, 3, 6, 7};

// A deterministic automaton over chunks of text, from every state at once: eight bytes of state.
extern "C" __global__ void automaton_chunks(const unsigned char *text, const unsigned char *table, u64 *out, int length, int n)
{
    __shared__ unsigned char next[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) next[i] = table[i];
    __syncthreads();
    int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk >= n) return;
    unsigned char state[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int i = 0; i < length; i++) {
        int c = classes[text[chunk * length + i] & 15];
#pragma unroll
        for (int s = 0; s < 8; s++) state[s] = next[state[s] * 8 + c];
    }
    u64 packed = 0;
#pragma unroll
    for (int s = 0; s < 8; s++) packed |= (u64)state[s] << 8 * s;
    out[chunk] = packed;
}

// Smith and Waterman's best local score of two short sequences: a row per pair in local memory.
extern "C" __global__ void align_pairs(const unsigned char *a, const unsigned char *b, short *score, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short row[65], best = 0;
    for (int k = 0; k <= 64; k++) row[k] = 0;
    for (int y = 0; y < 48; y++) {
        unsigned char c = a[i * 48 + y] & 3;
        short diagonal = 0;
        for (int x = 1; x <= 64; x++) {
            short up = row[x];
            short match = diagonal + (c == (b[i * 64 + x - 1] & 3) ? 2 : -1);
            short gap = max(up, row[x - 1]) - 1;
            short now = max(max(match, gap), 0);
            row[x] = now;
            best = max(best, now);
            diagonal = up;
        }
    }
    score[i] = best;
}

// Words of eight bases, two bits each, counted in a table.
extern "C" __global__ void count_kmers(const unsigned char *bases, unsigned *counts, int n)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    unsigned word = 0;
    for (int i = 0; i < 23 && first + i < n; i++) {
        word = (word << 2 | bases[first + i] >> 6) & 0xffff;
        if (i >= 7) atomicAdd(&counts[word], 1u);
    }
}

// The longest earlier match of each place within 64 bytes, at most 32 long.
extern "C" __global__ void window_matches(const unsigned char *text, unsigned short *match, int n)
{
    extern __shared__ unsigned char window[];
    int base = blockIdx.x * blockDim.x - 64;
    for (int i = threadIdx.x; i < blockDim.x + 96; i += blockDim.x) {
        int at = base + i;
        window[i] = at >= 0 && at < n ? text[at] : 0;
    }
    __syncthreads();
    int p = threadIdx.x + 64, longest = 0, where = 0;
    for (int back = 1; back <= 64; back++) {
        int k = 0;
        while (k < 32 && window[p - back + k] == window[p + k]) k++;
        if (k > longest) {
            longest = k;
            where = back;
        }
    }
    if (base + p < n) match[base + p] = longest << 8 | where;
}

// Runs to values: a thread writes its run.
extern "C" __global__ void expand_runs(const int *ends, const unsigned char *values, unsigned char *out, int runs)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= runs) return;
    for (int at = r > 0 ? ends[r - 1] : 0; at < ends[r]; at++) out[at] = values[r];
}

// Sorts 32 keys in the registers of a warp by Batcher's bitonic network.
extern "C" __global__ void sort_in_warps(u64 *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 key = i < n ? keys[i] : ~0ull;
    int lane = threadIdx.x & 31;
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            u64 other = __shfl_xor_sync(0xffffffffu, key, j);
            bool low = ((lane & j) == 0) == ((lane & k) == 0);
            key = (key < other) == low ? key : other;
        }
    if (i < n) keys[i] = key;
}

// A stable split by one bit within a block: flags are summed over warps by ballots.
extern "C" __global__ void split_by_bit(const unsigned *in, unsigned *out, int bit, int n)
{
    __shared__ int zeros[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    unsigned key = i < n ? in[i] : 0xffffffffu;
    unsigned ones = __ballot_sync(0xffffffffu, key >> bit & 1);
    if (lane == 0) zeros[warp] = 32 - __popc(ones);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < warps; w++) {
        if (w < warp) before += zeros[w];
        all += zeros[w];
    }
    int ahead = __popc(ones & ((1u << lane) - 1));
    int place = key >> bit & 1 ? all + warp * 32 - before + ahead : before + lane - ahead;
    place += blockIdx.x * blockDim.x;
    if (place < n) out[place] = key;
}

// Each key's bucket among 255 sorted splitters, and the buckets' sizes.
extern "C" __global__ void splitter_buckets(const float *keys, const float *splitters, unsigned char *bucket, int *sizes, int n)
{
    __shared__ float limit[255];
    __shared__ int many[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        many[i] = 0;
        if (i < 255) limit[i] = splitters[i];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float key = keys[i];
        int b = 0;
        for (int step = 128; step > 0; step >>= 1)
            if (b + step <= 255 && limit[b + step - 1] < key) b += step;
        bucket[i] = b;
        atomicAdd(&many[b], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (many[i]) atomicAdd(&sizes[i], many[i]);
}

// Particles into lists of their cells: the new one in front.
extern "C" __global__ void link_cells(const float2 *places, int *head, int *next, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = places[i];
    int cell = (int)(p.y * side) * side + (int)(p.x * side);
    next[i] = atomicExch(&head[cell], i);
}
