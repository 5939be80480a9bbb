// Compiled for compute_70.
// Pictures, and steps on grids and volumes.

__device__ unsigned char shade(float light) { return 255.0f * powf(fminf(light, 1.0f), 1.0f / 2.2f) + 0.5f; }

// Brings a picture of bright lights to a screen: Reinhard's curve for the luminance, then a gamma of 2.2.
extern "C" __global__ void tone_map(const float *rgb, uchar4 *out, float exposure, float white, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = rgb[3 * i] * exposure, g = rgb[3 * i + 1] * exposure, b = rgb[3 * i + 2] * exposure;
    float light = 0.2126f * r + 0.7152f * g + 0.0722f * b, scale = (1.0f + light / (white * white)) / (1.0f + light);
    out[i] = make_uchar4(shade(r * scale), shade(g * scale), shade(b * scale), 255);
}

// Smooths a volume: a weight each for the cell, its 6 faces, its 12 edges and its 8 corners. The rim stays as it is.
extern "C" __global__ void smooth_27(const float *in, float *out, float centre, float beside, float edge, float corner, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z, at = (z * side + y) * side + x;
    if (x >= side || y >= side || z >= side) return;
    if (x == 0 || y == 0 || z == 0 || x == side - 1 || y == side - 1 || z == side - 1) {
        out[at] = in[at];
        return;
    }
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int dz = -1; dz <= 1; dz++)
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++) sums[(dx != 0) + (dy != 0) + (dz != 0)] += in[at + (dz * side + dy) * side + dx];
    out[at] = centre * sums[0] + beside * sums[1] + edge * sums[2] + corner * sums[3];
}

// A pile of sand: a place with four grains or more gives one to each neighbour. Counts the places that gave; at the rim grains fall off.
extern "C" __global__ void sandpile_step(const unsigned char *in, unsigned char *out, unsigned *moved, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * width + x;
    bool gives = false;
    if (x < width && y < height) {
        int grains = in[at];
        gives = grains >= 4;
        if (gives) grains -= 4;
        if (x > 0) grains += in[at - 1] >= 4;
        if (x < width - 1) grains += in[at + 1] >= 4;
        if (y > 0) grains += in[at - width] >= 4;
        if (y < height - 1) grains += in[at + width] >= 4;
        out[at] = grains;
    }
    int many = __syncthreads_count(gives);
    if (threadIdx.x == 0 && threadIdx.y == 0 && many > 0) atomicAdd(moved, (unsigned)many);
}

__device__ float face(float a, float b, float c, float d, float e)
{
    float p = a - 2.0f * b + c, q = a - 4.0f * b + 3.0f * c;
    float first = 13.0f / 12.0f * p * p + 0.25f * q * q + 1e-6f;
    p = b - 2.0f * c + d;
    q = b - d;
    float second = 13.0f / 12.0f * p * p + 0.25f * q * q + 1e-6f;
    p = c - 2.0f * d + e;
    q = 3.0f * c - 4.0f * d + e;
    float third = 13.0f / 12.0f * p * p + 0.25f * q * q + 1e-6f;
    first = 0.1f / (first * first);
    second = 0.6f / (second * second);
    third = 0.3f / (third * third);
    float sum = first * (2.0f * a - 7.0f * b + 11.0f * c) + second * (5.0f * c - b + 2.0f * d) + third * (2.0f * c + 5.0f * d - e);
    return sum / (6.0f * (first + second + third));
}

// Moves a profile along rows, which close to rings, by fluxes of order five (WENO): of three parabolas the smooth ones count.
extern "C" __global__ void weno_rows(const float *u, float *out, float ratio, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float v[6];
#pragma unroll
    for (int k = 0; k < 6; k++) {
        int at = x + k - 3;
        v[k] = u[y * width + (at < 0 ? at + width : at >= width ? at - width : at)];
    }
    out[y * width + x] = v[3] - ratio * (face(v[1], v[2], v[3], v[4], v[5]) - face(v[0], v[1], v[2], v[3], v[4]));
}

// Multigrid: adds to the fine grid what the coarse one found. Between the points of that, it is the mean of two or four.
extern "C" __global__ void prolong_grid(const double *coarse, double *fine, int many)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, side = 2 * many - 1;
    if (x >= side || y >= side) return;
    const double *at = coarse + y / 2 * many + x / 2;
    double value = at[0];
    if (x % 2 == 1 && y % 2 == 1) value = 0.25 * (value + at[1] + at[many] + at[many + 1]);
    else if (x % 2 == 1) value = 0.5 * (value + at[1]);
    else if (y % 2 == 1) value = 0.5 * (value + at[many]);
    fine[y * side + x] += value;
}

