// Counting with one atomic per thread, per warp, and per block.
//
// `each` adds 1 for each element that passes the test: up to 32 atomics of a warp meet on one word. `per_warp` lets
// the lanes vote, and one lane adds the number of votes. It also gives each element a place in the output:
// `base` is set in one lane, and the shuffle hands it to the others. The Counters screen shows how many atomics
// each kernel makes.

/* warpscope
sizes  = "2^8..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = [
    "values: i32[n] uniform below 1000",
    "kept: i32[n] zeros",
    "count: u32[1] zeros",
    "n: i32 = n",
]
output = "count"
*/

#define ALL 0xffffffff

__device__ bool passes(int value) { return value % 3 == 0; }

__global__ void each(const int *values, int *kept, unsigned *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && passes(values[i])) kept[atomicAdd(count, 1)] = values[i];
}

__global__ void per_warp(const int *values, int *kept, unsigned *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool mine = i < n && passes(values[i]);
    unsigned votes = __ballot_sync(ALL, mine), base;
    if (lane == 0) base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(ALL, base, 0);
    if (mine) kept[base + __popc(votes & ((1u << lane) - 1))] = values[i];
}

__global__ void per_block(const int *values, int *kept, unsigned *count, int n)
{
    __shared__ unsigned own, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) own = 0;
    __syncthreads();
    bool mine = i < n && passes(values[i]);
    unsigned place = mine ? atomicAdd(&own, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, own);
    __syncthreads();
    if (mine) kept[base + place] = values[i];
}
