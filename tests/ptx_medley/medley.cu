// A medley of what kernels use beside plain arithmetic. Every kernel writes one
// 32-bit word for each thread, from nothing but the thread's number.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;

__device__ u32 mix(u32 x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

__device__ u64 mix64(u32 x)
{
    return (u64)mix(x) << 32 | mix(x + 1000);
}

extern "C" __global__ void wide_integers(u32 *out)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u128 a = (u128)mix64(t) << 64 | mix64(t + 7), b = (u128)mix64(t + 9) << 64 | mix64(t + 31);
    u128 sum = a + b, difference = a - b, product = a * b;
    // Different lanes take different ways with a carry on either side.
    if (t % 3 == 0)
        sum += product >> (t % 60);
    else
        difference += sum << (t % 50);
    u128 all = sum ^ difference ^ product;
    u64 word = (u64)all ^ (u64)(all >> 64) ^ __umul64hi(mix64(t), mix64(t + 1)) ^ (u64)(a < b);
    out[t] = (u32)word ^ (u32)(word >> 32);
}

extern "C" __global__ void halves(u32 *out)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    __half a = __float2half((float)(int)(mix(t) % 2001) / 8.0f - 125.0f);
    __half b = __float2half_rz((float)(mix(t + 1) % 977) / 64.0f + 0.25f);
    __half2 c = __halves2half2(__hadd(a, b), __hmul(a, b));
    __half2 d = __hfma2(c, __half2half2(b), __float2half2_rn(0.125f));
    __half e = __hdiv(a, b);
    u32 bits = (u32)__half_as_ushort(__low2half(d)) | (u32)__half_as_ushort(__high2half(d)) << 16;
    bits ^= (u32)__half_as_ushort(e) << 7;
    bits += (u32)__half2int_rn(a) + (u32)__half2uint_ru(b) + (__hlt(a, b) ? 3u : 5u);
    out[t] = bits;
}

__device__ u32 bits_of(__nv_bfloat16 value)
{
    return *reinterpret_cast<unsigned short *>(&value);
}

extern "C" __global__ void brains(u32 *out)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 a = __float2bfloat16((float)(int)(mix(t) % 4001) / 16.0f - 125.0f);
    __nv_bfloat16 b = __float2bfloat16((float)(mix(t + 1) % 977) / 64.0f + 0.25f);
    float sum = __bfloat162float(a) + __bfloat162float(b);
    __nv_bfloat16 rounded = __float2bfloat16(sum);
    out[t] = bits_of(rounded) << 16 | bits_of(a);
}

__device__ __noinline__ u32 plus(u32 a, u32 b)
{
    return a + b;
}

__device__ __noinline__ u32 times(u32 a, u32 b)
{
    return a * b;
}

__device__ __noinline__ u32 power(u32 a, u32 b)
{
    return b == 0 ? 1 : a * power(a, b - 1);
}

extern "C" __global__ void pointers(u32 *out)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 (*f)(u32, u32) = t % 3 == 0 ? plus : t % 3 == 1 ? times : power;
    u32 result = t;
    for (u32 i = 0; i < t % 5 + 1; i++)
        result = f(result, i + 2);
    out[t] = result;
}

// A reduction over groups of 8 lanes, then over the block, as cooperative
// groups do it.
extern "C" __global__ void groups(u32 *out)
{
    __shared__ u32 sums[32];
    u32 t = threadIdx.x, lane = t % 32, group = lane / 8;
    u32 mask = 0xffu << (group * 8), value = mix(t + blockIdx.x);
    for (int step = 4; step > 0; step /= 2)
        value += __shfl_xor_sync(mask, value, step, 8);
    if (lane % 8 == 0)
        sums[t / 8] = value;
    __syncthreads();
    u32 all = 0;
    for (u32 i = 0; i < blockDim.x / 8; i++)
        all += sums[i];
    u32 same = __popc(__ballot_sync(0xffffffffu, value & 1));
    out[blockIdx.x * blockDim.x + t] = all ^ value ^ same;
}

extern "C" __global__ void bytes(u32 *out)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 a = mix(t), b = mix(t + 5), local[8];
    for (int i = 0; i < 8; i++)
        local[(i * 3 + t) % 8] = __byte_perm(a, b, i * 0x1234);
    u32 r = __vadd4(a, b) ^ __vabsdiffu4(a, b) ^ __vmaxs2(a, b) ^ __vcmpgtu2(a, b) ^ __vavgu4(a, b);
    r += __brev(a) + __clz(b) + __ffs(a) + __funnelshift_l(a, b, t) + __usad(a, b, t);
    r ^= local[t % 8] + local[(t + 3) % 8];
    out[t] = r + (u32)__double2int_rz((double)(int)a / 7.0) + (u32)__float2ll_rd((float)b * 0.37f);
}
