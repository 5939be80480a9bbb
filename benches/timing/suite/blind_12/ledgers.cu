// Compiled for compute_70.
// Trades, quotes, balances, addresses, decimals, payments, tables of keys, options, bars and hashes for proofs.

// What are trades worth in one currency, and what do they cost? Prices, rates and fees are whole numbers, and products have 64 bits. Also
// marks large trades.
extern "C" __global__ void trade_values(const unsigned *prices, const int *amounts, const unsigned char *currencies,
                                        const unsigned short *fees, const long long *rates, long long *gross, long long *costs,
                                        long long *nets, unsigned char *large, long long limit, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long value = (long long)prices[i] * amounts[i] * rates[currencies[i]] / 1000000;
    long long size = value < 0 ? -value : value, cost = (size * fees[i] + 5000) / 10000;
    gross[i] = value;
    costs[i] = cost;
    nets[i] = -value - cost;
    large[i] = size > limit;
}

#define FIELDS 12

// Where between bid and ask does a price belong, by how much is offered on either side? Reads four of the twelve words of a quote.
extern "C" __global__ void quote_midpoints(const unsigned *quotes, unsigned *middles, unsigned short *spreads, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned *quote = quotes + (size_t)i * FIELDS;
    unsigned bid = quote[3], wanted = quote[4], ask = bid + (quote[7] & 1023) + 1, offered = quote[8];
    unsigned long long both = (unsigned long long)bid * offered + (unsigned long long)ask * wanted;
    middles[i] = both / ((unsigned long long)wanted + offered + 1);
    spreads[i] = ask - bid;
}

#define PART (1ull << 62)
#define WHOLE (2ull << 62)
#define VALUE (PART - 1)

// The balance of an account after each of many payments: a scan with sums of 64 bits in one pass. A block gets the next tile, tells others
// its sum, and looks back over the tiles before it, 32 at a time, until one has its balance.
extern "C" __global__ void chained_balances(const int4 *payments, longlong2 *balances, volatile unsigned long long *states,
                                            unsigned *tickets, int n)
{
    __shared__ long long warps[32], start;
    __shared__ int ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1u);
    __syncthreads();
    int tile = ticket, i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int4 own = i < n ? payments[i] : make_int4(0, 0, 0, 0);
    long long sum = (long long)own.x + own.y + own.z + own.w, scan = sum;
    for (int d = 1; d < 32; d *= 2) {
        long long other = __shfl_up_sync(~0u, scan, d);
        if (lane >= d) scan += other;
    }
    if (lane == 31) warps[warp] = scan;
    __syncthreads();
    long long total = 0, before = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
        if (w == warp) before = total;
        total += warps[w];
    }
    if (warp == 0) {
        if (lane == 0 && tile > 0) states[tile] = PART | (total & VALUE);
        unsigned long long back = 0, state;
        for (int at = tile - 1 - lane; tile > 0; at -= 32) {
            do state = at >= 0 ? states[at] : WHOLE;
            while (__any_sync(~0u, state >> 62 == 0));
            unsigned whole = __ballot_sync(~0u, state >> 62 == 2);
            unsigned long long part = whole == 0 || lane < __ffs(whole) ? state & VALUE : 0;
            for (int d = 16; d > 0; d /= 2) part += __shfl_xor_sync(~0u, part, d);
            back += part;
            if (whole != 0) break;
        }
        if (lane == 0) {
            states[tile] = WHOLE | ((back + total) & VALUE);
            start = (long long)(back << 2) >> 2;
        }
    }
    __syncthreads();
    if (i >= n) return;
    long long balance = start + before + scan - sum;
    long long first = balance + own.x, second = first + own.y, third = second + own.z;
    balances[2 * (size_t)i] = make_longlong2(first, second);
    balances[2 * (size_t)i + 1] = make_longlong2(third, third + own.w);
}

#define CHUNKS 7

