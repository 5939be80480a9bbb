// Code as a compiler leaves it that optimises nothing: variables in local memory, every
// function called. clang -O0 makes debug.ptx of it:
//     clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -O0 -S
//         debug.cu -o debug.ptx
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
__device__ unsigned thread() { return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x(); }
__device__ unsigned step(unsigned sum, unsigned value) {
    if (value & 1) return sum + value;
    return sum ^ value >> 3;
}
extern "C" __global__ void unoptimised(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = thread() & (n - 1), sum = 0;
    for (int k = 0; k < 8; ++k) sum = step(sum, in[(i + k * 33) & (n - 1)]);
    out[i] = sum;
}
