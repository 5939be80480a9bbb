/* warpscope
sizes  = "2^4..2^14:x4,20000"
block  = 128
grid   = "ceil(n / block)"
args   = [
    "g: { vertices: i32 = n, edges: i32 = 4 * n, offsets: i32[n + 1] = 4 * i, targets: i32[4 * n] uniform below n }",
    "total: u64[1] zeros",
]
output = "total"
*/
#include <cuda_runtime.h>
#include <cstdlib>
#include <cstdio>
#include <numeric>
#include <vector>

struct CSR {
    int vertices, edges;
    int *offsets, *targets;
};

CSR upload(const std::vector<std::vector<int>>& adjacency) {
    std::vector<int> offsets{0}, targets;
    for (const auto& list : adjacency) {
        targets.insert(targets.end(), list.begin(), list.end());
        offsets.push_back((int)targets.size());
    }
    CSR g{(int)adjacency.size(), (int)targets.size(), nullptr, nullptr};
    cudaMalloc(&g.offsets, offsets.size() * sizeof(int));
    cudaMalloc(&g.targets, targets.size() * sizeof(int));
    cudaMemcpy(g.offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(g.targets, targets.data(), targets.size() * sizeof(int), cudaMemcpyHostToDevice);
    return g;
}

__global__ void count_triangles(CSR g, unsigned long long* total) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long found = 0;
    if (u < g.vertices)
        for (int e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
            int v = g.targets[e];
            if (v <= u) continue;
            int i = g.offsets[u], j = g.offsets[v];
            while (i < g.offsets[u + 1] && j < g.offsets[v + 1]) {
                int a = g.targets[i], b = g.targets[j];
                if (a == b) { if (a > v) ++found; ++i; ++j; }
                else if (a < b) ++i;
                else ++j;
            }
        }
    if (found) atomicAdd(total, found);
}

int main() {
    const int n = 20000;
    std::vector<std::vector<int>> adjacency(n);
    for (int u = 0; u < n; ++u)
        for (int k = 0; k < 16; ++k) adjacency[u].push_back(rand() % n);
    CSR g = upload(adjacency);
    unsigned long long* total;
    cudaMalloc(&total, sizeof *total);
    cudaMemset(total, 0, sizeof *total);
    count_triangles<<<(g.vertices + 127) / 128, 128>>>(g, total);
    unsigned long long h;
    cudaMemcpy(&h, total, sizeof h, cudaMemcpyDeviceToHost);
    printf("%llu\n", h);
}
