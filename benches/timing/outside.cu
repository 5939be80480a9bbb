// Kernels that no system of the program has: the timing model is compared with
// them, never fitted to them. Textbook kernels, each with a character of its own.
// n counts what the first loop runs over; every loop strides over the grid.

extern "C" __global__ void saxpy(const float *__restrict__ x, float *y, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        y[i] = 2.5f * x[i] + y[i];
    }
}

// 16 bytes a thread.
extern "C" __global__ void copy_wide(const float4 *__restrict__ from, float4 *to, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        to[i] = from[i];
    }
}

// A square matrix of n elements; stores of a warp lie `width` apart.
extern "C" __global__ void transpose_plain(const float *__restrict__ from, float *to,
                                           unsigned int n, unsigned int width)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        to[i % width * width + i / width] = from[i];
    }
}

// The same by way of tiles of 32 x 32 in shared memory.
extern "C" __global__ void transpose_tiled(const float *__restrict__ from, float *to,
                                           unsigned int n, unsigned int width)
{
    __shared__ float tile[32][33];
    unsigned int across = width / 32;
    unsigned int lane = threadIdx.x % 32, first = threadIdx.x / 32, rows = blockDim.x / 32;
    for (unsigned int t = blockIdx.x; t < n / 1024; t += gridDim.x) {
        unsigned int x = t % across * 32, y = t / across * 32;
        for (unsigned int row = first; row < 32; row += rows) {
            tile[row][lane] = from[(y + row) * width + x + lane];
        }
        __syncthreads();
        for (unsigned int row = first; row < 32; row += rows) {
            to[(x + row) * width + y + lane] = tile[lane][row];
        }
        __syncthreads();
    }
}

// Each cell and its four neighbours, on a square.
extern "C" __global__ void stencil(const float *__restrict__ from, float *to, unsigned int n,
                                   unsigned int width)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = i % width, y = i / width;
        if (x > 0 && y > 0 && x < width - 1 && y < width - 1) {
            to[i] = 0.5f * from[i] + 0.125f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
        }
    }
}

// All pairs, the others tile by tile through shared memory.
extern "C" __global__ void n_body(const float4 *__restrict__ bodies, float4 *forces, unsigned int n)
{
    extern __shared__ float4 tile[];
    for (unsigned int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        unsigned int i = first + threadIdx.x;
        float4 mine = bodies[i < n ? i : 0];
        float fx = 0.0f, fy = 0.0f, fz = 0.0f;
        for (unsigned int begin = 0; begin < n; begin += blockDim.x) {
            unsigned int j = begin + threadIdx.x;
            tile[threadIdx.x] = bodies[j < n ? j : 0];
            __syncthreads();
            unsigned int count = min(blockDim.x, n - begin);
            for (unsigned int k = 0; k < count; k++) {
                float dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
                float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
                float force = tile[k].w * inverse * inverse * inverse;
                fx += force * dx;
                fy += force * dy;
                fz += force * dz;
            }
            __syncthreads();
        }
        if (i < n) {
            forces[i] = make_float4(fx, fy, fz, 0.0f);
        }
    }
}

// Lanes leave the loop at different times.
extern "C" __global__ void mandelbrot(unsigned int *rounds, unsigned int n, unsigned int width)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float cx = 3.0f * (i % width) / width - 2.0f;
        float cy = 3.0f * (i / width) / width - 1.5f;
        float x = 0.0f, y = 0.0f;
        unsigned int round = 0;
        while (round < 200 && x * x + y * y < 4.0f) {
            float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
            round++;
        }
        rounds[i] = round;
    }
}

// Words from places that look random.
extern "C" __global__ void gather(const unsigned int *__restrict__ from, unsigned int *to, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int place = i * 2654435761u;
        place ^= place >> 15;
        to[i] = from[place & (n - 1)];
    }
}

// Special functions: the price of an option.
extern "C" __global__ void options(const float *__restrict__ prices, float *calls, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = prices[i] + 1.0f, k = 100.0f, t = 0.75f;
        float root = sqrtf(t);
        float d1 = (logf(s / k) + 0.07f * t) / (0.3f * root);
        float d2 = d1 - 0.3f * root;
        float n1 = 1.0f / (1.0f + expf(-1.702f * d1));
        float n2 = 1.0f / (1.0f + expf(-1.702f * d2));
        calls[i] = s * n1 - k * expf(-0.02f * t) * n2;
    }
}

// A block per row of 1024: maximum and sum by shuffles, then exponentials.
extern "C" __global__ void softmax(const float *__restrict__ from, float *to, unsigned int n)
{
    __shared__ float parts[32];
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (unsigned int row = blockIdx.x; row < n / 1024; row += gridDim.x) {
        const float *values = from + row * 1024;
        float most = -3.4e38f;
        for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x) {
            most = fmaxf(most, values[i]);
        }
        for (unsigned int step = 16; step > 0; step /= 2) {
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
        }
        if (lane == 0) {
            parts[warp] = most;
        }
        __syncthreads();
        for (unsigned int i = 0; i < warps; i++) {
            most = fmaxf(most, parts[i]);
        }
        __syncthreads();
        float sum = 0.0f;
        for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x) {
            sum += expf(values[i] - most);
        }
        for (unsigned int step = 16; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        }
        if (lane == 0) {
            parts[warp] = sum;
        }
        __syncthreads();
        sum = 0.0f;
        for (unsigned int i = 0; i < warps; i++) {
            sum += parts[i];
        }
        __syncthreads();
        for (unsigned int i = threadIdx.x; i < 1024; i += blockDim.x) {
            to[row * 1024 + i] = expf(values[i] - most) / sum;
        }
    }
}

// A sparse matrix times a vector: rows of 4 to 35 numbers, a thread per row.
extern "C" __global__ void sparse(const unsigned int *__restrict__ starts,
                                  const unsigned int *__restrict__ columns,
                                  const float *__restrict__ vector, float *product, unsigned int n)
{
    for (unsigned int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
        float sum = 0.0f;
        for (unsigned int i = starts[row]; i < starts[row + 1]; i++) {
            sum += 0.5f * vector[columns[i]];
        }
        product[row] = sum;
    }
}

// Integers only: 64 rounds of mixing for each word.
extern "C" __global__ void mixing(unsigned int *words, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int word = words[i];
        for (unsigned int round = 0; round < 64; round++) {
            word ^= word << 13;
            word = word * 747796405u + 2891336453u;
            word ^= word >> 17;
        }
        words[i] = word;
    }
}

// A polynomial of degree 24 in 64-bit floats.
extern "C" __global__ void polynomial(const double *__restrict__ x, double *y, unsigned int n)
{
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double value = x[i], sum = 1.0;
        for (unsigned int power = 0; power < 24; power++) {
            sum = sum * value + 0.25;
        }
        y[i] = sum;
    }
}
