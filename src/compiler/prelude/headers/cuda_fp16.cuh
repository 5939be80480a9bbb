// Half precision, as <cuda_fp16.h> declares it.

struct __half {
    unsigned short __x;
    __half() = default;
    __WSM __half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__x) : "f"(x)); }
    __WSM __half(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(__x) : "d"(x)); }
    __WSM __half(int x) : __half((double)x) {}
    __WSM __half(unsigned int x) : __half((double)x) {}
    __WSM operator float() const
    {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(__x));
        return x;
    }
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __WSM __half2(__half low, __half high) : x(low), y(high) {}
};
typedef __half half;
typedef __half2 half2;

#define __WS_F16_ADD(type, operands) "add." type " " operands ";"
#define __WS_F16_SUB(type, operands) "sub." type " " operands ";"
#define __WS_F16_MUL(type, operands) "mul." type " " operands ";"
__WS_16_TWO(__half, __half2, "f16", __hadd, __WS_F16_ADD)
__WS_16_TWO(__half, __half2, "f16", __hsub, __WS_F16_SUB)
__WS_16_TWO(__half, __half2, "f16", __hmul, __WS_F16_MUL)
__WS_16(__half, __half2, "f16", 0x7c00)
__WS_16_THREE(__half, __half2, __hfma_sat, __hfma2_sat, "fma.rn.sat.", "f16")

__WS __half __ushort_as_half(unsigned short bits) { return __ws_of<__half>(bits); }
__WS __half __short_as_half(short bits) { return __ws_of<__half>((unsigned short)bits); }
__WS unsigned short __half_as_ushort(__half x) { return x.__x; }
__WS short __half_as_short(__half x) { return (short)x.__x; }

__WS __half __float2half(float x) { return __half(x); }
__WS __half __float2half_rn(float x) { return __half(x); }
__WS __half __double2half(double x) { return __half(x); }
__WS __half __int2half_rn(int x) { return __half(x); }
__WS __half __uint2half_rn(unsigned int x) { return __half(x); }
__WS __half __short2half_rn(short x) { return __half((float)x); }
__WS __half __ushort2half_rn(unsigned short x) { return __half((float)x); }
__WS_16_FROM(__half, __float2half_rz, "rz.f16.f32", float, "f")
__WS_16_FROM(__half, __float2half_ru, "rp.f16.f32", float, "f")
__WS_16_FROM(__half, __float2half_rd, "rm.f16.f32", float, "f")
__WS_16_FROM(__half, __ll2half_rn, "rn.f16.s64", long long, "l")
__WS_16_FROM(__half, __ull2half_rn, "rn.f16.u64", unsigned long long, "l")
__WS float __half2float(__half x) { return (float)x; }
__WS int __half2int_rz(__half x) { return __float2int_rz((float)x); }
__WS int __half2int_rn(__half x) { return __float2int_rn((float)x); }
__WS unsigned int __half2uint_rz(__half x) { return __float2uint_rz((float)x); }
__WS unsigned int __half2uint_rn(__half x) { return __float2uint_rn((float)x); }

__WS __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
__WS __half2 make_half2(__half low, __half high) { return __half2(low, high); }
__WS __half2 __half2half2(__half x) { return __half2(x, x); }
__WS __half2 __float2half2_rn(float x) { return __half2half2(__half(x)); }
__WS __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
__WS __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__WS __half __low2half(__half2 a) { return a.x; }
__WS __half __high2half(__half2 a) { return a.y; }
__WS __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__WS __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__WS __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__WS __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__WS float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }

// Sums in memory. One number takes an architecture from 70 on, two take 60.
__WS __half atomicAdd(__half *p, __half value)
{
    __half old;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;"
                 : "=h"(old.__x) : "l"(p), "h"(value.__x) : "memory");
    return old;
}
__WS __half2 atomicAdd(__half2 *p, __half2 value)
{
    unsigned int old;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(old) : "l"(p), "r"(__ws_bits(value)) : "memory");
    return __ws_pair<__half2>(old);
}
