// Reduce: add up all values.
//
// Overview
//   A sum has no order that anybody asks for, so every thread can begin with a
//   part of its own. Each thread first adds the values that fall to it, one grid
//   width apart, in a register. What remains is one number per thread, and those
//   have to meet: within a warp, within a block, and across the grid. The
//   variants differ in how.
//
//   interleaved   A tree in shared memory. In round k, thread t adds the number
//                 2^k places on, if t is a multiple of 2^(k+1). The threads that
//                 still work lie further and further apart: every warp has some
//                 to the last rounds and issues instructions for all 32 lanes,
//                 most of them idle.
//
//   sequential    The same tree with the halves folded instead: in each round
//                 the first half of the numbers takes on the second half. The
//                 threads that work are the first ones, side by side, so whole
//                 warps have nothing left to do, and neighbours use neighbouring
//                 banks.
//
//   Both leave one partial sum per block in global memory, and something has to
//   add those up:
//
//   final=cpu     The partial sums are copied to the host, which adds them and
//                 copies the sum back. Two copies, each with its latency, and no
//                 further launch.
//
//   final=gpu     The same kernel runs again over the partial sums, and again,
//                 until one value is left. One launch after the other; the host
//                 waits for none of them.
//
//   shuffle       What one writes today. Values are read 16 bytes at a time,
//                 four of those under way per thread, so that enough bytes are
//                 in flight to keep the memory busy. The threads of a warp hand
//                 their sums from register to register (shuffle), without shared
//                 memory and without barriers; the warps of a block meet once in
//                 32 words of shared memory; and every block ends with a single
//                 atomic addition to the sum. One launch, no partial sums.
//
// Trade-off
//   A tree of B numbers needs log2(B) rounds with a barrier each; five of them
//   are shuffles in the last variant. The atomics of `shuffle` all go to one
//   address and are carried out one after the other: about 0.7 ns each on an
//   H200, for 16384 blocks 11 us. Coarsening makes blocks fewer and hides it.
//   And as nobody knows in which order they come, a sum of floats can differ in
//   its last digits from run to run.
//
//   Worked numbers: n = 2^20 values, 256 threads per block.
//     coarsening 1:   4096 partial sums; on the GPU they take two more launches
//                     (4096 -> 16 -> 1), on the CPU a copy of 16 KiB.
//     coarsening 16:  256 partial sums; one more launch, or a copy of 1 KiB.
//
// Types
//   u32 adds modulo 2^32: exact, whatever the order. f32 rounds every addition;
//   trees keep the error small, as no value passes through more than a few.
//
// Launch
//   grid   max(1, ceil(n / (blockDim.x * coarsening))) blocks. The kernels never
//          see the coarsening: a grid with fewer threads than values makes each
//          thread take several.
//   block  any number of threads up to 1024; it need not be a power of two.
//   shared 4 bytes for each of the threads, rounded up to a power of two, for
//          the trees; none for `shuffle`, which has 128 bytes of its own.
//   n      below 2^31. `values` lies at a multiple of 16 bytes.
//   partials has one word per block; sum is zero before the launch.

// ---- one number per thread --------------------------------------------------

// Adds the values of this thread, one grid width apart: neighbouring threads
// read neighbouring values.
template <typename T>
static __device__ __forceinline__ T sum_of_thread(const T *values, unsigned int n)
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

// The least power of two that is not below the number of threads.
static __device__ __forceinline__ unsigned int places()
{
    return blockDim.x == 1 ? 1 : 1u << (32 - __clz(blockDim.x - 1));
}

// Puts the threads' numbers into the tree, and zeros, which add nothing, into
// the places beyond the last thread.
template <typename T>
static __device__ __forceinline__ T *fill_tree(T sum)
{
    T *tree = reinterpret_cast<T *>(block_words);
    tree[threadIdx.x] = sum;
    unsigned int place = blockDim.x + threadIdx.x;
    if (place < places()) {
        tree[place] = 0;
    }
    __syncthreads();  // no thread may add before every place is filled
    return tree;
}

template <typename T>
static __device__ __forceinline__ void interleaved(const T *values, unsigned int n, T *partials)
{
    T *tree = fill_tree(sum_of_thread(values, n));
    for (unsigned int distance = 1; distance < places(); distance *= 2) {
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
    T *tree = fill_tree(sum_of_thread(values, n));
    for (unsigned int half = places() / 2; half > 0; half /= 2) {
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

// Four neighbouring values, read at once.
template <typename T>
struct alignas(16) Four {
    T a, b, c, d;
};

template <typename T>
static __device__ __forceinline__ T sum_of_four(Four<T> four)
{
    return (four.a + four.b) + (four.c + four.d);
}

// As `sum_of_thread`, 16 bytes at a time. Four reads are issued before the first
// of them is needed.
template <typename T>
static __device__ __forceinline__ T wide_sum_of_thread(const T *values, unsigned int n)
{
    const Four<T> *fours = reinterpret_cast<const Four<T> *>(values);
    unsigned int count = n / 4;
    unsigned int stride = gridDim.x * blockDim.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    // What a division by 4 leaves over: up to three values for the first threads.
    if (i < n % 4) {
        sum = values[4 * count + i];
    }
    // Counting rounds instead of comparing `i + 3 * stride` cannot wrap around.
    unsigned int rounds = i < count ? (count - 1 - i) / stride + 1 : 0;
    for (; rounds >= 4; rounds -= 4) {
        Four<T> first = fours[i];
        Four<T> second = fours[i + stride];
        Four<T> third = fours[i + 2 * stride];
        Four<T> fourth = fours[i + 3 * stride];
        sum += (sum_of_four(first) + sum_of_four(second)) +
               (sum_of_four(third) + sum_of_four(fourth));
        i += 4 * stride;
    }
    for (; rounds > 0; rounds -= 1) {
        sum += sum_of_four(fours[i]);
        i += stride;
    }
    return sum;
}

// Adds the numbers of a warp's first `lanes` lanes, the only ones that exist;
// lane 0 has the sum.
template <typename T>
static __device__ __forceinline__ T sum_of_warp(T sum, unsigned int lane, unsigned int lanes)
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
    __shared__ T of_warp[32];
    unsigned int lane = threadIdx.x % 32;
    unsigned int warp = threadIdx.x / 32;
    unsigned int warps = (blockDim.x + 31) / 32;
    unsigned int lanes = min(32u, blockDim.x - 32 * warp);

    T sum = sum_of_warp(wide_sum_of_thread(values, n), lane, lanes);
    if (lane == 0) {
        of_warp[warp] = sum;
    }
    __syncthreads();  // no warp's sum may be read before it is there
    if (warp > 0) {
        return;
    }
    // The first warp takes a number per lane; it may have fewer lanes than the
    // block has warps only where there is one warp.
    sum = sum_of_warp(lane < warps ? of_warp[lane] : T(0), lane, lanes);
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
