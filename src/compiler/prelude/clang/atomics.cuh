// Atomic functions. Their order is relaxed, as CUDA's is. clang finds out whether the address
// is in global or shared memory.

#define __WS_ORDER __ATOMIC_RELAXED
#define __WS_ATOMIC(name, T, builtin)                                                             \
    __WS T name(T *p, T value) { return builtin(p, value, __WS_ORDER); }
#define __WS_ATOMICS(T)                                                                           \
    __WS_ATOMIC(atomicAdd, T, __atomic_fetch_add)                                                 \
    __WS_ATOMIC(atomicSub, T, __atomic_fetch_sub)                                                 \
    __WS_ATOMIC(atomicExch, T, __atomic_exchange_n)                                               \
    __WS_ATOMIC(atomicMin, T, __atomic_fetch_min)                                                 \
    __WS_ATOMIC(atomicMax, T, __atomic_fetch_max)                                                 \
    __WS_ATOMIC(atomicAnd, T, __atomic_fetch_and)                                                 \
    __WS_ATOMIC(atomicOr, T, __atomic_fetch_or)                                                   \
    __WS_ATOMIC(atomicXor, T, __atomic_fetch_xor)                                                 \
    __WS T atomicCAS(T *p, T compare, T value)                                                    \
    {                                                                                             \
        __atomic_compare_exchange_n(p, &compare, value, false, __WS_ORDER, __WS_ORDER);           \
        return compare;                                                                           \
    }
__WS_ATOMICS(int)
__WS_ATOMICS(unsigned int)
__WS_ATOMICS(long)
__WS_ATOMICS(unsigned long)
__WS_ATOMICS(long long)
__WS_ATOMICS(unsigned long long)

__WS float atomicAdd(float *p, float value) { return __nvvm_atom_add_gen_f(p, value); }
__WS float atomicExch(float *p, float value)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, value);
    return __builtin_bit_cast(float, atomicExch((unsigned int *)p, bits));
}
#if __CUDA_ARCH__ >= 600
__WS double atomicAdd(double *p, double value) { return __nvvm_atom_add_gen_d(p, value); }
#endif
// Wrap around: (old >= limit) ? 0 : old + 1, and ((old == 0) | (old > limit)) ? limit : old - 1.
__WS unsigned int atomicInc(unsigned int *p, unsigned int limit)
{
    return __nvvm_atom_inc_gen_ui(p, limit);
}
__WS unsigned int atomicDec(unsigned int *p, unsigned int limit)
{
    return __nvvm_atom_dec_gen_ui(p, limit);
}

// Scopes: a block, and the whole system. With one GPU and no host in between, both may be the
// scope of the GPU.
#define __WS_SCOPED(name)                                                                         \
    template <class T, class... U>                                                                \
    __WS T name##_block(T *p, U... value) { return name(p, value...); }                           \
    template <class T, class... U>                                                                \
    __WS T name##_system(T *p, U... value) { return name(p, value...); }
__WS_SCOPED(atomicAdd)
__WS_SCOPED(atomicSub)
__WS_SCOPED(atomicExch)
__WS_SCOPED(atomicMin)
__WS_SCOPED(atomicMax)
__WS_SCOPED(atomicAnd)
__WS_SCOPED(atomicOr)
__WS_SCOPED(atomicXor)
__WS_SCOPED(atomicCAS)
__WS_SCOPED(atomicInc)
__WS_SCOPED(atomicDec)
