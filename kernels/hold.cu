// Hold: keep a stream waiting until the host says go.
//
// Overview
//   A kernel launch takes the host a few microseconds, about as long as a small
//   kernel runs. Were the GPU to start at once, a measurement of several
//   launches would mostly show the host. So the host first launches this kernel,
//   then queues everything that is to be timed behind it, and raises a flag when
//   the queue is full: from there on the GPU runs without waiting for anybody.
//
// Launch
//   grid 1, block 1. words[0] is the flag and words[1] reports that the wait was
//   given up; both lie in page-locked host memory, which the GPU reads across
//   the bus. Because a host that dies would leave the GPU spinning, the kernel
//   gives up by itself after limit_ns nanoseconds. It waits for least_ns at
//   least, to have something to measure the clock by.
//
// The clock
//   While it waits anyway, the kernel measures how fast the multiprocessors are
//   clocked: words[2] gets nanoseconds and words[3] the cycles that passed in
//   them. The nanoseconds advance in steps (32 on an H200, about 1000 on older
//   GPUs), so both ends of the interval are placed where they change.

// Nanoseconds on a clock that all multiprocessors share.
static __device__ __forceinline__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

// The same at the moment when they change.
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
    while (words[0] == 0) {  // volatile: really read again every time
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

// Nothing at all: what remains is what a launch costs.
extern "C" __global__ void nothing()
{
}
