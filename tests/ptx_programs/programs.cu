// Kernels of the patterns that CUDA programs are made of. build.py compiles
// them with NVRTC; tests/emulator_programs.rs runs them.
#include <assert.h>

extern "C" __global__ void sum_by_shuffles(const unsigned *in, unsigned n, unsigned *out) {
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    __shared__ unsigned warps[32];
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (threadIdx.x == 0) atomicAdd(out, sum);
    }
}

__device__ unsigned blocks_done;

// The last block to finish adds up what all of them found.
extern "C" __global__ void sum_by_last_block(const unsigned *in, unsigned n, unsigned *partial,
                                             unsigned *out) {
    __shared__ unsigned sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sum, i < n ? in[i] : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
        sum = 0;
    }
    __syncthreads();
    if (last) {
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            atomicAdd(&sum, ((volatile unsigned *)partial)[b]);
        __syncthreads();
        if (threadIdx.x == 0) *out = sum;
    }
}

// An inclusive scan in one pass: each block looks back at those before it.
// state: 0 nothing yet, 1 the block's own sum, 2 the sum up to it.
extern "C" __global__ void scan_by_look_back(const unsigned *in, unsigned n, unsigned long long *state,
                                             unsigned *ticket, unsigned *out) {
    __shared__ unsigned tile, before, sums[32];
    if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
    __syncthreads();
    unsigned i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = i < n ? in[i] : 0;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        unsigned other = __shfl_up_sync(0xffffffff, sum, offset);
        if (lane >= offset) sum += other;
    }
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) sum += sums[w];
    if (threadIdx.x == blockDim.x - 1) {
        volatile unsigned long long *looked = state;
        unsigned total = 0;
        if (tile > 0) {
            looked[tile] = 1ull << 32 | sum;
            __threadfence();
            for (int t = tile - 1; t >= 0; t--) {
                unsigned long long found;
                do found = looked[t]; while (found == 0);
                total += (unsigned)found;
                if (found >> 32 == 2) break;
            }
        }
        __threadfence();
        looked[tile] = 2ull << 32 | (total + sum);
        before = total;
    }
    __syncthreads();
    if (i < n) out[i] = sum + before;
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recurse(unsigned *out) {
    out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3 % 4);
}

// Sorts eight values in an array that only the thread sees.
extern "C" __global__ void sort_in_local(const unsigned *in, unsigned *out) {
    unsigned mine[8];
    const unsigned *from = in + threadIdx.x * 8;
    for (int i = 0; i < 8; i++) mine[i] = from[i];
    for (int i = 1; i < 8; i++) {
        unsigned value = mine[i];
        int at = i;
        while (at > 0 && mine[at - 1] > value) { mine[at] = mine[at - 1]; at--; }
        mine[at] = value;
    }
    for (int i = 0; i < 8; i++) out[threadIdx.x * 8 + i] = mine[i];
}

extern "C" __global__ void talk(unsigned n) {
    unsigned long long big = 1ull << 40 | threadIdx.x;
    if (threadIdx.x < n)
        printf("%s %u of block %d: %llx%c\n", "thread", threadIdx.x, -(int)blockIdx.x, big, '!');
}

extern "C" __global__ void insist(unsigned limit) {
    assert(threadIdx.x < limit);
}

struct Line { unsigned a[3]; unsigned long long b; unsigned c[5]; };

extern "C" __global__ void take_structure(unsigned scale, struct Line line, unsigned *out) {
    unsigned which = threadIdx.x % 3;
    out[threadIdx.x] = scale * line.a[which] + (unsigned)line.b + line.c[threadIdx.x % 5];
}

// Each bin has a lock, for which the lanes of a warp compete.
extern "C" __global__ void lock_per_bin(const unsigned *in, unsigned n, unsigned bins, int *locks,
                                        volatile unsigned *counts) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bin = in[i] % bins;
    while (atomicCAS(&locks[bin], 0, 1) != 0) {}
    __threadfence();
    counts[bin] = counts[bin] + 1;
    __threadfence();
    atomicExch(&locks[bin], 0);
}

typedef unsigned (*Function)(unsigned);
__device__ __noinline__ unsigned twice(unsigned x) { return 2 * x; }
__device__ __noinline__ unsigned square(unsigned x) { return x * x; }
__device__ __noinline__ unsigned next(unsigned x) { return x + 1; }
__device__ Function table[3] = {twice, square, next};
__constant__ unsigned weights[5] = {3, 1, 4, 1, 5};

extern "C" __global__ void through_table(unsigned *out) {
    out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x) * weights[threadIdx.x % 5];
}

// One atomic for all lanes of the warp that have the same bin.
extern "C" __global__ void count_by_match(const unsigned *in, unsigned n, unsigned bins, unsigned *counts) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned bin = in[i] % bins;
    unsigned same = __match_any_sync(__activemask(), bin);
    if ((same & ((1u << threadIdx.x % 32) - 1)) == 0) atomicAdd(&counts[bin], __popc(same));
}
