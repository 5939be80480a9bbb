// Reduce: the sum of all values.
//
// Overview
//   The order of the additions is free, so all threads can work at the same time.
//   Each thread first adds its own values in a register, one grid width apart. The
//   sums of the threads are then added within a warp, within a block, and across
//   the grid. The variants differ in how.
//
//   interleaved  Idea: a tree in shared memory. In round k, each thread whose index
//                is a multiple of 2^(k+1) adds the number 2^k places to the right.
//                Cost: the active threads move apart, so every warp stays active
//                with ever fewer lanes. The test for a multiple needs an integer
//                division, and each round needs a barrier.
//                Counter: `divergent_branches` and `divisions`; compare
//                `warp_instructions` with `sequential`.
//
//   sequential   Idea: the same tree, but in each round the first half of the
//                numbers takes the second half. The active threads stay adjacent,
//                so whole warps become idle and issue little.
//                Cost: as many barriers as before.
//                Counter: `divergent_branches` and `shared_load_requests` fall,
//                `barriers` stays.
//
//   Both write one partial sum per block. Two ways to add those:
//
//   final=cpu    Idea: copy them to the host, add them there, copy the sum back.
//                Cost: two copies, each with its latency, but no other launch.
//                Counter: none; see the copies among the phases of `warpscope run`.
//
//   final=gpu    Idea: run the same kernel on the partial sums until one is left.
//                Cost: one launch per level; the host waits for none of them.
//                Counter: `launch` in the model's times.
//
//   shuffle      Idea: load 16 bytes at a time, four loads in flight per thread. Add
//                within a warp by shuffles, across the warps in 128 bytes of shared
//                memory, and across the blocks by one atomic addition per block.
//                Cost: the atomics all update one address, so L2 serialises them:
//                1.37 billion per second on an H200 (`atomic_slice` of its profile),
//                12 us for 16384 blocks. Their order is not fixed, so the last
//                digits of a float sum can change from run to run.
//                Counter: `global_load_requests` and `barriers` fall,
//                `hottest_chunk_passes` is the number of blocks.
//
// Coarsening
//   More values per thread mean fewer blocks and fewer partial sums.
//   Example: n = 2^20 values, 256 threads per block.
//     coarsening 1:   4096 partial sums: two more launches (4096 -> 16 -> 1), or a
//                     copy of 16 KiB.
//     coarsening 16:  256 partial sums: one more launch, or a copy of 1 KiB.
//
// Types
//   u32 adds modulo 2^32, exact in any order. f32 rounds each addition; a tree keeps
//   the error small, because each value takes part in few additions.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks. The kernels do not
//          read the coarsening: they use a grid-stride loop.
//   block  any number of threads up to 1024; it need not be a power of two.
//   shared 4 bytes per thread for the trees, with the number of threads rounded up
//          to a power of two. None for `shuffle`, which declares 128 bytes.
//   n      below 2^31. `values` is aligned to 16 bytes.
//   partials has one word per block; sum is zero before the launch.

// ---- one sum per thread -----------------------------------------------------

// Adds the values of this thread, one grid width apart, so that neighbouring threads
// read neighbouring values.
template <typename T>
static __device__ __forceinline__ T thread_sum(const T *values, unsigned int n)
{
    T sum = 0;
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        sum += values[i];
    }
    return sum;
}

// ---- interleaved and sequential: a tree in shared memory --------------------

extern __shared__ unsigned int block_words[];

// The number of threads, rounded up to a power of two.
static __device__ __forceinline__ unsigned int tree_width()
{
    return blockDim.x == 1 ? 1 : 1u << (32 - __clz(blockDim.x - 1));
}

// Stores the threads' sums in the tree, and zeros beyond the last thread.
template <typename T>
static __device__ __forceinline__ T *fill_tree(T sum)
{
    T *tree = reinterpret_cast<T *>(block_words);
    tree[threadIdx.x] = sum;
    unsigned int beyond = blockDim.x + threadIdx.x;
    if (beyond < tree_width()) {
        tree[beyond] = 0;
    }
    __syncthreads();  // the tree is complete before any thread adds
    return tree;
}

