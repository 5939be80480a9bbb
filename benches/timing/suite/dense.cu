// Dense linear algebra, bodies, rows and reductions.

extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) {
            sum += a[row * n + k] * b[k * n + column];
        }
        c[row * n + column] = sum;
    }
}

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[16][16], right[16][16];
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += 16) {
        int x = tile + threadIdx.x, y = tile + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < n && x < n ? a[row * n + x] : 0.0f;
        right[threadIdx.y][threadIdx.x] = y < n && column < n ? b[y * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}

// A thread per row, so that the lanes of a warp read down a column.
extern "C" __global__ void gemv_thread(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int k = 0; k < columns; k++) {
            sum += a[row * columns + k] * x[k];
        }
        y[row] = sum;
    }
}

extern "C" __global__ void gemv_warp(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int k = lane; k < columns; k += 32) {
        sum += a[row * columns + k] * x[k];
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) {
        y[row] = sum;
    }
}

extern "C" __global__ void nbody(const float4 *bodies, float4 *forces, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 force = make_float3(0.0f, 0.0f, 0.0f);
    for (int start = 0; start < n; start += blockDim.x) {
        int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float strength = other.w * inverse * inverse * inverse;
            force.x += dx * strength;
            force.y += dy * strength;
            force.z += dz * strength;
        }
        __syncthreads();
    }
    if (i < n) {
        forces[i] = make_float4(force.x, force.y, force.z, 0.0f);
    }
}

// Potential of point charges on a grid, as in molecular dynamics: every thread reads all atoms.
extern "C" __global__ void coulomb_grid(const float4 *atoms, float *grid, int count, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= width) {
        return;
    }
    float energy = 0.0f;
    for (int i = 0; i < count; i++) {
        float4 atom = atoms[i];
        float dx = 0.5f * x - atom.x, dy = 0.5f * y - atom.y;
        energy += atom.w * rsqrtf(dx * dx + dy * dy + atom.z * atom.z + 0.1f);
    }
    grid[y * width + x] = energy;
}

__device__ float block_sum(float value)
{
    __shared__ float parts[32];
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = threadIdx.x % 32 < blockDim.x / 32 ? parts[threadIdx.x % 32] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, offset);
    }
    return value;
}

// A block per row.
extern "C" __global__ void layer_norm(const float *in, float *out, int width)
{
    const float *row = in + (size_t)blockIdx.x * width;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        sum += row[i];
        squares += row[i] * row[i];
    }
    float mean = block_sum(sum) / width;
    float variance = block_sum(squares) / width - mean * mean;
    float scale = rsqrtf(variance + 1e-5f);
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        out[(size_t)blockIdx.x * width + i] = (row[i] - mean) * scale;
    }
}

// A block per row, with trees in shared memory.
extern "C" __global__ void softmax_rows(const float *in, float *out, int width)
{
    __shared__ float tree[256];
    const float *row = in + (size_t)blockIdx.x * width;
    float most = -1e30f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        most = fmaxf(most, row[i]);
    }
    tree[threadIdx.x] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
        }
        __syncthreads();
    }
    most = tree[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        sum += __expf(row[i] - most);
    }
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            tree[threadIdx.x] += tree[threadIdx.x + half];
        }
        __syncthreads();
    }
    sum = tree[0];
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        out[(size_t)blockIdx.x * width + i] = __expf(row[i] - most) / sum;
    }
}

// A warp per short row.
extern "C" __global__ void rms_norm_warp(const float *in, float *out, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    float squares = 0.0f;
    for (int i = lane; i < width; i += 32) {
        float value = in[row * width + i];
        squares += value * value;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    }
    float scale = rsqrtf(squares / width + 1e-6f);
    for (int i = lane; i < width; i += 32) {
        out[row * width + i] = in[row * width + i] * scale;
    }
}

extern "C" __global__ void argmax_warp(const float *in, int *out, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    float best = -1e30f;
    int where = 0;
    for (int i = lane; i < width; i += 32) {
        if (in[row * width + i] > best) {
            best = in[row * width + i];
            where = i;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        float other = __shfl_down_sync(0xffffffff, best, offset);
        int there = __shfl_down_sync(0xffffffff, where, offset);
        if (other > best || (other == best && there < where)) {
            best = other;
            where = there;
        }
    }
    if (lane == 0) {
        out[row] = where;
    }
}

// The last block adds up what all blocks left.
extern "C" __global__ void sum_last_block(const int *in, int *parts, int *result, unsigned *done, int n)
{
    __shared__ int tree[256];
    __shared__ bool last;
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += in[i];
    }
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            tree[threadIdx.x] += tree[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = tree[0];
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (int block = 0; block < gridDim.x; block++) {
            total += ((volatile int *)parts)[block];
        }
        *result = total;
    }
}

extern "C" __global__ void extent_last_block(const float *in, float2 *parts, float2 *result, unsigned *done, int n)
{
    __shared__ float lows[32], highs[32];
    __shared__ unsigned ticket;
    float low = 1e30f, high = -1e30f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        low = high = in[i];
    }
    for (int round = 0; round < 2; round++) {
        for (int offset = 16; offset > 0; offset /= 2) {
            low = fminf(low, __shfl_down_sync(0xffffffff, low, offset));
            high = fmaxf(high, __shfl_down_sync(0xffffffff, high, offset));
        }
        if (threadIdx.x % 32 == 0) {
            lows[threadIdx.x / 32] = low;
            highs[threadIdx.x / 32] = high;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int warp = 1; warp < blockDim.x / 32; warp++) {
                low = fminf(low, lows[warp]);
                high = fmaxf(high, highs[warp]);
            }
            if (round == 0) {
                parts[blockIdx.x] = make_float2(low, high);
                __threadfence();
                ticket = atomicInc(done, gridDim.x - 1);
            } else {
                *result = make_float2(low, high);
            }
        }
        __syncthreads();
        if (round == 1 || ticket != gridDim.x - 1) {
            return;
        }
        __threadfence();
        low = 1e30f;
        high = -1e30f;
        for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
            float2 part = parts[block];
            low = fminf(low, part.x);
            high = fmaxf(high, part.y);
        }
    }
}

// The first reduction of every course: interleaved pairs, with bank conflicts.
extern "C" __global__ void reduce_interleaved(const float *in, float *out, int n)
{
    extern __shared__ float values[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int index = 2 * step * threadIdx.x;
        if (index + step < blockDim.x) {
            values[index] += values[index + step];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = values[0];
    }
}

extern "C" __global__ void polynomial_f64(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double t = x[i], sum = 1.0;
#pragma unroll
        for (int k = 20; k > 0; k--) {
            sum = sum * t + 1.0 / k;
        }
        y[i] = sum;
    }
}

extern "C" __global__ void dot_f64(const double *x, const double *y, double *parts, int n)
{
    __shared__ double tree[256];
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i] * y[i];
    }
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            tree[threadIdx.x] += tree[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = tree[0];
    }
}
