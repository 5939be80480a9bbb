// Integer and conversion functions, and loads through the read-only cache.

__WS int __popc(unsigned int x) { return __builtin_popcount(x); }
__WS int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__WS int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
__WS int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
__WS int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz((unsigned int)x) + 1; }
__WS int __ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1; }
__WS unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__WS unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

__WS int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__WS unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return (unsigned int)(((unsigned long long)a * b) >> 32);
}
__WS long long __mul64hi(long long a, long long b)
{
    long long high;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(high) : "l"(a), "l"(b));
    return high;
}
__WS unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    unsigned long long high;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(a), "l"(b));
    return high;
}
__WS int __mul24(int a, int b)
{
    int low;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(low) : "r"(a), "r"(b));
    return low;
}
__WS unsigned int __umul24(unsigned int a, unsigned int b)
{
    unsigned int low;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(low) : "r"(a), "r"(b));
    return low;
}
__WS unsigned int __sad(int a, int b, unsigned int c)
{
    unsigned int sum;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
__WS unsigned int __usad(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int sum;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
__WS unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector)
{
    unsigned int bytes;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
    return bytes;
}
__WS unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned int bits;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(bits) : "r"(low), "r"(high), "r"(shift));
    return bits;
}
__WS unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned int bits;
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(bits) : "r"(low), "r"(high), "r"(shift));
    return bits;
}
#if __CUDA_ARCH__ >= 610
__WS int __dp4a(int a, int b, int c)
{
    int sum;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
__WS unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
    unsigned int sum;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
}
#endif

// The same bits as another type.
__WS int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__WS unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__WS float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__WS float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__WS long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WS double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WS int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__WS int __double2loint(double x) { return (int)__double_as_longlong(x); }
__WS double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned int)low);
}

// Conversions with a rounding mode.
#define __WS_CONVERT(name, To, From, instruction, out, in)                                        \
    __WS To name(From x)                                                                          \
    {                                                                                             \
        To y;                                                                                     \
        asm(instruction " %0, %1;" : out(y) : in(x));                                             \
        return y;                                                                                 \
    }
