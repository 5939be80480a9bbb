// Compiled for compute_70.
// Radar, filters, spectra, codes of channels, satellites, checksums, ultrasound, frames of a film and depth from two pictures.

// Puts a radar's samples in another order, from channel, pulse, range to range, channel, pulse, and weights the pulses. A block has a tile
// of 32 pulses and 32 ranges.
extern "C" __global__ void corner_turn(const float2 *in, const float *window, float2 *out, long long ranges, int pulses)
{
    __shared__ float2 tile[32][33];
    int first = blockIdx.x * 32, top = blockIdx.y * 32, channel = blockIdx.z, x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        if (top + y >= pulses || first + x >= ranges) continue;
        float2 sample = in[((long long)channel * pulses + top + y) * ranges + first + x];
        float weight = window[top + y];
        tile[y][x] = make_float2(weight * sample.x, weight * sample.y);
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        if (top + x < pulses && first + y < ranges)
            out[((long long)(first + y) * gridDim.z + channel) * pulses + top + x] = tile[x][y];
}

__device__ void order(unsigned &a, unsigned &b)
{
    unsigned low = min(a, b);
    b = max(a, b);
    a = low;
}

// The middle of nine numbers, with a network of 19 comparisons.
__device__ unsigned middle(unsigned *v)
{
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
    order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
    order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
    order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
    order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]);
    order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]), order(v[4], v[2]);
    return v[4];
}

// The background of a film: the middle value of each pixel in nine frames. A thread has two pixels of 16 bits.
extern "C" __global__ void temporal_medians(const unsigned *a, const unsigned *b, const unsigned *c, const unsigned *d, const unsigned *e,
                                            const unsigned *f, const unsigned *g, const unsigned *h, const unsigned *j, unsigned *out,
                                            int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned pairs[9] = {a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i], j[i]};
    unsigned low[9], high[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        low[k] = pairs[k] & 65535;
        high[k] = pairs[k] >> 16;
    }
    out[i] = middle(low) | middle(high) << 16;
}

#define CHANNELS 256
#define BANK 8
#define FRAMES 32

// The first half of a filter bank with 256 channels: each channel's samples, with 8 bits, times eight weights. A thread has 32 frames of a
// channel and keeps eight samples.
extern "C" __global__ void polyphase_bank(const char2 *samples, const float *weights, float2 *out)
{
    int channel = blockIdx.y * blockDim.x + threadIdx.x, first = blockIdx.x * FRAMES;
    if (channel >= CHANNELS) return;
    float2 kept[BANK];
    float own[BANK];
#pragma unroll
    for (int t = 0; t < BANK; t++) {
        own[t] = weights[t * CHANNELS + channel];
        char2 sample = samples[(first + t) * CHANNELS + channel];
        kept[t] = make_float2(sample.x, sample.y);
    }
    for (int frame = 0; frame < FRAMES; frame += BANK)
#pragma unroll
        for (int k = 0; k < BANK; k++) {
            float2 sum = make_float2(0.0f, 0.0f);
            char2 sample = samples[(first + frame + k + BANK - 1) * CHANNELS + channel];
            kept[(k + BANK - 1) % BANK] = make_float2(sample.x, sample.y);
#pragma unroll
            for (int t = 0; t < BANK; t++) {
                sum.x += own[t] * kept[(k + t) % BANK].x;
                sum.y += own[t] * kept[(k + t) % BANK].y;
            }
            out[(first + frame + k) * CHANNELS + channel] = sum;
        }
}

// Walsh-Hadamard spectra of 1024 integers each. A warp per spectrum: a lane has 32 numbers, and adds and subtracts them in registers first
// and across the warp then.
extern "C" __global__ void walsh_spectra(const short *in, int *out, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    int values[32];
#pragma unroll
    for (int k = 0; k < 32; k++) values[k] = in[row * 1024 + k * 32 + lane];
#pragma unroll
    for (int d = 1; d < 32; d *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++) {
            if (k & d) continue;
            int sum = values[k] + values[k + d];
            values[k + d] = values[k] - values[k + d];
            values[k] = sum;
        }
#pragma unroll
    for (int d = 1; d < 32; d *= 2)
#pragma unroll
        for (int k = 0; k < 32; k++) {
            int other = __shfl_xor_sync(~0u, values[k], d);
            values[k] = lane & d ? other - values[k] : values[k] + other;
        }
#pragma unroll
    for (int k = 0; k < 32; k++) out[row * 1024 + k * 32 + lane] = values[k];
}

#define WORDS 64

// A half round of decoding sent words (LDPC, least sums): each check tells its bits what the others say, by the product of their signs and
// the least of their sizes. 64 words are decoded side by side.
extern "C" __global__ void ldpc_checks(const int *starts, const unsigned *bits, const float *beliefs, const float *messages, float *next,
                                       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, check = i / WORDS, own = i % WORDS;
    if (check >= n) return;
    int start = starts[check], end = starts[check + 1], lowest = start;
    float least = 1e30f, second = 1e30f;
    unsigned signs = 0;
    for (int k = start; k < end; k++) {
        float value = beliefs[bits[k] * WORDS + own] - messages[k * WORDS + own], size = fabsf(value);
        signs ^= __float_as_uint(value);
        if (size < least) {
            second = least;
            least = size;
            lowest = k;
        } else second = fminf(second, size);
    }
    for (int k = start; k < end; k++) {
        float value = beliefs[bits[k] * WORDS + own] - messages[k * WORDS + own], size = 0.75f * (k == lowest ? second : least);
        next[k * WORDS + own] = __uint_as_float(__float_as_uint(size) | ((signs ^ __float_as_uint(value)) & 0x80000000u));
    }
}

