// Mathematical functions of double, and those of float that need them. A result is off by a
// few units in the last place unless a comment says otherwise.

#define __WS_ROUNDED2(name, ptx)                                                                  \
    __WS double name(double a, double b)                                                          \
    {                                                                                             \
        double y;                                                                                 \
        asm(ptx " %0, %1, %2;" : "=d"(y) : "d"(a), "d"(b));                                       \
        return y;                                                                                 \
    }
__WS_ROUNDED2(__dadd_rn, "add.rn.f64")
__WS_ROUNDED2(__dsub_rn, "sub.rn.f64")
__WS_ROUNDED2(__dmul_rn, "mul.rn.f64")
__WS_ROUNDED2(__ddiv_rn, "div.rn.f64")
__WS double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
__WS double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__WS double __drcp_rn(double x) { return 1.0 / x; }

__WS double fabs(double x) { return __builtin_fabs(x); }
__WS double sqrt(double x) { return __builtin_sqrt(x); }
__WS double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__WS double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__WS double fmin(double a, double b) { return __builtin_fmin(a, b); }
__WS double fmax(double a, double b) { return __builtin_fmax(a, b); }
__WS double floor(double x) { return __builtin_floor(x); }
__WS double ceil(double x) { return __builtin_ceil(x); }
__WS double trunc(double x) { return __builtin_trunc(x); }
__WS double rint(double x) { return __builtin_rint(x); }
__WS double nearbyint(double x) { return __builtin_rint(x); }
__WS double round(double x) { return __builtin_round(x); }
__WS double copysign(double x, double sign) { return __builtin_copysign(x, sign); }
__WS double fdim(double a, double b) { return a > b ? a - b : 0.0; }
__WS long lrint(double x) { return (long)rint(x); }
__WS long lround(double x) { return (long)round(x); }
__WS long long llrint(double x) { return (long long)rint(x); }
__WS long long llround(double x) { return (long long)round(x); }
__WS double modf(double x, double *whole)
{
    *whole = trunc(x);
    return copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
// Exact, as fmodf.
__WS double fmod(double x, double y)
{
    double rest = fabs(x), step = fabs(y), least = step;
    if (!(rest < HUGE_VAL) || !(step > 0.0))
        return NAN;
    if (step < HUGE_VAL) {
        while (step <= 0.5 * rest)
            step *= 2.0;
        for (; step >= least; step *= 0.5)
            rest = rest >= step ? rest - step : rest;
    }
    return copysign(rest, x);
}
// Exact. What is left is less than two divisors, of which the nearest multiple is taken.
__WS double remainder(double x, double y)
{
    double rest = fabs(x), step = fabs(y);
    if (!(rest < HUGE_VAL) || !(step > 0.0))
        return NAN;
    if (step < 8e307)
        rest = fmod(rest, 2.0 * step);
    if (rest + rest > step) {
        rest -= step;
        rest = rest + rest >= step ? rest - step : rest;
    }
    return copysign(1.0, x) < 0.0 ? -rest : rest;
}
__WS float remainderf(float x, float y) { return (float)remainder((double)x, (double)y); }
// 2^n for n from -1022 to 1023.
__WS double __ws_power2(int n) { return __longlong_as_double((long long)(n + 1023) << 52); }
__WS double ldexp(double x, int n)
{
    n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
    int third = n / 3;
    return x * __ws_power2(third) * __ws_power2(third) * __ws_power2(n - 2 * third);
}
__WS double scalbn(double x, int n) { return ldexp(x, n); }
__WS double frexp(double x, int *n)
{
    *n = 0;
    if (x == 0.0 || !(fabs(x) < HUGE_VAL))
        return x;
    if (fabs(x) < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        *n = -54;
    }
    long long bits = __double_as_longlong(x);
    *n += (int)((bits >> 52) & 0x7ff) - 1022;
    return __longlong_as_double((bits & 0x800fffffffffffffLL) | 0x3fe0000000000000LL);
}

// 1 / n!, a constant where n is one.
__WS double __ws_inverse_factorial(int n)
{
    double product = 1.0;
    for (int i = 2; i <= n; i++)
        product *= i;
    return 1.0 / product;
}
// exp(f) - 1 for |f| <= ln 2 / 2, as a series.
__WS double __ws_expm1(double f)
{
    double p = 1.0 / 6227020800;
#pragma unroll
    for (int n = 12; n >= 2; n--)
        p = fma(p, f, __ws_inverse_factorial(n));
    return fma(f * f, p, f);
}
__WS double exp(double x)
{
    x = x > 710.0 ? 710.0 : x < -746.0 ? -746.0 : x;
    double j = rint(x * 1.4426950408889634);
    double f = fma(j, -6.93147180559945286e-1, x);
    f = fma(j, -2.31904681384629956e-17, f);
    int n = (int)j, half = n >> 1;
    return (1.0 + __ws_expm1(f)) * __ws_power2(half) * __ws_power2(n - half);
}
__WS double expm1(double x) { return fabs(x) < 0.34 ? __ws_expm1(x) : exp(x) - 1.0; }
__WS double exp2(double x)
{
    double j = rint(x);
    j = j > 1100.0 ? 1100.0 : j < -1100.0 ? -1100.0 : j;
    return ldexp(1.0 + __ws_expm1((x - j) * 0.6931471805599453), (int)j);
}
__WS double exp10(double x) { return exp(x * 2.302585092994045684); }

// As the functions of float.
__WS double __ws_log1p(double f)
{
    double s = f / (2.0 + f), z = s * s, p = 2.0 / 23;
#pragma unroll
    for (int n = 21; n >= 3; n -= 2)
        p = fma(p, z, 2.0 / n);
    return fma(s * z, p, 2.0 * s);
}
#define __WS_LOG(name, whole, part)                                                               \
    __WS double name(double x)                                                                    \
    {                                                                                             \
        if (!(x > 0.0))                                                                           \
            return x == 0.0 ? -HUGE_VAL : (double)NAN;                                            \
        if (x == HUGE_VAL)                                                                        \
            return x;                                                                             \
        int e = 0;                                                                                \
        if (x < 2.2250738585072014e-308) {                                                        \
            x *= 18014398509481984.0;                                                             \
            e = -54;                                                                              \
        }                                                                                         \
        long long bits = __double_as_longlong(x);                                                 \
        int up = (int)((bits - 0x3fe6a09e667f3bcdLL) >> 52);                                      \
        double f = __longlong_as_double(bits - ((long long)up << 52)) - 1.0;                      \
        return fma((double)(e + up), whole, __ws_log1p(f) * part);                                \
    }
__WS_LOG(log, M_LN2, 1.0)
__WS_LOG(log2, 1.0, M_LOG2E)
__WS_LOG(log10, 0.30102999566398119521, M_LOG10E)
__WS double log1p(double x) { return fabs(x) < 0.3 ? __ws_log1p(x) : log(1.0 + x); }

// The relative error grows to 1e-13 for results near the ends of the range.
__WS double pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (x != x || y != y)
        return NAN;
    bool whole = trunc(y) == y, odd = whole && fabs(y) < 9007199254740992.0 && ((long long)y & 1);
    double a = fabs(x);
    if (x < 0.0 && !whole && a < HUGE_VAL)
        return NAN;
    double result = a == 1.0 ? 1.0 : a == 0.0 ? (y > 0.0 ? 0.0 : HUGE_VAL) : exp(y * log(a));
    return copysign(1.0, x) < 0.0 && odd ? -result : result;
}
__WS float powf(float x, float y) { return (float)pow((double)x, (double)y); }

