// Bins of equal width over all 32-bit values. CUB computes them with integers or with 64-bit
// floats, both exactly for powers of two; the faster one counts.
#include <cub/cub.cuh>

#include "peer.cuh"

template <class Level>
float even(const uint32_t* values, uint32_t* counts, size_t n, int bins, Level end) {
    auto call = [&](void* memory, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(memory, bytes, values, counts, bins + 1,
                                                   Level{0}, end, static_cast<int>(n));
    };
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    char* memory = device<char>(bytes + 1);
    float milliseconds = median([&] { CHECK(call(memory, bytes)); });
    CHECK(cudaFree(memory));
    return milliseconds;
}

int main() {
    const uint32_t* values = words(sizes().back());
    uint32_t* counts = device<uint32_t>(2048);
    for (int bins : {8, 256, 2048}) {
        for (size_t n : sizes()) {
            float integers = even<uint32_t>(values, counts, n, bins, 0xffffffffu);
            float doubles = even<double>(values, counts, n, bins, 4294967296.0);
            std::string params = "bins=" + std::to_string(bins);
            row("CUB", "histogram", n, params, std::min(integers, doubles));
        }
    }
}
