// Hold: block a stream until the host releases it.
//
// Overview
//   A kernel launch takes the host a few microseconds, about as long as a small
//   kernel runs. If the GPU started at once, the time of several launches would
//   mostly be the host's time. So the host launches this kernel first, queues all
//   work that it times behind it, and then sets a flag. From then on the GPU does
//   not wait for the host.
//
// Launch
//   grid 1, block 1. words[0] is the flag; words[1] reports a timeout. Both are in
//   page-locked host memory, which the GPU reads across the bus. If the host dies,
//   the kernel stops by itself after limit_ns nanoseconds. It waits at least least_ns,
//   the interval for the measurement of the clock.
//
// The clock
//   While it waits, the kernel measures the clock rate of the multiprocessors:
//   words[2] gets nanoseconds, and words[3] the cycles in this interval. The
//   nanoseconds advance in steps (32 on an H200, about 1000 on older GPUs), so both
//   ends of the interval are at a step.

// Nanoseconds of the clock that all multiprocessors share.
static __device__ __forceinline__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// The same, at the next step of that clock.
static __device__ __forceinline__ unsigned long long next_nanoseconds()
{
    unsigned long long before = nanoseconds(), now = before;
    while (now == before) {
        now = nanoseconds();
    }
    return now;
}

extern "C" __global__ void hold(volatile unsigned int *words, unsigned long long limit_ns,
                                unsigned long long least_ns)
{
    unsigned long long start = next_nanoseconds();
    long long first = clock64();
    while (words[0] == 0) {  // volatile: read again in each round
        if (nanoseconds() - start > limit_ns) {
            words[1] = 1;
            return;
        }
    }
    while (nanoseconds() - start < least_ns) {
    }
    unsigned long long end = next_nanoseconds();
    long long last = clock64();
    words[2] = (unsigned int)(end - start);
    words[3] = (unsigned int)(last - first);
}

// An empty kernel, to time a launch.
extern "C" __global__ void nothing()
{
}
