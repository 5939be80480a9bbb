// The names of C++: one name for float, double and integers.

template <class T> struct __ws_integer {};
#define __WS_INTEGER(T) template <> struct __ws_integer<T> { typedef double real; };
__WS_INTEGER(bool)
__WS_INTEGER(char)
__WS_INTEGER(signed char)
__WS_INTEGER(unsigned char)
__WS_INTEGER(short)
__WS_INTEGER(unsigned short)
__WS_INTEGER(int)
__WS_INTEGER(unsigned int)
__WS_INTEGER(long)
__WS_INTEGER(unsigned long)
__WS_INTEGER(long long)
__WS_INTEGER(unsigned long long)

#define __WS_ONE(name)                                                                            \
    __WS float name(float x) { return name##f(x); }                                               \
    template <class T>                                                                            \
    __WS typename __ws_integer<T>::real name(T x) { return name((double)x); }
__WS_ONE(acos)
__WS_ONE(acosh)
__WS_ONE(asin)
__WS_ONE(asinh)
__WS_ONE(atan)
__WS_ONE(atanh)
__WS_ONE(cbrt)
__WS_ONE(ceil)
__WS_ONE(cos)
__WS_ONE(cosh)
__WS_ONE(cospi)
__WS_ONE(erf)
__WS_ONE(erfc)
__WS_ONE(exp)
__WS_ONE(exp10)
__WS_ONE(exp2)
__WS_ONE(expm1)
__WS_ONE(floor)
__WS_ONE(lgamma)
__WS_ONE(log)
__WS_ONE(log10)
__WS_ONE(log1p)
__WS_ONE(log2)
__WS_ONE(nearbyint)
__WS_ONE(rint)
__WS_ONE(round)
__WS_ONE(rsqrt)
__WS_ONE(sin)
__WS_ONE(sinh)
__WS_ONE(sinpi)
__WS_ONE(sqrt)
__WS_ONE(tan)
__WS_ONE(tanh)
__WS_ONE(tgamma)
__WS_ONE(trunc)
__WS double fabs(int x) { return fabs((double)x); }
__WS float fabs(float x) { return fabsf(x); }

#define __WS_TWO(name)                                                                            \
    __WS float name(float a, float b) { return name##f(a, b); }                                   \
    __WS double name(float a, double b) { return name((double)a, b); }                            \
    __WS double name(double a, float b) { return name(a, (double)b); }                            \
    template <class T>                                                                            \
    __WS typename __ws_integer<T>::real name(double a, T b) { return name(a, (double)b); }        \
    template <class T>                                                                            \
    __WS typename __ws_integer<T>::real name(T a, double b) { return name((double)a, b); }
__WS_TWO(atan2)
__WS_TWO(copysign)
__WS_TWO(fdim)
__WS_TWO(fmax)
__WS_TWO(fmin)
__WS_TWO(fmod)
__WS_TWO(hypot)
__WS_TWO(pow)
__WS_TWO(remainder)
__WS float pow(float x, int n) { return powf(x, (float)n); }
__WS double pow(int x, int n) { return pow((double)x, (double)n); }
__WS float fma(float a, float b, float c) { return fmaf(a, b, c); }
__WS float ldexp(float x, int n) { return ldexpf(x, n); }
__WS float frexp(float x, int *n) { return frexpf(x, n); }
__WS float modf(float x, float *whole) { return modff(x, whole); }
__WS void sincos(float x, float *s, float *c) { sincosf(x, s, c); }

#define __WS_CLASSIFY(T)                                                                          \
    __WS bool isnan(T x) { return x != x; }                                                       \
    __WS bool isinf(T x) { return __builtin_isinf(x); }                                           \
    __WS bool isfinite(T x) { return __builtin_isfinite(x); }                                     \
    __WS bool signbit(T x) { return __builtin_copysign(1.0, (double)x) < 0.0; }
__WS_CLASSIFY(float)
__WS_CLASSIFY(double)

__WS int abs(int x) { return x < 0 ? -x : x; }
__WS long abs(long x) { return x < 0 ? -x : x; }
__WS long long abs(long long x) { return x < 0 ? -x : x; }
__WS float abs(float x) { return fabsf(x); }
__WS double abs(double x) { return fabs(x); }
__WS long labs(long x) { return abs(x); }
__WS long long llabs(long long x) { return abs(x); }

// A mixed pair becomes the type that C++ makes of it.
#define __WS_ORDERED(A, B, T)                                                                     \
    __WS T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                                    \
    __WS T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
__WS_ORDERED(int, int, int)
__WS_ORDERED(unsigned int, unsigned int, unsigned int)
__WS_ORDERED(int, unsigned int, unsigned int)
__WS_ORDERED(unsigned int, int, unsigned int)
__WS_ORDERED(long, long, long)
__WS_ORDERED(unsigned long, unsigned long, unsigned long)
__WS_ORDERED(long, unsigned long, unsigned long)
__WS_ORDERED(unsigned long, long, unsigned long)
__WS_ORDERED(long long, long long, long long)
__WS_ORDERED(unsigned long long, unsigned long long, unsigned long long)
__WS_ORDERED(long long, unsigned long long, unsigned long long)
__WS_ORDERED(unsigned long long, long long, unsigned long long)
// min.f32 and min.f64: a number, if only one of the two is a number.
#define __WS_ORDERED_REAL(A, B, T, suffix)                                                        \
    __WS T min(A a, B b) { return __builtin_fmin##suffix(a, b); }                                 \
    __WS T max(A a, B b) { return __builtin_fmax##suffix(a, b); }
__WS_ORDERED_REAL(float, float, float, f)
__WS_ORDERED_REAL(double, double, double, )
__WS_ORDERED_REAL(float, double, double, )
__WS_ORDERED_REAL(double, float, double, )
__WS unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__WS unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
