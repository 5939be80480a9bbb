// Compiled for compute_70.
// Grids, pictures, colours, convolutions and wavelets.

__device__ double between(double a, double b)
{
    return 2.0 * a * b / (a + b);
}

// A step of heat flow through a volume of different materials, in doubles. What flows through a face depends on the harmonic mean of the
// two materials. The border keeps its temperature.
extern "C" __global__ void conduct_heat_3d(const double *heat, const double *material, double *next, double step, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z, plane = side * side;
    if (x >= side || y >= side || z >= side) return;
    int at = z * plane + y * side + x;
    double own = heat[at], sum = 0.0, k = material[at];
    if (x > 0 && x < side - 1 && y > 0 && y < side - 1 && z > 0 && z < side - 1) {
        sum += between(k, material[at - 1]) * (heat[at - 1] - own);
        sum += between(k, material[at + 1]) * (heat[at + 1] - own);
        sum += between(k, material[at - side]) * (heat[at - side] - own);
        sum += between(k, material[at + side]) * (heat[at + side] - own);
        sum += between(k, material[at - plane]) * (heat[at - plane] - own);
        sum += between(k, material[at + plane]) * (heat[at + plane] - own);
    }
    next[at] = own + step * sum;
}

__device__ unsigned char sharper(float own, float blurred, float amount)
{
    return fminf(fmaxf(own + amount * (own - blurred) + 0.5f, 0.0f), 255.0f);
}

// Sharpens a colour picture (unsharp mask): adds the difference between a pixel and the blurred picture. The blur has 5 x 5 weights. A
// block keeps its tile and a border of two pixels in shared memory.
extern "C" __global__ void unsharp_mask(const uchar4 *in, uchar4 *out, float amount, int side)
{
    extern __shared__ uchar4 tile[];
    const float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    int wide = blockDim.x + 4, all = wide * (blockDim.y + 4), left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < all; k += blockDim.x * blockDim.y) {
        int x = min(max(left + k % wide - 2, 0), side - 1), y = min(max(top + k / wide - 2, 0), side - 1);
        tile[k] = in[y * side + x];
    }
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= side || y >= side) return;
    float red = 0.0f, green = 0.0f, blue = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
        for (int dx = 0; dx < 5; dx++) {
            uchar4 near = tile[(threadIdx.y + dy) * wide + threadIdx.x + dx];
            float weight = weights[dy] * weights[dx];
            red += weight * near.x;
            green += weight * near.y;
            blue += weight * near.z;
        }
    uchar4 own = tile[(threadIdx.y + 2) * wide + threadIdx.x + 2];
    out[y * side + x] = make_uchar4(sharper(own.x, red, amount), sharper(own.y, green, amount), sharper(own.z, blue, amount), own.w);
}

// A step of cars on ring roads (Nagel and Schreckenberg): each car speeds up, keeps its distance to the car ahead, and sometimes brakes for
// no reason. The cars of a road are in order.
extern "C" __global__ void traffic_cars(const int *places, const unsigned char *speeds, int *next_places, unsigned char *next_speeds,
                                        int cars, int length, unsigned brake, unsigned time, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int number = i % cars, ahead = number + 1 < cars ? i + 1 : i + 1 - cars, place = places[i];
    int gap = places[ahead] - place - 1;
    if (gap < 0) gap += length;
    int speed = min(min(speeds[i] + 1, 5), gap);
    unsigned bits = (i ^ time) * 0x9e3779b9u;
    bits = (bits ^ bits >> 16) * 0x85ebca6bu;
    if (speed > 0 && (bits ^ bits >> 13) < brake) speed--;
    place += speed;
    next_places[i] = place < length ? place : place - length;
    next_speeds[i] = speed;
}

#define LEVELS 16
#define RADIUS 3

// Makes a picture look like an oil painting: of 16 levels of brightness, the most frequent within 7 x 7 pixels gives its mean colour.
extern "C" __global__ void oil_paint(const uchar4 *in, uchar4 *out, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int counts[LEVELS], reds[LEVELS], greens[LEVELS], blues[LEVELS];
    for (int k = 0; k < LEVELS; k++) counts[k] = reds[k] = greens[k] = blues[k] = 0;
    for (int v = max(y - RADIUS, 0); v <= min(y + RADIUS, side - 1); v++)
        for (int u = max(x - RADIUS, 0); u <= min(x + RADIUS, side - 1); u++) {
            uchar4 near = in[v * side + u];
            int level = (near.x + near.y + near.z) * LEVELS / 768;
            counts[level]++;
            reds[level] += near.x;
            greens[level] += near.y;
            blues[level] += near.z;
        }
    int best = 0;
    for (int k = 1; k < LEVELS; k++)
        if (counts[k] > counts[best]) best = k;
    int many = counts[best];
    out[y * side + x] = make_uchar4(reds[best] / many, greens[best] / many, blues[best] / many, 255);
}

__device__ unsigned char luma(uchar4 c)
{
    return (66 * c.x + 129 * c.y + 25 * c.z + 4224) >> 8;
}

