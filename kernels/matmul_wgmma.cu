// Matrix product by the tensor cores of a warp group: the variant tensor-cores of
// matmul.cu, whose task and other variants are described there. It is a file of its own
// because of its target:
// Compiled for compute_90a.
// `wgmma` exists on GPUs of compute capability 9.0 only.
//
// Overview
//   tensor-cores   Idea: tensor-cores-warp of matmul_mma.cu multiplies by one warp at a
//                  time, and names every number in a register. Here a warp group, four
//                  warps, adds a product of 64 x 8 by 8 x 256 numbers to 64 x 256 sums in
//                  its registers: 131 072 products. The same takes 128 instructions by
//                  `mma.sync`, and 4096 by `fma`. The instruction reads its second factor
//                  from shared memory, and it runs by itself: while it multiplies, the
//                  warp group starts copies and loads what the next one needs.
//                  Cost: the inputs lose bits. A tensor core reads a float as TF32, with
//                  10 bits of fraction instead of 23. B is rounded to the nearest such
//                  number here; of A the core ignores the low bits. One product is wrong
//                  by at most 2^-10 + 2^-11 of its size, about 0.15 %; the sums stay
//                  floats.
//                  Counter: `warp_instructions` falls to a fraction of that of
//                  tensor-cores-warp, and most of what is left copies or loads.
//
// How C is computed
//   `wgmma` takes its first factor from registers or shared memory, the second one from
//   shared memory only, and there it wants eight numbers of k side by side. A is stored
//   like that, row by row; B is not. So the kernel computes the transposed product: C^T =
//   B^T A^T. Its first factor is B^T, which a thread picks out of the tile of B into
//   registers, and its second one is A.
//
//   The tile of A lies in rows of 128 bytes. If it lay there unchanged, eight rows would
//   begin in the same bank. Therefore the eight groups of 16 bytes of a row change places:
//   group g of row r lies where group g xor (r mod 8) would. Eight rows then use all
//   banks. The descriptor of the tile tells the tensor cores about it.
//
// Launch
//   grid   max(1, tiles of C), tiles of 256 x 128
//   block  256 threads: two warp groups, each for 64 columns of C
//   shared 1024 + 4 * 50176 bytes of dynamic shared memory: four pairs of tiles
//   m, n, k from 0 to 16384. All elements are written; with k = 0 they are 0. The
//          matrices are aligned to 16 bytes.

#define ROWS 256     // of a tile of C
#define COLUMNS 128
#define STEP 32      // numbers of k in a pair of tiles: 128 bytes of a row of A
#define STAGES 4
#define BAND 8       // rows of tiles that run at the same time

#define THREADS 256
#define B_PITCH (COLUMNS + 8)  // floats; lanes of a warp read eight columns of four rows
#define A_BYTES (ROWS * STEP * 4)
#define STAGE_BYTES (A_BYTES + STEP * B_PITCH * 4)

// ---- copies ---------------------------------------------------------------------

// Starts a copy to shared memory; what is not `inside` becomes zero.
template <unsigned int BYTES>
static __device__ __forceinline__ void copy(unsigned int to, const float *from, bool inside)
{
    unsigned int bytes = inside ? BYTES : 0;
    if (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    }
}

// Starts the copies of a pair of tiles, WIDTH numbers at a time. All of a thread lie in the
// same columns, and A's are eight rows or a multiple of that apart: only the row changes from
// one to the next, by as much as fits into an instruction.
template <unsigned int WIDTH>
static __device__ __forceinline__ void copy_tiles(unsigned int a_tile, unsigned int b_tile,
                                                  const float *a, const float *b,
                                                  unsigned int top, unsigned int left,
                                                  unsigned int begin, unsigned int m,
                                                  unsigned int n, unsigned int k, bool whole)
{
    unsigned int row = threadIdx.x * WIDTH / STEP;
    unsigned int column = threadIdx.x * WIDTH % STEP;
    unsigned int to = a_tile + 4 * (row * STEP + (column ^ (row % 8 * 4)));
    const float *from = a + (top + row) * k + begin + column;
    unsigned int rows = whole || begin + column < k ? m - min(m, top + row) : 0;
#pragma unroll
    for (unsigned int i = 0; i < ROWS; i += THREADS * WIDTH / STEP) {
        copy<4 * WIDTH>(to + 4 * i * STEP, from, whole || i < rows);
        from += THREADS * WIDTH / STEP * k;
    }
    row = threadIdx.x * WIDTH / COLUMNS;
    column = threadIdx.x * WIDTH % COLUMNS;
    to = b_tile + 4 * (row * B_PITCH + column);
    from = b + (begin + row) * n + left + column;
    rows = whole || left + column < n ? k - min(k, begin + row) : 0;
#pragma unroll
    for (unsigned int i = 0; i < STEP; i += THREADS * WIDTH / COLUMNS) {
        copy<4 * WIDTH>(to + 4 * i * B_PITCH, from, whole || i < rows);
        from += THREADS * WIDTH / COLUMNS * n;
    }
}

