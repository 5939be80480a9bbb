// Compiled for compute_70.
// Streams, strides, gathers, scatters, layouts, compaction, scans, checksums and histograms.

// Twice each of four bytes in GF(256).
__device__ unsigned doubled(unsigned four)
{
    return (four << 1 & 0xfefefefe) ^ (four >> 7 & 0x01010101) * 0x1d;
}

#define DISKS 6

// Two parity blocks for six disks (RAID 6): the exclusive or of all, and a sum in which each disk counts twice as much as the one before.
extern "C" __global__ void raid_parity(const uint4 *disks, uint4 *parity, uint4 *weighted, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 p = make_uint4(0, 0, 0, 0), q = p;
#pragma unroll
    for (int disk = DISKS - 1; disk >= 0; disk--) {
        uint4 own = disks[(size_t)disk * n + i];
        p = make_uint4(p.x ^ own.x, p.y ^ own.y, p.z ^ own.z, p.w ^ own.w);
        q = make_uint4(doubled(q.x) ^ own.x, doubled(q.y) ^ own.y, doubled(q.z) ^ own.z, doubled(q.w) ^ own.w);
    }
    parity[i] = p;
    weighted[i] = q;
}

#define ORDER 20

// The traces of many 20 x 20 matrices, each stored row by row. A thread per matrix.
extern "C" __global__ void matrix_traces(const float *matrices, float *traces, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float *own = matrices + (size_t)i * ORDER * ORDER;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < ORDER; k++) sum += own[k * (ORDER + 1)];
    traces[i] = sum;
}

// What sales are worth in some regions. A sale names its customer and its product, which are looked up in tables of their own: the region
// of the customer, the price and the tax of the product.
extern "C" __global__ void star_join(const uint2 *sales, const unsigned char *quantities, const unsigned char *regions,
                                     const uint2 *products, unsigned *cents, unsigned wanted, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 sale = sales[i];
    unsigned worth = 0;
    if (wanted >> regions[sale.x] & 1) {
        uint2 product = products[sale.y];
        worth = quantities[i] * (product.x + product.x * product.y / 1000);
    }
    cents[i] = worth;
}

#define HEADS 8
#define WIDTH 64
#define PAGE 16

// Stores the keys and values of new words in the pages of a cache, as servers of language models do. A page has 16 words; keys are stored
// with 8 short floats together, and values with the 16 words together. A block per word; words without a place are skipped.
extern "C" __global__ void cache_tokens(const uint4 *keys, const unsigned short *values, const int *places, uint4 *key_pages,
                                        unsigned short *value_pages)
{
    int token = blockIdx.x, place = places[token];
    if (place < 0) return;
    int page = place / PAGE, at = place % PAGE;
    for (int k = threadIdx.x; k < HEADS * WIDTH / 8; k += blockDim.x)
        key_pages[(page * (HEADS * WIDTH / 8) + k) * PAGE + at] = keys[token * (HEADS * WIDTH / 8) + k];
    for (int k = threadIdx.x; k < HEADS * WIDTH; k += blockDim.x)
        value_pages[(page * (HEADS * WIDTH) + k) * PAGE + at] = values[token * (HEADS * WIDTH) + k];
}

// Makes a full symmetric matrix of one of which only the lower triangle is stored, row by row without gaps. A block writes a tile and the
// tile opposite to it.
extern "C" __global__ void unpack_triangle(const double *packed, double *full, int side)
{
    __shared__ double tile[32][33];
    int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    if (left > top) return;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int row = top + y, column = left + x;
        if (row >= side || column > row) continue;
        tile[y][x] = packed[(long long)row * (row + 1) / 2 + column];
        full[(size_t)row * side + column] = tile[y][x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int row = left + y, column = top + x;
        if (column < side && column > row) full[(size_t)row * side + column] = tile[x][y];
    }
}

// The conjugate transpose of a square complex matrix, in place. A block exchanges two tiles that are opposite to each other; blocks are
// numbered along the rows of the lower triangle.
extern "C" __global__ void adjoint_in_place(float2 *matrix, int side)
{
    __shared__ float2 lower[32][33], upper[32][33];
    int pair = blockIdx.x, row = (int)((sqrtf(8.0f * pair + 1.0f) - 1.0f) * 0.5f);
    while (row * (row + 1) / 2 > pair) row--;
    while ((row + 1) * (row + 2) / 2 <= pair) row++;
    int top = row * 32, left = (pair - row * (row + 1) / 2) * 32, x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        if (top + y < side && left + x < side) lower[y][x] = matrix[(top + y) * side + left + x];
        if (left + y < side && top + x < side) upper[y][x] = matrix[(left + y) * side + top + x];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        float2 down = upper[x][y], up = lower[x][y];
        if (top + y < side && left + x < side) matrix[(top + y) * side + left + x] = make_float2(down.x, -down.y);
        if (top > left && left + y < side && top + x < side) matrix[(left + y) * side + top + x] = make_float2(up.x, -up.y);
    }
}

