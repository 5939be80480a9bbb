#!/usr/bin/env python3
"""Kernels that take locks, or swap a word until no other thread was faster, and others whose threads wait for a word:
in shared memory, and in global memory.

    python3 benches/timing/turns.py shared > shared.cu
    python3 benches/timing/turns.py global > global.cu
    warpscope sweep shared.cu --variant all --block 32,64,128,256,512,1024 --no-check --backend cuda -o turns.jsonl

prints their sources. benches/data/h200/shared_turns.csv and global_turns.csv (blocks of 64, 256 and 1024) have what they
took on an H200 and what the model gives, which was mended by them. What they store depends on the order of threads: the
output that is compared is a buffer that nothing is stored to.
"""

import sys

ADD = """unsigned old = lock[q], was;
    do { was = old; old = atomicCAS(&lock[q], was, __float_as_uint(__uint_as_float(was) + x)); } while (old != was);"""
FREE = "__threadfence_block(); atomicExch(&lock[q], 0u);"

# Name, rounds, which word, what the lanes do that it is for: all of them, or the first of each warp.
TURNS = [
    ("lock1", 16, "0", "first", f"while (atomicCAS(&lock[q], 0u, 1u)); p[q] = p[q] + x; {FREE}"),
    ("lockx", 16, "0", "first", f"while (atomicExch(&lock[q], 1u)); p[q] = p[q] + x; {FREE}"),
    ("lock4", 16, "t >> 5 & 3", "first", f"while (atomicCAS(&lock[q], 0u, 1u)); p[q] = p[q] + x; {FREE}"),
    ("locklong", 16, "0", "first", f"while (atomicCAS(&lock[q], 0u, 1u)); for (int j = 0; j < 8; j++) p[j] = p[(j + 1) & 7] + x; {FREE}"),
    ("lockall", 4, "0", "all", f"bool done = false; while (!done) if (atomicCAS(&lock[q], 0u, 1u) == 0u) {{ p[q] = p[q] + x; {FREE} done = true; }}"),
    ("lock64", 8, "v >> 26", "all", f"bool done = false; while (!done) if (atomicCAS(&lock[q], 0u, 1u) == 0u) {{ p[q] = p[q] + x; {FREE} done = true; }}"),
    ("cas_one", 16, "0", "first", ADD),
    ("cas_all", 4, "0", "all", ADD),
    ("cas_16", 8, "t & 15", "all", ADD),
    ("cas_64", 16, "v >> 26", "all", ADD),
    ("cas_lane", 16, "t & 31", "all", ADD),
]

# Name, what is declared, what each thread does once.
ONCE = [
    ("fmaxcas", "__shared__ unsigned best; if (t == 0) best = 0;",
     "unsigned old = best; while (__uint_as_float(old) < x) { unsigned was = atomicCAS(&best, old, __float_as_uint(x)); if (was == old) break; old = was; }"),
    ("dsum32", "__shared__ unsigned long long bins[32]; if (t < 32) bins[t] = 0;",
     """for (int r = 0; r < 4; r++) {
    int b = ((int)(x * 1000.0f) + r * 7) & 31; unsigned long long old = bins[b], was;
    do { was = old; old = atomicCAS(&bins[b], was, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)was) + (double)x)); } while (old != was); }"""),
    ("lock3", "__shared__ int lock; __shared__ volatile float s[3]; if (t == 0) { lock = 0; s[0] = 0; s[1] = 2; s[2] = -1; }",
     """float sum = x, lo = x, hi = x;
    for (int o = 16; o; o >>= 1) { sum += __shfl_down_sync(~0u, sum, o); lo = fminf(lo, __shfl_down_sync(~0u, lo, o)); hi = fmaxf(hi, __shfl_down_sync(~0u, hi, o)); }
    if ((t & 31) == 0) { while (atomicExch(&lock, 1)); s[0] = s[0] + sum; s[1] = fminf(s[1], lo); s[2] = fmaxf(s[2], hi); __threadfence_block(); atomicExch(&lock, 0); }"""),
    ("bytebins", "__shared__ unsigned w[64]; if (t < 64) w[t] = 0;",
     """int b = (int)(x * 256.0f) & 255; unsigned add = 1u << (8 * (b & 3)), old = w[b >> 2], was;
    do { was = old; old = atomicCAS(&w[b >> 2], was, was + add); } while (old != was);
    __syncthreads(); if (t < 64) atomicAdd((unsigned*)&out[t], w[t]);"""),
    ("top1", "__shared__ unsigned long long top; if (t == 0) top = 0;",
     """unsigned long long mine = ((unsigned long long)__float_as_uint(x) << 32) | (unsigned)i, old = top;
    while (mine > old) { unsigned long long was = atomicCAS(&top, old, mine); if (was == old) break; old = was; }"""),
    ("binlock", "__shared__ int lk[256]; __shared__ volatile float a[256], b2[256]; for (int q = t; q < 256; q += blockDim.x) { lk[q] = 0; a[q] = 0; b2[q] = 0; }",
     """int b = (int)(x * 256.0f) & 255; bool go = true;
    while (go) if (atomicCAS(&lk[b], 0, 1) == 0) { a[b] = a[b] + x; b2[b] = b2[b] + 1.0f; __threadfence_block(); atomicExch(&lk[b], 0); go = false; }
    __syncthreads(); for (int q = t; q < 256; q += blockDim.x) atomicAdd(&out[q], a[q] + b2[q]);"""),
    ("mulall", "__shared__ unsigned prod; if (t == 0) prod = 0x3f800000u;",
     "unsigned old = prod, was; do { was = old; old = atomicCAS(&prod, was, __float_as_uint(__uint_as_float(was) * (0.5f + x))); } while (old != was);"),
]


