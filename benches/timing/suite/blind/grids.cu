// Cells of planes and volumes: automata, waves, fluids, relaxation, lines of unknowns.

// Conway's rules on a torus of bytes.
extern "C" __global__ void game_of_life(const unsigned char *now, unsigned char *next, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int left = (x + width - 1) % width, right = (x + 1) % width;
    int up = (y + height - 1) % height, down = (y + 1) % height;
    int alive = now[up * width + left] + now[up * width + x] + now[up * width + right]
              + now[y * width + left] + now[y * width + right]
              + now[down * width + left] + now[down * width + x] + now[down * width + right];
    next[y * width + x] = (alive == 3 || (alive == 2 && now[y * width + x])) ? 1 : 0;
}

#define TILE 16

// Jacobi with a halo in shared memory, four relaxations of the tile's inside per launch.
extern "C" __global__ void jacobi_halo(const float *__restrict__ u, float *__restrict__ v, int n)
{
    __shared__ float s[TILE + 2][TILE + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    const int cx = min(x, n - 1), cy = min(y, n - 1);
    s[ty][tx] = u[cy * n + cx];
    if (threadIdx.x == 0) s[ty][0] = u[cy * n + max(cx - 1, 0)];
    if (threadIdx.x == TILE - 1) s[ty][TILE + 1] = u[cy * n + min(cx + 1, n - 1)];
    if (threadIdx.y == 0) s[0][tx] = u[max(cy - 1, 0) * n + cx];
    if (threadIdx.y == TILE - 1) s[TILE + 1][tx] = u[min(cy + 1, n - 1) * n + cx];
    __syncthreads();
    float value = s[ty][tx];
    for (int step = 0; step < 4; step++) {
        value = 0.25f * (s[ty - 1][tx] + s[ty + 1][tx] + s[ty][tx - 1] + s[ty][tx + 1]);
        __syncthreads();
        s[ty][tx] = value;
        __syncthreads();
    }
    if (x < n && y < n) v[y * n + x] = value;
}

// One time step of the wave equation, a thread per cell of a volume.
extern "C" __global__ void wave_volume(const float *before, const float *now, float *after, float c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    int i = (z * n + y) * n + x;
    float around = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] + now[i - n * n] + now[i + n * n];
    after[i] = 2.0f * now[i] - before[i] + c * (around - 6.0f * now[i]);
}

__constant__ float seismic[5] = {-2.847222f, 1.6f, -0.2f, 0.025396825f, -0.0017857143f};

// Eighth order in space: columns kept in registers along z, planes read from memory.
extern "C" __global__ void seismic_columns(const float *__restrict__ p, float *__restrict__ q, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 4 || y < 4 || x >= nx - 4 || y >= ny - 4) return;
    const size_t plane = (size_t)nx * ny;
    size_t at = (size_t)y * nx + x;
    float column[9];
#pragma unroll
    for (int k = 0; k < 8; k++) column[k + 1] = p[at + k * plane];
    for (int z = 4; z < nz - 4; z++) {
#pragma unroll
        for (int k = 0; k < 8; k++) column[k] = column[k + 1];
        column[8] = p[at + 8 * plane];
        const float *here = p + at + 4 * plane;
        float sum = 3.0f * seismic[0] * column[4];
#pragma unroll
        for (int k = 1; k <= 4; k++)
            sum += seismic[k] * (column[4 - k] + column[4 + k] + here[-k] + here[k]
                                 + here[-(ptrdiff_t)k * nx] + here[k * nx]);
        q[at + 4 * plane] = sum;
        at += plane;
    }
}

// Lattice Boltzmann, nine directions: pull, then relax. Directions are separate planes.
extern "C" __global__ void lattice_boltzmann(const float *from, float *to, float omega, int width, int height)
{
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    const int dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float w[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    int cells = width * height;
    float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int d = 0; d < 9; d++) {
        int sx = (x - dx[d] + width) % width, sy = (y - dy[d] + height) % height;
        f[d] = from[d * cells + sy * width + sx];
        rho += f[d];
        ux += dx[d] * f[d];
        uy += dy[d] * f[d];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int d = 0; d < 9; d++) {
        float along = 3.0f * (dx[d] * ux + dy[d] * uy);
        float rest = w[d] * rho * (1.0f + along + 0.5f * along * along - square);
        to[d * cells + y * width + x] = f[d] + omega * (rest - f[d]);
    }
}

// Semi-Lagrangian advection: trace back along the velocity and interpolate.
extern "C" __global__ void advect(const float2 *velocity, const float *ink, float *out, float dt, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float2 v = velocity[y * n + x];
    float px = fminf(fmaxf(x - dt * v.x, 0.0f), n - 1.001f);
    float py = fminf(fmaxf(y - dt * v.y, 0.0f), n - 1.001f);
    int ix = (int)px, iy = (int)py;
    float fx = px - ix, fy = py - iy;
    const float *cell = ink + iy * n + ix;
    float top = cell[0] * (1 - fx) + cell[1] * fx;
    float bottom = cell[n] * (1 - fx) + cell[n + 1] * fx;
    out[y * n + x] = top * (1 - fy) + bottom * fy;
}

