// Compiled for compute_70.
// Tables, graphs, sparse matrices, sorting and searching.

#define SLOTS 512
#define FREE 0xffffffffu

// Sums by key, as a database groups rows: a block keeps a small hash table in shared memory and adds it to the totals in the end. There
// are fewer keys than slots.
extern "C" __global__ void hash_groups(const unsigned *keys, const unsigned *values, unsigned *totals, int n)
{
    __shared__ unsigned slots[SLOTS], sums[SLOTS];
    for (int k = threadIdx.x; k < SLOTS; k += blockDim.x) {
        slots[k] = FREE;
        sums[k] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned key = keys[i], slot = (key * 2654435761u) >> 23;
        for (;;) {
            unsigned seen = atomicCAS(&slots[slot], FREE, key);
            if (seen == FREE || seen == key) break;
            slot = (slot + 1) % SLOTS;
        }
        atomicAdd(&sums[slot], values[i]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < SLOTS; k += blockDim.x)
        if (slots[k] != FREE) atomicAdd(&totals[slots[k]], sums[k]);
}

// Solves for the unknowns of one colour of a sparse system, as Gauss and Seidel: no two of a colour meet in a row, so all can go at once.
extern "C" __global__ void seidel_colour(const int *starts, const unsigned *columns, const double *values, const double *diagonal,
                                         const double *right, double *x, int colours, int colour, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int row = i * colours + colour;
    double left = right[row];
    for (int k = starts[i]; k < starts[i + 1]; k++) left -= values[k] * x[columns[k]];
    x[row] = left / diagonal[row];
}

// How many shortest paths lead through a vertex? One level on the way back: a vertex gathers from its neighbours one step further out.
extern "C" __global__ void brandes_level(const int *starts, const unsigned *links, const unsigned char *depth, const float *paths,
                                         float *share, int level, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || depth[v] != level) return;
    float own = paths[v], sum = 0.0f;
    for (int k = starts[v]; k < starts[v + 1]; k++) {
        unsigned w = links[k];
        if (depth[w] == level + 1) sum += own / paths[w] * (1.0f + share[w]);
    }
    share[v] = sum;
}

__device__ unsigned rank_of(unsigned vertex, unsigned seed)
{
    unsigned bits = (vertex ^ seed) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    return bits ^ bits >> 16;
}

// A round of choosing vertices no two of which are linked (Luby): a vertex that is open is chosen if no open neighbour has a higher
// rank, and out if a neighbour is chosen already. 0 is open, 1 chosen, 2 out.
extern "C" __global__ void independent_round(const int *starts, const unsigned *links, const unsigned char *before, unsigned char *after,
                                             unsigned seed, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    unsigned state = before[v];
    if (state == 0) {
        unsigned own = rank_of(v, seed);
        state = 1;
        for (int k = starts[v]; k < starts[v + 1]; k++) {
            unsigned w = links[k], other = before[w];
            if (other == 1) {
                state = 2;
                break;
            }
            if (other == 0 && w != v && rank_of(w, seed) > own) state = 0;
        }
    }
    after[v] = state;
}

// Parts keys into eight piles by their highest bits. Warps count by votes, a block reserves its places with one atomic per pile.
extern "C" __global__ void multisplit_eight(const unsigned *keys, unsigned *piles, unsigned *sizes, int room, int n)
{
    __shared__ unsigned counts[32][8], places[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned key = i < n ? keys[i] : 0, pile = key >> 29, before = 0;
    for (unsigned k = 0; k < 8; k++) {
        unsigned same = __ballot_sync(~0u, i < n && pile == k);
        if (pile == k) before = __popc(same & ((1u << lane) - 1));
        if (lane == 0) counts[warp][k] = __popc(same);
    }
    __syncthreads();
    if (threadIdx.x < 8) {
        unsigned sum = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            unsigned many = counts[w][threadIdx.x];
            counts[w][threadIdx.x] = sum;
            sum += many;
        }
        places[threadIdx.x] = atomicAdd(&sizes[threadIdx.x], sum);
    }
    __syncthreads();
    if (i < n) piles[pile * room + places[pile] + counts[warp][pile] + before] = key;
}

#define ROW 64

// Sorts many rows of 64 numbers, a thread each: quicksort with a stack of its own, and insertion for what is short.
extern "C" __global__ void quick_sort_stack(int *rows, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *row = rows + i * ROW, low = 0, high = ROW - 1, depth = 0;
    unsigned char lows[8], highs[8];
    for (;;) {
        if (high - low < 8) {
            for (int k = low + 1; k <= high; k++) {
                int value = row[k], at = k;
                for (; at > low && row[at - 1] > value; at--) row[at] = row[at - 1];
                row[at] = value;
            }
            if (depth == 0) break;
            depth--;
            low = lows[depth];
            high = highs[depth];
            continue;
        }
        int pivot = row[(low + high) / 2], left = low, right = high;
        while (left <= right) {
            while (row[left] < pivot) left++;
            while (row[right] > pivot) right--;
            if (left > right) break;
            int kept = row[left];
            row[left++] = row[right];
            row[right--] = kept;
        }
        // The longer part waits, so the stack stays short.
        if (right - low > high - left) {
            lows[depth] = low;
            highs[depth] = right;
            low = left;
        } else {
            lows[depth] = left;
            highs[depth] = high;
            high = right;
        }
        depth++;
    }
}

// The price that was valid at each trade: the last quote of its share that is not later. Quotes are sorted by share and time.
extern "C" __global__ void asof_join(const unsigned *firsts, const unsigned *times, const float *prices, const uint2 *trades, float *valid,
                                     int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 trade = trades[i];
    unsigned first = firsts[trade.x], low = first, high = firsts[trade.x + 1];
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (times[middle] <= trade.y) low = middle + 1;
        else high = middle;
    }
    valid[i] = low > first ? prices[low - 1] : 0.0f;
}

// How many intervals hold a point? The intervals are sorted by where they begin, and the middle of each part knows the last end in it, as
// a tree; the parts still to see are on a stack.
extern "C" __global__ void interval_stabs(const unsigned *begins, const unsigned *ends, const unsigned *last, const unsigned *points,
                                          unsigned *hits, int many, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned point = points[i], count = 0;
    int2 stack[24];
    int depth = 1;
    stack[0] = make_int2(0, many);
    while (depth > 0) {
        int2 part = stack[--depth];
        if (part.x >= part.y) continue;
        int middle = (part.x + part.y) / 2;
        if (last[middle] < point) continue;
        stack[depth++] = make_int2(part.x, middle);
        if (begins[middle] > point) continue;
        count += ends[middle] >= point;
        stack[depth++] = make_int2(middle + 1, part.y);
    }
    hits[i] = count;
}

#define SKETCH 4096

// A count-min sketch: each item counts in one place of each of four rows, so that how frequent it is can be told from little memory.
extern "C" __global__ void sketch_add(const unsigned *items, unsigned *sketch, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned item = items[i];
    const unsigned factors[4] = {0x9e3779b1u, 0x7feb352du, 0x846ca68bu, 0xc2b2ae3du};
#pragma unroll
    for (int row = 0; row < 4; row++) {
        unsigned hash = (item ^ item >> 15) * factors[row];
        atomicAdd(&sketch[row * SKETCH + (hash >> 20)], 1u);
    }
}
