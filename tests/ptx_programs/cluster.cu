// Histograms whose bins lie in the shared memory of four blocks, and a sum over a cluster.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1) bins(const unsigned int *in, int n, unsigned int *out)
{
    __shared__ unsigned int part[64];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) part[i] = 0;
    cluster.sync();
    unsigned int first = blockIdx.x / cluster.num_blocks() * cluster.num_threads();
    unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int i = first + cluster.thread_rank(); i < n; i += step) {
        unsigned int bin = in[i] % 256;
        atomicAdd(cluster.map_shared_rank(part, bin / 64) + bin % 64, 1u);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        atomicAdd(&out[cluster.block_rank() * 64 + i], part[i]);
}

extern "C" __global__ void total(const unsigned int *in, unsigned int *out)
{
    __shared__ unsigned int sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.sync();
    if (cluster.thread_rank() == 0) {
        unsigned int all = 0;
        for (unsigned int rank = 0; rank < cluster.num_blocks(); ++rank)
            all += *cluster.map_shared_rank(&sum, rank);
        out[blockIdx.x / cluster.num_blocks()] = all;
    }
    cluster.sync();
}
