// expect: line 15 to 17: a race in shared memory; __syncthreads() is missing above

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
shared = "4 * block"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

extern "C" __global__ void reversed_in_blocks(const unsigned int *in, unsigned int *out, unsigned int n) {
    extern __shared__ unsigned int tile[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    // __syncthreads() is missing here
    if (i < n) out[i] = tile[blockDim.x - 1 - threadIdx.x];
}