ADD_GLOBAL = """unsigned old = *(volatile unsigned*)p, was;
    do { was = old; old = atomicCAS(p, was, __float_as_uint(__uint_as_float(was) + x)); } while (old != was);"""

# Name, what each thread does. Those of `s_…` wait for a word of shared memory.
GLOBAL = [
    ("g_lock_block", 'if(t==0){ while(atomicCAS(&acc[0],0u,1u)!=0u); __threadfence(); volatile float*p=out; p[0]=p[0]+x; __threadfence(); atomicExch(&acc[0],0u); }'),
    ("g_lock_block64", 'if(t==0){ int q=(blockIdx.x*7)&63; while(atomicCAS(&acc[q],0u,1u)!=0u); __threadfence(); volatile float*p=out; p[q]=p[q]+x; __threadfence(); atomicExch(&acc[q],0u); }'),
    ("g_lock_thread", 'int q=v&4095; bool go=true; while(go){ if(atomicCAS(&acc[q],0u,1u)==0u){ __threadfence(); volatile float*p=out; p[q]=p[q]+x; __threadfence(); atomicExch(&acc[q],0u); go=false; } }'),
    ("g_cas_one", 'unsigned*p=acc; if((t&31)==0) {' + ADD_GLOBAL + '}'),
    ("g_cas_warp16", 'unsigned*p=acc+((blockIdx.x*8+(t>>5))&15)*32; if((t&31)==0) {' + ADD_GLOBAL + '}'),
    ("g_cas_256", 'unsigned*p=acc+(v&255); ' + ADD_GLOBAL),
    ("g_cas_4096", 'unsigned*p=acc+(v&4095); ' + ADD_GLOBAL),
    ("g_cas_own", 'unsigned*p=(unsigned*)out+(i<n?i:0); ' + ADD_GLOBAL),
    ("g_fmax", 'unsigned old=acc[0]; while(__uint_as_float(old)<x){ unsigned was=atomicCAS(acc,old,__float_as_uint(x)); if(was==old) break; old=was; }'),
    ("g_fmax64", 'unsigned*p=acc+(v&63); unsigned old=*p; while(__uint_as_float(old)<x){ unsigned was=atomicCAS(p,old,__float_as_uint(x)); if(was==old) break; old=was; }'),
    ("g_ticket", 'if(t==0){ unsigned my=atomicAdd(&acc[0],1u); while(*(volatile unsigned*)&acc[32]!=my); __threadfence(); volatile float*p=out; p[0]=p[0]+x; __threadfence(); *(volatile unsigned*)&acc[32]=my+1; }'),
    ("g_stack", 'if(i<n){ unsigned*head=acc; unsigned*next=(unsigned*)out; unsigned old=*(volatile unsigned*)head; while(true){ next[i]=old; __threadfence(); unsigned was=atomicCAS(head,old,(unsigned)i+1u); if(was==old) break; old=was; } }'),
    ("g_list4096", 'if(i<n){ unsigned*head=acc+(v&4095); unsigned*next=(unsigned*)out; unsigned old=*(volatile unsigned*)head; while(true){ next[i]=old; __threadfence(); unsigned was=atomicCAS(head,old,(unsigned)i+1u); if(was==old) break; old=was; } }'),
    ("g_push", 'if(i<n && x>0.5f){ unsigned p=atomicAdd(acc,1u); out[p]=x; }'),
    ("g_exchlist", 'if(i<n){ unsigned*next=(unsigned*)out; unsigned old=atomicExch(acc+(v&4095),(unsigned)i+1u); next[i]=old; }'),
    ("s_flag", '__shared__ volatile int f; __shared__ float d[32]; if(t==0) f=0; __syncthreads(); for(int r=0;r<8;r++){ if(t<32){ d[t]=x+r; __threadfence_block(); if(t==0) f=r+1; } else { if((t&31)==0) while(f<=r); __syncwarp(); x+=d[t&31]; } __syncthreads(); } if(i<n) out[i]=x;'),
    ("s_named", '__shared__ float d[64]; for(int r=0;r<8;r++){ if(t<32){ d[t]=x+r; asm volatile("bar.arrive 1, 64;"); } else if(t<64) { asm volatile("bar.sync 1, 64;"); x+=d[t&31]; } __syncthreads(); } if(i<n) out[i]=x;'),
    ("s_ticket", '__shared__ unsigned tk; __shared__ volatile unsigned sv; __shared__ volatile float s; if(t==0){tk=0;sv=0;s=0;} __syncthreads(); for(int r=0;r<4;r++){ if((t&31)==0){ unsigned my=atomicAdd(&tk,1u); while(sv!=my); s=s+x; __threadfence_block(); sv=my+1; } __syncwarp(); } __syncthreads(); if(i<n) out[i]=s;'),
    ("s_sem", '__shared__ int sem; __shared__ volatile float s[32]; if(t==0) sem=2; if(t<32) s[t]=0; __syncthreads(); for(int r=0;r<4;r++){ if((t&31)==0){ while(true){ int c=*(volatile int*)&sem; if(c>0 && atomicCAS(&sem,c,c-1)==c) break; } s[t>>5]=s[t>>5]+x; __threadfence_block(); atomicAdd(&sem,1); } __syncwarp(); } __syncthreads(); if(i<n) out[i]=s[0];'),
    ("s_queue", '__shared__ unsigned q; __shared__ unsigned items[1024]; if(t==0) q=0; __syncthreads(); if(v&1){ unsigned p=atomicAdd(&q,1u); items[p&1023]=i; } __syncthreads(); unsigned c=q; for(unsigned j=t;j<c;j+=blockDim.x) x+=in[items[j]%n]; if(i<n) out[i]=x;'),
    ("s_steal", '__shared__ int next; if(t==0) next=0; __syncthreads(); int w; while(true){ if((t&31)==0) w=atomicAdd(&next,1); w=__shfl_sync(~0u,w,0); if(w>=32) break; for(int q=0;q<(w&7)*4;q++) x=x*0.99f+0.01f; } if(i<n) out[i]=x;'),
]


