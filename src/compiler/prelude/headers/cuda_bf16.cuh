// Floats of 16 bits with the exponent of a float, as <cuda_bf16.h> declares them. They take an
// architecture from 80 on, which NVRTC is asked for where it compiles for an older one.
#if !defined __clang__ && __CUDA_ARCH__ < 800
#error "__nv_bfloat16 takes compute capability 8.0"
#endif

struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __WSM __nv_bfloat16(float x) { asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__x) : "f"(x)); }
    // Cut off with a last bit that tells of the rest, so that it is rounded once.
    __WSM __nv_bfloat16(double x)
    {
        float cut;
        asm("cvt.rz.f32.f64 %0, %1;" : "=f"(cut) : "d"(x));
        unsigned int bits = __float_as_uint(cut);
        if ((double)cut != x && x == x) bits |= 1;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(__x) : "f"(__uint_as_float(bits)));
    }
    __WSM __nv_bfloat16(int x) : __nv_bfloat16((double)x) {}
    __WSM __nv_bfloat16(unsigned int x) : __nv_bfloat16((double)x) {}
    __WSM operator float() const { return __uint_as_float((unsigned int)__x << 16); }
};
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __WSM __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Sums and products are instructions from architecture 90 on, before that multiply-adds.
#if __CUDA_ARCH__ >= 900
#define __WS_BF16_ADD(type, operands) "add.rn." type " " operands ";"
#define __WS_BF16_SUB(type, operands) "sub.rn." type " " operands ";"
#define __WS_BF16_MUL(type, operands) "mul.rn." type " " operands ";"
__WS_16_TWO(__nv_bfloat16, __nv_bfloat162, "bf16", __hadd, __WS_BF16_ADD)
__WS_16_TWO(__nv_bfloat16, __nv_bfloat162, "bf16", __hsub, __WS_BF16_SUB)
__WS_16_TWO(__nv_bfloat16, __nv_bfloat162, "bf16", __hmul, __WS_BF16_MUL)
__WS_16(__nv_bfloat16, __nv_bfloat162, "bf16", 0x7f80)
#else
__WS __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b);
__WS __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b);
__WS __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b);
__WS __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b);
__WS __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b);
__WS __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b);
__WS_16(__nv_bfloat16, __nv_bfloat162, "bf16", 0x7f80)
#define __WS_BF16_BY_FMA(T, two, one, minus_one, minus_zero)                                      \
    __WS T __hadd##two(T a, T b) { return __hfma##two(a, one, b); }                               \
    __WS T __hsub##two(T a, T b) { return __hfma##two(b, minus_one, a); }                         \
    __WS T __hmul##two(T a, T b) { return __hfma##two(a, b, minus_zero); }
__WS_BF16_BY_FMA(__nv_bfloat16, , __ws_of<__nv_bfloat16>(0x3f80), __ws_of<__nv_bfloat16>(0xbf80),
                 __ws_of<__nv_bfloat16>(0x8000))
__WS_BF16_BY_FMA(__nv_bfloat162, 2, __ws_pair<__nv_bfloat162>(0x3f803f80),
                 __ws_pair<__nv_bfloat162>(0xbf80bf80), __ws_pair<__nv_bfloat162>(0x80008000))
#endif

__WS __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __ws_of<__nv_bfloat16>(bits); }
__WS __nv_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16((unsigned short)bits); }
__WS unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
__WS short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.__x; }

__WS __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
__WS __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
__WS __nv_bfloat16 __float2bfloat16_rz(float x)
{
    unsigned int bits = __float_as_uint(x);
    return __ushort_as_bfloat16(x == x ? (unsigned short)(bits >> 16) : 0x7fff);
}
__WS __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
__WS __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
__WS __nv_bfloat16 __uint2bfloat16_rn(unsigned int x) { return __nv_bfloat16(x); }
__WS __nv_bfloat16 __short2bfloat16_rn(short x) { return __nv_bfloat16((float)x); }
__WS __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x) { return __nv_bfloat16((float)x); }
__WS float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
__WS int __bfloat162int_rz(__nv_bfloat16 x) { return __float2int_rz((float)x); }
__WS int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn((float)x); }
__WS unsigned int __bfloat162uint_rz(__nv_bfloat16 x) { return __float2uint_rz((float)x); }

__WS __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}
__WS __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}
__WS __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
__WS __nv_bfloat162 __float2bfloat162_rn(float x) { return __bfloat162bfloat162(__nv_bfloat16(x)); }
__WS __nv_bfloat162 __floats2bfloat162_rn(float low, float high)
{
    return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
__WS __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__WS __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__WS __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__WS __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__WS __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__WS __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
__WS __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}
__WS float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }

// Sums in memory: an instruction from architecture 90 on, before that a swap of the word until no
// other thread was faster.
#if __CUDA_ARCH__ >= 900
__WS __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 value)
{
    __nv_bfloat16 old;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;"
                 : "=h"(old.__x) : "l"(p), "h"(value.__x) : "memory");
    return old;
}
__WS __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 value)
{
    unsigned int old;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
                 : "=r"(old) : "l"(p), "r"(__ws_bits(value)) : "memory");
    return __ws_pair<__nv_bfloat162>(old);
}
#else
__WS __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 value)
{
    unsigned int *word = (unsigned int *)p, old = *word, was;
    do {
        was = old;
        old = atomicCAS(word, was, __ws_bits(__hadd2(__ws_pair<__nv_bfloat162>(was), value)));
    } while (old != was);
    return __ws_pair<__nv_bfloat162>(old);
}
__WS __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 value)
{
    unsigned long long at = (unsigned long long)p;
    unsigned int *word = (unsigned int *)(at & ~3ull), shift = (at & 2) * 8, old = *word, was;
    do {
        was = old;
        __nv_bfloat16 sum = __hadd(__ws_of<__nv_bfloat16>((unsigned short)(was >> shift)), value);
        old = atomicCAS(word, was, (was & ~(0xffffu << shift)) | (unsigned int)sum.__x << shift);
    } while (old != was);
    return __ws_of<__nv_bfloat16>((unsigned short)(old >> shift));
}
#endif
