// Compiled for compute_70.
// Pictures, video and what is drawn.

// Rows of a summed-area table: a block scans a row piece by piece.
extern "C" __global__ void integral_rows(const unsigned char *in, unsigned *out, int width)
{
    __shared__ unsigned sums[32];
    __shared__ unsigned carry;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const unsigned char *from = in + (size_t)blockIdx.x * width;
    unsigned *to = out + (size_t)blockIdx.x * width;
    if (threadIdx.x == 0) carry = 0;
    for (int base = 0; base < width; base += blockDim.x) {
        int x = base + threadIdx.x;
        unsigned v = x < width ? from[x] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned up = __shfl_up_sync(0xffffffffu, v, d);
            if (lane >= d) v += up;
        }
        if (lane == 31) sums[warp] = v;
        __syncthreads();
        unsigned before = carry;
        for (int w = 0; w < warp; w++) before += sums[w];
        if (x < width) to[x] = v + before;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) carry = v + before;
        __syncthreads();
    }
}

// Columns of it: a thread per column runs down.
extern "C" __global__ void integral_columns(unsigned *table, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    unsigned sum = 0;
    for (int y = 0; y < height; y++) {
        sum += table[y * width + x];
        table[y * width + x] = sum;
    }
}

// A box filter along rows by a running sum: a thread per row.
extern "C" __global__ void box_rows(const float *in, float *out, int radius, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height) return;
    const float *row = in + y * width;
    float sum = row[0] * radius;
    for (int i = 0; i < radius; i++) sum += row[min(i, width - 1)];
    for (int x = 0; x < width; x++) {
        sum += row[min(x + radius, width - 1)];
        out[y * width + x] = sum / (2 * radius + 1);
        sum -= row[max(x - radius, 0)];
    }
}

// Lines by Hough's transform: each edge pixel votes for 180 angles.
extern "C" __global__ void hough_votes(const unsigned char *edges, const float2 *angles, int *votes, int width, int height, int reach)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height || edges[y * width + x] == 0) return;
    for (int a = 0; a < 180; a++) {
        float2 way = angles[a];
        int r = __float2int_rn(x * way.x + y * way.y) + reach;
        atomicAdd(&votes[a * 2 * reach + r], 1);
    }
}

// Colours from a Bayer mosaic, bilinear.
extern "C" __global__ void demosaic(const unsigned short *raw, uchar4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const unsigned short *at = raw + y * width + x;
    int here = at[0], across = (at[-1] + at[1]) / 2, along = (at[-width] + at[width]) / 2;
    int corners = (at[-width - 1] + at[-width + 1] + at[width - 1] + at[width + 1]) / 4;
    int r, g, b;
    switch ((y & 1) * 2 + (x & 1)) {
    case 0: r = here; g = (across + along) / 2; b = corners; break;
    case 1: r = across; g = here; b = along; break;
    case 2: r = along; g = here; b = across; break;
    default: r = corners; g = (across + along) / 2; b = here;
    }
    out[y * width + x] = make_uchar4(r >> 4, g >> 4, b >> 4, 255);
}

// Video frames in NV12 to RGB: two by two pixels per thread.
extern "C" __global__ void nv12_to_rgb(const unsigned char *luma, const uchar2 *chroma, unsigned char *rgb, int width, int height)
{
    int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height) return;
    uchar2 uv = chroma[y / 2 * (width / 2) + x / 2];
    float u = uv.x - 128.0f, v = uv.y - 128.0f;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            int at = (y + dy) * width + x + dx;
            float l = 1.164f * (luma[at] - 16);
            rgb[3 * at] = (unsigned char)fminf(fmaxf(l + 1.596f * v, 0.0f), 255.0f);
            rgb[3 * at + 1] = (unsigned char)fminf(fmaxf(l - 0.392f * u - 0.813f * v, 0.0f), 255.0f);
            rgb[3 * at + 2] = (unsigned char)fminf(fmaxf(l + 2.017f * u, 0.0f), 255.0f);
        }
}

// One picture over another by its alpha.
extern "C" __global__ void blend_over(const uchar4 *front, uchar4 *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 f = front[i], b = back[i];
    int a = f.w, rest = 255 - a;
    back[i] = make_uchar4((f.x * a + b.x * rest + 127) / 255, (f.y * a + b.y * rest + 127) / 255,
                          (f.z * a + b.z * rest + 127) / 255, max(f.w, b.w));
}

// A picture turned about its middle, nearest neighbour.
extern "C" __global__ void turn_picture(const unsigned *in, unsigned *out, float angle, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float s = sinf(angle), c = cosf(angle);
    float dx = x - 0.5f * width, dy = y - 0.5f * height;
    int fx = (int)floorf(c * dx - s * dy + 0.5f * width), fy = (int)floorf(s * dx + c * dy + 0.5f * height);
    out[y * width + x] = fx >= 0 && fy >= 0 && fx < width && fy < height ? in[fy * width + fx] : 0xff000000u;
}

