// Products of matrices whose results are in registers: tiles of 32 to 128 rows, 2 x 2 to 8 x 8 results a thread,
// loaded word by word or in fours, with one or two tiles in shared memory. They live on loads of shared memory that
// `ptxas` joins. How well their times are predicted:
//
//     warpscope sweep benches/h200/tiles.cu --variant all --backend cuda -o measured.jsonl
//     warpscope sweep benches/h200/tiles.cu --variant all --backend emulator -o predicted.jsonl
//
// benches/data/h200/tiles.csv has the medians of both, side by side.
/* warpscope
sizes = "256,512,1024,2048,4096"
block = 256
args  = [ "a: f32[n * n] uniform", "b: f32[n * n] uniform", "c: f32[n * n]", "size: u32 = n" ]
output = "c"
reference = "t64_4"
tolerance = 0.01
flops = "2 * n * n * n"
[kernel.t32_2]
grid = ["ceil(n / 32)", "ceil(n / 32)"]
block = 256
[kernel.t64_4]
grid = ["ceil(n / 64)", "ceil(n / 64)"]
block = 256
[kernel.t64_4_k16]
grid = ["ceil(n / 64)", "ceil(n / 64)"]
block = 256
[kernel.t64_8]
grid = ["ceil(n / 64)", "ceil(n / 64)"]
block = 64
[kernel.t128_8]
grid = ["ceil(n / 128)", "ceil(n / 128)"]
block = 256
[kernel.t128_8_k16]
grid = ["ceil(n / 128)", "ceil(n / 128)"]
block = 256
[kernel.v128_8]
grid = ["ceil(n / 128)", "ceil(n / 128)"]
block = 256
[kernel.v128_8_twice]
grid = ["ceil(n / 128)", "ceil(n / 128)"]
block = 256
[kernel.v64_8]
grid = ["ceil(n / 64)", "ceil(n / 64)"]
block = 64
*/
// Tiles of T x T, each thread R x R results, K columns at a time; word by word.
template <int T, int R, int K>
__device__ void words(const float *a, const float *b, float *c, unsigned int n) {
    constexpr int THREADS = (T / R) * (T / R);
    __shared__ float as[T * K], bs[K * T];
    int row = threadIdx.x / (T / R), column = threadIdx.x % (T / R);
    a += blockIdx.y * T * n;
    b += blockIdx.x * T;
    c += blockIdx.y * T * n + blockIdx.x * T;
    float sums[R * R] = {}, x[R], y[R];
    for (unsigned int k0 = 0; k0 < n; k0 += K) {
        for (int i = threadIdx.x; i < T * K; i += THREADS) as[i] = a[(i / K) * n + i % K];
        for (int i = threadIdx.x; i < T * K; i += THREADS) bs[i] = b[(i / T) * n + i % T];
        __syncthreads();
        a += K;
        b += K * n;
        for (int k = 0; k < K; k++) {
            for (int i = 0; i < R; i++) x[i] = as[(row * R + i) * K + k];
            for (int i = 0; i < R; i++) y[i] = bs[k * T + column * R + i];
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++) sums[i * R + j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) c[(row * R + i) * n + column * R + j] = sums[i * R + j];
}
// The same in fours, the tile of a turned on its way.
template <int T, int R, int K, bool TWICE>
__device__ void fours(const float *a, const float *b, float *c, unsigned int n) {
    constexpr int THREADS = (T / R) * (T / R);
    constexpr int LOADS = T * K / 4 / THREADS;
    __shared__ float as[TWICE ? 2 : 1][K * T], bs[TWICE ? 2 : 1][K * T];
    int row = threadIdx.x / (T / R), column = threadIdx.x % (T / R);
    a += blockIdx.y * T * n;
    b += blockIdx.x * T;
    c += blockIdx.y * T * n + blockIdx.x * T;
    float sums[R * R] = {}, x[R], y[R];
    float4 fa[LOADS], fb[LOADS];
    auto fetch = [&](unsigned int k0) {
        for (int l = 0; l < LOADS; l++) {
            int i = threadIdx.x + l * THREADS;
            fa[l] = *(const float4 *)&a[(i / (K / 4)) * n + k0 + i % (K / 4) * 4];
            fb[l] = *(const float4 *)&b[(k0 + i / (T / 4)) * n + i % (T / 4) * 4];
        }
    };
    auto put = [&](int half) {
        for (int l = 0; l < LOADS; l++) {
            int i = threadIdx.x + l * THREADS, at = i / (K / 4), k = i % (K / 4) * 4;
            as[half][k * T + at] = fa[l].x;
            as[half][(k + 1) * T + at] = fa[l].y;
            as[half][(k + 2) * T + at] = fa[l].z;
            as[half][(k + 3) * T + at] = fa[l].w;
            *(float4 *)&bs[half][i / (T / 4) * T + i % (T / 4) * 4] = fb[l];
        }
    };
    auto multiply = [&](int half) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            for (int i = 0; i < R; i++) x[i] = as[half][k * T + row * R + i];
            for (int i = 0; i < R; i++) y[i] = bs[half][k * T + column * R + i];
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++) sums[i * R + j] += x[i] * y[j];
        }
    };
    if (TWICE) {
        fetch(0);
        put(0);
        __syncthreads();
        int half = 0;
        for (unsigned int k0 = K; k0 < n; k0 += K) {
            fetch(k0);
            multiply(half);
            put(half ^ 1);
            half ^= 1;
            __syncthreads();
        }
        multiply(half);
    } else {
        for (unsigned int k0 = 0; k0 < n; k0 += K) {
            fetch(k0);
            put(0);
            __syncthreads();
            multiply(0);
            __syncthreads();
        }
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j += 4)
            *(float4 *)&c[(row * R + i) * n + column * R + j] =
                make_float4(sums[i * R + j], sums[i * R + j + 1], sums[i * R + j + 2], sums[i * R + j + 3]);
}
#define PRODUCT(name, body) \
    extern "C" __global__ void name(const float *a, const float *b, float *c, unsigned int size) { body(a, b, c, size); }
#define B(...) __VA_ARGS__
PRODUCT(t32_2, B(words<32, 2, 8>))
PRODUCT(t64_4, B(words<64, 4, 8>))
PRODUCT(t64_4_k16, B(words<64, 4, 16>))
PRODUCT(t64_8, B(words<64, 8, 8>))
PRODUCT(t128_8, B(words<128, 8, 8>))
PRODUCT(t128_8_k16, B(words<128, 8, 16>))
PRODUCT(v128_8, B(fours<128, 8, 8, false>))
PRODUCT(v128_8_twice, B(fours<128, 8, 8, true>))
PRODUCT(v64_8, B(fours<64, 8, 8, false>))
