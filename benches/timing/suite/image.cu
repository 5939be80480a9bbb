// Images and signals.

__constant__ float weights[25] = {
    1 / 256.0f, 4 / 256.0f, 6 / 256.0f, 4 / 256.0f, 1 / 256.0f, 4 / 256.0f, 16 / 256.0f, 24 / 256.0f, 16 / 256.0f,
    4 / 256.0f, 6 / 256.0f, 24 / 256.0f, 36 / 256.0f, 24 / 256.0f, 6 / 256.0f, 4 / 256.0f, 16 / 256.0f, 24 / 256.0f,
    16 / 256.0f, 4 / 256.0f, 1 / 256.0f, 4 / 256.0f, 6 / 256.0f, 4 / 256.0f, 1 / 256.0f};

extern "C" __global__ void convolve_5x5(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float sum = 0.0f;
    for (int dy = -2; dy <= 2; dy++) {
        for (int dx = -2; dx <= 2; dx++) {
            int column = min(max(x + dx, 0), width - 1), row = min(max(y + dy, 0), height - 1);
            sum += weights[(dy + 2) * 5 + dx + 2] * in[row * width + column];
        }
    }
    out[y * width + x] = sum;
}

extern "C" __global__ void bilateral(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float centre = in[y * width + x], sum = 0.0f, total = 0.0f;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            int column = min(max(x + dx, 0), width - 1), row = min(max(y + dy, 0), height - 1);
            float value = in[row * width + column], difference = value - centre;
            float weight = __expf(-0.05f * (dx * dx + dy * dy) - 8.0f * difference * difference);
            sum += weight * value;
            total += weight;
        }
    }
    out[y * width + x] = sum / total;
}

extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) {
        return;
    }
    const unsigned char *p = in + y * width + x;
    int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
    int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
    out[y * width + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

extern "C" __global__ void image_histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        atomicAdd(&bins[i], own[i]);
    }
}

// Histogram equalisation: four pixels a thread through a table.
extern "C" __global__ void equalise(const uchar4 *in, const unsigned char *table, uchar4 *out, int n)
{
    __shared__ unsigned char own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        own[i] = table[i];
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 p = in[i];
        out[i] = make_uchar4(own[p.x], own[p.y], own[p.z], own[p.w]);
    }
}

extern "C" __global__ void resize_bilinear(const float *in, float *out, int from, int to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= to || y >= to) {
        return;
    }
    float scale = (float)(from - 1) / to, fx = x * scale, fy = y * scale;
    int x0 = fx, y0 = fy;
    fx -= x0;
    fy -= y0;
    const float *p = in + y0 * from + x0;
    float above = p[0] + fx * (p[1] - p[0]), below = p[from] + fx * (p[from + 1] - p[from]);
    out[y * to + x] = above + fy * (below - above);
}

extern "C" __global__ void rgb_to_grey(const unsigned char *rgb, unsigned char *grey, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        grey[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
    }
}

// A transform of 1024 complex numbers per block of 512, in place in shared memory.
extern "C" __global__ void fft_1024(const float2 *in, float2 *out)
{
    __shared__ float2 data[1024];
    const float2 *from = in + blockIdx.x * 1024;
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += blockDim.x) {
        data[__brev(i) >> 22] = from[i];
    }
    __syncthreads();
    for (int half = 1; half < 1024; half *= 2) {
        for (int pair = t; pair < 512; pair += blockDim.x) {
            int k = pair % half, i = pair / half * 2 * half + k;
            float s, c;
            __sincosf(-3.14159265f * k / half, &s, &c);
            float2 a = data[i], b = data[i + half];
            float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
            data[i] = make_float2(a.x + turned.x, a.y + turned.y);
            data[i + half] = make_float2(a.x - turned.x, a.y - turned.y);
        }
        __syncthreads();
    }
    for (int i = t; i < 1024; i += blockDim.x) {
        out[blockIdx.x * 1024 + i] = data[i];
    }
}

extern "C" __global__ void walsh_hadamard(const float *in, float *out)
{
    extern __shared__ float values[];
    int base = blockIdx.x * blockDim.x, t = threadIdx.x;
    values[t] = in[base + t];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        float mine = values[t], other = values[t ^ step];
        __syncthreads();
        values[t] = t & step ? other - mine : mine + other;
        __syncthreads();
    }
    out[base + t] = values[t];
}

// A filter of `taps` coefficients over a signal, the taps read again by every thread.
extern "C" __global__ void fir_filter(const float *signal, const float *taps, float *out, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < count; k++) {
            sum += i >= k ? taps[k] * signal[i - k] : 0.0f;
        }
        out[i] = sum;
    }
}

// Two channels of a wave equation: three time levels.
extern "C" __global__ void wave_step(const float *before, const float *now, float *next, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i % width, y = i / width;
    if (y >= height) {
        return;
    }
    float here = now[i];
    float left = x > 0 ? now[i - 1] : 0.0f, right = x < width - 1 ? now[i + 1] : 0.0f;
    float up = y > 0 ? now[i - width] : 0.0f, down = y < height - 1 ? now[i + width] : 0.0f;
    next[i] = 2.0f * here - before[i] + 0.1f * (left + right + up + down - 4.0f * here);
}
