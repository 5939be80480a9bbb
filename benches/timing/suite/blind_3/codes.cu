// Compiled for compute_70.
// Parsing, unpacking, ciphers, board games, puzzles.

typedef unsigned long long u64;

__device__ int digits(const char *p, int many)
{
    int v = 0;
    for (int i = 0; i < many; i++) v = 10 * v + p[i] - '0';
    return v;
}

// Seconds since 1970 of times such as `2024-02-29T12:34:56Z`, 20 bytes each.
extern "C" __global__ void iso_times(const char *text, unsigned *seconds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *p = text + 20 * i;
    int y = digits(p, 4), m = digits(p + 5, 2), d = digits(p + 8, 2);
    y -= m <= 2;
    int era = y / 400, of = y % 400, doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int days = era * 146097 + of * 365 + of / 4 - of / 100 + doy - 719468;
    seconds[i] = days * 86400u + digits(p + 11, 2) * 3600 + digits(p + 14, 2) * 60 + digits(p + 17, 2);
}

// Unpacks blocks of 256 bytes, one per thread: literals and copies of earlier bytes.
extern "C" __global__ void lz_unpack(const unsigned char *packed, const int *starts, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *in = packed + starts[i];
    unsigned char *to = out + i * 256;
    int at = 0;
    while (at < 256) {
        int token = *in++;
        for (int k = token >> 4; k > 0; k--) to[at++] = *in++;
        int copy = token & 15;
        if (copy == 0) continue;
        int back = *in++;
        for (int k = 0; k < copy + 2; k++, at++) to[at] = to[at - back];
    }
}

// Decodes chunks of symbols with codes of up to nine bits, by a table in shared memory.
extern "C" __global__ void prefix_decode(const unsigned *bits, const int *starts, const unsigned short *codes,
                                         unsigned char *out, int each, int n)
{
    __shared__ unsigned short table[512];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) table[k] = codes[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = starts[i];
    for (int k = 0; k < each; k++) {
        unsigned window = __funnelshift_l(bits[at / 32 + 1], bits[at / 32], at % 32) >> 23;
        unsigned short entry = table[window];
        out[i * each + k] = entry & 255;
        at += entry >> 8;
    }
}

// Unpacks numbers of 13 bits and adds them to the base of their frame of 128.
extern "C" __global__ void unpack_frames(const unsigned *packed, const int *base, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        u64 bit = (u64)i * 13;
        unsigned low = packed[bit >> 5], high = packed[(bit >> 5) + 1];
        out[i] = base[i >> 7] + (__funnelshift_r(low, high, bit & 31) & 8191);
    }
}

__device__ u64 left(u64 x, int by)
{
    return x << by | x >> (64 - by);
}

__device__ void sip(u64 *v)
{
    v[0] += v[1]; v[1] = left(v[1], 13) ^ v[0]; v[0] = left(v[0], 32);
    v[2] += v[3]; v[3] = left(v[3], 16) ^ v[2];
    v[0] += v[3]; v[3] = left(v[3], 21) ^ v[0];
    v[2] += v[1]; v[1] = left(v[1], 17) ^ v[2]; v[2] = left(v[2], 32);
}

