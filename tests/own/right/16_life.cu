// Conway's game of life: one generation on a torus of n x n cells, one byte each.

/* warpscope
sizes  = "64..1024:x2"
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 8)"]
args   = ["now: u8[n * n] = i * i % 8191 % 2", "next: u8[n * n] zeros", "side: i32 = n"]
output = "next"
view   = "grid"
tolerance = 0
bytes  = "2 * n * n"

[kernel.life_sums]
block  = 256
grid   = ["ceil(n / block)", "ceil(n / 8)"]
*/

extern "C" __global__ void life_plain(const unsigned char *now, unsigned char *next, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                neighbours += now[(y + dy + side) % side * side + (x + dx + side) % side];
    next[y * side + x] = neighbours == 3 || (neighbours == 2 && now[y * side + x]);
}

// The same without the eight divisions: neighbours wrap around by a compare.
extern "C" __global__ void life_compares(const unsigned char *now, unsigned char *next, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int left = x > 0 ? x - 1 : side - 1, right = x + 1 < side ? x + 1 : 0;
    const unsigned char *above = now + (y > 0 ? y - 1 : side - 1) * side;
    const unsigned char *row = now + y * side;
    const unsigned char *below = now + (y + 1 < side ? y + 1 : 0) * side;
    int neighbours = above[left] + above[x] + above[right] + row[left] + row[right]
                   + below[left] + below[x] + below[right];
    next[y * side + x] = neighbours == 3 || (neighbours == 2 && row[x]);
}

// A thread walks down eight rows and keeps the sums of the last three.
extern "C" __global__ void life_sums(const unsigned char *now, unsigned char *next, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= side) return;
    int left = x > 0 ? x - 1 : side - 1, right = x + 1 < side ? x + 1 : 0;
    int y = blockIdx.y * 8, end = min(y + 8, side);
    const unsigned char *above = now + (y > 0 ? y - 1 : side - 1) * side;
    const unsigned char *row = now + y * side;
    int before = above[left] + above[x] + above[right];
    int here = row[left] + row[x] + row[right];
    for (; y < end; y++) {
        const unsigned char *below = now + (y + 1 < side ? y + 1 : 0) * side;
        int after = below[left] + below[x] + below[right];
        int cell = now[y * side + x];
        int neighbours = before + here + after - cell;
        next[y * side + x] = neighbours == 3 || (neighbours == 2 && cell);
        before = here;
        here = after;
    }
}
