// Compiled for compute_70.
// Volumes, surfaces, trees of boxes, moments of bodies, waves in solids and the joint brightness of two pictures.

#define BRICK 8

// Stores a volume in bricks of 8 x 8 x 8 cells, so that cells that are close in space are close in memory. Bricks at the end are filled up
// with zeros.
extern "C" __global__ void volume_to_bricks(const float *volume, float *bricks, long long cells, int wide, int side)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    long long brick = i / (BRICK * BRICK * BRICK);
    int within = i % (BRICK * BRICK * BRICK);
    long long x = brick % wide * BRICK + within % BRICK, y = brick / wide % wide * BRICK + within / BRICK % BRICK;
    long long z = brick / wide / wide * BRICK + within / (BRICK * BRICK);
    bool inside = x < side && y < side && z < side;
    bricks[i] = inside ? volume[(z * side + y) * side + x] : 0.0f;
}

__device__ float3 minus(float3 a, float3 b)
{
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ float3 corner(const float *corners, unsigned at)
{
    return make_float3(corners[3 * at], corners[3 * at + 1], corners[3 * at + 2]);
}

__device__ void pull(float *bends, unsigned at, float3 edge)
{
    atomicAdd(&bends[3 * at], edge.x);
    atomicAdd(&bends[3 * at + 1], edge.y);
    atomicAdd(&bends[3 * at + 2], edge.z);
}

// How strongly does a surface bend at its corners? Each triangle adds its edges, weighted by the cotangents of the angles opposite to
// them, to its three corners, and a third of its area.
extern "C" __global__ void cotangent_weights(const unsigned *triangles, const float *corners, float *bends, float *areas, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = triangles[3 * i], b = triangles[3 * i + 1], c = triangles[3 * i + 2];
    float3 p = corner(corners, a), q = corner(corners, b), r = corner(corners, c);
    float3 pq = minus(q, p), qr = minus(r, q), rp = minus(p, r), normal = cross(pq, qr);
    float twice = sqrtf(dot(normal, normal)), part = -0.5f / twice;
    float at_a = part * dot(pq, rp), at_b = part * dot(pq, qr), at_c = part * dot(qr, rp);
    pull(bends, a, make_float3(at_c * pq.x - at_b * rp.x, at_c * pq.y - at_b * rp.y, at_c * pq.z - at_b * rp.z));
    pull(bends, b, make_float3(at_a * qr.x - at_c * pq.x, at_a * qr.y - at_c * pq.y, at_a * qr.z - at_c * pq.z));
    pull(bends, c, make_float3(at_b * rp.x - at_a * qr.x, at_b * rp.y - at_a * qr.y, at_b * rp.z - at_a * qr.z));
    atomicAdd(&areas[a], twice / 6.0f);
    atomicAdd(&areas[b], twice / 6.0f);
    atomicAdd(&areas[c], twice / 6.0f);
}

// How many bits at the beginning do two codes have in common? Equal codes go by their places.
__device__ int common(const unsigned long long *codes, int i, int j, int n)
{
    if (j < 0 || j >= n) return -1;
    unsigned long long differ = codes[i] ^ codes[j];
    return differ != 0 ? __clzll(differ) : 64 + __clz(i ^ j);
}

// The inner nodes of a binary tree over sorted codes of places (Karras), all at once: each finds which codes it covers and where these
// part. Children from n - 1 on are leaves.
extern "C" __global__ void karras_nodes(const unsigned long long *codes, int2 *children, int *parents, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1) return;
    int way = common(codes, i, i + 1, n) > common(codes, i, i - 1, n) ? 1 : -1;
    int least = common(codes, i, i - way, n), length = 2, other = 0, split = 0;
    while (common(codes, i, i + length * way, n) > least) length *= 2;
    for (int step = length / 2; step > 0; step /= 2)
        if (common(codes, i, i + (other + step) * way, n) > least) other += step;
    int end = i + other * way, same = common(codes, i, end, n), step = other;
    do {
        step = (step + 1) / 2;
        if (common(codes, i, i + (split + step) * way, n) > same) split += step;
    } while (step > 1);
    int middle = i + split * way + min(way, 0);
    int left = min(i, end) == middle ? n - 1 + middle : middle, right = max(i, end) == middle + 1 ? n + middle : middle + 1;
    children[i] = make_int2(left, right);
    parents[left] = i;
    parents[right] = i;
    if (i == 0) parents[0] = -1;
}

