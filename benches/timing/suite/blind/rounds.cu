// Arithmetic in loops: fractals, rays, hashes, primes, random numbers, transforms.

typedef unsigned long long u64;

// Placements of queens below two given rows, with a stack of bits in local memory.
extern "C" __global__ void queens(int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n * n) return;
    int full = (1 << n) - 1, solutions = 0;
    int columns = 0, left = 0, right = 0;
    for (int row = 0, rest = i; row < 3; row++, rest /= n) {
        int bit = 1 << rest % n;
        if ((columns | left | right) & bit) {
            counts[i] = 0;
            return;
        }
        columns |= bit;
        left = (left | bit) << 1;
        right = (right | bit) >> 1;
    }
    int free[16], cols[16], ls[16], rs[16], depth = 0;
    free[0] = full & ~(columns | left | right);
    cols[0] = columns;
    ls[0] = left;
    rs[0] = right;
    while (depth >= 0) {
        int bits = free[depth];
        if (bits == 0) {
            depth--;
            continue;
        }
        int bit = bits & -bits;
        free[depth] = bits ^ bit;
        int c = cols[depth] | bit;
        if (c == full) {
            solutions++;
            continue;
        }
        int l = (ls[depth] | bit) << 1, r = (rs[depth] | bit) >> 1;
        depth++;
        cols[depth] = c;
        ls[depth] = l;
        rs[depth] = r;
        free[depth] = full & ~(c | l | r);
    }
    counts[i] = solutions;
}

struct Sphere {
    float x, y, z, radius, red, green, blue, mirror;
};

// Rays through a scene of spheres, reflected up to three times.
extern "C" __global__ void ray_spheres(const Sphere *spheres, int many, float *image, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float ox = 0, oy = 0, oz = -5, dx = (px - 0.5f * width) / width, dy = (py - 0.5f * height) / width, dz = 1;
    float scale = rsqrtf(dx * dx + dy * dy + dz * dz), light = 0, weight = 1;
    dx *= scale; dy *= scale; dz *= scale;
    for (int bounce = 0; bounce < 4; bounce++) {
        int hit = -1;
        float nearest = 1e20f;
        for (int s = 0; s < many; s++) {
            float cx = spheres[s].x - ox, cy = spheres[s].y - oy, cz = spheres[s].z - oz;
            float along = cx * dx + cy * dy + cz * dz;
            float miss = cx * cx + cy * cy + cz * cz - along * along;
            float r2 = spheres[s].radius * spheres[s].radius;
            if (along > 0 && miss < r2) {
                float t = along - sqrtf(r2 - miss);
                if (t > 1e-3f && t < nearest) {
                    nearest = t;
                    hit = s;
                }
            }
        }
        if (hit < 0) {
            light += weight * (0.5f + 0.5f * dy);
            break;
        }
        ox += nearest * dx; oy += nearest * dy; oz += nearest * dz;
        float nx = (ox - spheres[hit].x) / spheres[hit].radius, ny = (oy - spheres[hit].y) / spheres[hit].radius,
              nz = (oz - spheres[hit].z) / spheres[hit].radius;
        light += weight * fmaxf(0.0f, 0.6f * nx + 0.64f * ny - 0.48f * nz) * spheres[hit].red;
        weight *= spheres[hit].mirror;
        float d = 2 * (dx * nx + dy * ny + dz * nz);
        dx -= d * nx; dy -= d * ny; dz -= d * nz;
    }
    image[py * width + px] = light;
}

// A Julia set in double precision, with smooth colours.
extern "C" __global__ void julia_doubles(float *image, int n, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    double re = 3.0 * x / n - 1.5, im = 3.0 * y / n - 1.5;
    int k = 0;
    while (k < most && re * re + im * im < 4.0) {
        double next = re * re - im * im - 0.8;
        im = 2.0 * re * im + 0.156;
        re = next;
        k++;
    }
    image[y * n + x] = k == most ? 0.0f : k + 1.0f - log2f(0.5f * __logf((float)(re * re + im * im)));
}

__device__ __forceinline__ unsigned turn(unsigned x, int by) { return x << by | x >> (32 - by); }