// SipHash-2-4 of messages of 16 bytes.
extern "C" __global__ void siphash(const ulonglong2 *messages, u64 *out, u64 k0, u64 k1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ulonglong2 m = messages[i];
    u64 v[4] = {k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull};
    u64 words[3] = {m.x, m.y, 16ull << 56};
#pragma unroll
    for (int w = 0; w < 3; w++) {
        v[3] ^= words[w];
        sip(v);
        sip(v);
        v[0] ^= words[w];
    }
    v[2] ^= 255;
    for (int r = 0; r < 4; r++) sip(v);
    out[i] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

// Tags of messages by products in a field of 2^128 elements, bit by bit.
extern "C" __global__ void field_tags(const ulonglong2 *messages, ulonglong2 *tags, u64 key_low, u64 key_high,
                                      int blocks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 y0 = 0, y1 = 0;
    for (int b = 0; b < blocks; b++) {
        ulonglong2 m = messages[b * n + i];
        u64 x0 = y0 ^ m.x, x1 = y1 ^ m.y, h0 = key_low, h1 = key_high;
        y0 = y1 = 0;
        for (int bit = 0; bit < 128; bit++) {
            u64 take = 0 - ((bit < 64 ? x0 >> bit : x1 >> (bit - 64)) & 1);
            y0 ^= h0 & take;
            y1 ^= h1 & take;
            u64 over = h1 >> 63;
            h1 = h1 << 1 | h0 >> 63;
            h0 = h0 << 1 ^ (0 - over & 0x87);
        }
    }
    tags[i] = make_ulonglong2(y0, y1);
}

__device__ u64 shifted(u64 x, int way)
{
    const u64 no_left = 0xfefefefefefefefeull, no_right = 0x7f7f7f7f7f7f7f7full;
    switch (way) {
    case 0: return x << 1 & no_left;
    case 1: return x >> 1 & no_right;
    case 2: return x << 8;
    case 3: return x >> 8;
    case 4: return x << 9 & no_left;
    case 5: return x << 7 & no_right;
    case 6: return x >> 7 & no_left;
    default: return x >> 9 & no_right;
    }
}

// Where may the one to move put a disc at Othello, and how many choices are there?
extern "C" __global__ void othello_moves(const u64 *mine, const u64 *theirs, u64 *moves, int *choices, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 me = mine[i], you = theirs[i], empty = ~(me | you), found = 0;
    for (int way = 0; way < 8; way++) {
        u64 x = shifted(me, way) & you;
        for (int k = 0; k < 5 && x; k++) {
            u64 more = x | (shifted(x, way) & you);
            if (more == x) break;
            x = more;
        }
        found |= shifted(x, way) & empty;
    }
    moves[i] = found;
    choices[i] = __popcll(found);
}

// Length of the longest increasing part of each row of 48 numbers, by patience.
extern "C" __global__ void longest_rise(const int *rows, int *length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int tails[48], many = 0;
    for (int k = 0; k < 48; k++) {
        int v = rows[i * 48 + k], low = 0, high = many;
        while (low < high) {
            int middle = (low + high) / 2;
            if (tails[middle] < v) low = middle + 1;
            else high = middle;
        }
        tails[low] = v;
        if (low == many) many++;
    }
    length[i] = many;
}

// Parses sentences of 24 words by a grammar of 16 symbols (Cocke, Younger, Kasami): a block each.
extern "C" __global__ void parse_sentences(const unsigned char *words, const unsigned short *lexicon,
                                           const uchar4 *rules, int many, unsigned short *roots)
{
    __shared__ unsigned short table[25][24];
    words += blockIdx.x * 24;
    for (int i = threadIdx.x; i < 24; i += blockDim.x) table[1][i] = lexicon[words[i]];
    __syncthreads();
    for (int length = 2; length <= 24; length++) {
        for (int i = threadIdx.x; i + length <= 24; i += blockDim.x) {
            unsigned found = 0;
            for (int part = 1; part < length; part++) {
                unsigned l = table[part][i], r = table[length - part][i + part];
                if (l == 0 || r == 0) continue;
                for (int k = 0; k < many; k++) {
                    uchar4 rule = rules[k];
                    found |= (l >> rule.y & r >> rule.z & 1) << rule.x;
                }
            }
            table[length][i] = found;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) roots[blockIdx.x] = table[24][0];
}

__device__ __noinline__ int ways(int sum, int most)
{
    if (sum == 0) return 1;
    int total = 0;
    for (int first = min(sum, most); first > 0; first--) total += ways(sum - first, first);
    return total;
}

// In how many ways is a number a sum of smaller ones? A recursive function.
extern "C" __global__ void partitions(const unsigned *numbers, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) count[i] = ways(numbers[i], 6);
}

// 64 generations of a rule with three neighbours on rings of 1024 bits: a warp each.
extern "C" __global__ void ring_rule(unsigned *rings, unsigned rule, int n)
{
    int ring = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (ring >= n) return;
    unsigned now = rings[ring * 32 + lane];
    for (int g = 0; g < 64; g++) {
        unsigned before = __shfl_sync(~0u, now, (lane + 31) % 32), after = __shfl_sync(~0u, now, (lane + 1) % 32);
        unsigned l = __funnelshift_l(before, now, 1), r = __funnelshift_r(now, after, 1), next = 0;
        for (int k = 0; k < 8; k++)
            if (rule >> k & 1) next |= (k & 4 ? l : ~l) & (k & 2 ? now : ~now) & (k & 1 ? r : ~r);
        now = next;
    }
    rings[ring * 32 + lane] = now;
}
