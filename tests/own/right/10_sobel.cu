// Sobel edge detection on a grey picture of n x n bytes.

/* warpscope
sizes  = "64..1024:x2"           # side of the picture in pixels
block  = [16, 16]
grid   = ["ceil(n / 16)", "ceil(n / 16)"]
args   = ["picture: u8[n * n] uniform", "edges: u8[n * n] zeros", "side: i32 = n"]
output = "edges"
view   = "grid"
tolerance = 0
bytes  = "2 * n * n"
*/

#define BLOCK 16

__device__ int clamped(int at, int side) {
    return at < 0 ? 0 : at >= side ? side - 1 : at;
}

// The two gradients of a 3 x 3 window, as one strength from 0 to 255.
__device__ unsigned char strength(const int w[3][3]) {
    int gx = w[0][2] + 2 * w[1][2] + w[2][2] - w[0][0] - 2 * w[1][0] - w[2][0];
    int gy = w[2][0] + 2 * w[2][1] + w[2][2] - w[0][0] - 2 * w[0][1] - w[0][2];
    int sum = abs(gx) + abs(gy);
    return sum > 255 ? 255 : sum;
}

extern "C" __global__ void sobel_plain(const unsigned char *picture, unsigned char *edges, int side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int window[3][3];
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            window[dy + 1][dx + 1] = picture[clamped(y + dy, side) * side + clamped(x + dx, side)];
    edges[y * side + x] = strength(window);
}

// A tile of 18 x 18 pixels in shared memory: the block and a border of one.
extern "C" __global__ void sobel_tiled(const unsigned char *picture, unsigned char *edges, int side) {
    __shared__ unsigned char tile[BLOCK + 2][BLOCK + 2];
    int left = blockIdx.x * BLOCK - 1, top = blockIdx.y * BLOCK - 1;
    for (int t = threadIdx.y * BLOCK + threadIdx.x; t < (BLOCK + 2) * (BLOCK + 2); t += BLOCK * BLOCK) {
        int ty = t / (BLOCK + 2), tx = t % (BLOCK + 2);
        tile[ty][tx] = picture[clamped(top + ty, side) * side + clamped(left + tx, side)];
    }
    __syncthreads();

    int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y * BLOCK + threadIdx.y;
    if (x >= side || y >= side) return;
    int window[3][3];
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) window[dy][dx] = tile[threadIdx.y + dy][threadIdx.x + dx];
    edges[y * side + x] = strength(window);
}