// x = q pi/2 + r. Above 2^40 digits are lost.
__WS int __ws_quarter(double x, double *r)
{
    double q = rint(x * 0.63661977236758134308);
    double rest = fma(q, -1.5707963267948966, x);
    *r = fma(q, -6.123233995736766e-17, rest);
    return (int)((long long)q & 3);
}
__WS double __ws_sin(double r)
{
    double z = r * r, p = -__ws_inverse_factorial(19);
#pragma unroll
    for (int n = 17; n >= 3; n -= 2)
        p = fma(p, z, (n & 2 ? -1.0 : 1.0) * __ws_inverse_factorial(n));
    return fma(r * z, p, r);
}
__WS double __ws_cos(double r)
{
    double z = r * r, p = -__ws_inverse_factorial(18);
#pragma unroll
    for (int n = 16; n >= 2; n -= 2)
        p = fma(p, z, (n & 2 ? -1.0 : 1.0) * __ws_inverse_factorial(n));
    return fma(z, p, 1.0);
}
__WS void sincos(double x, double *s, double *c)
{
    double r;
    int q = __ws_quarter(x, &r);
    double a = __ws_sin(r), b = __ws_cos(r);
    double sine = q & 1 ? b : a, cosine = q & 1 ? a : b;
    *s = q & 2 ? -sine : sine;
    *c = (q + 1) & 2 ? -cosine : cosine;
}
__WS double sin(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return s;
}
__WS double cos(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return c;
}
__WS double tan(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return s / c;
}
__WS double sinpi(double x) { return sin((x - 2.0 * rint(0.5 * x)) * M_PI); }
__WS double cospi(double x) { return cos((x - 2.0 * rint(0.5 * x)) * M_PI); }

