// Compiled for compute_70.
// Pictures, fields, landscapes and signals.

// The value whose slope moves the dual field: its divergence minus the weighted picture.
__device__ float excess(const float2 *dual, const float *noisy, float weight, int x, int y, int side)
{
    int at = y * side + x;
    float2 own = dual[at];
    float sum = own.x + own.y;
    if (x > 0) sum -= dual[at - 1].x;
    if (y > 0) sum -= dual[at - side].y;
    return sum - noisy[at] * weight;
}

// A step of total variation denoising (Chambolle): moves the dual field along a slope and keeps it shorter than one.
extern "C" __global__ void total_variation(const float2 *dual, const float *noisy, float2 *out, float weight, float step, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float own = excess(dual, noisy, weight, x, y, side);
    float right = x + 1 < side ? excess(dual, noisy, weight, x + 1, y, side) - own : 0.0f;
    float down = y + 1 < side ? excess(dual, noisy, weight, x, y + 1, side) - own : 0.0f;
    float2 before = dual[y * side + x];
    float scale = 1.0f / (1.0f + step * sqrtf(right * right + down * down));
    out[y * side + x] = make_float2((before.x + step * right) * scale, (before.y + step * down) * scale);
}

// Turns a scanned page into black and white (Bradley): a pixel is black if it is 15 % darker than the mean around it. The mean comes from
// a table of sums over all pixels above and to the left.
extern "C" __global__ void bradley_threshold(const unsigned char *page, const unsigned *sums, unsigned char *out, int reach, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int left = max(x - reach, 0), right = min(x + reach + 1, side), top = max(y - reach, 0), bottom = min(y + reach + 1, side);
    int wide = side + 1, count = (right - left) * (bottom - top);
    unsigned sum = sums[bottom * wide + right] - sums[top * wide + right] - sums[bottom * wide + left] + sums[top * wide + left];
    out[y * side + x] = page[y * side + x] * count * 100u < sum * 85u ? 0 : 255;
}

#define CELL 32
#define PATTERNS 10

// Describes texture by local binary patterns: which of eight neighbours are at least as bright? A block counts the patterns of a cell of
// 32 x 32 pixels. A pattern with at most two changes counts by its number of ones, all others count together.
extern "C" __global__ void texture_patterns(const unsigned char *picture, unsigned *counts, int side)
{
    __shared__ unsigned bins[PATTERNS];
    if (threadIdx.x < PATTERNS) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < CELL * CELL; k += blockDim.x) {
        int x = blockIdx.x * CELL + k % CELL, y = blockIdx.y * CELL + k / CELL;
        if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) continue;
        const unsigned char *at = picture + y * side + x;
        int own = at[0];
        unsigned code = (at[-side - 1] >= own) | (at[-side] >= own) << 1 | (at[-side + 1] >= own) << 2 | (at[1] >= own) << 3 |
                        (at[side + 1] >= own) << 4 | (at[side] >= own) << 5 | (at[side - 1] >= own) << 6 | (at[-1] >= own) << 7;
        unsigned turned = (code >> 1 | code << 7) & 255;
        atomicAdd(&bins[__popc(code ^ turned) <= 2 ? __popc(code) : PATTERNS - 1], 1u);
    }
    __syncthreads();
    if (threadIdx.x < PATTERNS) counts[(blockIdx.y * gridDim.x + blockIdx.x) * PATTERNS + threadIdx.x] = bins[threadIdx.x];
}

// How a flow carries its own spin: Arakawa's nine-point formula on a grid without borders, in doubles. It keeps energy.
extern "C" __global__ void arakawa_jacobian(const double *stream, const double *spin, double *change, double factor, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int w = x > 0 ? x - 1 : side - 1, e = x + 1 < side ? x + 1 : 0;
    int row = y * side, n = (y > 0 ? y - 1 : side - 1) * side, s = (y + 1 < side ? y + 1 : 0) * side;
    double pn = stream[n + x], ps = stream[s + x], pe = stream[row + e], pw = stream[row + w];
    double pne = stream[n + e], pnw = stream[n + w], pse = stream[s + e], psw = stream[s + w];
    double zn = spin[n + x], zs = spin[s + x], ze = spin[row + e], zw = spin[row + w];
    double zne = spin[n + e], znw = spin[n + w], zse = spin[s + e], zsw = spin[s + w];
    double first = (pe - pw) * (zn - zs) - (pn - ps) * (ze - zw);
    double second = pe * (zne - zse) - pw * (znw - zsw) - pn * (zne - znw) + ps * (zse - zsw);
    double third = zn * (pne - pnw) - zs * (pse - psw) - ze * (pne - pse) + zw * (pnw - psw);
    change[row + x] = (first + second + third) * factor;
}

