// Probe, pairs of 16-bit floats: as probe_arithmetic.cu. GPUs before compute capability
// 5.3 have no such instructions.
//
// Compiled for compute_53.
//
// Overview, launch and output are those of probe_arithmetic.cu.

typedef unsigned int uint;

#define X4(text) text text text text
#define X16(text) X4(X4(text))
#define X128(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text) X16(text)

extern "C" __global__ void probe_f16x2(uint *cycles, uint *data, uint repeat, uint limit, uint)
{
    uint a = data[threadIdx.x % 32], b = data[33];
    __syncthreads();
    long long start = clock64();
    #pragma unroll 1
    for (uint i = 0; i < repeat; ++i)
        asm volatile(X128("fma.rn.f16x2 %0, %0, %1, %1;\n\t") : "+r"(a) : "r"(b));
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = (uint)(clock64() - start);
    if (a == limit) data[32] = 1;
}