__WS double __ws_atan(double x)
{
    bool shifted = x > 0.41421356237309503;
    double t = shifted ? (x - 1.0) / (x + 1.0) : x, z = t * t, p = 1.0 / 41;
#pragma unroll
    for (int n = 39; n >= 3; n -= 2)
        p = fma(p, z, (n & 2 ? -1.0 : 1.0) / n);
    return (shifted ? M_PI_4 : 0.0) + fma(t * z, p, t);
}
__WS double atan2(double y, double x)
{
    double a = fabs(x), b = fabs(y);
    if (a != a || b != b)
        return NAN;
    double low = fmin(a, b), high = fmax(a, b);
    double ratio = low == high ? (high == 0.0 ? 0.0 : 1.0) : low / high;
    double angle = __ws_atan(ratio);
    angle = b > a ? M_PI_2 - angle : angle;
    angle = copysign(1.0, x) < 0.0 ? M_PI - angle : angle;
    return copysign(angle, y);
}
__WS double atan(double x) { return atan2(x, 1.0); }
__WS double asin(double x) { return atan2(x, sqrt((1.0 - x) * (1.0 + x))); }
__WS double acos(double x) { return atan2(sqrt((1.0 - x) * (1.0 + x)), x); }
__WS double sinh(double x)
{
    double a = fabs(x), e = a < 0.34 ? expm1(a) : exp(a - M_LN2);
    return copysign(a < 0.34 ? 0.5 * (e + e / (e + 1.0)) : e - 0.25 / e, x);
}
__WS double cosh(double x)
{
    double e = exp(fabs(x) - M_LN2);
    return e + 0.25 / e;
}
__WS double tanh(double x)
{
    double e = expm1(2.0 * fabs(x));
    return copysign(e == HUGE_VAL ? 1.0 : e / (e + 2.0), x);
}
__WS double asinh(double x)
{
    double a = fabs(x);
    return copysign(a > 1e18 ? log(a) + M_LN2 : log1p(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}
__WS double acosh(double x)
{
    return x > 1e18 ? log(x) + M_LN2 : log(x + sqrt((x - 1.0) * (x + 1.0)));
}
__WS double atanh(double x) { return 0.5 * log1p(2.0 * x / (1.0 - x)); }
__WS double cbrt(double x)
{
    double a = fabs(x);
    if (a == 0.0 || !(a < HUGE_VAL))
        return x;
    double y = exp(log(a) / 3.0);
    y = y - (y - a / (y * y)) / 3.0;
    return copysign(y, x);
}
__WS double hypot(double a, double b)
{
    double high = fmax(fabs(a), fabs(b)), low = fmin(fabs(a), fabs(b));
    if (high == 0.0 || high == HUGE_VAL)
        return high;
    double ratio = low / high;
    return high * sqrt(fma(ratio, ratio, 1.0));
}

// Below 2.5 a series whose terms are positive, above a continued fraction (Abramowitz and
// Stegun, 7.1.6 and 7.1.14). erfc between 0.5 and 2.5 has a relative error up to 1e-12.
__WS double __ws_erf(double a)
{
    double sum = a, term = a;
    for (int n = 1; n < 60; n++) {
        term *= 2.0 * a * a / (2 * n + 1);
        sum += term;
    }
    return 1.1283791670955126 * exp(-a * a) * sum;
}
__WS double __ws_erfc(double a)
{
    double rest = 0.0;
    for (int n = 60; n >= 1; n--)
        rest = 0.5 * n / (a + rest);
    return 0.56418958354775629 * exp(-a * a) / (a + rest);
}
__WS double erf(double x)
{
    double a = fabs(x);
    return a != a ? x : copysign(a < 2.5 ? __ws_erf(a) : a > 6.0 ? 1.0 : 1.0 - __ws_erfc(a), x);
}
__WS double erfc(double x)
{
    double a = fabs(x);
    if (a != a)
        return x;
    double rest = a < 2.5 ? 1.0 - __ws_erf(a) : a > 27.3 ? 0.0 : __ws_erfc(a);
    return x < 0.0 ? 2.0 - rest : rest;
}
__WS float erff(float x) { return (float)erf((double)x); }
__WS float erfcf(float x) { return (float)erfc((double)x); }

// Stirling's series (Abramowitz and Stegun, 6.1.40 and 6.1.41) at x + m >= 10, divided by
// x (x + 1) ... (x + m - 1); the reflection 6.1.17 below 1/2. tgamma loses three digits near
// the ends of its range, lgamma those that cancel where it is near 0.
__WS double __ws_stirling(double x, double *product)
{
    *product = 1.0;
    for (; x < 10.0; x += 1.0)
        *product *= x;
    double z = 1.0 / (x * x), p = -691.0 / 360360;
    p = fma(p, z, 1.0 / 1188);
    p = fma(p, z, -1.0 / 1680);
    p = fma(p, z, 1.0 / 1260);
    p = fma(p, z, -1.0 / 360);
    p = fma(p, z, 1.0 / 12);
    return (x - 0.5) * log(x) - x + 0.91893853320467274 + p / x;
}
__WS double lgamma(double x)
{
    double product;
    if (x != x || fabs(x) == HUGE_VAL)
        return x * x;
    if (x <= 0.0 && trunc(x) == x)
        return HUGE_VAL;
    if (x >= 0.5) {
        double part = __ws_stirling(x, &product);
        return part - log(product);
    }
    double part = __ws_stirling(1.0 - x, &product);
    return log(M_PI / fabs(sinpi(x))) - part + log(product);
}
__WS double tgamma(double x)
{
    double product;
    if (x != x || x == HUGE_VAL || (x < 0.0 && trunc(x) == x))
        return x > 0.0 ? x : (double)NAN;
    if (x == 0.0)
        return copysign(HUGE_VAL, x);
    if (x >= 0.5) {
        double part = __ws_stirling(x, &product);
        return exp(part) / product;
    }
    double part = __ws_stirling(1.0 - x, &product);
    return M_PI / sinpi(x) * product * exp(-part);
}
__WS float lgammaf(float x) { return (float)lgamma((double)x); }
__WS float tgammaf(float x) { return (float)tgamma((double)x); }
__WS double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
__WS float normcdff(float x) { return (float)normcdf((double)x); }