template <typename T>
static __device__ __forceinline__ void interleaved(const T *values, unsigned int n, T *partials)
{
    T *tree = fill_tree(thread_sum(values, n));
    for (unsigned int distance = 1; distance < tree_width(); distance *= 2) {
        if (threadIdx.x % (2 * distance) == 0) {
            tree[threadIdx.x] += tree[threadIdx.x + distance];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = tree[0];
    }
}

template <typename T>
static __device__ __forceinline__ void sequential(const T *values, unsigned int n, T *partials)
{
    T *tree = fill_tree(thread_sum(values, n));
    for (unsigned int half = tree_width() / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            tree[threadIdx.x] += tree[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = tree[0];
    }
}

extern "C" __global__ void reduce_interleaved_u32(const unsigned int *values, unsigned int n,
                                                  unsigned int *partials)
{
    interleaved(values, n, partials);
}

extern "C" __global__ void reduce_interleaved_f32(const float *values, unsigned int n,
                                                  float *partials)
{
    interleaved(values, n, partials);
}

extern "C" __global__ void reduce_sequential_u32(const unsigned int *values, unsigned int n,
                                                 unsigned int *partials)
{
    sequential(values, n, partials);
}

extern "C" __global__ void reduce_sequential_f32(const float *values, unsigned int n,
                                                 float *partials)
{
    sequential(values, n, partials);
}

// ---- shuffle: registers, warps, one atomic per block ------------------------

// Four neighbouring values, loaded at once.
template <typename T>
struct alignas(16) Vector4 {
    T a, b, c, d;
};

template <typename T>
static __device__ __forceinline__ T sum4(Vector4<T> v)
{
    return (v.a + v.b) + (v.c + v.d);
}

// As `thread_sum`, 16 bytes at a time. Four loads are issued before the first is
// used.
template <typename T>
static __device__ __forceinline__ T wide_thread_sum(const T *values, unsigned int n)
{
    const Vector4<T> *vectors = reinterpret_cast<const Vector4<T> *>(values);
    unsigned int count = n / 4;
    unsigned int stride = gridDim.x * blockDim.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    // The last n % 4 values, one for each of the first threads.
    if (i < n % 4) {
        sum = values[4 * count + i];
    }
    // A count of rounds cannot wrap around, unlike `i + 3 * stride`.
    unsigned int rounds = i < count ? (count - 1 - i) / stride + 1 : 0;
    for (; rounds >= 4; rounds -= 4) {
        Vector4<T> first = vectors[i];
        Vector4<T> second = vectors[i + stride];
        Vector4<T> third = vectors[i + 2 * stride];
        Vector4<T> fourth = vectors[i + 3 * stride];
        sum += (sum4(first) + sum4(second)) +
               (sum4(third) + sum4(fourth));
        i += 4 * stride;
    }
    for (; rounds > 0; rounds -= 1) {
        sum += sum4(vectors[i]);
        i += stride;
    }
    return sum;
}

// The sum over the `lanes` existing lanes of a warp, in lane 0.
template <typename T>
static __device__ __forceinline__ T warp_reduce(T sum, unsigned int lane, unsigned int lanes)
{
    unsigned int mask = lanes < 32 ? (1u << lanes) - 1 : 0xffffffffu;
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
        T other = __shfl_down_sync(mask, sum, distance);
        if (lane + distance < lanes) {
            sum += other;
        }
    }
    return sum;
}

template <typename T>
static __device__ __forceinline__ void shuffle(const T *values, unsigned int n, T *total)
{
    __shared__ T warp_sums[32];
    unsigned int lane = threadIdx.x % 32;
    unsigned int warp = threadIdx.x / 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    unsigned int lanes = min(32u, blockDim.x - 32 * warp);

    T sum = warp_reduce(wide_thread_sum(values, n), lane, lanes);
    if (lane == 0) {
        warp_sums[warp] = sum;
    }
    __syncthreads();  // all warp sums are stored before any is read
    if (warp > 0) {
        return;
    }
    // One warp sum per lane of the first warp. A first warp of fewer than 32 lanes
    // is the only warp.
    sum = warp_reduce(lane < warps ? warp_sums[lane] : T(0), lane, lanes);
    if (lane == 0) {
        atomicAdd(total, sum);
    }
}

extern "C" __global__ void reduce_shuffle_u32(const unsigned int *values, unsigned int n,
                                              unsigned int *sum)
{
    shuffle(values, n, sum);
}

extern "C" __global__ void reduce_shuffle_f32(const float *values, unsigned int n, float *sum)
{
    shuffle(values, n, sum);
}
