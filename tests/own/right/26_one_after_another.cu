// Three kernels that build on each other: each reads the output of the one before.
//
// Compaction keeps the elements that pass a test and closes the gaps. `mark` writes 1 for each element
// that passes. `places` computes the prefix sum of the marks: the new index of each element. `scatter`
// moves the elements. With random indices, `scatter` would write several elements to one place, which
// is a race. So the block below takes these buffers `from` the other kernels. It is the block that
// `warpscope list` prints for `main`.

/* warpscope
sizes  = "2^4..2^14:x4"
block  = 128
grid   = "ceil(n / block)"
args   = [
    "values: i32[n] uniform below n",
    "marks: i32[n] zeros",
    "n: i32 = n",
]
output = "marks"
[kernel.places]
block  = 1024
grid   = "1"
args   = [
    "marks: i32[n] from mark",
    "at: i32[n] zeros",
    "n: i32 = n",
]
output = "at"
[kernel.scatter]
args   = [
    "values: i32[n] uniform below n",
    "marks: i32[n] from mark",
    "at: i32[n] from places",
    "out: i32[n] zeros",
    "n: i32 = n",
]
output = "out"
*/

#include <cstdio>
#include <vector>

__global__ void mark(const int *values, int *marks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) marks[i] = values[i] % 3 == 0;
}

// One block: each thread sums up a stretch, then adds what all threads before it have.
__global__ void places(const int *marks, int *at, int n)
{
    __shared__ int sums[1024];
    int each = (n + blockDim.x - 1) / blockDim.x;
    int begin = min(n, (int)threadIdx.x * each), end = min(n, begin + each);
    int sum = 0;
    for (int i = begin; i < end; i++) sum += marks[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int away = 1; away < blockDim.x; away *= 2) {
        int more = threadIdx.x >= away ? sums[threadIdx.x - away] : 0;
        __syncthreads();
        sums[threadIdx.x] += more;
        __syncthreads();
    }
    int before = sums[threadIdx.x] - sum;
    for (int i = begin; i < end; i++) {
        at[i] = before;
        before += marks[i];
    }
}

__global__ void scatter(const int *values, const int *marks, const int *at, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && marks[i]) out[at[i]] = values[i];
}

int main()
{
    const int n = 1 << 14, threads = 128, blocks = (n + threads - 1) / threads;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++) host[i] = rand() % n;
    int *values, *marks, *at, *out;
    cudaMalloc(&values, n * sizeof(int));
    cudaMalloc(&marks, n * sizeof(int));
    cudaMalloc(&at, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(values, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    mark<<<blocks, threads>>>(values, marks, n);
    places<<<1, 1024>>>(marks, at, n);
    scatter<<<blocks, threads>>>(values, marks, at, out, n);
    cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
}
