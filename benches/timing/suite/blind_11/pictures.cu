// Compiled for compute_70.
// Grids, fields, pictures and tomography.

// A step of a wave function on a plane: the imaginary part changes the real part, by the Laplace operator and a potential. Also writes how
// likely a particle is in each cell. Beyond the border is nothing.
extern "C" __global__ void quantum_step(float *real, const float *imaginary, const float *potential, float *density, float step, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at = y * side + x;
    if (x >= side || y >= side) return;
    float own = imaginary[at], around = 0.0f, before = real[at];
    if (x > 0) around += imaginary[at - 1];
    if (x < side - 1) around += imaginary[at + 1];
    if (y > 0) around += imaginary[at - side];
    if (y < side - 1) around += imaginary[at + side];
    float after = before + step * (potential[at] * own - 0.5f * (around - 4.0f * own));
    real[at] = after;
    density[at] = before * after + own * own;
}

// Surfaces that shrink where they are bent: a step of a level set in a volume moves by its mean curvature. The border stays.
extern "C" __global__ void curvature_flow(const float *in, float *out, float step, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z, plane = side * side;
    if (x >= side || y >= side || z >= side) return;
    const float *c = in + (z * plane + y * side + x);
    float own = c[0], change = 0.0f;
    if (x > 0 && x < side - 1 && y > 0 && y < side - 1 && z > 0 && z < side - 1) {
        float left = c[-1], right = c[1], up = c[-side], down = c[side], front = c[-plane], back = c[plane];
        float dx = 0.5f * (right - left), dy = 0.5f * (down - up), dz = 0.5f * (back - front);
        float xx = left + right - 2.0f * own, yy = up + down - 2.0f * own, zz = front + back - 2.0f * own;
        float xy = 0.25f * (c[side + 1] + c[-side - 1] - c[side - 1] - c[-side + 1]);
        float xz = 0.25f * (c[plane + 1] + c[-plane - 1] - c[plane - 1] - c[-plane + 1]);
        float yz = 0.25f * (c[plane + side] + c[-plane - side] - c[plane - side] - c[-plane + side]);
        float squares = dx * dx + dy * dy + dz * dz;
        float bend = xx * (dy * dy + dz * dz) + yy * (dx * dx + dz * dz) + zz * (dx * dx + dy * dy);
        change = (bend - 2.0f * (dx * dy * xy + dx * dz * xz + dy * dz * yz)) / (squares + 1e-6f);
    }
    out[z * plane + y * side + x] = own + step * change;
}

__device__ int wrapped(int k, int side)
{
    return k < 0 ? k + side : k >= side ? k - side : k;
}

// A step of a growing ice crystal with six arms (Kobayashi): a field tells where the ice is, another how warm it is. How fast ice grows
// depends on the direction of its surface, which a block computes for its tile and a border of one cell. Sides are joined.
extern "C" __global__ void crystal_growth(const float *ice, const float *heat, float *next_ice, float *next_heat, float step, int side)
{
    extern __shared__ float4 tile[];
    int wide = blockDim.x + 2, all = wide * (blockDim.y + 2), left = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < all; k += blockDim.x * blockDim.y) {
        int x = left + k % wide - 1, y = top + k / wide - 1;
        if (x > side || y > side) continue;
        x = wrapped(x, side);
        y = wrapped(y, side);
        float dx = 0.5f * (ice[y * side + wrapped(x + 1, side)] - ice[y * side + wrapped(x - 1, side)]);
        float dy = 0.5f * (ice[wrapped(y + 1, side) * side + x] - ice[wrapped(y - 1, side) * side + x]);
        float sine, cosine;
        sincosf(6.0f * atan2f(dy, dx), &sine, &cosine);
        float width = 0.3f * (1.0f + 0.04f * cosine), turn = width * -0.072f * sine;
        tile[k] = make_float4(width * width, turn * dx, turn * dy, ice[y * side + x]);
    }
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= side || y >= side) return;
    int k = (threadIdx.y + 1) * wide + threadIdx.x + 1, at = y * side + x;
    float4 own = tile[k], west = tile[k - 1], east = tile[k + 1], north = tile[k - wide], south = tile[k + wide];
    float warm = heat[at], near = heat[y * side + wrapped(x - 1, side)] + heat[y * side + wrapped(x + 1, side)] +
                                  heat[wrapped(y - 1, side) * side + x] + heat[wrapped(y + 1, side) * side + x];
    float spread = own.x * (west.w + east.w + north.w + south.w - 4.0f * own.w);
    spread += 0.25f * ((east.x - west.x) * (east.w - west.w) + (south.x - north.x) * (south.w - north.w));
    float turned = 0.5f * (south.y - north.y - east.z + west.z);
    float drive = 0.28647890f * atanf(10.0f * (1.0f - warm));
    float change = step * (spread + turned + 30.0f * own.w * (1.0f - own.w) * (own.w - 0.5f + drive));
    next_ice[at] = own.w + change;
    next_heat[at] = warm + step * (near - 4.0f * warm) + 1.6f * change;
}

// A Gaussian blur of the columns of a picture by a recursive filter: once down and once up, each from the two results before. A thread per
// column.
extern "C" __global__ void recursive_blur(const float *in, float *out, float own, float first, float second, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float last = in[x], older = last;
    for (int y = 0; y < height; y++) {
        float sum = own * in[(size_t)y * width + x] + first * last + second * older;
        out[(size_t)y * width + x] = sum;
        older = last;
        last = sum;
    }
    older = last;
    for (int y = height - 1; y >= 0; y--) {
        float sum = own * out[(size_t)y * width + x] + first * last + second * older;
        out[(size_t)y * width + x] = sum;
        older = last;
        last = sum;
    }
}

