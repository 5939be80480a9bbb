// Transpose of an n x n matrix of floats.

/* warpscope
sizes  = "64..2048:x2"           # the order of the matrix
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 32)"]
args   = ["in: f32[n * n] iota", "out: f32[n * n] zeros", "n: u32 = n"]
output = "out"
view   = "grid"
tolerance = 0
bytes  = "8 * n * n"
*/

#define TILE 32
#define ROWS 8

// Reads rows and writes columns: the stores of a warp are n floats apart.
extern "C" __global__ void transpose_naive(const float *in, float *out, unsigned int n) {
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) out[x * n + y + row] = in[(y + row) * n + x];
}

// Through shared memory, so that loads and stores are both coalesced. A warp
// reads a column of the tile: all 32 values are in the same bank.
extern "C" __global__ void transpose_tiled(const float *in, float *out, unsigned int n) {
    __shared__ float tile[TILE][TILE];
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

// One unused column shifts each row by a bank.
extern "C" __global__ void transpose_padded(const float *in, float *out, unsigned int n) {
    __shared__ float tile[TILE][TILE + 1];
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned int row = 0; row < TILE; row += ROWS)
        if (x < n && y + row < n) out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}
