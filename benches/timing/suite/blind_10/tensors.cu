// Compiled for compute_80.
// Products of matrices, layers, rows and short types.

#define DEPTH 32
#define ROWS 4

// A matrix times the transpose of another: both are read row by row, in tiles of 32 columns. A thread computes four rows of a column.
extern "C" __global__ void product_abt(const float *a, const float *b, float *c, int rows, int columns, int depth)
{
    __shared__ float left[32][DEPTH + 1], right[32][DEPTH + 1];
    int x = threadIdx.x, y = threadIdx.y, top = blockIdx.y * blockDim.y * ROWS, first = blockIdx.x * 32;
    float sums[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int start = 0; start < depth; start += DEPTH) {
        bool inside = start + x < depth;
        for (int r = y; r < blockDim.y * ROWS; r += blockDim.y)
            left[r][x] = inside && top + r < rows ? a[(top + r) * depth + start + x] : 0.0f;
        for (int r = y; r < 32; r += blockDim.y)
            right[r][x] = inside && first + r < columns ? b[(first + r) * depth + start + x] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float value = right[x][k];
#pragma unroll
            for (int r = 0; r < ROWS; r++) sums[r] += left[y + r * blockDim.y][k] * value;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int row = top + y + r * blockDim.y;
        if (row < rows && first + x < columns) c[row * columns + first + x] = sums[r];
    }
}

#define ORDER 7
#define SIZE (ORDER * ORDER)

// Many products of 7 x 7 matrices. 49 threads compute one product, and a block has as many products as fit.
extern "C" __global__ void products_7x7(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float kept[];
    int many = blockDim.x / SIZE, own = threadIdx.x / SIZE, element = threadIdx.x % SIZE, matrix = blockIdx.x * many + own;
    bool active = own < many && matrix < n;
    float *left = kept + own * 2 * SIZE, *right = left + SIZE;
    if (active) {
        left[element] = a[matrix * SIZE + element];
        right[element] = b[matrix * SIZE + element];
    }
    __syncthreads();
    if (!active) return;
    int row = element / ORDER, column = element % ORDER;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < ORDER; k++) sum += left[row * ORDER + k] * right[k * ORDER + column];
    c[matrix * SIZE + element] = sum;
}

#define UNKNOWNS 6

// Solves symmetric systems of six equations by an LDL decomposition. The diagonal and the lower triangle are stored apart. A thread per
// system.
extern "C" __global__ void ldl_6x6(const float *diagonals, const float *triangles, const float *sides, float *solutions, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float lower[UNKNOWNS][UNKNOWNS], pivots[UNKNOWNS], x[UNKNOWNS];
#pragma unroll
    for (int r = 0; r < UNKNOWNS; r++) {
        pivots[r] = diagonals[r * n + i];
        x[r] = sides[r * n + i];
#pragma unroll
        for (int c = 0; c < r; c++) {
            float sum = triangles[(r * (r - 1) / 2 + c) * n + i];
#pragma unroll
            for (int k = 0; k < c; k++) sum -= lower[r][k] * lower[c][k] * pivots[k];
            lower[r][c] = sum / pivots[c];
        }
#pragma unroll
        for (int c = 0; c < r; c++) {
            pivots[r] -= lower[r][c] * lower[r][c] * pivots[c];
            x[r] -= lower[r][c] * x[c];
        }
    }
#pragma unroll
    for (int r = UNKNOWNS - 1; r >= 0; r--) {
        x[r] /= pivots[r];
#pragma unroll
        for (int k = r + 1; k < UNKNOWNS; k++) x[r] -= lower[k][r] * x[k];
        solutions[r * n + i] = x[r];
    }
}

#define EDGE 5
#define POINTS (EDGE * EDGE * EDGE)

