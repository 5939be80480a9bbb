// Matrix product by the tensor cores with a warp group that copies: the variant
// tensor-cores-bulk of matmul.cu, whose task and other variants are described there. It is a
// file of its own because of its target:
// Compiled for compute_90a.
// `wgmma` exists on GPUs of compute capability 9.0 only.
//
// Overview
//   In tensor-cores of matmul_wgmma.cu every thread copies and multiplies. While a warp group
//   multiplies, the tensor cores read and write its 128 sums per thread, and other
//   instructions of the multiprocessor wait for a turn at the registers. Most of those are
//   copies and their addresses: the tensor cores are busy for 68 % of the time.
//
//   tensor-cores-bulk   Idea: one thread starts copies of whole boxes, and nobody else copies.
//                       A tensor map says where a matrix lies in memory and how large a box
//                       is. One instruction names the map, a corner, and a place in shared
//                       memory. The copy engine does the rest: it computes the addresses,
//                       makes what lies outside of the matrix zero, rounds each float to TF32,
//                       and lets groups of 16 bytes change places.
//                       The warps have different jobs. Two warp groups multiply; of the third
//                       one, a single thread copies, up to four steps ahead. It hands its
//                       registers to the others (`setmaxnreg`). Barriers in shared memory
//                       connect the jobs: `full` counts the bytes of a pair of tiles that have
//                       arrived, `empty` the warps that have multiplied it. No warp waits for
//                       all others, and the two warp groups take turns by themselves.
//                       Cost: a box begins at a multiple of 16 bytes in each row. Where n or k
//                       is no multiple of four, the third warp group copies number by number.
//                       Counter: `warp_instructions` falls to 37 % of that of tensor-cores,
//                       and `global_load_requests` to almost none. The tensor cores are busy
//                       for 94 % of the time; what limits them then is the power of the GPU.
//
// How C is computed
//   As in tensor-cores: the transposed product, C^T = B^T A^T, with B^T from registers and A
//   from shared memory. Both factors are rounded here, so one product is wrong by at most
//   2^-10 of its size, about 0.1 %; the sums stay floats.
//
//   All rows in shared memory have 128 bytes: 32 numbers of a row of A, or of B. Group g of 16
//   bytes of row r lies where group g xor (r mod 8) would. That is how `wgmma` reads A without
//   conflicts of banks. Of B, a lane loads two neighbours from rows l % 4, l % 4 + 4 and so on.
//   Which column of C is which row of C^T is free to choose. It is chosen so that the half of
//   a warp that loads at once, four rows of k and two groups, reads all banks once: the groups
//   are four apart, and xor with a row below four keeps them apart.
//
// Launch
//   grid   max(1, tiles of C), tiles of 256 x 128
//   block  384 threads: two warp groups that multiply, each for 64 columns of C, and one that
//          copies
//   shared 1024 + 4 * 49152 bytes of dynamic shared memory: four pairs of tiles
//   boxes  whether the maps may be used: n and k are multiples of four, and not 0
//   maps   of A in boxes of 256 rows and 32 columns, and of B in boxes of 32 rows and
//          columns; both of floats rounded to TF32, with groups swapped within 128 bytes
//   m, n, k from 0 to 16384. All elements are written; with k = 0 they are 0. The
//          matrices are aligned to 16 bytes.

#define ROWS 256     // of a tile of C
#define COLUMNS 128
#define STEP 32      // numbers of k in a pair of tiles: 128 bytes of a row of A
#define STAGES 4
#define BAND 8       // rows of tiles that run at the same time

#define MULTIPLYING 256  // threads
#define COPYING 128
#define ROW_BYTES 128    // in shared memory, of either tile
#define A_BYTES (ROWS * ROW_BYTES)
#define BOX_BYTES (STEP * ROW_BYTES)  // of B
#define STAGE_BYTES (A_BYTES + COLUMNS / 32 * BOX_BYTES)

// A tensor map: what is in it is the driver's secret.
struct __align__(64) Map {
    unsigned char bytes[128];
};

// What a block works on.
struct Work {
    const float *a, *b;
    unsigned int m, n, k;
    unsigned int top, left;  // first row and column of the tile of C
    unsigned int tiles;      // the first pair of tiles in shared memory
    unsigned int full;       // the first of STAGES barriers, each of 8 bytes
    unsigned int empty;      // the same
};

// Which pair of tiles comes next, and which phase of its barriers is awaited.
struct Place {
    unsigned int stage, phase;
};

static __device__ __forceinline__ void advance(Place &place)
{
    if (++place.stage == STAGES) {
        place.stage = 0;
        place.phase ^= 1;
    }
}

