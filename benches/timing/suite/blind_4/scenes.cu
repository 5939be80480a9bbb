// Compiled for compute_70.
// Corners, noise, dither, triangles, splats, meshes, sound.

// Harris' corner measure of a grey picture: gradients from a tile, summed over 3 x 3 pixels.
extern "C" __global__ void harris_corners(const unsigned char *image, float *measure, int width, int height)
{
    extern __shared__ float tile[];
    int w = blockDim.x + 4, h = blockDim.y + 4;
    int left = blockIdx.x * blockDim.x - 2, top = blockIdx.y * blockDim.y - 2;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < w * h; k += blockDim.x * blockDim.y) {
        int x = min(max(left + k % w, 0), width - 1), y = min(max(top + k / w, 0), height - 1);
        tile[k] = image[y * width + x];
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float xx = 0.0f, yy = 0.0f, xy = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int at = (threadIdx.y + 2 + dy) * w + threadIdx.x + 2 + dx;
            float gx = tile[at + 1] - tile[at - 1], gy = tile[at + w] - tile[at - w];
            xx += gx * gx;
            yy += gy * gy;
            xy += gx * gy;
        }
    measure[y * width + x] = xx * yy - xy * xy - 0.04f * (xx + yy) * (xx + yy);
}

// Non-local means: a mean of 25 near pixels, weighted by how alike their 3 x 3 patches are.
extern "C" __global__ void nonlocal_means(const float *image, float *out, float strength, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3) return;
    float sum = 0.0f, weights = 0.0f;
    for (int sy = -2; sy <= 2; sy++)
        for (int sx = -2; sx <= 2; sx++) {
            float away = 0.0f;
            for (int py = -1; py <= 1; py++)
                for (int px = -1; px <= 1; px++) {
                    float d = image[(y + py) * width + x + px] - image[(y + sy + py) * width + x + sx + px];
                    away += d * d;
                }
            float weight = expf(-away * strength);
            sum += weight * image[(y + sy) * width + x + sx];
            weights += weight;
        }
    out[y * width + x] = sum / weights;
}

// Floyd and Steinberg's dither: a block per picture, a thread per row, two pixels behind the row above.
extern "C" __global__ void dither(float *pictures, unsigned char *out, int width)
{
    int row = threadIdx.x, height = blockDim.x;
    float *picture = pictures + blockIdx.x * width * height;
    unsigned char *to = out + blockIdx.x * width * height;
    for (int step = 0; step < width + 2 * height; step++) {
        int x = step - 2 * row;
        if (x >= 0 && x < width) {
            int at = row * width + x;
            float old = picture[at], now = old > 0.5f ? 1.0f : 0.0f, error = (old - now) / 16.0f;
            to[at] = now > 0.0f ? 255 : 0;
            if (x + 1 < width) picture[at + 1] += 7.0f * error;
            if (row + 1 < height) {
                if (x > 0) picture[at + width - 1] += 3.0f * error;
                picture[at + width] += 5.0f * error;
                if (x + 1 < width) picture[at + width + 1] += error;
            }
        }
        __syncthreads();
    }
}

// Draws triangles into a depth buffer: depth and number of the nearest in one 64-bit word.
extern "C" __global__ void raster_depth(const float *corners, unsigned long long *pixels, int side, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    const float *c = corners + 9 * t;
    float ax = c[0], ay = c[1], bx = c[3], by = c[4], cx = c[6], cy = c[7];
    float area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (fabsf(area) < 1e-3f) return;
    int x0 = max((int)fminf(ax, fminf(bx, cx)), 0), x1 = min((int)fmaxf(ax, fmaxf(bx, cx)), side - 1);
    int y0 = max((int)fminf(ay, fminf(by, cy)), 0), y1 = min((int)fmaxf(ay, fmaxf(by, cy)), side - 1);
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float px = x + 0.5f, py = y + 0.5f;
            float u = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area;
            float v = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area;
            float w = 1.0f - u - v;
            if (u < 0.0f || v < 0.0f || w < 0.0f) continue;
            float depth = u * c[2] + v * c[5] + w * c[8];
            atomicMin(&pixels[y * side + x], (unsigned long long)__float_as_uint(depth) << 32 | (unsigned)t);
        }
}

