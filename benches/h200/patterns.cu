// Small kernels with the memory and control patterns of real ones, each run once
// by 8 blocks of 256 threads, so that Nsight Compute and the emulator can count
// the same thing. `tests/oracle_patterns.rs` launches them and compares.
//
// `in` holds n + 64 words, n being a power of two, and `out` n words.

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;

#define PATTERN(name, ...)                                                        \
    extern "C" __global__ void pattern_##name(const uint *in, uint *out, uint n)  \
    {                                                                             \
        const uint t = threadIdx.x, b = blockIdx.x, lane = t % 32;                \
        const uint g = b * 256 + t;                                               \
        __VA_ARGS__                                                               \
    }

// ---- global memory: strides, widths, gathers --------------------------------
#define STRIDE(s) PATTERN(stride_##s, { out[g] = in[(g * s) & (n - 1)]; })
STRIDE(1) STRIDE(2) STRIDE(3) STRIDE(4) STRIDE(8) STRIDE(16) STRIDE(32) STRIDE(33)
PATTERN(stride_store_2, { out[(g * 2) & (n - 1)] = g; })
PATTERN(stride_store_8, { out[(g * 8) & (n - 1)] = g; })
PATTERN(offset_1, { out[g] = in[g + 1]; })
PATTERN(offset_7, { out[g] = in[g + 7]; })
PATTERN(reverse, { out[g] = in[n - 1 - g]; })
PATTERN(broadcast_warp, { out[g] = in[g / 32]; })
PATTERN(broadcast_all, { out[g] = in[5]; })
PATTERN(odd_lanes, { if (lane & 1) out[g] = in[g]; })
PATTERN(one_lane, { if (lane == 9) out[g] = in[g]; })
#define COPY(name, T) PATTERN(copy_##name, { ((T *)out)[g] = ((const T *)in)[g]; })
COPY(u8, uchar) COPY(u16, ushort) COPY(u64, ulong) COPY(v2, uint2) COPY(v4, uint4) COPY(f64, double)
PATTERN(gather, { out[g] = in[in[g] & (n - 1)]; })
PATTERN(gather_near, { out[g] = in[(g + (in[g] & 15)) & (n - 1)]; })
PATTERN(gather_v4, { ((uint4 *)out)[g] = ((const uint4 *)in)[in[g] & (n / 4 - 1)]; })
PATTERN(gather_u8, { out[g] = ((const uchar *)in)[in[g] & (n - 1)]; })
PATTERN(scatter, { out[(g * 1237) & (n - 1)] = in[g]; })

// ---- transposes and stencils -------------------------------------------------
// A block transposes 32 by 32 of a matrix of 128 by 128, 8 rows at a time.
#define TILE const uint x0 = b % 4 * 32, y0 = b / 4 * 32, row = t / 32;
PATTERN(transpose_plain, {
    TILE
    for (uint k = 0; k < 32; k += 8) out[(x0 + lane) * 128 + y0 + row + k] = in[(y0 + row + k) * 128 + x0 + lane];
})
#define TRANSPOSE(name, width)                                                    \
    PATTERN(name, {                                                               \
        __shared__ uint tile[32][width];                                          \
        TILE                                                                      \
        for (uint k = 0; k < 32; k += 8) tile[row + k][lane] = in[(y0 + row + k) * 128 + x0 + lane]; \
        __syncthreads();                                                          \
        for (uint k = 0; k < 32; k += 8) out[(x0 + row + k) * 128 + y0 + lane] = tile[lane][row + k]; \
    })
TRANSPOSE(transpose_shared, 32)
TRANSPOSE(transpose_padded, 33)
PATTERN(stencil_3, { out[g] = in[g] + in[g + 1] + in[g + 2]; })
PATTERN(stencil_cross, {
    const uint x = g % 128, y = g / 128;
    if (x > 0 && x < 127 && y > 0) out[g] = in[g] + in[g - 1] + in[g + 1] + in[g - 128] + in[g + 128];
})
PATTERN(stencil_shared, {
    __shared__ uint tile[258];
    tile[t + 1] = in[g];
    if (t == 0) tile[0] = in[(g + n - 1) & (n - 1)];
    if (t == 255) tile[257] = in[g + 1];
    __syncthreads();
    out[g] = tile[t] + 2 * tile[t + 1] + tile[t + 2];
})

// ---- divergence ---------------------------------------------------------------
PATTERN(loop_by_lane, {
    uint sum = 0;
    _Pragma("unroll 1")
    for (uint k = 0; k <= lane; ++k) sum += in[(g + k * 32) & (n - 1)];
    out[g] = sum;
})
PATTERN(loop_by_value, {
    uint sum = 0;
    const uint count = in[g] & 15;
    _Pragma("unroll 1")
    for (uint k = 0; k < count; ++k) sum = sum * 3 + in[(g + k) & (n - 1)];
    out[g] = sum;
})
PATTERN(either_way, {
    if (in[g] & 1) out[g] = in[(g * 2) & (n - 1)];
    else out[g] = in[(g * 4) & (n - 1)] + 7;
})
PATTERN(collatz, {
    uint x = (in[g] & 255) + 1;
    uint steps = 0;
    _Pragma("unroll 1")
    while (x != 1 && steps < 200) { x = x & 1 ? 3 * x + 1 : x / 2; ++steps; }
    out[g] = steps;
})
PATTERN(early_exit, {
    if (in[g] % 3 == 0) return;
    out[g] = in[g + 3];
})

