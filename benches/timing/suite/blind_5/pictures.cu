// Compiled for compute_70.
// Filters, colours, sizes and shapes of pictures, and pictures of formulas.

__device__ void sort2(int &a, int &b)
{
    int low = min(a, b);
    b = max(a, b);
    a = low;
}

// The middle of 3 x 3 pixels, by a network of comparisons.
extern "C" __global__ void median_3x3(const unsigned char *image, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int p[9];
#pragma unroll
    for (int k = 0; k < 9; k++) p[k] = image[(y + k / 3 - 1) * width + x + k % 3 - 1];
    sort2(p[1], p[2]); sort2(p[4], p[5]); sort2(p[7], p[8]);
    sort2(p[0], p[1]); sort2(p[3], p[4]); sort2(p[6], p[7]);
    sort2(p[1], p[2]); sort2(p[4], p[5]); sort2(p[7], p[8]);
    sort2(p[0], p[3]); sort2(p[5], p[8]); sort2(p[4], p[7]);
    sort2(p[3], p[6]); sort2(p[1], p[4]); sort2(p[2], p[5]);
    sort2(p[4], p[7]); sort2(p[4], p[2]); sort2(p[6], p[4]);
    sort2(p[4], p[2]);
    out[y * width + x] = p[4];
}

// Red, green and blue become hue, saturation and value.
extern "C" __global__ void rgb_to_hsv(const unsigned char *rgb, float *hue, float *saturation, float *value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = rgb[3 * i] / 255.0f, g = rgb[3 * i + 1] / 255.0f, b = rgb[3 * i + 2] / 255.0f;
    float most = fmaxf(r, fmaxf(g, b)), range = most - fminf(r, fminf(g, b)), h = 0.0f;
    if (range > 0.0f) {
        if (most == r) h = (g - b) / range;
        else if (most == g) h = 2.0f + (b - r) / range;
        else h = 4.0f + (r - g) / range;
        h = h < 0.0f ? 60.0f * h + 360.0f : 60.0f * h;
    }
    hue[i] = h;
    saturation[i] = most > 0.0f ? range / most : 0.0f;
    value[i] = most;
}

__device__ float weight(float t)
{
    t = fabsf(t);
    if (t < 1.0f) return (1.5f * t - 2.5f) * t * t + 1.0f;
    return t < 2.0f ? ((-0.5f * t + 2.5f) * t - 4.0f) * t + 2.0f : 0.0f;
}

// Makes a picture larger, from 4 x 4 pixels each.
extern "C" __global__ void enlarge_bicubic(const float *image, float *out, float scale, int side, int larger)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= larger || y >= larger) return;
    float fx = (x + 0.5f) * scale - 0.5f, fy = (y + 0.5f) * scale - 0.5f, sum = 0.0f;
    int left = (int)floorf(fx), top = (int)floorf(fy);
    for (int r = -1; r < 3; r++) {
        const float *row = image + min(max(top + r, 0), side - 1) * side;
        float line = 0.0f;
        for (int c = -1; c < 3; c++) line += weight(fx - left - c) * row[min(max(left + c, 0), side - 1)];
        sum += weight(fy - top - r) * line;
    }
    out[y * larger + x] = sum;
}

// Takes out what a lens bends: the pixel is fetched from its place in the bent picture, between four.
extern "C" __global__ void undistort(const unsigned char *image, float *out, float k1, float k2, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float middle = 0.5f * side, u = (x - middle) / middle, v = (y - middle) / middle, r = u * u + v * v;
    float bend = 1.0f + k1 * r + k2 * r * r, fx = u * bend * middle + middle, fy = v * bend * middle + middle;
    int left = (int)floorf(fx), top = (int)floorf(fy);
    float value = 0.0f;
    if (left >= 0 && top >= 0 && left < side - 1 && top < side - 1) {
        const unsigned char *p = image + top * side + left;
        float a = fx - left, b = fy - top;
        value = (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[side] + a * p[side + 1]);
    }
    out[y * side + x] = value;
}

__constant__ float seven[7] = {0.006f, 0.061f, 0.242f, 0.382f, 0.242f, 0.061f, 0.006f};

