// Races in global memory, within a block and between blocks of one launch.

extern "C" __global__ void race_global_bad_sum(unsigned *sum, unsigned *in) {
    *sum += in[blockIdx.x * blockDim.x + threadIdx.x];  // BAD
}

extern "C" __global__ void race_global_good_sum(unsigned *sum, unsigned *in) {
    atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

extern "C" __global__ void race_global_bad_neighbour(unsigned *data) {
    unsigned i = threadIdx.x;
    unsigned next = data[(i + 1) % blockDim.x];
    data[i] = next;  // BAD
}

extern "C" __global__ void race_global_good_neighbour(unsigned *data) {
    unsigned i = threadIdx.x;
    unsigned next = data[(i + 1) % blockDim.x];
    __syncthreads();
    data[i] = next;
}

extern "C" __global__ void race_global_bad_blocks(unsigned *out) {
    out[threadIdx.x] = blockIdx.x;  // BAD
}

extern "C" __global__ void race_global_good_blocks(unsigned *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

extern "C" __global__ void race_global_bad_halo(unsigned *data, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i + 1 < n ? data[i + 1] : 0;  // BAD
    __syncthreads();
    data[i] = value;  // BAD
}

extern "C" __global__ void race_global_good_halo(unsigned *out, unsigned *data, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i + 1 < n ? data[i + 1] : 0;
}

extern "C" __global__ void race_global_bad_flag(unsigned *data, unsigned *out) {
    if (threadIdx.x == 0) data[0] = 5;
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[0];  // BAD
}

extern "C" __global__ void race_global_good_flag(unsigned *data, unsigned *out) {
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0) data[block] = 5;
    __syncthreads();
    out[block * blockDim.x + threadIdx.x] = data[block];
}

// The last block to finish adds up what all of them left: right, as each
// publishes its part before it counts itself.
extern "C" __global__ void race_global_good_last(unsigned *parts, unsigned *count, unsigned *sum) {
    __shared__ unsigned last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        unsigned total = 0;
        for (unsigned i = 0; i < gridDim.x; i++) total += parts[i];
        *sum = total;
    }
}

// As above, but whoever comes last adds up before it counts.
extern "C" __global__ void race_global_bad_last(unsigned *parts, unsigned *count, unsigned *sum) {
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;  // BAD
        unsigned total = 0;
        for (unsigned i = 0; i < gridDim.x; i++) total += parts[i];  // BAD
        if (atomicAdd(count, 1) == gridDim.x - 1) *sum = total;
    }
}

// Reads what it is going to swap without an atomic: right, as the swap finds out if somebody
// else has changed it since.
extern "C" __global__ void race_global_good_guess(float *most, unsigned *in) {
    int *place = (int *)most;
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int old = *place, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= mine) break;
        old = atomicCAS(place, assumed, __float_as_int(mine));
    } while (assumed != old);
}

// As above, but the first to come writes without a swap: what others swapped in between is lost.
extern "C" __global__ void race_global_bad_guess(float *most, unsigned *in) {
    int *place = (int *)most;
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int old = *place, assumed;
    if (old == 0) {
        *most = mine;  // BAD
        return;
    }
    do {
        assumed = old;
        if (__int_as_float(assumed) >= mine) break;
        old = atomicCAS(place, assumed, __float_as_int(mine));
    } while (assumed != old);
}