// ---- barriers in shared memory ------------------------------------------------------

static __device__ __forceinline__ void make_barrier(unsigned int barrier, unsigned int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

static __device__ __forceinline__ void arrive(unsigned int barrier)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier)
                 : "memory");
}

// Arrives, and lets the barrier wait for that many bytes too.
static __device__ __forceinline__ void arrive_and_expect(unsigned int barrier, unsigned int bytes)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(
                     barrier),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void wait(unsigned int barrier, unsigned int phase)
{
    unsigned int done;
    do {
        asm volatile("{ .reg .pred done;"
                     " mbarrier.try_wait.parity.shared.b64 done, [%1], %2;"
                     " selp.u32 %0, 1, 0, done; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(phase)
                     : "memory");
    } while (done == 0);
}

// ---- copies -------------------------------------------------------------------------

// Starts the copy of a box, which begins at this column and row of its matrix.
static __device__ __forceinline__ void copy_box(unsigned int to, const Map *map,
                                                unsigned int column, unsigned int row,
                                                unsigned int full)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(full)
                 : "memory");
}

// All copies of a block, by one thread.
static __device__ __forceinline__ void copy_boxes(const Work &work, const Map *a_map,
                                                  const Map *b_map)
{
    Place place = {0, 1};  // at first, all pairs of tiles are free
    for (unsigned int begin = 0; begin < work.k; begin += STEP) {
        unsigned int a_tile = work.tiles + place.stage * STAGE_BYTES;
        unsigned int full = work.full + place.stage * 8;
        wait(work.empty + place.stage * 8, place.phase);
        arrive_and_expect(full, STAGE_BYTES);
        copy_box(a_tile, a_map, begin, work.top, full);
#pragma unroll
        for (unsigned int i = 0; i < COLUMNS / 32; ++i) {
            copy_box(a_tile + A_BYTES + i * BOX_BYTES, b_map, work.left + 32 * i, begin, full);
        }
        advance(place);
    }
}

// Stores a number rounded to TF32 where a box would have it.
static __device__ __forceinline__ void store(unsigned int box, unsigned int row,
                                             unsigned int column, float number)
{
    unsigned int bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(number));
    unsigned int to = box + row * ROW_BYTES + 4 * (column ^ row % 8 * 4);
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(bits) : "memory");
}

// All copies of a block without maps, by a warp group.
static __device__ __forceinline__ void copy_numbers(const Work &work, unsigned int thread)
{
    Place place = {0, 1};
    for (unsigned int begin = 0; begin < work.k; begin += STEP) {
        unsigned int a_tile = work.tiles + place.stage * STAGE_BYTES;
        wait(work.empty + place.stage * 8, place.phase);
#pragma unroll 4
        for (unsigned int i = thread; i < ROWS * STEP; i += COPYING) {
            unsigned int row = i / STEP, column = i % STEP;
            bool inside = work.top + row < work.m && begin + column < work.k;
            store(a_tile, row, column,
                  inside ? work.a[(work.top + row) * work.k + begin + column] : 0.0f);
        }
#pragma unroll 4
        for (unsigned int i = thread; i < STEP * COLUMNS; i += COPYING) {
            unsigned int row = i / COLUMNS, column = i % COLUMNS;
            bool inside = begin + row < work.k && work.left + column < work.n;
            store(a_tile + A_BYTES + column / 32 * BOX_BYTES, row, column % 32,
                  inside ? work.b[(begin + row) * work.n + work.left + column] : 0.0f);
        }
        // Tensor cores see what a thread has stored only after the fence.
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        arrive(work.full + place.stage * 8);
        advance(place);
    }
}

// ---- multiplications ----------------------------------------------------------------

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

// Waits for the next pair of tiles, and picks the thread's part of B^T out of it.
static __device__ __forceinline__ void load_b(unsigned int *b_now, const Work &work,
                                              const Place &place, unsigned int b_from)
{
    wait(work.full + place.stage * 8, place.phase);
#pragma unroll
    for (unsigned int i = 0; i < STEP / 4; ++i) {
        // Four rows further; in every second four, groups change places with the other half.
        unsigned int from = (b_from + place.stage * STAGE_BYTES ^ i % 2 * 64) + i * 4 * ROW_BYTES;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(b_now[2 * i]), "=r"(b_now[2 * i + 1])
                     : "r"(from)
                     : "memory");
    }
}

// Starts the multiplications of the step that begins at `begin`, waits for those of the step
// before, and loads what the next step needs meanwhile.
static __device__ __forceinline__ void step(const Work &work, float *sums,
                                            const unsigned int *b_now, unsigned int *b_next,
                                            Place &place, unsigned int b_from,
                                            unsigned int begin)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    unsigned long long a_tile = descriptor(work.tiles + place.stage * STAGE_BYTES);
