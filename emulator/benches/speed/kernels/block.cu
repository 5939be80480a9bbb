// Kernels whose threads work together: warps, shared memory, atomics; and what
// threads have alone: local memory, calls.
#define KERNEL(NAME) extern "C" __global__ void NAME(const unsigned *__restrict__ in, unsigned *out, unsigned n)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define FLOATS ((const float *)in)
#define FLOATS_OUT ((float *)out)
#define ALL 0xffffffffu

KERNEL(warp_scan) {
    unsigned i = INDEX & (n - 1), lane = threadIdx.x % 32, sum = in[i];
    for (unsigned away = 1; away < 32; away *= 2) {
        unsigned other = __shfl_up_sync(ALL, sum, away);
        if (lane >= away) sum += other;
    }
    out[i] = sum;
}

KERNEL(warp_sum) {
    unsigned i = INDEX & (n - 1);
    float sum = FLOATS[i];
    for (unsigned away = 16; away; away /= 2) sum += __shfl_xor_sync(ALL, sum, away);
    if (threadIdx.x % 32 == 0) FLOATS_OUT[i / 32] = sum;
}

KERNEL(compaction) {
    unsigned i = INDEX & (n - 1), lane = threadIdx.x % 32, value = in[i], base = 0;
    bool kept = value & 1;
    unsigned votes = __ballot_sync(ALL, kept);
    if (lane == 0) base = atomicAdd(out, __popc(votes));
    base = __shfl_sync(ALL, base, 0);
    if (kept) out[(base + __popc(votes & ((1u << lane) - 1)) + 1) & (n - 1)] = value;
}

KERNEL(warp_match) {
    unsigned i = INDEX & (n - 1), value = in[i] & 7, peers = __match_any_sync(ALL, value);
    if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(out + value, __popc(peers));
    out[32 + (i & (n / 2 - 1))] = __reduce_add_sync(ALL, value);
}

KERNEL(block_sum) {
    __shared__ unsigned partial[256];
    unsigned t = threadIdx.x;
    partial[t] = in[INDEX & (n - 1)];
    __syncthreads();
    for (unsigned width = 128; width; width /= 2) {
        if (t < width) partial[t] += partial[t + width];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x & (n - 1)] = partial[0];
}

KERNEL(block_scan) {
    __shared__ unsigned sums[2][256];
    unsigned t = threadIdx.x, side = 0;
    sums[0][t] = in[INDEX & (n - 1)];
    for (unsigned away = 1; away < 256; away *= 2) {
        __syncthreads();
        sums[1 - side][t] = sums[side][t] + (t >= away ? sums[side][t - away] : 0);
        side = 1 - side;
    }
    out[INDEX & (n - 1)] = sums[side][t];
}

KERNEL(last_block) {
    __shared__ bool last;
    unsigned sum = in[INDEX & (n - 1)];
    for (unsigned away = 16; away; away /= 2) sum += __shfl_xor_sync(ALL, sum, away);
    if (threadIdx.x % 32 == 0) atomicAdd(out + 1 + (blockIdx.x & 63), sum);
    __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(out, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x < 64) atomicAdd(out + 100, ((volatile unsigned *)out)[1 + threadIdx.x]);
}

KERNEL(product_tiled) {
    __shared__ float a[16][16], b[16][16];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, tile = blockIdx.x * 256;
    float sum = 0;
    for (unsigned k = 0; k < 8; ++k) {
        a[y][x] = FLOATS[(tile + k * 512 + threadIdx.x) & (n - 1)];
        b[y][x] = FLOATS[(tile * 3 + k * 256 + threadIdx.x) & (n - 1)];
        __syncthreads();
        for (unsigned j = 0; j < 16; ++j) sum += a[y][j] * b[j][x];
        __syncthreads();
    }
    FLOATS_OUT[(tile + threadIdx.x) & (n - 1)] = sum;
}

KERNEL(conflicts) {
    __shared__ unsigned words[2048];
    unsigned t = threadIdx.x, at = t * 8;
    for (unsigned k = 0; k < 8; ++k) words[t * 8 + k] = in[(INDEX + k) & (n - 1)];
    __syncthreads();
    for (unsigned k = 0; k < 32; ++k) at = (words[at] + t * 8) & 2047;
    out[INDEX & (n - 1)] = at;
}

KERNEL(sorting_network) {
    __shared__ unsigned keys[256];
    unsigned t = threadIdx.x;
    keys[t] = in[INDEX & (n - 1)];
    for (unsigned size = 2; size <= 256; size *= 2)
        for (unsigned away = size / 2; away; away /= 2) {
            __syncthreads();
            unsigned other = t ^ away, a = keys[t], b = keys[other];
            bool up = (t & size) == 0;
            __syncthreads();
            keys[t] = (t < other) == up ? min(a, b) : max(a, b);
        }
    __syncthreads();
    out[INDEX & (n - 1)] = keys[t];
}

KERNEL(fourier) {
    __shared__ float2 z[256];
    unsigned t = threadIdx.x;
    z[__brev(t) >> 24] = make_float2(FLOATS[INDEX & (n - 1)], 0);
    for (unsigned half = 1; half < 256; half *= 2) {
        __syncthreads();
        if (t < 128) {
            unsigned k = t % half, i = t / half * half * 2 + k;
            float s, c;
            __sincosf(-3.14159265f * k / half, &s, &c);
            float2 a = z[i], b = z[i + half], r = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
            z[i] = make_float2(a.x + r.x, a.y + r.y);
            z[i + half] = make_float2(a.x - r.x, a.y - r.y);
        }
    }
    __syncthreads();
    FLOATS_OUT[INDEX & (n - 1)] = z[t].x * z[t].x + z[t].y * z[t].y;
}

