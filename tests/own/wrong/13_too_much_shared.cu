// expect: line 12: 256 KiB of shared memory is more than a block can have

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

// Sums of the columns of a tile of 256 x 256.
extern "C" __global__ void column_sums(const unsigned int *in, unsigned int *out, unsigned int n) {
    __shared__ unsigned int tile[256][256];
    for (unsigned int row = 0; row < 256; row++)
        for (unsigned int column = threadIdx.x; column < 256; column += blockDim.x)
            tile[row][column] = in[(row * 256 + column) % n];
    __syncthreads();
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned int row = 0; row < 256; row++) sum += tile[row][(i + row) % 256];
    if (i < n) out[i] = sum;
}
