// Compiled for compute_70.
// Layers, small matrices, scans and reductions.

#define DEPTH 16
#define ROWS 4

// A layer that connects all inputs to all outputs: tiles of both matrices in shared memory, then the bias, and zero instead of negative
// sums. A thread computes four rows of a column.
extern "C" __global__ void dense_relu_tiles(const float *in, const float *weights, const float *bias, float *out, int rows, int depth,
                                            int columns)
{
    __shared__ float left[32][DEPTH + 1], right[DEPTH][33];
    int column = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * blockDim.y * ROWS;
    int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    float sums[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int start = 0; start < depth; start += DEPTH) {
        for (int k = thread; k < blockDim.y * ROWS * DEPTH; k += threads) {
            int r = first + k / DEPTH, c = start + k % DEPTH;
            left[k / DEPTH][k % DEPTH] = r < rows && c < depth ? in[r * depth + c] : 0.0f;
        }
        for (int k = thread; k < blockDim.x * DEPTH; k += threads) {
            int r = start + k / blockDim.x, c = blockIdx.x * blockDim.x + k % blockDim.x;
            right[k / blockDim.x][k % blockDim.x] = r < depth && c < columns ? weights[r * columns + c] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float weight = right[k][threadIdx.x];
#pragma unroll
            for (int r = 0; r < ROWS; r++) sums[r] += left[threadIdx.y * ROWS + r][k] * weight;
        }
        __syncthreads();
    }
    if (column >= columns) return;
    for (int r = 0; r < ROWS; r++) {
        int row = first + threadIdx.y * ROWS + r;
        if (row < rows) out[row * columns + column] = fmaxf(sums[r] + bias[column], 0.0f);
    }
}

#define POINTS 8
#define UNKNOWNS 4

// Fits four unknowns to eight equations (Givens): turns pairs of rows until the lower triangle is zero, then solves from below. Also
// writes how large the error is. A thread per system.
extern "C" __global__ void givens_qr(const float *systems, float *solutions, float *errors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[POINTS][UNKNOWNS + 1], x[UNKNOWNS], error = 0.0f;
#pragma unroll
    for (int k = 0; k < POINTS * (UNKNOWNS + 1); k++) m[k / (UNKNOWNS + 1)][k % (UNKNOWNS + 1)] = systems[k * n + i];
#pragma unroll
    for (int column = 0; column < UNKNOWNS; column++)
#pragma unroll
        for (int row = POINTS - 1; row > column; row--) {
            float a = m[row - 1][column], b = m[row][column], scale = rsqrtf(a * a + b * b + 1e-30f), c = a * scale, s = b * scale;
#pragma unroll
            for (int k = column; k <= UNKNOWNS; k++) {
                float up = m[row - 1][k], down = m[row][k];
                m[row - 1][k] = c * up + s * down;
                m[row][k] = c * down - s * up;
            }
        }
#pragma unroll
    for (int row = UNKNOWNS - 1; row >= 0; row--) {
        float sum = m[row][UNKNOWNS];
#pragma unroll
        for (int k = row + 1; k < UNKNOWNS; k++) sum -= m[row][k] * x[k];
        x[row] = sum / m[row][row];
        solutions[row * n + i] = x[row];
    }
#pragma unroll
    for (int row = UNKNOWNS; row < POINTS; row++) error += m[row][UNKNOWNS] * m[row][UNKNOWNS];
    errors[i] = sqrtf(error);
}

struct Matrix {
    float at[4][4];
};

__device__ Matrix product(const Matrix &a, const Matrix &b)
{
    Matrix c;
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            c.at[r][k] = a.at[r][0] * b.at[0][k] + a.at[r][1] * b.at[1][k] + a.at[r][2] * b.at[2][k] + a.at[r][3] * b.at[3][k];
    return c;
}

// How likely does one of four states become another after some time? The exponential of a matrix of rates: a short series for a small
// part of the time, then squares. A thread per matrix.
extern "C" __global__ void matrix_exponentials(const float *rates, const float *times, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Matrix rate, sum;
    float time = times[i], most = 0.0f, scale = 1.0f;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float leave = 0.0f;
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (k != r) {
                rate.at[r][k] = time * rates[(r * 3 + k - (k > r)) * n + i];
                leave += rate.at[r][k];
            }
        rate.at[r][r] = -leave;
        most = fmaxf(most, leave);
    }
    int squares = 0;
    for (; most > 0.5f; most *= 0.5f, scale *= 0.5f) squares++;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        rate.at[k / 4][k % 4] *= scale;
        sum.at[k / 4][k % 4] = k % 5 == 0;
    }
    for (int term = 6; term > 0; term--) {
        sum = product(rate, sum);
#pragma unroll
        for (int k = 0; k < 16; k++) sum.at[k / 4][k % 4] = sum.at[k / 4][k % 4] * (1.0f / term) + (k % 5 == 0);
    }
    for (int k = 0; k < squares; k++) sum = product(sum, sum);
#pragma unroll
    for (int k = 0; k < 16; k++) out[k * n + i] = sum.at[k / 4][k % 4];
}

#define TEXT 1024

