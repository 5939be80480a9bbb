// Collatz: halve an even number, triple an odd one and add one. How many steps
// until 1? Every number takes another count, so the lanes of a warp diverge.

/* warpscope
sizes  = "2^8..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = ["steps: u16[n] zeros", "n: u32 = n"]
output = "steps"
view   = "line"
tolerance = 0
*/

#include <stdint.h>
#include <stdio.h>

extern "C" __global__ void collatz_steps(uint16_t *steps, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t value = i + 1;
    uint16_t count = 0;
    while (value != 1) {
        if (value % 2 == 0)
            value /= 2;
        else
            value = 3 * value + 1;
        count++;
    }
    steps[i] = count;
}

// Takes all halvings at once: their number is the number of trailing zeros.
extern "C" __global__ void collatz_shifts(uint16_t *steps, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t value = i + 1;
    int zeros = __ffsll(value) - 1;
    unsigned int count = zeros;
    value >>= zeros;
    while (value != 1) {
        value = 3 * value + 1;
        zeros = __ffsll(value) - 1;
        value >>= zeros;
        count += 1 + zeros;
    }
    steps[i] = count;
}

// Stops at a smaller number and looks its count up, from a table of the first 256.
extern "C" __global__ void collatz_table(uint16_t *steps, unsigned int n) {
    __shared__ uint16_t table[256];
    for (unsigned int t = threadIdx.x; t < 256; t += blockDim.x) {
        unsigned int value = t < 1 ? 1 : t;
        uint16_t count = 0;
        for (; value != 1; count++) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
        table[t] = count;
    }
    __syncthreads();

    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t value = i + 1;
    uint16_t count = 0;
    for (; value >= 256; count++) value = value & 1 ? 3 * value + 1 : value >> 1;
    steps[i] = count + table[value];
}