// 48 rounds of a hash of four words, counts of leading zeros.
extern "C" __global__ void mine_hashes(unsigned *best, unsigned salt, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll 8
    for (int r = 0; r < 48; r++) {
        unsigned f = r < 16 ? (b & c) | (~b & d) : r < 32 ? (d & b) | (~d & c) : b ^ c ^ d;
        unsigned word = (r & 3) == 0 ? i : (r & 3) == 1 ? salt : 0x5a827999u * r;
        unsigned next = b + turn(a + f + word, 3 + (r & 3) * 5);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    int zeros = __clz(b ^ d);
    if (zeros >= 12) atomicMax(best, (unsigned)zeros << 27 | (i & 0x07ffffff));
}

__device__ u64 power(u64 base, u64 exponent, u64 modulus)
{
    u64 result = 1;
    base %= modulus;
    while (exponent) {
        if (exponent & 1) result = result * base % modulus;
        base = base * base % modulus;
        exponent >>= 1;
    }
    return result;
}

// Miller and Rabin's test of odd numbers below 2^32 to three bases.
extern "C" __global__ void miller_rabin(unsigned char *prime, u64 from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 p = from + 2 * i, odd = p - 1;
    int twos = __ffsll(odd) - 1;
    odd >>= twos;
    unsigned char is = 1;
    for (int b = 0; b < 3 && is; b++) {
        u64 x = power(b == 0 ? 2 : b == 1 ? 7 : 61, odd, p);
        if (x == 1 || x == p - 1) continue;
        is = 0;
        for (int k = 1; k < twos; k++) {
            x = x * x % p;
            if (x == p - 1) {
                is = 1;
                break;
            }
        }
    }
    prime[i] = is;
}

// Random walks on a sphere's surface, in place, with a generator of five words.
extern "C" __global__ void random_walks(const unsigned *seeds, float *distance, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = seeds[i] | 1, y = 362436069, z = 521288629, w = 88675123, v = 5783321, d = 6615241;
    float px = 0, py = 0;
    for (int s = 0; s < steps; s++) {
        unsigned t = x ^ x >> 2;
        x = y; y = z; z = w; w = v;
        v = v ^ v << 4 ^ t ^ t << 1;
        d += 362437;
        float angle = (v + d) * 1.4629181e-9f, si, co;
        __sincosf(angle, &si, &co);
        px += co;
        py += si;
    }
    distance[i] = sqrtf(px * px + py * py);
}

// One pass of a radix-2 Stockham transform over a long line.
extern "C" __global__ void fft_pass(const float2 *in, float2 *out, int length, int span)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length / 2) return;
    int k = i & (span - 1);
    float2 a = in[i], b = in[i + length / 2];
    float s, c;
    sincosf(-3.14159265f * k / span, &s, &c);
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    int to = ((i - k) << 1) + k;
    out[to] = make_float2(a.x + t.x, a.y + t.y);
    out[to + span] = make_float2(a.x - t.x, a.y - t.y);
}

__constant__ float cosines[64] = {
    0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f,
    0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f,
    0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f, 0.46193977f,
    0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f, -0.41573481f,
    0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f,
    0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f, -0.27778512f,
    0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f, 0.19134172f,
    0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f, -0.09754516f};

// Cosine transforms of 8 x 8 pixels, a block of 64 threads each.
extern "C" __global__ void dct_tiles(const unsigned char *image, short *out, int width)
{
    __shared__ float tile[8][8], half[8][8];
    int u = threadIdx.x, v = threadIdx.y;
    int at = (blockIdx.y * 8 + v) * width + blockIdx.x * 8 + u;
    tile[v][u] = image[at] - 128.0f;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += tile[v][k] * cosines[u * 8 + k];
    half[v][u] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; k++) sum += half[k][u] * cosines[v * 8 + k];
    out[at] = (short)__float2int_rn(sum);
}

// Haar wavelets of rows of 1024 in shared memory, all ten levels.
extern "C" __global__ void haar_rows(const float *in, float *out)
{
    __shared__ float now[1024], next[1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += blockDim.x) now[i] = in[blockIdx.x * 1024 + i];
    for (int length = 512; length > 0; length /= 2) {
        __syncthreads();
        for (int i = t; i < length; i += blockDim.x) {
            float a = now[2 * i], b = now[2 * i + 1];
            next[i] = 0.70710678f * (a + b);
            next[length + i] = 0.70710678f * (a - b);
        }
        __syncthreads();
        for (int i = t; i < 2 * length; i += blockDim.x) now[i] = next[i];
    }
    __syncthreads();
    for (int i = t; i < 1024; i += blockDim.x) out[blockIdx.x * 1024 + i] = now[i];
}

// Shared bits of all pairs of fingerprints of 1024 bits, by their union.
extern "C" __global__ void tanimoto(const u64 *left, const u64 *right, float *out, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int both = 0, any = 0;
    for (int k = 0; k < 16; k++) {
        u64 a = left[i * 16 + k], b = right[j * 16 + k];
        both += __popcll(a & b);
        any += __popcll(a | b);
    }
    out[i * n + j] = any ? (float)both / any : 0.0f;
}

// Sums with Kahan's correction in double precision, one per thread with a stride.
extern "C" __global__ void kahan_sums(const double *x, double *sums, int n)
{
    double sum = 0, lost = 0;
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
        double y = x[i] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Springs of a cloth: positions and speeds after one step, neighbours up to two away.
extern "C" __global__ void cloth_step(const float4 *position, const float4 *speed, float4 *moved, float4 *faster, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float4 p = position[y * n + x], v = speed[y * n + x];
    float fx = 0, fy = -0.01f, fz = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int reach = dx * dx + dy * dy, qx = x + dx, qy = y + dy;
            if (reach == 0 || reach > 4 || qx < 0 || qy < 0 || qx >= n || qy >= n) continue;
            float4 q = position[qy * n + qx];
            float ax = q.x - p.x, ay = q.y - p.y, az = q.z - p.z;
            float distance = sqrtf(ax * ax + ay * ay + az * az) + 1e-6f;
            float pull = 0.3f * (distance - sqrtf((float)reach)) / distance;
            fx += pull * ax;
            fy += pull * ay;
            fz += pull * az;
        }
    v = make_float4(0.99f * v.x + fx, 0.99f * v.y + fy, 0.99f * v.z + fz, 0);
    faster[y * n + x] = v;
    moved[y * n + x] = make_float4(p.x + v.x, p.y + v.y, p.z + v.z, p.w);
}