// ---- multiplications --------------------------------------------------------------

// Where the tile of A begins, in units of 16 bytes; 1024 bytes from each eight rows to the
// next; and that groups of 16 bytes have changed places within 128.
static __device__ __forceinline__ unsigned long long descriptor(unsigned int a_tile)
{
    return static_cast<unsigned long long>((a_tile & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 |
           1ull << 62;
}

#define FOUR(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// Starts the addition of B^T, 64 x 8 in registers of the warp group, times A^T, 8 x 256 in
// shared memory, to 64 x 256 sums.
static __device__ __forceinline__ void multiply(float *sums, const unsigned int *b_now,
                                                unsigned long long a_tile)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
                 "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "
                 "%123, %124, %125, %126, %127}, {%128, %129, %130, %131}, %132, 1, 1, 1;"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80),
                   SIXTEEN(96), SIXTEEN(112)
                 : "r"(b_now[0]), "r"(b_now[1]), "r"(b_now[2]), "r"(b_now[3]), "l"(a_tile));
}

// The nearest TF32 number.
static __device__ __forceinline__ unsigned int rounded(float number)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(number));
    return bits;
}

// Picks the thread's part of B^T for the four multiplications of a step.
static __device__ __forceinline__ void load_b(unsigned int *b_now, const float *from)
{
#pragma unroll
    for (unsigned int i = 0; i < STEP / 8; ++i) {
        const float *at = from + 8 * i * B_PITCH;
        b_now[4 * i] = rounded(at[0]);
        b_now[4 * i + 1] = rounded(at[8]);
        b_now[4 * i + 2] = rounded(at[4 * B_PITCH]);
        b_now[4 * i + 3] = rounded(at[4 * B_PITCH + 8]);
    }
}

// What a thread needs to know in each step.
struct Work {
    const float *a, *b;
    unsigned int m, n, k;
    unsigned int top, left;  // first row and column of the tile of C
    unsigned int tiles;      // the first pair of tiles in shared memory
    const float *b_from;     // the thread's first number of the first tile of B
};