// The red half of a Gauss-Seidel sweep in place, in double precision.
extern "C" __global__ void red_black(double *u, const double *f, double h2, int n)
{
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1 && j < n - 1 && (i + j) % 2 == 0) {
        int k = j * n + i;
        u[k] = 0.25 * (u[k - 1] + u[k + 1] + u[k - n] + u[k + n] - h2 * f[k]);
    }
}

// A thread per tridiagonal system, systems side by side in memory.
extern "C" __global__ void thomas(const float *lower, const float *diagonal, const float *upper,
                                  const float *right, float *c, float *x, int length, int systems)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float before = upper[s] / diagonal[s];
    float value = right[s] / diagonal[s];
    c[s] = before;
    x[s] = value;
    for (int i = 1; i < length; i++) {
        int at = i * systems + s;
        float scale = 1.0f / (diagonal[at] - lower[at] * before);
        before = upper[at] * scale;
        value = (right[at] - lower[at] * value) * scale;
        c[at] = before;
        x[at] = value;
    }
    for (int i = length - 2; i >= 0; i--) {
        value = x[i * systems + s] - c[i * systems + s] * value;
        x[i * systems + s] = value;
    }
}

// Parallel cyclic reduction: a block per system of as many unknowns as threads.
extern "C" __global__ void cyclic_reduction(const double *lower, const double *diagonal, const double *upper,
                                            const double *right, double *x)
{
    extern __shared__ double rows[];
    int n = blockDim.x, i = threadIdx.x;
    double *a = rows, *b = a + n, *c = b + n, *d = c + n;
    size_t at = (size_t)blockIdx.x * n + i;
    a[i] = i == 0 ? 0.0 : lower[at];
    b[i] = diagonal[at];
    c[i] = i == n - 1 ? 0.0 : upper[at];
    d[i] = right[at];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        int low = max(i - step, 0), high = min(i + step, n - 1);
        double k1 = a[i] / b[low], k2 = c[i] / b[high];
        if (i - step < 0) k1 = 0;
        if (i + step >= n) k2 = 0;
        double na = -a[low] * k1, nc = -c[high] * k2;
        double nb = b[i] - c[low] * k1 - a[high] * k2, nd = d[i] - d[low] * k1 - d[high] * k2;
        __syncthreads();
        a[i] = na; b[i] = nb; c[i] = nc; d[i] = nd;
        __syncthreads();
    }
    x[at] = d[i] / b[i];
}

// The largest byte within seven to either side, in rows.
extern "C" __global__ void dilate_rows(const unsigned char *in, unsigned char *out, int width, int height)
{
    extern __shared__ unsigned char line[];
    int y = blockIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < blockDim.x + 14; k += blockDim.x) {
        int from = (int)(blockIdx.x * blockDim.x) + k - 7;
        line[k] = from >= 0 && from < width ? in[y * width + from] : 0;
    }
    __syncthreads();
    if (x < width) {
        unsigned char most = 0;
        for (int k = 0; k < 15; k++) most = max(most, line[threadIdx.x + k]);
        out[y * width + x] = most;
    }
}

__device__ float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }

__device__ float slope(int hash, float x, float y)
{
    switch (hash & 7) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return -x + y;
    case 3: return -x - y;
    case 4: return x;
    case 5: return -x;
    case 6: return y;
    default: return -y;
    }
}

// Perlin's noise, four octaves; the permutation is read from memory.
extern "C" __global__ void perlin(const unsigned char *__restrict__ table, float *out, float scale, int n)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= n || py >= n) return;
    float sum = 0, strength = 1;
    for (int octave = 0; octave < 4; octave++) {
        float x = px * scale, y = py * scale;
        int ix = (int)floorf(x), iy = (int)floorf(y);
        x -= ix;
        y -= iy;
        float u = fade(x), v = fade(y);
        int a = table[ix & 255] + iy, b = table[(ix + 1) & 255] + iy;
        float n00 = slope(table[a & 255], x, y), n10 = slope(table[b & 255], x - 1, y);
        float n01 = slope(table[(a + 1) & 255], x, y - 1), n11 = slope(table[(b + 1) & 255], x - 1, y - 1);
        float low = n00 + u * (n10 - n00), high = n01 + u * (n11 - n01);
        sum += strength * (low + v * (high - low));
        strength *= 0.5f;
        scale *= 2;
    }
    out[py * n + px] = sum;
}

// Charges of particles to the four corners of their cells.
struct Charge {
    float x, y, vx, vy;
};

extern "C" __global__ void deposit_charges(const Charge *charges, float *grid, int width, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        Charge q = charges[i];
        int ix = q.x, iy = q.y;
        float fx = q.x - ix, fy = q.y - iy;
        atomicAdd(&grid[iy * width + ix], (1 - fx) * (1 - fy));
        atomicAdd(&grid[iy * width + ix + 1], fx * (1 - fy));
        atomicAdd(&grid[(iy + 1) * width + ix], (1 - fx) * fy);
        atomicAdd(&grid[(iy + 1) * width + ix + 1], fx * fy);
    }
}
