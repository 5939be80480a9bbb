// Compiled for compute_70.
// Long arrays: sound, differences, texts, addresses, bytes, rows, filters, bits, small transposes.

__device__ short mixed(short a, short b, float loud_a, float loud_b)
{
    return max(-32768, min(32767, __float2int_rn(a * loud_a + b * loud_b)));
}

// Mixes two tracks of sound of 16 bits, each with its own loudness, and cuts off what is too loud. Four samples per load.
extern "C" __global__ void mix_tracks(const short4 *a, const short4 *b, short4 *out, float loud_a, float loud_b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short4 p = a[i], q = b[i];
    out[i] = make_short4(mixed(p.x, q.x, loud_a, loud_b), mixed(p.y, q.y, loud_a, loud_b), mixed(p.z, q.z, loud_a, loud_b),
                         mixed(p.w, q.w, loud_a, loud_b));
}

// Differences of neighbours as a compressor keeps them, with the sign in the lowest bit. How many bytes do they take, at seven bits
// each?
extern "C" __global__ void zigzag_deltas(const int *in, unsigned *out, unsigned *bytes, int n)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned size = 0;
    if (i < n) {
        int delta = in[i] - (i > 0 ? in[i - 1] : 0);
        unsigned code = (unsigned)delta << 1 ^ (unsigned)(delta >> 31);
        out[i] = code;
        size = (38 - __clz(code | 1)) / 7;
    }
    for (int d = 16; d > 0; d /= 2) size += __shfl_down_sync(~0u, size, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, size);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(bytes, total);
}

__device__ unsigned capitals(unsigned four)
{
    unsigned low = four & 0x7f7f7f7f, from_a = low + 0x1f1f1f1f, after_z = low + 0x05050505;
    return four ^ (from_a & ~after_z & ~four & 0x80808080) >> 2;
}

// Small letters become capitals, without a branch: sums set the high bit of every byte that is from `a` to `z`.
extern "C" __global__ void upper_words(const uint4 *in, uint4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 text = in[i];
    out[i] = make_uint4(capitals(text.x), capitals(text.y), capitals(text.z), capitals(text.w));
}

// Internet addresses such as `192.0.2.44` become numbers. A text has 16 bytes and ends in zeros; a wrong one becomes 0.
extern "C" __global__ void parse_addresses(const unsigned char *texts, unsigned *addresses, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned address = 0, part = 0;
    int parts = 0, digits = 0;
    for (int k = 0; k < 16; k++) {
        unsigned letter = texts[16 * i + k];
        if (letter - '0' < 10) {
            part = part * 10 + letter - '0';
            digits++;
            continue;
        }
        if (digits == 0 || part > 255) break;
        address = address << 8 | part;
        parts++;
        part = digits = 0;
        if (letter != '.') break;
    }
    addresses[i] = parts == 4 ? address : 0;
}

