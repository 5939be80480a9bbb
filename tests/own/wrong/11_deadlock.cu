// expect: line 15: lanes of one warp wait for each other

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "sum: u32[1] zeros", "turn: u32[1] zeros", "n: u32 = n"]
output = "sum"
*/

// Adds in the order of the threads: each waits for its turn.
extern "C" __global__ void sum_in_turn(const unsigned int *in, unsigned int *sum,
                                       volatile unsigned int *turn, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (*turn != i) {}
    if (i < n) *sum += in[i];
    // Wrong: the thread gives the turn to itself, so nobody else ever has it.
    *turn = i;
}
