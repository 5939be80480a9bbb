// Counts pairs of atoms by their distance. Each block counts in shared memory first, so
// that few atomic additions reach global memory.
extern "C" __global__ void mine(const float *x, const float *y, const float *z, unsigned int n,
                                unsigned long long *counts, unsigned int buckets,
                                float per_width)
{
    extern __shared__ unsigned int pairs[];

    for (unsigned int bucket = threadIdx.x; bucket < buckets; bucket += blockDim.x) {
        pairs[bucket] = 0;
    }
    __syncthreads();  // all counts are 0 before any thread adds to them

    // Each pair once: an atom and the atoms after it.
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        for (unsigned int j = i + 1; j < n; j++) {
            float dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
            float distance = sqrtf(dx * dx + dy * dy + dz * dz);
            unsigned int bucket = min((unsigned int)(distance * per_width), buckets - 1);
            atomicAdd(&pairs[bucket], 1u);
        }
    }
    __syncthreads();  // all pairs are counted before any thread reads the counts

    for (unsigned int bucket = threadIdx.x; bucket < buckets; bucket += blockDim.x) {
        atomicAdd(&counts[bucket], (unsigned long long)pairs[bucket]);
    }
}
