// What measurements beside this file share: errors of CUDA end them, and their output begins with where and
// when it was measured.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// Prints the first line: device, version of CUDA, date and source file. Returns what the device has.
static cudaDeviceProp heading(const char *source)
{
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0));
    int driver;
    check(cudaDriverGetVersion(&driver));
    time_t now = time(nullptr);
    char day[16];
    strftime(day, sizeof day, "%F", gmtime(&now));
    printf("# %s, CUDA %d, %s, benches/h200/%s\n", device.name, driver, day, source);
    return device;
}

// A store of a number's lowest bytes that compilers leave as it is.
template <typename T> __device__ void store(char *to, unsigned value);
template <> __device__ void store<char>(char *to, unsigned value) { asm volatile("st.global.u8 [%0], %1;" ::"l"(to), "r"(value) : "memory"); }
template <> __device__ void store<short>(char *to, unsigned value) { asm volatile("st.global.u16 [%0], %1;" ::"l"(to), "h"((short)value) : "memory"); }
template <> __device__ void store<int>(char *to, unsigned value) { asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory"); }
template <> __device__ void store<long long>(char *to, unsigned value) { asm volatile("st.global.u64 [%0], %1;" ::"l"(to), "l"((long long)value) : "memory"); }
template <> __device__ void store<int4>(char *to, unsigned value) { asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(to), "r"(value) : "memory"); }
