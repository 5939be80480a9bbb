// Compiled for compute_70.
// Maps, molecules, rays, series, hidden states, orbits.

// Great-circle distance from each place to its nearest city, in kilometres.
extern "C" __global__ void nearest_city(const float2 *places, const float2 *cities, float *km, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float lat = places[i].x, lon = places[i].y, best = 1e30f;
    for (int c = 0; c < count; c++) {
        float a = sinf((cities[c].x - lat) * 0.5f), b = sinf((cities[c].y - lon) * 0.5f);
        float h = a * a + cosf(lat) * cosf(cities[c].x) * b * b;
        float d = 2.0f * 6371.0f * asinf(sqrtf(fminf(h, 1.0f)));
        if (d < best) best = d;
    }
    km[i] = best;
}

// Lennard-Jones forces over a neighbour list that is stored column by column.
extern "C" __global__ void verlet_forces(const float4 *__restrict__ atoms, const int *__restrict__ list,
                                         const int *__restrict__ many, float4 *force, float cut2, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 me = atoms[i];
    float fx = 0, fy = 0, fz = 0, e = 0;
    for (int k = 0; k < many[i]; k++) {
        float4 you = __ldg(&atoms[list[k * n + i]]);
        float dx = me.x - you.x, dy = me.y - you.y, dz = me.z - you.z;
        float r2 = fmaxf(dx * dx + dy * dy + dz * dz, 0.7f);
        if (r2 > cut2) continue;
        float s2 = 1.0f / r2, s6 = s2 * s2 * s2;
        float f = 24.0f * s2 * s6 * (2.0f * s6 - 1.0f);
        fx += f * dx; fy += f * dy; fz += f * dz;
        e += 4.0f * s6 * (s6 - 1.0f);
    }
    force[i] = make_float4(fx, fy, fz, e);
}

// Even-odd rule: is a point inside a polygon?
extern "C" __global__ void inside_polygon(const float2 *corners, int many, const float2 *points,
                                          unsigned char *inside, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float2 p = points[i];
        bool in = false;
        for (int a = 0, b = many - 1; a < many; b = a++) {
            float2 u = corners[a], v = corners[b];
            if ((u.y > p.y) != (v.y > p.y))
                if (p.x < (v.x - u.x) * (p.y - u.y) / (v.y - u.y) + u.x) in = !in;
        }
        inside[i] = in;
    }
}

struct Box {
    float lo[3], hi[3];
};

__device__ float enters(const Box &box, float3 o, float3 inv)
{
    float x0 = (box.lo[0] - o.x) * inv.x, x1 = (box.hi[0] - o.x) * inv.x;
    float y0 = (box.lo[1] - o.y) * inv.y, y1 = (box.hi[1] - o.y) * inv.y;
    float z0 = (box.lo[2] - o.z) * inv.z, z1 = (box.hi[2] - o.z) * inv.z;
    float in = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
    float out = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
    return in <= out ? in : 1e30f;
}

// Nearest hit of each ray with triangles (Moller, Trumbore) below a complete tree of boxes.
extern "C" __global__ void bvh_hits(const Box *boxes, const float3 *corners, const float3 *rays, float *hit,
                                    int inner, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 o = rays[2 * i], d = rays[2 * i + 1];
    float3 inv = make_float3(1.0f / d.x, 1.0f / d.y, 1.0f / d.z);
    int stack[24], top = 0;
    float best = 1e30f;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        if (enters(boxes[node], o, inv) >= best) continue;
        if (node < inner) {
            float l = enters(boxes[2 * node + 1], o, inv), r = enters(boxes[2 * node + 2], o, inv);
            bool swap = r < l;
            if (fmaxf(l, r) < best) stack[top++] = 2 * node + (swap ? 1 : 2);
            if (fminf(l, r) < best) stack[top++] = 2 * node + (swap ? 2 : 1);
            continue;
        }
        const float3 *t = corners + 3 * (node - inner);
        float3 a = t[0], b = t[1], c = t[2];
        float3 e = make_float3(b.x - a.x, b.y - a.y, b.z - a.z), f = make_float3(c.x - a.x, c.y - a.y, c.z - a.z);
        float3 p = make_float3(d.y * f.z - d.z * f.y, d.z * f.x - d.x * f.z, d.x * f.y - d.y * f.x);
        float det = e.x * p.x + e.y * p.y + e.z * p.z;
        if (fabsf(det) < 1e-12f) continue;
        float3 s = make_float3(o.x - a.x, o.y - a.y, o.z - a.z);
        float u = (s.x * p.x + s.y * p.y + s.z * p.z) / det;
        if (u < 0.0f || u > 1.0f) continue;
        float3 q = make_float3(s.y * e.z - s.z * e.y, s.z * e.x - s.x * e.z, s.x * e.y - s.y * e.x);
        float v = (d.x * q.x + d.y * q.y + d.z * q.z) / det;
        if (v < 0.0f || u + v > 1.0f) continue;
        float at = (f.x * q.x + f.y * q.y + f.z * q.z) / det;
        if (at > 0.0f && at < best) best = at;
    }
    hit[i] = best < 1e29f ? best : 0.0f;
}

