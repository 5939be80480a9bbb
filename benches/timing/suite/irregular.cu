// Sparse matrices, graphs, tables, queues, strings and sorting.
// Compiled for compute_70.

extern "C" __global__ void csr_thread(const int *starts, const int *columns, const float *values,
                                      const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = starts[row]; i < starts[row + 1]; i++) {
            sum += values[i] * x[columns[i]];
        }
        y[row] = sum;
    }
}

extern "C" __global__ void csr_warp(const int *starts, const int *columns, const float *values,
                                    const float *x, float *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) {
        sum += values[i] * x[columns[i]];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}

// One level of a breadth-first search: a thread per vertex.
extern "C" __global__ void bfs_step(const int *starts, const int *edges, int *level, int *changed,
                                    int depth, int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices && level[v] == depth) {
        for (int i = starts[v]; i < starts[v + 1]; i++) {
            int other = edges[i];
            if (level[other] < 0) {
                level[other] = depth + 1;
                *changed = 1;
            }
        }
    }
}

extern "C" __global__ void pagerank_step(const int *starts, const int *edges, const int *degrees,
                                         const float *rank, float *next, int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) {
        float sum = 0.0f;
        for (int i = starts[v]; i < starts[v + 1]; i++) {
            int other = edges[i];
            sum += rank[other] / degrees[other];
        }
        next[v] = 0.15f / vertices + 0.85f * sum;
    }
}

// Connected components: an edge per thread hooks the larger label to the smaller.
extern "C" __global__ void components_step(const int2 *edges, const int *label, int *next, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int2 edge = edges[i];
        int a = label[edge.x], b = label[edge.y];
        if (a < b) {
            atomicMin(&next[edge.y], a);
        } else if (b < a) {
            atomicMin(&next[edge.x], b);
        }
    }
}

__device__ unsigned hash(unsigned key)
{
    key ^= key >> 16;
    key *= 0x85ebca6b;
    key ^= key >> 13;
    key *= 0xc2b2ae35;
    key ^= key >> 16;
    return key;
}

#define EMPTY 0xffffffffu

// Open addressing; `slots` is a power of two.
extern "C" __global__ void hash_insert(const unsigned *keys, unsigned *table, unsigned *values, int n, unsigned slots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned key = keys[i];
    unsigned slot = hash(key) & (slots - 1);
    while (true) {
        unsigned before = atomicCAS(&table[slot], EMPTY, key);
        if (before == EMPTY || before == key) {
            values[slot] = key * 3;
            return;
        }
        slot = (slot + 1) & (slots - 1);
    }
}

extern "C" __global__ void hash_lookup(const unsigned *keys, const unsigned *table, int *found, int n, unsigned slots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned slot = hash(keys[i]) & (slots - 1);
    while (table[slot] != keys[i] && table[slot] != EMPTY) {
        slot = (slot + 1) & (slots - 1);
    }
    found[i] = table[slot] == keys[i] ? (int)slot : -1;
}

// Keeps a maximum of floats with the loop of the programming guide.
extern "C" __global__ void max_float_cas(const float *in, const unsigned *group, unsigned *most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned *address = &most[group[i]];
        unsigned old = *address, assumed;
        do {
            assumed = old;
            if (__uint_as_float(assumed) >= in[i]) {
                break;
            }
            old = atomicCAS(address, assumed, __float_as_uint(in[i]));
        } while (old != assumed);
    }
}

extern "C" __global__ void compact_atomic(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) {
        out[atomicAdd(count, 1)] = in[i];
    }
}

extern "C" __global__ void compact_ballot(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    unsigned kept = __ballot_sync(0xffffffff, value > 0);
    unsigned lane = threadIdx.x % 32;
    int base = 0;
    if (lane == 0 && kept != 0) {
        base = atomicAdd(count, __popc(kept));
    }
    base = __shfl_sync(0xffffffff, base, 0);
    if (value > 0) {
        out[base + __popc(kept & ((1u << lane) - 1))] = value;
    }
}

extern "C" __global__ void count_matches(const int *in, int *count, int wanted, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 8 == wanted) {
        atomicAdd(count, 1);
    }
}

// Blocks take their part of the work from a counter.
extern "C" __global__ void ticket_blocks(const float *in, float *out, unsigned *next, int parts, int size)
{
    __shared__ unsigned part;
    while (true) {
        if (threadIdx.x == 0) {
            part = atomicAdd(next, 1);
        }
        __syncthreads();
        unsigned mine = part;
        __syncthreads();
        if (mine >= parts) {
            return;
        }
        for (int i = threadIdx.x; i < size; i += blockDim.x) {
            float x = in[mine * size + i];
            out[mine * size + i] = x * x + 1.0f;
        }
    }
}

