// Orders the keys by `bits` of their bits, from bit `low` up, in a single block: count the
// digits, scan the counts, move the keys.
extern "C" __global__ void mine(const unsigned int *keys, unsigned int n, unsigned int low,
                                unsigned int bits, unsigned int *moved, unsigned int *offsets)
{
    extern __shared__ unsigned int cursors[];
    unsigned int digits = 1u << bits;

    for (unsigned int digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        cursors[digit] = 0;
    }
    __syncthreads();  // all counts are 0 before any thread adds to them

    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&cursors[keys[i] >> low & (digits - 1)], 1u);
    }
    __syncthreads();  // all keys are counted before the counts are scanned

    if (threadIdx.x == 0) {
        unsigned int before = 0;
        for (unsigned int digit = 0; digit < digits; digit++) {
            unsigned int count = cursors[digit];
            offsets[digit] = before;
            cursors[digit] = before;
            before += count;
        }
    }
    __syncthreads();  // all offsets are known before any key moves

    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned int key = keys[i];
        moved[atomicAdd(&cursors[key >> low & (digits - 1)], 1u)] = key;
    }
}
