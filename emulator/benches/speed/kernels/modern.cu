// Tensor cores and bulk copies (compute_90).
#define KERNEL(NAME) extern "C" __global__ void NAME(const unsigned *__restrict__ in, unsigned *out, unsigned n)

// 16 x 8 results a warp, of 16-bit floats, from shared memory by ldmatrix.
KERNEL(tensor_product) {
    __shared__ __align__(16) unsigned tile[8][2][16 * 8];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) & (n - 1);
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    #pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        for (int part = 0; part < 4; ++part) {
            unsigned word = (part * 32 + lane);
            tile[warp][0][word] = in[(at + k * 128 + part * 32) & (n - 1)] & 0x3bff3bff;
            tile[warp][1][word] = in[(at + k * 64 + part * 32) & (n - 1)] & 0x3bff3bff;
        }
        __syncwarp();
        unsigned a0, a1, a2, a3, b0, b1;
        unsigned a = (unsigned)__cvta_generic_to_shared(&tile[warp][0][lane % 16 * 8 + lane / 16 * 4]);
        unsigned b = (unsigned)__cvta_generic_to_shared(&tile[warp][1][lane % 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(a) : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
            : "=r"(b0), "=r"(b1) : "r"(b) : "memory");
        for (int turn = 0; turn < 4; ++turn)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
        __syncwarp();
    }
    ((float *)out)[at] = d0 + d1 + d2 + d3;
}

// Two buffers: one is read while the next comes by a bulk copy.
KERNEL(bulk_pipeline) {
    __shared__ __align__(16) unsigned buffer[2][1024];
    __shared__ unsigned long long full[2];
    unsigned t = threadIdx.x, sum = 0;
    unsigned bars = (unsigned)__cvta_generic_to_shared(full), rows = (unsigned)__cvta_generic_to_shared(buffer);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(bars) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(bars + 8) : "memory");
    }
    __syncthreads();
    const unsigned turns = 16;
    #pragma unroll 1
    for (unsigned k = 0; k <= turns; ++k) {
        if (k < turns && t == 0) {
            const unsigned *from = in + ((blockIdx.x * 4096 + k * 1024) & (n - 1));
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4096;" :: "r"(bars + k % 2 * 8) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];"
                :: "r"(rows + k % 2 * 4096), "l"(__cvta_generic_to_global(from)), "r"(bars + k % 2 * 8) : "memory");
        }
        if (k > 0) {
            unsigned before = k - 1, done = 0;
            while (!done)
                asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                    : "=r"(done) : "r"(bars + before % 2 * 8), "r"(before / 2 & 1) : "memory");
            for (int part = 0; part < 4; ++part) sum += buffer[before % 2][part * 256 + t];
            __syncthreads();
        }
    }
    out[(blockIdx.x * 256 + t) & (n - 1)] = sum;
}
