// What L1 keeps: of loads that come after others, after stores, atomics and fences, the sectors that it has.
// Nsight Compute counts them for each launch of this program:
//
//     nvcc -O3 -arch=native -o l1_keeps benches/h200/l1_keeps.cu
//     benches/h200/stored.sh ./l1_keeps asked=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
//         hit=l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum > benches/data/h200/l1_keeps.csv
//
// One warp, or as many as `warps` says, of one multiprocessor. Each lane goes to a line of its own, and loads
// a word of it twice. What is done in between:
//
// case   nothing; a store, atomic or reduction, to the same word, or another sector of the line (`beside`);
//        a fence; loads past L1 (`ld.cg`); so many stores to other lines (`stores`); first a store in place of the
//        first load (`stored`)
// lines  that each lane goes to, one after the other, before it comes back
#include "measured.cuh"

enum Case { NOTHING, STORE, STORE_BESIDE, ATOMIC, ATOMIC_BESIDE, REDUCE, FENCE, CG, STORES, STORED, FENCE_BLOCK };
static const char *names[] = {"nothing", "store", "store beside", "atomic", "atomic beside", "reduce", "fence", "ld.cg", "stores", "stored", "fence of the block"};

__device__ unsigned load(const unsigned *from)
{
    unsigned value;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

template <Case CASE> __global__ void twice(unsigned *data, unsigned *others, unsigned *out, int lines)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    unsigned *own = data + (size_t)thread * lines * 32;
    for (int line = 0; line < lines; line++) {
        if (CASE == STORED) asm volatile("st.global.u32 [%0], %1;" ::"l"(own + 32 * line), "r"(thread) : "memory");
        else sum += load(own + 32 * line);
    }
    // All are there.
    unsigned wait = sum;
    for (int i = 0; i < 500; i++) asm volatile("xor.b32 %0, %0, %1; mul.lo.u32 %0, %0, 3;" : "+r"(wait) : "r"(i));
    if (wait == 0x12345) own[1] = wait;
    for (int line = 0; line < lines; line++) {
        unsigned *at = own + 32 * line;
        if (CASE == STORE) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(thread) : "memory");
        if (CASE == STORE_BESIDE) asm volatile("st.global.u32 [%0], %1;" ::"l"(at + 16), "r"(thread) : "memory");
        if (CASE == ATOMIC) sum += atomicAdd(at, 1);
        if (CASE == ATOMIC_BESIDE) sum += atomicAdd(at + 16, 1);
        if (CASE == REDUCE) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
        if (CASE == CG) { unsigned v; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory"); sum += v; }
        if (CASE == STORES) asm volatile("st.global.u32 [%0], %1;" ::"l"(others + ((size_t)thread * lines + line) * 32), "r"(thread) : "memory");
    }
    if (CASE == FENCE) __threadfence();
    if (CASE == FENCE_BLOCK) __threadfence_block();
    wait = sum;
    for (int i = 0; i < 500; i++) asm volatile("xor.b32 %0, %0, %1; mul.lo.u32 %0, %0, 3;" : "+r"(wait) : "r"(i));
    if (wait == 0x12345) own[1] = wait;
    for (int line = 0; line < lines; line++) sum += load(own + 32 * line);
    out[thread] = sum;
}

static unsigned *data, *others, *out;

template <Case CASE> static void launch()
{
    for (int warps : {1, 8, 32}) {
        for (int lines : {1, 4, 16, 32, 48, 64}) {
            if (warps * lines > 64) continue;
            printf("%s,%d,%d\n", names[CASE], warps, lines);
            twice<CASE><<<1, 32 * warps>>>(data, others, out, lines);
            check(cudaGetLastError());
            check(cudaDeviceSynchronize());
        }
    }
}

int main()
{
    check(cudaMalloc(&data, 64 << 20));
    check(cudaMalloc(&others, 64 << 20));
    check(cudaMalloc(&out, 1 << 20));
    check(cudaMemset(data, 0, 64 << 20));
    printf("case,warps,lines\n");
    launch<NOTHING>();
    launch<STORE>();
    launch<STORE_BESIDE>();
    launch<ATOMIC>();
    launch<ATOMIC_BESIDE>();
    launch<REDUCE>();
    launch<FENCE>();
    launch<FENCE_BLOCK>();
    launch<CG>();
    launch<STORES>();
    launch<STORED>();
}