// Lets steep slopes of a landscape slide: earth moves between neighbours whose heights differ by more than a limit. Tiles with a border
// of one cell are kept in shared memory.
extern "C" __global__ void talus_slide(const float *before, float *after, float limit, float rate, int side)
{
    extern __shared__ float tile[];
    int wide = blockDim.x + 2, high = blockDim.y + 2, first_x = blockIdx.x * blockDim.x, first_y = blockIdx.y * blockDim.y;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < wide * high; k += blockDim.x * blockDim.y) {
        int x = min(max(first_x + k % wide - 1, 0), side - 1), y = min(max(first_y + k / wide - 1, 0), side - 1);
        tile[k] = before[y * side + x];
    }
    __syncthreads();
    int x = first_x + threadIdx.x, y = first_y + threadIdx.y;
    if (x >= side || y >= side) return;
    const float *own = tile + (threadIdx.y + 1) * wide + threadIdx.x + 1;
    float height = own[0], change = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            float apart = own[dy * wide + dx] - height, most = dx != 0 && dy != 0 ? limit * 1.41421356f : limit;
            if (apart > most) change += apart - most;
            else if (apart < -most) change += apart + most;
        }
    after[y * side + x] = height + rate * change;
}

#define HEIGHT 64

// Squared distance to the nearest marked cell of the same column (Felzenszwalb): the lower outline of parabolas, kept as a stack of the
// parabolas and of the places where they meet. A thread per column of 64 cells.
extern "C" __global__ void parabola_distances(const float *cells, float *distances, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char places[HEIGHT];
    float from[HEIGHT + 1];
    int last = 0;
    places[0] = 0;
    from[0] = -1e20f;
    from[1] = 1e20f;
    for (int q = 1; q < HEIGHT; q++) {
        float own = cells[q * n + i] + q * q, meet;
        for (;;) {
            int p = places[last];
            meet = (own - (cells[p * n + i] + p * p)) / (2 * (q - p));
            if (meet > from[last]) break;
            last--;
        }
        last++;
        places[last] = q;
        from[last] = meet;
        from[last + 1] = 1e20f;
    }
    last = 0;
    for (int q = 0; q < HEIGHT; q++) {
        while (from[last + 1] < q) last++;
        int p = places[last];
        distances[q * n + i] = (q - p) * (q - p) + cells[p * n + i];
    }
}

#define WIDTH 96

// Depth from two cameras, one direction of semi-global matching: a warp walks along a row and updates the path costs of 64 shifts.
// A change of the shift by one costs little, a larger change costs more.
extern "C" __global__ void semiglobal_rows(const uchar2 *costs, ushort2 *paths, int little, int more, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    costs += row * WIDTH * 32 + lane;
    paths += row * WIDTH * 32 + lane;
    int even = 0, odd = 0, least = 0;
    for (int x = 0; x < WIDTH; x++) {
        uchar2 cost = costs[x * 32];
        int below = __shfl_up_sync(~0u, odd, 1), above = __shfl_down_sync(~0u, even, 1), jump = least + more;
        int a = min(min(even, odd + little), jump), b = min(min(odd, even + little), jump);
        if (lane > 0) a = min(a, below + little);
        if (lane < 31) b = min(b, above + little);
        even = cost.x + a - least;
        odd = cost.y + b - least;
        least = min(even, odd);
        for (int d = 16; d > 0; d /= 2) least = min(least, __shfl_xor_sync(~0u, least, d));
        paths[x * 32] = make_ushort2(even, odd);
    }
}

