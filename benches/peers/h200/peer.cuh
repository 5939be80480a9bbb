// What the programs of this folder share: input, time, and one line of CSV per case.
//
// A time is the median of several samples between two events. Before each sample a memset of
// 256 MiB pushes the data out of the L2 cache; it takes longer than queueing the call, so that
// no sample waits for the host.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

constexpr size_t FLUSH_BYTES = size_t{256} << 20;

inline void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
        std::exit(1);
    }
}
#define CHECK(call) check(call, #call)

template <class T>
T* device(size_t count) {
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, count * sizeof(T)));
    CHECK(cudaMemset(memory, 0, count * sizeof(T)));
    return static_cast<T*>(memory);
}

// Uniform 32-bit words: the finaliser of MurmurHash3 on the index.
inline __device__ uint32_t mixed(uint32_t x) {
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ x >> 16;
}

static __global__ void fill_words(uint32_t* words, size_t n) {
    size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    for (; i < n; i += size_t{gridDim.x} * blockDim.x) {
        words[i] = mixed(static_cast<uint32_t>(i) + 7);
    }
}

// Uniform floats from 0 to 1.
static __global__ void fill_floats(float* values, size_t n) {
    size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    for (; i < n; i += size_t{gridDim.x} * blockDim.x) {
        values[i] = (mixed(static_cast<uint32_t>(i) + 7) >> 8) * 0x1p-24f;
    }
}

inline uint32_t* words(size_t n) {
    uint32_t* memory = device<uint32_t>(n);
    fill_words<<<1024, 256>>>(memory, n);
    CHECK(cudaGetLastError());
    return memory;
}

inline float* floats(size_t n) {
    float* memory = device<float>(n);
    fill_floats<<<1024, 256>>>(memory, n);
    CHECK(cudaGetLastError());
    return memory;
}

// Median of the times of `call` in milliseconds, after two calls that are not timed.
template <class Call>
float median(Call call, int samples = 21) {
    static char* const junk = device<char>(FLUSH_BYTES);
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int sample = -2; sample < samples; ++sample) {
        CHECK(cudaMemsetAsync(junk, sample & 255, FLUSH_BYTES));
        CHECK(cudaEventRecord(start));
        call();
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float milliseconds = 0;
        CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        if (sample >= 0) times.push_back(milliseconds);
    }
    CHECK(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

inline void row(const char* library, const char* system, size_t n, const std::string& params,
                float milliseconds) {
    std::printf("%s,%s,%zu,%s,%.6f\n", library, system, n, params.c_str(), milliseconds);
    std::fflush(stdout);
}

// A call of CUB: `call(memory, bytes)` only sets `bytes` where `memory` is null.
template <class Call>
void cub_row(const char* system, size_t n, const std::string& params, Call call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    char* memory = device<char>(std::max<size_t>(bytes, 1));
    row("CUB", system, n, params, median([&] { CHECK(call(memory, bytes)); }));
    CHECK(cudaFree(memory));
}

// The sizes of a sweep: 2^10 to 2^28, times four.
inline std::vector<size_t> sizes() {
    std::vector<size_t> all;
    for (int power = 10; power <= 28; power += 2) all.push_back(size_t{1} << power);
    return all;
}
