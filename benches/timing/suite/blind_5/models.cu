// Compiled for compute_70.
// Particles, motion, layers of networks, rays and boxes.

// Forces between atoms after Lennard and Jones: all pairs nearer than a limit, by tiles in shared memory.
extern "C" __global__ void atom_forces(const float4 *atoms, float4 *force, float limit, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = atoms[min(i, n - 1)];
    float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = atoms[min(first + threadIdx.x, n - 1)];
        __syncthreads();
        int many = min(blockDim.x, n - first);
        for (int k = 0; k < many; k++) {
            float dx = mine.x - tile[k].x, dy = mine.y - tile[k].y, dz = mine.z - tile[k].z;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < limit && r2 > 0.01f) {
                float inverse = 1.0f / r2, six = inverse * inverse * inverse * mine.w * tile[k].w;
                float pull = (48.0f * six * six - 24.0f * six) * inverse;
                fx += pull * dx;
                fy += pull * dy;
                fz += pull * dz;
                energy += 4.0f * six * (six - 1.0f);
            }
        }
        __syncthreads();
    }
    if (i < n) force[i] = make_float4(fx, fy, fz, energy);
}

// Particles in cells: the electric field between four points of a grid pushes, a magnetic one turns.
extern "C" __global__ void push_charges(float *x, float *y, float *vx, float *vy, const float2 *field, float turn, float dt,
                                        int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float px = x[i], py = y[i];
    int cx = min((int)px, side - 1), cy = min((int)py, side - 1), right = (cx + 1) % side, up = (cy + 1) % side;
    float a = px - cx, b = py - cy;
    float2 f00 = field[cy * side + cx], f10 = field[cy * side + right];
    float2 f01 = field[up * side + cx], f11 = field[up * side + right];
    float ex = (1 - b) * ((1 - a) * f00.x + a * f10.x) + b * ((1 - a) * f01.x + a * f11.x);
    float ey = (1 - b) * ((1 - a) * f00.y + a * f10.y) + b * ((1 - a) * f01.y + a * f11.y);
    float half = 0.5f * dt, ux = vx[i] + half * ex, uy = vy[i] + half * ey, s = 2.0f * turn / (1.0f + turn * turn);
    float wx = ux + turn * uy, wy = uy - turn * ux;
    ux += s * wy + half * ex;
    uy -= s * wx - half * ey;
    px += dt * ux;
    py += dt * uy;
    x[i] = px - side * floorf(px / side);
    y[i] = py - side * floorf(py / side);
    vx[i] = ux;
    vy[i] = uy;
}

// Density of a liquid of particles, from those in the nine cells around. They are in the order of their cells.
extern "C" __global__ void liquid_density(const float2 *particles, const int *first, float *density, int side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = particles[i];
    int cx = (int)p.x, cy = (int)p.y;
    float sum = 0.0f;
    for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); y++) {
        int end = first[y * side + min(cx + 1, side - 1) + 1];
        for (int j = first[y * side + max(cx - 1, 0)]; j < end; j++) {
            float dx = p.x - particles[j].x, dy = p.y - particles[j].y, near = 1.0f - dx * dx - dy * dy;
            if (near > 0.0f) sum += near * near * near;
        }
    }
    density[i] = 1.2732395f * sum;
}

struct Swing {
    float a, b, va, vb;
};

__device__ Swing slope(Swing s)
{
    float d = s.a - s.b, sine = sinf(d), cosine = cosf(d), under = 2.0f - cosine * cosine;
    float ga = 2.0f * 9.81f * sinf(s.a), gb = 9.81f * sinf(s.b);
    float aa = (gb * cosine - sine * (s.va * s.va * cosine + s.vb * s.vb) - ga) / under;
    float ab = (2.0f * sine * s.va * s.va + s.vb * s.vb * sine * cosine + ga * cosine - 2.0f * gb) / under;
    return {s.va, s.vb, aa, ab};
}

__device__ Swing moved(Swing s, Swing by, float dt)
{
    return {s.a + dt * by.a, s.b + dt * by.b, s.va + dt * by.va, s.vb + dt * by.vb};
}

// Double pendulums from many first angles, by Runge and Kutta's method.
extern "C" __global__ void double_pendulums(const float *first, float2 *last, float dt, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Swing s = {first[i], first[n + i], 0.0f, 0.0f};
    for (int t = 0; t < steps; t++) {
        Swing p = slope(s), q = slope(moved(s, p, 0.5f * dt)), r = slope(moved(s, q, 0.5f * dt)), e = slope(moved(s, r, dt));
        s = moved(moved(moved(moved(s, p, dt / 6.0f), q, dt / 3.0f), r, dt / 3.0f), e, dt / 6.0f);
    }
    last[i] = make_float2(s.a, s.b);
}

