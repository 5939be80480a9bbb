// expect: line 15 to 17: the loop does not end
/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
*/

// Euclid with subtractions, which never ends once one of the two is zero.
extern "C" __global__ void common_divisor(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int a = in[i], b = i;
    while (a != b) {
        if (a > b) a -= b;
        else b -= a;
    }
    out[i] = a;
}
