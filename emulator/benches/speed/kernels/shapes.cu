// Shapes of blocks and of control flow: small and large blocks, lanes that part often, tables
// of branches, chains of loads, narrow accesses.
#define KERNEL(NAME) extern "C" __global__ void NAME(const unsigned *__restrict__ in, unsigned *out, unsigned n)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// 32 threads a block.
KERNEL(small_blocks) {
    __shared__ unsigned row[32];
    unsigned t = threadIdx.x, sum = 0;
    row[t] = in[INDEX & (n - 1)];
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += row[(t + k) & 31] * (k + 1);
    out[INDEX & (n - 1)] = sum;
}

// 1024 threads a block, and a barrier in every turn.
KERNEL(large_blocks) {
    __shared__ unsigned row[1024];
    unsigned t = threadIdx.x, value = in[INDEX & (n - 1)];
    for (unsigned away = 1; away < 1024; away *= 2) {
        row[t] = value;
        __syncthreads();
        if (t >= away) value += row[t - away];
        __syncthreads();
    }
    out[INDEX & (n - 1)] = value;
}

// Every lane leaves its loop after another number of turns.
KERNEL(uneven_loops) {
    unsigned i = INDEX & (n - 1), x = in[i], turns = x & 15;
    #pragma unroll 1
    for (unsigned k = 0; k < turns; ++k) x = x * 1664525 + 1013904223;
    out[i] = x;
}

// Half of the lanes do one thing, half another.
KERNEL(two_ways) {
    unsigned i = INDEX & (n - 1), x = in[i];
    #pragma unroll 1
    for (int k = 0; k < 8; ++k) {
        if ((x ^ i) & 1) { x = x * 5 + 1; x ^= x >> 7; x += k; out[i] = x; }
        else { x = x * 3 + 2; x ^= x << 5; x -= k; }
    }
    out[i] = x;
}

// Each load tells where the next goes.
KERNEL(chase) {
    unsigned at = INDEX & (n - 1), sum = 0;
    #pragma unroll 1
    for (int k = 0; k < 16; ++k) { at = (in[at] >> 3 ^ at * 2654435761u) & (n - 1); sum += at; }
    out[INDEX & (n - 1)] = sum;
}

// Bytes and shorts, at odd places.
KERNEL(narrow) {
    const unsigned char *bytes = (const unsigned char *)in;
    const unsigned short *shorts = (const unsigned short *)in;
    unsigned i = INDEX & (n - 1), sum = 0;
    for (int k = 0; k < 8; ++k) sum += bytes[(i * 3 + k) & (n - 1)] + shorts[(i * 5 + k) & (n - 1)];
    ((unsigned short *)out)[i] = sum;
    ((signed char *)out)[2 * n + i] = sum >> 4;
}

// A table of constants that every lane reads elsewhere.
__constant__ float weights[64] = {1, 2, 3, 4, 5, 6, 7, 8};
KERNEL(constants) {
    unsigned i = INDEX & (n - 1);
    float sum = 0;
    for (int k = 0; k < 8; ++k) sum += weights[k] * weights[(in[i] >> k) & 63];
    ((float *)out)[i] = sum;
}
