// Copies from global to shared memory that go on while the threads compute, as <cuda_pipeline.h>
// declares them.

__WS void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
    unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
    unsigned int filled = (unsigned int)(bytes - zeros);
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     :: "r"(at), "l"(from), "r"(filled) : "memory");
    else if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                     :: "r"(at), "l"(from), "r"(filled) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :: "r"(at), "l"(from), "r"(filled) : "memory");
}
__WS void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// The number is known when the function is inlined, as the instruction asks for.
__WS void __pipeline_wait_prior(unsigned int groups)
{
    switch (groups) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    }
}