// Starts the copies of the step that begins at `begin`; none, if it is behind the last
// one. The group may be empty, so that the number of groups tells which step has arrived.
template <unsigned int WIDTH>
static __device__ __forceinline__ void copy_step(const Work &work, unsigned int begin,
                                                 unsigned int stage)
{
    unsigned int a_tile = work.tiles + stage * STAGE_BYTES;
    bool whole_tile = work.top + ROWS <= work.m && work.left + COLUMNS <= work.n;
    if (WIDTH == 4 && whole_tile && begin + STEP <= work.k) {
        copy_tiles<WIDTH>(a_tile, a_tile + A_BYTES, work.a, work.b, work.top, work.left, begin,
                          work.m, work.n, work.k, true);
    } else if (begin < work.k) {
        copy_tiles<WIDTH>(a_tile, a_tile + A_BYTES, work.a, work.b, work.top, work.left, begin,
                          work.m, work.n, work.k, false);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for the copies of the step that begins at `begin`, starts those of a later one,
// and loads the thread's numbers of B.
template <unsigned int WIDTH>
static __device__ __forceinline__ void prepare(const Work &work, unsigned int *b_next,
                                               unsigned int begin)
{
    // The copies have arrived: those of the thread by the wait, all others by the barrier.
    // Tensor cores see what copies have written only after the fence.
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();

    // The pair of tiles of the step before the last one is free: each warp group has
    // waited for its multiplications.
    unsigned int number = begin / STEP;
    copy_step<WIDTH>(work, begin + (STAGES - 2) * STEP, (number + STAGES - 2) % STAGES);
    load_b(b_next, work.b_from + number % STAGES * (STAGE_BYTES / 4));
}

// Starts the multiplications of the step that begins at `begin`, waits for those of the
// step before, and prepares the next step meanwhile.
template <unsigned int WIDTH>
static __device__ __forceinline__ void step(const Work &work, float *sums, unsigned int *b_now,
                                            unsigned int *b_next, unsigned int begin)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    unsigned long long a_tile = descriptor(work.tiles + begin / STEP % STAGES * STAGE_BYTES);
#pragma unroll
    for (unsigned int i = 0; i < STEP / 8; ++i) {
        multiply(sums, b_now + 4 * i, a_tile + 2 * i);  // 32 bytes further in each row
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (begin + STEP < work.k) {
        prepare<WIDTH>(work, b_next, begin + STEP);
    }
}

// All steps. The numbers of B for even and for odd steps are in different registers: those
// of a step are in use until its multiplications are done.
template <unsigned int WIDTH>
static __device__ __forceinline__ void multiply_tiles(const Work &work, float *sums)
{
    unsigned int even[STEP / 2];
    unsigned int odd[STEP / 2];
    // In a loop, and copies of single numbers all ask what is inside: so the kernel takes 49 KiB of
    // code. With 80 KiB it would not all be at hand when the kernel starts after another one, and
    // order 16 would take 9.5 instead of 6.3 microseconds.
#pragma unroll 1
    for (unsigned int stage = 0; stage < STAGES - 2; ++stage) {
        copy_step<WIDTH>(work, stage * STEP, stage);
    }
    if (work.k > 0) {
        prepare<WIDTH>(work, even, 0);
    }
    for (unsigned int begin = 0; begin < work.k; begin += 2 * STEP) {
        step<WIDTH>(work, sums, even, odd, begin);
        if (begin + STEP < work.k) {
            step<WIDTH>(work, sums, odd, even, begin + STEP);
        }
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
matmul_tensor_cores(const float *a, const float *b, float *c, unsigned int m, unsigned int n,
                    unsigned int k)
{
    extern __shared__ unsigned char shared[];

    // An empty matrix still has one block, which does nothing.
    if (m == 0 || n == 0) {
        return;
    }

    // Bands of BAND rows of tiles, each taken column by column.
    unsigned int tiles_across = (n + COLUMNS - 1) / COLUMNS;
    unsigned int tiles_down = (m + ROWS - 1) / ROWS;
    unsigned int band = blockIdx.x / (BAND * tiles_across);
    unsigned int in_band = blockIdx.x % (BAND * tiles_across);
    unsigned int rows_in_band = min(BAND, tiles_down - band * BAND);
    unsigned int top = (band * BAND + in_band % rows_in_band) * ROWS;
    unsigned int left = in_band / rows_in_band * COLUMNS;

    // Tiles begin at multiples of 1024 bytes, as the descriptor needs it.
    unsigned int begin = static_cast<unsigned int>(__cvta_generic_to_shared(shared));
    unsigned int skipped = (1024 - begin % 1024) % 1024;

    // Lane l holds rows l / 4 and l / 4 + 8 of its warp's 16 rows of C^T.
    unsigned int lane = threadIdx.x % 32;
    unsigned int column = threadIdx.x / 32 * 16 + lane / 4;  // within the tile of C
    float sums[128];
#pragma unroll
    for (unsigned int i = 0; i < 128; ++i) {
        sums[i] = 0.0f;
    }

    const float *b_tile = reinterpret_cast<const float *>(shared + skipped + A_BYTES);
    Work work = {a, b, m, n, k, top, left, begin + skipped, b_tile + lane % 4 * B_PITCH + column};
    if (n % 4 == 0 && k % 4 == 0) {
        multiply_tiles<4>(work, sums);
    } else {
        multiply_tiles<1>(work, sums);
    }

    // A thread's sums are of two columns of C, and of two neighbouring rows in each eight.
    bool first = left + column < n;
    bool second = left + column + 8 < n;
#pragma unroll
    for (unsigned int i = 0; i < ROWS / 8; ++i) {
#pragma unroll
        for (unsigned int odd_row = 0; odd_row < 2; ++odd_row) {
            unsigned int row = top + 8 * i + lane % 4 * 2 + odd_row;
            float *to = &c[row * n + left + column];
            if (row < m && first) {
                to[0] = sums[4 * i + odd_row];
            }
            if (row < m && second) {
                to[8] = sums[4 * i + 2 + odd_row];
            }
        }
    }
}
