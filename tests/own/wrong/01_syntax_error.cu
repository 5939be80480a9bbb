// expect: line 11 to 12: expected a ";"
/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

extern "C" __global__ void doubled(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x
    if (i < n) out[i] = 2 * in[i];
}
