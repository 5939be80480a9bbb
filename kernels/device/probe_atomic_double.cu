// Probe, atomic additions of 64-bit floats: as probe_atomic.cu. GPUs before compute
// capability 6.0 have no such instruction.
//
// Compiled for compute_60.
//
// Overview, launch and output are those of probe_atomic.cu.

typedef unsigned int uint;

extern "C" __global__ void probe_atomic_add_f64(uint *cycles, double *data, uint repeat, uint size, uint)
{
    uint state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1;
    for (uint i = 0; i < repeat; ++i) {
        state = state * 1664525u + 1013904223u;
        atomicAdd(&data[__umulhi(state, size)], 1.0);
    }
}
