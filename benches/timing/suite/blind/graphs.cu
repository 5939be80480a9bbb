// Compiled for compute_70.
// Sparse matrices in other forms, graphs, trees, clusters and cells.

typedef long long i64;
typedef unsigned long long u64;

// ELLPACK: entries of equal number per row, column by column; -1 where a row has fewer.
extern "C" __global__ void ell_product(const int *columns, const float *values, const float *x, float *y,
                                       int width, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = 0; k < width; k++) {
            int column = columns[k * rows + row];
            if (column < 0) break;
            sum += values[k * rows + row] * __ldg(&x[column]);
        }
        y[row] = sum;
    }
}

// Coordinates: an entry per thread, added atomically.
extern "C" __global__ void coo_product(const int *rows, const int *columns, const double *values,
                                       const double *x, double *y, int entries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) {
#if __CUDA_ARCH__ >= 600
        atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
#endif
    }
}

// Compressed rows times a dense matrix of 32 columns, a warp per row.
extern "C" __global__ void sparse_dense(const int *starts, const int *columns, const float *values,
                                        const float *dense, float *out, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0;
    for (int e = starts[row]; e < starts[row + 1]; e++) sum += values[e] * dense[columns[e] * 32 + threadIdx.x];
    out[row * 32 + threadIdx.x] = sum;
}

// A level of a breadth-first search that takes its vertices from one queue to the next.
extern "C" __global__ void bfs_queue(const int *starts, const int *targets, const int *queue, int *seen,
                                     int *next, int *length, int waiting)
{
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < waiting; q += gridDim.x * blockDim.x) {
        int vertex = queue[q];
        for (int e = starts[vertex]; e < starts[vertex + 1]; e++) {
            int target = targets[e];
            if (seen[target] == 0 && atomicCAS(&seen[target], 0, 1) == 0) next[atomicAdd(length, 1)] = target;
        }
    }
}

// Shortest paths through vertex k, all pairs.
extern "C" __global__ void floyd_warshall(int *distance, int k, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (j >= n) return;
    int through = distance[i * n + k] + distance[k * n + j];
    if (through < distance[i * n + j]) distance[i * n + j] = through;
}

__device__ int root(volatile int *parent, int v)
{
    int p = parent[v];
    while (p != v) {
        int above = parent[p];
        if (above != p) parent[v] = above;
        v = p;
        p = above;
    }
    return v;
}

// Disjoint sets: hooks the larger root of each edge below the smaller, and counts the hooks.
extern "C" __global__ void union_find(const int2 *edges, int *parent, int *hooks, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int a = root(parent, edges[e].x), b = root(parent, edges[e].y);
    while (a != b) {
        int low = min(a, b), high = max(a, b);
        int seen = atomicCAS(&parent[high], high, low);
        if (seen == high) {
            atomicAdd(hooks, 1);
            break;
        }
        a = root(parent, low);
        b = root(parent, seen);
    }
}

// Label propagation over the edges of a grid with random walls, to a fixed number of rounds
// per block: the smallest label of a block's row.
extern "C" __global__ void label_rows(const unsigned char *open, int *labels, int width)
{
    extern __shared__ int label[];
    __shared__ int changed;
    int t = threadIdx.x;
    int at = blockIdx.x * width + t;
    bool mine = open[at];
    label[t] = mine ? t : 0x7fffffff;
    do {
        __syncthreads();
        if (t == 0) changed = 0;
        __syncthreads();
        int least = label[t];
        if (mine) {
            if (t > 0) least = min(least, label[t - 1] == 0x7fffffff ? least : label[t - 1]);
            if (t + 1 < width) least = min(least, label[t + 1] == 0x7fffffff ? least : label[t + 1]);
        }
        __syncthreads();
        if (least < label[t]) {
            label[t] = least;
            changed = 1;
        }
        __syncthreads();
    } while (changed);
    labels[at] = mine ? label[t] : -1;
}

