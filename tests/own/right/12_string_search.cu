// How often does a pattern occur in a text? Overlapping occurrences count.

/* warpscope
sizes   = "2^10..2^22:x4"        # letters of the text
block   = 256
params  = { length = [4, 2, 8] } # letters of the pattern
grid    = "ceil(n / block)"
args    = [
    "text: u8[n] few-unique:4",
    "text_length: u32 = n",
    "pattern_at: u32 = floor(n / 2)",   # the pattern is a piece of the text
    "length: u32 = length",
    "found: u32[1] zeros",
]
output  = "found"
tolerance = 0
bytes   = "n"

[kernel.search_tile]
shared  = "block + length - 1"
*/

// Compare letter by letter at every place.
extern "C" __global__ void search_naive(const unsigned char *text, unsigned int text_length,
                                        unsigned int pattern_at, unsigned int length, unsigned int *found) {
    unsigned int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + length > text_length) return;
    unsigned int same = 0;
    while (same < length && text[at + same] == text[pattern_at + same]) same++;
    if (same == length) atomicAdd(found, 1);
}

// The text of the block in shared memory, with the letters that reach beyond it.
extern "C" __global__ void search_tile(const unsigned char *text, unsigned int text_length,
                                       unsigned int pattern_at, unsigned int length, unsigned int *found) {
    extern __shared__ unsigned char tile[];
    unsigned int begin = blockIdx.x * blockDim.x;
    for (unsigned int t = threadIdx.x; t < blockDim.x + length - 1; t += blockDim.x)
        if (begin + t < text_length) tile[t] = text[begin + t];
    __syncthreads();

    bool match = begin + threadIdx.x + length <= text_length;
    for (unsigned int k = 0; match && k < length; k++)
        match = tile[threadIdx.x + k] == text[pattern_at + k];
    unsigned int count = __syncthreads_count(match);
    if (threadIdx.x == 0 && count > 0) atomicAdd(found, count);
}

// Rabin and Karp: compare a hash first. The hash of a place takes `length` steps
// here, so it only pays when the compare is dearer.
extern "C" __global__ void search_hash(const unsigned char *text, unsigned int text_length,
                                       unsigned int pattern_at, unsigned int length, unsigned int *found) {
    unsigned int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + length > text_length) return;
    unsigned int wanted = 0, hash = 0;
    for (unsigned int k = 0; k < length; k++) {
        wanted = wanted * 257 + text[pattern_at + k];
        hash = hash * 257 + text[at + k];
    }
    if (hash != wanted) return;
    for (unsigned int k = 0; k < length; k++)
        if (text[at + k] != text[pattern_at + k]) return;
    atomicAdd(found, 1);
}
