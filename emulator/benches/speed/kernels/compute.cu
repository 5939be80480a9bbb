// Computing kernels: special functions, double and half precision, integers, bits.
#define KERNEL(NAME) extern "C" __global__ void NAME(const unsigned *__restrict__ in, unsigned *out, unsigned n)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define FLOATS ((const float *)in)
#define FLOATS_OUT ((float *)out)

KERNEL(mandelbrot) {
    unsigned i = INDEX;
    if (i >= n) return;
    float a = (i & 255) * 0.01f - 2.0f, b = (i >> 8) * 0.01f - 1.0f, x = 0, y = 0;
    unsigned k = 0;
    for (; k < 100 && x * x + y * y < 4.0f; ++k) { float t = x * x - y * y + a; y = 2 * x * y + b; x = t; }
    out[i] = k;
}

KERNEL(bodies) {
    __shared__ float4 tile[256];
    unsigned i = INDEX & (n - 1);
    float x = FLOATS[i], y = x * 0.5f, z = x * 0.25f, ax = 0, ay = 0, az = 0;
    for (unsigned t = 0; t < 4; ++t) {
        tile[threadIdx.x] = make_float4(FLOATS[(t * 256 + threadIdx.x) & (n - 1)], y, z, x);
        __syncthreads();
        for (unsigned k = 0; k < 256; ++k) {
            float4 other = tile[k];
            float dx = other.x - x, dy = other.y - y, dz = other.z - z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float force = other.w * inverse * inverse * inverse;
            ax += dx * force; ay += dy * force; az += dz * force;
        }
        __syncthreads();
    }
    FLOATS_OUT[i] = ax + ay + az;
}

KERNEL(options) {
    unsigned i = INDEX;
    if (i >= n) return;
    float price = FLOATS[i], strike = price * 1.1f, root = sqrtf(FLOATS[(i + 1) & (n - 1)]);
    float d1 = (logf(price / strike) + 0.06f) / (0.3f * root), d2 = d1 - 0.3f * root;
    FLOATS_OUT[i] = price * normcdff(d1) - strike * expf(-0.02f) * normcdff(d2);
}

KERNEL(fast_functions) {
    unsigned i = INDEX;
    if (i >= n) return;
    float x = FLOATS[i];
    for (int k = 0; k < 8; ++k) x = __sinf(x) + __cosf(x) + __expf(-x) + __logf(x + 2.0f) + __fdividef(x, 3.0f);
    FLOATS_OUT[i] = x;
}

KERNEL(full_functions) {
    unsigned i = INDEX;
    if (i >= n) return;
    float x = FLOATS[i];
    FLOATS_OUT[i] = sinf(x) + cosf(x) + expf(x) + logf(x) + tanhf(x) + powf(x, 1.7f) + x / (x + 3.0f);
}

KERNEL(polynomial_double) {
    unsigned i = INDEX;
    if (i >= n) return;
    double x = FLOATS[i] * 0.1, sum = 0;
    for (int k = 0; k < 32; ++k) sum = sum * x + (k + 1) * 0.125;
    FLOATS_OUT[i] = (float)sum;
}

KERNEL(newton_double) {
    unsigned i = INDEX;
    if (i >= n) return;
    double x = FLOATS[i], y = x;
    for (int k = 0; k < 8; ++k) y = 0.5 * (y + x / y);
    FLOATS_OUT[i] = (float)(y - sqrt(x) + exp(-x));
}

KERNEL(mixed_precision) {
    unsigned i = INDEX;
    if (i >= n / 2) return;
    const unsigned short *half = (const unsigned short *)in;
    float sum = 0;
    for (unsigned k = 0; k < 8; ++k) {
        float value;
        asm("{ .reg .f16 h; mov.b16 h, %1; cvt.f32.f16 %0, h; }" : "=f"(value) : "h"(half[(i * 2 + k * 64) & (2 * n - 1)]));
        sum = fmaf(value, value, sum);
    }
    unsigned short packed;
    asm("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; mov.b16 %0, h; }" : "=h"(packed) : "f"(sum));
    ((unsigned short *)out)[i] = packed;
}

