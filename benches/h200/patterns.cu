// Small kernels with the memory and control patterns of real ones, each run once
// by 8 blocks of 256 threads, so that Nsight Compute and the emulator can count
// the same thing. `tests/integration/oracle_patterns.rs` launches them and compares.
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

// ---- atomics that the hardware has no instruction for, and other types ---------
#define SHARED_SUM(name, T, at)                                                   \
    PATTERN(shared_sum_##name, {                                                  \
        __shared__ T cells[1024];                                                 \
        for (uint k = t; k < 1024; k += 256) cells[k] = 0;                        \
        __syncthreads();                                                          \
        atomicAdd(&cells[at], (T)(in[g] & 3));                                    \
        __syncthreads();                                                          \
        for (uint k = t; k < 1024; k += 256) out[b * 1024 + k] = (uint)cells[k];  \
    })
SHARED_SUM(f32_bank, float, lane * 32 + t / 32)
SHARED_SUM(f32_stride_2, float, t * 2)
SHARED_SUM(f32_stride_8, float, t * 8 & 1023)
SHARED_SUM(f32_scattered, float, in[g] & 63)
SHARED_SUM(f32_far, float, in[g] & 1023)
SHARED_SUM(f32_mixed, float, (lane < 16 ? 0 : lane) + t / 32 * 32)
SHARED_SUM(f64_1, double, t)
SHARED_SUM(f64_4, double, t / 4)
SHARED_SUM(f64_32, double, t / 32)
SHARED_SUM(f64_stride_2, double, t * 2)
SHARED_SUM(f64_scattered, double, in[g] & 63)
SHARED_SUM(u64_1, ulong, t)
SHARED_SUM(u64_4, ulong, t / 4)
SHARED_SUM(u64_32, ulong, t / 32)
SHARED_SUM(u64_stride_2, ulong, t * 2)
SHARED_SUM(u64_scattered, ulong, in[g] & 63)
// `change` gets the cell's address in shared memory, and gives all lanes of a
// block the same value: which of them comes last makes no difference.
#define SHARED_CHANGE(name, T, at, change)                                        \
    PATTERN(shared_##name, {                                                      \
        __shared__ T cells[512];                                                  \
        for (uint k = t; k < 512; k += 256) cells[k] = 0;                         \
        __syncthreads();                                                          \
        T *cell = &cells[at];                                                     \
        const uint to = (uint)__cvta_generic_to_shared(cell), value = in[b];      \
        change;                                                                   \
        __syncthreads();                                                          \
        out[g] = (uint)cells[t];                                                  \
    })
#define RED(type, letter, value)                                                  \
    asm volatile("red.shared.add.noftz." type " [%0], %1;" ::"r"(to), letter(value) : "memory")
SHARED_CHANGE(cas_1, uint, t, atomicCAS(cell, 0, value))
SHARED_CHANGE(cas_32, uint, t / 32, atomicCAS(cell, 0, value))
SHARED_CHANGE(cas_bank, uint, t * 16 & 511, atomicCAS(cell, 0, value))
SHARED_CHANGE(cas_u64_1, ulong, t, atomicCAS(cell, 0ull, (ulong)value))
SHARED_CHANGE(cas_u64_32, ulong, t / 32, atomicCAS(cell, 0ull, (ulong)value))
SHARED_CHANGE(cas_u16_1, ushort, t, atomicCAS(cell, (ushort)0, (ushort)value))
SHARED_CHANGE(cas_u16_32, ushort, t / 32, atomicCAS(cell, (ushort)0, (ushort)value))
SHARED_CHANGE(exch_1, uint, t, atomicExch(cell, value))
SHARED_CHANGE(exch_32, uint, t / 32, atomicExch(cell, value))
SHARED_CHANGE(exch_u64_1, ulong, t, atomicExch(cell, (ulong)value))
SHARED_CHANGE(exch_u64_32, ulong, t / 32, atomicExch(cell, (ulong)value))
SHARED_CHANGE(sum_f16_1, ushort, t, RED("f16", "h", (ushort)0x3c00))
SHARED_CHANGE(sum_f16_32, ushort, t / 32, RED("f16", "h", (ushort)0x3c00))
SHARED_CHANGE(sum_f16x2_1, uint, t, RED("f16x2", "r", 0x3c003c00))
SHARED_CHANGE(sum_f16x2_4, uint, t / 4, RED("f16x2", "r", 0x3c003c00))
SHARED_CHANGE(sum_f16x2_32, uint, t / 32, RED("f16x2", "r", 0x3c003c00))
SHARED_CHANGE(sum_f16x2_bank, uint, t * 16 & 511, RED("f16x2", "r", 0x3c003c00))

