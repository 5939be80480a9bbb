// expect: line 12: "stride" is not declared
/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

extern "C" __global__ void doubled(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int i = first; i < n; i += stride) out[i] = 2 * in[i];
}