KERNEL(half_pairs) {
    unsigned i = INDEX;
    if (i >= n) return;
    unsigned x = 0x3c003800, y = 0x34003555, sum = in[i] & 0x3fff3fff;
    for (int k = 0; k < 16; ++k) {
        asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(sum) : "r"(x), "r"(y));
        asm("mul.rn.f16x2 %0, %0, %1;" : "+r"(sum) : "r"(y));
    }
    out[i] = sum;
}

KERNEL(random_xorshift) {
    unsigned i = INDEX, state = in[i & (n - 1)], inside = 0;
    for (int k = 0; k < 32; ++k) {
        state ^= state << 13; state ^= state >> 17; state ^= state << 5;
        float x = (state & 0xffff) * (1.0f / 65536), y = (state >> 16) * (1.0f / 65536);
        inside += x * x + y * y < 1.0f;
    }
    out[i & (n - 1)] = inside;
}

KERNEL(random_wide) {
    unsigned i = INDEX;
    unsigned long long state = in[i & (n - 1)];
    for (int k = 0; k < 32; ++k) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        state ^= state >> 33;
        state += __umul64hi(state, 0x9e3779b97f4a7c15ull);
    }
    out[i & (n - 1)] = (unsigned)(state >> 32);
}

KERNEL(hash_rounds) {
    unsigned i = INDEX, a = in[i & (n - 1)], b = i, c = ~i, d = 0x510e527f;
    for (int k = 0; k < 32; ++k) {
        unsigned mixed = (a & b) ^ (~a & c);
        unsigned spun = __funnelshift_l(d, d, 6) ^ __funnelshift_l(d, d, 11) ^ __funnelshift_l(d, d, 25);
        unsigned next = d + mixed + spun + 0x428a2f98 * k;
        d = c; c = b; b = a; a = next;
    }
    out[i & (n - 1)] = a ^ b ^ c ^ d;
}

KERNEL(bit_tricks) {
    unsigned i = INDEX, x = in[i & (n - 1)], sum = 0;
    for (int k = 0; k < 16; ++k) {
        sum += __popc(x) + __clz(x) + (__brev(x) >> 7) + __ffs(x) + __byte_perm(x, sum, 0x2143);
        asm("bfe.u32 %0, %1, 5, 9;" : "=r"(x) : "r"(x + sum));
        asm("bfi.b32 %0, %1, %0, 12, 8;" : "+r"(x) : "r"(sum));
    }
    out[i & (n - 1)] = sum;
}

KERNEL(byte_vectors) {
    unsigned i = INDEX, a = in[i & (n - 1)], b = a * 2654435761u, sum = 0;
    for (int k = 0; k < 8; ++k) {
        asm("vadd4.u32.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
        a += sum;
    }
    out[i & (n - 1)] = sum;
}

KERNEL(divisions) {
    unsigned i = INDEX, a = in[i & (n - 1)], b = i | 1;
    while (b) { unsigned t = a % b; a = b; b = t; }
    out[i & (n - 1)] = a;
}

KERNEL(divisions_wide) {
    unsigned i = INDEX;
    unsigned long long a = (unsigned long long)in[i & (n - 1)] * 2654435761u, b = i * 77777ull + 13;
    for (int k = 0; k < 8; ++k) { unsigned long long q = a / b; a = a % b * 1000003 + q; b += 7; }
    out[i & (n - 1)] = (unsigned)a;
}

KERNEL(collatz) {
    unsigned i = INDEX, steps = 0;
    for (unsigned x = i + 1; x != 1 && steps < 200; ++steps) x = x & 1 ? 3 * x + 1 : x / 2;
    out[i & (n - 1)] = steps;
}

KERNEL(primes) {
    unsigned i = INDEX, x = i * 2 + 3, k = 3;
    while (k * k <= x && x % k) k += 2;
    out[i & (n - 1)] = k * k > x;
}