// Writes numbers of 25 bytes with the 58 letters of bitcoin's addresses. Divides by 58 to the fifth again and again, and splits each rest
// into five letters.
extern "C" __global__ void base58_addresses(const unsigned *numbers, const unsigned char *alphabet, unsigned char *text, int n)
{
    __shared__ unsigned char letters[58];
    for (int k = threadIdx.x; k < 58; k += blockDim.x) letters[k] = alphabet[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned number[7];
#pragma unroll
    for (int k = 0; k < 7; k++) number[k] = numbers[(size_t)i * 7 + k];
    number[0] &= 255;
    unsigned char *end = text + (size_t)i * 36 + 35;
    *end = 0;
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        unsigned long long rest = 0;
#pragma unroll
        for (int k = 0; k < 7; k++) {
            rest = rest << 32 | number[k];
            number[k] = rest / 656356768u;
            rest %= 656356768u;
        }
        unsigned digits = rest;
#pragma unroll
        for (int k = 0; k < 5; k++) {
            *--end = letters[digits % 58];
            digits /= 58;
        }
    }
}

// Reads packed decimals of eight bytes, as mainframes store them: fifteen digits of four bits and a sign. Anything else becomes zero and is
// marked.
extern "C" __global__ void packed_decimals(const uint2 *fields, long long *numbers, unsigned char *wrong, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 field = fields[i];
    unsigned high = __byte_perm(field.x, 0, 0x0123), low = __byte_perm(field.y, 0, 0x0123), sign = low & 15;
    unsigned long long digits = (unsigned long long)high << 28 | low >> 4;
    bool right = sign == 12 || sign == 13 || sign == 15;
    long long number = 0;
#pragma unroll
    for (int k = 14; k >= 0; k--) {
        unsigned digit = digits >> 4 * k & 15;
        right = right && digit < 10;
        number = number * 10 + digit;
    }
    numbers[i] = !right ? 0 : sign == 13 ? -number : number;
    wrong[i] = !right;
}

// What does each bank owe in the end, when all payments are joined? A payment lowers one balance and raises another; some banks pay often.
extern "C" __global__ void net_positions(const uint2 *banks, const unsigned *amounts, unsigned long long *balances, unsigned *largest,
                                         int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint2 bank = banks[i];
    unsigned long long amount = amounts[i];
    atomicAdd(&balances[bank.x], 0ull - amount);
    atomicAdd(&balances[bank.y], amount);
    atomicMax(&largest[bank.x], (unsigned)amount);
}

__device__ unsigned home(unsigned key, unsigned slots)
{
    return __umulhi(key * 0x9e3779b1u, slots);
}

// Looks keys up in a table where each entry that was far from its place took that of one that was closer (Robin Hood). A search ends at an
// entry that is closer to its own place than the search has come.
extern "C" __global__ void robin_hood_lookup(const uint2 *table, const unsigned *keys, unsigned *values, unsigned slots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = home(key, slots), value = ~0u;
    for (unsigned steps = 0;; steps++) {
        uint2 entry = table[at];
        if (entry.x == key) {
            value = entry.y;
            break;
        }
        unsigned own = home(entry.x, slots), away = at >= own ? at - own : at + slots - own;
        if (entry.x == 0 || away < steps) break;
        at = at + 1 == slots ? 0 : at + 1;
    }
    values[i] = value;
}

#define NODES 160

// Values of American options to sell that are void below a barrier, and how they change with the price: a grid of 160 prices, backwards in
// time. A block per option, with the grid in shared memory.
extern "C" __global__ void barrier_grid(const float4 *options, float2 *values, float rate, int steps)
{
    __shared__ float grid[2][NODES], payoff[NODES];
    float4 option = options[blockIdx.x];
    float strike = option.x, volatility = option.y, step = option.z / steps, barrier = option.w;
    float dx = volatility * sqrtf(3.0f * step), drift = (rate - 0.5f * volatility * volatility) * sqrtf(step / 12.0f) / volatility;
    float discount = expf(-rate * step), up = discount * (0.16666667f + drift), down = discount * (0.16666667f - drift);
    float middle = discount * 0.6666667f;
    for (int k = threadIdx.x; k < NODES; k += blockDim.x) {
        float price = expf((k - NODES / 2) * dx), paid = fmaxf(strike - price, 0.0f);
        payoff[k] = price > barrier ? paid : -1.0f;
        grid[0][k] = grid[1][k] = price > barrier ? paid : 0.0f;
    }
    __syncthreads();
    for (int t = 0; t < steps; t++) {
        const float *from = grid[t % 2];
        for (int k = threadIdx.x + 1; k < NODES - 1; k += blockDim.x) {
            float held = up * from[k + 1] + middle * from[k] + down * from[k - 1];
            grid[(t + 1) % 2][k] = payoff[k] < 0.0f ? 0.0f : fmaxf(held, payoff[k]);
        }
        __syncthreads();
    }
    if (threadIdx.x > 0) return;
    const float *last = grid[steps % 2] + NODES / 2;
    values[blockIdx.x] = make_float2(last[0], (last[1] - last[-1]) / (expf(dx) - expf(-dx)));
}

