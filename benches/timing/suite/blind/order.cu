// Compiled for compute_70.
// Sorting, selecting, scanning, matching and coding.

typedef unsigned long long u64;

// Runs of equal values: where each starts, in any order, with one atomic per block.
extern "C" __global__ void run_heads(const unsigned char *in, int *heads, int *count, int n)
{
    __shared__ int places[32];
    __shared__ int base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int head = i < n && (i == 0 || in[i] != in[i - 1]);
    unsigned votes = __ballot_sync(0xffffffff, head);
    if (lane == 0) places[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            int many = places[w];
            places[w] = sum;
            sum += many;
        }
        base = atomicAdd(count, sum);
    }
    __syncthreads();
    if (head) heads[base + places[warp] + __popc(votes & ((1u << lane) - 1))] = i;
}

// The eight largest of each 2048, one after the other: a reduction for each.
extern "C" __global__ void top_eight(const float *in, float *out)
{
    __shared__ float values[2048];
    __shared__ u64 best[8];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) values[i] = in[blockIdx.x * 2048 + i];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        u64 mine = 0;
        for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
            u64 key = (u64)__float_as_uint(values[i]) << 32 | i;
            if (key > mine) mine = key;
        }
        for (int d = 16; d > 0; d >>= 1) {
            u64 other = __shfl_down_sync(0xffffffff, mine, d);
            mine = other > mine ? other : mine;
        }
        if (threadIdx.x % 32 == 0) best[threadIdx.x / 32] = mine;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < blockDim.x / 32; w++) if (best[w] > mine) mine = best[w];
            out[blockIdx.x * 8 + k] = __uint_as_float(mine >> 32);
            values[mine & 0xffffffff] = 0.0f;
        }
        __syncthreads();
    }
}

// Odd-even transposition of two keys per thread, in shared memory.
extern "C" __global__ void odd_even_sort(unsigned *keys)
{
    extern __shared__ unsigned k[];
    int n = 2 * blockDim.x, t = threadIdx.x;
    unsigned *mine = keys + blockIdx.x * n;
    k[t] = mine[t];
    k[t + blockDim.x] = mine[t + blockDim.x];
    for (int round = 0; round < n; round++) {
        __syncthreads();
        int at = 2 * t + (round & 1);
        if (at + 1 < n && k[at] > k[at + 1]) {
            unsigned swap = k[at];
            k[at] = k[at + 1];
            k[at + 1] = swap;
        }
    }
    __syncthreads();
    mine[t] = k[t];
    mine[t + blockDim.x] = k[t + blockDim.x];
}

// Counts of a 4-bit digit per block, for a radix sort.
extern "C" __global__ void digit_counts(const unsigned *keys, int *counts, int shift, int n)
{
    __shared__ int local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    int begin = blockIdx.x * blockDim.x * 8;
    for (int k = 0; k < 8; k++) {
        int i = begin + k * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(&local[keys[i] >> shift & 15], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// Sums of everything before: 4 numbers per thread, warps by shuffles, block after block
// through sums that an earlier launch left.
extern "C" __global__ void scan_add(const int4 *in, const int *before, int4 *out, int n)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int4 v = i < n ? in[i] : make_int4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    int sum = v.w;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int low = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += low;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        int w = lane < blockDim.x / 32 ? warps[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int low = __shfl_up_sync(0xffffffff, w, d);
            if (lane >= d) w += low;
        }
        warps[lane] = w;
    }
    __syncthreads();
    int base = before[blockIdx.x] + sum - v.w + (warp > 0 ? warps[warp - 1] : 0);
    if (i < n) out[i] = make_int4(v.x + base, v.y + base, v.z + base, v.w + base);
}

// Merges two sorted halves: each thread finds the place of its keys in the other half.
extern "C" __global__ void merge_ranks(const unsigned *in, unsigned *out, int half)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * half) return;
    const unsigned *other = i < half ? in + half : in;
    unsigned key = in[i];
    int low = 0, high = half;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool right = i < half ? other[middle] < key : other[middle] <= key;
        if (right) low = middle + 1;
        else high = middle;
    }
    out[(i < half ? i : i - half) + low] = key;
}

