#include <cub/cub.cuh>

#include "peer.cuh"

template <class T>
void scan(const char* dtype, const T* values) {
    T* sums = device<T>(sizes().back());
    for (size_t n : sizes()) {
        std::string params = std::string("sums=inclusive;dtype=") + dtype;
        cub_row("scan", n, params, [&](void* memory, size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, values, sums, static_cast<int>(n));
        });
    }
    CHECK(cudaFree(sums));
}

int main() {
    scan("u32", words(sizes().back()));
    scan("f32", floats(sizes().back()));
}
