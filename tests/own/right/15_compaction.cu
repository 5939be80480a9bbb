// Stream compaction: every block moves the odd values of its segment to the
// front, in their order, and says how many there are.

/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "values: u32[n] uniform",
    "kept: u32[n] zeros",
    "counts: u32[ceil(n / block)] zeros",
    "n: u32 = n",
]
output = "kept"
tolerance = 0
bytes  = "6 * n"

[kernel.compact_scan]
shared = "4 * block"

[kernel.compact_ballot]
shared = "4 * 32"
*/

__device__ bool wanted(unsigned int value) {
    return value & 1;
}

extern "C" __global__ void compact_serial(const unsigned int *values, unsigned int *kept,
                                          unsigned int *counts, unsigned int n) {
    if (threadIdx.x != 0) return;
    unsigned int begin = blockIdx.x * blockDim.x, many = 0;
    for (unsigned int i = begin; i < begin + blockDim.x && i < n; i++)
        if (wanted(values[i])) kept[begin + many++] = values[i];
    counts[blockIdx.x] = many;
}

// The place of a value is the number of kept values before it: a prefix sum of
// zeros and ones.
extern "C" __global__ void compact_scan(const unsigned int *values, unsigned int *kept,
                                        unsigned int *counts, unsigned int n) {
    extern __shared__ unsigned int places[];
    unsigned int t = threadIdx.x, begin = blockIdx.x * blockDim.x;
    unsigned int value = begin + t < n ? values[begin + t] : 0;
    bool keep = begin + t < n && wanted(value);
    places[t] = keep;
    __syncthreads();
    for (unsigned int distance = 1; distance < blockDim.x; distance <<= 1) {
        unsigned int before = t >= distance ? places[t - distance] : 0;
        __syncthreads();
        places[t] += before;
        __syncthreads();
    }
    if (keep) kept[begin + places[t] - 1] = value;
    if (t == blockDim.x - 1) counts[blockIdx.x] = places[t];
}

// A ballot gives the places within a warp for one instruction.
extern "C" __global__ void compact_ballot(const unsigned int *values, unsigned int *kept,
                                          unsigned int *counts, unsigned int n) {
    extern __shared__ unsigned int warp_counts[];
    unsigned int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned int begin = blockIdx.x * blockDim.x;
    unsigned int value = begin + t < n ? values[begin + t] : 0;
    bool keep = begin + t < n && wanted(value);
    unsigned int votes = __ballot_sync(0xffffffff, keep);
    if (lane == 0) warp_counts[warp] = __popc(votes);
    __syncthreads();

    unsigned int place = __popc(votes & ((1u << lane) - 1));
    for (unsigned int w = 0; w < warp; w++) place += warp_counts[w];
    if (keep) kept[begin + place] = value;
    if (t == blockDim.x - 1) counts[blockIdx.x] = place + keep;
}