// Scores of attention: products of questions and keys by square tiles, nothing of what comes later.
extern "C" __global__ void attention_scores(const float *questions, const float *keys, float *scores, int width, int length)
{
    extern __shared__ float tiles[];
    int side = blockDim.x, tx = threadIdx.x, ty = threadIdx.y, head = blockIdx.z * length * width;
    float *q = tiles, *k = tiles + side * (side + 1), sum = 0.0f;
    int row = blockIdx.y * side + ty, column = blockIdx.x * side + tx, other = blockIdx.x * side + ty;
    for (int d = 0; d < width; d += side) {
        q[ty * (side + 1) + tx] = row < length && d + tx < width ? questions[head + row * width + d + tx] : 0.0f;
        k[ty * (side + 1) + tx] = other < length && d + tx < width ? keys[head + other * width + d + tx] : 0.0f;
        __syncthreads();
        for (int e = 0; e < side; e++) sum += q[ty * (side + 1) + e] * k[tx * (side + 1) + e];
        __syncthreads();
    }
    if (row < length && column < length)
        scores[(blockIdx.z * length + row) * length + column] = column <= row ? 0.125f * sum : -1e4f;
}

// Gradient of a softmax: a warp per row.
extern "C" __global__ void softmax_gradient(const float *y, const float *dy, float *dx, int columns, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *out = y + row * columns, *up = dy + row * columns;
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += 32) sum += out[c] * up[c];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    for (int c = threadIdx.x; c < columns; c += 32) dx[row * columns + c] = out[c] * (up[c] - sum);
}

// Weights of four bits become floats: eight a word, 32 with one scale.
extern "C" __global__ void unpack_weights(const unsigned *packed, const float *scales, float4 *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w = packed[i];
    float s = scales[i / 4], v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) v[k] = s * ((int)(w >> 4 * k & 15) - 8);
    weights[2 * i] = make_float4(v[0], v[1], v[2], v[3]);
    weights[2 * i + 1] = make_float4(v[4], v[5], v[6], v[7]);
}

// Cross entropy of a classifier: a block per row of scores.
extern "C" __global__ void cross_entropy(const float *scores, const unsigned *labels, float *loss, int classes)
{
    __shared__ float part[33];
    const float *row = scores + blockIdx.x * classes;
    int warps = blockDim.x / 32;
    float most = -1e30f, sum = 0.0f;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) most = fmaxf(most, row[c]);
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    for (int w = 0; w < warps; w++) most = fmaxf(most, part[w]);
    __syncthreads();
    for (int c = threadIdx.x; c < classes; c += blockDim.x) sum += expf(row[c] - most);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < warps; w++) sum += part[w];
        loss[blockIdx.x] = logf(sum) + most - row[labels[blockIdx.x]];
    }
}

struct Box {
    float low[3], high[3];
};

// The first box on the way of each ray; a block looks at 64 boxes at a time.
extern "C" __global__ void ray_boxes(const float *origin, const float *direction, const Box *boxes, float *nearest, int *which,
                                     int many, int n)
{
    __shared__ Box tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, ray = min(i, n - 1), hit = -1;
    float o[3], inverse[3], best = 1e30f;
    for (int a = 0; a < 3; a++) {
        o[a] = origin[a * n + ray];
        inverse[a] = 1.0f / direction[a * n + ray];
    }
    for (int first = 0; first < many; first += 64) {
        int here = min(many - first, 64);
        for (int k = threadIdx.x; k < here; k += blockDim.x) tile[k] = boxes[first + k];
        __syncthreads();
        for (int k = 0; k < here; k++) {
            float in = 0.0f, out = best;
            for (int a = 0; a < 3; a++) {
                float s = (tile[k].low[a] - o[a]) * inverse[a], t = (tile[k].high[a] - o[a]) * inverse[a];
                in = fmaxf(in, fminf(s, t));
                out = fminf(out, fmaxf(s, t));
            }
            if (in < out) {
                best = in;
                hit = first + k;
            }
        }
        __syncthreads();
    }
    if (i >= n) return;
    nearest[i] = best;
    which[i] = hit;
}

__constant__ float4 sides[6] = {{0.8f, 0.0f, 0.6f, 0.0f},  {-0.8f, 0.0f, 0.6f, 0.0f}, {0.0f, 0.8f, 0.6f, 0.0f},
                                {0.0f, -0.8f, 0.6f, 0.0f}, {0.0f, 0.0f, 1.0f, -1.0f}, {0.0f, 0.0f, -1.0f, 90.0f}};

// Which spheres does a camera see? Their numbers come one after the other; a warp takes its places at once.
extern "C" __global__ void visible_spheres(const float4 *spheres, int *seen, int *many, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, base = 0;
    bool in = i < n;
    if (in) {
        float4 s = spheres[i];
        for (int k = 0; k < 6; k++) in = in && sides[k].x * s.x + sides[k].y * s.y + sides[k].z * s.z + sides[k].w > -s.w;
    }
    unsigned mask = __ballot_sync(~0u, in);
    if (lane == 0 && mask != 0) base = atomicAdd(many, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (in) seen[base + __popc(mask & ((1u << lane) - 1))] = i;
}
