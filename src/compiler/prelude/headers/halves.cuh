// What <cuda_fp16.h> and <cuda_bf16.h> have in common: a number of 16 bits `T`, and `P` with two of
// them in a register. Division and functions are computed in float.
#ifndef __WS_HALVES
#define __WS_HALVES

template <class T> __WS T __ws_of(unsigned short bits)
{
    T x;
    x.__x = bits;
    return x;
}
template <class P> __WS unsigned int __ws_bits(P a) { return (unsigned int)a.y.__x << 16 | a.x.__x; }
template <class P> __WS P __ws_pair(unsigned int bits)
{
    P a;
    a.x.__x = (unsigned short)bits;
    a.y.__x = (unsigned short)(bits >> 16);
    return a;
}

// Loads and stores that say how caches keep them; `__ldg` is for what no kernel of this launch
// writes.
#define __WS_16_LOAD(T, P, name, ptx)                                                             \
    __WS T name(const T *p)                                                                       \
    {                                                                                             \
        T x;                                                                                      \
        asm volatile("ld.global." ptx ".b16 %0, [%1];" : "=h"(x.__x) : "l"(p) : "memory");        \
        return x;                                                                                 \
    }                                                                                             \
    __WS P name(const P *p)                                                                       \
    {                                                                                             \
        unsigned int bits;                                                                        \
        asm volatile("ld.global." ptx ".b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");         \
        return __ws_pair<P>(bits);                                                                \
    }
#define __WS_16_STORE(T, P, name, ptx)                                                            \
    __WS void name(T *p, T x)                                                                     \
    {                                                                                             \
        asm volatile("st.global." ptx ".b16 [%0], %1;" ::"l"(p), "h"(x.__x) : "memory");          \
    }                                                                                             \
    __WS void name(P *p, P x)                                                                     \
    {                                                                                             \
        asm volatile("st.global." ptx ".b32 [%0], %1;" ::"l"(p), "r"(__ws_bits(x)) : "memory");   \
    }

// One operation, rounded once: of one number, and of two. `ptx` has the type's name at its end.
#define __WS_16_TWO(T, P, type, name, ptx)                                                        \
    __WS T name(T a, T b)                                                                         \
    {                                                                                             \
        T c;                                                                                      \
        asm(ptx(type, "%0, %1, %2") : "=h"(c.__x) : "h"(a.__x), "h"(b.__x));                      \
        return c;                                                                                 \
    }                                                                                             \
    __WS P name##2(P a, P b)                                                                      \
    {                                                                                             \
        unsigned int c;                                                                           \
        asm(ptx(type "x2", "%0, %1, %2") : "=r"(c) : "r"(__ws_bits(a)), "r"(__ws_bits(b)));       \
        return __ws_pair<P>(c);                                                                   \
    }
#define __WS_16_THREE(T, P, name, name2, ptx, type)                                               \
    __WS T name(T a, T b, T c)                                                                    \
    {                                                                                             \
        T d;                                                                                      \
        asm(ptx type " %0, %1, %2, %3;"                                                           \
            : "=h"(d.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));                                  \
        return d;                                                                                 \
    }                                                                                             \
    __WS P name2(P a, P b, P c)                                                                   \
    {                                                                                             \
        unsigned int d;                                                                           \
        asm(ptx type "x2 %0, %1, %2, %3;"                                                         \
            : "=r"(d) : "r"(__ws_bits(a)), "r"(__ws_bits(b)), "r"(__ws_bits(c)));                 \
        return __ws_pair<P>(d);                                                                   \
    }

// A function of float, of one number and of two.
#define __WS_16_OF(T, P, name, name2, f)                                                          \
    __WS T name(T a) { return T(f); }                                                             \
    __WS P name2(P a) { return P(name(a.x), name(a.y)); }
#define __WS_16_OF_TWO(T, P, name, name2, f)                                                      \
    __WS T name(T a, T b) { return T(f); }                                                        \
    __WS P name2(P a, P b) { return P(name(a.x, b.x), name(a.y, b.y)); }

