// Do the lanes of a warp make progress on their own? Compiled for compute_50 and
// for compute_70, whose PTX a newer GPU is meant to schedule differently.
// out[0]: the lock. out[1]: entries into the critical section. out[2]: lanes that
// gave up. out[3]: the flag of `probe_flag`.

#define PROBE extern "C" __global__ void
typedef unsigned int uint;

// Every lane spins until it holds the lock: hangs where the lane that has the
// lock waits for its spinning neighbours to leave the loop.
PROBE probe_lock(uint *out, long long limit)
{
    volatile uint *entries = out + 1;
    long long began = clock64();
    while (atomicCAS(&out[0], 0, 1) != 0) {
        if (clock64() - began > limit) {
            atomicAdd(&out[2], 1);
            return;
        }
    }
    *entries = *entries + 1;
    __threadfence();
    atomicExch(&out[0], 0);
}

// Even lanes wait for what odd lanes write later in program order.
PROBE probe_flag(uint *out, long long limit)
{
    volatile uint *flag = out + 3;
    long long began = clock64();
    if (threadIdx.x % 2 == 0) {
        while (*flag == 0) {
            if (clock64() - began > limit) {
                atomicAdd(&out[2], 1);
                return;
            }
        }
        atomicAdd(&out[1], 1);
    } else {
        *flag = 1;
    }
}
