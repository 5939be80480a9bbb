// Results in variables: the kernels take no pointers. The block names the variables behind the arguments,
// so that they are buffers, which are filled, shown and compared like any other.

/* warpscope
sizes   = "2^10..2^18:x4"
block   = 256
grid    = "ceil(n / block)"
args    = ["n: i32 = n", "primes: i32[1] zeros", "last_digits: u32[10] zeros"]
output  = "last_digits"
*/

#include <cstdio>

__managed__ int primes;
__device__ unsigned int last_digits[10];

__device__ bool is_prime(int number) {
    if (number < 2) return false;
    for (int divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) return false;
    }
    return true;
}

// An atomic on one of ten places for each prime: most warps have few primes, so they wait for divisions.
__global__ void each(int n) {
    int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= n || !is_prime(number)) return;
    atomicAdd(&primes, 1);
    atomicAdd(&last_digits[number % 10], 1);
}

// Blocks count in shared memory first.
__global__ void per_block(int n) {
    __shared__ unsigned int digits[10];
    __shared__ int count;
    for (int digit = threadIdx.x; digit < 10; digit += blockDim.x) digits[digit] = 0;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number < n && is_prime(number)) {
        atomicAdd(&count, 1);
        atomicAdd(&digits[number % 10], 1);
    }
    __syncthreads();
    for (int digit = threadIdx.x; digit < 10; digit += blockDim.x) {
        if (digits[digit] > 0) atomicAdd(&last_digits[digit], digits[digit]);
    }
    if (threadIdx.x == 0) atomicAdd(&primes, count);
}

int main() {
    int n = 1 << 18;
    unsigned int digits[10] = {};
    primes = 0;
    cudaMemcpyToSymbol(last_digits, digits, sizeof(digits));
    each<<<(n + 255) / 256, 256>>>(n);
    cudaMemcpyFromSymbol(digits, last_digits, sizeof(digits));
    cudaDeviceSynchronize();
    printf("%d primes, %u of them end in 7\n", primes, digits[7]);
}