// A step of jump flooding: the nearest seed among nine cells a step away.
extern "C" __global__ void jump_flood(const int *in, int *out, int step, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= width) return;
    int best = -1, least = 0x7fffffff;
    for (int dy = -step; dy <= step; dy += step)
        for (int dx = -step; dx <= step; dx += step) {
            int nx = x + dx, ny = y + dy;
            if (nx < 0 || ny < 0 || nx >= width || ny >= width) continue;
            int seed = in[ny * width + nx];
            if (seed < 0) continue;
            int ex = seed % width - x, ey = seed / width - y;
            int d = ex * ex + ey * ey;
            if (d < least) {
                least = d;
                best = seed;
            }
        }
    out[y * width + x] = best;
}

__device__ float distance_to(float x, float y, float z)
{
    float d = 1e30f;
    for (int k = 0; k < 6; k++) {
        float cx = 1.5f * (k % 3 - 1), cy = 1.5f * (k / 3) - 0.8f, cz = 4.0f + 0.4f * k;
        float dx = fabsf(x - cx) - 0.4f, dy = fabsf(y - cy) - 0.4f, dz = fabsf(z - cz) - 0.4f;
        float ox = fmaxf(dx, 0.0f), oy = fmaxf(dy, 0.0f), oz = fmaxf(dz, 0.0f);
        d = fminf(d, sqrtf(ox * ox + oy * oy + oz * oz) + fminf(fmaxf(dx, fmaxf(dy, dz)), 0.0f) - 0.1f);
    }
    return fminf(d, y + 1.6f);
}

// Rays marched through a field of distances to boxes.
extern "C" __global__ void march_boxes(float *picture, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float x = (px + 0.5f) / width - 0.5f, y = 0.5f - (py + 0.5f) / height, along = rsqrtf(x * x + y * y + 1.0f);
    float t = 0.0f;
    int step = 0;
    for (; step < 64; step++) {
        float d = distance_to(t * x * along, t * y * along, t * along);
        if (d < 0.001f || t > 20.0f) break;
        t += d;
    }
    picture[py * width + px] = t > 20.0f ? 0.0f : 1.0f / (1.0f + 0.1f * step);
}

// Orbits that escape, drawn: each adds its points to a picture.
extern "C" __global__ void draw_orbits(const float2 *starts, unsigned *picture, int width, int limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 c = starts[i];
    float x = 0, y = 0;
    int k = 0;
    for (; k < limit && x * x + y * y < 4.0f; k++) {
        float t = x * x - y * y + c.x;
        y = 2 * x * y + c.y;
        x = t;
    }
    if (k == limit) return;
    x = y = 0;
    for (int j = 0; j < k; j++) {
        float t = x * x - y * y + c.x;
        y = 2 * x * y + c.y;
        x = t;
        int px = (int)((x + 2.0f) * 0.25f * width), py = (int)((y + 2.0f) * 0.25f * width);
        if (px >= 0 && py >= 0 && px < width && py < width) atomicAdd(&picture[py * width + px], 1u);
    }
}

__device__ unsigned mix(unsigned a, unsigned b)
{
    unsigned h = a * 374761393u + b * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return h ^ h >> 16;
}

// Worley's cellular noise: the nearest of random points in nine cells.
extern "C" __global__ void worley(float *out, float scale, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float x = px * scale, y = py * scale, least = 9.0f;
    int cx = (int)x, cy = (int)y;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            unsigned h = mix(cx + dx, cy + dy);
            float ex = cx + dx + (h & 0xffff) / 65536.0f - x, ey = cy + dy + (h >> 16) / 65536.0f - y;
            least = fminf(least, ex * ex + ey * ey);
        }
    out[py * width + px] = sqrtf(least);
}

// Where a block of 16 x 16 pixels came from: sums of absolute differences, a warp per block of pixels.
extern "C" __global__ void motion_search(const unsigned *frame, const unsigned *before, int *best, int words, int across, int blocks)
{
    int b = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (b >= blocks) return;
    int x = b % across * 4, y = b / across * 16;
    unsigned mine[2];
    for (int k = 0; k < 2; k++) {
        int word = lane + 32 * k;
        mine[k] = frame[(y + 8 + word / 4) * words + x + word % 4];
    }
    int least = 0x7fffffff;
    for (int dy = 0; dy < 16; dy++)
        for (int dx = 0; dx < 4; dx++) {
            unsigned sum = 0;
            for (int k = 0; k < 2; k++) {
                int word = lane + 32 * k;
                sum = sum + __vsadu4(mine[k], before[(y + dy + word / 4) * words + x + dx + word % 4]);
            }
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
            least = min(least, (int)(sum << 8) | dy << 4 | dx);
        }
    if (lane == 0) best[b] = least;
}
