// One pass of CUB's radix sort: keys ordered by their lowest bits.
#include <cub/cub.cuh>

#include "peer.cuh"

int main() {
    const uint32_t* keys = words(sizes().back());
    uint32_t* sorted = device<uint32_t>(sizes().back());
    for (int bits : {8, 9}) {
        for (size_t n : sizes()) {
            std::string params = "bits=" + std::to_string(bits) + ";low=0";
            cub_row("radix-partition", n, params, [&](void* memory, size_t& bytes) {
                return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, sorted,
                                                      static_cast<int>(n), 0, bits);
            });
        }
    }
}