#define __WS_TO_INTEGER(from, From, ptx, in)                                                      \
    __WS_CONVERT(from##2int_rn, int, From, "cvt.rni.s32." ptx, "=r", in)                          \
    __WS_CONVERT(from##2int_rz, int, From, "cvt.rzi.s32." ptx, "=r", in)                          \
    __WS_CONVERT(from##2int_rd, int, From, "cvt.rmi.s32." ptx, "=r", in)                          \
    __WS_CONVERT(from##2int_ru, int, From, "cvt.rpi.s32." ptx, "=r", in)                          \
    __WS_CONVERT(from##2uint_rn, unsigned int, From, "cvt.rni.u32." ptx, "=r", in)                \
    __WS_CONVERT(from##2uint_rz, unsigned int, From, "cvt.rzi.u32." ptx, "=r", in)                \
    __WS_CONVERT(from##2uint_rd, unsigned int, From, "cvt.rmi.u32." ptx, "=r", in)                \
    __WS_CONVERT(from##2uint_ru, unsigned int, From, "cvt.rpi.u32." ptx, "=r", in)                \
    __WS_CONVERT(from##2ll_rn, long long, From, "cvt.rni.s64." ptx, "=l", in)                     \
    __WS_CONVERT(from##2ll_rz, long long, From, "cvt.rzi.s64." ptx, "=l", in)                     \
    __WS_CONVERT(from##2ull_rn, unsigned long long, From, "cvt.rni.u64." ptx, "=l", in)           \
    __WS_CONVERT(from##2ull_rz, unsigned long long, From, "cvt.rzi.u64." ptx, "=l", in)
__WS_TO_INTEGER(__float, float, "f32", "f")
__WS_TO_INTEGER(__double, double, "f64", "d")
__WS float __int2float_rn(int x) { return (float)x; }
__WS float __uint2float_rn(unsigned int x) { return (float)x; }
__WS float __ll2float_rn(long long x) { return (float)x; }
__WS float __ull2float_rn(unsigned long long x) { return (float)x; }
__WS double __int2double_rn(int x) { return x; }
__WS double __uint2double_rn(unsigned int x) { return x; }
__WS double __ll2double_rn(long long x) { return (double)x; }
__WS double __ull2double_rn(unsigned long long x) { return (double)x; }
__WS float __double2float_rn(double x) { return (float)x; }

// Loads of memory that no kernel of this launch writes.
#define __WS_LDG(T, ptx, out)                                                                     \
    __WS T __ldg(const T *p)                                                                      \
    {                                                                                             \
        T x;                                                                                      \
        asm("ld.global.nc." ptx " %0, [%1];" : out(x) : "l"(p));                                  \
        return x;                                                                                 \
    }
#define __WS_LDG8(T, ptx)                                                                         \
    __WS T __ldg(const T *p)                                                                      \
    {                                                                                             \
        unsigned int x;                                                                           \
        asm("ld.global.nc." ptx " %0, [%1];" : "=r"(x) : "l"(p));                                 \
        return (T)x;                                                                              \
    }
#define __WS_LDG_VECTOR(T, ptx, out)                                                              \
    __WS T##2 __ldg(const T##2 *p)                                                                \
    {                                                                                             \
        T##2 v;                                                                                   \
        asm("ld.global.nc.v2." ptx " {%0, %1}, [%2];" : out(v.x), out(v.y) : "l"(p));             \
        return v;                                                                                 \
    }
#define __WS_LDG_VECTOR4(T, ptx, out)                                                             \
    __WS T##4 __ldg(const T##4 *p)                                                                \
    {                                                                                             \
        T##4 v;                                                                                   \
        asm("ld.global.nc.v4." ptx " {%0, %1, %2, %3}, [%4];"                                     \
            : out(v.x), out(v.y), out(v.z), out(v.w) : "l"(p));                                   \
        return v;                                                                                 \
    }
__WS_LDG8(char, "s8")
__WS_LDG8(signed char, "s8")
__WS_LDG8(unsigned char, "u8")
__WS_LDG(short, "s16", "=h")
__WS_LDG(unsigned short, "u16", "=h")
__WS_LDG(int, "s32", "=r")
__WS_LDG(unsigned int, "u32", "=r")
__WS_LDG(long, "s64", "=l")
__WS_LDG(unsigned long, "u64", "=l")
__WS_LDG(long long, "s64", "=l")
__WS_LDG(unsigned long long, "u64", "=l")
__WS_LDG(float, "f32", "=f")
__WS_LDG(double, "f64", "=d")
__WS_LDG_VECTOR(int, "s32", "=r")
__WS_LDG_VECTOR(uint, "u32", "=r")
__WS_LDG_VECTOR(float, "f32", "=f")
__WS_LDG_VECTOR(double, "f64", "=d")
__WS_LDG_VECTOR4(int, "s32", "=r")
__WS_LDG_VECTOR4(uint, "u32", "=r")
__WS_LDG_VECTOR4(float, "f32", "=f")

// Loads and stores with a hint for the caches, which changes no result: here without it.
#define __WS_HINTED_LOAD(name) template <typename T> __WS T name(const T *p) { return *p; }
#define __WS_HINTED_STORE(name) template <typename T> __WS void name(T *p, T x) { *p = x; }
__WS_HINTED_LOAD(__ldca)
__WS_HINTED_LOAD(__ldcg)
__WS_HINTED_LOAD(__ldcs)
__WS_HINTED_LOAD(__ldlu)
__WS_HINTED_LOAD(__ldcv)
__WS_HINTED_STORE(__stcg)
__WS_HINTED_STORE(__stcs)
__WS_HINTED_STORE(__stwb)
__WS_HINTED_STORE(__stwt)