#define GLOBAL_SUM(name, T, at) \
    PATTERN(global_sum_##name, { atomicAdd((T *)out + (at), (T)(in[g] & 3)); })
GLOBAL_SUM(f64_1, double, g) GLOBAL_SUM(f64_4, double, g / 4) GLOBAL_SUM(f64_32, double, g / 32)
GLOBAL_SUM(f64_scattered, double, in[g] & (n / 2 - 1))
GLOBAL_SUM(u64_1, ulong, g) GLOBAL_SUM(u64_4, ulong, g / 4) GLOBAL_SUM(u64_32, ulong, g / 32)
GLOBAL_SUM(f32_strided, float, g * 3) GLOBAL_SUM(f32_near, float, in[g] & 255)
PATTERN(global_fetch_f32, { out[g + n / 2] = (uint)atomicAdd((float *)out + g, 1.0f); })
PATTERN(global_fetch_f64, { out[g + n / 2] = (uint)atomicAdd((double *)out + g, 1.0); })
PATTERN(global_cas_1, { atomicCAS(out + g, 0, in[g]); })
PATTERN(global_cas_32, { atomicCAS(out + g / 32, 0, in[g / 32]); })
PATTERN(global_cas_u64_1, { atomicCAS((ulong *)out + g, 0ull, (ulong)in[g]); })
PATTERN(global_cas_u16_1, { atomicCAS((ushort *)out + g, (ushort)0, (ushort)in[g]); })
PATTERN(global_cas_u16_32, { atomicCAS((ushort *)out + g / 32, (ushort)0, (ushort)in[g / 32]); })
PATTERN(global_exch_1, { atomicExch(out + g, in[g]); })
PATTERN(global_exch_32, { atomicExch(out + g / 32, in[g / 32]); })
#define GLOBAL_RED(name, type, letter, T, at, value)                               \
    PATTERN(global_sum_##name, {                                                   \
        asm volatile("red.global.add.noftz." type " [%0], %1;"                     \
                     ::"l"((T *)out + (at)), letter(value) : "memory");            \
    })
GLOBAL_RED(f16_1, "f16", "h", ushort, g, (ushort)0x3c00)
GLOBAL_RED(f16_2, "f16", "h", ushort, g / 2, (ushort)0x3c00)
GLOBAL_RED(f16_32, "f16", "h", ushort, g / 32, (ushort)0x3c00)
GLOBAL_RED(f16x2_1, "f16x2", "r", uint, g, 0x3c003c00)
GLOBAL_RED(f16x2_4, "f16x2", "r", uint, g / 4, 0x3c003c00)
GLOBAL_RED(f16x2_32, "f16x2", "r", uint, g / 32, 0x3c003c00)

// Some lanes of a warp on one line of 128 bytes of its own: which words.
#define LINE(name, lanes, word) \
    PATTERN(global_line_##name, { if (lane < lanes) atomicAdd(&out[g / 32 * 64 + (word)], 1u); })
LINE(0_1_8, 3, lane == 2 ? 8 : lane)
LINE(0_8_1, 3, lane == 1 ? 8 : lane / 2)
LINE(0_1_10, 3, lane == 2 ? 10 : lane)
LINE(0_2_9, 3, lane == 2 ? 9 : lane * 2)
LINE(0_1_8_9, 4, lane / 2 * 8 + lane % 2)
LINE(0_8_1_9, 4, lane % 2 * 8 + lane / 2)
LINE(0_1_10_11, 4, lane / 2 * 10 + lane % 2)
LINE(0_2_4_6_8, 5, lane * 2)
LINE(even, 16, lane * 2)
LINE(thirds, 32, lane * 3 % 32)
LINE(ninths, 32, lane * 9 % 32)
LINE(reversed, 32, 31 - lane)
LINE(swapped, 32, lane ^ 8)
LINE(shifted, 32, lane + 5)
LINE(doubled, 32, lane / 2)
#define NEAR(words) \
    PATTERN(global_near_##words, { atomicAdd(&out[in[g] & (words - 1)], 1u); })
NEAR(16) NEAR(32) NEAR(64) NEAR(128) NEAR(512) NEAR(2048) NEAR(8192)

// ---- copies from global to shared memory ----------------------------------------
// The lane's `size` bytes at `from` go to byte `to` of the tile.
#define ASYNC(name, hint, size, from, to, more)                                   \
    PATTERN(async_##name, {                                                       \
        __shared__ __align__(16) uint cells[4096];                                \
        const uint at = (uint)__cvta_generic_to_shared(cells) + (to);             \
        asm volatile("cp.async." hint ".shared.global [%0], [%1], " size more ";" \
                     ::"r"(at), "l"((const char *)in + (from)) : "memory");       \
        asm volatile("cp.async.wait_all;" ::: "memory");                          \
        out[g] = cells[(to) / 4];                                                 \
    })
ASYNC(4, "ca", "4", g * 4, t * 4, "")
ASYNC(8, "ca", "8", g * 8, t * 8, "")
ASYNC(16, "ca", "16", g * 16, t * 16, "")
ASYNC(16_cg, "cg", "16", g * 16, t * 16, "")
ASYNC(4_stride_2, "ca", "4", g * 8, t * 4, "")
ASYNC(4_bank_2, "ca", "4", g * 4, t * 8, "")
ASYNC(4_bank_8, "ca", "4", g * 4, t * 32, "")
ASYNC(8_bank_2, "ca", "8", g * 8, t * 16, "")
ASYNC(16_bank_2, "ca", "16", g * 16, t * 32, "")
ASYNC(16_cg_bank_2, "cg", "16", g * 16, t * 32, "")
ASYNC(16_cg_bank_4, "cg", "16", g * 16, t * 64, "")
ASYNC(16_offset, "ca", "16", g * 16 + 16, t * 16, "")
ASYNC(4_offset, "ca", "4", g * 4 + 4, t * 4, "")
ASYNC(16_same, "ca", "16", g / 32 * 16, t * 16, "")
ASYNC(4_gather, "ca", "4", (in[g] & (n - 1)) * 4, t * 4, "")
ASYNC(16_gather, "ca", "16", (in[g] & (n / 4 - 1)) * 16, t * 16, "")
ASYNC(4_none, "ca", "4", g * 4, t * 4, ", 0")
ASYNC(16_half, "ca", "16", g * 16, t * 16, ", 8")
ASYNC(16_cg_none, "cg", "16", g * 16, t * 16, ", 0")

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
