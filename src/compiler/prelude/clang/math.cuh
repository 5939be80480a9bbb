// Mathematical functions of float. Unless a comment says otherwise, a result is off by at most
// a few units in the last place, as with CUDA's own library; its last digits may differ.

#define __WS_PTX1(name, ptx)                                                                      \
    __WS float name(float x)                                                                      \
    {                                                                                             \
        float y;                                                                                  \
        asm(ptx " %0, %1;" : "=f"(y) : "f"(x));                                                   \
        return y;                                                                                 \
    }
#define __WS_PTX2(name, ptx)                                                                      \
    __WS float name(float a, float b)                                                             \
    {                                                                                             \
        float y;                                                                                  \
        asm(ptx " %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));                                       \
        return y;                                                                                 \
    }
#define __WS_PTX3(name, ptx)                                                                      \
    __WS float name(float a, float b, float c)                                                    \
    {                                                                                             \
        float y;                                                                                  \
        asm(ptx " %0, %1, %2, %3;" : "=f"(y) : "f"(a), "f"(b), "f"(c));                           \
        return y;                                                                                 \
    }

// The GPU's fast instructions: approximations, as in CUDA.
__WS_PTX1(__ws_ex2, "ex2.approx.f32")
__WS_PTX1(__ws_lg2, "lg2.approx.f32")
__WS_PTX1(__sinf, "sin.approx.f32")
__WS_PTX1(__cosf, "cos.approx.f32")
__WS_PTX1(rsqrtf, "rsqrt.approx.f32")
__WS_PTX2(__fdividef, "div.approx.f32")
__WS_PTX1(__saturatef, "cvt.sat.f32.f32")
__WS float __expf(float x) { return __ws_ex2(x * 1.44269504f); }
__WS float __exp10f(float x) { return __ws_ex2(x * 3.32192809f); }
__WS float __log2f(float x) { return __ws_lg2(x); }
__WS float __logf(float x) { return __ws_lg2(x) * 0.693147181f; }
__WS float __log10f(float x) { return __ws_lg2(x) * 0.301029996f; }
__WS float __powf(float x, float y) { return __ws_ex2(y * __ws_lg2(x)); }
__WS float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__WS void __sincosf(float x, float *s, float *c) { *s = __sinf(x); *c = __cosf(x); }

// One operation with a rounding mode, never fused with another.
#define __WS_ROUNDED(mode, ptx)                                                                        \
    __WS_PTX2(__fadd_##mode, "add." ptx ".f32")                                                 \
    __WS_PTX2(__fsub_##mode, "sub." ptx ".f32")                                                 \
    __WS_PTX2(__fmul_##mode, "mul." ptx ".f32")                                                 \
    __WS_PTX2(__fdiv_##mode, "div." ptx ".f32")                                                 \
    __WS_PTX3(__fmaf_##mode, "fma." ptx ".f32")                                                 \
    __WS_PTX1(__frcp_##mode, "rcp." ptx ".f32")                                                 \
    __WS_PTX1(__fsqrt_##mode, "sqrt." ptx ".f32")
__WS_ROUNDED(rn, "rn")
__WS_ROUNDED(rz, "rz")
__WS_ROUNDED(rd, "rm")
__WS_ROUNDED(ru, "rp")

// Exact, or rounded once.
__WS float fabsf(float x) { return __builtin_fabsf(x); }
__WS float sqrtf(float x) { return __builtin_sqrtf(x); }
__WS float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__WS float fminf(float a, float b) { return __builtin_fminf(a, b); }
__WS float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
__WS float floorf(float x) { return __builtin_floorf(x); }
__WS float ceilf(float x) { return __builtin_ceilf(x); }
__WS float truncf(float x) { return __builtin_truncf(x); }
__WS float rintf(float x) { return __builtin_rintf(x); }
__WS float nearbyintf(float x) { return __builtin_rintf(x); }
__WS float roundf(float x) { return __builtin_roundf(x); }
__WS float copysignf(float x, float sign) { return __builtin_copysignf(x, sign); }
__WS float fdimf(float a, float b) { return a > b ? a - b : 0.0f; }
__WS long lrintf(float x) { return (long)rintf(x); }
__WS long lroundf(float x) { return (long)roundf(x); }
__WS long long llrintf(float x) { return (long long)rintf(x); }
__WS long long llroundf(float x) { return (long long)roundf(x); }
__WS float modff(float x, float *whole)
{
    *whole = truncf(x);
    return copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}
// Exact: the divisor is doubled up to the dividend, then subtracted on the way back.
__WS float fmodf(float x, float y)
{
    float rest = fabsf(x), step = fabsf(y), least = step;
    if (!(rest < INFINITY) || !(step > 0.0f))
        return NAN;
    if (step < INFINITY) {
        while (step <= 0.5f * rest)
            step *= 2.0f;
        for (; step >= least; step *= 0.5f)
            rest = rest >= step ? rest - step : rest;
    }
    return copysignf(rest, x);
}
// 2^n for n from -126 to 127.
__WS float __ws_power2f(int n) { return __int_as_float((n + 127) << 23); }
__WS float ldexpf(float x, int n)
{
    n = n > 300 ? 300 : n < -300 ? -300 : n;
    int third = n / 3;
    return x * __ws_power2f(third) * __ws_power2f(third) * __ws_power2f(n - 2 * third);
}
__WS float scalbnf(float x, int n) { return ldexpf(x, n); }
__WS float frexpf(float x, int *n)
{
    *n = 0;
    if (x == 0.0f || !(fabsf(x) < INFINITY))
        return x;
    if (fabsf(x) < 1.17549435e-38f) {
        x *= 16777216.0f;
        *n = -24;
    }
    int bits = __float_as_int(x);
    *n += ((bits >> 23) & 0xff) - 126;
    return __int_as_float((bits & 0x807fffff) | 0x3f000000);
}

// Exponential functions: x = j ln 2 + f with |f| <= ln 2 / 2, and 2^j from its bits.
__WS float expf(float x)
{
    x = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
    float j = rintf(x * 1.44269504f);
    float f = fmaf(j, -0.693147182f, x);
    f = fmaf(j, 1.9046543e-9f, f);
    int n = (int)j, half = n >> 1;
    return __ws_ex2(f * 1.44269504f) * __ws_power2f(half) * __ws_power2f(n - half);
}
__WS float exp2f(float x) { return __ws_ex2(x); }
__WS float exp10f(float x)
{
    x = x > 39.0f ? 39.0f : x < -46.0f ? -46.0f : x;
    float j = rintf(x * 3.32192809f);
    float f = fmaf(j, -0.301030010f, x);
    f = fmaf(j, 1.432098889e-08f, f);
    int n = (int)j, half = n >> 1;
    return __ws_ex2(f * 3.32192809f) * __ws_power2f(half) * __ws_power2f(n - half);
}
__WS float expm1f(float x)
{
    if (fabsf(x) > 0.5f)
        return expf(x) - 1.0f;
    float p = 1.0f / 362880;
    p = fmaf(p, x, 1.0f / 40320);
    p = fmaf(p, x, 1.0f / 5040);
    p = fmaf(p, x, 1.0f / 720);
    p = fmaf(p, x, 1.0f / 120);
    p = fmaf(p, x, 1.0f / 24);
    p = fmaf(p, x, 1.0f / 6);
    p = fmaf(p, x, 0.5f);
    return fmaf(x * x, p, x);
}

// log(1 + f) = 2 atanh(s) with s = f / (2 + f), as a series. |s| <= 0.18.
__WS float __ws_log1pf(float f)
{
    float s = f / (2.0f + f), z = s * s;
    float p = fmaf(2.0f / 11, z, 2.0f / 9);
    p = fmaf(p, z, 2.0f / 7);
    p = fmaf(p, z, 2.0f / 5);
    p = fmaf(p, z, 2.0f / 3);
    return fmaf(s * z, p, 2.0f * s);
}
// x = 2^e (1 + f); f from sqrt(1/2) - 1 to sqrt(2) - 1. For positive finite x.
__WS float __ws_splitf(float x, float *f)
{
    int e = 0;
    if (x < 1.17549435e-38f) {
        x *= 8388608.0f;
        e = -23;
    }
    int bits = __float_as_int(x), up = (bits - 0x3f3504f3) >> 23;
    *f = __int_as_float(bits - (up << 23)) - 1.0f;
    return (float)(e + up);
}
#define __WS_LOGF(name, whole, part)                                                              \
    __WS float name(float x)                                                                      \
    {                                                                                             \
        if (!(x > 0.0f))                                                                          \
            return x == 0.0f ? -INFINITY : NAN;                                                   \
        if (x == INFINITY)                                                                        \
            return x;                                                                             \
        float f, e = __ws_splitf(x, &f);                                                          \
        return fmaf(e, whole, __ws_log1pf(f) * part);                                             \
    }
__WS_LOGF(logf, 0.693147181f, 1.0f)
__WS_LOGF(log2f, 1.0f, 1.44269504f)
__WS_LOGF(log10f, 0.301029996f, 0.434294482f)
__WS float log1pf(float x)
{
    return fabsf(x) < 0.3f ? __ws_log1pf(x) : logf(1.0f + x);
}

// x = q pi/2 + r with |r| <= pi/4. Above 2^53 the result has no correct digit.
__WS int __ws_quarterf(float x, float *r)
{
    if (fabsf(x) < 65536.0f) {
        float q = rintf(x * 0.636619772f);
        float rest = fmaf(q, -1.57079637f, x);
        rest = fmaf(q, 4.37113883e-8f, rest);
        *r = fmaf(q, 1.7151245e-15f, rest);
        return (int)q;
    }
    double q = __builtin_rint(x * 0.63661977236758134308);
    double rest = __builtin_fma(q, -1.5707963267948966, (double)x);
    *r = (float)__builtin_fma(q, -6.123233995736766e-17, rest);
    return (int)((long long)q & 3);
}
__WS float __ws_sinf(float r)
{
    float z = r * r, p = fmaf(1.0f / 362880, z, -1.0f / 5040);
    p = fmaf(p, z, 1.0f / 120);
    p = fmaf(p, z, -1.0f / 6);
    return fmaf(r * z, p, r);
}
__WS float __ws_cosf(float r)
{
    float z = r * r, p = fmaf(-1.0f / 3628800, z, 1.0f / 40320);
    p = fmaf(p, z, -1.0f / 720);
    p = fmaf(p, z, 1.0f / 24);
    p = fmaf(p, z, -0.5f);
    return fmaf(z, p, 1.0f);
}
__WS void sincosf(float x, float *s, float *c)
{
    float r;
    int q = __ws_quarterf(x, &r);
    float a = __ws_sinf(r), b = __ws_cosf(r);
    float sine = q & 1 ? b : a, cosine = q & 1 ? a : b;
    *s = q & 2 ? -sine : sine;
    *c = (q + 1) & 2 ? -cosine : cosine;
}
__WS float sinf(float x)
{
    float r;
    int q = __ws_quarterf(x, &r);
    float sine = q & 1 ? __ws_cosf(r) : __ws_sinf(r);
    return q & 2 ? -sine : sine;
}
__WS float cosf(float x)
{
    float r;
    int q = __ws_quarterf(x, &r);
    float cosine = q & 1 ? __ws_sinf(r) : __ws_cosf(r);
    return (q + 1) & 2 ? -cosine : cosine;
}
__WS float tanf(float x)
{
    float s, c;
    sincosf(x, &s, &c);
    return s / c;
}
__WS float sinpif(float x) { return sinf((x - 2.0f * rintf(0.5f * x)) * 3.14159265f); }
__WS float cospif(float x) { return cosf((x - 2.0f * rintf(0.5f * x)) * 3.14159265f); }

// atan of 0 to 1: above tan(pi/8) it is pi/4 + atan((x - 1) / (x + 1)). Then a series.
__WS float __ws_atanf(float x)
{
    bool shifted = x > 0.414213562f;
    float t = shifted ? (x - 1.0f) / (x + 1.0f) : x, z = t * t;
    float p = fmaf(-1.0f / 19, z, 1.0f / 17);
    p = fmaf(p, z, -1.0f / 15);
    p = fmaf(p, z, 1.0f / 13);
    p = fmaf(p, z, -1.0f / 11);
    p = fmaf(p, z, 1.0f / 9);
    p = fmaf(p, z, -1.0f / 7);
    p = fmaf(p, z, 1.0f / 5);
    p = fmaf(p, z, -1.0f / 3);
    return (shifted ? 0.785398163f : 0.0f) + fmaf(t * z, p, t);
}
__WS float atan2f(float y, float x)
{
    float a = fabsf(x), b = fabsf(y);
    if (a != a || b != b)
        return NAN;
    float low = fminf(a, b), high = fmaxf(a, b);
    float ratio = low == high ? (high == 0.0f ? 0.0f : 1.0f) : low / high;
    float angle = __ws_atanf(ratio);
    angle = b > a ? 1.57079633f - angle : angle;
    angle = copysignf(1.0f, x) < 0.0f ? 3.14159265f - angle : angle;
    return copysignf(angle, y);
}
__WS float atanf(float x) { return atan2f(x, 1.0f); }
__WS float asinf(float x) { return atan2f(x, sqrtf((1.0f - x) * (1.0f + x))); }
__WS float acosf(float x) { return atan2f(sqrtf((1.0f - x) * (1.0f + x)), x); }

__WS float sinhf(float x)
{
    float a = fabsf(x), e = a < 1.0f ? expm1f(a) : expf(a - 0.693147181f);
    float y = a < 1.0f ? 0.5f * (e + e / (e + 1.0f)) : e - 0.25f / e;
    return copysignf(y, x);
}
__WS float coshf(float x)
{
    float e = expf(fabsf(x) - 0.693147181f);
    return e + 0.25f / e;
}
__WS float tanhf(float x)
{
    float e = expm1f(2.0f * fabsf(x));
    return copysignf(e == INFINITY ? 1.0f : e / (e + 2.0f), x);
}
__WS float asinhf(float x)
{
    float a = fabsf(x), y = a > 1e9f ? logf(a) + 0.693147181f
                                     : log1pf(a + a * a / (1.0f + sqrtf(a * a + 1.0f)));
    return copysignf(y, x);
}
__WS float acoshf(float x)
{
    return x > 1e9f ? logf(x) + 0.693147181f : logf(x + sqrtf((x - 1.0f) * (x + 1.0f)));
}
__WS float atanhf(float x) { return 0.5f * log1pf(2.0f * x / (1.0f - x)); }
__WS float cbrtf(float x)
{
    float a = fabsf(x);
    if (a == 0.0f || !(a < INFINITY))
        return x;
    float y = __ws_ex2(log2f(a) * 0.333333333f);
    y = y - (y * y * y - a) / (3.0f * y * y);
    return copysignf(y, x);
}
__WS float hypotf(float a, float b)
{
    return (float)__builtin_sqrt((double)a * a + (double)b * b);
}
