/* warpscope
sizes  = "2^10..2^20:x4"   # n is `cols.size()`
block  = 64
grid   = "ceil(n / block)"
args   = [
    "d_cols: u32[n] uniform below n",
    "d_left: u32[n] uniform below n",
    "d_right: u32[n] uniform below n",
    "starts: i32 = n",
    "d_total: u64[1] zeros",
]
output = "d_total"
*/
// Solutions of the n queens problem: each thread starts from a prefix and keeps a stack of its own.
#include <cstdio>
#include <vector>

const int BOARD = 12;
const int PREFIX = 4;

__global__ void count(const unsigned *cols, const unsigned *left, const unsigned *right, int starts, unsigned long long *total) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= starts) return;
  unsigned c[BOARD], l[BOARD], r[BOARD], free_[BOARD];
  const unsigned all = (1u << BOARD) - 1;
  int depth = 0;
  c[0] = cols[id];
  l[0] = left[id];
  r[0] = right[id];
  free_[0] = all & ~(c[0] | l[0] | r[0]);
  unsigned found = 0;
  while (depth >= 0) {
    unsigned f = free_[depth];
    if (f == 0) {
      depth--;
      continue;
    }
    unsigned bit = f & -f;
    free_[depth] = f ^ bit;
    unsigned cc = c[depth] | bit;
    if (cc == all) {
      found++;
      continue;
    }
    unsigned ll = (l[depth] | bit) << 1, rr = (r[depth] | bit) >> 1;
    depth++;
    c[depth] = cc;
    l[depth] = ll;
    r[depth] = rr;
    free_[depth] = all & ~(cc | ll | rr);
  }
  atomicAdd(total, (unsigned long long)found);
}

static std::vector<unsigned> cols, lefts, rights;

static void place(int row, unsigned c, unsigned l, unsigned r) {
  const unsigned all = (1u << BOARD) - 1;
  if (row == PREFIX) {
    cols.push_back(c);
    lefts.push_back(l);
    rights.push_back(r);
    return;
  }
  for (unsigned f = all & ~(c | l | r); f; f &= f - 1) {
    unsigned bit = f & -f;
    place(row + 1, c | bit, (l | bit) << 1, (r | bit) >> 1);
  }
}

int main() {
  place(0, 0, 0, 0);
  int starts = (int)cols.size();
  unsigned *d_cols, *d_left, *d_right;
  unsigned long long *d_total, total = 0;
  size_t bytes = starts * sizeof(unsigned);
  cudaMalloc(&d_cols, bytes);
  cudaMalloc(&d_left, bytes);
  cudaMalloc(&d_right, bytes);
  cudaMalloc(&d_total, sizeof(total));
  cudaMemcpy(d_cols, cols.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_left, lefts.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_right, rights.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_total, 0, sizeof(total));
  count<<<(starts + 63) / 64, 64>>>(d_cols, d_left, d_right, starts, d_total);
  cudaMemcpy(&total, d_total, sizeof(total), cudaMemcpyDeviceToHost);
  printf("%llu solutions\n", total);
}
