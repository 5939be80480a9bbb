// What C++ has in `std` for device code: <algorithm>, <cmath>, <cstddef>, <cstdint>, <limits>,
// <type_traits> and <utility>. For sources that name `std`.

namespace std {
using ::size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::intptr_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uintptr_t;

using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::pow;
using ::rint;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;

template <typename T> __WSM constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> __WSM constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> __WSM void swap(T &a, T &b)
{
    T old = a;
    a = b;
    b = old;
}

template <typename T> struct numeric_limits {
    static constexpr bool is_specialized = false;
};
#define __WS_LIMITS(T, LOWEST, LEAST, MOST, DIGITS, WHOLE)                                        \
    template <> struct numeric_limits<T> {                                                        \
        static constexpr bool is_specialized = true, is_integer = WHOLE;                          \
        static constexpr bool is_signed = (T)-1 < (T)0;                                           \
        static constexpr int digits = DIGITS;                                                     \
        __WSM static constexpr T lowest() { return LOWEST; }                                      \
        __WSM static constexpr T min() { return LEAST; }                                          \
        __WSM static constexpr T max() { return MOST; }
#define __WS_WHOLE(T, LEAST, MOST)                                                                \
    __WS_LIMITS(T, LEAST, LEAST, MOST, 8 * sizeof(T) - ((T)-1 < (T)0), true) };
__WS_WHOLE(bool, false, true)
__WS_WHOLE(char, SCHAR_MIN, SCHAR_MAX)
__WS_WHOLE(signed char, SCHAR_MIN, SCHAR_MAX)
__WS_WHOLE(unsigned char, 0, UCHAR_MAX)
__WS_WHOLE(short, SHRT_MIN, SHRT_MAX)
__WS_WHOLE(unsigned short, 0, USHRT_MAX)
__WS_WHOLE(int, INT_MIN, INT_MAX)
__WS_WHOLE(unsigned int, 0, UINT_MAX)
__WS_WHOLE(long, long(1UL << (8 * sizeof(long) - 1)), long(~0UL >> 1))
__WS_WHOLE(unsigned long, 0, ~0UL)
__WS_WHOLE(long long, LLONG_MIN, LLONG_MAX)
__WS_WHOLE(unsigned long long, 0, ULLONG_MAX)
#define __WS_REAL(T, PREFIX, DIGITS)                                                              \
    __WS_LIMITS(T, -PREFIX##_MAX, PREFIX##_MIN, PREFIX##_MAX, DIGITS, false)                      \
        __WSM static constexpr T epsilon() { return PREFIX##_EPSILON; }                           \
        __WSM static T infinity() { return INFINITY; }                                            \
        __WSM static T quiet_NaN() { return NAN; }                                                \
    };
__WS_REAL(float, FLT, 24)
__WS_REAL(double, DBL, 53)

template <typename T, T VALUE> struct integral_constant {
    static constexpr T value = VALUE;
    __WSM constexpr operator T() const { return VALUE; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <typename A, typename B> struct is_same : false_type {};
template <typename A> struct is_same<A, A> : true_type {};
template <typename T>
struct is_integral : integral_constant<bool, bool(numeric_limits<T>::is_specialized) &&
                                                 !is_same<T, float>::value &&
                                                 !is_same<T, double>::value> {};
template <typename T>
struct is_floating_point
    : integral_constant<bool, is_same<T, float>::value || is_same<T, double>::value> {};
template <bool WHEN, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> {
    typedef T type;
};
template <bool WHEN, typename T = void> using enable_if_t = typename enable_if<WHEN, T>::type;
template <bool WHEN, typename A, typename B> struct conditional {
    typedef A type;
};
template <typename A, typename B> struct conditional<false, A, B> {
    typedef B type;
};
template <bool WHEN, typename A, typename B>
using conditional_t = typename conditional<WHEN, A, B>::type;
#if __cplusplus >= 201703L
template <typename A, typename B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <typename T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
#endif

#ifdef __clang__ // NVRTC has these built in.
template <typename T> struct remove_reference {
    typedef T type;
};
template <typename T> struct remove_reference<T &> {
    typedef T type;
};
template <typename T> struct remove_reference<T &&> {
    typedef T type;
};
template <typename T> __WSM constexpr typename remove_reference<T>::type &&move(T &&value)
{
    return static_cast<typename remove_reference<T>::type &&>(value);
}
template <typename T> __WSM constexpr T &&forward(typename remove_reference<T>::type &value)
{
    return static_cast<T &&>(value);
}
#endif
}
