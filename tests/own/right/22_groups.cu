// Sums of a block's numbers with cooperative groups.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* warpscope
sizes     = "2^10..2^22:x4"
block     = 256
grid      = "ceil(n / block)"
args      = [ "in: i32[n] uniform", "sums: i32[ceil(n / block)] zeros", "n: i32 = n" ]
output    = "sums"
*/

// One atomic operation per number.
extern "C" __global__ void sum_atomic(const int *in, int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sums[blockIdx.x], in[i]);
}

// Tiles of 8 threads add by shuffles; the first thread of each adds the sum of its tile.
extern "C" __global__ void sum_tiles(const int *in, int *sums, int n) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = (int)cg::this_grid().thread_rank();
    int sum = i < n ? in[i] : 0;
    for (int by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
    if (tile.thread_rank() == 0) atomicAdd(&sums[block.group_index().x], sum);
}

// A group of any kind folds its numbers in shared memory.
__device__ int fold(cg::thread_group group, int *numbers, int value) {
    int rank = group.thread_rank();
    for (int half = group.size() / 2; half > 0; half /= 2) {
        numbers[rank] = value;
        group.sync();
        if (rank < half) value += numbers[rank + half];
        group.sync();
    }
    return value;
}

extern "C" __global__ void sum_fold(const int *in, int *sums, int n) {
    __shared__ int numbers[1024];
    auto block = cg::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = fold(block, numbers, i < n ? in[i] : 0);
    if (block.thread_rank() == 0) sums[blockIdx.x] = sum;
}

// All lanes vote; the ballot of a tile counts its odd numbers first.
extern "C" __global__ void sum_ballot(const int *in, int *sums, int n) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    unsigned int odd = warp.ballot(value & 1);
    int even = value & ~1;
    for (int with = 16; with > 0; with /= 2) even += warp.shfl_xor(even, with);
    if (warp.thread_rank() == 0) atomicAdd(&sums[blockIdx.x], even + __popc(odd));
}
