// Vector types, dim3 and the built-in variables threadIdx, blockIdx, blockDim, gridDim.

// An assignment by members becomes one wide load and store. A copy of the whole struct
// would become several of 8 bytes.
#define __WS_VECTORS(T, name, align2, align4)                                                     \
    struct name##1 { T x; };                                                                      \
    struct __attribute__((aligned(align2))) name##2                                               \
    {                                                                                             \
        T x, y;                                                                                   \
        __WSM name##2 &operator=(const name##2 &o) { x = o.x; y = o.y; return *this; }            \
    };                                                                                            \
    struct name##3 { T x, y, z; };                                                                \
    struct __attribute__((aligned(align4))) name##4                                               \
    {                                                                                             \
        T x, y, z, w;                                                                             \
        __WSM name##4 &operator=(const name##4 &o)                                                \
        {                                                                                         \
            x = o.x; y = o.y; z = o.z; w = o.w;                                                   \
            return *this;                                                                         \
        }                                                                                         \
    };                                                                                            \
    __WS name##1 make_##name##1(T x) { return name##1{x}; }                                       \
    __WS name##2 make_##name##2(T x, T y) { return name##2{x, y}; }                               \
    __WS name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }                       \
    __WS name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }

__WS_VECTORS(signed char, char, 2, 4)
__WS_VECTORS(unsigned char, uchar, 2, 4)
__WS_VECTORS(short, short, 4, 8)
__WS_VECTORS(unsigned short, ushort, 4, 8)
__WS_VECTORS(int, int, 8, 16)
__WS_VECTORS(unsigned int, uint, 8, 16)
__WS_VECTORS(long, long, 16, 16)
__WS_VECTORS(unsigned long, ulong, 16, 16)
__WS_VECTORS(long long, longlong, 16, 16)
__WS_VECTORS(unsigned long long, ulonglong, 16, 16)
__WS_VECTORS(float, float, 8, 16)
__WS_VECTORS(double, double, 16, 16)

struct dim3
{
    unsigned int x, y, z;
    __WSM constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __WSM dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __WSM operator uint3() const { return uint3{x, y, z}; }
};

// Each member is read from its register where it is used.
#define __WS_BUILTIN(name, sreg)                                                                  \
    struct __ws_##name                                                                            \
    {                                                                                             \
        __declspec(property(get = __x)) unsigned int x;                                           \
        __declspec(property(get = __y)) unsigned int y;                                           \
        __declspec(property(get = __z)) unsigned int z;                                           \
        static __WSM unsigned int __x() { return __nvvm_read_ptx_sreg_##sreg##_x(); }             \
        static __WSM unsigned int __y() { return __nvvm_read_ptx_sreg_##sreg##_y(); }             \
        static __WSM unsigned int __z() { return __nvvm_read_ptx_sreg_##sreg##_z(); }             \
        __WSM operator dim3() const { return dim3(__x(), __y(), __z()); }                         \
        __WSM operator uint3() const { return uint3{__x(), __y(), __z()}; }                       \
        __ws_##name() = delete;                                                                   \
        void operator=(const __ws_##name &) const = delete;                                       \
    };                                                                                            \
    extern const __attribute__((device, weak)) __ws_##name name;

__WS_BUILTIN(threadIdx, tid)
__WS_BUILTIN(blockIdx, ctaid)
__WS_BUILTIN(blockDim, ntid)
__WS_BUILTIN(gridDim, nctaid)
#define warpSize 32
