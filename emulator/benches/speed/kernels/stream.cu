// Memory kernels: streams, strides, gathers, transposes, stencils, images, text.
// Every kernel of the suite takes n words `in`, n words `out` and n, a power of
// two; the words of `in` are floats from 1 to 1.5 with random low bits.
#define KERNEL(NAME) extern "C" __global__ void NAME(const unsigned *__restrict__ in, unsigned *out, unsigned n)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define FLOATS ((const float *)in)
#define FLOATS_OUT ((float *)out)

KERNEL(copy) { unsigned i = INDEX; if (i < n) out[i] = in[i]; }

KERNEL(axpy_stride) {
    for (unsigned i = INDEX; i < n; i += gridDim.x * blockDim.x) FLOATS_OUT[i] = 2.5f * FLOATS[i] + FLOATS_OUT[i];
}

KERNEL(copy_wide) {
    for (unsigned i = INDEX; i < n / 4; i += gridDim.x * blockDim.x) ((uint4 *)out)[i] = ((const uint4 *)in)[i];
}

KERNEL(copy_doubles) {
    for (unsigned i = INDEX; i < n / 2; i += gridDim.x * blockDim.x)
        ((double *)out)[i] = ((const double *)in)[i] * 2.0;
}

KERNEL(copy_bytes) {
    unsigned char *to = (unsigned char *)out;
    for (unsigned i = INDEX; i < 4 * n; i += gridDim.x * blockDim.x) to[i] = ((const unsigned char *)in)[i] ^ 0x20;
}

KERNEL(stride_eight) { unsigned i = INDEX; if (i < n) out[i] = in[i * 8 & (n - 1)]; }

KERNEL(gather) { unsigned i = INDEX; if (i < n) out[i] = in[in[i] & (n - 1)]; }

KERNEL(scatter) { unsigned i = INDEX; if (i < n) out[in[i] & (n - 1)] = i; }

KERNEL(transpose_plain) { unsigned i = INDEX; if (i < n) out[(i & 255) * (n / 256) + i / 256] = in[i]; }

KERNEL(transpose_tiled) {
    __shared__ unsigned tile[32][33];
    unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32, across = n / 256 / 32;
    unsigned x = blockIdx.x % 8 * 32, y = blockIdx.x / 8 * 32;
    if (blockIdx.x >= 8 * across) return;
    for (unsigned row = first; row < 32; row += blockDim.x / 32) tile[row][lane] = in[(y + row) * 256 + x + lane];
    __syncthreads();
    for (unsigned row = first; row < 32; row += blockDim.x / 32) out[(x + row) * (n / 256) + y + lane] = tile[lane][row];
}

KERNEL(stencil_line) {
    __shared__ float tile[256 + 8];
    unsigned i = INDEX, t = threadIdx.x;
    tile[t + 4] = FLOATS[i & (n - 1)];
    if (t < 4) { tile[t] = FLOATS[(i - 4) & (n - 1)]; tile[t + 260] = FLOATS[(i + 256) & (n - 1)]; }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += tile[t + k] * (0.1f + k);
    if (i < n) FLOATS_OUT[i] = sum;
}

KERNEL(stencil_plane) {
    unsigned i = INDEX, width = 256, x = i % width, y = i / width;
    if (i >= n || x == 0 || y == 0 || x == width - 1 || y == n / width - 1) return;
    FLOATS_OUT[i] = 0.2f * (FLOATS[i] + FLOATS[i - 1] + FLOATS[i + 1] + FLOATS[i - width] + FLOATS[i + width]);
}

KERNEL(image_blur) {
    const unsigned char *from = (const unsigned char *)in;
    int i = INDEX, width = 512, x = i % width, y = i / width, height = 4 * n / width;
    if (i >= 4 * n) return;
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            sum += from[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
    ((unsigned char *)out)[i] = sum / 9;
}

KERNEL(image_gray) {
    unsigned i = INDEX;
    if (i >= n) return;
    uchar4 p = ((const uchar4 *)in)[i];
    float gray = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
    out[i] = min((unsigned)gray, 255u);
}

KERNEL(string_search) {
    const unsigned char *text = (const unsigned char *)in;
    unsigned found = 0;
    for (unsigned i = INDEX; i + 4 < 4 * n; i += gridDim.x * blockDim.x) {
        unsigned k = 0;
        while (k < 4 && text[i + k] == (k == 3 ? 63 : text[k])) ++k;
        found += k == 4;
    }
    if (found) atomicAdd(out, found);
}

KERNEL(sparse_rows) {
    unsigned row = INDEX;
    if (row >= n / 16) return;
    float sum = 0;
    unsigned first = row * 16, last = first + (in[row] & 15);
    for (unsigned k = first; k < last; ++k) sum += FLOATS[k] * FLOATS[in[k] & (n - 1)];
    FLOATS_OUT[row] = sum;
}

KERNEL(binary_search) {
    unsigned i = INDEX, low = 0, high = n;
    if (i >= n) return;
    unsigned wanted = in[i] & (n - 1);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (in[middle] % n / 2 + middle / 2 < wanted) low = middle + 1; else high = middle;
    }
    out[i] = low;
}

KERNEL(graph_step) {
    unsigned vertex = INDEX;
    if (vertex >= n / 8 || (in[vertex] & 1)) return;
    for (unsigned k = 0; k < 8; ++k) {
        unsigned to = in[vertex * 8 + k] & (n - 1);
        if (out[to] == 0) out[to] = vertex + 1;
    }
}