// Blurs a tile in shared memory, first along its rows, then along its columns.
extern "C" __global__ void blur_tile(const float *image, float *out, int side)
{
    extern __shared__ float tile[];
    int w = blockDim.x + 6, h = blockDim.y + 6, tx = threadIdx.x, ty = threadIdx.y;
    float *rows = tile + w * h;
    int left = blockIdx.x * blockDim.x - 3, top = blockIdx.y * blockDim.y - 3;
    for (int r = ty; r < h; r += blockDim.y)
        for (int c = tx; c < w; c += blockDim.x)
            tile[r * w + c] = image[min(max(top + r, 0), side - 1) * side + min(max(left + c, 0), side - 1)];
    __syncthreads();
    for (int r = ty; r < h; r += blockDim.y) {
        float sum = 0.0f;
        for (int k = 0; k < 7; k++) sum += seven[k] * tile[r * w + tx + k];
        rows[r * blockDim.x + tx] = sum;
    }
    __syncthreads();
    int x = left + 3 + tx, y = top + 3 + ty;
    if (x >= side || y >= side) return;
    float sum = 0.0f;
    for (int k = 0; k < 7; k++) sum += seven[k] * rows[(ty + k) * blockDim.x + tx];
    out[y * side + x] = sum;
}

// Black and white by the mean of 15 x 15 pixels around.
extern "C" __global__ void threshold_local(const unsigned char *image, unsigned char *out, int offset, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int sum = 0, many = 0;
    for (int r = max(y - 7, 0); r <= min(y + 7, side - 1); r++)
        for (int c = max(x - 7, 0); c <= min(x + 7, side - 1); c++) {
            sum += image[r * side + c];
            many++;
        }
    out[y * side + x] = (image[y * side + x] + offset) * many > sum ? 255 : 0;
}

// Half as large: the mean of 2 x 2 pixels of four bytes.
extern "C" __global__ void halve_picture(const uchar4 *image, uchar4 *out, int half)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= half || y >= half) return;
    const uchar4 *p = image + 4 * y * half + 2 * x;
    uchar4 a = p[0], b = p[1], c = p[2 * half], d = p[2 * half + 1];
    out[y * half + x] = make_uchar4((a.x + b.x + c.x + d.x + 2) / 4, (a.y + b.y + c.y + d.y + 2) / 4,
                                    (a.z + b.z + c.z + d.z + 2) / 4, (a.w + b.w + c.w + d.w + 2) / 4);
}

// Directions of edges in cells of 8 x 8 pixels: nine bins each, for a detector of people.
extern "C" __global__ void edge_directions(const float *image, float *bins, int side)
{
    __shared__ float own[8][9];
    int cell = threadIdx.x / 8, thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread < blockDim.x / 8 * 9) own[thread / 9][thread % 9] = 0.0f;
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < side - 1 && y < side - 1) {
        const float *p = image + y * side + x;
        float gx = p[1] - p[-1], gy = p[side] - p[-side];
        float turn = atan2f(gy, gx) * 0.31830989f;
        int bin = (int)(9.0f * (turn < 0.0f ? turn + 1.0f : turn));
        atomicAdd(&own[cell][min(bin, 8)], sqrtf(gx * gx + gy * gy));
    }
    __syncthreads();
    int cells = side / 8, first = blockIdx.x * (blockDim.x / 8);
    if (thread < blockDim.x / 8 * 9 && first + thread / 9 < cells)
        bins[(blockIdx.y * cells + first) * 9 + thread] = own[thread / 9][thread % 9];
}

// Newton's method for z^3 = 1 from every point of a plane: which root, and after how many steps?
extern "C" __global__ void newton_fractal(unsigned char *out, float reach, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float x = (2.0f * px / width - 1.0f) * reach + 0.001f, y = (2.0f * py / height - 1.0f) * reach + 0.002f;
    int step = 0;
    for (; step < 60; step++) {
        float xx = x * x - y * y, xy = 2.0f * x * y;
        float fx = xx * x - xy * y - 1.0f, fy = xx * y + xy * x, size = 3.0f * (xx * xx + xy * xy);
        if (fx * fx + fy * fy < 1e-8f || size < 1e-12f) break;
        x -= (fx * xx + fy * xy) / size;
        y -= (fy * xx - fx * xy) / size;
    }
    out[py * width + px] = step << 2 | (x > 0.0f ? 0 : y > 0.0f ? 1 : 2);
}

// How far a ray gets in a hall of rings, by steps as long as nothing can be nearer.
extern "C" __global__ void march_rings(float *depth, float height, int width, int rows)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= rows) return;
    float dx = (px - 0.5f * width) / width, dy = (py - 0.5f * rows) / width, scale = 1.0f / sqrtf(dx * dx + dy * dy + 1.0f);
    float t = 0.0f;
    for (int step = 0; step < 96 && t < 40.0f; step++) {
        float x = t * dx * scale, y = t * dy * scale + height, z = t * scale;
        x -= 4.0f * floorf(0.25f * x + 0.5f);
        z -= 4.0f * floorf(0.25f * z) + 2.0f;
        float ring = sqrtf(x * x + z * z) - 1.2f;
        float near = fminf(sqrtf(ring * ring + y * y) - 0.3f, y + 1.5f);
        if (near < 0.001f) break;
        t += near;
    }
    depth[py * width + px] = t;
}