// The Laplace operator on high-order finite elements: 5 x 5 x 5 points, derivatives along each axis, three factors for the shape of the
// element, then the transposed derivatives. A block per element, in doubles.
extern "C" __global__ void tensor_elements(const double *values, const double *derive, const double *shapes, double *out)
{
    __shared__ double at[POINTS], along[3][POINTS], matrix[EDGE][EDGE];
    int p = threadIdx.x, i = p % EDGE, j = p / EDGE % EDGE, k = p / (EDGE * EDGE), element = blockIdx.x * POINTS;
    if (p < EDGE * EDGE) matrix[p / EDGE][p % EDGE] = derive[p];
    if (p < POINTS) at[p] = values[element + p];
    __syncthreads();
    if (p < POINTS) {
        double x = 0.0, y = 0.0, z = 0.0;
#pragma unroll
        for (int m = 0; m < EDGE; m++) {
            x += matrix[i][m] * at[(k * EDGE + j) * EDGE + m];
            y += matrix[j][m] * at[(k * EDGE + m) * EDGE + i];
            z += matrix[k][m] * at[(m * EDGE + j) * EDGE + i];
        }
        along[0][p] = x * shapes[3 * element + p];
        along[1][p] = y * shapes[3 * element + POINTS + p];
        along[2][p] = z * shapes[3 * element + 2 * POINTS + p];
    }
    __syncthreads();
    if (p >= POINTS) return;
    double sum = 0.0;
#pragma unroll
    for (int m = 0; m < EDGE; m++) {
        sum += matrix[m][i] * along[0][(k * EDGE + j) * EDGE + m];
        sum += matrix[m][j] * along[1][(k * EDGE + m) * EDGE + i];
        sum += matrix[m][k] * along[2][(m * EDGE + j) * EDGE + i];
    }
    out[element + p] = sum;
}

// Softmax of attention scores where no word sees later words: row r of each square uses columns up to r, and the others become zero. A
// warp per row.
extern "C" __global__ void causal_softmax(const float *scores, float *shares, float scale, int side, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *from = scores + (size_t)row * side;
    float *to = shares + (size_t)row * side, most = -1e30f, sum = 0.0f;
    int last = row % side;
    for (int c = lane; c <= last; c += 32) most = fmaxf(most, from[c]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    for (int c = lane; c <= last; c += 32) sum += __expf(scale * (from[c] - most));
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    float part = 1.0f / sum;
    for (int c = lane; c < side; c += 32) to[c] = c <= last ? __expf(scale * (from[c] - most)) * part : 0.0f;
}

__device__ float2 widened(unsigned pair)
{
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000));
}