// When did the code of a satellite begin in what was heard? Compares 1024 bits with the code at all 1024 phases, and keeps the phase where
// most are the same or most differ. A block per moment and satellite.
extern "C" __global__ void gold_correlate(const unsigned *heard, const unsigned *codes, unsigned *best)
{
    __shared__ unsigned code[64], own[32], most;
    for (int k = threadIdx.x; k < 64; k += blockDim.x) code[k] = codes[blockIdx.y * 32 + k % 32];
    for (int k = threadIdx.x; k < 32; k += blockDim.x) own[k] = heard[blockIdx.x * 32 + k];
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    unsigned highest = 0;
    for (int phase = threadIdx.x; phase < 1024; phase += blockDim.x) {
        int first = phase / 32, shift = phase % 32, differ = 0;
#pragma unroll 8
        for (int k = 0; k < 32; k++) differ += __popc(own[k] ^ __funnelshift_r(code[first + k], code[first + k + 1], shift));
        highest = max(highest, (unsigned)abs(differ - 512) << 16 | phase);
    }
    atomicMax(&most, highest);
    __syncthreads();
    if (threadIdx.x == 0) best[blockIdx.x * gridDim.y + blockIdx.y] = most;
}

// Checksums (CRC-32) of packets, four bytes at a time with four tables in shared memory. A thread per packet.
extern "C" __global__ void crc_slices(const unsigned *data, const unsigned *starts, const unsigned short *lengths, const unsigned *tables,
                                      unsigned *sums, int n)
{
    __shared__ unsigned kept[4 * 256];
    for (int k = threadIdx.x; k < 4 * 256; k += blockDim.x) kept[k] = tables[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned *word = data + starts[i];
    int left = lengths[i];
    unsigned crc = ~0u;
    for (; left >= 4; left -= 4) {
        crc ^= *word++;
        crc = kept[768 + (crc & 255)] ^ kept[512 + (crc >> 8 & 255)] ^ kept[256 + (crc >> 16 & 255)] ^ kept[crc >> 24];
    }
    if (left > 0)
        for (unsigned last = *word; left > 0; left--, last >>= 8) crc = kept[(crc ^ last) & 255] ^ crc >> 8;
    sums[i] = ~crc;
}

#define TAPS 16

// Filters that learn to predict a signal from another one (normalised least mean squares). A thread per channel has the 16 weights and the
// last 16 samples in registers.
extern "C" __global__ void lms_filters(const float *signal, const float *wanted, float *errors, float *weights, float rate, int steps,
                                       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float taps[TAPS] = {}, kept[TAPS] = {};
    for (int t = 0; t < steps; t++) {
#pragma unroll
        for (int k = TAPS - 1; k > 0; k--) kept[k] = kept[k - 1];
        kept[0] = signal[t * n + i];
        float sum = 0.0f, power = 0.01f;
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            sum += taps[k] * kept[k];
            power += kept[k] * kept[k];
        }
        float error = wanted[t * n + i] - sum, part = rate * error / power;
#pragma unroll
        for (int k = 0; k < TAPS; k++) taps[k] += part * kept[k];
        errors[t * n + i] = error;
    }
#pragma unroll
    for (int k = 0; k < TAPS; k++) weights[k * n + i] = taps[k];
}

#define SENSORS 64
#define SAMPLES 2048

// A picture from ultrasound (delay and sum): each pixel adds up what the sensors heard when the echo from there came. Sensors that are too
// far to the side do not count.
extern "C" __global__ void ultrasound_beams(const float *traces, float *out, float scale, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float across = (x + 0.5f) / side - 0.5f, depth = (y + 0.5f) / side + 0.05f, sum = 0.0f, weights = 0.0f;
    for (int k = 0; k < SENSORS; k++) {
        float away = across - (k - 31.5f) / SENSORS, share = 2.0f * fabsf(away) / depth;
        if (share >= 1.0f) continue;
        float place = scale * (depth + sqrtf(depth * depth + away * away)), weight = 1.0f - share * share;
        int at = (int)place;
        const float *trace = traces + k * SAMPLES + at;
        sum += weight * (trace[0] + (place - at) * (trace[1] - trace[0]));
        weights += weight;
    }
    out[y * side + x] = weights > 0.0f ? sum / weights : 0.0f;
}

#define TOO_MUCH (1u << 20)

// How far are the pixels of a row, by the costs of 64 distances each? A way along the row may change the distance by one for a small price,
// and by more for a large one (semi-global matching). A warp per row, two distances per lane.
extern "C" __global__ void aggregate_disparities(const unsigned short *costs, unsigned *sums, unsigned small, unsigned large, int width,
                                                 int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    size_t at = (size_t)row * width * 32 + lane;
    unsigned low = 0, high = 0;
    for (int x = 0; x < width; x++, at += 32) {
        unsigned cost = costs[at], least = min(low, high);
        unsigned below = __shfl_up_sync(~0u, high, 1), above = __shfl_down_sync(~0u, low, 1);
        for (int d = 16; d > 0; d /= 2) least = min(least, __shfl_xor_sync(~0u, least, d));
        if (lane == 0) below = TOO_MUCH;
        if (lane == 31) above = TOO_MUCH;
        unsigned first = min(min(low, least + large), min(below, high) + small);
        unsigned second = min(min(high, least + large), min(low, above) + small);
        low = (cost & 255) + first - least;
        high = (cost >> 8) + second - least;
        sums[at] = high << 16 | low;
    }
}
