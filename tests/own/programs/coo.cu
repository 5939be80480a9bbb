/* warpscope
sizes  = "2^7..2^17:x4,200000"
block  = 256
grid   = "ceil(12 * n / block)"
args   = [
    "nnz: i32 = 12 * n",
    "row: i32[12 * n] = floor(i / 12)",
    "col: i32[12 * n] uniform below n",
    "val: f32[12 * n] uniform",
    "x: f32[n] uniform",
    "y: f32[n] zeros",
]
output = "y"
tolerance = 1e-4
*/
// Sparse matrix in coordinates times a vector: one thread an entry with atomics, or a warp that adds runs of one row.
#include <cuda_runtime.h>
#include <iostream>
#include <random>
#include <vector>

struct Coo {
  int rows, cols, nnz;
  std::vector<int> row, col;
  std::vector<float> val;
};

static Coo make(int n, int perRow) {
  Coo m;
  m.rows = n;
  m.cols = n;
  std::mt19937 rng(7);
  std::uniform_int_distribution<int> column(0, n - 1);
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < perRow; ++k) {
      m.row.push_back(r);
      m.col.push_back(column(rng));
      m.val.push_back(1.0f);
    }
  m.nnz = (int)m.val.size();
  return m;
}

__global__ void cooAtomic(int nnz, const int *row, const int *col, const float *val, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nnz) atomicAdd(&y[row[i]], val[i] * x[col[i]]);
}

__global__ void cooSegmented(int nnz, const int *row, const int *col, const float *val, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int r = i < nnz ? row[i] : -1;
  float v = i < nnz ? val[i] * x[col[i]] : 0.0f;
  for (int d = 1; d < 32; d *= 2) {
    float other = __shfl_up_sync(0xffffffffu, v, d);
    int otherRow = __shfl_up_sync(0xffffffffu, r, d);
    if (lane >= d && otherRow == r) v += other;
  }
  int next = __shfl_down_sync(0xffffffffu, r, 1);
  if (r >= 0 && (lane == 31 || next != r)) atomicAdd(&y[r], v);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::stoi(argv[1]) : 200000;
  Coo m = make(n, 12);
  int *row, *col;
  float *val, *x, *y;
  cudaMallocManaged(&row, m.nnz * sizeof(int));
  cudaMallocManaged(&col, m.nnz * sizeof(int));
  cudaMallocManaged(&val, m.nnz * sizeof(float));
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  std::copy(m.row.begin(), m.row.end(), row);
  std::copy(m.col.begin(), m.col.end(), col);
  std::copy(m.val.begin(), m.val.end(), val);
  for (int i = 0; i < n; ++i) {
    x[i] = 1.0f / (i + 1);
    y[i] = 0.0f;
  }
  int threads = 256;
  int blocks = (m.nnz + threads - 1) / threads;
  cooAtomic<<<blocks, threads>>>(m.nnz, row, col, val, x, y);
  cooSegmented<<<blocks, threads>>>(m.nnz, row, col, val, x, y);
  cudaDeviceSynchronize();
  std::cout << y[0] << "\n";
}