// Turns colours into brightness and two planes of colour at half size, as video codecs need them (4:2:0). A thread takes 2 x 2 pixels.
extern "C" __global__ void chroma_subsample(const uchar4 *pixels, uchar2 *bright, unsigned char *blues, unsigned char *reds, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = side / 2;
    if (x >= half || y >= half) return;
    const uchar4 *upper = pixels + 2 * y * side + 2 * x, *lower = upper + side;
    uchar4 a = upper[0], b = upper[1], c = lower[0], d = lower[1];
    bright[2 * y * half + x] = make_uchar2(luma(a), luma(b));
    bright[(2 * y + 1) * half + x] = make_uchar2(luma(c), luma(d));
    int red = a.x + b.x + c.x + d.x, green = a.y + b.y + c.y + d.y, blue = a.z + b.z + c.z + d.z;
    blues[y * half + x] = (-38 * red - 74 * green + 112 * blue + 131584) >> 10;
    reds[y * half + x] = (112 * red - 94 * green - 18 * blue + 131584) >> 10;
}

#define FILTERS 4

// Four filters of 3 x 3 x 3 weights over a volume, with zeros beyond the border. The weights are in shared memory.
extern "C" __global__ void conv_volume(const float *in, const float *weights, const float *bias, float *out, int side)
{
    __shared__ float kept[27 * FILTERS];
    int threads = blockDim.x * blockDim.y * blockDim.z;
    for (int k = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; k < 27 * FILTERS; k += threads) kept[k] = weights[k];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= side || y >= side || z >= side) return;
    float sums[FILTERS];
#pragma unroll
    for (int f = 0; f < FILTERS; f++) sums[f] = bias[f];
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                int u = x + dx, v = y + dy, w = z + dz, at = (dz * 3 + dy) * 3 + dx + 13;
                bool inside = u >= 0 && u < side && v >= 0 && v < side && w >= 0 && w < side;
                float value = inside ? in[(w * side + v) * side + u] : 0.0f;
#pragma unroll
                for (int f = 0; f < FILTERS; f++) sums[f] += value * kept[at * FILTERS + f];
            }
#pragma unroll
    for (int f = 0; f < FILTERS; f++) out[((f * side + z) * side + y) * side + x] = fmaxf(sums[f], 0.0f);
}

__device__ uchar4 expanded(unsigned colour)
{
    int red = colour >> 11, green = colour >> 5 & 63, blue = colour & 31;
    return make_uchar4(red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2, 255);
}

__device__ uchar4 mixed(uchar4 a, uchar4 b, int left, int right)
{
    int sum = left + right;
    return make_uchar4((left * a.x + right * b.x) / sum, (left * a.y + right * b.y) / sum, (left * a.z + right * b.z) / sum, 255);
}

// Unpacks a compressed texture (BC1): 4 x 4 pixels are eight bytes, with two colours and two bits for each pixel. A thread per eight bytes.
extern "C" __global__ void bc1_decode(const uint2 *packed, uchar4 *pixels, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, wide = side / 4;
    if (x >= wide || y >= wide) return;
    uint2 block = packed[y * wide + x];
    unsigned first = block.x & 0xffff, second = block.x >> 16;
    uchar4 palette[4];
    palette[0] = expanded(first);
    palette[1] = expanded(second);
    if (first > second) {
        palette[2] = mixed(palette[0], palette[1], 2, 1);
        palette[3] = mixed(palette[0], palette[1], 1, 2);
    } else {
        palette[2] = mixed(palette[0], palette[1], 1, 1);
        palette[3] = make_uchar4(0, 0, 0, 0);
    }
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            pixels[(y * 4 + row) * side + x * 4 + column] = palette[block.y >> (row * 4 + column) * 2 & 3];
}

#define WIDTH 1024

// Adds to every second number a part of its two neighbours. The ends are mirrored.
__device__ void lift(float *row, int step, int first, float weight)
{
    for (int k = threadIdx.x; k < WIDTH / (2 * step); k += blockDim.x) {
        int at = (2 * k + first) * step;
        float left = row[at >= step ? at - step : at + step], right = row[at + step < WIDTH ? at + step : at - step];
        row[at] += weight * (left + right);
    }
    __syncthreads();
}

// Wavelets of JPEG 2000 (CDF 9/7) for rows of 1024 numbers: five levels in shared memory, in place. A block per row.
extern "C" __global__ void wavelet_97(const float *in, float *out)
{
    __shared__ float row[WIDTH];
    in += blockIdx.x * WIDTH;
    out += blockIdx.x * WIDTH;
    for (int k = threadIdx.x; k < WIDTH; k += blockDim.x) row[k] = in[k];
    __syncthreads();
    for (int step = 1; step < 32; step *= 2) {
        lift(row, step, 1, -1.586134342f);
        lift(row, step, 0, -0.05298011854f);
        lift(row, step, 1, 0.8829110762f);
        lift(row, step, 0, 0.4435068522f);
    }
    for (int k = threadIdx.x; k < WIDTH; k += blockDim.x) out[k] = row[k] * (k % 2 == 0 ? 1.149604398f : 0.869864452f);
}