// New boxes for all nodes of a tree after its leaves, which are balls, have moved. A thread climbs from each leaf; of two threads that meet
// at a node, the later one goes on.
extern "C" __global__ void refit_boxes(const float4 *balls, float4 *boxes, unsigned *visits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 ball = balls[i];
    float4 low = make_float4(ball.x - ball.w, ball.y - ball.w, ball.z - ball.w, ball.w);
    float4 high = make_float4(ball.x + ball.w, ball.y + ball.w, ball.z + ball.w, ball.w);
    int node = n - 1 + i;
    while (true) {
        boxes[2 * node] = low;
        boxes[2 * node + 1] = high;
        if (node == 0) break;
        __threadfence();
        if (atomicAdd(&visits[(node - 1) / 2], 1u) == 0) break;
        __threadfence();
        int beside = ((node - 1) ^ 1) + 1;
        float4 a = __ldcg(&boxes[2 * beside]), b = __ldcg(&boxes[2 * beside + 1]);
        low = make_float4(fminf(low.x, a.x), fminf(low.y, a.y), fminf(low.z, a.z), fminf(low.w, a.w));
        high = make_float4(fmaxf(high.x, b.x), fmaxf(high.y, b.y), fmaxf(high.z, b.z), fmaxf(high.w, b.w));
        node = (node - 1) / 2;
    }
}

#define TILE 64

// Is a point inside of a closed surface? Adds up the solid angles of all triangles as seen from the point (winding number). Blocks read
// tiles of 64 triangles into shared memory.
extern "C" __global__ void solid_angles(const float4 *points, const float4 *corners, float *turns, int triangles, int n)
{
    __shared__ float4 tile[3 * TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 point = points[min(i, n - 1)];
    float3 own = make_float3(point.x, point.y, point.z);
    float sum = 0.0f;
    for (int start = 0; start < triangles; start += TILE) {
        int many = min(TILE, triangles - start);
        for (int k = threadIdx.x; k < 3 * many; k += blockDim.x) tile[k] = corners[3 * start + k];
        __syncthreads();
        for (int k = 0; k < many; k++) {
            float4 p = tile[3 * k], q = tile[3 * k + 1], r = tile[3 * k + 2];
            float3 a = minus(make_float3(p.x, p.y, p.z), own), b = minus(make_float3(q.x, q.y, q.z), own);
            float3 c = minus(make_float3(r.x, r.y, r.z), own);
            float x = sqrtf(dot(a, a)), y = sqrtf(dot(b, b)), z = sqrtf(dot(c, c));
            sum += atan2f(dot(a, cross(b, c)), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y);
        }
        __syncthreads();
    }
    if (i < n) turns[i] = sum * 0.15915494f;
}

#define MOMENTS 10

__device__ void block_sums(double *own, double (*warps)[MOMENTS])
{
#pragma unroll
    for (int k = 0; k < MOMENTS; k++) {
        for (int d = 16; d > 0; d /= 2) own[k] += __shfl_down_sync(~0u, own[k], d);
        if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32][k] = own[k];
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < blockDim.x / 32; w++)
#pragma unroll
        for (int k = 0; k < MOMENTS; k++) own[k] += warps[w][k];
}

// Volume, centre and moments of inertia of a body, from the pyramids below the triangles of its surface, in doubles. The block that
// finishes last adds up the sums of all blocks.
extern "C" __global__ void inertia_last_block(const float *triangles, double *parts, unsigned *finished, double *moments, int n)
{
    __shared__ double warps[32][MOMENTS];
    __shared__ bool last;
    double own[MOMENTS] = {};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double c[9];
#pragma unroll
        for (int k = 0; k < 9; k++) c[k] = triangles[9 * (size_t)i + k];
        double x = c[0] + c[3] + c[6], y = c[1] + c[4] + c[7], z = c[2] + c[5] + c[8];
        double volume = c[0] * (c[4] * c[8] - c[5] * c[7]) + c[1] * (c[5] * c[6] - c[3] * c[8]) + c[2] * (c[3] * c[7] - c[4] * c[6]);
        own[0] += volume;
        own[1] += volume * x;
        own[2] += volume * y;
        own[3] += volume * z;
        own[4] += volume * (x * x + c[0] * c[0] + c[3] * c[3] + c[6] * c[6]);
        own[5] += volume * (y * y + c[1] * c[1] + c[4] * c[4] + c[7] * c[7]);
        own[6] += volume * (z * z + c[2] * c[2] + c[5] * c[5] + c[8] * c[8]);
        own[7] += volume * (x * y + c[0] * c[1] + c[3] * c[4] + c[6] * c[7]);
        own[8] += volume * (y * z + c[1] * c[2] + c[4] * c[5] + c[7] * c[8]);
        own[9] += volume * (z * x + c[2] * c[0] + c[5] * c[3] + c[8] * c[6]);
    }
    block_sums(own, warps);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int k = 0; k < MOMENTS; k++) parts[blockIdx.x * MOMENTS + k] = own[k];
        __threadfence();
        last = atomicAdd(finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
#pragma unroll
    for (int k = 0; k < MOMENTS; k++) {
        own[k] = 0.0;
        for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x) own[k] += __ldcg(&parts[block * MOMENTS + k]);
    }
    block_sums(own, warps);
    if (threadIdx.x > 0) return;
