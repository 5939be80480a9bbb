// expect: line 15: shared memory is read before it is written

/* warpscope
sizes  = "2^10..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["in: u32[n] uniform", "bins: u32[8] zeros", "n: u32 = n"]
output = "bins"
*/

extern "C" __global__ void count(const unsigned int *in, unsigned int *bins, unsigned int n) {
    __shared__ unsigned int part[8];  // never set to zero
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    // Every lane adds to what happens to be there.
    if (i < n) atomicAdd(&part[in[i] % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], part[threadIdx.x]);
}
