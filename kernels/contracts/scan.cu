// Inclusive prefix sums in one launch. A block takes the next tile, scans it, waits for
// the sum of all earlier tiles, and adds it.
extern "C" __global__ void mine(const unsigned int *values, unsigned int *sums, unsigned int n,
                                unsigned int items, volatile unsigned long long *states,
                                unsigned int *next_tile)
{
    extern __shared__ unsigned int totals[];
    __shared__ unsigned int tile, before;

    // Blocks may start in any order. With tiles from a counter, every earlier tile
    // belongs to a block that runs already.
    if (threadIdx.x == 0) {
        tile = atomicAdd(next_tile, 1u);
    }
    __syncthreads();  // the tile is known before any thread uses it

    // Each thread adds up its `items` neighbours.
    unsigned int first = (tile * blockDim.x + threadIdx.x) * items;
    unsigned int total = 0;
    for (unsigned int i = first; i < first + items && i < n; i++) {
        total += values[i];
    }

    // Scan the totals of the threads: in each step, add the total `distance` before.
    totals[threadIdx.x] = total;
    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
        __syncthreads();  // all totals are written before any thread reads them
        unsigned int left = threadIdx.x >= distance ? totals[threadIdx.x - distance] : 0;
        __syncthreads();  // all totals are read before any thread writes them
        totals[threadIdx.x] += left;
    }
    __syncthreads();  // the scan of the block is done

    // A state is 2^32 (there is a sum) plus the sum up to the end of the tile. Both are
    // one word, so that nobody sees one without the other.
    if (threadIdx.x == 0) {
        before = 0;
        if (tile > 0) {
            unsigned long long state;
            do {
                state = states[tile - 1];
            } while (state == 0);
            before = (unsigned int)state;
        }
        states[tile] = 1ull << 32 | (before + totals[blockDim.x - 1]);
    }
    __syncthreads();  // the sum of earlier tiles is known to all threads

    unsigned int running = before + totals[threadIdx.x] - total;
    for (unsigned int i = first; i < first + items && i < n; i++) {
        running += values[i];
        sums[i] = running;
    }
}
