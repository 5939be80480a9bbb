// Rank sort: the place of a key is the number of keys that come before it. Equal keys keep
// their order. This takes n * n comparisons; a merge sort takes n * log2(n).
extern "C" __global__ void mine(const unsigned int *keys, unsigned int *sorted, unsigned int n)
{
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned int key = keys[i], rank = 0;
        for (unsigned int j = 0; j < n; j++) {
            unsigned int other = keys[j];
            rank += other < key || (other == key && j < i);
        }
        sorted[rank] = key;
    }
}
