// expect: line 11: 256 KiB of shared memory is more than a block can have

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

extern "C" __global__ void through_a_tile(const unsigned int *in, unsigned int *out, unsigned int n) {
    __shared__ unsigned int tile[256][256];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x][threadIdx.x % 7] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[threadIdx.x][threadIdx.x % 7];
}
