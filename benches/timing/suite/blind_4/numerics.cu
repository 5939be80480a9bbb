// Compiled for compute_80.
// State spaces, convolutions, sampling, solvers, interpolation, warping.

// A selective state space: 16 states for every channel, step after step.
extern "C" __global__ void state_scan(const float *x, const float *delta, const float *decay, const float *in,
                                      const float *out, float *y, int steps, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n) return;
    float state[16], a[16];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        state[k] = 0.0f;
        a[k] = decay[k * n + c];
    }
    for (int t = 0; t < steps; t++) {
        float d = delta[t * n + c], dx = d * x[t * n + c], sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            state[k] = __expf(-d * a[k]) * state[k] + dx * in[t * 16 + k];
            sum += state[k] * out[t * 16 + k];
        }
        y[t * n + c] = sum;
    }
}

// Winograd's transform of 4 x 4 windows, two apart, for a convolution with 3 x 3 weights.
extern "C" __global__ void winograd_tiles(const float *image, float *out, int side, int tiles)
{
    int tile = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y;
    int across = side / 2;
    if (tile >= tiles) return;
    int left = tile % across * 2 - 1, top = tile / across * 2 - 1;
    float d[4][4], t[4][4];
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            int x = left + c, y = top + r;
            bool inside = x >= 0 && y >= 0 && x < side && y < side;
            d[r][c] = inside ? image[(channel * side + y) * side + x] : 0.0f;
        }
#pragma unroll
    for (int c = 0; c < 4; c++) {
        t[0][c] = d[0][c] - d[2][c];
        t[1][c] = d[1][c] + d[2][c];
        t[2][c] = d[2][c] - d[1][c];
        t[3][c] = d[1][c] - d[3][c];
    }
    float *to = out + channel * tiles + tile;
    int plane = gridDim.y * tiles;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        to[(4 * r + 0) * plane] = t[r][0] - t[r][2];
        to[(4 * r + 1) * plane] = t[r][1] + t[r][2];
        to[(4 * r + 2) * plane] = t[r][2] - t[r][1];
        to[(4 * r + 3) * plane] = t[r][1] - t[r][3];
    }
}

// Gradient of a bias: sums of the columns of a matrix, each block a strip of 32.
extern "C" __global__ void bias_gradient(const float *gradient, float *bias, int rows, int columns)
{
    __shared__ float part[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y) sum += gradient[r * columns + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
        for (int k = 1; k < blockDim.y; k++) sum += part[k][threadIdx.x];
        atomicAdd(&bias[c], sum);
    }
}

// Nucleus sampling: the threshold above which tokens have the share `p`, by bisection.
extern "C" __global__ void top_p_threshold(const float *probability, float *threshold, float p, int tokens)
{
    extern __shared__ float row[];
    __shared__ float part[32];
    for (int k = threadIdx.x; k < tokens; k += blockDim.x) row[k] = probability[blockIdx.x * tokens + k];
    __syncthreads();
    float low = 0.0f, high = 2.0f / tokens;
    for (int round = 0; round < 20; round++) {
        float middle = 0.5f * (low + high), sum = 0.0f;
        for (int k = threadIdx.x; k < tokens; k += blockDim.x)
            if (row[k] >= middle) sum += row[k];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0.0f;
        for (int w = 0; w < blockDim.x / 32; w++) sum += part[w];
        __syncthreads();
        if (sum >= p) low = middle;
        else high = middle;
    }
    if (threadIdx.x == 0) threshold[blockIdx.x] = low;
}

// A leaky ReLU with a slope per channel, in half precision: two numbers at once.
extern "C" __global__ void prelu_halves(const unsigned *x, const unsigned *slope, unsigned *y, int pixels, int channels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned value = x[i], a = slope[i / pixels % channels], up, down, sum;
    asm("max.f16x2 %0, %1, %2;" : "=r"(up) : "r"(value), "r"(0u));
    asm("min.f16x2 %0, %1, %2;" : "=r"(down) : "r"(value), "r"(0u));
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(down), "r"(up));
    y[i] = sum;
}

// A step of conjugate gradients: solution and residual move, and the residual's square.
extern "C" __global__ void conjugate_step(double *x, double *r, const double *p, const double *ap, double *square,
                                          double alpha, int n)
{
    __shared__ double part[512];
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        x[i] += alpha * p[i];
        double left = r[i] - alpha * ap[i];
        r[i] = left;
        sum += left * left;
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(square, part[0]);
}

