// Compiled for compute_70.
// Ciphers, primes, games, assignments, numbers as text, interpreters.

typedef unsigned long long u64;

__device__ unsigned turned(unsigned word, int by)
{
    return word << by | word >> (32 - by);
}

// AES with keys of 128 bits: four tables are one in shared memory, turned.
extern "C" __global__ void aes_tables(const uint4 *plain, const unsigned *keys, const unsigned *table,
                                      const unsigned char *box, uint4 *out, int n)
{
    __shared__ unsigned t[256], key[44];
    __shared__ unsigned char last[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        t[k] = table[k];
        last[k] = box[k];
    }
    if (threadIdx.x < 44) key[threadIdx.x] = keys[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 p = plain[i];
    unsigned s[4] = {p.x ^ key[0], p.y ^ key[1], p.z ^ key[2], p.w ^ key[3]}, next[4];
    for (int round = 1; round < 10; round++) {
#pragma unroll
        for (int c = 0; c < 4; c++)
            next[c] = t[s[c] & 255] ^ turned(t[s[(c + 1) % 4] >> 8 & 255], 8) ^ turned(t[s[(c + 2) % 4] >> 16 & 255], 16)
                      ^ turned(t[s[(c + 3) % 4] >> 24], 24) ^ key[4 * round + c];
#pragma unroll
        for (int c = 0; c < 4; c++) s[c] = next[c];
    }
#pragma unroll
    for (int c = 0; c < 4; c++)
        next[c] = (last[s[c] & 255] | last[s[(c + 1) % 4] >> 8 & 255] << 8 | last[s[(c + 2) % 4] >> 16 & 255] << 16
                   | (unsigned)last[s[(c + 3) % 4] >> 24] << 24) ^ key[40 + c];
    out[i] = make_uint4(next[0], next[1], next[2], next[3]);
}

__constant__ u64 round_constant[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull,
    0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull,
    0x0000000080008009ull, 0x000000008000000aull, 0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull,
    0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

// SHA-3 of messages of 128 bytes: a thread keeps the 25 words of a sponge.
extern "C" __global__ void keccak(const u64 *messages, u64 *digests, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 a[25], b[25], c[5];
#pragma unroll
    for (int k = 0; k < 25; k++) a[k] = k < 16 ? messages[i * 16 + k] : k == 16 ? 0x8000000000000006ull : 0;
    for (int round = 0; round < 24; round++) {
#pragma unroll
        for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
        for (int k = 0; k < 25; k++) {
            u64 right = c[(k + 1) % 5];
            a[k] ^= c[(k + 4) % 5] ^ (right << 1 | right >> 63);
        }
        int x = 1, y = 0;
        b[0] = a[0];
#pragma unroll
        for (int t = 0; t < 24; t++) {
            int by = (t + 1) * (t + 2) / 2 % 64, to = (2 * x + 3 * y) % 5;
            u64 word = a[x + 5 * y];
            b[y + 5 * to] = by == 0 ? word : word << by | word >> (64 - by);
            x = y;
            y = to;
        }
#pragma unroll
        for (int k = 0; k < 25; k++) a[k] = b[k] ^ (~b[k / 5 * 5 + (k + 1) % 5] & b[k / 5 * 5 + (k + 2) % 5]);
        a[0] ^= round_constant[round];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) digests[i * 4 + k] = a[k];
}

// Counts primes: a block strikes out the multiples among 16384 odd numbers in shared memory.
extern "C" __global__ void sieve_segments(const int *primes, int *count, int many)
{
    __shared__ unsigned char struck[16384];
    __shared__ int left;
    for (int k = threadIdx.x; k < 16384; k += blockDim.x) struck[k] = 0;
    if (threadIdx.x == 0) left = 0;
    __syncthreads();
    int low = blockIdx.x * 32768 + 1;
    for (int p = 0; p < many; p++) {
        int prime = primes[p];
        if (prime > 200) break;
        int first = max((low + prime - 1) / prime, prime) * prime;
        if (first % 2 == 0) first += prime;
        for (int k = (first - low) / 2 + threadIdx.x * prime; k < 16384; k += blockDim.x * prime) struck[k] = 1;
    }
    for (int p = threadIdx.x; p < many; p += blockDim.x) {
        int prime = primes[p];
        if (prime <= 200 || prime * prime > low + 32767) continue;
        int first = max((low + prime - 1) / prime, prime) * prime;
        if (first % 2 == 0) first += prime;
        for (int k = (first - low) / 2; k < 16384; k += prime) struck[k] = 1;
    }
    __syncthreads();
    int mine = 0;
    for (int k = threadIdx.x; k < 16384; k += blockDim.x) mine += !struck[k];
    atomicAdd(&left, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, left);
}

__device__ bool four(u64 b)
{
    u64 pairs = b & b >> 1, up = b & b >> 7, rising = b & b >> 8, falling = b & b >> 6;
    return (pairs & pairs >> 2) | (up & up >> 14) | (rising & rising >> 16) | (falling & falling >> 12);
}

// Random games of Connect Four to the end: six rows of a column are seven bits of a board.
extern "C" __global__ void connect_four(unsigned *results, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned r = (i + 1) * 2654435761u ^ seed;
    u64 board[2] = {0, 0}, heights = 0x40810204081ull;
    int winner = 2;
    for (int move = 0; move < 42; move++) {
        int column;
        do {
            r ^= r << 13;
            r ^= r >> 17;
            r ^= r << 5;
            column = (r >> 16) * 7 >> 16;
        } while (heights >> (7 * column + 6) & 1);
        u64 stone = heights & 127ull << 7 * column;
        heights += stone;
        u64 mine = board[move & 1] | stone;
        board[move & 1] = mine;
        if (four(mine)) {
            winner = move & 1;
            break;
        }
    }
    atomicAdd(&results[winner], 1u);
}

// Takes free places out of bit sets, one per request: again where another thread was faster.
extern "C" __global__ void allocate_slots(unsigned *taken, int *places, unsigned seed, int sets, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = ((i + 1) * 2654435761u ^ seed) % sets;
    while (true) {
        unsigned before = taken[at];
        while (before != ~0u) {
            int bit = __ffs(~before) - 1;
            before = atomicOr(&taken[at], 1u << bit);
            if (!(before >> bit & 1)) {
                places[i] = at * 32 + bit;
                return;
            }
        }
        at = at + 1 == sets ? 0 : at + 1;
    }
}

// Counts keys, few of them frequent: lanes with the same key add once.
extern "C" __global__ void match_counters(const unsigned char *keys, unsigned *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i] * keys[i] >> 8;
    unsigned same = __match_any_sync(__activemask(), key);
    if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&counts[key], __popc(same));
}

