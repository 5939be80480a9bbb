/* warpscope
sizes  = "2^5..2^10:x2"   # n is `nx`, `ny`
block  = [32, 8]
grid   = ["ceil(n / 32)", "ceil(n / 8)"]
args   = [
    "a: f64[n * n] uniform",
    "b: f64[n * n] zeros",
    "nx: i32 = n",
    "ny: i32 = n",
    "r: f64 = 0.2",
]
output = "b"
tolerance = 1e-4
[kernel.step_double_4]
args   = [
    "a: f64[n * n] uniform",
    "b: f64[n * n] zeros",
    "nx: i32 = n",
    "ny: i32 = n",
    "r: f64 = 0.1",
]
*/
// Explicit heat equation in 2D, ping-pong, with a template for the order of the stencil.
#include <cuda_runtime.h>
#include <cstdio>
#include <utility>
#include <vector>

namespace sim {
template <typename Real, int Order>
__global__ void step(const Real* __restrict__ u, Real* __restrict__ v, int nx, int ny, Real r) {
    const int i = Order / 2 + blockIdx.x * blockDim.x + threadIdx.x;
    const int j = Order / 2 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= nx - Order / 2 || j >= ny - Order / 2) return;
    const int at = j * nx + i;
    if constexpr (Order == 2) {
        v[at] = u[at] + r * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - 4 * u[at]);
    } else {
        Real lap = Real(-5) * u[at];
        lap += Real(4.0 / 3) * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx]);
        lap -= Real(1.0 / 12) * (u[at - 2] + u[at + 2] + u[at - 2 * nx] + u[at + 2 * nx]);
        v[at] = u[at] + r * lap;
    }
}

template <typename Real> class Solver {
    int nx, ny;
    Real *a, *b;
public:
    Solver(int nx, int ny) : nx(nx), ny(ny) {
        cudaMalloc(&a, sizeof(Real) * nx * ny);
        cudaMalloc(&b, sizeof(Real) * nx * ny);
        cudaMemset(b, 0, sizeof(Real) * nx * ny);
    }
    ~Solver() { cudaFree(a); cudaFree(b); }
    void set(const std::vector<Real>& u) { cudaMemcpy(a, u.data(), u.size() * sizeof(Real), cudaMemcpyHostToDevice); }
    template <int Order> void run(int steps, Real r) {
        const dim3 block{32, 8};
        const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
        while (steps--) {
            step<Real, Order><<<grid, block>>>(a, b, nx, ny, r);
            std::swap(a, b);
        }
    }
    std::vector<Real> get() const {
        std::vector<Real> u(nx * ny);
        cudaMemcpy(u.data(), a, u.size() * sizeof(Real), cudaMemcpyDeviceToHost);
        return u;
    }
};
}

int main() {
    sim::Solver<double> solver(1024, 1024);
    solver.set(std::vector<double>(1024 * 1024, 1.0));
    solver.run<2>(100, 0.2);
    solver.run<4>(100, 0.1);
    printf("%f\n", solver.get()[5000]);
}