// The first, highest, lowest and last price, the amount and the mean price of trades in each interval of time. A warp per interval.
extern "C" __global__ void ticks_to_bars(const int *starts, const float *prices, const unsigned *amounts, float *opens, float *highs,
                                         float *lows, float *closes, unsigned *volumes, float *means, int n)
{
    int bar = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (bar >= n) return;
    int start = starts[bar], end = starts[bar + 1];
    float high = 0.0f, low = 1e30f, paid = 0.0f;
    unsigned volume = 0;
    for (int k = start + lane; k < end; k += 32) {
        float price = prices[k];
        unsigned amount = amounts[k];
        high = fmaxf(high, price);
        low = fminf(low, price);
        paid += price * amount;
        volume += amount;
    }
    for (int d = 16; d > 0; d /= 2) {
        high = fmaxf(high, __shfl_down_sync(~0u, high, d));
        low = fminf(low, __shfl_down_sync(~0u, low, d));
        paid += __shfl_down_sync(~0u, paid, d);
        volume += __shfl_down_sync(~0u, volume, d);
    }
    if (lane > 0) return;
    opens[bar] = prices[start];
    highs[bar] = high;
    lows[bar] = low;
    closes[bar] = prices[end - 1];
    volumes[bar] = volume;
    means[bar] = paid / volume;
}

typedef unsigned long long u64;

#define STATE 8
#define LESS 0xffffffffull

// A number of 128 bits modulo 2^64 - 2^32 + 1.
__device__ u64 reduced(u64 low, u64 high)
{
    u64 top = high >> 32, middle = (high << 32) - (high & LESS), rest = low - top;
    if (low < top) rest -= LESS;
    u64 sum = rest + middle;
    return sum < middle ? sum + LESS : sum;
}

__device__ u64 times(u64 a, u64 b)
{
    return reduced(a * b, __umul64hi(a, b));
}

__device__ u64 seventh(u64 a)
{
    u64 square = times(a, a);
    return times(times(square, square), times(square, a));
}

// A layer of a tree of hashes for proofs without knowledge (as Poseidon): eight numbers become four, modulo 2^64 - 2^32 + 1. The first and
// the last four rounds take all numbers to the seventh power, and the 22 rounds between only the first.
extern "C" __global__ void goldilocks_hash(const u64 *in, const u64 *constants, u64 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned mix[STATE] = {17, 15, 41, 16, 2, 28, 13, 39};
    u64 state[STATE];
#pragma unroll
    for (int k = 0; k < STATE; k++) state[k] = in[(size_t)i * STATE + k];
    for (int round = 0; round < 30; round++) {
#pragma unroll
        for (int k = 0; k < STATE; k++) {
            u64 sum = state[k] + constants[round * STATE + k];
            state[k] = sum < state[k] ? sum + LESS : sum;
        }
        state[0] = seventh(state[0]);
        if (round < 4 || round >= 26)
#pragma unroll
            for (int k = 1; k < STATE; k++) state[k] = seventh(state[k]);
        u64 next[STATE];
#pragma unroll
        for (int k = 0; k < STATE; k++) {
            u64 low = 0, high = 0;
#pragma unroll
            for (int j = 0; j < STATE; j++) {
                low += (state[j] & LESS) * mix[(STATE + j - k) % STATE];
                high += (state[j] >> 32) * mix[(STATE + j - k) % STATE];
            }
            u64 sum = low + (high << 32);
            next[k] = reduced(sum, (high >> 32) + (sum < low));
        }
#pragma unroll
        for (int k = 0; k < STATE; k++) state[k] = next[k];
    }
#pragma unroll
    for (int k = 0; k < STATE / 2; k++) out[(size_t)i * (STATE / 2) + k] = state[k] > ~LESS ? state[k] + LESS : state[k];
}
