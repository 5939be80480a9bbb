// N-body: the acceleration of every body by the gravity of all others.
// A body is x, y, z and its mass.

/* warpscope
sizes     = "256..8192:x2"
block     = 128
grid      = "ceil(n / block)"
args      = ["bodies: f32[4 * n] uniform", "accelerations: f32[4 * n] zeros", "n: i32 = n"]
output    = "accelerations"
reference = "nbody_plain"
tolerance = 1e-3
flops     = "20 * n^2"

[kernel.nbody_tiled]
shared    = "16 * block"
*/

// Keeps the force of a near neighbour, and of the body itself, finite.
#define SOFTENING 1e-3f

__device__ float3 pull(float4 on, float4 from, float3 sum) {
    float dx = from.x - on.x, dy = from.y - on.y, dz = from.z - on.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
    float strength = from.w * inverse * inverse * inverse;
    sum.x += dx * strength;
    sum.y += dy * strength;
    sum.z += dz * strength;
    return sum;
}

extern "C" __global__ void nbody_plain(const float4 *bodies, float4 *accelerations, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 mine = bodies[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int j = 0; j < n; j++) sum = pull(mine, bodies[j], sum);
    accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}

// The block loads `block` bodies at once into shared memory.
extern "C" __global__ void nbody_tiled(const float4 *bodies, float4 *accelerations, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += blockDim.x) {
        if (first + threadIdx.x < n) tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        int count = min((int)blockDim.x, n - first);
        #pragma unroll 4
        for (int j = 0; j < count; j++) sum = pull(mine, tile[j], sum);
        __syncthreads();
    }
    if (i < n) accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
