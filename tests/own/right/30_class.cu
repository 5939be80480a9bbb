// Heat that spreads over a plate, in a class that owns the buffers.
//
// `step` gives each cell the mean of its neighbours; `start` heats the upper edge. In the program, `Plate plate(512,
// 512)` says how large the plate is, and `plate.run(…)` launches the kernels: the block follows both. Neighbours in x
// share the sectors of a row, so the Counters screen shows little more than one load of each cell from DRAM.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

/* warpscope
sizes  = "2^4..2^9:x2"   # n is `nx`, `ny`
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 8)"]
args   = [
    "now_: f32[n * n] zeros",
    "nx: u64 = n",
    "ny: u64 = n",
    "hot: f32 = 100",
]
output = "now_"
tolerance = 1e-4
[kernel.step]
args   = [
    "now_: f32[n * n] from start",
    "next_: f32[n * n] zeros",
    "nx: u64 = n",
    "ny: u64 = n",
]
output = "next_"
*/

__global__ void start(float *heat, std::size_t nx, std::size_t ny, float hot)
{
    std::size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) heat[y * nx + x] = y == 0 ? std::min(hot, std::numeric_limits<float>::max()) : 0.0f;
}

__global__ void step(const float *now, float *next, std::size_t nx, std::size_t ny)
{
    std::size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    std::size_t left = x > 0 ? x - 1 : 0, right = std::min(x + 1, nx - 1);
    std::size_t up = y > 0 ? y - 1 : 0, down = std::min(y + 1, ny - 1);
    next[y * nx + x] = 0.25f * (now[y * nx + left] + now[y * nx + right] + now[up * nx + x] + now[down * nx + x]);
}

class Plate {
public:
    Plate(std::size_t nx, std::size_t ny) : nx_(nx), ny_(ny)
    {
        cudaMalloc(&now_, bytes());
        cudaMalloc(&next_, bytes());
    }
    ~Plate()
    {
        cudaFree(now_);
        cudaFree(next_);
    }
    std::vector<float> run(int steps);

private:
    std::size_t bytes() const { return nx_ * ny_ * sizeof(float); }

    std::size_t nx_, ny_;
    float *now_ = nullptr, *next_ = nullptr;
};

std::vector<float> Plate::run(int steps)
{
    dim3 block(32, 8), grid((nx_ + block.x - 1) / block.x, (ny_ + block.y - 1) / block.y);
    start<<<grid, block>>>(now_, nx_, ny_, 100.0f);
    for (int i = 0; i < steps; ++i) {
        step<<<grid, block>>>(now_, next_, nx_, ny_);
        std::swap(now_, next_);
    }
    std::vector<float> heat(nx_ * ny_);
    cudaMemcpy(heat.data(), now_, bytes(), cudaMemcpyDeviceToHost);
    return heat;
}

int main()
{
    Plate plate(512, 512);
    return plate.run(100)[512 * 256] > 100.0f;
}