// How many bits of information has a byte? All blocks count, and the last one to finish computes the entropy.
extern "C" __global__ void entropy_last_block(const uint4 *bytes, volatile unsigned *counts, unsigned *finished, float *entropy, int n)
{
    __shared__ unsigned own[256];
    __shared__ float bits;
    __shared__ bool last;
    for (int k = threadIdx.x; k < 256; k += blockDim.x) own[k] = 0;
    if (threadIdx.x == 0) bits = 0.0f;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint4 load = bytes[i];
        unsigned words[4] = {load.x, load.y, load.z, load.w};
#pragma unroll
        for (int k = 0; k < 16; k++) atomicAdd(&own[words[k / 4] >> k % 4 * 8 & 255], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        if (own[k] > 0) atomicAdd((unsigned *)&counts[k], own[k]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(finished, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        float share = counts[k] / (16.0f * n);
        if (share > 0.0f) sum -= share * log2f(share);
    }
    atomicAdd(&bits, sum);
    __syncthreads();
    if (threadIdx.x == 0) *entropy = bits;
}

struct Moments { float many, mean, square; };

__device__ Moments together(Moments a, Moments b)
{
    float many = a.many + b.many, apart = b.mean - a.mean, share = many > 0.0f ? b.many / many : 0.0f;
    return {many, a.mean + apart * share, a.square + b.square + apart * apart * a.many * share};
}

// Mean and variance of every row by Welford's method, value after value; then lanes and warps join theirs. A block per row.
extern "C" __global__ void welford_rows(const float *in, float2 *out, int columns)
{
    __shared__ Moments warps[32];
    const float *row = in + (long long)blockIdx.x * columns;
    Moments own = {0.0f, 0.0f, 0.0f};
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = row[k], apart = value - own.mean;
        own.many += 1.0f;
        own.mean += apart / own.many;
        own.square += apart * (value - own.mean);
    }
    for (int d = 16; d > 0; d /= 2) {
        Moments other = {__shfl_down_sync(~0u, own.many, d), __shfl_down_sync(~0u, own.mean, d), __shfl_down_sync(~0u, own.square, d)};
        own = together(own, other);
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++) own = together(own, warps[w]);
    out[blockIdx.x] = make_float2(own.mean, own.square / own.many);
}

// A filter whose weight changes: y[k] = keep[k] * y[k - 1] + x[k] in a block's row. A thread joins four steps into one, and a scan over
// the block joins the threads'.
extern "C" __global__ void recurrence_scan(const float4 *keep, const float4 *x, float4 *y)
{
    __shared__ float2 warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float4 k = keep[i], v = x[i];
    float factor = k.x * k.y * k.z * k.w, term = ((v.x * k.y + v.y) * k.z + v.z) * k.w + v.w;
    for (int d = 1; d < 32; d *= 2) {
        float factor_left = __shfl_up_sync(~0u, factor, d), term_left = __shfl_up_sync(~0u, term, d);
        if (lane >= d) {
            term += factor * term_left;
            factor *= factor_left;
        }
    }
    if (lane == 31) warps[warp] = make_float2(factor, term);
    __syncthreads();
    float before = 0.0f;
    for (int w = 0; w < warp; w++) before = before * warps[w].x + warps[w].y;
    factor = __shfl_up_sync(~0u, factor, 1);
    term = __shfl_up_sync(~0u, term, 1);
    if (lane > 0) before = before * factor + term;
    v.x += k.x * before;
    v.y += k.y * v.x;
    v.z += k.z * v.y;
    v.w += k.w * v.z;
    y[i] = v;
}

// Eight samples of a byte become eight bytes with a bit of each, in a plane per bit: a transpose of 8 x 8 bits in a word.
extern "C" __global__ void bit_planes(const unsigned long long *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long bits = in[i], change = (bits ^ bits >> 7) & 0x00aa00aa00aa00aaull;
    bits ^= change ^ change << 7;
    change = (bits ^ bits >> 14) & 0x0000cccc0000ccccull;
    bits ^= change ^ change << 14;
    change = (bits ^ bits >> 28) & 0x00000000f0f0f0f0ull;
    bits ^= change ^ change << 28;
#pragma unroll
    for (int k = 0; k < 8; k++) out[k * n + i] = bits >> 8 * k;
}

#define ROWS 12
#define COLUMNS 20

// Transposes many matrices of 12 x 20 doubles. A block takes four; rows in shared memory have a place more than they need.
extern "C" __global__ void transpose_small(const double *in, double *out, int n)
{
    __shared__ double cells[4][ROWS][COLUMNS + 1];
    int first = 4 * blockIdx.x, many = min(4, n - first) * ROWS * COLUMNS;
    in += first * ROWS * COLUMNS;
    out += first * ROWS * COLUMNS;
    for (int k = threadIdx.x; k < many; k += blockDim.x) cells[k / (ROWS * COLUMNS)][k / COLUMNS % ROWS][k % COLUMNS] = in[k];
    __syncthreads();
    for (int k = threadIdx.x; k < many; k += blockDim.x) out[k] = cells[k / (ROWS * COLUMNS)][k % ROWS][k / ROWS % COLUMNS];
}