// A lock for each of a few accounts; one thread of a block pays in.
extern "C" __global__ void locked_accounts(const int *amounts, int *locks, int *accounts, int count)
{
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, amounts[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        int account = blockIdx.x % count;
        while (atomicCAS(&locks[account], 0, 1) != 0) {
        }
        __threadfence();
        ((volatile int *)accounts)[account] += sum;
        __threadfence();
        atomicExch(&locks[account], 0);
    }
}

extern "C" __global__ void scan_blocks(const int *in, int *out, int *sums, int n)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffff, value, offset);
        if (lane >= offset) {
            value += other;
        }
    }
    if (lane == 31) {
        warps[warp] = value;
    }
    __syncthreads();
    if (warp == 0) {
        int sum = lane < blockDim.x / 32 ? warps[lane] : 0;
        for (int offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(0xffffffff, sum, offset);
            if (lane >= offset) {
                sum += other;
            }
        }
        warps[lane] = sum;
    }
    __syncthreads();
    value += warp > 0 ? warps[warp - 1] : 0;
    if (i < n) {
        out[i] = value;
    }
    if (threadIdx.x == blockDim.x - 1) {
        sums[blockIdx.x] = value;
    }
}

extern "C" __global__ void scan_hillis_steele(const int *in, int *out, int n)
{
    extern __shared__ int lines[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, from = 0;
    lines[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        int to = blockDim.x - from;
        int value = lines[from + threadIdx.x];
        if (threadIdx.x >= offset) {
            value += lines[from + threadIdx.x - offset];
        }
        lines[to + threadIdx.x] = value;
        from = to;
        __syncthreads();
    }
    if (i < n) {
        out[i] = lines[from + threadIdx.x];
    }
}

extern "C" __global__ void bitonic_block(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned keys[];
    unsigned t = threadIdx.x, base = blockIdx.x * blockDim.x;
    keys[t] = in[base + t];
    __syncthreads();
    for (unsigned size = 2; size <= blockDim.x; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            unsigned other = t ^ step;
            if (other > t) {
                unsigned a = keys[t], b = keys[other];
                if ((a > b) == ((t & size) == 0)) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();
        }
    }
    out[base + t] = keys[t];
}

// Every thread counts how many of the block's keys are smaller.
extern "C" __global__ void rank_sort_block(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned keys[];
    unsigned base = blockIdx.x * blockDim.x, mine = in[base + threadIdx.x], rank = 0;
    keys[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned i = 0; i < blockDim.x; i++) {
        rank += keys[i] < mine || (keys[i] == mine && i < threadIdx.x);
    }
    out[base + rank] = mine;
}

extern "C" __global__ void string_search(const char *text, const char *pattern, int *matches, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length <= n) {
        int k = 0;
        while (k < length && text[i + k] == pattern[k]) {
            k++;
        }
        if (k == length) {
            atomicAdd(matches, 1);
        }
    }
}

// A pair of words of blockDim.x letters per block; diagonals one after the other.
extern "C" __global__ void edit_distance(const unsigned char *a, const unsigned char *b, int *distance)
{
    extern __shared__ int rows[];
    int length = blockDim.x, t = threadIdx.x;
    int *older = rows, *old = rows + length + 1, *now = rows + 2 * (length + 1);
    unsigned char mine = a[blockIdx.x * length + t];
    if (t == 0) {
        older[0] = 0;
        old[0] = 1;
        old[1] = 1;
    }
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * length; diagonal++) {
        // Cell i of a diagonal is row i, column diagonal - i.
        int i = t + 1, j = diagonal - i;
        if (j >= 1 && j <= length) {
            int best = older[i - 1] + (mine != b[blockIdx.x * length + j - 1]);
            best = min(best, old[i - 1] + 1);
            now[i] = min(best, old[i] + 1);
        }
        if (t == 0 && diagonal <= length) {
            now[0] = diagonal;
            now[diagonal] = diagonal;
        }
        __syncthreads();
        int *spare = older;
        older = old;
        old = now;
        now = spare;
    }
    if (t == 0) {
        distance[blockIdx.x] = old[length];
    }
}

// Each thread follows a chain of its block's table.
extern "C" __global__ void chase_shared(const unsigned *next, unsigned *out, int steps)
{
    __shared__ unsigned table[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        table[i] = next[i];
    }
    __syncthreads();
    unsigned place = (blockIdx.x * blockDim.x + threadIdx.x) % 1024;
    for (int step = 0; step < steps; step++) {
        place = table[place];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = place;
}

// Rows of shared memory walked with a stride, each step waiting for the one before.
extern "C" __global__ void walk_shared(const float *in, float *out, int stride, int steps)
{
    __shared__ float cells[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
        cells[i] = in[i];
    }
    __syncthreads();
    unsigned place = threadIdx.x * stride % 2048;
    float sum = 0.0f;
    for (int step = 0; step < steps; step++) {
        float value = cells[place];
        sum += value;
        place = (place + stride + (value > 100.0f)) % 2048;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void gather_bytes(const unsigned *index, const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[index[i]];
    }
}
