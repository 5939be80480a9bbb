// Lanes that wait for lanes of their own warp. Before sm_70 that hangs.

extern "C" __global__ void progress_bad_lock(unsigned *lock, unsigned *count) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    atomicAdd(count, 1);
    atomicExch(lock, 0);  // BAD
}

extern "C" __global__ void progress_good_lock(unsigned *lock, unsigned *count) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        atomicAdd(count, 32);
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void progress_bad_flag(volatile unsigned *flag, unsigned *out) {
    if (threadIdx.x % 32 != 5) {
        while (flag[threadIdx.x / 32] == 0) {
        }
        out[threadIdx.x] = 1;
    } else {
        flag[threadIdx.x / 32] = 1;  // BAD
    }
}

extern "C" __global__ void progress_good_flag(volatile unsigned *flag, unsigned *out) {
    if (threadIdx.x % 32 == 5) flag[threadIdx.x / 32] = 1;
    __syncthreads();
    while (flag[threadIdx.x / 32] == 0) {
    }
    out[threadIdx.x] = 1;
}

extern "C" __global__ void progress_bad_ticket(unsigned *next, volatile unsigned *serving, unsigned *out) {
    unsigned ticket = atomicAdd(next, 1);
    while (*serving != ticket) {
    }
    atomicAdd(out, ticket);
    *serving = ticket + 1;  // BAD
}

extern "C" __global__ void progress_good_ticket(unsigned *next, volatile unsigned *serving, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned ticket = atomicAdd(next, 1);
        while (*serving != ticket) {
        }
        atomicAdd(out, ticket);
        *serving = ticket + 1;
    }
}

extern "C" __global__ void progress_bad_chain(volatile unsigned *turn, unsigned *out) {
    while (*turn != threadIdx.x) {
    }
    out[threadIdx.x] = 1;
    *turn = threadIdx.x + 1;  // BAD
}

// Each lane gives the lock back before it meets the others again.
extern "C" __global__ void progress_good_chain(unsigned *lock, unsigned *count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            atomicAdd(count, 1);
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void progress_bad_shared(unsigned *out) {
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x != 9) {
        while (ready == 0) {
        }
        out[threadIdx.x] = 1;
    } else {
        ready = 1;  // BAD
    }
}

extern "C" __global__ void progress_good_shared(unsigned *out) {
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) ready = 1;
    } else {
        while (ready == 0) {
        }
        out[threadIdx.x] = 1;
    }
}

// Test and set: the lane with the lock waits for the others at the end of the loop.
extern "C" __global__ void progress_bad_exchange(unsigned *lock, unsigned *count) {
    while (atomicExch(lock, 1) != 0) {
    }
    atomicAdd(count, 1);
    atomicExch(lock, 0);  // BAD
}

// Lanes that take work from a counter do not wait for each other.
extern "C" __global__ void progress_good_queue(unsigned *next, unsigned *out, unsigned n) {
    for (unsigned i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1)) {
        unsigned value = i;
        for (unsigned round = 0; round < i % 7; ++round) {
            if ((value & 1) != 0) atomicAdd(&out[value % 64], 1);
            value = value * 3 + 1;
        }
        atomicAdd(&out[i % 64], value & 1);
    }
}

// Few lanes at a time take a place, never the same ones twice in turn.
extern "C" __global__ void progress_good_compact(unsigned *count, const unsigned *in, unsigned *out, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (in[i] % 37 == 0) out[atomicAdd(count, 1)] = in[i];
    }
}
