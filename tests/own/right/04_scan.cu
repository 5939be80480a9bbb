// Inclusive prefix sums of segments: each block scans the `block` values of its
// own segment.

/* warpscope
sizes  = "2^10..2^22:x4"
block  = 256
grid   = "ceil(n / block)"
args   = ["in: u32[n] ones", "out: u32[n] zeros", "n: u32 = n"]
output = "out"
view   = "line"
tolerance = 0
bytes  = "8 * n"
shared = "4 * block"

[kernel.scan_double_buffer]
shared = "8 * block"

[kernel.scan_warps]
shared = "128"
*/

// One thread does it all, so the others wait. The plainest form.
extern "C" __global__ void scan_serial(const unsigned int *in, unsigned int *out, unsigned int n) {
    unsigned int begin = blockIdx.x * blockDim.x;
    if (threadIdx.x > 0) return;
    unsigned int sum = 0;
    for (unsigned int i = begin; i < begin + blockDim.x && i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

// Hillis and Steele: in step d each value adds the one 2^d places before it.
// n log n additions, and two barriers per step.
extern "C" __global__ void scan_hillis_steele(const unsigned int *in, unsigned int *out, unsigned int n) {
    extern __shared__ unsigned int sums[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    sums[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
        unsigned int before = t >= distance ? sums[t - distance] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (i < n) out[i] = sums[t];
}

// The same with two buffers that take turns: one barrier per step.
extern "C" __global__ void scan_double_buffer(const unsigned int *in, unsigned int *out, unsigned int n) {
    extern __shared__ unsigned int both[];
    unsigned int *from = both, *to = both + blockDim.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    from[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
        to[t] = from[t] + (t >= distance ? from[t - distance] : 0);
        __syncthreads();
        unsigned int *swap = from;
        from = to;
        to = swap;
    }
    if (i < n) out[i] = from[t];
}

// Each warp scans its 32 values by shuffles, then the first warp scans the sums
// of the warps. Launch it with whole warps.
extern "C" __global__ void scan_warps(const unsigned int *in, unsigned int *out, unsigned int n) {
    extern __shared__ unsigned int warp_sums[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int warps = blockDim.x / 32;

    unsigned int sum = i < n ? in[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned int before = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane >= distance) sum += before;
    }
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        unsigned int total = lane < warps ? warp_sums[lane] : 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned int before = __shfl_up_sync(0xffffffff, total, distance);
            if (lane >= distance) total += before;
        }
        warp_sums[lane] = total;
    }
    __syncthreads();
    if (warp > 0) sum += warp_sums[warp - 1];
    if (i < n) out[i] = sum;
}
