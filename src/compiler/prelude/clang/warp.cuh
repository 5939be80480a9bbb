// Functions of a warp.

__WS void __syncwarp(unsigned int mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" :: "r"(mask) : "memory");
}
__WS unsigned int __activemask()
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
__WS unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int lane;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(lane) : "r"(mask), "r"(base), "r"(offset));
    return lane;
}
__WS unsigned int __lanemask_lt()
{
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
__WS unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    unsigned int lanes;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(lanes) : "r"(predicate), "r"(mask));
    return lanes;
}
#define __WS_VOTE(name, mode)                                                                     \
    __WS int name(unsigned int mask, int predicate)                                               \
    {                                                                                             \
        int result;                                                                               \
        asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync." mode                   \
                     ".pred q, p, %2; selp.u32 %0, 1, 0, q; }"                                    \
                     : "=r"(result) : "r"(predicate), "r"(mask));                                 \
        return result;                                                                            \
    }
__WS_VOTE(__any_sync, "any")
__WS_VOTE(__all_sync, "all")
__WS_VOTE(__uni_sync, "uni")

// Exchanges among lanes. The last operand has the first lane of a group in bits 8 to 12
// and the last one in bits 0 to 4 (PTX ISA, shfl.sync).
#define __WS_SHUFFLE(name, mode, Lane, clamp)                                                     \
    __WS unsigned int __ws_##name(unsigned int mask, unsigned int value, Lane lane, int width)    \
    {                                                                                             \
        unsigned int result;                                                                      \
        asm volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                                 \
                     : "=r"(result)                                                               \
                     : "r"(value), "r"(lane), "r"(((32 - width) << 8) | clamp), "r"(mask));       \
        return result;                                                                            \
    }                                                                                             \
    template <class T>                                                                            \
    __WS T name(unsigned int mask, T value, Lane lane, int width = 32)                            \
    {                                                                                             \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, #name " takes 4 or 8 bytes");             \
        if constexpr (sizeof(T) == 4) {                                                           \
            unsigned int bits = __builtin_bit_cast(unsigned int, value);                          \
            return __builtin_bit_cast(T, __ws_##name(mask, bits, lane, width));                   \
        } else {                                                                                  \
            unsigned long long bits = __builtin_bit_cast(unsigned long long, value);              \
            unsigned int low = __ws_##name(mask, (unsigned int)bits, lane, width);                \
            unsigned int high = __ws_##name(mask, (unsigned int)(bits >> 32), lane, width);       \
            return __builtin_bit_cast(T, (unsigned long long)high << 32 | low);                   \
        }                                                                                         \
    }
__WS_SHUFFLE(__shfl_sync, "idx", int, 0x1f)
__WS_SHUFFLE(__shfl_up_sync, "up", unsigned int, 0)
__WS_SHUFFLE(__shfl_down_sync, "down", unsigned int, 0x1f)
__WS_SHUFFLE(__shfl_xor_sync, "bfly", int, 0x1f)

template <class T>
__WS unsigned int __match_any_sync(unsigned int mask, T value)
{
    unsigned int lanes;
    if constexpr (sizeof(T) == 4) {
        asm volatile("match.any.sync.b32 %0, %1, %2;"
                     : "=r"(lanes) : "r"(__builtin_bit_cast(unsigned int, value)), "r"(mask));
    } else {
        asm volatile("match.any.sync.b64 %0, %1, %2;"
                     : "=r"(lanes) : "l"(__builtin_bit_cast(unsigned long long, value)), "r"(mask));
    }
    return lanes;
}
template <class T>
__WS unsigned int __match_all_sync(unsigned int mask, T value, int *all)
{
    unsigned int lanes;
    int same;
    if constexpr (sizeof(T) == 4) {
        asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(lanes), "=r"(same)
                     : "r"(__builtin_bit_cast(unsigned int, value)), "r"(mask));
    } else {
        asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                     : "=r"(lanes), "=r"(same)
                     : "l"(__builtin_bit_cast(unsigned long long, value)), "r"(mask));
    }
    *all = same;
    return lanes;
}

#if __CUDA_ARCH__ >= 800
#define __WS_REDUCE(name, T, ptx)                                                                 \
    __WS T name(unsigned int mask, T value)                                                       \
    {                                                                                             \
        T result;                                                                                 \
        asm volatile("redux.sync." ptx " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask));    \
        return result;                                                                            \
    }
__WS_REDUCE(__reduce_add_sync, int, "add.s32")
__WS_REDUCE(__reduce_add_sync, unsigned int, "add.u32")
__WS_REDUCE(__reduce_min_sync, int, "min.s32")
__WS_REDUCE(__reduce_min_sync, unsigned int, "min.u32")
__WS_REDUCE(__reduce_max_sync, int, "max.s32")
__WS_REDUCE(__reduce_max_sync, unsigned int, "max.u32")
__WS_REDUCE(__reduce_and_sync, unsigned int, "and.b32")
__WS_REDUCE(__reduce_or_sync, unsigned int, "or.b32")
__WS_REDUCE(__reduce_xor_sync, unsigned int, "xor.b32")
#endif