// A small machine over lines of 64 bytes: numbers such as -12.5e3.
extern "C" __global__ void scan_numbers(const unsigned char *text, int *found, int lines)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    const unsigned char *p = text + (size_t)line * 64;
    int state = 0, many = 0;
    for (int i = 0; i < 64; i++) {
        unsigned char c = p[i];
        bool digit = c >= '0' && c <= '9';
        switch (state) {
        case 0: state = digit ? 2 : c == '-' ? 1 : 0; break;
        case 1: state = digit ? 2 : 0; break;
        case 2: if (!digit) { if (c == '.') state = 3; else if (c == 'e') state = 4; else { many++; state = 0; } } break;
        case 3: if (!digit) { if (c == 'e') state = 4; else { many++; state = 0; } } break;
        case 4: state = digit ? 5 : c == '-' ? 1 : 0; break;
        case 5: if (!digit) { many++; state = 0; } break;
        }
    }
    found[line] = many + (state == 2 || state == 3 || state == 5);
}

// Differences between a pattern of 64 letters and texts, by bits of 64-bit words.
extern "C" __global__ void bit_distances(const u64 *masks, const unsigned char *texts, int *distance, int length, int n)
{
    __shared__ u64 mask[4];
    if (threadIdx.x < 4) mask[threadIdx.x] = masks[threadIdx.x];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    u64 up = ~0ull, down = 0;
    int score = 64;
    for (int i = 0; i < length; i++) {
        u64 eq = mask[texts[i * n + t]];
        u64 x = eq | down;
        u64 d0 = (((x & up) + up) ^ up) | x;
        u64 hp = down | ~(d0 | up), hn = up & d0;
        score += (int)(hp >> 63) - (int)(hn >> 63);
        hp = hp << 1 | 1;
        up = hn << 1 | ~(d0 | hp);
        down = hp & d0;
    }
    distance[t] = score;
}

// Three bytes to four letters.
extern "C" __global__ void base64(const unsigned char *in, uchar4 *out, const char *letters, int triples)
{
    __shared__ char table[64];
    if (threadIdx.x < 64) table[threadIdx.x] = letters[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < triples) {
        unsigned word = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
        out[i] = make_uchar4(table[word >> 18], table[word >> 12 & 63], table[word >> 6 & 63], table[word & 63]);
    }
}

// Words in a text: letters after anything else; counted per warp, then once per block.
extern "C" __global__ void count_words(const unsigned char *text, int *words, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int base = blockIdx.x * blockDim.x; base < n; base += blockDim.x * gridDim.x) {
        int i = base + threadIdx.x;
        bool start = i < n && text[i] > ' ' && (i == 0 || text[i - 1] <= ' ');
        unsigned votes = __ballot_sync(0xffffffff, start);
        if (threadIdx.x % 32 == 0) atomicAdd(&sum, __popc(votes));
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(words, sum);
}

// Rounds of a block cipher with a table in shared memory.
extern "C" __global__ void cipher_rounds(const uint4 *in, uint4 *out, const unsigned *table, const uint4 *keys, int n)
{
    __shared__ unsigned t[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) t[i] = table[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 s = in[i];
    for (int round = 0; round < 10; round++) {
        uint4 key = keys[round];
#define MIX(a, b, c, d, k) (t[(a) >> 24] ^ __funnelshift_r(t[(b) >> 16 & 255], t[(b) >> 16 & 255], 8) \
    ^ __funnelshift_r(t[(c) >> 8 & 255], t[(c) >> 8 & 255], 16) ^ __funnelshift_r(t[(d) & 255], t[(d) & 255], 24) ^ (k))
        s = make_uint4(MIX(s.x, s.y, s.z, s.w, key.x), MIX(s.y, s.z, s.w, s.x, key.y),
                       MIX(s.z, s.w, s.x, s.y, key.z), MIX(s.w, s.x, s.y, s.z, key.w));
    }
    out[i] = s;
}

// One lock for each cell, taken by lane after lane.
extern "C" __global__ void locked_extremes(const int *cells, const float *values, int *locks, float2 *range, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell = cells[i];
    float value = values[i];
    bool done = false;
    while (!done) {
        if (atomicExch(&locks[cell], 1) == 0) {
            volatile float *r = &range[cell].x;
            if (value < r[0]) r[0] = value;
            if (value > r[1]) r[1] = value;
            __threadfence();
            atomicExch(&locks[cell], 0);
            done = true;
        }
    }
}
