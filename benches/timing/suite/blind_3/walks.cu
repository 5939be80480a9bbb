// Compiled for compute_70.
// Terrain, volumes, genes, integrals and tracks.

// Which cells of a terrain does an eye see?
extern "C" __global__ void sight_lines(const short *height, unsigned char *seen, int side, int ex, int ey)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int dx = x - ex, dy = y - ey, steps = max(abs(dx), abs(dy));
    int eye = height[ey * side + ex] + 200;
    float slope = (float)(height[y * side + x] - eye) / steps;
    bool hidden = false;
    for (int k = 1; k < steps && !hidden; k++) {
        int px = ex + dx * k / steps, py = ey + dy * k / steps;
        hidden = (float)(height[py * side + px] - eye) / k > slope;
    }
    seen[y * side + x] = !hidden;
}

// Classifies the cells of a volume for marching cubes and counts the edges that it crosses.
extern "C" __global__ void cube_cases(const float *volume, const unsigned char *edges, unsigned char *cases,
                                      int *total, float level, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int count = 0;
    if (x < side - 1 && y < side - 1 && z < side - 1) {
        int which = 0;
        for (int k = 0; k < 8; k++) {
            int at = ((z + (k >> 2)) * side + y + (k >> 1 & 1)) * side + x + (k & 1);
            which |= (volume[at] > level) << k;
        }
        cases[(z * side + y) * side + x] = which;
        count = edges[which];
    }
    for (int d = 16; d > 0; d /= 2) count += __shfl_xor_sync(~0u, count, d);
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (thread % 32 == 0 && count > 0) atomicAdd(total, count);
}

__constant__ char amino[65] = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG";

__device__ int base_number(char base)
{
    switch (base) {
    case 'T': return 0;
    case 'C': return 1;
    case 'A': return 2;
    default: return 3;
    }
}

// Translates codons into amino acids by the standard code.
extern "C" __global__ void codons(const char *bases, char *protein, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        protein[i] = amino[16 * base_number(bases[3 * i]) + 4 * base_number(bases[3 * i + 1]) + base_number(bases[3 * i + 2])];
}

// Walks rays through a volume of 128^3 bits, voxel by voxel (Amanatides, Woo).
extern "C" __global__ void voxel_walk(const unsigned *solid, int *steps, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float dx = (2 * px + 1) / (float)width - 1.0f, dy = (2 * py + 1) / (float)height - 1.0f, dz = 0.8f;
    int x = 64, y = 64, z = 0, sx = dx < 0 ? -1 : 1, sy = dy < 0 ? -1 : 1, count = 0;
    float gx = fabsf(1.0f / dx), gy = fabsf(1.0f / dy), gz = 1.0f / dz;
    float tx = gx * 0.5f, ty = gy * 0.5f, tz = gz * 0.5f;
    while (x >= 0 && x < 128 && y >= 0 && y < 128 && z < 128) {
        int bit = (z * 128 + y) * 128 + x;
        if (solid[bit >> 5] >> (bit & 31) & 1) break;
        if (tx < ty && tx < tz) {
            x += sx;
            tx += gx;
        } else if (ty < tz) {
            y += sy;
            ty += gy;
        } else {
            z++;
            tz += gz;
        }
        count++;
    }
    steps[py * width + px] = count;
}

// Integrates a bell over the unit cube of eight dimensions with points of a digital net.
extern "C" __global__ void net_integral(const unsigned *directions, float *sum, int each, int n)
{
    __shared__ unsigned d[256];
    __shared__ float part[32];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) d[k] = directions[k];
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    float total = 0.0f;
    unsigned x[8] = {0};
    for (unsigned g = first ^ first >> 1, b = 0; g; g >>= 1, b++)
        if (g & 1)
            for (int k = 0; k < 8; k++) x[k] ^= d[k * 32 + b];
    for (int i = first; i < first + each && i < n; i++) {
        float away = 0.0f;
        int bit = __ffs(i + 1) - 1;
        for (int k = 0; k < 8; k++) {
            float u = (x[k] >> 8) * 5.9604645e-8f - 0.5f;
            away += u * u;
            x[k] ^= d[k * 32 + bit];
        }
        total += __expf(-4.0f * away);
    }
    for (int s = 16; s > 0; s /= 2) total += __shfl_down_sync(~0u, total, s);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) total += part[w];
        atomicAdd(sum, total / n);
    }
}

// Kalman's filter of a point with speed and acceleration in a plane: a track per thread.
extern "C" __global__ void kalman_tracks(const float2 *seen, const float *noise, float2 *place, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float dt = 0.1f;
    float s[6] = {0}, p[6][6] = {{0}}, r = 0.1f + noise[i];
    for (int k = 0; k < 6; k++) p[k][k] = 10.0f;
    for (int t = 0; t < steps; t++) {
#pragma unroll
        for (int a = 0; a < 4; a++) s[a] += dt * s[a + 2];
#pragma unroll
        for (int a = 0; a < 4; a++)
#pragma unroll
            for (int b = 0; b < 6; b++) p[a][b] += dt * p[a + 2][b];
#pragma unroll
        for (int a = 0; a < 6; a++)
#pragma unroll
            for (int b = 0; b < 4; b++) p[a][b] += dt * p[a][b + 2];
        p[4][4] += 0.01f;
        p[5][5] += 0.01f;
        float2 z = seen[t * n + i];
#pragma unroll
        for (int m = 0; m < 2; m++) {
            float miss = (m ? z.y : z.x) - s[m], over = 1.0f / (p[m][m] + r), gain[6], row[6];
#pragma unroll
            for (int a = 0; a < 6; a++) {
                gain[a] = p[a][m] * over;
                row[a] = p[m][a];
            }
#pragma unroll
            for (int a = 0; a < 6; a++) {
                s[a] += gain[a] * miss;
#pragma unroll
                for (int b = 0; b < 6; b++) p[a][b] -= gain[a] * row[b];
            }
        }
    }
    place[i] = make_float2(s[0], s[1]);
}
