#include <cub/cub.cuh>

#include "peer.cuh"

struct Less {
    __device__ bool operator()(uint32_t a, uint32_t b) const { return a < b; }
};

int main() {
    const uint32_t* keys = words(sizes().back());
    uint32_t* sorted = device<uint32_t>(sizes().back());
    for (size_t n : sizes()) {
        cub_row("merge-sort", n, "payload=none", [&](void* memory, size_t& bytes) {
            return cub::DeviceMergeSort::SortKeysCopy(memory, bytes, keys, sorted,
                                                      static_cast<int>(n), Less{});
        });
    }
}