#pragma unroll
    for (int k = 0; k < MOMENTS; k++) moments[k] = own[k] / (k == 0 ? 6.0 : k < 4 ? 24.0 : 120.0);
    *finished = 0;
}

// The corners of a surface where a field is zero (surface nets): in each cell that the surface passes, the mean of the places where it
// crosses the twelve edges. Also writes which corners of the cell are inside.
extern "C" __global__ void surface_nets(const float *field, unsigned char *masks, float *places, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z, wide = side - 1, cells = wide * wide * wide;
    if (x >= wide || y >= wide || z >= wide) return;
    float values[8];
    unsigned mask = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        values[k] = field[((z + k / 4) * side + y + k / 2 % 2) * side + x + k % 2];
        mask |= (values[k] < 0.0f) << k;
    }
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    if (mask != 0 && mask != 255) {
        int crossed = 0;
#pragma unroll
        for (int bit = 1; bit < 8; bit *= 2)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if ((k & bit) || (mask >> k & 1) == (mask >> (k | bit) & 1)) continue;
                float part = values[k] / (values[k] - values[k | bit]);
                sum.x += bit == 1 ? part : k & 1;
                sum.y += bit == 2 ? part : k >> 1 & 1;
                sum.z += bit == 4 ? part : k >> 2;
                crossed++;
            }
        float share = 1.0f / crossed;
        sum = make_float3(x + share * sum.x, y + share * sum.y, z + share * sum.z);
    }
    int at = (z * wide + y) * wide + x;
    masks[at] = mask;
    places[at] = sum.x;
    places[cells + at] = sum.y;
    places[2 * cells + at] = sum.z;
}

// The slope between the cells at -d and 0, of fourth order.
__device__ float slope(const float *v, int d)
{
    return 1.125f * (v[0] - v[-d]) - 0.041666667f * (v[d] - v[-2 * d]);
}

// A step of the six stresses in a solid body through which waves go, from the three velocities on a staggered grid. Materials differ from
// cell to cell; two cells at each border stay.
extern "C" __global__ void elastic_stress(const float *vx, const float *vy, const float *vz, const float *lambda, const float *mu,
                                          float *xx, float *yy, float *zz, float *xy, float *xz, float *yz, float step, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z, plane = side * side, at = z * plane + y * side + x;
    if (x < 2 || y < 2 || z < 2 || x >= side - 2 || y >= side - 2 || z >= side - 2) return;
    float a = slope(vx + at, 1), b = slope(vy + at, side), c = slope(vz + at, plane);
    float shear = step * mu[at], all = step * lambda[at] * (a + b + c);
    xx[at] += all + 2.0f * shear * a;
    yy[at] += all + 2.0f * shear * b;
    zz[at] += all + 2.0f * shear * c;
    xy[at] += shear * (slope(vx + at + side, side) + slope(vy + at + 1, 1));
    xz[at] += shear * (slope(vx + at + plane, plane) + slope(vz + at + 1, 1));
    yz[at] += shear * (slope(vy + at + plane, plane) + slope(vz + at + side, side));
}

#define LEVELS 64

// How often do two levels of brightness occur at the same place of two pictures, of which one is turned? Fitting medical pictures to each
// other needs it. The turn is in 16.16 numbers, and four pixels are mixed.
extern "C" __global__ void joint_intensities(const unsigned char *still, const unsigned char *moving, unsigned *joint, int cosine, int sine,
                                             int side)
{
    __shared__ unsigned own[LEVELS * LEVELS];
    for (int k = threadIdx.x; k < LEVELS * LEVELS; k += blockDim.x) own[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x) {
        int u = i % side - side / 2, v = i / side - side / 2;
        int x = cosine * u - sine * v + (side / 2 << 16), y = sine * u + cosine * v + (side / 2 << 16);
        int column = x >> 16, row = y >> 16, right = x >> 8 & 255, down = y >> 8 & 255;
        if (column < 0 || row < 0 || column >= side - 1 || row >= side - 1) continue;
        const unsigned char *pixel = moving + row * side + column;
        int upper = pixel[0] * (256 - right) + pixel[1] * right, lower = pixel[side] * (256 - right) + pixel[side + 1] * right;
        int value = (upper * (256 - down) + lower * down) >> 16;
        atomicAdd(&own[(still[i] >> 2) * LEVELS + (value >> 2)], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < LEVELS * LEVELS; k += blockDim.x)
        if (own[k] > 0) atomicAdd(&joint[k], own[k]);
}
