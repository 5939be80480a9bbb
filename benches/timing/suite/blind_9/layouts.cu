// Compiled for compute_70.
// Layouts of records, pictures, sound and volumes; bits, whole numbers and halves.

#define CHANNELS 6

// Splits 16-bit sound with six channels into one plane of floats per channel. A thread per moment.
extern "C" __global__ void deinterleave_six(const short *frames, float *planes, float gain, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) planes[c * n + i] = frames[i * CHANNELS + c] * gain;
}

// Copies a texture from rows to tiles of 8 x 8 pixels. Inside a tile, the pixels follow a Z curve. A thread copies four pixels of a row.
extern "C" __global__ void swizzle_texture(const uint4 *rows, uint2 *tiles, int side)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    uint4 four = rows[(y * side + x) / 4];
    int tile = y / 8 * (side / 8) + x / 8;
    int inner = (y & 1) << 1 | (y & 2) << 2 | (x & 4) << 2 | (y & 4) << 3;
    tiles[(tile * 64 + inner) / 2] = make_uint2(four.x, four.y);
    tiles[(tile * 64 + inner + 4) / 2] = make_uint2(four.z, four.w);
}

#define SHAPES 8

// Adds up to eight weighted shapes to the points of a face, as animations do. Shapes with weight zero are skipped.
extern "C" __global__ void blend_shapes(const float4 *base, const float4 *shapes, const float *weights, float4 *points, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 sum = base[i];
#pragma unroll
    for (int k = 0; k < SHAPES; k++) {
        float weight = weights[k];
        if (weight == 0.0f) continue;
        float4 move = shapes[k * n + i];
        sum.x += weight * move.x;
        sum.y += weight * move.y;
        sum.z += weight * move.z;
        sum.w += weight * move.w;
    }
    points[i] = sum;
}

__device__ unsigned short lifted(unsigned high, unsigned low, unsigned black)
{
    unsigned value = high << 2 | (low & 3);
    return value > black ? value - black : 0;
}

// Unpacks camera pixels with 10 bits: five bytes hold four pixels, and the last byte holds the two low bits of each. Subtracts the black
// level.
extern "C" __global__ void raw10_unpack(const unsigned char *packed, ushort4 *pixels, unsigned black, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *from = packed + i * 5;
    unsigned low = from[4];
    pixels[i] = make_ushort4(lifted(from[0], low, black), lifted(from[1], low >> 2, black), lifted(from[2], low >> 4, black),
                             lifted(from[3], low >> 6, black));
}

// Turns network records of 16 bytes, written with the highest byte first, into columns: time, two ports and a size.
extern "C" __global__ void swap_record_bytes(const uint4 *records, unsigned *times, unsigned short *sources, unsigned short *targets,
                                             unsigned long long *sizes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 record = records[i];
    times[i] = __byte_perm(record.x, 0, 0x0123);
    sources[i] = __byte_perm(record.y, 0, 0x4401);
    targets[i] = __byte_perm(record.y, 0, 0x4423);
    unsigned long long high = __byte_perm(record.z, 0, 0x0123);
    sizes[i] = high << 32 | __byte_perm(record.w, 0, 0x0123);
}

// For each row of a table: the first of two columns that has a value there. Bits tell which values exist; the result has such bits too.
extern "C" __global__ void coalesce_columns(const long long *first, const unsigned *first_bits, const long long *second,
                                            const unsigned *second_bits, long long *out, unsigned *out_bits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool valid = false;
    if (i < n) {
        long long value = 0;
        if (first_bits[i / 32] >> lane & 1) {
            value = first[i];
            valid = true;
        } else if (second_bits[i / 32] >> lane & 1) {
            value = second[i];
            valid = true;
        }
        out[i] = value;
    }
    unsigned bits = __ballot_sync(~0u, valid);
    if (lane == 0 && i < n) out_bits[i / 32] = bits;
}

// Shifts each column of a matrix down by its number, so that the diagonals become rows. What leaves at the bottom comes back at the top.
extern "C" __global__ void skew_matrix(const double *in, double *out, int side)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= side || row >= side) return;
    int to = row + column;
    if (to >= side) to -= side;
    out[to * side + column] = in[row * side + column];
}

#define EDGE 16
#define CELLS (EDGE * EDGE * EDGE)
#define FACE (2 * EDGE * EDGE)

// Packs the two outer layers at each of the six faces of a cube, to send them to the neighbours. A block per cube of 16 x 16 x 16 cells.
extern "C" __global__ void pack_faces(const float *cubes, float *packed)
{
    const float *cube = cubes + blockIdx.x * CELLS;
    float *to = packed + blockIdx.x * 6 * FACE;
    for (int k = threadIdx.x; k < 6 * FACE; k += blockDim.x) {
        int face = k / FACE, layer = k / (EDGE * EDGE) % 2, v = k / EDGE % EDGE, u = k % EDGE;
        int depth = face % 2 == 0 ? layer : EDGE - 2 + layer, at;
        if (face < 2) at = (v * EDGE + u) * EDGE + depth;
        else if (face < 4) at = (v * EDGE + depth) * EDGE + u;
        else at = (depth * EDGE + v) * EDGE + u;
        to[k] = cube[at];
    }
}

