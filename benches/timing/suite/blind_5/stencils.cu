// Compiled for compute_70.
// Stencils in one to three dimensions, convolutions, tables of dynamic programs.

// Heat in a volume: a block takes a column of it, layer by layer, with three layers at hand.
extern "C" __global__ void heat_march(const float *from, float *to, float rate, int side)
{
    extern __shared__ float plane[];
    int w = blockDim.x + 2, at = (threadIdx.y + 1) * w + threadIdx.x + 1, layer = side * side;
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    bool inside = x < side - 1 && y < side - 1;
    x = min(x, side - 1);
    y = min(y, side - 1);
    const float *here = from + y * side + x;
    float below = here[0], middle = here[layer];
    for (int z = 1; z < side - 1; z++) {
        here += layer;
        float above = here[layer];
        plane[at] = middle;
        if (threadIdx.x == 0) plane[at - 1] = here[-1];
        if (threadIdx.x == blockDim.x - 1) plane[at + 1] = here[x < side - 1];
        if (threadIdx.y == 0) plane[at - w] = here[-side];
        if (threadIdx.y == blockDim.y - 1) plane[at + w] = here[y < side - 1 ? side : 0];
        __syncthreads();
        float around = plane[at - 1] + plane[at + 1] + plane[at - w] + plane[at + w] + below + above;
        if (inside) to[(z * side + y) * side + x] = middle + rate * (around - 6.0f * middle);
        __syncthreads();
        below = middle;
        middle = above;
    }
}

__constant__ float bell[17] = {0.0039f, 0.0087f, 0.0175f, 0.0317f, 0.0516f, 0.0753f, 0.0985f, 0.1157f, 0.1221f,
                               0.1157f, 0.0985f, 0.0753f, 0.0516f, 0.0317f, 0.0175f, 0.0087f, 0.0039f};

// Blurs every row with 17 weights; a block has its part of the row in shared memory.
extern "C" __global__ void blur_rows(const float *image, float *out, int width)
{
    extern __shared__ float part[];
    const float *row = image + blockIdx.y * width;
    int left = blockIdx.x * blockDim.x - 8;
    for (int k = threadIdx.x; k < blockDim.x + 16; k += blockDim.x) part[k] = row[min(max(left + k, 0), width - 1)];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 17; k++) sum += bell[k] * part[threadIdx.x + k];
    out[blockIdx.y * width + x] = sum;
}

// How a plate bends: 13 points of a square grid, in double precision.
extern "C" __global__ void bend_plate(const double *u, const double *load, double *out, double rate, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    if (x >= side - 2 || y >= side - 2) return;
    int i = y * side + x;
    double near = u[i - 1] + u[i + 1] + u[i - side] + u[i + side];
    double corners = u[i - side - 1] + u[i - side + 1] + u[i + side - 1] + u[i + side + 1];
    double far = u[i - 2] + u[i + 2] + u[i - 2 * side] + u[i + 2 * side];
    out[i] = u[i] + rate * (load[i] - 20.0 * u[i] + 8.0 * near - 2.0 * corners - far);
}

// A string that swings: 12 steps in shared memory, with a margin of 12 points that is lost.
extern "C" __global__ void string_steps(const float *now, const float *before, float *next, float *last, float c, int n)
{
    extern __shared__ float u[];
    const int steps = 12;
    int t = threadIdx.x, inner = blockDim.x - 2 * steps, x = blockIdx.x * inner + t - steps;
    bool known = x >= 0 && x < n, moves = x > 0 && x < n - 1;
    float mine = known ? now[x] : 0.0f, older = known ? before[x] : 0.0f;
    for (int s = 0; s < steps; s++) {
        u[t] = mine;
        __syncthreads();
        float left = t > 0 ? u[t - 1] : 0.0f, right = t < blockDim.x - 1 ? u[t + 1] : 0.0f;
        __syncthreads();
        float newer = moves ? 2.0f * mine - older + c * (left - 2.0f * mine + right) : 0.0f;
        older = mine;
        mine = newer;
    }
    if (known && t >= steps && t < steps + inner) {
        next[x] = mine;
        last[x] = older;
    }
}