// The cheapest ways down a picture from pixel to pixel, as for making it narrower: the cost of the way to each pixel of the last row.
// A block per picture goes down with two rows of costs in shared memory.
extern "C" __global__ void seam_costs(const unsigned char *pictures, int *costs, int height)
{
    extern __shared__ int both[];
    int width = blockDim.x, x = threadIdx.x, *before = both + 1, *now = both + width + 3;
    const unsigned char *pixel = pictures + (long long)blockIdx.x * width * height + x;
    if (x == 0) before[-1] = before[width] = now[-1] = now[width] = 1 << 30;
    before[x] = 0;
    __syncthreads();
    int left = x > 0 ? -1 : 0, right = x < width - 1 ? 1 : 0;
    for (int y = 0; y < height; y++, pixel += width) {
        int steep = abs(pixel[right] - pixel[left]) + abs(pixel[0] - pixel[y > 0 ? -width : 0]);
        now[x] = steep + min(before[x], min(before[x - 1], before[x + 1]));
        __syncthreads();
        int *other = before;
        before = now;
        now = other;
    }
    costs[blockIdx.x * width + x] = before[x];
}

// Puts 16 pictures of the same stars together: a bitonic network in registers sorts a pixel's values, and the mean of the middle eight
// is kept.
extern "C" __global__ void stack_frames(const unsigned short *frames, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v[16];
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = frames[k * n + i];
#pragma unroll
    for (int run = 2; run <= 16; run *= 2)
#pragma unroll
        for (int step = run / 2; step > 0; step /= 2)
#pragma unroll
            for (int k = 0; k < 16; k++)
                if ((k & step) == 0) {
                    int low = min(v[k], v[k + step]), high = max(v[k], v[k + step]);
                    v[k] = (k & run) == 0 ? low : high;
                    v[k + step] = (k & run) == 0 ? high : low;
                }
    int sum = 0;
#pragma unroll
    for (int k = 4; k < 12; k++) sum += v[k];
    out[i] = sum * 0.125f;
}

// Where did each pixel go from one picture to the next? Lucas and Kanade: least squares over the slopes of 5 x 5 pixels.
extern "C" __global__ void optical_flow(const float *before, const float *after, float2 *flow, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float xx = 0.0f, xy = 0.0f, yy = 0.0f, xt = 0.0f, yt = 0.0f;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int at = min(max(y + dy, 1), height - 2) * width + min(max(x + dx, 1), width - 2);
            float gx = 0.5f * (before[at + 1] - before[at - 1]), gy = 0.5f * (before[at + width] - before[at - width]);
            float gt = after[at] - before[at];
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
            xt += gx * gt;
            yt += gy * gt;
        }
    float area = xx * yy - xy * xy;
    float2 moved = make_float2(0.0f, 0.0f);
    if (area > 1e-3f) moved = make_float2((xy * yt - yy * xt) / area, (xy * xt - xx * yt) / area);
    flow[y * width + x] = moved;
}

// Spreads the greys of each square of 32 x 32 pixels over the whole range: a block counts them, sums the counts up and maps its pixels.
extern "C" __global__ void tile_equalise(const unsigned char *in, unsigned char *out, int width)
{
    __shared__ unsigned counts[256];
    int t = threadIdx.x, first = (blockIdx.y * width + blockIdx.x) * 32;
    for (int k = t; k < 256; k += blockDim.x) counts[k] = 0;
    __syncthreads();
    for (int k = t; k < 1024; k += blockDim.x) atomicAdd(&counts[in[first + k / 32 * width + k % 32]], 1u);
    __syncthreads();
    if (t < 32) {
        unsigned own = 0;
        for (int k = 0; k < 8; k++) own += counts[8 * t + k];
        unsigned sum = own;
        for (int d = 1; d < 32; d *= 2) {
            unsigned left = __shfl_up_sync(~0u, sum, d);
            if (t >= d) sum += left;
        }
        sum -= own;
        for (int k = 0; k < 8; k++) counts[8 * t + k] = sum += counts[8 * t + k];
    }
    __syncthreads();
    for (int k = t; k < 1024; k += blockDim.x) {
        int at = first + k / 32 * width + k % 32;
        out[at] = counts[in[at]] * 255 / 1024;
    }
}
