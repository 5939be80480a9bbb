// expect: line 13: printf printed more than the emulator keeps
/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

extern "C" __global__ void chatty(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int k = 0; k < 1000000; k++)
        printf("thread %u sees %u\n", i, in[i]);
    if (i < n) out[i] = in[i];
}
