// Compiled for compute_70.
// Codes, texts and sound.

// Adds up the numbers of a record, where a number has seven bits in a byte and the highest bit says that more follow. A thread per
// record.
extern "C" __global__ void leb128_sums(const unsigned char *bytes, const unsigned *starts, unsigned long long *sums, int n)
{
    int record = blockIdx.x * blockDim.x + threadIdx.x;
    if (record >= n) return;
    unsigned at = starts[record], end = starts[record + 1];
    unsigned long long total = 0;
    while (at < end) {
        unsigned number = 0, shift = 0, byte;
        do {
            byte = bytes[at++];
            number |= (byte & 127) << shift;
            shift += 7;
        } while (byte >= 128);
        total += number;
    }
    sums[record] = total;
}

// Counts the letters of a text in UTF-8, and the bytes that stand where they must not. Four bytes at a time.
extern "C" __global__ void utf8_check(const unsigned *text, unsigned *counts, int n)
{
    unsigned letters = 0, wrong = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long both = (unsigned long long)text[i] << 32 | (i > 0 ? text[i - 1] : 0);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned window = both >> (8 + 8 * k);
            unsigned third = window & 255, second = window >> 8 & 255, first = window >> 16 & 255, own = window >> 24;
            bool wanted = first >= 0xc0 || second >= 0xe0 || third >= 0xf0, follows = (own & 0xc0) == 0x80;
            letters += !follows;
            wrong += wanted != follows || own == 0xc0 || own == 0xc1 || own > 0xf4;
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        letters += __shfl_down_sync(~0u, letters, d);
        wrong += __shfl_down_sync(~0u, wrong, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&counts[0], letters);
        if (wrong > 0) atomicAdd(&counts[1], wrong);
    }
}

// Two bytes become four hexadecimal digits as text, all four at once within a word.
__device__ unsigned digits_of(unsigned two)
{
    unsigned spread = (two & 0xff) | (two & 0xff00) << 8;
    spread = (spread >> 4 & 0x000f000f) | (spread & 0x000f000f) << 8;
    unsigned letter = (spread + 0x06060606) >> 4 & 0x01010101;
    return spread + 0x30303030 + letter * 39;
}

// Writes bytes as text with two hexadecimal digits each. A thread takes four bytes.
extern "C" __global__ void hex_text(const unsigned *bytes, uint2 *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned four = bytes[i];
    text[i] = make_uint2(digits_of(four & 0xffff), digits_of(four >> 16));
}

#define BINS 257
#define BANDS 40

// How loud are 40 bands of a spectrum? Each band weighs its bins with a triangle, whose corners are given; the bands overlap.
extern "C" __global__ void mel_bands(const float *spectra, const int *corners, float *loudness, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int frame = i / BANDS, band = i % BANDS;
    const float *power = spectra + (long long)frame * BINS;
    int left = corners[band], middle = corners[band + 1], right = corners[band + 2];
    float sum = 0.0f, rise = 1.0f / (middle - left), fall = 1.0f / (right - middle);
    for (int k = left; k < middle; k++) sum += power[k] * ((k - left) * rise);
    for (int k = middle; k < right; k++) sum += power[k] * ((right - k) * fall);
    loudness[i] = logf(sum + 1e-6f);
}

#define ORDER 12

// Levinson's recursion: from the autocorrelation of a frame of speech to the filter that predicts it. A thread per frame.
extern "C" __global__ void levinson(const float *lags, float *filters, float *errors, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r[ORDER + 1], a[ORDER + 1];
#pragma unroll
    for (int k = 0; k <= ORDER; k++) r[k] = lags[k * n + i];
    float error = r[0];
    a[0] = 1.0f;
#pragma unroll
    for (int order = 1; order <= ORDER; order++) {
        float left = r[order];
#pragma unroll
        for (int k = 1; k < order; k++) left += a[k] * r[order - k];
        float reflection = -left / error;
        a[order] = reflection;
#pragma unroll
        for (int k = 1; k <= order / 2; k++) {
            float low = a[k], high = a[order - k];
            a[k] = low + reflection * high;
            if (k != order - k) a[order - k] = high + reflection * low;
        }
        error *= 1.0f - reflection * reflection;
    }
#pragma unroll
    for (int k = 1; k <= ORDER; k++) filters[(k - 1) * n + i] = a[k];
    errors[i] = error;
}