// Comparisons: a number is 1 where it holds for that number, a truth value where it does for both.
#define __WS_16_ORDER(T, P, op, name)                                                             \
    __WS bool __h##name(T a, T b) { return (float)a op (float)b; }                                \
    __WS bool operator op(T a, T b) { return (float)a op (float)b; }                              \
    __WS P __h##name##2(P a, P b)                                                                 \
    {                                                                                             \
        return P(T(__h##name(a.x, b.x) ? 1.0f : 0.0f), T(__h##name(a.y, b.y) ? 1.0f : 0.0f));     \
    }                                                                                             \
    __WS bool __hb##name##2(P a, P b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }      \
    __WS bool operator op(P a, P b) { return __hb##name##2(a, b); }
#define __WS_16_OPERATOR(T, op, name)                                                             \
    __WS T operator op(T a, T b) { return name(a, b); }                                           \
    __WS T &operator op##=(T &a, T b) { return a = name(a, b); }

// What other lanes have.
#define __WS_16_SHUFFLE(T, P, name, type)                                                         \
    __WS T name(unsigned int mask, T x, type by, int width = 32)                                  \
    {                                                                                             \
        return __ws_of<T>((unsigned short)name(mask, (unsigned int)x.__x, by, width));            \
    }                                                                                             \
    __WS P name(unsigned int mask, P x, type by, int width = 32)                                  \
    {                                                                                             \
        return __ws_pair<P>(name(mask, __ws_bits(x), by, width));                                 \
    }

// All of it, but what differs: `infinity` is the bits of that number.
#define __WS_16(T, P, type, infinity)                                                             \
    __WS_16_LOAD(T, P, __ldg, "nc")                                                               \
    __WS_16_LOAD(T, P, __ldca, "ca")                                                              \
    __WS_16_LOAD(T, P, __ldcg, "cg")                                                              \
    __WS_16_LOAD(T, P, __ldcs, "cs")                                                              \
    __WS_16_LOAD(T, P, __ldlu, "lu")                                                              \
    __WS_16_LOAD(T, P, __ldcv, "cv")                                                              \
    __WS_16_STORE(T, P, __stwb, "wb")                                                             \
    __WS_16_STORE(T, P, __stcg, "cg")                                                             \
    __WS_16_STORE(T, P, __stcs, "cs")                                                             \
    __WS_16_STORE(T, P, __stwt, "wt")                                                             \
    __WS_16_THREE(T, P, __hfma, __hfma2, "fma.rn.", type)                                         \
    __WS_16_THREE(T, P, __hfma_relu, __hfma2_relu, "fma.rn.relu.", type)                          \
    __WS T __hneg(T a) { return __ws_of<T>(a.__x ^ 0x8000); }                                     \
    __WS P __hneg2(P a) { return P(__hneg(a.x), __hneg(a.y)); }                                   \
    __WS T __habs(T a) { return __ws_of<T>(a.__x & 0x7fff); }                                     \
    __WS P __habs2(P a) { return P(__habs(a.x), __habs(a.y)); }                                   \
    __WS bool __hisnan(T a) { return (a.__x & 0x7fff) > infinity; }                               \
    __WS int __hisinf(T a)                                                                        \
    {                                                                                             \
        return (a.__x & 0x7fff) != infinity ? 0 : a.__x >> 15 ? -1 : 1;                           \
    }                                                                                             \
    __WS_16_OF_TWO(T, P, __hdiv, __h2div, (float)a / (float)b)                                    \
    __WS_16_OF_TWO(T, P, __hmin, __hmin2, fminf((float)a, (float)b))                              \
    __WS_16_OF_TWO(T, P, __hmax, __hmax2, fmaxf((float)a, (float)b))                              \
    __WS_16_OF(T, P, hsqrt, h2sqrt, sqrtf((float)a))                                              \
    __WS_16_OF(T, P, hrsqrt, h2rsqrt, rsqrtf((float)a))                                           \
    __WS_16_OF(T, P, hrcp, h2rcp, 1.0f / (float)a)                                                \
    __WS_16_OF(T, P, hexp, h2exp, expf((float)a))                                                 \
    __WS_16_OF(T, P, hexp2, h2exp2, exp2f((float)a))                                              \
    __WS_16_OF(T, P, hexp10, h2exp10, exp10f((float)a))                                           \
    __WS_16_OF(T, P, hlog, h2log, logf((float)a))                                                 \
    __WS_16_OF(T, P, hlog2, h2log2, log2f((float)a))                                              \
    __WS_16_OF(T, P, hlog10, h2log10, log10f((float)a))                                           \
    __WS_16_OF(T, P, hsin, h2sin, sinf((float)a))                                                 \
    __WS_16_OF(T, P, hcos, h2cos, cosf((float)a))                                                 \
    __WS_16_OF(T, P, htanh, h2tanh, tanhf((float)a))                                              \
    __WS_16_OF(T, P, hfloor, h2floor, floorf((float)a))                                           \
    __WS_16_OF(T, P, hceil, h2ceil, ceilf((float)a))                                              \
    __WS_16_OF(T, P, htrunc, h2trunc, truncf((float)a))                                           \
    __WS_16_OF(T, P, hrint, h2rint, rintf((float)a))                                              \
    __WS_16_ORDER(T, P, ==, eq)                                                                   \
    __WS_16_ORDER(T, P, !=, ne)                                                                   \
    __WS_16_ORDER(T, P, <, lt)                                                                    \
    __WS_16_ORDER(T, P, <=, le)                                                                   \
    __WS_16_ORDER(T, P, >, gt)                                                                    \
    __WS_16_ORDER(T, P, >=, ge)                                                                   \
    __WS_16_OPERATOR(T, +, __hadd)                                                                \
    __WS_16_OPERATOR(T, -, __hsub)                                                                \
    __WS_16_OPERATOR(T, *, __hmul)                                                                \
    __WS_16_OPERATOR(T, /, __hdiv)                                                                \
    __WS_16_OPERATOR(P, +, __hadd2)                                                               \
    __WS_16_OPERATOR(P, -, __hsub2)                                                               \
    __WS_16_OPERATOR(P, *, __hmul2)                                                               \
    __WS_16_OPERATOR(P, /, __h2div)                                                               \
    __WS T operator-(T a) { return __hneg(a); }                                                   \
    __WS P operator-(P a) { return __hneg2(a); }                                                  \
    __WS float __low2float(P a) { return (float)a.x; }                                            \
    __WS float __high2float(P a) { return (float)a.y; }                                           \
    __WS P __lowhigh2highlow(P a) { return P(a.y, a.x); }                                         \
    __WS_16_SHUFFLE(T, P, __shfl_sync, int)                                                       \
    __WS_16_SHUFFLE(T, P, __shfl_up_sync, unsigned int)                                           \
    __WS_16_SHUFFLE(T, P, __shfl_down_sync, unsigned int)                                         \
    __WS_16_SHUFFLE(T, P, __shfl_xor_sync, int)

// Conversions by one instruction.
#define __WS_16_FROM(T, name, from, type, letter)                                                 \
    __WS T name(type x)                                                                           \
    {                                                                                             \
        T y;                                                                                      \
        asm("cvt." from " %0, %1;" : "=h"(y.__x) : letter(x));                                    \
        return y;                                                                                 \
    }

#endif
