// Groups of threads, as <cooperative_groups.h> declares them: the block, tiles of a warp, the
// lanes that are active, clusters, the grid.

namespace cooperative_groups {

__WS unsigned int __ws_thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__WS unsigned int __ws_lanes_below()
{
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

// The lanes of `mask`, or the block where that is 0.
class thread_group {
public:
    __WSM explicit thread_group(unsigned int lanes) : mask(lanes) {}
    __WSM void sync() const
    {
        if (mask)
            __syncwarp(mask);
        else
            __syncthreads();
    }
    __WSM unsigned int size() const
    {
        return mask ? __popc(mask) : blockDim.x * blockDim.y * blockDim.z;
    }
    __WSM unsigned int num_threads() const { return size(); }
    __WSM unsigned int thread_rank() const
    {
        return mask ? __popc(mask & __ws_lanes_below()) : __ws_thread();
    }

protected:
    unsigned int mask;
};

class thread_block : public thread_group {
public:
    __WSM thread_block() : thread_group(0) {}
    __WSM dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __WSM dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __WSM dim3 group_dim() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __WSM dim3 dim_threads() const { return group_dim(); }
};
__WS thread_block this_thread_block() { return thread_block(); }

// `Size` neighbouring lanes.
template <unsigned int Size, class Parent = thread_block>
class thread_block_tile : public thread_group {
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    static __WSM unsigned int first() { return __ws_thread() % 32 / Size * Size; }

public:
    __WSM thread_block_tile() : thread_group((0xffffffffu >> (32 - Size)) << first()) {}
    __WSM unsigned int thread_rank() const { return __ws_thread() % Size; }
    __WSM unsigned int size() const { return Size; }
    __WSM unsigned int num_threads() const { return Size; }
    __WSM unsigned int meta_group_rank() const { return __ws_thread() / Size; }
    __WSM unsigned int meta_group_size() const { return (thread_block().size() - 1) / Size + 1; }
    template <class T> __WSM T shfl(T value, int rank) const
    {
        return __shfl_sync(mask, value, rank, Size);
    }
    template <class T> __WSM T shfl_up(T value, unsigned int by) const
    {
        return __shfl_up_sync(mask, value, by, Size);
    }
    template <class T> __WSM T shfl_down(T value, unsigned int by) const
    {
        return __shfl_down_sync(mask, value, by, Size);
    }
    template <class T> __WSM T shfl_xor(T value, unsigned int with) const
    {
        return __shfl_xor_sync(mask, value, with, Size);
    }
    __WSM int any(int predicate) const { return __any_sync(mask, predicate); }
    __WSM int all(int predicate) const { return __all_sync(mask, predicate); }
    __WSM unsigned int ballot(int predicate) const
    {
        return __ballot_sync(mask, predicate) >> first() & (0xffffffffu >> (32 - Size));
    }
};
template <unsigned int Size, class Parent>
__WS thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

// The lanes that run together. Ranks count these alone.
class coalesced_group : public thread_group {
    __WSM int lane(unsigned int rank) const { return __fns(mask, 0, rank + 1); }

public:
    __WSM coalesced_group() : thread_group(__activemask()) {}
    template <class T> __WSM T shfl(T value, unsigned int rank) const
    {
        return __shfl_sync(mask, value, lane(rank % size()));
    }
    template <class T> __WSM T shfl_up(T value, unsigned int by) const
    {
        unsigned int own = thread_rank();
        return __shfl_sync(mask, value, lane(own < by ? own : own - by));
    }
    template <class T> __WSM T shfl_down(T value, unsigned int by) const
    {
        unsigned int own = thread_rank();
        return __shfl_sync(mask, value, lane(own + by < size() ? own + by : own));
    }
    __WSM int any(int predicate) const { return __any_sync(mask, predicate); }
    __WSM int all(int predicate) const { return __all_sync(mask, predicate); }
    __WSM unsigned int ballot(int predicate) const
    {
        unsigned int all = __ballot_sync(mask, predicate), packed = 0;
        for (unsigned int rank = 0; rank < size(); rank++) packed |= (all >> lane(rank) & 1) << rank;
        return packed;
    }
};
__WS coalesced_group coalesced_threads() { return coalesced_group(); }

// Its highest bit changes when all blocks have come: the first one adds what the others leave out.
static __device__ unsigned int __ws_grid_word;

// A function of its own, because the emulator knows it by its name.
static __device__ __attribute__((noinline)) void warpscope_grid_barrier()
{
    __syncthreads();
    if (__ws_thread() == 0) {
        unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
        bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
        __threadfence();
        unsigned int before =
            atomicAdd(&__ws_grid_word, first ? 0x80000000u - (blocks - 1) : 1u);
        while (((before ^ *(volatile unsigned int *)&__ws_grid_word) & 0x80000000u) == 0) {}
        __threadfence();
    }
    __syncthreads();
}

class grid_group {
public:
    __WSM void sync() const { warpscope_grid_barrier(); }
    __WSM bool is_valid() const { return true; }
    __WSM unsigned long long block_rank() const
    {
        return (blockIdx.z * (unsigned long long)gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __WSM unsigned long long num_blocks() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __WSM unsigned long long thread_rank() const
    {
        return block_rank() * thread_block().size() + __ws_thread();
    }
    __WSM unsigned long long num_threads() const { return num_blocks() * thread_block().size(); }
    __WSM unsigned long long size() const { return num_threads(); }
};
__WS grid_group this_grid() { return grid_group(); }

#if __CUDA_ARCH__ >= 900
// The blocks of a cluster, which see each other's shared memory.
class cluster_group {
public:
    __WSM static void barrier_arrive()
    {
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    }
    __WSM static void barrier_wait()
    {
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    }
    __WSM static void sync()
    {
        barrier_arrive();
        barrier_wait();
    }
    __WSM static unsigned int block_rank()
    {
        unsigned int rank;
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        return rank;
    }
    __WSM static unsigned int num_blocks()
    {
        unsigned int count;
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
        return count;
    }
    __WSM static unsigned int thread_rank()
    {
        return block_rank() * thread_block().size() + __ws_thread();
    }
    __WSM static unsigned int num_threads() { return num_blocks() * thread_block().size(); }
    __WSM static unsigned int size() { return num_threads(); }
    // The same variable of another block.
    template <class T> __WSM static T *map_shared_rank(T *variable, int rank)
    {
        unsigned long long there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"((unsigned long long)variable), "r"(rank));
        return (T *)there;
    }
    __WSM static unsigned int query_shared_rank(const void *variable)
    {
        unsigned int rank;
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"((unsigned long long)variable));
        return rank;
    }
};
__WS cluster_group this_cluster() { return cluster_group(); }
#endif

template <class Group> __WS void sync(const Group &group) { group.sync(); }

// Of <cooperative_groups/reduce.h> and <cooperative_groups/scan.h>.
#define __WS_OPERATION(name, value)                                                               \
    template <class T> struct name {                                                              \
        __WSM T operator()(T a, T b) const { return value; }                                      \
    };
__WS_OPERATION(plus, a + b)
__WS_OPERATION(less, a < b ? a : b)
__WS_OPERATION(greater, a < b ? b : a)
__WS_OPERATION(bit_and, a & b)
__WS_OPERATION(bit_or, a | b)
__WS_OPERATION(bit_xor, a ^ b)

template <unsigned int Size, class Parent, class T, class Op>
__WS T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op)
{
    for (unsigned int with = Size / 2; with > 0; with /= 2)
        value = op(value, group.shfl_xor(value, with));
    return value;
}
template <class T, class Op> __WS T reduce(const coalesced_group &group, T value, Op op)
{
    T all = group.shfl(value, 0);
    for (unsigned int rank = 1; rank < group.size(); rank++) all = op(all, group.shfl(value, rank));
    return all;
}
template <class Group, class T, class Op>
__WS T inclusive_scan(const Group &group, T value, Op op)
{
    for (unsigned int by = 1; by < group.size(); by *= 2) {
        T before = group.shfl_up(value, by);
        if (group.thread_rank() >= by) value = op(before, value);
    }
    return value;
}
template <class Group, class T> __WS T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op>
__WS T exclusive_scan(const Group &group, T value, Op op)
{
    T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> __WS T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups
