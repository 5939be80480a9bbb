// Half precision, as <cuda_fp16.h> declares it: conversions, arithmetic and comparisons of one
// number and of two in a register. Division and functions are computed in float.

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

__WS __half __ushort_as_half(unsigned short bits)
{
    __half x;
    x.__x = bits;
    return x;
}
__WS unsigned short __half_as_ushort(__half x) { return x.__x; }
__WS unsigned int __ws_bits(__half2 a) { return (unsigned int)a.y.__x << 16 | a.x.__x; }
__WS __half2 __ws_half2(unsigned int bits)
{
    return __half2(__ushort_as_half((unsigned short)bits),
                   __ushort_as_half((unsigned short)(bits >> 16)));
}

// Loads and stores that say how caches keep them; `__ldg` is for what no kernel of this launch
// writes.
#define __WS_HALF_LOAD(name, ptx)                                                                 \
    __WS __half name(const __half *p)                                                             \
    {                                                                                             \
        __half x;                                                                                 \
        asm volatile("ld.global." ptx ".b16 %0, [%1];" : "=h"(x.__x) : "l"(p) : "memory");        \
        return x;                                                                                 \
    }                                                                                             \
    __WS __half2 name(const __half2 *p)                                                           \
    {                                                                                             \
        unsigned int bits;                                                                        \
        asm volatile("ld.global." ptx ".b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");         \
        return __ws_half2(bits);                                                                  \
    }
#define __WS_HALF_STORE(name, ptx)                                                                \
    __WS void name(__half *p, __half x)                                                           \
    {                                                                                             \
        asm volatile("st.global." ptx ".b16 [%0], %1;" ::"l"(p), "h"(x.__x) : "memory");          \
    }                                                                                             \
    __WS void name(__half2 *p, __half2 x)                                                         \
    {                                                                                             \
        asm volatile("st.global." ptx ".b32 [%0], %1;" ::"l"(p), "r"(__ws_bits(x)) : "memory");   \
    }
__WS_HALF_LOAD(__ldg, "nc")
__WS_HALF_LOAD(__ldca, "ca")
__WS_HALF_LOAD(__ldcg, "cg")
__WS_HALF_LOAD(__ldcs, "cs")
__WS_HALF_LOAD(__ldlu, "lu")
__WS_HALF_LOAD(__ldcv, "cv")
__WS_HALF_STORE(__stwb, "wb")
__WS_HALF_STORE(__stcg, "cg")
__WS_HALF_STORE(__stcs, "cs")
__WS_HALF_STORE(__stwt, "wt")

__WS __half __float2half(float x) { return __half(x); }
__WS __half __float2half_rn(float x) { return __half(x); }
__WS __half __double2half(double x) { return __half(x); }
__WS __half __int2half_rn(int x) { return __half(x); }
__WS __half __uint2half_rn(unsigned int x) { return __half(x); }
__WS float __half2float(__half x) { return (float)x; }
__WS int __half2int_rz(__half x) { return (int)(float)x; }
__WS int __half2int_rn(__half x) { return __float2int_rn((float)x); }

// One operation, rounded once: of one number, and of two.
#define __WS_HALF(name, ptx)                                                                      \
    __WS __half name(__half a, __half b)                                                          \
    {                                                                                             \
        __half c;                                                                                 \
        asm(ptx ".f16 %0, %1, %2;" : "=h"(c.__x) : "h"(a.__x), "h"(b.__x));                       \
        return c;                                                                                 \
    }                                                                                             \
    __WS __half2 name##2(__half2 a, __half2 b)                                                    \
    {                                                                                             \
        unsigned int c;                                                                           \
        asm(ptx ".f16x2 %0, %1, %2;" : "=r"(c) : "r"(__ws_bits(a)), "r"(__ws_bits(b)));           \
        return __ws_half2(c);                                                                     \
    }