def kernel(name, body, arguments="const float* in, float* out, float* none, int n"):
    return f"""
extern "C" __global__ void {name}({arguments})
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (n < 0) none[0] = t;
    float x = in[i < n ? i : 0];
{body}
}}
"""


def head(sizes, kernels, argument=""):
    tables = "".join(f'[kernel.{name}]\nreference = "{name}"\n' for name, *_ in kernels)
    return f"""/* warpscope
sizes = "{sizes}"
block = 256
grid = "ceil(n / block)"
args = ["in: f32[n] uniform", "out: f32[n] zeros", {argument}"none: f32[1] zeros", "n: i32 = n"]
output = "none"
{tables}*/"""


def in_shared_memory():
    print(head("16896, 135168, 304128", TURNS + ONCE))
    for name, rounds, word, lanes, body in TURNS:
        lanes = "if ((t & 31) == 0)" if lanes == "first" else ""
        print(kernel(name, f"""    unsigned v = i * 2654435761u + 12345u;
    __shared__ unsigned lock[64];
    __shared__ float total[64];
    for (int j = t; j < 64; j += blockDim.x) {{ lock[j] = 0; total[j] = 0; }}
    __syncthreads();
    volatile float* p = total;
    #pragma unroll 1
    for (int r = 0; r < {rounds}; r++) {{
    {lanes} {{ int q = {word}; {body} }}
    __syncwarp(); v = v * 1664525u + 1013904223u; }}
    __syncthreads();
    if (i < n) out[i] = x + p[0] + (float)v;"""))
    for name, before, body in ONCE:
        print(kernel(name, f"    {before}\n    __syncthreads();\n    {body}\n    __syncthreads();\n    if (t == 0) out[blockIdx.x] += x;"))


def in_global_memory():
    print(head("16896, 270336", GLOBAL, '"acc: u32[4096] zeros", '))
    for name, body in GLOBAL:
        mixed = "unsigned v = i * 2654435761u + 12345u; v ^= v >> 15; v *= 0x85ebca6bu; v ^= v >> 13;"
        arguments = "const float* in, float* out, unsigned* acc, float* none, int n"
        print(kernel(name, f"    {mixed}\n    {body}", arguments))


if __name__ == "__main__":
    kinds = {"shared": in_shared_memory, "global": in_global_memory}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit("which kernels: shared or global")
    kinds[sys.argv[1]]()