__constant__ float2 around[16] = {{1.0f, 0.0f},   {0.0f, 2.0f},   {-3.0f, 1.0f}, {2.0f, -4.0f}, {4.0f, 4.0f},  {-5.0f, 3.0f},
                                  {-2.0f, -6.0f}, {7.0f, -1.0f},  {3.0f, 8.0f},  {-9.0f, 2.0f}, {6.0f, -8.0f}, {-7.0f, -7.0f},
                                  {11.0f, 3.0f},  {-4.0f, 11.0f}, {5.0f, -12.0f}, {-13.0f, 1.0f}};

// Ambient occlusion: how many of 16 places around a pixel, turned at random, are nearer?
extern "C" __global__ void ambient_occlusion(const float *depth, float *light, float radius, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float here = depth[y * width + x], hidden = 0.0f, s, c;
    unsigned r = (x * 1973u ^ y * 9277u) * 26699u;
    __sincosf((r >> 8) * 3.7450e-7f, &s, &c);
    for (int k = 0; k < 16; k++) {
        float2 o = around[k];
        int px = x + (int)(radius * (c * o.x - s * o.y)), py = y + (int)(radius * (s * o.x + c * o.y));
        px = min(max(px, 0), width - 1);
        py = min(max(py, 0), height - 1);
        float nearer = here - depth[py * width + px];
        if (nearer > 0.01f) hidden += fminf(1.0f, 0.3f / nearer);
    }
    light[y * width + x] = 1.0f - hidden / 16.0f;
}

// Draws Gaussian splats, nearest first: a block per tile fetches them in batches.
extern "C" __global__ void splat_tiles(const int *starts, const int *order, const float4 *shape, const float4 *colour,
                                       const float2 *centre, float4 *image, int width)
{
    __shared__ float4 shapes[256], colours[256];
    __shared__ float2 centres[256];
    int tile = blockIdx.y * gridDim.x + blockIdx.x, many = blockDim.x * blockDim.y;
    int me = threadIdx.y * blockDim.x + threadIdx.x;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    float through = 1.0f;
    bool done = false;
    for (int base = starts[tile]; base < starts[tile + 1]; base += many) {
        if (__syncthreads_count(done) == many) break;
        if (base + me < starts[tile + 1]) {
            int id = order[base + me];
            shapes[me] = shape[id];
            colours[me] = colour[id];
            centres[me] = centre[id];
        }
        __syncthreads();
        int end = min(many, starts[tile + 1] - base);
        for (int k = 0; k < end && !done; k++) {
            float dx = centres[k].x - x, dy = centres[k].y - y;
            float4 q = shapes[k];
            float alpha = q.w * __expf(-0.5f * (q.x * dx * dx + q.z * dy * dy) - q.y * dx * dy);
            if (alpha < 0.004f) continue;
            float4 c = colours[k];
            sum.x += through * alpha * c.x;
            sum.y += through * alpha * c.y;
            sum.z += through * alpha * c.z;
            through *= 1.0f - alpha;
            done = through < 0.001f;
        }
    }
    image[y * width + x] = make_float4(sum.x, sum.y, sum.z, through);
}

// Moves the points of a figure with its bones: up to four each, with weights.
extern "C" __global__ void skin_vertices(const float *places, const uchar4 *bones, const float4 *weights,
                                         const float4 *matrices, float *moved, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = places[3 * i], y = places[3 * i + 1], z = places[3 * i + 2];
    uchar4 bone = bones[i];
    float4 weight = weights[i];
    int which[4] = {bone.x, bone.y, bone.z, bone.w};
    float share[4] = {weight.x, weight.y, weight.z, weight.w}, out[3] = {0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < 4; k++)
#pragma unroll
        for (int r = 0; r < 3; r++) {
            float4 m = matrices[3 * which[k] + r];
            out[r] += share[k] * (m.x * x + m.y * y + m.z * z + m.w);
        }
    for (int r = 0; r < 3; r++) moved[3 * i + r] = out[r];
}