// Solves small systems of doubles by elimination with pivots: a warp each, a lane per row.
extern "C" __global__ void pivot_solves(const double *systems, double *solutions, int n)
{
    __shared__ double all[4][24][25];
    int system = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (system >= n) return;
    double (*m)[25] = all[threadIdx.y];
    for (int k = lane; k < 600; k += 32) m[k / 25][k % 25] = systems[system * 600 + k];
    __syncwarp();
    for (int c = 0; c < 24; c++) {
        double best = lane >= c && lane < 24 ? fabs(m[lane][c]) : -1.0;
        int where = lane;
        for (int d = 16; d > 0; d /= 2) {
            double other = __shfl_xor_sync(~0u, best, d);
            int from = __shfl_xor_sync(~0u, where, d);
            if (other > best || (other == best && from < where)) {
                best = other;
                where = from;
            }
        }
        if (where != c && lane < 25) {
            double kept = m[c][lane];
            m[c][lane] = m[where][lane];
            m[where][lane] = kept;
        }
        __syncwarp();
        if (lane > c && lane < 24) {
            double factor = m[lane][c] / m[c][c];
            for (int k = c; k < 25; k++) m[lane][k] -= factor * m[c][k];
        }
        __syncwarp();
    }
    double right = lane < 24 ? m[lane][24] : 0.0, mine = 0.0;
    for (int c = 23; c >= 0; c--) {
        double value = __shfl_sync(~0u, right, c) / m[c][c];
        if (lane == c) mine = value;
        if (lane < c) right -= m[lane][c] * value;
    }
    if (lane < 24) solutions[system * 24 + lane] = mine;
}

__device__ void cubic(float t, float *w)
{
    w[0] = ((-0.5f * t + 1.0f) * t - 0.5f) * t;
    w[1] = (1.5f * t - 2.5f) * t * t + 1.0f;
    w[2] = ((-1.5f * t + 2.0f) * t + 0.5f) * t;
    w[3] = (0.5f * t - 0.5f) * t * t;
}

// Samples a volume between its points: tricubic, from 64 neighbours.
extern "C" __global__ void tricubic(const float *volume, const float *points, float *values, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = points[i] * (side - 4) + 1, py = points[n + i] * (side - 4) + 1, pz = points[2 * n + i] * (side - 4) + 1;
    int x = (int)px, y = (int)py, z = (int)pz;
    float wx[4], wy[4], wz[4], sum = 0.0f;
    cubic(px - x, wx);
    cubic(py - y, wy);
    cubic(pz - z, wz);
    for (int c = 0; c < 4; c++)
        for (int b = 0; b < 4; b++) {
            const float *line = volume + ((z + c - 1) * side + y + b - 1) * side + x - 1;
            sum += wz[c] * wy[b] * (wx[0] * line[0] + wx[1] * line[1] + wx[2] * line[2] + wx[3] * line[3]);
        }
    values[i] = sum;
}

// Dynamic time warping of two series: a block per pair goes along the diagonals.
extern "C" __global__ void time_warp(const float *a, const float *b, float *cost, int length)
{
    __shared__ float diagonal[3][257];
    int i = threadIdx.x, rows = blockDim.x;
    float mine = a[blockIdx.x * rows + i];
    for (int k = 0; k < 3; k++) diagonal[k][i + 1] = 1e30f;
    if (i == 0)
        for (int k = 0; k < 3; k++) diagonal[k][0] = 1e30f;
    __syncthreads();
    for (int step = 0; step < rows + length - 1; step++) {
        float *now = diagonal[step % 3], *last = diagonal[(step + 2) % 3], *before = diagonal[(step + 1) % 3];
        int j = step - i;
        float value = 1e30f;
        if (j >= 0 && j < length) {
            float least = fminf(fminf(last[i], last[i + 1]), before[i]);
            if (i == 0 && j == 0) least = 0.0f;
            value = fabsf(mine - b[blockIdx.x * length + j]) + least;
        }
        now[i + 1] = value;
        __syncthreads();
    }
    if (i == rows - 1) cost[blockIdx.x] = diagonal[(rows + length - 2) % 3][rows];
}

__device__ void fetch(float *to, const float *from)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to + 4 * threadIdx.x);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from + 4 * threadIdx.x));
    asm volatile("cp.async.commit_group;");
}

// How loud frames of sound are: while a block sums one, the next is on its way.
extern "C" __global__ void frame_levels(const float *samples, float *levels, int frames)
{
    extern __shared__ float4 buffer[];
    __shared__ float part[32];
    int size = 4 * blockDim.x, at = 0;
    float *stage = (float *)buffer;
    if (blockIdx.x < frames) fetch(stage, samples + blockIdx.x * size);
    for (int f = blockIdx.x; f < frames; f += gridDim.x, at ^= 1) {
        int next = f + gridDim.x;
        if (next < frames) fetch(stage + (at ^ 1) * size, samples + next * size);
        else asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        float sum = 0.0f;
        for (int k = threadIdx.x; k < size; k += blockDim.x) {
            float v = stage[at * size + k];
            sum += v * v;
        }
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
        if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < blockDim.x / 32; w++) sum += part[w];
            levels[f] = 10.0f * log10f(sum / size);
        }
        __syncthreads();
    }
}