// ---- shared memory: every width -----------------------------------------------
#define SHARED(name, T, stride)                                                   \
    PATTERN(shared_##name##_##stride, {                                           \
        __shared__ T cells[256 * stride];                                         \
        cells[t * stride] = ((const T *)in)[g];                                   \
        __syncthreads();                                                          \
        ((T *)out)[g] = cells[(t ^ 37) * stride];                                 \
    })
#define SHARED_STRIDES(name, T) SHARED(name, T, 1) SHARED(name, T, 2) SHARED(name, T, 5)
SHARED_STRIDES(u8, uchar) SHARED_STRIDES(u16, ushort) SHARED_STRIDES(u32, uint)
SHARED_STRIDES(u64, ulong) SHARED_STRIDES(v4, uint4)
SHARED(u32, uint, 8) SHARED(u32, uint, 32)
PATTERN(shared_gather, {
    __shared__ uint cells[1024];
    for (uint k = t; k < 1024; k += 256) cells[k] = in[k];
    __syncthreads();
    out[g] = cells[in[g] & 1023];
})
PATTERN(shared_gather_v4, {
    __shared__ uint4 cells[256];
    cells[t] = ((const uint4 *)in)[t];
    __syncthreads();
    ((uint4 *)out)[g] = cells[in[g] & 255];
})

// ---- atomics: 1 to 32 lanes on an address --------------------------------------
#define ATOMICS(lanes)                                                            \
    PATTERN(shared_add_##lanes, {                                                 \
        __shared__ uint cells[256];                                               \
        cells[t] = 0;                                                             \
        __syncthreads();                                                          \
        atomicAdd(&cells[t / lanes], in[g] & 3);                                  \
        __syncthreads();                                                          \
        out[g] = cells[t];                                                        \
    })                                                                            \
    PATTERN(shared_max_##lanes, {                                                 \
        __shared__ uint cells[256];                                               \
        cells[t] = 0;                                                             \
        __syncthreads();                                                          \
        atomicMax(&cells[t / lanes], in[g]);                                      \
        __syncthreads();                                                          \
        out[g] = cells[t];                                                        \
    })                                                                            \
    PATTERN(shared_add_f32_##lanes, {                                             \
        __shared__ float cells[256];                                              \
        cells[t] = 0;                                                             \
        __syncthreads();                                                          \
        atomicAdd(&cells[t / lanes], (float)(in[g] & 3));                         \
        __syncthreads();                                                          \
        out[g] = (uint)cells[t];                                                  \
    })                                                                            \
    PATTERN(global_add_##lanes, { atomicAdd(&out[g / lanes], in[g] & 3); })       \
    PATTERN(global_xor_##lanes, { atomicXor(&out[g / lanes], in[g]); })           \
    PATTERN(global_add_f32_##lanes, { atomicAdd((float *)&out[g / lanes], (float)(in[g] & 3)); })
ATOMICS(1) ATOMICS(2) ATOMICS(4) ATOMICS(8) ATOMICS(16) ATOMICS(32)
PATTERN(global_add_scattered, { atomicAdd(&out[in[g] & (n - 1)], 1); })
PATTERN(shared_add_scattered, {
    __shared__ uint cells[64];
    if (t < 64) cells[t] = 0;
    __syncthreads();
    atomicAdd(&cells[in[g] & 63], 1);
    __syncthreads();
    if (t < 64) out[b * 64 + t] = cells[t];
})

// ---- across the lanes of a warp -------------------------------------------------
PATTERN(ballot, {
    const uint votes = __ballot_sync(~0u, in[g] & 1);
    if (lane == 0) out[g / 32] = votes;
})
PATTERN(compact, {
    // The odd ones to the front of the warp's part.
    const uint value = in[g], votes = __ballot_sync(~0u, value & 1);
    if (value & 1) out[g / 32 * 32 + __popc(votes & ((1u << lane) - 1))] = value;
})
PATTERN(reduce_shuffle, {
    uint sum = in[g];
    for (uint k = 16; k > 0; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
    if (lane == 0) out[g / 32] = sum;
})
PATTERN(scan_shuffle, {
    uint sum = in[g];
    for (uint k = 1; k < 32; k *= 2) {
        const uint other = __shfl_up_sync(~0u, sum, k);
        if (lane >= k) sum += other;
    }
    out[g] = sum;
})
PATTERN(scan_block, {
    __shared__ uint cells[256];
    cells[t] = in[g];
    for (uint k = 1; k < 256; k *= 2) {
        __syncthreads();
        const uint other = t >= k ? cells[t - k] : 0;
        __syncthreads();
        cells[t] += other;
    }
    out[g] = cells[t];
})
PATTERN(reduce_block, {
    __shared__ uint cells[256];
    cells[t] = in[g];
    for (uint k = 128; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) cells[t] += cells[t + k];
    }
    if (t == 0) out[b] = cells[0];
})
PATTERN(match, { out[g] = __match_any_sync(~0u, in[g] & 7); })
PATTERN(redux, { out[g] = __reduce_add_sync(~0u, in[g]); })
