// Vectors of three numbers with the operators of NVIDIA's <helper_math.h>: rays of light that meet a sphere.
// At the rim some lanes of a warp miss the sphere, and wait for the others.

/* warpscope
sizes   = "2^4..2^8:x2"
block   = [16, 16]
grid    = ["ceil(n / 16)", "ceil(n / 16)"]
args    = ["image: f32[4 * n * n] zeros", "side: i32 = n", "eye: { x: f32 = 0, y: f32 = 0, z: f32 = -3 }"]
output  = "image"
view    = "grid"
tolerance = 1e-4

[kernel.column]
grid    = ["ceil(n / 16)", "ceil(n / 64)"]
*/

#include <helper_cuda.h>
#include <helper_math.h>

__device__ float4 shade(float3 point, float3 normal) {
    float3 light = normalize(make_float3(1, 2, -2));
    float bright = clamp(dot(normal, light), 0.0f, 1.0f);
    float3 color = lerp(make_float3(0.1f), make_float3(1.0f, 0.8f, 0.6f), bright);
    float3 mirrored = reflect(-light, normal);
    color += make_float3(powf(fmaxf(mirrored.z, 0.0f), 8.0f)) * 0.5f;
    color /= 1.0f + 0.1f * length(point);
    return make_float4(fminf(color, make_float3(1.0f)), 1.0f);
}

// The color of a pixel: where its ray meets the sphere, by the quadratic equation.
__device__ float4 color_of(int2 pixel, int side, float3 eye) {
    float2 at = 2.0f * make_float2(pixel) / (float)side - 1.0f;
    float3 ray = normalize(make_float3(at, 2.0f));
    float half = dot(eye, ray), rest = half * half - dot(eye, eye) + 1.0f;
    if (rest < 0.0f) return make_float4(0.0f);
    float3 point = eye - ray * (half + sqrtf(rest));
    return shade(point, normalize(point));
}

// A thread for each pixel.
__global__ void pixel(float4 *image, int side, float3 eye) {
    int2 at = make_int2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
    if (at.x < side && at.y < side) image[at.y * side + at.x] = color_of(at, side, eye);
}

// Four pixels of a column for each thread of a quarter of the blocks: fewer threads to start, and fewer to
// hide the wait for square roots.
__global__ void column(float4 *image, int side, float3 eye) {
    int2 first = make_int2(blockIdx.x * blockDim.x + threadIdx.x, 4 * (blockIdx.y * blockDim.y + threadIdx.y));
    if (first.x >= side) return;
    for (int row = 0; row < 4; row++) {
        int2 at = first + make_int2(0, row);
        if (at.y < side) image[at.y * side + at.x] = color_of(at, side, eye);
    }
}

int main() {
    int side = 256;
    float4 *image;
    checkCudaErrors(cudaMalloc(&image, side * side * sizeof(float4)));
    dim3 block(16, 16), grid((side + 15) / 16, (side + 15) / 16);
    pixel<<<grid, block>>>(image, side, make_float3(0, 0, -3));
    column<<<dim3(grid.x, (side + 63) / 64), block>>>(image, side, make_float3(0, 0, -3));
    checkCudaErrors(cudaDeviceSynchronize());
}
