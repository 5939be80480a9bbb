// expect: line 8: the parameters are not those of the contract of histogram

/* warpscope
like = "histogram"
*/

// The number of bins is missing, and the values are floats.
extern "C" __global__ void eight_bins(const float *values, unsigned int n, unsigned int *bins) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(int)(values[i] * 8)], 1);
}
