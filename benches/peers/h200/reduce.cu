#include <cub/cub.cuh>

#include "peer.cuh"

template <class T>
void reduce(const char* dtype, const T* values) {
    T* sum = device<T>(1);
    for (size_t n : sizes()) {
        cub_row("reduce", n, std::string("dtype=") + dtype, [&](void* memory, size_t& bytes) {
            return cub::DeviceReduce::Sum(memory, bytes, values, sum, static_cast<int>(n));
        });
    }
}

int main() {
    reduce("u32", words(sizes().back()));
    reduce("f32", floats(sizes().back()));
}
