// expect: line 6: the grid has more blocks than a launch can have

/* warpscope
sizes  = "2^20..2^22:x2"
block  = 128
grid   = ["n", "n"]
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

// Rank sort with a block for every pair of keys.
extern "C" __global__ void ranks(const unsigned int *in, unsigned int *out, unsigned int n) {
    if (threadIdx.x == 0 && in[blockIdx.y] < in[blockIdx.x]) atomicAdd(&out[blockIdx.x], 1);
}