// The cheapest of all ways to give ten jobs to ten people: a thread per permutation.
extern "C" __global__ void assignments(const int *costs, u64 *best, int n)
{
    __shared__ int cost[100];
    for (int k = threadIdx.x; k < 100; k += blockDim.x) cost[k] = costs[k];
    __syncthreads();
    int i = min(blockIdx.x * blockDim.x + threadIdx.x, n - 1);
    int people[10], rest = i, sum = 0;
    for (int k = 0; k < 10; k++) people[k] = k;
    for (int job = 0; job < 10; job++) {
        int many = 10 - job, which = rest % many;
        rest /= many;
        sum += cost[job * 10 + people[which]];
        for (int k = which; k < many - 1; k++) people[k] = people[k + 1];
    }
    u64 found = (u64)sum << 32 | (unsigned)i;
    for (int d = 16; d > 0; d /= 2) {
        u64 other = __shfl_down_sync(~0u, found, d);
        found = other < found ? other : found;
    }
    if (threadIdx.x % 32 == 0) atomicMin(best, found);
}

// Numbers as text, twelve characters each.
extern "C" __global__ void format_numbers(const int *numbers, char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char *to = text + 12 * i;
    int number = numbers[i], at = 11;
    unsigned left = number < 0 ? 0u - number : number;
    to[at--] = '\n';
    do {
        to[at--] = '0' + left % 10;
        left /= 10;
    } while (left > 0);
    if (number < 0) to[at--] = '-';
    while (at >= 0) to[at--] = ' ';
}

// Product of two matrices of signs, 32 to a word: tiles of both in shared memory.
extern "C" __global__ void binary_product(const unsigned *a, const unsigned *b, int *c, int words, int n)
{
    extern __shared__ unsigned tile[];
    int side = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    unsigned *left = tile, *right = tile + side * side;
    int row = blockIdx.y * side + y, column = blockIdx.x * side + x, sum = 0;
    for (int base = 0; base < words; base += side) {
        left[y * side + x] = a[row * words + base + x];
        right[y * side + x] = b[(blockIdx.x * side + y) * words + base + x];
        __syncthreads();
        for (int k = 0; k < side; k++) sum += __popc(left[y * side + k] ^ right[x * side + k]);
        __syncthreads();
    }
    c[row * n + column] = 32 * words - 2 * sum;
}

// Runs little programs for a machine with a stack: each thread one of 16, four times over.
extern "C" __global__ void interpreter(const unsigned char *programs, const unsigned char *which, const int *inputs,
                                       int *results, int length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *program = programs + which[i] % 16 * length;
    int stack[16], top = 0;
    for (int k = 0; k < 16; k++) stack[k] = inputs[i] + k;
    for (int round = 0; round < 4; round++)
        for (int at = 0; at < length; at++) {
            int code = program[at], under = (top + 15) & 15;
            switch (code & 7) {
            case 0: top = (top + 1) & 15; stack[top] = code >> 3; break;
            case 1: stack[under] += stack[top]; top = under; break;
            case 2: stack[under] -= stack[top]; top = under; break;
            case 3: stack[under] *= stack[top]; top = under; break;
            case 4: stack[top] ^= stack[under] >> 3; break;
            case 5: stack[(top + 1) & 15] = stack[top]; top = (top + 1) & 15; break;
            case 6: if (stack[top] < 0) at++; break;
            default: stack[top] = stack[top] % ((code >> 3) + 2); break;
            }
        }
    results[i] = stack[top];
}
