// Dominant peaks with several peaks per thread in registers.
//
// Overview
//   The rung above `tiled` of dominant_peaks.cu, which says what is computed.
//
//   register-tiled   Idea: each thread holds several peaks in registers, so one load
//                    from the tile serves several pairs, and a pair takes three
//                    instructions (below). The grid has a second dimension: each
//                    block compares its peaks with one chunk of the others only, so
//                    all blocks take about as long.
//                    Cost: registers, and one global atomic minimum per peak and
//                    chunk. Blocks whose chunk has no higher peak end at once.
//                    Counter: `shared_load_requests` and `warp_instructions` fall,
//                    `global_atomic_requests` appears.
//
// Three instructions per pair
//   With s = x x + y y, the squared distance of the peaks i and j is
//   s_i + (s_j - 2 x_j x_i - 2 y_j y_i). Only the part in brackets depends on j, so the
//   nearest peak is the one with its minimum, and s_i is added at the end. The tile holds
//   -2 x_j, -2 y_j and s_j: two multiply-adds and a minimum per pair. A squared distance
//   and s_i are both below 2^31, so the part in brackets fits into a signed word.
//   The products wrap around, which does not change their sum.
//
// Example
//   65,536 peaks, 128 threads with 4 peaks each, chunks of 1024: 0.36 ms on an H200,
//   where `tiled` takes 0.77 ms.
//
// Launch
//   grid    x: max(1, ceil(n / (block * PEAKS))); y: max(1, ceil(n / chunk)). A kernel
//           for each number of PEAKS per thread.
//   block   any number of threads.
//   shared  16 bytes per thread.
//   x, y    whole pixels, below 32768, so that a squared distance fits into 32 bits.
//   least   squared distances; 2^32 - 1 before the launch, which is what the highest peak
//           keeps.

// More than any part of a squared distance (see the overview).
#define NO_PART 0x7fffffff

template <int PEAKS>
static __device__ __forceinline__ void register_tiled(const int *__restrict__ x,
                                                      const int *__restrict__ y, unsigned int n,
                                                      unsigned int *__restrict__ least,
                                                      unsigned int chunk)
{
    // -2 x, -2 y and x x + y y of one peak per thread. Four words instead of three, so
    // that one 128-bit load reads them.
    extern __shared__ uint4 others[];

    // The block's peaks, and the part of its chunk that comes before the last of them.
    unsigned int first = blockIdx.x * blockDim.x * PEAKS;
    unsigned int last = min(n, first + blockDim.x * PEAKS);
    unsigned int begin = blockIdx.y * chunk;
    unsigned int end = min(begin + chunk, last);
    if (begin >= end) {
        return;
    }

    unsigned int my_x[PEAKS], my_y[PEAKS];
    int nearest[PEAKS];
#pragma unroll
    for (int k = 0; k < PEAKS; k++) {
        unsigned int i = first + k * blockDim.x + threadIdx.x;
        my_x[k] = i < n ? x[i] : 0;
        my_y[k] = i < n ? y[i] : 0;
        nearest[k] = NO_PART;
    }

    for (unsigned int start = begin; start < end; start += blockDim.x) {
        unsigned int count = min(blockDim.x, end - start);
        if (threadIdx.x < count) {
            unsigned int other_x = x[start + threadIdx.x];
            unsigned int other_y = y[start + threadIdx.x];
            others[threadIdx.x] = make_uint4(-(2 * other_x), -(2 * other_y),
                                             other_x * other_x + other_y * other_y, 0);
        }
        __syncthreads();  // the tile is complete
        if (start + count <= first) {
            // All peaks of the tile are higher than all of the block.
#pragma unroll 8
            for (unsigned int j = 0; j < count; j++) {
                uint4 other = others[j];
#pragma unroll
                for (int k = 0; k < PEAKS; k++) {
                    int part = (int)(my_x[k] * other.x + (my_y[k] * other.y + other.z));
                    nearest[k] = min(nearest[k], part);
                }
            }
        } else {
            for (unsigned int j = 0; j < count; j++) {
                uint4 other = others[j];
#pragma unroll
                for (int k = 0; k < PEAKS; k++) {
                    int part = (int)(my_x[k] * other.x + (my_y[k] * other.y + other.z));
                    bool higher = start + j < first + k * blockDim.x + threadIdx.x;
                    nearest[k] = higher ? min(nearest[k], part) : nearest[k];
                }
            }
        }
        __syncthreads();  // all threads have read the tile before the next is stored
    }

#pragma unroll
    for (int k = 0; k < PEAKS; k++) {
        unsigned int i = first + k * blockDim.x + threadIdx.x;
        if (i < n && nearest[k] != NO_PART) {
            atomicMin(&least[i], my_x[k] * my_x[k] + my_y[k] * my_y[k] + (unsigned int)nearest[k]);
        }
    }
}

#define REGISTER_TILED(PEAKS)                                                               \
    extern "C" __global__ void __launch_bounds__(1024) peaks_register_tiled_##PEAKS(        \
        const int *__restrict__ x, const int *__restrict__ y, unsigned int n,               \
        unsigned int *__restrict__ least, unsigned int chunk)                               \
    {                                                                                       \
        register_tiled<PEAKS>(x, y, n, least, chunk);                                       \
    }

REGISTER_TILED(1)
REGISTER_TILED(2)
REGISTER_TILED(4)
REGISTER_TILED(8)
