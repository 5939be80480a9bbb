// Compiled for compute_70.
// Land, pictures, grids and plane geometry.

// Shades a map of heights as if the sun stood in the north-west: the slope comes from the eight neighbours. The rim repeats.
extern "C" __global__ void hill_shade(const float *height, unsigned char *shade, float cell, int width, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    int left = max(x - 1, 0), right = min(x + 1, width - 1), up = max(y - 1, 0) * width, down = min(y + 1, rows - 1) * width;
    int here = y * width;
    float east = height[up + right] + 2.0f * height[here + right] + height[down + right];
    float west = height[up + left] + 2.0f * height[here + left] + height[down + left];
    float south = height[down + left] + 2.0f * height[down + x] + height[down + right];
    float north = height[up + left] + 2.0f * height[up + x] + height[up + right];
    float dx = (east - west) / (8.0f * cell), dy = (south - north) / (8.0f * cell);
    float light = (0.5f * dx + 0.5f * dy + 0.7071f) / sqrtf(1.0f + dx * dx + dy * dy);
    shade[here + x] = (unsigned char)(255.0f * fminf(fmaxf(light, 0.0f), 1.0f));
}

// Where does the water of each cell run? To the neighbour with the steepest way down, 1 to 8, or 0 in a pit; pits are counted.
extern "C" __global__ void flow_directions(const int *height, unsigned char *direction, unsigned *pits, int width, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    int own = height[y * width + x], steepest = 0, best = 0, number = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            number++;
            if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= rows) continue;
            int drop = (own - height[(y + dy) * width + x + dx]) * (dx != 0 && dy != 0 ? 70 : 99);
            if (drop > steepest) {
                steepest = drop;
                best = number;
            }
        }
    direction[y * width + x] = best;
    if (best == 0) atomicAdd(pits, 1u);
}

__device__ int around(int at, int side) { return at < 0 ? at + side : at >= side ? at - side : at; }

__device__ double potential(const double *c, int x, int y, double width, int side)
{
    double own = c[y * side + x];
    double beside = c[y * side + around(x - 1, side)] + c[y * side + around(x + 1, side)] + c[around(y - 1, side) * side + x] +
                    c[around(y + 1, side) * side + x];
    return own * own * own - own - width * (beside - 4.0 * own);
}

// Two fluids part (Cahn and Hilliard): a step in time on a square whose sides meet. The potentials of the neighbours are computed anew
// by every thread.
extern "C" __global__ void cahn_hilliard(const double *c, double *out, double width, double step, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    double change = potential(c, around(x - 1, side), y, width, side) + potential(c, around(x + 1, side), y, width, side) +
                    potential(c, x, around(y - 1, side), width, side) + potential(c, x, around(y + 1, side), width, side) -
                    4.0 * potential(c, x, y, width, side);
    out[y * side + x] = c[y * side + x] + step * change;
}

// How far is it to the nearest thing? Balls in a lattice, and a floor with round waves.
__device__ float distance_at(float x, float y, float z)
{
    float u = x - 4.0f * floorf(x * 0.25f) - 2.0f, v = z - 4.0f * floorf(z * 0.25f) - 2.0f;
    float ball = sqrtf(u * u + y * y + v * v) - 0.8f;
    float floor = y + 1.5f + 0.1f * u * v;
    return fminf(ball, floor);
}

// Draws a scene that is known by its distances only: a ray goes as far as is safe, again and again, until it hits or is lost.
extern "C" __global__ void sphere_trace(float *depth, unsigned char *steps, float height, int width, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    float dx = 2.0f * (x + 0.5f) / width - 1.0f, dy = 1.0f - 2.0f * (y + 0.5f) / rows, dz = 1.6f;
    float scale = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz), way = 0.0f;
    dx *= scale;
    dy *= scale;
    dz *= scale;
    int step = 0;
    for (; step < 96; step++) {
        float safe = distance_at(dx * way, height + dy * way, dz * way);
        if (safe < 0.001f * way + 0.0005f) break;
        way += 0.7f * safe;
        if (way > 60.0f) break;
    }
    depth[y * width + x] = way;
    steps[y * width + x] = step;
}

#define TILE 64
#define GREYS 16

// The texture of a tile of 64 x 64 pixels: how often do two of 16 greys lie side by side? Writes contrast and energy of the counts.
extern "C" __global__ void co_occurrence(const unsigned char *in, unsigned *texture, int width)
{
    __shared__ unsigned counts[GREYS * GREYS], contrast, energy;
    int t = threadIdx.x, first = (blockIdx.y * width + blockIdx.x) * TILE;
    for (int k = t; k < GREYS * GREYS; k += blockDim.x) counts[k] = 0;
    if (t == 0) contrast = energy = 0;
    __syncthreads();
    for (int k = t; k < TILE * (TILE - 1); k += blockDim.x) {
        int at = first + k / (TILE - 1) * width + k % (TILE - 1);
        atomicAdd(&counts[in[at] / 16 * GREYS + in[at + 1] / 16], 1u);
    }
    __syncthreads();
    for (int k = t; k < GREYS * GREYS; k += blockDim.x) {
        int many = counts[k], apart = k / GREYS - k % GREYS;
        if (many == 0) continue;
        atomicAdd(&contrast, (unsigned)(many * apart * apart));
        atomicAdd(&energy, (unsigned)(many * many));
    }
    __syncthreads();
    int tile = blockIdx.y * gridDim.x + blockIdx.x;
    if (t == 0) {
        texture[2 * tile] = contrast;
        texture[2 * tile + 1] = energy;
    }
}

