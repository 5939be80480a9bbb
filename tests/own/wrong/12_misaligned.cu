// expect: line 14: the address is not a multiple of 16
/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

// Copies four values at once, from the second one on.
extern "C" __global__ void shifted_copy(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 5 > n) return;
    *reinterpret_cast<uint4 *>(&out[i]) = *reinterpret_cast<const uint4 *>(&in[i + 1]);
}
