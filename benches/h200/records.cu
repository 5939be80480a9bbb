// Kernels that write records field by field, as programs do: their times, and how many of the sectors that
// they store go to L2.
//
//     nvcc -O3 -arch=native -o records benches/h200/records.cu
//     benches/h200/stored.sh ./records > benches/data/h200/records.csv
//
// us  the median of several launches, before each of which L2 is emptied
#include "measured.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

template <int WORDS> struct Record { float words[WORDS]; };
struct Particle { float x, y, z; int id; unsigned flag; };

template <int WORDS> __global__ void records(const float *in, Record<WORDS> *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = in[i];
    for (int k = 0; k < WORDS; k++) out[i].words[k] = value * k;
}

__global__ void particles(const float *in, Particle *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = in[i];
    Particle *own = out + i;
    own->x = value;
    own->y = value * value;
    own->z = sqrtf(value);
    own->id = i;
    own->flag = value > 0.5f;
}

template <int BYTES> __global__ void bytes(const float *in, unsigned char *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = in[i];
    for (int k = 0; k < BYTES; k++) out[BYTES * i + k] = value * (20 * k + 7);
}

__global__ void halves(const float *in, unsigned short *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = in[i];
    for (int k = 0; k < 5; k++) out[5 * i + k] = value * (20 * k + 7);
}

__global__ void digits(const unsigned *in, char *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned left = in[i];
    for (int k = 7; k >= 0; k--) {
        unsigned digit = left & 15;
        out[8 * i + k] = digit < 10 ? '0' + digit : 'a' + digit - 10;
        left >>= 4;
    }
}

// Keeps what is greater than 0.4: blocks take places from a counter.
__global__ void filter(const float *in, float *out, unsigned *total, unsigned n)
{
    __shared__ unsigned kept[32], base;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float value = i < n ? in[i] : 0.0f;
    unsigned votes = __ballot_sync(~0u, value > 0.4f);
    if (lane == 0) kept[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned all = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++) {
            unsigned own = kept[w];
            kept[w] = all;
            all += own;
        }
        base = atomicAdd(total, all);
    }
    __syncthreads();
    if (value > 0.4f) out[base + kept[warp] + __popc(votes & ((1u << lane) - 1))] = value;
}

__global__ void fill(float4 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_float4(i, 1.0f, 2.0f, 3.0f);
}

__global__ void copy(const float4 *in, float4 *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

static const size_t INPUT = 64 << 20, OUTPUT = 256 << 20;
static int launches = 7;
static char *in, *out, *other;
static unsigned *total;

template <typename Launch> static void measure(const char *name, unsigned n, Launch launch)
{
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < launches; i++) {
        check(cudaMemset(other, i, OUTPUT));
        check(cudaMemset(total, 0, sizeof(unsigned)));
        check(cudaEventRecord(start));
        launch((n + 255) / 256);
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms;
        check(cudaEventElapsedTime(&ms, start, end));
        times.push_back(ms * 1e3f);
    }
    std::sort(times.begin(), times.end());
    printf("%s,%u,%.2f\n", name, n, times[times.size() / 2]);
}

template <int WORDS> static void words(const char *name, unsigned n)
{
    measure(name, n, [=](int blocks) { records<WORDS><<<blocks, 256>>>((float *)in, (Record<WORDS> *)out, n); });
}

int main(int count, char **)
{
    if (count > 1) launches = 1;
    check(cudaMalloc(&in, INPUT));
    check(cudaMalloc(&out, OUTPUT));
    check(cudaMalloc(&other, OUTPUT));
    check(cudaMalloc(&total, sizeof(unsigned)));
    std::vector<float> numbers(INPUT / sizeof(float));
    unsigned state = 1;
    for (float &number : numbers) {
        state = state * 1664525 + 1013904223;
        number = (state >> 8) / 16777216.0f;
    }
    check(cudaMemcpy(in, numbers.data(), INPUT, cudaMemcpyHostToDevice));
    printf("kernel,n,us\n");
    for (unsigned n : {400000u, 4000000u}) {
        words<3>("words_3", n);
        words<5>("words_5", n);
        words<6>("words_6", n);
        words<7>("words_7", n);
        words<9>("words_9", n);
        measure("particles", n, [=](int blocks) { particles<<<blocks, 256>>>((float *)in, (Particle *)out, n); });
        measure("bytes_3", n, [=](int blocks) { bytes<3><<<blocks, 256>>>((float *)in, (unsigned char *)out, n); });
        measure("bytes_12", n, [=](int blocks) { bytes<12><<<blocks, 256>>>((float *)in, (unsigned char *)out, n); });
        measure("halves_5", n, [=](int blocks) { halves<<<blocks, 256>>>((float *)in, (unsigned short *)out, n); });
        measure("digits_8", n, [=](int blocks) { digits<<<blocks, 256>>>((unsigned *)in, out, n); });
        measure("filter", n, [=](int blocks) { filter<<<blocks, 256>>>((float *)in, (float *)out, total, n); });
        measure("fill", n, [=](int blocks) { fill<<<blocks, 256>>>((float4 *)out, n); });
        measure("copy", n, [=](int blocks) { copy<<<blocks, 256>>>((float4 *)in, (float4 *)out, n); });
    }
}
