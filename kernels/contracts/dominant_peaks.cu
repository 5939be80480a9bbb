// For each peak the least squared distance to a higher one. Peaks are sorted by height, so
// the higher ones come before it. The highest peak has none: 2^32 - 1.
extern "C" __global__ void mine(const unsigned int *x, const unsigned int *y, unsigned int n,
                                unsigned int *least)
{
    unsigned int stride = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned int nearest = 0xffffffffu;
        for (unsigned int j = 0; j < i; j++) {
            int dx = (int)x[i] - (int)x[j], dy = (int)y[i] - (int)y[j];
            nearest = min(nearest, (unsigned int)(dx * dx + dy * dy));
        }
        least[i] = nearest;
    }
}
