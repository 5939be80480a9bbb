// expect: line 19: only some threads of the block reach the barrier

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
shared = "4 * block"
args   = ["in: u32[n] uniform", "sums: u32[ceil(n / block)] zeros", "n: u32 = n"]
output = "sums"
*/

extern "C" __global__ void sum_blocks(const unsigned int *in, unsigned int *sums, unsigned int n) {
    extern __shared__ unsigned int part[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; threadIdx.x < half; half /= 2) {
        part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();  // threads that left the loop are missing
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
