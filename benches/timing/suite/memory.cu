// Streams, strides, gathers, transposes and stencils, as textbooks and samples write them.

extern "C" __global__ void copy_bytes(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}

extern "C" __global__ void triad(const float *b, const float *c, float *a, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = b[i] + scale * c[i];
    }
}

extern "C" __global__ void rotate_points(const float2 *in, float2 *out, float c, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 p = in[i];
        out[i] = make_float2(c * p.x - s * p.y, s * p.x + c * p.y);
    }
}

extern "C" __global__ void add_float4(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

extern "C" __global__ void copy_int4(const int4 *in, int4 *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i];
    }
}

// A structure of 28 bytes per particle, of which the position and the mass are read.
struct Particle {
    float x, y, z, vx, vy, vz, mass;
};

extern "C" __global__ void particle_energy(const Particle *particles, float *energy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle p = particles[i];
        energy[i] = 0.5f * p.mass * (p.vx * p.vx + p.vy * p.vy + p.vz * p.vz) + 9.81f * p.mass * p.z;
    }
}

extern "C" __global__ void read_strided(const float *in, float *out, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * stride];
    }
}

// A thread per row of `width` numbers.
extern "C" __global__ void row_sums(const float *in, float *sums, int width, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int column = 0; column < width; column++) {
            sum += in[row * width + column];
        }
        sums[row] = sum;
    }
}

extern "C" __global__ void gather(const unsigned *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[index[i]];
    }
}

extern "C" __global__ void scatter(const unsigned *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[index[i]] = in[i];
    }
}

extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[x * height + y] = in[y * width + x];
    }
}

extern "C" __global__ void transpose_shared(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) {
        if (x < width && y + j < height) {
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) {
        if (x < height && y + j < width) {
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}

extern "C" __global__ void transpose_padded(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) {
        if (x < width && y + j < height) {
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
        }
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) {
        if (x < height && y + j < width) {
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
        }
    }
}

#define RADIUS 4

extern "C" __global__ void stencil_1d(const float *in, float *out, int n)
{
    extern __shared__ float line[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int local = threadIdx.x + RADIUS;
    line[local] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < RADIUS) {
        int left = i - RADIUS, right = i + blockDim.x;
        line[local - RADIUS] = left >= 0 ? in[left] : 0.0f;
        line[local + blockDim.x] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        for (int offset = -RADIUS; offset <= RADIUS; offset++) {
            sum += line[local + offset];
        }
        out[i] = sum / (2 * RADIUS + 1);
    }
}

extern "C" __global__ void heat_2d(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        int i = y * width + x;
        out[i] = in[i] + 0.2f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * in[i]);
    }
}

extern "C" __global__ void laplace_3d(const float *in, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = width * width;
    if (x < 1 || y < 1 || x >= width - 1 || y >= width - 1) {
        return;
    }
    int i = y * width + x;
    float below = in[i], here = in[i + plane];
    for (int z = 1; z < width - 1; z++) {
        i += plane;
        float above = in[i + plane];
        out[i] = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] + below + above - 6.0f * here;
        below = here;
        here = above;
    }
}