__WS_HALF(__hadd, "add")
__WS_HALF(__hsub, "sub")
__WS_HALF(__hmul, "mul")
__WS __half __hfma(__half a, __half b, __half c)
{
    __half d;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return d;
}
__WS __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned int d;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(d) : "r"(__ws_bits(a)), "r"(__ws_bits(b)), "r"(__ws_bits(c)));
    return __ws_half2(d);
}
__WS __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
__WS __half __hneg(__half a) { return __ushort_as_half(a.__x ^ 0x8000); }
__WS __half __habs(__half a) { return __ushort_as_half(a.__x & 0x7fff); }
__WS __half __hmin(__half a, __half b) { return __half(fminf((float)a, (float)b)); }
__WS __half __hmax(__half a, __half b) { return __half(fmaxf((float)a, (float)b)); }
__WS bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
__WS __half hsqrt(__half a) { return __half(sqrtf((float)a)); }
__WS __half hrsqrt(__half a) { return __half(rsqrtf((float)a)); }
__WS __half hexp(__half a) { return __half(expf((float)a)); }
__WS __half hlog(__half a) { return __half(logf((float)a)); }

#define __WS_HALF_ARITHMETIC(op, name)                                                            \
    __WS __half operator op(__half a, __half b) { return name(a, b); }                            \
    __WS __half &operator op##=(__half &a, __half b) { return a = name(a, b); }
__WS_HALF_ARITHMETIC(+, __hadd)
__WS_HALF_ARITHMETIC(-, __hsub)
__WS_HALF_ARITHMETIC(*, __hmul)
__WS_HALF_ARITHMETIC(/, __hdiv)
__WS __half operator-(__half a) { return __hneg(a); }
#define __WS_HALF_ORDER(op, name)                                                                 \
    __WS bool name(__half a, __half b) { return (float)a op (float)b; }                           \
    __WS bool operator op(__half a, __half b) { return (float)a op (float)b; }
__WS_HALF_ORDER(==, __heq)
__WS_HALF_ORDER(!=, __hne)
__WS_HALF_ORDER(<, __hlt)
__WS_HALF_ORDER(<=, __hle)
__WS_HALF_ORDER(>, __hgt)
__WS_HALF_ORDER(>=, __hge)
#define __WS_HALF2_ARITHMETIC(op, name)                                                           \
    __WS __half2 operator op(__half2 a, __half2 b) { return name(a, b); }                         \
    __WS __half2 &operator op##=(__half2 &a, __half2 b) { return a = name(a, b); }
__WS_HALF2_ARITHMETIC(+, __hadd2)
__WS_HALF2_ARITHMETIC(-, __hsub2)
__WS_HALF2_ARITHMETIC(*, __hmul2)

__WS __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
__WS __half2 make_half2(__half low, __half high) { return __half2(low, high); }
__WS __half2 __half2half2(__half x) { return __half2(x, x); }
__WS __half2 __float2half2_rn(float x) { return __half2half2(__half(x)); }
__WS __half2 __floats2half2_rn(float low, float high) { return __half2(__half(low), __half(high)); }
__WS __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__WS __half __low2half(__half2 a) { return a.x; }
__WS __half __high2half(__half2 a) { return a.y; }
__WS float __low2float(__half2 a) { return (float)a.x; }
__WS float __high2float(__half2 a) { return (float)a.y; }
__WS float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }

// Conversions in a direction, and the nearest or cut off as integers.
#define __WS_HALF_OF(name, from, type, letter)                                                    \
    __WS __half name(type x)                                                                      \
    {                                                                                             \
        __half y;                                                                                 \
        asm("cvt." from " %0, %1;" : "=h"(y.__x) : letter(x));                                    \
        return y;                                                                                 \
    }
__WS_HALF_OF(__float2half_rz, "rz.f16.f32", float, "f")
__WS_HALF_OF(__float2half_ru, "rp.f16.f32", float, "f")
__WS_HALF_OF(__float2half_rd, "rm.f16.f32", float, "f")
__WS_HALF_OF(__ll2half_rn, "rn.f16.s64", long long, "l")
__WS_HALF_OF(__ull2half_rn, "rn.f16.u64", unsigned long long, "l")

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
    return __ws_half2(old);
}

// What other lanes have.
#define __WS_HALF_SHUFFLE(name, type)                                                             \
    __WS __half name(unsigned int mask, __half x, type by, int width = 32)                        \
    {                                                                                             \
        return __ushort_as_half((unsigned short)name(mask, (unsigned int)x.__x, by, width));      \
    }                                                                                             \
    __WS __half2 name(unsigned int mask, __half2 x, type by, int width = 32)                      \
    {                                                                                             \
        return __ws_half2(name(mask, __ws_bits(x), by, width));                                   \
    }
__WS_HALF_SHUFFLE(__shfl_sync, int)
__WS_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
__WS_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
__WS_HALF_SHUFFLE(__shfl_xor_sync, int)
