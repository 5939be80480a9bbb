/* warpscope
sizes  = "2^12..2^22:x4,5000000"   # n is `count`
block  = 256
grid   = "ceil(n / block)"
shared = "4 * (block + 19)"
args   = [
    "price: f32[n] uniform",
    "average: f32[n] zeros",
    "count: u64 = n",
    "window: i32 = 20",
]
output = "average"
*/
#include <cuda_runtime.h>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

inline void ok(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

struct Free { void operator()(void* p) const { cudaFree(p); } };
template <class T> using device_ptr = std::unique_ptr<T, Free>;

template <class T> device_ptr<T> make_device(std::size_t count) {
    T* p = nullptr;
    ok(cudaMalloc(reinterpret_cast<void**>(&p), count * sizeof(T)));
    return device_ptr<T>(p);
}
template <class T> device_ptr<T> to_device(const std::vector<T>& host) {
    auto p = make_device<T>(host.size());
    ok(cudaMemcpy(p.get(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

__global__ void moving_average(const float* __restrict__ price, float* __restrict__ average, std::size_t count, int window) {
    extern __shared__ float tile[];
    const long long first = static_cast<long long>(blockIdx.x) * blockDim.x;
    for (int i = threadIdx.x; i < static_cast<int>(blockDim.x) + window - 1; i += blockDim.x) {
        const long long at = first + i - (window - 1);
        tile[i] = at >= 0 && at < static_cast<long long>(count) ? price[at] : 0.0f;
    }
    __syncthreads();
    const std::size_t i = first + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
    for (int k = 0; k < window; ++k) sum += tile[threadIdx.x + k];
    average[i] = sum / window;
}

int main(int argc, char** argv) try {
    const std::size_t count = argc > 1 ? std::stoul(argv[1]) : 5'000'000;
    constexpr int window = 20;
    std::vector<float> price(count);
    std::mt19937_64 engine{42};
    std::uniform_real_distribution<float> change(-1.0f, 1.0f);
    float now = 100;
    for (float& p : price) p = now += change(engine);
    auto d_price = to_device(price);
    auto d_average = make_device<float>(count);
    constexpr unsigned threads = 256;
    const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
    const std::size_t shared = (threads + window - 1) * sizeof(float);
    moving_average<<<blocks, threads, shared>>>(d_price.get(), d_average.get(), count, window);
    ok(cudaGetLastError());
    std::vector<float> average(count);
    ok(cudaMemcpy(average.data(), d_average.get(), count * sizeof(float), cudaMemcpyDeviceToHost));
    std::cout << average.back() << '\n';
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