__device__ unsigned narrowed(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

__device__ float block_sum(float own, float *parts)
{
    for (int d = 16; d > 0; d /= 2) own += __shfl_xor_sync(~0u, own, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
    __syncthreads();
    own = 0.0f;
    for (int w = 0; w < blockDim.x / 32; w++) own += parts[w];
    return own;
}

#define PAIRS 384

// Adds the output of a layer to its input and normalises the sum (layer norm), as transformers do. Rows have 768 numbers in bf16. A
// block per row keeps the sum in shared memory as floats.
extern "C" __global__ void add_norm_bf16(const unsigned *in, const unsigned *added, const unsigned *gains, unsigned *sums, unsigned *out)
{
    __shared__ float2 row[PAIRS];
    __shared__ float parts[32];
    int start = blockIdx.x * PAIRS;
    float sum = 0.0f, squares = 0.0f;
    for (int k = threadIdx.x; k < PAIRS; k += blockDim.x) {
        float2 a = widened(in[start + k]), b = widened(added[start + k]);
        row[k] = make_float2(a.x + b.x, a.y + b.y);
        sums[start + k] = narrowed(row[k].x, row[k].y);
        sum += row[k].x + row[k].y;
    }
    float mean = block_sum(sum, parts) / (2 * PAIRS);
    for (int k = threadIdx.x; k < PAIRS; k += blockDim.x) {
        float x = row[k].x - mean, y = row[k].y - mean;
        squares += x * x + y * y;
    }
    float scale = rsqrtf(block_sum(squares, parts) / (2 * PAIRS) + 1e-5f);
    for (int k = threadIdx.x; k < PAIRS; k += blockDim.x) {
        float2 gain = widened(gains[k]);
        out[start + k] = narrowed((row[k].x - mean) * scale * gain.x, (row[k].y - mean) * scale * gain.y);
    }
}

// Focal loss of a detector and its gradient: labels are 0 or 1, and easy examples count less. Each block adds its loss to the total.
extern "C" __global__ void focal_loss(const float *logits, const unsigned char *labels, float *gradients, double *total, float balance,
                                      int n)
{
    __shared__ float parts[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float loss = 0.0f;
    if (i < n) {
        bool yes = labels[i] != 0;
        float logit = yes ? logits[i] : -logits[i], weight = yes ? balance : 1.0f - balance;
        float right = 1.0f / (1.0f + __expf(-logit)), wrong = 1.0f - right;
        float log_right = logit < -15.0f ? logit : __logf(right);
        loss = -weight * wrong * wrong * log_right;
        float slope = weight * wrong * wrong * (2.0f * right * log_right - wrong);
        gradients[i] = yes ? slope : -slope;
    }
    for (int d = 16; d > 0; d /= 2) loss += __shfl_down_sync(~0u, loss, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = loss;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++) loss += parts[w];
    atomicAdd(total, (double)loss);
}

// A product of matrices of bytes, summed as 32-bit numbers and scaled back to bytes. Four bytes of the depth are one word, and the right
// matrix is stored column by column. A thread per result.
extern "C" __global__ void product_int8_tiles(const int *a, const int *b, signed char *c, float scale, int n)
{
    __shared__ int left[16][17], right[32][17];
    int x = threadIdx.x, y = threadIdx.y, words = n / 4, thread = y * blockDim.x + x, threads = blockDim.x * blockDim.y, sum = 0;
    int first = blockIdx.x * blockDim.x, top = blockIdx.y * blockDim.y;
    for (int start = 0; start < words; start += 16) {
        for (int k = thread; k < blockDim.y * 16; k += threads) {
            int r = top + k / 16, w = start + k % 16;
            left[k / 16][k % 16] = r < n && w < words ? a[r * words + w] : 0;
        }
        for (int k = thread; k < blockDim.x * 16; k += threads) {
            int r = first + k / 16, w = start + k % 16;
            right[k / 16][k % 16] = r < n && w < words ? b[r * words + w] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(left[y][k]), "r"(right[x][k]));
        __syncthreads();
    }
    if (first + x < n && top + y < n) c[(top + y) * n + first + x] = min(max(__float2int_rn(sum * scale), -127), 127);
}

#define TILE 512

__device__ void fetch(float4 *to, const float4 *from)
{
    for (int k = threadIdx.x; k < TILE; k += blockDim.x) {
        unsigned address = (unsigned)__cvta_generic_to_shared(to + k);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from + k) : "memory");
    }
}

// Which row of a table is closest to a query? Rows have 64 numbers. A block compares 32 rows in shared memory while the next 32 are
// loaded. Distance and row share one 64-bit number, of which the smallest wins.
extern "C" __global__ void best_match_pipelined(const float4 *table, const float2 *query, unsigned long long *best, int tiles)
{
    __shared__ float4 stages[2][TILE];
    int lane = threadIdx.x % 32, at = 0;
    float2 wanted = query[lane];
    unsigned long long closest = ~0ull;
    if (blockIdx.x < tiles) fetch(stages[0], table + (size_t)blockIdx.x * TILE);
    asm volatile("cp.async.commit_group;");
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, at ^= 1) {
        int next = tile + gridDim.x;
        if (next < tiles) fetch(stages[at ^ 1], table + (size_t)next * TILE);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const float2 *rows = (const float2 *)stages[at];
        for (int r = threadIdx.x / 32; r < 32; r += blockDim.x / 32) {
            float2 own = rows[r * 32 + lane];
            float x = own.x - wanted.x, y = own.y - wanted.y, sum = x * x + y * y;
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
            unsigned long long key = (unsigned long long)__float_as_uint(sum) << 32 | (tile * 32 + r);
            if (key < closest) closest = key;
        }
        __syncthreads();
    }
    if (lane == 0) atomicMin(best, closest);
}