// How deep does each letter of a text lie in brackets? A block scans a text of 1024 letters, warp by warp. The verdict is the greatest
// depth, or -1 if the brackets do not match.
extern "C" __global__ void bracket_depths(const char *texts, short *depths, int *verdicts)
{
    __shared__ int sums[32];
    __shared__ int lowest, deepest;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, base = 0, low = 0, deep = 0;
    if (threadIdx.x == 0) lowest = deepest = 0;
    for (int start = 0; start < TEXT; start += blockDim.x) {
        int at = start + threadIdx.x;
        char letter = at < TEXT ? texts[blockIdx.x * TEXT + at] : ' ';
        int depth = (letter == '(') - (letter == ')');
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(~0u, depth, d);
            if (lane >= d) depth += other;
        }
        if (lane == 31) sums[warp] = depth;
        __syncthreads();
        depth += base;
        for (int w = 0; w < warps; w++) {
            if (w < warp) depth += sums[w];
            base += sums[w];
        }
        if (at < TEXT) depths[blockIdx.x * TEXT + at] = depth;
        low = min(low, depth);
        deep = max(deep, depth);
        __syncthreads();
    }
    if (low < 0) atomicMin(&lowest, low);
    atomicMax(&deepest, deep);
    __syncthreads();
    if (threadIdx.x == 0) verdicts[blockIdx.x] = lowest < 0 || base != 0 ? -1 : deepest;
}

// How much do two columns of numbers go together? Blocks add up five sums in doubles. The block that finishes last adds the sums of all
// blocks, and writes means, deviations and the correlation.
extern "C" __global__ void correlation_last_block(const float4 *a, const float4 *b, volatile double *parts, unsigned *finished,
                                                  double *result, int n)
{
    __shared__ double warps[32][5];
    __shared__ bool last;
    int lane = threadIdx.x % 32;
    double sums[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 x = a[i], y = b[i];
        const float left[4] = {x.x, x.y, x.z, x.w}, right[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            double p = left[k], q = right[k];
            sums[0] += p;
            sums[1] += q;
            sums[2] += p * p;
            sums[3] += q * q;
            sums[4] += p * q;
        }
    }
    for (int phase = 0; phase < 2; phase++) {
#pragma unroll
        for (int k = 0; k < 5; k++) {
            for (int d = 16; d > 0; d /= 2) sums[k] += __shfl_down_sync(~0u, sums[k], d);
            if (lane == 0) warps[threadIdx.x / 32][k] = sums[k];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int k = 0; k < 5; k++) {
                for (int w = 1; w < blockDim.x / 32; w++) warps[0][k] += warps[w][k];
                if (phase == 0) parts[blockIdx.x * 5 + k] = warps[0][k];
            }
            __threadfence();
            if (phase == 0) last = atomicAdd(finished, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last) return;
#pragma unroll
        for (int k = 0; k < 5; k++) {
            sums[k] = 0.0;
            for (int block = threadIdx.x; phase == 0 && block < gridDim.x; block += blockDim.x) sums[k] += parts[block * 5 + k];
        }
    }
    if (threadIdx.x > 0) return;
    double many = 4.0 * n, x = warps[0][0] / many, y = warps[0][1] / many;
    double dx = sqrt(warps[0][2] / many - x * x), dy = sqrt(warps[0][3] / many - y * y);
    result[0] = x;
    result[1] = y;
    result[2] = dx;
    result[3] = dy;
    result[4] = (warps[0][4] / many - x * y) / (dx * dy);
    *finished = 0;
}

#define STEPS 32

__device__ float positive(float x)
{
    return x > 0.0f ? x + 1.0f : __expf(x);
}

// Attention without a softmax: a warp carries the sum of all products of keys and values so far, 32 x 32 numbers in registers. Each query
// reads from the sum.
extern "C" __global__ void linear_attention(const float *queries, const float *keys, const float *values, float *out, int n)
{
    int head = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (head >= n) return;
    float state[32], keys_before = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; k++) state[k] = 0.0f;
    for (int step = 0; step < STEPS; step++) {
        int at = (head * STEPS + step) * 32 + lane;
        float query = positive(queries[at]), key = positive(keys[at]), value = values[at], sum = 0.0f;
        keys_before += key;
        float weight = query * keys_before;
        for (int d = 16; d > 0; d /= 2) weight += __shfl_xor_sync(~0u, weight, d);
#pragma unroll
        for (int k = 0; k < 32; k++) {
            state[k] += __shfl_sync(~0u, key, k) * value;
            sum += __shfl_sync(~0u, query, k) * state[k];
        }
        out[at] = sum / weight;
    }
}

#define KINDS 16

// How likely does each point belong to each of 16 clouds (expectation step of a mixture)? Also adds up how likely all points are. A
// thread per point of four dimensions.
extern "C" __global__ void mixture_shares(const float4 *points, const float4 *centres, const float4 *narrow, const float *offsets,
                                          float *shares, double *likelihood, int n)
{
    __shared__ float4 centre[KINDS], weight[KINDS];
    __shared__ float offset[KINDS];
    for (int k = threadIdx.x; k < KINDS; k += blockDim.x) {
        centre[k] = centres[k];
        weight[k] = narrow[k];
        offset[k] = offsets[k];
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float whole = 0.0f;
    if (i < n) {
        float4 p = points[i];
        float logs[KINDS], most = -1e30f, sum = 0.0f;
#pragma unroll
        for (int k = 0; k < KINDS; k++) {
            float x = p.x - centre[k].x, y = p.y - centre[k].y, z = p.z - centre[k].z, w = p.w - centre[k].w;
            logs[k] = offset[k] - 0.5f * (x * x * weight[k].x + y * y * weight[k].y + z * z * weight[k].z + w * w * weight[k].w);
            most = fmaxf(most, logs[k]);
        }
#pragma unroll
        for (int k = 0; k < KINDS; k++) sum += logs[k] = __expf(logs[k] - most);
#pragma unroll
        for (int k = 0; k < KINDS; k++) shares[k * n + i] = logs[k] / sum;
        whole = most + logf(sum);
    }
    for (int d = 16; d > 0; d /= 2) whole += __shfl_down_sync(~0u, whole, d);
    if (threadIdx.x % 32 == 0) atomicAdd(likelihood, (double)whole);
}
