// Groups of threads, as <cooperative_groups.h> names them: the sum of the positive numbers of an array.
// The fewer threads add to the one sum in memory, the less they wait for each other: watch the atomics.

/* warpscope
sizes   = "2^12..2^20:x4,77777"
block   = 256
grid    = "ceil(n / block)"
args    = ["in: i32[n] = i * 37 % 201 - 100", "sum: i32[1] zeros", "n: i32 = n"]
output  = "sum"

[kernel.ahead]
grid    = "ceil(n / (4 * block))"
shared  = "8 * block"
*/

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

static __device__ int positive(const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    return i < n ? max(in[i], 0) : 0;
}

// Every thread with a positive number adds it itself. `ptxas` sees that all of them add to one place, and
// lets each warp add its sum: so this takes as long as `tile`.
static __global__ void each(const int *in, int *sum, int n) {
    int value = positive(in, n);
    if (value > 0) atomicAdd(sum, value);
}

// The threads that took the branch make a group: it counts them from 0, however they lie. The last one
// has the sum of all after a scan, and adds it.
static __global__ void active(const int *in, int *sum, int n) {
    int value = positive(in, n);
    if (value > 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int total = cg::inclusive_scan(group, value, cg::plus<int>());
        if (group.thread_rank() == group.size() - 1) atomicAdd(sum, total);
    }
}

// All threads of a warp: exchanges by `shfl`, and no branch before them.
static __global__ void tile(const int *in, int *sum, int n) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int total = cg::reduce(warp, positive(in, n), cg::plus<int>());
    if (warp.thread_rank() == 0) atomicAdd(sum, total);
}

// The sum of a block: of each warp in shared memory, then of those by the first warp.
static __device__ void add_block(int value, int *sum) {
    __shared__ int of_warps[32];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int total = cg::reduce(warp, value, cg::plus<int>());
    if (warp.thread_rank() == 0) of_warps[warp.meta_group_rank()] = total;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        total = warp.thread_rank() < warp.meta_group_size() ? of_warps[warp.thread_rank()] : 0;
        total = cg::reduce(warp, total, cg::plus<int>());
        if (warp.thread_rank() == 0) atomicAdd(sum, total);
    }
}

static __global__ void block(const int *in, int *sum, int n) { add_block(positive(in, n), sum); }

// Four numbers a thread. While it adds one, the next is already on its way to shared memory, without a
// register to wait for it.
static __global__ void ahead(const int *in, int *sum, int n) {
    extern __shared__ int stages[];
    int first = 4 * blockIdx.x * blockDim.x + threadIdx.x, value = 0;
    auto fetch = [&](int step) {
        int i = first + step * blockDim.x;
        int *place = &stages[step % 2 * blockDim.x + threadIdx.x];
        if (step < 4 && i < n) __pipeline_memcpy_async(place, &in[i], sizeof(int));
        else *place = 0;
        __pipeline_commit();
    };
    fetch(0);
    for (int step = 0; step < 4; step++) {
        if (step < 3) fetch(step + 1);
        else __pipeline_commit();
        __pipeline_wait_prior(1);
        value += max(stages[step % 2 * blockDim.x + threadIdx.x], 0);
    }
    add_block(value, sum);
}
