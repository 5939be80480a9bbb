// expect: line 12: an access outside of `in`
/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

extern "C" __global__ void differences(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + 1] - in[i];  // the last one has no right neighbour
}