// From which direction does light come? Sums up the brightness of each row of a panorama from left to right, as a share of the row's total.
// Rows near the poles count less. A block per row keeps the sums in shared memory.
extern "C" __global__ void light_cdf(const float4 *panorama, float *shares, float *totals, int width)
{
    extern __shared__ float sums[];
    __shared__ float warps[32];
    int row = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float before = 0.0f, weight = sinpif((row + 0.5f) / gridDim.x);
    for (int start = 0; start < width; start += blockDim.x) {
        int x = start + threadIdx.x;
        float sum = 0.0f;
        if (x < width) {
            float4 light = panorama[(size_t)row * width + x];
            sum = weight * (0.2126f * light.x + 0.7152f * light.y + 0.0722f * light.z);
        }
        for (int d = 1; d < 32; d *= 2) {
            float other = __shfl_up_sync(~0u, sum, d);
            if (lane >= d) sum += other;
        }
        if (lane == 31) warps[warp] = sum;
        __syncthreads();
        sum += before;
        for (int w = 0; w < blockDim.x / 32; w++) {
            if (w < warp) sum += warps[w];
            before += warps[w];
        }
        if (x < width) sums[x] = sum;
        __syncthreads();
    }
    if (threadIdx.x == 0) totals[row] = before;
    float part = 1.0f / before;
    for (int x = threadIdx.x; x < width; x += blockDim.x) shares[(size_t)row * width + x] = sums[x] * part;
}

// Makes compressed rows of a dense matrix that is mostly zero. It is known where each row starts. A warp per row keeps the order.
extern "C" __global__ void rows_to_csr(const float *dense, const int *starts, unsigned short *columns, float *values, int width, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    int at = starts[row];
    for (int first = 0; first < width; first += 32) {
        float value = first + lane < width ? dense[(size_t)row * width + first + lane] : 0.0f;
        unsigned filled = __ballot_sync(~0u, value != 0.0f);
        if (value != 0.0f) {
            int to = at + __popc(filled & ((1u << lane) - 1));
            columns[to] = first + lane;
            values[to] = value;
        }
        at += __popc(filled);
    }
}

__device__ ulonglong2 block_sums(ulonglong2 own, ulonglong2 *warps)
{
    for (int d = 16; d > 0; d /= 2) {
        own.x += __shfl_down_sync(~0u, own.x, d);
        own.y += __shfl_down_sync(~0u, own.y, d);
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < blockDim.x / 32; w++) {
            own.x += warps[w].x;
            own.y += warps[w].y;
        }
    return own;
}

// The checksum Adler-32 of a file. A thread reads 16 bytes at once; a byte counts as often as there are bytes from it to the end. The block
// that finishes last adds up the sums of all blocks.
extern "C" __global__ void adler_last_block(const uint4 *file, ulonglong2 *parts, unsigned *finished, unsigned *checksum, int n)
{
    __shared__ ulonglong2 warps[32];
    __shared__ bool last;
    ulonglong2 own = make_ulonglong2(0, 0);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 four = file[i];
        const unsigned each[4] = {four.x, four.y, four.z, four.w};
        unsigned sum = 0, later = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            unsigned byte = each[k / 4] >> k % 4 * 8 & 255;
            sum += byte;
            later += (16 - k) * byte;
        }
        own.x += sum;
        own.y += later + (unsigned long long)sum * (n - 1 - i) * 16;
    }
    own = block_sums(own, warps);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = make_ulonglong2(own.x % 65521, own.y % 65521);
        __threadfence();
        last = atomicAdd(finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    own = make_ulonglong2(0, 0);
    for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        ulonglong2 part = __ldcg(&parts[block]);
        own.x += part.x;
        own.y += part.y;
    }
    own = block_sums(own, warps);
    if (threadIdx.x > 0) return;
    *checksum = (own.y + (unsigned long long)n * 16) % 65521 << 16 | (own.x + 1) % 65521;
    *finished = 0;
}

#define HOURS 168

// How many payments are there in each hour of a week, and how much do they add up to? Times are in seconds; the first day was a Thursday.
extern "C" __global__ void hours_of_week(const unsigned *times, const unsigned short *amounts, unsigned *counts, unsigned long long *sums,
                                         int n)
{
    __shared__ unsigned own_counts[HOURS], own_sums[HOURS];
    for (int k = threadIdx.x; k < HOURS; k += blockDim.x) own_counts[k] = own_sums[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned hour = (times[i] / 3600 + 72) % HOURS;
        atomicAdd(&own_counts[hour], 1u);
        atomicAdd(&own_sums[hour], amounts[i]);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < HOURS; k += blockDim.x) {
        if (own_counts[k] == 0) continue;
        atomicAdd(&counts[k], own_counts[k]);
        atomicAdd(&sums[k], (unsigned long long)own_sums[k]);
    }
}
