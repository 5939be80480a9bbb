// Sparse matrix times vector, y = A x, with A in compressed sparse rows (CSR):
// the values of row r are values[offsets[r]] to values[offsets[r + 1] - 1].

/* warpscope
sizes   = "2^8..2^16:x4"         # rows
block   = 128
params  = { width = [16, 4, 64] }  # values per row
args    = [
    "offsets: u32[n + 1] = i * width",
    "columns: u32[n * width] = i * 7919 % n",
    "values: f32[n * width] uniform",
    "x: f32[n] uniform",
    "y: f32[n] zeros",
    "rows: u32 = n",
]
grid    = "ceil(n / block)"
output  = "y"
reference = "spmv_scalar"
tolerance = 1e-4
bytes   = "n * (8 + 8 * width) + 4 * n"
flops   = "2 * n * width"

[kernel.spmv_vector]
grid    = "ceil(32 * n / block)"
*/

// One thread per row. The lanes of a warp read rows that are far apart.
extern "C" __global__ void spmv_scalar(const unsigned int *offsets, const unsigned int *columns,
                                       const float *values, const float *x, float *y, unsigned int rows) {
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (unsigned int k = offsets[row]; k < offsets[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// One warp per row: coalesced loads of the row, and shuffles to add the parts.
// Rows of fewer than 32 values leave lanes idle.
extern "C" __global__ void spmv_vector(const unsigned int *offsets, const unsigned int *columns,
                                       const float *values, const float *x, float *y, unsigned int rows) {
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = thread / 32, lane = thread % 32;
    if (row >= rows) return;  // a whole warp leaves together
    float sum = 0.0f;
    for (unsigned int k = offsets[row] + lane; k < offsets[row + 1]; k += 32) sum += values[k] * __ldg(&x[columns[k]]);
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (lane == 0) y[row] = sum;
}
