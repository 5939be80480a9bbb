// expect: line 13: a race: threads of several blocks write the same word

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "bins: u32[8] zeros", "n: u32 = n"]
output = "bins"
*/

extern "C" __global__ void count(const unsigned int *in, unsigned int *bins, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[in[i] % 8]++;  // atomicAdd is missing
}
