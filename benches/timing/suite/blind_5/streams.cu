// Compiled for compute_70.
// Streams, rows, structures and volumes: what moves more than it computes.

// Product of two spectra, number by number, as between the Fourier transforms of a convolution.
extern "C" __global__ void complex_multiply(const float2 *a, const float2 *b, float2 *out, float scale, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 x = a[i], y = b[i];
        out[i] = make_float2(scale * (x.x * y.x - x.y * y.y), scale * (x.x * y.y + x.y * y.x));
    }
}

// Points as x, y, z in turn become three arrays.
extern "C" __global__ void split_points(const float *points, float *x, float *y, float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] = points[3 * i];
    y[i] = points[3 * i + 1];
    z[i] = points[3 * i + 2];
}

// The last word comes first.
extern "C" __global__ void reverse_words(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}

// Input of a language model: a row of the table per token, plus a row for its place. A block per token.
extern "C" __global__ void embed_positions(const unsigned *tokens, const float *table, const float *places, float *out,
                                           int width, int window)
{
    int t = blockIdx.x;
    const float *row = table + tokens[t] * width, *place = places + t % window * width;
    for (int c = threadIdx.x; c < width; c += blockDim.x) out[t * width + c] = row[c] + place[c];
}

// Doubles go to places of a permutation.
extern "C" __global__ void place_doubles(const double *in, const unsigned *place, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[place[i]] = in[i];
}

// Turns a picture of bytes about its diagonal, by squares of 32 x 32.
extern "C" __global__ void transpose_bytes(const unsigned char *in, unsigned char *out, int side)
{
    __shared__ unsigned char tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += blockDim.y)
        if (x < side && y + r < side) tile[r][threadIdx.x] = in[(y + r) * side + x];
    __syncthreads();
    int to = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += blockDim.y)
        if (to < side && row + r < side) out[(row + r) * side + to] = tile[threadIdx.x][r];
}

// Standard deviation of every column of a table: a thread each goes down it twice.
extern "C" __global__ void column_deviation(const float *table, float *deviation, int rows, int columns)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    float sum = 0.0f, squares = 0.0f;
    for (int r = 0; r < rows; r++) sum += table[r * columns + c];
    float mean = sum / rows;
    for (int r = 0; r < rows; r++) {
        float d = table[r * columns + c] - mean;
        squares += d * d;
    }
    deviation[c] = sqrtf(squares / (rows - 1));
}

struct Particle {
    float4 place, speed;
};

// Brings particles into the order of their cells; each has 32 bytes.
extern "C" __global__ void reorder_particles(const Particle *in, const unsigned *order, Particle *out, float *energy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = in[order[i]];
    out[i] = p;
    energy[i] = 0.5f * p.place.w * (p.speed.x * p.speed.x + p.speed.y * p.speed.y + p.speed.z * p.speed.z);
}

// Shifts a volume along its three axes; what leaves at one side comes in at the other.
extern "C" __global__ void roll_volume(const float *in, float *out, int dx, int dy, int dz, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= side || y >= side || z >= side) return;
    int tx = (x + dx) % side, ty = (y + dy) % side, tz = (z + dz) % side;
    out[(tz * side + ty) * side + tx] = in[(z * side + y) * side + x];
}

// A step of gradient descent with momentum; four weights a thread.
extern "C" __global__ void momentum_step(float4 *weight, float4 *speed, const float4 *gradient, float rate, float keep, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 w = weight[i], v = speed[i], g = gradient[i];
    v.x = keep * v.x + g.x;
    v.y = keep * v.y + g.y;
    v.z = keep * v.z + g.z;
    v.w = keep * v.w + g.w;
    speed[i] = v;
    weight[i] = make_float4(w.x - rate * v.x, w.y - rate * v.y, w.z - rate * v.z, w.w - rate * v.w);
}