// Curl of a field of vectors, kept as three volumes.
extern "C" __global__ void curl_field(const float *u, const float *v, const float *w, float *cx, float *cy, float *cz, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1) return;
    int layer = side * side, i = z * layer + y * side + x;
    cx[i] = 0.5f * (w[i + side] - w[i - side] - v[i + layer] + v[i - layer]);
    cy[i] = 0.5f * (u[i + layer] - u[i - layer] - w[i + 1] + w[i - 1]);
    cz[i] = 0.5f * (v[i + 1] - v[i - 1] - u[i + side] + u[i - side]);
}

// The cheapest order of a chain of matrix products: one diagonal of the table, a thread per entry.
extern "C" __global__ void chain_diagonal(float *cost, const float *size, int d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + d;
    if (j >= n) return;
    float best = 1e30f, ends = size[i] * size[j + 1];
    for (int k = i; k < j; k++) best = fminf(best, cost[i * n + k] + cost[(k + 1) * n + j] + ends * size[k + 1]);
    cost[i * n + j] = best;
}

// How many letters of 64 bases come in the same order in 128 others; a bit per letter.
extern "C" __global__ void common_letters(const unsigned long long *patterns, const unsigned *texts, int *length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long low = patterns[i], high = patterns[n + i], left = ~0ull;
    for (int w = 0; w < 8; w++) {
        unsigned letters = texts[w * n + i];
        for (int k = 0; k < 16; k++, letters >>= 2) {
            unsigned long long same = (letters & 1 ? low : ~low) & (letters & 2 ? high : ~high);
            unsigned long long hit = left & same;
            left = (left + hit) | (left - hit);
        }
    }
    length[i] = __popcll(~left);
}

// Two metals part: the potential is computed into shared memory, then its second derivative is used.
extern "C" __global__ void part_metals(const float *u, float *out, float rate, float width, int side)
{
    extern __shared__ float tile[];
    int w = blockDim.x + 4, h = blockDim.y + 4, threads = blockDim.x * blockDim.y;
    int first = threadIdx.y * blockDim.x + threadIdx.x;
    int left = blockIdx.x * blockDim.x - 2 + side, top = blockIdx.y * blockDim.y - 2 + side;
    float *potential = tile + w * h;
    for (int k = first; k < w * h; k += threads) tile[k] = u[(top + k / w) % side * side + (left + k % w) % side];
    __syncthreads();
    for (int k = first; k < (w - 2) * (h - 2); k += threads) {
        int at = (k / (w - 2) + 1) * w + k % (w - 2) + 1;
        float c = tile[at];
        potential[at] = c * c * c - c - width * (tile[at - 1] + tile[at + 1] + tile[at - w] + tile[at + w] - 4.0f * c);
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int at = (threadIdx.y + 2) * w + threadIdx.x + 2;
    float *p = potential + at;
    out[y * side + x] = tile[at] + rate * (p[-1] + p[1] + p[-w] + p[w] - 4.0f * p[0]);
}

// A convolution layer with 3 x 3 weights that takes every second pixel; a thread per number that comes out.
extern "C" __global__ void conv_every_second(const float *in, const float *weights, float *out, int channels, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, half = side / 2;
    if (x >= half || y >= half) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int r = 0; r < 3; r++) {
            int from = 2 * y + r - 1;
            if (from < 0) continue;
            for (int k = 0; k < 3; k++)
                if (2 * x + k >= 1)
                    sum += in[(c * side + from) * side + 2 * x + k - 1] * weights[((blockIdx.z * channels + c) * 3 + r) * 3 + k];
        }
    out[(blockIdx.z * half + y) * half + x] = fmaxf(sum, 0.0f);
}