#pragma unroll
    for (unsigned int i = 0; i < STEP / 8; ++i) {
        multiply(sums, b_now + 4 * i, a_tile + 2 * i);  // 32 bytes further in each row
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (begin > 0 && threadIdx.x % 32 == 0) {
        unsigned int before = place.stage == 0 ? STAGES - 1 : place.stage - 1;
        arrive(work.empty + before * 8);
    }
    advance(place);
    if (begin + STEP < work.k) {
        load_b(b_next, work, place, b_from);
    }
}

// The tile of C of this block, by the warp groups that multiply.
static __device__ __forceinline__ void multiply_tiles(const Work &work, float *c)
{
    // Lane l holds rows l / 4 and l / 4 + 8 of its warp's 16 rows of C^T: two neighbouring
    // columns of C. The groups of four columns of l / 4 = 0 and 1, 2 and 3, 4 and 5, 6 and 7
    // are four, one, and four apart.
    unsigned int warp = threadIdx.x / 32;
    unsigned int lane = threadIdx.x % 32;
    unsigned int group = lane / 8 % 2 * 4 + warp % 2 * 2 + lane / 16;
    unsigned int pair = lane / 4 % 2;
    unsigned int column = work.left + warp / 2 * 32 + group * 4 + pair * 2;
    unsigned int b_from = work.tiles + A_BYTES + warp / 2 * BOX_BYTES + lane % 4 * ROW_BYTES +
                          (group ^ lane % 4) * 16 + pair * 8;

    float sums[128];
#pragma unroll
    for (unsigned int i = 0; i < 128; ++i) {
        sums[i] = 0.0f;
    }
    // The numbers of B for even and for odd steps are in different registers: those of a step
    // are in use until its multiplications are done.
    unsigned int even[STEP / 2];
    unsigned int odd[STEP / 2];
    Place place = {0, 0};
    if (work.k > 0) {
        load_b(even, work, place, b_from);
    }
    for (unsigned int begin = 0; begin < work.k; begin += 2 * STEP) {
        step(work, sums, even, odd, place, b_from, begin);
        if (begin + STEP < work.k) {
            step(work, sums, odd, even, place, b_from, begin + STEP);
        }
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");

    // A thread's sums are of two columns of C, and of two neighbouring rows in each eight.
#pragma unroll
    for (unsigned int i = 0; i < ROWS / 4; ++i) {
        unsigned int row = work.top + i / 2 * 8 + lane % 4 * 2 + i % 2;
        const float *from = sums + i / 2 * 4 + i % 2;
        float *to = &c[row * work.n + column];
        if (work.n % 2 == 0) {
            if (row < work.m && column < work.n) {
                *reinterpret_cast<float2 *>(to) = make_float2(from[0], from[2]);
            }
        } else {
            if (row < work.m && column < work.n) {
                to[0] = from[0];
            }
            if (row < work.m && column + 1 < work.n) {
                to[1] = from[2];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(MULTIPLYING + COPYING, 1)
matmul_tensor_cores_bulk(const float *a, const float *b, float *c, unsigned int m,
                         unsigned int n, unsigned int k, unsigned int boxes,
                         const __grid_constant__ Map a_map, const __grid_constant__ Map b_map)
{
    extern __shared__ unsigned char shared[];
    __shared__ unsigned long long barriers[2 * STAGES];

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

    // Tiles begin at multiples of 1024 bytes, as the descriptor and the boxes need it.
    unsigned int begin = static_cast<unsigned int>(__cvta_generic_to_shared(shared));
    unsigned int full = static_cast<unsigned int>(__cvta_generic_to_shared(barriers));
    Work work = {a,   b,    m,    n,                                   k,
                 top, left, begin + (1024 - begin % 1024) % 1024, full, full + STAGES * 8};
    if (threadIdx.x == 0) {
        for (unsigned int i = 0; i < STAGES; ++i) {
            make_barrier(work.full + i * 8, boxes != 0 ? 1 : COPYING);
            make_barrier(work.empty + i * 8, MULTIPLYING / 32);
        }
        // The copy engine sees them only after the fence.
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    if (threadIdx.x < MULTIPLYING) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply_tiles(work, c);
    } else {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (boxes == 0) {
            copy_numbers(work, threadIdx.x - MULTIPLYING);
        } else if (threadIdx.x == MULTIPLYING) {
            copy_boxes(work, &a_map, &b_map);
        }
    }
}