// Log-likelihood of a GARCH(1,1) model, one series of returns per thread.
extern "C" __global__ void garch_likelihoods(const float *returns, const float *persistence, float *out, int days, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float beta = persistence[i], alpha = 0.08f, h = 1.0f, sum = 0.0f;
    for (int t = 0; t < days; t++) {
        float r = returns[t * n + i];
        sum -= 0.5f * (1.837877f + logf(h) + r * r / h);
        h = 0.05f + alpha * r * r + beta * h;
    }
    out[i] = sum;
}

// Viterbi's algorithm with 32 hidden states: a warp per sequence, a lane per state.
extern "C" __global__ void viterbi_paths(const unsigned char *seen, const float *go, const float *emit,
                                         unsigned char *back, unsigned char *path, int length, int n)
{
    __shared__ float moves[32 * 32];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) moves[k] = go[k];
    __syncthreads();
    int lane = threadIdx.x % 32, seq = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (seq >= n) return;
    seen += seq * length;
    back += seq * length * 32;
    float score = __ldg(&emit[seen[0] * 32 + lane]);
    for (int t = 1; t < length; t++) {
        float best = -1e30f;
        int from = 0;
        for (int k = 0; k < 32; k++) {
            float s = __shfl_sync(~0u, score, k) + moves[k * 32 + lane];
            if (s > best) {
                best = s;
                from = k;
            }
        }
        back[t * 32 + lane] = from;
        score = best + __ldg(&emit[seen[t] * 32 + lane]);
    }
    int state = lane;
    for (int d = 16; d > 0; d /= 2) {
        float s = __shfl_down_sync(~0u, score, d);
        int other = __shfl_down_sync(~0u, state, d);
        if (s > score) {
            score = s;
            state = other;
        }
    }
    __syncwarp();
    if (lane == 0)
        for (int t = length - 1; t >= 0; t--) {
            path[seq * length + t] = state;
            if (t > 0) state = back[t * 32 + state];
        }
}

struct Body {
    float p[3], v[3], q[4], w[3];
};

// Moves and turns rigid bodies that are stored one after the other.
extern "C" __global__ void spin_bodies(Body *bodies, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Body b = bodies[i];
    b.v[1] -= 9.81f * dt;
    for (int k = 0; k < 3; k++) b.p[k] += dt * b.v[k];
    if (b.p[1] < 0.0f) {
        b.p[1] = -b.p[1];
        b.v[1] = -0.5f * b.v[1];
    }
    float x = b.q[0], y = b.q[1], z = b.q[2], s = b.q[3], h = 0.5f * dt;
    b.q[0] += h * (b.w[0] * s + b.w[1] * z - b.w[2] * y);
    b.q[1] += h * (b.w[1] * s + b.w[2] * x - b.w[0] * z);
    b.q[2] += h * (b.w[2] * s + b.w[0] * y - b.w[1] * x);
    b.q[3] -= h * (b.w[0] * x + b.w[1] * y + b.w[2] * z);
    float norm = rsqrtf(b.q[0] * b.q[0] + b.q[1] * b.q[1] + b.q[2] * b.q[2] + b.q[3] * b.q[3]);
    for (int k = 0; k < 4; k++) b.q[k] *= norm;
    bodies[i] = b;
}

// Reaction and diffusion of two substances (Gray, Scott) on a torus, tile by tile.
extern "C" __global__ void gray_scott(const float2 *uv, float2 *next, float feed, float kill, int side)
{
    extern __shared__ float2 tile[];
    int w = blockDim.x + 2, h = blockDim.y + 2;
    int x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
    for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < w * h; k += blockDim.x * blockDim.y) {
        int x = (x0 + k % w + side - 1) % side, y = (y0 + k / w + side - 1) % side;
        tile[k] = uv[y * side + x];
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= side || y >= side) return;
    int c = (threadIdx.y + 1) * w + threadIdx.x + 1;
    float2 m = tile[c], l = tile[c - 1], r = tile[c + 1], u = tile[c - w], d = tile[c + w];
    float du = l.x + r.x + u.x + d.x - 4.0f * m.x, dv = l.y + r.y + u.y + d.y - 4.0f * m.y;
    float react = m.x * m.y * m.y;
    next[y * side + x] = make_float2(m.x + 0.16f * du - react + feed * (1.0f - m.x),
                                     m.y + 0.08f * dv + react - (feed + kill) * m.y);
}

// Delaunay's test: is the fourth point in the circle through the other three?
extern "C" __global__ void incircle(const double2 *points, const int4 *quads, signed char *sign, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int4 q = quads[i];
    double2 a = points[q.x], b = points[q.y], c = points[q.z], d = points[q.w];
    double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
    double det = (ax * ax + ay * ay) * (bx * cy - cx * by) - (bx * bx + by * by) * (ax * cy - cx * ay) +
                 (cx * cx + cy * cy) * (ax * by - bx * ay);
    double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    sign[i] = det * area > 0.0 ? 1 : -1;
}

// Kepler's equation by Newton's method, until it is exact.
extern "C" __global__ void kepler(const double *mean, const double *eccentricity, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double m = 6.283185307179586 * mean[i], e = 0.9 * eccentricity[i], x = m + e * sin(m);
    for (int k = 0; k < 20; k++) {
        double s, c;
        sincos(x, &s, &c);
        double step = (x - e * s - m) / (1.0 - e * c);
        x -= step;
        if (fabs(step) < 1e-12) break;
    }
    out[i] = x;
}