// A picture around its centre: rows become angles, and columns the logarithm of the distance. Interpolates between four pixels.
extern "C" __global__ void log_polar(const float *in, float *out, float growth, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float sine, cosine, distance = expf(growth * x), centre = 0.5f * (side - 1);
    sincospif(2.0f * y / side, &sine, &cosine);
    float u = fminf(fmaxf(centre + distance * cosine, 0.0f), side - 1.001f);
    float v = fminf(fmaxf(centre + distance * sine, 0.0f), side - 1.001f);
    int column = u, row = v;
    const float *from = in + row * side + column;
    float right = u - column, below = v - row;
    float upper = from[0] + right * (from[1] - from[0]), lower = from[side] + right * (from[side + 1] - from[side]);
    out[y * side + x] = upper + below * (lower - upper);
}

#define BINS 9

// In which directions does a picture change? Each cell of 8 x 8 pixels has nine directions, and a pixel counts for the two closest ones. A
// block has a row of cells, counts in shared memory and makes the length of each cell's counts 1.
extern "C" __global__ void gradient_cells(const unsigned char *in, float *out, int side)
{
    extern __shared__ float cells[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, many = blockDim.x / 8 * BINS;
    int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int k = thread; k < many; k += threads) cells[k] = 0.0f;
    __syncthreads();
    if (x < side && y < side) {
        float dx = in[y * side + min(x + 1, side - 1)] - in[y * side + max(x - 1, 0)];
        float dy = in[min(y + 1, side - 1) * side + x] - in[max(y - 1, 0) * side + x];
        float place = (atan2f(dy, dx) * 0.31830989f + 1.0f) * BINS - 0.5f, size = sqrtf(dx * dx + dy * dy);
        int bin = (int)floorf(place);
        float part = place - bin;
        float *own = cells + threadIdx.x / 8 * BINS;
        atomicAdd(&own[(bin + BINS) % BINS], size * (1.0f - part));
        atomicAdd(&own[(bin + 1) % BINS], size * part);
    }
    __syncthreads();
    for (int k = thread; k < many; k += threads) {
        int cell = k / BINS, column = blockIdx.x * (blockDim.x / 8) + cell;
        if (column * 8 >= side) break;
        float squares = 1.0f;
        for (int bin = 0; bin < BINS; bin++) squares += cells[cell * BINS + bin] * cells[cell * BINS + bin];
        out[(blockIdx.y * (side / 8) + column) * BINS + k % BINS] = cells[k] * rsqrtf(squares);
    }
}

#define ANGLES 180

// A slice of a body from its shadows at 180 angles (filtered back projection): each pixel adds up where the rays through it met the
// detector. Interpolates between two places of the detector.
extern "C" __global__ void back_project(const float *shadows, const float2 *turns, float *out, int detectors, int side)
{
    __shared__ float2 kept[ANGLES];
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < ANGLES; k += blockDim.x * blockDim.y) kept[k] = turns[k];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float u = x - 0.5f * (side - 1), v = y - 0.5f * (side - 1), sum = 0.0f;
    for (int k = 0; k < ANGLES; k++) {
        float place = u * kept[k].x + v * kept[k].y + 0.5f * (detectors - 1);
        int at = (int)floorf(place);
        if (at < 0 || at >= detectors - 1) continue;
        const float *shadow = shadows + k * detectors + at;
        sum += shadow[0] + (place - at) * (shadow[1] - shadow[0]);
    }
    out[y * side + x] = sum * (3.14159265f / ANGLES);
}

__device__ void expose(uchar4 pixel, float time, const float *response, float4 &sum)
{
    float weight = 128.0f - fabsf(pixel.y - 127.5f);
    sum.x += weight * (response[pixel.x] - time);
    sum.y += weight * (response[pixel.y] - time);
    sum.z += weight * (response[pixel.z] - time);
    sum.w += weight;
}

// How bright is a scene? Joins three photographs with different times of exposure; pixels that are neither dark nor bright count most. The
// logarithm of the camera's response is in a table.
extern "C" __global__ void merge_exposures(const uchar4 *dark, const uchar4 *middle, const uchar4 *bright, const float *response,
                                           float4 *light, float times, int n)
{
    __shared__ float table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = response[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    expose(dark[i], -times, table, sum);
    expose(middle[i], 0.0f, table, sum);
    expose(bright[i], times, table, sum);
    float part = 1.0f / sum.w;
    light[i] = make_float4(expf(sum.x * part), expf(sum.y * part), expf(sum.z * part), sum.w);
}

#define SPACING 16

// Which of the nearest nine centres is most like a pixel, in colour and place (SLIC)? Centres lie about 16 pixels apart and have three
// numbers for the colour and two for the place.
extern "C" __global__ void superpixels(const float *colours, const float *centres, unsigned *labels, float *distances, float compact,
                                       int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, wide = side / SPACING;
    if (x >= side || y >= side) return;
    const float *colour = colours + 3 * (y * side + x);
    float a = colour[0], b = colour[1], c = colour[2], best = 1e30f;
    int column = x / SPACING, row = y / SPACING, label = 0;
    for (int v = max(row - 1, 0); v <= min(row + 1, wide - 1); v++)
        for (int u = max(column - 1, 0); u <= min(column + 1, wide - 1); u++) {
            const float *centre = centres + 5 * (v * wide + u);
            float da = a - centre[0], db = b - centre[1], dc = c - centre[2], dx = x - centre[3], dy = y - centre[4];
            float distance = da * da + db * db + dc * dc + compact * (dx * dx + dy * dy);
            if (distance < best) {
                best = distance;
                label = v * wide + u;
            }
        }
    labels[y * side + x] = label;
    distances[y * side + x] = best;
}