__device__ int between(int value, int low, int high)
{
    return min(max(value, low), high);
}

// Softens the upright edges between blocks of a video frame: where both sides are flat and differ little, up to two pixels of each side
// change. How much depends on how coarsely the block was quantised. A thread per edge and row.
extern "C" __global__ void deblock_edges(unsigned *frame, const unsigned char *coarse, int side)
{
    int edge = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (edge >= side / 8 - 1 || y >= side) return;
    unsigned *at = frame + y * (side / 4) + 2 * edge + 1;
    unsigned left = at[0], right = at[1];
    int quality = coarse[y / 8 * (side / 8) + edge + 1], flat = quality / 4 + 2, most = quality / 8 + 1;
    int p2 = left >> 8 & 255, p1 = left >> 16 & 255, p0 = left >> 24, q0 = right & 255, q1 = right >> 8 & 255, q2 = right >> 16 & 255;
    if (abs(p0 - q0) >= quality || abs(p1 - p0) >= flat || abs(q1 - q0) >= flat) return;
    bool smooth_left = abs(p2 - p0) < flat, smooth_right = abs(q2 - q0) < flat;
    int limit = most + smooth_left + smooth_right, delta = between(((q0 - p0) * 4 + p1 - q1 + 4) >> 3, -limit, limit);
    int middle = (p0 + q0 + 1) >> 1;
    if (smooth_left) p1 += between((p2 + middle - 2 * p1) >> 1, -most, most);
    if (smooth_right) q1 += between((q2 + middle - 2 * q1) >> 1, -most, most);
    p0 = between(p0 + delta, 0, 255);
    q0 = between(q0 - delta, 0, 255);
    at[0] = (left & 0xffff) | p1 << 16 | (unsigned)p0 << 24;
    at[1] = (right & 0xffff0000) | q1 << 8 | q0;
}

#define LEVELS 17

// Collects a picture in a coarse grid over place and brightness, the first part of a fast bilateral filter: each cell sums brightness and
// counts pixels.
extern "C" __global__ void range_grid_splat(const unsigned char *picture, float *grid, int wide, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int value = picture[y * side + x];
    float *cell = grid + (((y + 8) / 16 * wide + (x + 8) / 16) * LEVELS + (value + 8) / 16) * 2;
    atomicAdd(&cell[0], value * (1.0f / 255.0f));
    atomicAdd(&cell[1], 1.0f);
}

// Fourier transform of many signals with 256 points (Stockham): four passes of four points, which 64 threads exchange through shared
// memory. The result is in order.
extern "C" __global__ void stockham_radix4(const float2 *in, const float2 *roots, float2 *out, int n)
{
    __shared__ float2 points[4][256];
    int own = threadIdx.x / 64, j = threadIdx.x % 64, signal = blockIdx.x * (blockDim.x / 64) + own;
    float2 v[4];
#pragma unroll
    for (int r = 0; r < 4; r++) v[r] = signal < n ? in[signal * 256 + j + 64 * r] : make_float2(0.0f, 0.0f);
#pragma unroll
    for (int span = 1; span < 256; span *= 4) {
        int inner = j % span, to = j / span * span * 4 + inner;
#pragma unroll
        for (int r = 1; r < 4; r++) {
            float2 root = roots[inner * r * (64 / span)], old = v[r];
            v[r] = make_float2(old.x * root.x - old.y * root.y, old.x * root.y + old.y * root.x);
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        v[0] = make_float2(a.x + c.x, a.y + c.y);
        v[1] = make_float2(b.x + d.x, b.y + d.y);
        v[2] = make_float2(a.x - c.x, a.y - c.y);
        v[3] = make_float2(b.x - d.x, b.y - d.y);
        if (span < 64) {
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) points[own][to + r * span] = v[r];
            __syncthreads();
#pragma unroll
            for (int r = 0; r < 4; r++) v[r] = points[own][j + 64 * r];
        }
    }
    if (signal >= n) return;
#pragma unroll
    for (int r = 0; r < 4; r++) out[signal * 256 + j + 64 * r] = v[r];
}