// Counts squares of 2 x 2 pixels of a black and white picture, 32 pixels in a word: those with one, with three, and with two opposite
// pixels. From these follow the parts minus the holes.
extern "C" __global__ void bit_quads(const unsigned *rows, unsigned *counts, int words, int height)
{
    __shared__ unsigned totals[3];
    if (threadIdx.x < 3) totals[threadIdx.x] = 0;
    __syncthreads();
    unsigned one = 0, three = 0, opposite = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words * (height - 1); i += gridDim.x * blockDim.x) {
        bool last = i % words == words - 1;
        unsigned a = rows[i], c = rows[i + words];
        unsigned b = __funnelshift_r(a, last ? 0 : rows[i + 1], 1), d = __funnelshift_r(c, last ? 0 : rows[i + words + 1], 1);
        unsigned odd = a ^ b ^ c ^ d, pairs = (a & b) | (c & d);
        one += __popc(odd & ~pairs);
        three += __popc(odd & pairs);
        opposite += __popc((a & d & ~b & ~c) | (b & c & ~a & ~d));
    }
    atomicAdd(&totals[0], one);
    atomicAdd(&totals[1], three);
    atomicAdd(&totals[2], opposite);
    __syncthreads();
    if (threadIdx.x < 3) atomicAdd(&counts[threadIdx.x], totals[threadIdx.x]);
}

__device__ bool apart(int a, int b, int c, int d) { return max(a, b) < min(c, d) || max(c, d) < min(a, b); }

__device__ int side_of(int4 line, int x, int y)
{
    long long area = (long long)(line.z - line.x) * (y - line.y) - (long long)(line.w - line.y) * (x - line.x);
    return area > 0 ? 1 : area < 0 ? -1 : 0;
}

// How many other segments does each segment cross? All pairs, a block's worth of segments in shared memory at a time.
extern "C" __global__ void segment_crossings(const int4 *segments, unsigned *crossings, int n)
{
    extern __shared__ int4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 own = segments[min(i, n - 1)];
    unsigned many = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        if (first + threadIdx.x < n) tile[threadIdx.x] = segments[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < min((int)blockDim.x, n - first); k++) {
            int4 other = tile[k];
            if (apart(own.x, own.z, other.x, other.z) || apart(own.y, own.w, other.y, other.w)) continue;
            many += side_of(own, other.x, other.y) * side_of(own, other.z, other.w) < 0 &&
                    side_of(other, own.x, own.y) * side_of(other, own.z, own.w) < 0;
        }
        __syncthreads();
    }
    if (i < n) crossings[i] = many;
}

// Which triangle of a mesh has a point? Walks from a triangle near by across the edge that the point lies behind, until there is none.
// Corners go round to the left; neighbour k lies behind the edge from corner k to the next.
extern "C" __global__ void triangle_walk(const float2 *corners, const int *triangles, const int *neighbours, const float2 *points,
                                         const int *starts, int *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 point = points[i];
    int at = starts[i];
    for (int step = 0; step < 400 && at >= 0; step++) {
        int next = at;
        for (int k = 0; k < 3; k++) {
            float2 a = corners[triangles[3 * at + k]], b = corners[triangles[3 * at + (k + 1) % 3]];
            if ((b.x - a.x) * (point.y - a.y) < (b.y - a.y) * (point.x - a.x)) {
                next = neighbours[3 * at + k];
                break;
            }
        }
        if (next == at) break;
        at = next;
    }
    found[i] = at;
}

// Five smaller copies of a picture at once: a block brings a tile of 32 x 32 pixels down to one, in shared memory, and writes each level.
extern "C" __global__ void mip_levels(const float *in, float *out, int side)
{
    __shared__ float tile[32 * 32], next[16 * 16];
    int first = (blockIdx.y * side + blockIdx.x) * 32;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) tile[k] = in[first + k / 32 * side + k % 32];
    __syncthreads();
    float *from = tile, *to = next;
    for (int small = 16; small > 0; small /= 2) {
        side /= 2;
        for (int k = threadIdx.x; k < small * small; k += blockDim.x) {
            int x = k % small, y = k / small;
            const float *four = from + 4 * y * small + 2 * x;
            float mean = 0.25f * (four[0] + four[1] + four[2 * small] + four[2 * small + 1]);
            to[k] = mean;
            out[(blockIdx.y * small + y) * side + blockIdx.x * small + x] = mean;
        }
        __syncthreads();
        out += side * side;
        float *other = from;
        from = to;
        to = other;
    }
}