KERNEL(softmax_rows) {
    unsigned row = INDEX / 32 % (n / 128) * 128, lane = threadIdx.x % 32;
    float x[4], most = -1e30f, sum = 0;
    for (int k = 0; k < 4; ++k) { x[k] = FLOATS[row + lane + 32 * k]; most = fmaxf(most, x[k]); }
    for (unsigned away = 16; away; away /= 2) most = fmaxf(most, __shfl_xor_sync(ALL, most, away));
    for (int k = 0; k < 4; ++k) { x[k] = __expf(x[k] - most); sum += x[k]; }
    for (unsigned away = 16; away; away /= 2) sum += __shfl_xor_sync(ALL, sum, away);
    for (int k = 0; k < 4; ++k) FLOATS_OUT[row + lane + 32 * k] = x[k] / sum;
}

KERNEL(bins_shared) {
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) atomicAdd(bins + (in[(INDEX * 16 + k) & (n - 1)] & 255), 1u);
    __syncthreads();
    atomicAdd(out + threadIdx.x, bins[threadIdx.x]);
}

KERNEL(bins_global) { atomicAdd(out + (in[INDEX & (n - 1)] & 1023), 1u); }

KERNEL(counter) { if (in[INDEX & (n - 1)] & 1) atomicAdd(out, 1u); }

KERNEL(sum_floats) { atomicAdd(FLOATS_OUT + (INDEX & 63), FLOATS[INDEX & (n - 1)]); }

KERNEL(hash_table) {
    unsigned key = in[INDEX & (n - 1)] | 1, at = key * 2654435761u & (n - 1);
    for (unsigned k = 0; k < 64; ++k) {
        unsigned old = atomicCAS(out + at, 0, key);
        if (old == 0 || old == key) break;
        at = (at + 1) & (n - 1);
    }
}

KERNEL(swap_contended) {
    float value = FLOATS[INDEX & (n - 1)];
    unsigned *place = out + (threadIdx.x & 3), old = *(volatile unsigned *)place, seen;
    do {
        seen = old;
        old = atomicCAS(place, seen, __float_as_uint(__uint_as_float(seen) + value));
    } while (old != seen);
}

KERNEL(local_sort) {
    unsigned i = INDEX & (n - 1), keys[16];
    for (int k = 0; k < 16; ++k) keys[k] = in[(i + k * 37) & (n - 1)];
    #pragma unroll 1
    for (int k = 1; k < 16; ++k) {
        unsigned key = keys[k];
        int at = k - 1;
        while (at >= 0 && keys[at] > key) { keys[at + 1] = keys[at]; --at; }
        keys[at + 1] = key;
    }
    out[i] = keys[in[i] & 15];
}

KERNEL(local_bins) {
    unsigned i = INDEX & (n - 1);
    unsigned char bins[32];
    #pragma unroll 1
    for (int k = 0; k < 32; ++k) bins[k] = k;
    #pragma unroll 1
    for (int k = 0; k < 32; ++k) bins[in[(i + k) & (n - 1)] & 31] += 1;
    out[i] = bins[i & 31];
}

KERNEL(local_stack) {
    unsigned stack[24], top = 0, sum = 0, i = INDEX & (n - 1);
    stack[top++] = 1 + (i & 7);
    #pragma unroll 1
    while (top) {
        unsigned node = stack[--top];
        sum += in[node];
        if (node < 64) { stack[top++] = node * 2; stack[top++] = node * 2 + 1; }
    }
    out[i] = sum;
}

__device__ __noinline__ float step(float x, float y) { return x * 0.5f + y * 0.25f; }

KERNEL(calls) {
    float x = FLOATS[INDEX & (n - 1)];
    #pragma unroll 1
    for (int k = 0; k < 16; ++k) x = step(x, k);
    FLOATS_OUT[INDEX & (n - 1)] = x;
}

__device__ __noinline__ unsigned fibonacci(unsigned k) { return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2); }

KERNEL(recursion) { out[INDEX & (n - 1)] = fibonacci(6 + (in[INDEX & (n - 1)] & 3)); }

KERNEL(machine) {
    unsigned i = INDEX & (n - 1), x = in[i], y = i;
    #pragma unroll 1
    for (int k = 0; k < 16; ++k) {
        switch (x & 7) {
            case 0: y += x; break; case 1: y ^= x >> 3; break; case 2: y *= 5; break; case 3: y -= k; break;
            case 4: y = y << 1 | 1; break; case 5: y = ~y; break; case 6: y += 7 * k; break; default: y = x - y;
        }
        x = x * 1664525 + 1013904223;
    }
    out[i] = y;
}

KERNEL(distance_rows) {
    __shared__ unsigned char row[2][264];
    unsigned t = threadIdx.x;
    const unsigned char *text = (const unsigned char *)in;
    row[0][t] = t; row[1][t] = t;
    __syncthreads();
    for (unsigned k = 1; k < 32; ++k) {
        unsigned side = k & 1, up = row[1 - side][t], left = t ? row[1 - side][t - 1] : k;
        unsigned cost = (text[(blockIdx.x * 256 + t) & (n - 1)] ^ text[k]) & 3 ? 1 : 0;
        row[side][t] = min(up + 1, left + cost);
        __syncthreads();
    }
    out[INDEX & (n - 1)] = row[1][t];
}