#define LOADS 63
#define PLANES 8

// How many words have each bit set? Counters are kept in bit planes, 32 side by side: adding a word is a few logic steps (Harley and
// Seal). A thread adds 252 words before the warp counts them together.
extern "C" __global__ void positional_counts(const uint4 *words, unsigned *counts, int n)
{
    unsigned planes[PLANES] = {0, 0, 0, 0, 0, 0, 0, 0};
    int first = blockIdx.x * LOADS * blockDim.x + threadIdx.x;
    for (int k = 0; k < LOADS; k++) {
        int i = first + k * blockDim.x;
        if (i >= n) break;
        uint4 four = words[i];
        unsigned half = planes[0] ^ four.x, one = planes[0] & four.x | half & four.y;
        half ^= four.y;
        unsigned other = half & four.z | (half ^ four.z) & four.w;
        planes[0] = half ^ four.z ^ four.w;
        unsigned carry = planes[1] & one | (planes[1] ^ one) & other;
        planes[1] ^= one ^ other;
#pragma unroll
        for (int p = 2; p < PLANES; p++) {
            unsigned next = planes[p] & carry;
            planes[p] ^= carry;
            carry = next;
        }
    }
    for (int bit = 0; bit < 32; bit++) {
        unsigned count = 0;
#pragma unroll
        for (int p = 0; p < PLANES; p++) count += (planes[p] >> bit & 1) << p;
        for (int d = 16; d > 0; d /= 2) count += __shfl_down_sync(~0u, count, d);
        if (threadIdx.x % 32 == 0) atomicAdd(&counts[bit], count);
    }
}

// Finds a factor of a number (Pollard's rho): a slow and a fast walk meet modulo the factor. Sixteen differences are multiplied before each
// greatest common divisor.
extern "C" __global__ void pollard_rho(const unsigned *numbers, unsigned *factors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned number = numbers[i], factor = number;
    for (unsigned shift = 1; factor == number && shift < 20; shift++) {
        unsigned slow = 2, fast = 2;
        do {
            unsigned product = 1;
            for (int k = 0; k < 16; k++) {
                slow = ((unsigned long long)slow * slow + shift) % number;
                fast = ((unsigned long long)fast * fast + shift) % number;
                fast = ((unsigned long long)fast * fast + shift) % number;
                unsigned apart = slow > fast ? slow - fast : fast - slow;
                product = (unsigned long long)product * apart % number;
            }
            unsigned other = number;
            while (product != 0) {
                unsigned rest = other % product;
                other = product;
                product = rest;
            }
            factor = other;
        } while (factor == 1);
    }
    factors[i] = factor;
}

#define RECORDS 2048

// Sorts records by their highest byte, 2048 in a block: counts, a scan of the counts, and then each record takes the next place of its
// byte. Records with the same byte may come in any order.
extern "C" __global__ void counting_sort_block(const unsigned *in, unsigned *out)
{
    __shared__ unsigned places[256];
    in += blockIdx.x * RECORDS;
    out += blockIdx.x * RECORDS;
    for (int k = threadIdx.x; k < 256; k += blockDim.x) places[k] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < RECORDS; k += blockDim.x) atomicAdd(&places[in[k] >> 24], 1u);
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned own[8], sum = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) sum += own[k] = places[threadIdx.x * 8 + k];
        unsigned before = sum;
        for (int d = 1; d < 32; d *= 2) {
            unsigned other = __shfl_up_sync(~0u, before, d);
            if (threadIdx.x >= d) before += other;
        }
        before -= sum;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            places[threadIdx.x * 8 + k] = before;
            before += own[k];
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < RECORDS; k += blockDim.x) {
        unsigned record = in[k];
        out[atomicAdd(&places[record >> 24], 1u)] = record;
    }
}

__device__ float2 widened(unsigned pair)
{
    float2 two;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }" : "=f"(two.x), "=f"(two.y) : "r"(pair));
    return two;
}

__device__ unsigned narrowed(float low, float high)
{
    unsigned pair;
    asm("{ .reg .f16 a, b; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; mov.b32 %0, {a, b}; }" : "=r"(pair) : "f"(low), "f"(high));
    return pair;
}

// A training step of the Lion optimiser: weights move by the sign of the mean gradient. Gradients and means are halves, weights are
// floats with a copy in halves. A thread takes two weights.
extern "C" __global__ void lion_step(float2 *weights, unsigned *means, const unsigned *gradients, unsigned *copies, float rate, float decay,
                                     int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 weight = weights[i], mean = widened(means[i]), gradient = widened(gradients[i]);
    weight.x -= rate * (copysignf(1.0f, 0.9f * mean.x + 0.1f * gradient.x) + decay * weight.x);
    weight.y -= rate * (copysignf(1.0f, 0.9f * mean.y + 0.1f * gradient.y) + decay * weight.y);
    weights[i] = weight;
    means[i] = narrowed(0.99f * mean.x + 0.01f * gradient.x, 0.99f * mean.y + 0.01f * gradient.y);
    copies[i] = narrowed(weight.x, weight.y);
}
