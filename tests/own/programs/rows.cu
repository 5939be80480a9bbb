/* warpscope
sizes  = "2^6..2^16:x4"
block  = 128
grid   = "ceil(n / block)"
args   = [
    "ds: i32[n + 1] sums of uniform from 1 below 16",
    "dc: i32[15 * n] uniform below n",
    "dv: f32[15 * n] uniform",
    "dx: f32[n] uniform",
    "dy: f32[n] zeros",
    "n: i32 = n",
]
output = "dy"
*/
#include <vector>
#include <cstdlib>
#include <numeric>
__global__ void rows(const int* start, const int* column, const float* value, const float* x, float* y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float sum = 0;
    for (int e = start[r]; e < start[r + 1]; ++e) sum += value[e] * x[column[e]];
    y[r] = sum;
}
int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 65536;
    std::vector<int> degree(n), start(n + 1);
    for (int i = 0; i < n; ++i) degree[i] = 1 + rand() % 15;
    int total = 0;
    for (int i = 0; i < n; ++i) { start[i] = total; total += degree[i]; }
    start[n] = total;
    std::vector<int> column(total);
    for (auto& c : column) c = rand() % n;
    std::vector<float> value(total, 1.0f), x(n, 0.5f);
    int *ds, *dc; float *dv, *dx, *dy;
    cudaMalloc(&ds, (n + 1) * sizeof(int)); cudaMalloc(&dc, total * sizeof(int)); cudaMalloc(&dv, total * sizeof(float));
    cudaMalloc(&dx, n * sizeof(float)); cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(ds, start.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, column.data(), total * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, value.data(), total * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    rows<<<(n + 127) / 128, 128>>>(ds, dc, dv, dx, dy, n);
    cudaMemcpy(x.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
}
