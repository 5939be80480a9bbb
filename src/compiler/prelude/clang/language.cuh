// CUDA C++ for clang without CUDA's headers: qualifiers, built-in variables, barriers.
// NVRTC has all of this built in.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __CUDACC_RTC__ 1

// A function of this prelude. Without debug information its instructions have the line of
// the caller.
#define __WS static __inline__ __attribute__((device, always_inline, nodebug))
// The same as a member.
#define __WSM __inline__ __attribute__((device, always_inline, nodebug))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define NULL __null
#define offsetof(type, member) __builtin_offsetof(type, member)
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()

extern "C" {
__attribute__((device)) int printf(const char *, ...);
__attribute__((device)) int vprintf(const char *, const char *);
__attribute__((device)) void *malloc(size_t);
__attribute__((device)) void free(void *);
__attribute__((device, noreturn)) void __assertfail(const char *, const char *, unsigned int,
                                                    const char *, size_t);
}
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) ((x) ? (void)0 : __assertfail(#x, __FILE__, __LINE__, __func__, 1))
#endif

__WS void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
__WS void *memset(void *to, int value, size_t n) { return __builtin_memset(to, value, n); }
__WS void __trap() { asm volatile("trap;"); }
__WS void __brkpt() { asm volatile("brkpt;"); }

// Barriers and fences. __syncthreads() is one of clang's built-ins. The others are assembly,
// because the names of their built-ins change with clang's version.
__WS int __syncthreads_count(int predicate)
{
    int count;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(count) : "r"(predicate) : "memory");
    return count;
}
__WS int __syncthreads_and(int predicate)
{
    int all;
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.and.pred q, 0, p; "
                 "selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"(predicate) : "memory");
    return all;
}
__WS int __syncthreads_or(int predicate)
{
    int any;
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 0, p; "
                 "selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(predicate) : "memory");
    return any;
}
__WS void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
__WS void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
__WS void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
__WS void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" :: "r"(ns)); }
__WS long long clock64()
{
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now) :: "memory");
    return now;
}
__WS clock_t clock()
{
    int now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now) :: "memory");
    return now;
}
__WS unsigned long long __globaltimer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) :: "memory");
    return now;
}

// Addresses of one kind of memory, as inline PTX takes them.
#define __WS_CVTA(space, number)                                                                  \
    __WS size_t __cvta_generic_to_##space(const void *pointer)                                    \
    {                                                                                             \
        return (size_t)(const void __attribute__((address_space(number))) *)pointer;              \
    }                                                                                             \
    __WS void *__cvta_##space##_to_generic(size_t address)                                        \
    {                                                                                             \
        return (void *)(void __attribute__((address_space(number))) *)address;                    \
    }
__WS_CVTA(global, 1)
__WS_CVTA(shared, 3)
__WS_CVTA(constant, 4)
__WS_CVTA(local, 5)
#undef __WS_CVTA
