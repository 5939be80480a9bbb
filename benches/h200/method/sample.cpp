// What the steps of a sample do to the time of a short kernel: how much of the L2
// is flushed, whether the host waits for the flush, and how long the stream is
// held. Driver API only; the kernels are those of kernels/ptx/.
//
//     nvcc -O2 -o sample benches/h200/method/sample.cpp -lcuda
//     ./sample kernels/ptx > sample.csv
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

static void check(CUresult code, const char *what)
{
    if (code != CUDA_SUCCESS) {
        std::fprintf(stderr, "%s returned %d\n", what, code);
        std::exit(1);
    }
}
#define CHECK(call) check(call, #call)

static CUmodule load(const std::string &path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    CUmodule module;
    CHECK(cuModuleLoadData(&module, text.str().c_str()));
    return module;
}

struct Kernel {
    const char *name;
    CUfunction function;
    unsigned grid, block, shared;
    std::vector<void *> arguments;
    size_t bytes;  // of a matrix
};

static CUstream stream;
static CUevent before, after;
static CUfunction hold;
static volatile unsigned *words;
static CUdeviceptr flushed;

// One sample in microseconds: flush, hold, start, launch, stop, release, wait.
static double sample(Kernel &kernel, size_t flush, bool wait, unsigned long long least, unsigned *clock)
{
    CHECK(cuMemsetD8Async(flushed, 0, flush, stream));
    if (wait) CHECK(cuStreamSynchronize(stream));
    for (int i = 0; i < 4; i++) words[i] = 0;
    CUdeviceptr address = (CUdeviceptr)words;
    unsigned long long limit = 100000000;
    void *arguments[] = {&address, &limit, &least};
    CHECK(cuLaunchKernel(hold, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cuEventRecord(before, stream));
    CHECK(cuLaunchKernel(kernel.function, kernel.grid, 1, 1, kernel.block, 1, 1, kernel.shared, stream,
                         kernel.arguments.data(), nullptr));
    CHECK(cuEventRecord(after, stream));
    words[0] = 1;
    CHECK(cuStreamSynchronize(stream));
    float milliseconds;
    CHECK(cuEventElapsedTime(&milliseconds, before, after));
    *clock = words[2] ? (unsigned)(words[3] * 1000ull / words[2]) : 0;
    return milliseconds * 1e3;
}

int main(int count, char **names)
{
    if (count != 2) return 2;
    std::string folder = names[1];
    CHECK(cuInit(0));
    CUdevice device;
    CHECK(cuDeviceGet(&device, 0));
    CUcontext context;
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&before, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&after, CU_EVENT_DEFAULT));
    CHECK(cuMemAllocHost((void **)&words, 16));
    int l2;
    CHECK(cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device));
    CHECK(cuMemAlloc(&flushed, 4 * (size_t)l2));
    CUmodule module = load(folder + "/../device/ptx/hold.ptx");
    CHECK(cuModuleGetFunction(&hold, module, "hold"));
    CUfunction nothing, tiled, patches;
    CHECK(cuModuleGetFunction(&nothing, module, "nothing"));
    CUmodule products = load(folder + "/matmul.ptx");
    CHECK(cuModuleGetFunction(&tiled, products, "matmul_tiled_16"));
    CHECK(cuModuleGetFunction(&patches, products, "matmul_register_tiled_256"));
    static CUdeviceptr a, b, c;
    for (CUdeviceptr *matrix : {&a, &b, &c}) {
        CHECK(cuMemAlloc(matrix, 4 << 20));
        CHECK(cuMemsetD32(*matrix, 0x3f800000, 1 << 20));
    }
    static unsigned n64 = 64, n128 = 128, n512 = 512;
    std::vector<Kernel> kernels = {
        {"nothing", nothing, 1, 1, 0, {}, 0},
        {"tiled 64", tiled, 16, 256, 0, {&a, &b, &c, &n64, &n64, &n64}, 4 * 64 * 64},
        {"tiled 128", tiled, 64, 256, 0, {&a, &b, &c, &n128, &n128, &n128}, 4 * 128 * 128},
        {"register-tiled 128", patches, 1, 256, 0, {&a, &b, &c, &n128, &n128, &n128}, 4 * 128 * 128},
        {"tiled 512", tiled, 1024, 256, 0, {&a, &b, &c, &n512, &n512, &n512}, 4 * 512 * 512},
    };
    std::puts("kernel,what,flush_l2,wait,least_ns,median_us,q1_us,q3_us,clock_mhz");
    auto row = [](const char *name, const char *what, int flush, bool wait, unsigned long long least,
                  std::vector<double> times, std::vector<unsigned> clocks) {
        std::sort(times.begin(), times.end());
        std::sort(clocks.begin(), clocks.end());
        size_t n = times.size();
        std::printf("%s,%s,%d,%d,%llu,%.3f,%.3f,%.3f,%u\n", name, what, flush, wait, least, times[n / 2],
                    times[n / 4], times[3 * n / 4], clocks[n / 2]);
    };
    for (Kernel &kernel : kernels)
        for (int flush : {1, 2, 4})
            for (bool wait : {false, true})
                for (unsigned long long least : {0ull, 5000ull, 20000ull}) {
                    std::vector<double> times;
                    std::vector<unsigned> clocks(400);
                    for (unsigned &clock : clocks)
                        times.push_back(sample(kernel, (size_t)flush * l2, wait, least, &clock));
                    row(kernel.name, "order", flush, wait, least, times, clocks);
                }
    // The output set before the flush; two kernels in turns; the same code loaded
    // again, which puts it elsewhere in memory; the same matrices elsewhere.
    for (Kernel kernel : {kernels[1], kernels[2], kernels[3], kernels[4]}) {
        std::vector<double> times;
        std::vector<unsigned> clocks(400);
        for (unsigned &clock : clocks) {
            CHECK(cuMemsetD32Async(c, 0x7fc00000, 1 << 12, stream));
            times.push_back(sample(kernel, 2 * (size_t)l2, false, 5000, &clock));
        }
        row(kernel.name, "restored", 2, false, 5000, times, clocks);
        times.clear();
        for (unsigned &clock : clocks) {
            sample(kernels[kernel.function == patches ? 1 : 3], 2 * (size_t)l2, false, 5000, &clock);
            times.push_back(sample(kernel, 2 * (size_t)l2, false, 5000, &clock));
        }
        row(kernel.name, "in turns", 2, false, 5000, times, clocks);
        for (int copy = 0; copy < 10; copy++) {
            CUdeviceptr between;
            CHECK(cuMemAlloc(&between, (copy + 1) * 700000));
            CUmodule again = load(folder + "/matmul.ptx");
            Kernel moved = kernel;
            CHECK(cuModuleGetFunction(&moved.function, again,
                                      kernel.function == patches ? "matmul_register_tiled_256" : "matmul_tiled_16"));
            times.clear();
            for (unsigned &clock : clocks)
                times.push_back(sample(moved, 2 * (size_t)l2, false, 5000, &clock));
            row(kernel.name, "loaded again", 2, false, 5000, times, clocks);
        }
        for (int copy = 0; copy < 6; copy++) {
            CUdeviceptr x, y, z;
            for (CUdeviceptr *matrix : {&x, &y, &z}) {
                CHECK(cuMemAlloc(matrix, copy % 2 ? 4 << 20 : kernel.bytes));
                CHECK(cuMemsetD32(*matrix, 0x3f800000, kernel.bytes / 4));
            }
            Kernel moved = kernel;
            moved.arguments[0] = &x, moved.arguments[1] = &y, moved.arguments[2] = &z;
            times.clear();
            for (unsigned &clock : clocks)
                times.push_back(sample(moved, 2 * (size_t)l2, false, 5000, &clock));
            row(kernel.name, copy % 2 ? "matrices elsewhere" : "small matrices elsewhere", 2, false, 5000, times, clocks);
        }
    }
}