// Sums of the points of each of 16 clusters: in shared memory first.
extern "C" __global__ void cluster_sums(const float2 *points, const int *cluster, float *sums, int *sizes, int n)
{
    __shared__ float x[16], y[16];
    __shared__ int many[16];
    if (threadIdx.x < 16) {
        x[threadIdx.x] = y[threadIdx.x] = 0;
        many[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float2 p = points[i];
        int c = cluster[i];
        atomicAdd(&x[c], p.x);
        atomicAdd(&y[c], p.y);
        atomicAdd(&many[c], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(&sums[2 * threadIdx.x], x[threadIdx.x]);
        atomicAdd(&sums[2 * threadIdx.x + 1], y[threadIdx.x]);
        atomicAdd(&sizes[threadIdx.x], many[threadIdx.x]);
    }
}

// The eight nearest of all points, a thread per query; a sorted list in local memory.
extern "C" __global__ void nearest_eight(const float4 *points, const float4 *queries, int *found, int n, int m)
{
    __shared__ float4 tile[128];
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    float4 at = queries[min(q, m - 1)];
    float best[8];
    int who[8];
    for (int k = 0; k < 8; k++) {
        best[k] = 1e30f;
        who[k] = -1;
    }
    for (int base = 0; base < n; base += 128) {
        __syncthreads();
        if (threadIdx.x < 128 && base + threadIdx.x < n) tile[threadIdx.x] = points[base + threadIdx.x];
        __syncthreads();
        int many = min(128, n - base);
        for (int i = 0; i < many; i++) {
            float dx = tile[i].x - at.x, dy = tile[i].y - at.y, dz = tile[i].z - at.z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < best[7]) {
                int k = 7;
                while (k > 0 && best[k - 1] > d) {
                    best[k] = best[k - 1];
                    who[k] = who[k - 1];
                    k--;
                }
                best[k] = d;
                who[k] = base + i;
            }
        }
    }
    if (q < m)
        for (int k = 0; k < 8; k++) found[q * 8 + k] = who[k];
}

// Votes with 64-bit weights.
extern "C" __global__ void weighted_votes(const unsigned char *choice, const unsigned *weight, u64 *votes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&votes[choice[i]], (u64)weight[i] << 4);
}

// The largest of doubles per bin by compare and swap.
extern "C" __global__ void bin_maxima(const double *values, const int *bins, double *most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 *cell = (u64 *)&most[bins[i]];
    u64 seen = *(volatile u64 *)cell;
    double mine = values[i];
    while (__longlong_as_double(seen) < mine) {
        u64 before = atomicCAS(cell, seen, (u64)__double_as_longlong(mine));
        if (before == seen) break;
        seen = before;
    }
}

// A thread walks 64 steps along a linked list.
struct Node {
    int next;
    int value;
};

extern "C" __global__ void list_walk(const Node *nodes, i64 *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    i64 sum = 0;
    int at = i;
    for (int step = 0; step < 64; step++) {
        Node node = nodes[at];
        sum += node.value;
        at = node.next;
    }
    sums[i] = sum;
}

// Binary searches in a sorted table.
extern "C" __global__ void lower_bounds(const unsigned *table, const unsigned *keys, int *places, int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i];
        int low = 0, high = size;
        while (low < high) {
            int middle = (low + high) / 2;
            if (table[middle] < key) low = middle + 1;
            else high = middle;
        }
        places[i] = low;
    }
}

// Forces from the particles of the 27 cells around; particles are sorted by cell.
extern "C" __global__ void cell_forces(const float4 *particles, const int *first, float4 *forces, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = particles[i];
    int cx = p.x, cy = p.y, cz = p.z;
    float fx = 0, fy = 0, fz = 0;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, side - 1); z++)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); y++)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, side - 1); x++) {
                int cell = (z * side + y) * side + x;
                for (int j = first[cell]; j < first[cell + 1]; j++) {
                    float4 o = particles[j];
                    float dx = o.x - p.x, dy = o.y - p.y, dz = o.z - p.z;
                    float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < 1.0f && j != i) {
                        float push = p.w * o.w * (1.0f - r2);
                        fx -= push * dx;
                        fy -= push * dy;
                        fz -= push * dz;
                    }
                }
            }
    forces[i] = make_float4(fx, fy, fz, 0);
}

// Items to 16 buckets of their own: lanes of one bucket take places with one atomic.
extern "C" __global__ void bucket_append(const unsigned *items, unsigned *buckets, int *sizes, int capacity, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned item = items[i];
    int bucket = item >> 28;
    unsigned mask = 0, active = __activemask();
    for (int b = 0; b < 16; b++) {
        unsigned same = __ballot_sync(active, bucket == b);
        if (bucket == b) mask = same;
    }
    int lane = threadIdx.x % 32, leader = __ffs(mask) - 1, place = 0;
    if (lane == leader) place = atomicAdd(&sizes[bucket], __popc(mask));
    place = __shfl_sync(active, place, leader) + __popc(mask & ((1u << lane) - 1));
    buckets[bucket * capacity + place] = item;
}
