/* warpscope
sizes  = "2^10..2^20:x4"
block  = 256
grid   = "ceil(n / block)"
args   = [
    "in: i32[n] = floor(i / 7)",
    "flags: i32[n] zeros",
    "n: i32 = n",
]
output = "flags"
[kernel.scatterRuns]
args   = [
    "in: i32[n] = floor(i / 7)",
    "flags: i32[n] from runLengthFlags",
    "positions: i32[n] uniform below n",
    "values: i32[n] zeros",
    "starts: i32[n] zeros",
    "n: i32 = n",
]
output = "starts"
*/
#include <cuda_runtime.h>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace gpu {
template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t n) : size_(n) {
    if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error("out of memory");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void upload(const std::vector<T> &host) { cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  std::vector<T> download() const {
    std::vector<T> host(size_);
    cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }
  T *get() { return data_; }
  size_t size() const { return size_; }

 private:
  T *data_ = nullptr;
  size_t size_;
};
}  // namespace gpu

__global__ void runLengthFlags(const int *in, int *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = i == 0 || in[i] != in[i - 1];
}

__global__ void scatterRuns(const int *in, const int *flags, const int *positions, int *values, int *starts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && flags[i]) {
    values[positions[i] - 1] = in[i];
    starts[positions[i] - 1] = i;
  }
}

int main() {
  const int n = 1 << 20;
  std::vector<int> input(n);
  for (int i = 0; i < n; i++) input[i] = i / 7;
  gpu::Buffer<int> in(n), flags(n), positions(n), values(n), starts(n);
  in.upload(input);
  const int threads = 256, blocks = (n + threads - 1) / threads;
  runLengthFlags<<<blocks, threads>>>(in.get(), flags.get(), n);
  auto host = flags.download();
  std::partial_sum(host.begin(), host.end(), host.begin());
  positions.upload(host);
  scatterRuns<<<blocks, threads>>>(in.get(), flags.get(), positions.get(), values.get(), starts.get(), n);
  printf("%d\n", host.back());
}