// Normals of a mesh: each triangle adds its own to those of its corners.
extern "C" __global__ void mesh_normals(const int *corners, const float *places, float *normals, int triangles)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= triangles) return;
    float p[3][3];
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < 3; r++) p[k][r] = places[3 * corners[3 * t + k] + r];
    float ux = p[1][0] - p[0][0], uy = p[1][1] - p[0][1], uz = p[1][2] - p[0][2];
    float vx = p[2][0] - p[0][0], vy = p[2][1] - p[0][1], vz = p[2][2] - p[0][2];
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (int k = 0; k < 3; k++) {
        float *to = normals + 3 * corners[3 * t + k];
        atomicAdd(to, nx);
        atomicAdd(to + 1, ny);
        atomicAdd(to + 2, nz);
    }
}

__constant__ short linear[256] = {
    -32124, -31100, -30076, -29052, -28028, -27004, -25980, -24956, -23932, -22908, -21884, -20860, -19836, -18812, -17788, -16764,
    -15996, -15484, -14972, -14460, -13948, -13436, -12924, -12412, -11900, -11388, -10876, -10364, -9852, -9340, -8828, -8316,
    -7932, -7676, -7420, -7164, -6908, -6652, -6396, -6140, -5884, -5628, -5372, -5116, -4860, -4604, -4348, -4092,
    -3900, -3772, -3644, -3516, -3388, -3260, -3132, -3004, -2876, -2748, -2620, -2492, -2364, -2236, -2108, -1980,
    -1884, -1820, -1756, -1692, -1628, -1564, -1500, -1436, -1372, -1308, -1244, -1180, -1116, -1052, -988, -924,
    -876, -844, -812, -780, -748, -716, -684, -652, -620, -588, -556, -524, -492, -460, -428, -396,
    -372, -356, -340, -324, -308, -292, -276, -260, -244, -228, -212, -196, -180, -164, -148, -132,
    -120, -112, -104, -96, -88, -80, -72, -64, -56, -48, -40, -32, -24, -16, -8, 0,
    32124, 31100, 30076, 29052, 28028, 27004, 25980, 24956, 23932, 22908, 21884, 20860, 19836, 18812, 17788, 16764,
    15996, 15484, 14972, 14460, 13948, 13436, 12924, 12412, 11900, 11388, 10876, 10364, 9852, 9340, 8828, 8316,
    7932, 7676, 7420, 7164, 6908, 6652, 6396, 6140, 5884, 5628, 5372, 5116, 4860, 4604, 4348, 4092,
    3900, 3772, 3644, 3516, 3388, 3260, 3132, 3004, 2876, 2748, 2620, 2492, 2364, 2236, 2108, 1980,
    1884, 1820, 1756, 1692, 1628, 1564, 1500, 1436, 1372, 1308, 1244, 1180, 1116, 1052, 988, 924,
    876, 844, 812, 780, 748, 716, 684, 652, 620, 588, 556, 524, 492, 460, 428, 396,
    372, 356, 340, 324, 308, 292, 276, 260, 244, 228, 212, 196, 180, 164, 148, 132,
    120, 112, 104, 96, 88, 80, 72, 64, 56, 48, 40, 32, 24, 16, 8, 0};

// Telephone sound: a byte of the mu-law to 16 bits.
extern "C" __global__ void mulaw_expand(const unsigned char *in, short *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = linear[in[i]];
}

// Sound from 44100 to 48000 samples a second: 160 phases of a filter with 16 weights.
extern "C" __global__ void resample(const float *__restrict__ in, const float *__restrict__ filter, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int first = (int)((long long)i * 147 / 160), phase = (int)((long long)i * 147 % 160);
    float sum = 0.0f;
    for (int k = 0; k < 16; k++) sum += filter[phase * 16 + k] * in[first + k];
    out[i] = sum;
}
