// Compiled for compute_70.
// Long arrays: planes of a picture, dates, remainders, norms, scans, transposes, codes, letters.

// Three planes of bytes become pixels of four bytes.
extern "C" __global__ void pack_pixels(const unsigned char *red, const unsigned char *green, const unsigned char *blue, uchar4 *out,
                                       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_uchar4(red[i], green[i], blue[i], 255);
}

// Year, month and day from the number of days since 1970. The year starts in March, so the leap day is its last.
extern "C" __global__ void date_fields(const unsigned *days, unsigned *dates, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int day = days[i] + 719468, era = day / 146097;
    day -= era * 146097;
    int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5 - 1;
    month += month < 10 ? 3 : -9;
    dates[i] = (year + 400 * era + (month <= 2)) << 16 | month << 8 | day;
}

// Remainders of integers of 64 bits. The divisors have between 8 and 64 bits.
extern "C" __global__ void long_remainders(const unsigned long long *values, const unsigned long long *divisors,
                                           unsigned long long *remainders, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) remainders[i] = values[i] % (divisors[i] >> i % 8 * 8 | 1);
}

// The largest absolute value of an array. Numbers that are not negative have the order of their bits.
extern "C" __global__ void infinity_norm(const double *x, unsigned long long *norm, int n)
{
    __shared__ double most[32];
    double own = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own = fmax(own, fabs(x[i] - 0.4));
    for (int d = 16; d > 0; d /= 2) own = fmax(own, __shfl_xor_sync(~0u, own, d));
    if (threadIdx.x % 32 == 0) most[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++) own = fmax(own, most[w]);
    atomicMax(norm, __double_as_longlong(own));
}

// The largest value so far, along every row. A warp per row, 32 columns per step.
extern "C" __global__ void running_max(const float *in, float *out, int columns, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float before = -1e30f;
    for (int c = lane; c < columns; c += 32) {
        float value = in[row * columns + c];
        for (int d = 1; d < 32; d *= 2) {
            float left = __shfl_up_sync(~0u, value, d);
            if (lane >= d) value = fmaxf(value, left);
        }
        value = fmaxf(value, before);
        out[row * columns + c] = value;
        before = __shfl_sync(~0u, value, 31);
    }
}

// Sums from the start of each segment. A flag marks a start, and every block starts anew.
extern "C" __global__ void scan_segments(const int *in, const unsigned char *starts, int *out, int n)
{
    __shared__ int sums[32], flags[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : 0, flag = i < n ? starts[i] : 1;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(~0u, value, d), started = __shfl_up_sync(~0u, flag, d);
        if (lane >= d) {
            if (!flag) value += left;
            flag |= started;
        }
    }
    if (lane == 31) {
        sums[warp] = value;
        flags[warp] = flag;
    }
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++) before = flags[w] ? sums[w] : before + sums[w];
    if (i < n) out[i] = flag ? value : value + before;
}

// A transpose of 4 x 4 numbers per thread, in registers. Loads and stores are 16 bytes wide.
extern "C" __global__ void transpose_vectors(const float4 *in, float4 *out, int quads)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= quads || y >= quads) return;
    const float4 *from = in + 4 * y * quads + x;
    float4 a = from[0], b = from[quads], c = from[2 * quads], d = from[3 * quads], *to = out + 4 * x * quads + y;
    to[0] = make_float4(a.x, b.x, c.x, d.x);
    to[quads] = make_float4(a.y, b.y, c.y, d.y);
    to[2 * quads] = make_float4(a.z, b.z, c.z, d.z);
    to[3 * quads] = make_float4(a.w, b.w, c.w, d.w);
}

// Gray codes of 64 bits become numbers: every bit is the parity of the bits above it and itself.
extern "C" __global__ void gray_decode(const unsigned long long *codes, unsigned long long *numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long value = codes[i];
#pragma unroll
    for (int shift = 1; shift < 64; shift *= 2) value ^= value >> shift;
    numbers[i] = value;
}

// How often does every letter occur? Each warp has its own counters in shared memory; four letters per load.
extern "C" __global__ void warp_letters(const unsigned *text, unsigned *counts, int words)
{
    __shared__ unsigned own[16][26];
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int k = threadIdx.x; k < 16 * 26; k += blockDim.x) own[k / 26][k % 26] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned four = text[i];
        for (int k = 0; k < 4; k++, four >>= 8) {
            unsigned letter = (four & 255) - 'a';
            if (letter < 26) atomicAdd(&own[warp][letter], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x >= 26) return;
    unsigned sum = 0;
    for (int w = 0; w < warps; w++) sum += own[w][threadIdx.x];
    atomicAdd(&counts[threadIdx.x], sum);
}
