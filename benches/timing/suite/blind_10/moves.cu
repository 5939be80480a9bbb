// Compiled for compute_70.
// Streams, gathers, scatters, transposes, compaction, histograms, scans and reductions.

// A step of a simulation of bodies: forces change the velocities, then velocities change the positions. The fourth number of a position
// is the mass, and that of a velocity becomes the energy of the motion.
extern "C" __global__ void kick_drift(float4 *positions, float4 *velocities, const float4 *forces, float step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 position = positions[i], velocity = velocities[i], force = forces[i];
    float scale = step / position.w;
    velocity.x += scale * force.x;
    velocity.y += scale * force.y;
    velocity.z += scale * force.z;
    velocity.w = 0.5f * position.w * (velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
    position.x += step * velocity.x;
    position.y += step * velocity.y;
    position.z += step * velocity.z;
    positions[i] = position;
    velocities[i] = velocity;
}

// Looks numbers up in a long table and interpolates linearly between two entries. A number is a fraction of 2^32 of the table.
extern "C" __global__ void table_lerp(const unsigned *numbers, const float *table, float *out, unsigned entries, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long place = (unsigned long long)numbers[i] * (entries - 1);
    unsigned at = place >> 32;
    float part = (unsigned)place * 2.3283064e-10f, left = table[at], right = table[at + 1];
    out[i] = left + part * (right - left);
}

// Puts results back into the order that the items had before they were sorted: 16 bytes and a state of one byte for each item.
extern "C" __global__ void unsort_results(const uint4 *results, const unsigned char *states, const unsigned *order, uint4 *out,
                                          unsigned char *out_states, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned to = order[i];
    out[to] = results[i];
    out_states[to] = states[i];
}

#define COLUMNS 24

// Takes three columns out of a table that is stored row by row. A row has 24 columns, and a thread reads one row.
extern "C" __global__ void pick_columns(const unsigned *table, unsigned *first, unsigned *second, unsigned *third, int a, int b, int c,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned *row = table + i * COLUMNS;
    first[i] = row[a];
    second[i] = row[b];
    third[i] = row[c];
}

// Transposes a matrix of 16-bit numbers. A block moves 64 x 64 numbers through shared memory, two numbers in a word.
extern "C" __global__ void transpose_shorts(const unsigned *in, unsigned *out, int side)
{
    __shared__ unsigned tile[64][33];
    int words = side / 2, top = blockIdx.y * 64, left = blockIdx.x * 64;
    for (int r = threadIdx.y; r < 64; r += blockDim.y) tile[r][threadIdx.x] = in[(top + r) * words + left / 2 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += blockDim.y) {
        unsigned upper = tile[2 * threadIdx.x][r], lower = tile[2 * threadIdx.x + 1][r];
        unsigned *to = out + (left + 2 * r) * words + top / 2 + threadIdx.x;
        to[0] = __byte_perm(upper, lower, 0x5410);
        to[words] = __byte_perm(upper, lower, 0x7632);
    }
}

// Makes a square matrix symmetric, in place: the mean of the matrix and its transpose. A block takes a tile above the diagonal and the
// tile opposite to it.
extern "C" __global__ void symmetrise_tiles(float *matrix, int side)
{
    __shared__ float upper[32][33], lower[32][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    if (left < top) return;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        if (top + y < side && left + x < side) upper[y][x] = matrix[(top + y) * side + left + x];
        if (left + y < side && top + x < side) lower[y][x] = matrix[(left + y) * side + top + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        if (top + y < side && left + x < side) matrix[(top + y) * side + left + x] = 0.5f * (upper[y][x] + lower[x][y]);
        if (left > top && left + y < side && top + x < side)
            matrix[(left + y) * side + top + x] = 0.5f * (lower[y][x] + upper[x][y]);
    }
}

// Keeps one of each group of equal numbers in a sorted list. A thread reads four numbers, a block counts by a scan and reserves space
// with one atomic. Blocks may come in any order.
extern "C" __global__ void drop_repeats(const unsigned *in, unsigned *out, unsigned *total, int n)
{
    __shared__ unsigned sums[32];
    __shared__ unsigned base;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned values[4], fresh = 0, before = first > 0 && first < n ? in[first - 1] : 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (first + k < n) {
            values[k] = in[first + k];
            if (values[k] != before || first + k == 0) fresh |= 1 << k;
            before = values[k];
        }
    unsigned count = __popc(fresh), sum = count;
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(~0u, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned all = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            unsigned own = sums[w];
            sums[w] = all;
            all += own;
        }
        base = atomicAdd(total, all);
    }
    __syncthreads();
    unsigned to = base + sums[warp] + sum - count;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (fresh >> k & 1) out[to++] = values[k];
}

#define BINS 256

// A histogram of response times with eight bins for each power of two. Each block counts in shared memory first. A thread reads four
// times at once.
extern "C" __global__ void latency_bins(const uint4 *times, unsigned *bins, int n)
{
    __shared__ unsigned counts[BINS];
    for (int k = threadIdx.x; k < BINS; k += blockDim.x) counts[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 four = times[i];
        const unsigned each[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int power = 28 - __clz(each[k] | 8);
            atomicAdd(&counts[power * 8 + (each[k] >> power)], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        if (counts[k] > 0) atomicAdd(&bins[k], counts[k]);
}

// Two sums of exponentials, each with the maximum that it is relative to, become one.
__device__ float2 joined(float2 a, float2 b)
{
    float most = fmaxf(a.x, b.x);
    return make_float2(most, a.y * __expf(a.x - most) + b.y * __expf(b.x - most));
}

__device__ float2 joined_block(float2 own, float2 *warps)
{
    for (int d = 16; d > 0; d /= 2) {
        float2 other = make_float2(__shfl_down_sync(~0u, own.x, d), __shfl_down_sync(~0u, own.y, d));
        own = joined(own, other);
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < blockDim.x / 32; w++) own = joined(own, warps[w]);
    return own;
}

// The logarithm of the sum of the exponentials of all numbers. The block that finishes last joins the results of all blocks.
extern "C" __global__ void logsumexp_last_block(const float *in, float2 *parts, unsigned *finished, float *result, int n)
{
    __shared__ float2 warps[32];
    __shared__ bool last;
    float2 own = make_float2(-1e30f, 0.0f);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own = joined(own, make_float2(in[i], 1.0f));
    own = joined_block(own, warps);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = own;
        __threadfence();
        last = atomicAdd(finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    own = make_float2(-1e30f, 0.0f);
    for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) own = joined(own, __ldcg(&parts[block]));
    own = joined_block(own, warps);
    if (threadIdx.x > 0) return;
    *result = own.x + logf(own.y);
    *finished = 0;
}

// The greatest loss of an investment since its highest price so far. A block takes one series and scans it for the maximum, as many days
// at once as the block has threads.
extern "C" __global__ void max_drawdown(const float *prices, float *losses, int days)
{
    __shared__ float peaks[32];
    const float *series = prices + (size_t)blockIdx.x * days;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float highest = 0.0f, worst = 0.0f;
    for (int start = 0; start < days; start += blockDim.x) {
        int day = start + threadIdx.x;
        float price = day < days ? series[day] : 0.0f, peak = price;
        for (int d = 1; d < 32; d *= 2) {
            float other = __shfl_up_sync(~0u, peak, d);
            if (lane >= d) peak = fmaxf(peak, other);
        }
        if (lane == 31) peaks[warp] = peak;
        __syncthreads();
        peak = fmaxf(peak, highest);
        for (int w = 0; w < warps; w++) {
            if (w < warp) peak = fmaxf(peak, peaks[w]);
            highest = fmaxf(highest, peaks[w]);
        }
        if (day < days) worst = fmaxf(worst, 1.0f - price / peak);
        __syncthreads();
    }
    for (int d = 16; d > 0; d /= 2) worst = fmaxf(worst, __shfl_down_sync(~0u, worst, d));
    if (lane == 0) peaks[warp] = worst;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < warps; w++) worst = fmaxf(worst, peaks[w]);
    losses[blockIdx.x] = worst;
}