// A code that guards a radio link: for each bit two parities over the last seven bits. A thread codes 32 bits to 64.
extern "C" __global__ void convolution_code(const unsigned *bits, unsigned long long *code, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = i > 0 ? bits[i - 1] & 63 : 0, word = bits[i];
    unsigned long long out = 0;
    for (int k = 31; k >= 0; k--) {
        state = (state << 1 | (word >> k & 1)) & 127;
        out = out << 2 | (__popc(state & 0171) & 1) << 1 | (__popc(state & 0133) & 1);
    }
    code[i] = out;
}

// Memory with eight check bits for 64: mends a word with one wrong bit and finds two wrong bits. The state is 0 for a good word, 1 for a
// mended one, 2 for a lost one.
extern "C" __global__ void secded_words(const unsigned long long *words, const unsigned char *checks, unsigned long long *mended,
                                        unsigned char *states, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long masks[7] = {0xab55555556aaad5bull, 0xcd9999999b33366dull, 0xf1e1e1e1e3c3c78eull, 0x01fe01fe03fc07f0ull,
                                         0x01fffe0003fff800ull, 0x01fffffffc000000ull, 0xfe00000000000000ull};
    unsigned long long word = words[i];
    unsigned check = checks[i], place = check & 127;
    bool odd = (__popcll(word) + __popc(check)) & 1;
#pragma unroll
    for (int k = 0; k < 7; k++) place ^= (__popcll(word & masks[k]) & 1) << k;
    unsigned state = 0;
    if (odd) {
        state = 1;
        if ((place & (place - 1)) != 0) {
            // The bits of a word have the places from 3 on that are no powers of two.
            int bit = place - 2 - (31 - __clz(place));
            if (bit < 64) word ^= 1ull << bit;
            else state = 2;
        }
    } else if (place != 0) state = 2;
    mended[i] = word;
    states[i] = state;
}

#define TEXT 32
#define PATTERN 16

// Does a name match a pattern, where `?` is any letter and `*` any letters? After a mismatch, the last star takes a letter more.
extern "C" __global__ void glob_match(const char *texts, const char *patterns, const unsigned char *choice, unsigned char *matches, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *text = texts + i * TEXT, *pattern = patterns + choice[i] * PATTERN;
    int t = 0, p = 0, star = -1, from = 0;
    bool match = true;
    while (t < TEXT && text[t] != 0) {
        char wanted = pattern[p];
        if (wanted == '*') {
            star = p++;
            from = t;
        } else if (wanted != 0 && (wanted == '?' || wanted == text[t])) {
            p++;
            t++;
        } else if (star >= 0) {
            p = star + 1;
            t = ++from;
        } else {
            match = false;
            break;
        }
    }
    while (pattern[p] == '*') p++;
    matches[i] = match && pattern[p] == 0;
}

#define FRAME 512
#define LEAST_LAG 20
#define MOST_LAG 200

// The pitch of a frame of sound: for which delay does it differ least from itself? A block per frame, threads take delays.
extern "C" __global__ void pitch_lags(const short *sound, unsigned *lags)
{
    __shared__ int samples[FRAME];
    __shared__ unsigned long long best;
    for (int k = threadIdx.x; k < FRAME; k += blockDim.x) samples[k] = sound[blockIdx.x * (FRAME / 2) + k] >> 5;
    if (threadIdx.x == 0) best = ~0ull;
    __syncthreads();
    for (int lag = LEAST_LAG + threadIdx.x; lag <= MOST_LAG; lag += blockDim.x) {
        unsigned sum = 0;
        for (int k = 0; k < FRAME / 2; k++) {
            int apart = samples[k] - samples[k + lag];
            sum += apart * apart;
        }
        atomicMin(&best, (unsigned long long)sum << 32 | lag);
    }
    __syncthreads();
    if (threadIdx.x == 0) lags[blockIdx.x] = (unsigned)best;
}
