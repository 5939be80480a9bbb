// The Mandelbrot set: after how many steps does z = z^2 + c leave the circle of
// radius 2? Lanes of a warp stop at different steps.

/* warpscope
sizes  = "32..512:x2"            # side of the picture in pixels
block  = [8, 8]
grid   = ["ceil(n / 8)", "ceil(n / 8)"]
params = { limit = [200, 50, 1000] }
args   = ["steps: u32[n * n] zeros", "side: i32 = n", "limit: i32 = limit"]
output = "steps"
view   = "grid"
tolerance = 0

[kernel.mandelbrot_rows]
block  = 64
grid   = ["ceil(n / block)", "n"]
*/

__device__ unsigned int steps_at(int px, int py, int side, int limit) {
    float cx = -2.25f + 3.0f * px / side, cy = -1.5f + 3.0f * py / side;
    float x = 0.0f, y = 0.0f;
    int step = 0;
    while (step < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        step++;
    }
    return step;
}

// Warps are patches of 8 x 4 pixels, whose step counts are alike.
extern "C" __global__ void mandelbrot_patches(unsigned int *steps, int side, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < side && py < side) steps[py * side + px] = steps_at(px, py, side, limit);
}

// Warps are pieces of a row, 32 pixels wide: they cross the border of the set
// more often.
extern "C" __global__ void mandelbrot_rows(unsigned int *steps, int side, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
    if (px < side) steps[py * side + px] = steps_at(px, py, side, limit);
}

// Looks for a cycle: an orbit that comes back to an earlier point never leaves.
extern "C" __global__ void mandelbrot_cycles(unsigned int *steps, int side, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= side || py >= side) return;
    float cx = -2.25f + 3.0f * px / side, cy = -1.5f + 3.0f * py / side;
    float x = 0.0f, y = 0.0f, old_x = 0.0f, old_y = 0.0f;
    int step = 0, next_mark = 8;
    while (step < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        step++;
        if (x == old_x && y == old_y) {
            step = limit;
        } else if (step == next_mark) {
            old_x = x;
            old_y = y;
            next_mark *= 2;
        }
    }
    steps[py * side + px] = step;
}
