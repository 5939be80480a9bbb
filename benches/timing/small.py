#!/usr/bin/env python3
"""Small kernels of one thing each, to find what the timing model has wrong: instructions, functions,
exchanges, atomics, loads, shapes of a launch.

    python3 benches/timing/small.py loops > loops.cu
    python3 benches/timing/small.py once > once.cu
    warpscope sweep loops.cu --variant all --no-check --backend cuda -o loops.jsonl

prints their sources. benches/data/h200/small.csv has what they took on an H200, and what the model
gave after it was mended by them: they are no test of it. Each kernel of the first kind does its work so many times in a loop,
where each time waits for the one before: with `x`, a float, `v`, a word, `d`, a double, or `w`, a word of 64 bits.
"""

import sys

# Name, rounds, what comes before the loop, a round.
LOOPS = [
    ("sincos", 16, "", "float s,c; sincosf(x*3.0f,&s,&c); x = s*0.5f+c;"),
    ("sincos_large", 8, "", "float s,c; sincosf(x*1e6f,&s,&c); x = s*0.5f+c;"),
    ("powf", 16, "", "x = powf(x+1.0f,1.37f)*0.5f;"),
    ("expf_logf", 16, "", "x = logf(expf(x)+1.0f);"),
    ("tanhf", 16, "", "x = tanhf(x)+0.3f;"),
    ("erff", 16, "", "x = erff(x)+0.3f;"),
    ("cbrtf", 16, "", "x = cbrtf(x+1.0f);"),
    ("fmodf", 8, "", "x = fmodf(x*7.3f+1.0f,1.7f);"),
    ("atan2f", 16, "", "x = atan2f(x,0.7f)+0.1f;"),
    ("lgammaf", 4, "", "x = lgammaf(x+1.5f)*0.1f+0.5f;"),
    ("normcdf", 8, "", "x = normcdff(x);"),
    ("exp_d", 8, "", "d = exp(d)*0.25;"),
    ("log_d", 8, "", "d = log(d+1.5)+0.1;"),
    ("sin_d", 8, "", "d = sin(d)+0.2;"),
    ("pow_d", 4, "", "d = pow(d+1.0,0.7)*0.5;"),
    ("sqrt_div_d", 8, "", "d = sqrt(d+1.0)/(d+2.0);"),
    ("fma_d", 32, "", "d = d*0.999+0.001; d = d*1.001-0.0005;"),
    ("div_u32", 16, "", "v = v/(unsigned)(n|3) + v%97u + 12345u;"),
    ("div_u64", 8, "", "w = w/(unsigned long long)(n|3) + 0x123456789abcull;"),
    ("mod_u64", 8, "", "w = w%0xfffffffbull*48271ull;"),
    ("mul_u64", 16, "", "w = w*6364136223846793005ull+1442695040888963407ull; w ^= w>>29;"),
    ("umulhi", 32, "", "v = __umulhi(v,0x9E3779B9u)^v*747796405u;"),
    ("brev_popc", 32, "", "v = __brev(v)+__popc(v)*7u+__clz(v);"),
    ("prmt_funnel", 32, "", "v = __byte_perm(v,v+1,0x2103)^__funnelshift_l(v,v>>3,7);"),
    ("dp4a", 32, "", "v = __dp4a((int)v,(int)0x01020304,(int)v);"),
    ("vadd4", 16, "", "v = __vaddus4(v,0x01030507u)^__vabsdiffu4(v,0x80706050u);"),
    ("shfl_xor", 16, "", "x += __shfl_xor_sync(~0u,x,1); x += __shfl_xor_sync(~0u,x,2)*0.1f; x*=0.3f;"),
    ("shfl_reduce_f", 8, "", "float y=x; for(int o=16;o;o>>=1) y+=__shfl_down_sync(~0u,y,o); x=x*0.5f+y*0.01f;"),
    ("redux", 16, "", "v += __reduce_add_sync(~0u,v&255)*3u;"),
    ("match_any", 8, "", "v += __match_any_sync(~0u,v&7)*3u+1u;"),
    ("ballot", 32, "", "v = v*1664525u+__ballot_sync(~0u,v&64);"),
    ("vote_branch", 16, "", "if(__any_sync(~0u,(v&1023)==7)) v=v*3u+1u; else v=v*5u+3u;"),
    ("diverge4", 8, "", "switch(v&3){case 0:v=v*3u+1u;x=sinf(x);break;case 1:v=v*5u+3u;x=expf(-x);break;case 2:v=v*7u+5u;x=sqrtf(x+1.0f);break;default:v=v*9u+7u;x=x*x+0.1f;}"),
    ("local_dyn", 32, "float a[32];for(int k=0;k<32;k++)a[k]=x+k;", "a[v&31]+=x; x=a[(v>>5)&31]*0.01f; v=v*1664525u+1013904223u;"),
    ("local_small", 32, "float a[4]={x,x+1,x+2,x+3};", "a[v&3]+=x; x=a[(v>>5)&3]*0.01f; v=v*1664525u+1013904223u;"),
    ("sh_f_used", 8, "__shared__ float s[64]; if(t<64)s[t]=0; __syncthreads();", "x = atomicAdd(&s[v&63],1.0f)*0.001f; v=v*1664525u+1013904223u;"),
    ("sh_u_used", 16, "__shared__ unsigned s[64]; if(t<64)s[t]=0; __syncthreads();", "v = v*1664525u+1013904223u+atomicAdd(&s[(v>>8)&63],1u);"),
    ("sh_u_one", 16, "__shared__ unsigned s; if(t==0)s=0; __syncthreads();", "v = v*1664525u+1013904223u+atomicAdd(&s,v&3);"),
    ("sh_min", 16, "__shared__ int s[64]; if(t<64)s[t]=1<<30; __syncthreads();", "atomicMin(&s[(v>>8)&63],(int)(v>>4)); v=v*1664525u+1013904223u;"),
    ("sh_u64_add", 8, "__shared__ unsigned long long s[64]; if(t<64)s[t]=0; __syncthreads();", "atomicAdd(&s[(v>>8)&63],(unsigned long long)v); v=v*1664525u+1013904223u;"),
    ("sh_u64_min", 8, "__shared__ unsigned long long s[64]; if(t<64)s[t]=~0ull; __syncthreads();", "atomicMin(&s[(v>>8)&63],(unsigned long long)v); v=v*1664525u+1013904223u;"),
    ("sh_d_add", 8, "__shared__ double s[64]; if(t<64)s[t]=0; __syncthreads();", "atomicAdd(&s[(v>>8)&63],(double)(v&255)); v=v*1664525u+1013904223u;"),
    ("sh_f_max_cas", 8, "__shared__ int s[64]; if(t<64)s[t]=0; __syncthreads();", "int old=s[(v>>8)&63]; float f=(v>>4)*1e-9f; while(__int_as_float(old)<f){int was=atomicCAS(&s[(v>>8)&63],old,__float_as_int(f)); if(was==old)break; old=was;} v=v*1664525u+1013904223u;"),
    ("sh_lock", 4, "__shared__ unsigned lock; __shared__ float total; if(t==0){lock=0;total=0;} __syncthreads();", "if((t&31)==0){ while(atomicCAS(&lock,0u,1u)!=0u); volatile float*p=&total; *p=*p+x; __threadfence_block(); atomicExch(&lock,0u);} __syncwarp();"),
    ("sh_scan", 2, "__shared__ float s[1024];", "s[t]=x; __syncthreads(); for(int o=1;o<blockDim.x;o<<=1){float y=t>=o?s[t-o]:0; __syncthreads(); s[t]+=y; __syncthreads();} x=s[t]*0.01f; __syncthreads();"),
    ("sh_tree", 4, "__shared__ float s[1024];", "s[t]=x; __syncthreads(); for(int o=blockDim.x/2;o;o>>=1){ if(t<o) s[t]+=s[t+o]; __syncthreads();} x=x*0.5f+s[0]*0.01f; __syncthreads();"),
    ("sh_conflict", 2, "__shared__ float s[32*33];", "for(int k=t;k<1024;k+=blockDim.x)s[k]=x; __syncthreads(); float y=0; for(int k=0;k<32;k++) y+=s[(t&31)*32+k]; x=y*0.01f; __syncthreads();"),
    ("gl_f_add64", 2, "", "atomicAdd(&acc[(v>>8)&63],x); v=v*1664525u+1013904223u;"),
    ("gl_f_add4096", 2, "", "atomicAdd(&acc[(v>>8)&4095],x); v=v*1664525u+1013904223u;"),
    ("gl_f_max_cas", 2, "", "int*p=(int*)&acc[(v>>8)&4095]; int old=*p; float f=(v>>4)*1e-9f; while(__int_as_float(old)<f){int was=atomicCAS(p,old,__float_as_int(f)); if(was==old)break; old=was;} v=v*1664525u+1013904223u;"),
    ("gl_d_add", 2, "", "atomicAdd(&((double*)acc)[(v>>8)&1023],(double)x); v=v*1664525u+1013904223u;"),
    ("gl_max_u64", 2, "", "atomicMax(&((unsigned long long*)acc)[(v>>8)&1023],(unsigned long long)v); v=v*1664525u+1013904223u;"),
    ("gl_used", 2, "", "v = v*1664525u+1013904223u+atomicAdd(&((unsigned*)acc)[(v>>8)&4095],1u);"),
    ("chase", 8, "", "v = ((const unsigned*)in)[v%(unsigned)n]*2654435761u;"),
    ("gather_ldg", 8, "", "x += __ldg(&in[(v>>6)%(unsigned)n]); v=v*1664525u+1013904223u;"),
    ("volatile_ld", 8, "", "x += ((volatile const float*)in)[(i+v%32u)%(unsigned)n]; v++;"),
    ("recurse", 4, "", "x = rec(6,x);"),
    ("noinline", 16, "", "x = callee(x,v); v++;"),
    ("fnptr", 16, "float(*f)(float,unsigned)= (n&1)?callee:callee2;", "x = f(x,v); v++;"),
    ("const_div", 16, "", "x += table[(v>>3)&63]; v=v*1664525u+1013904223u;"),
    ("const_uni", 32, "", "x = x*table[k&63]+0.1f;"),
    ("regs", 16, "float r[40];for(int q=0;q<40;q++)r[q]=x*q;", "for(int q=0;q<39;q++) r[q]=r[q]*0.99f+r[q+1]; r[39]=r[0]; if(k==15) for(int q=0;q<40;q++) x+=r[q]*1e-3f;"),
    ("nanosleep", 4, "", "__nanosleep(100); v++;"),
    ("clock", 16, "", "v += (unsigned)clock64()&0u; v++;"),
    ("q_sh1", 16, "__shared__ unsigned s; if(t==0)s=0; __syncthreads();", "v = v*1664525u+1013904223u+atomicAdd(&s,1u);"),
    ("q_sh1c", 16, "__shared__ unsigned s; if(t==0)s=0; __syncthreads();", "if(v&4096) v = v*1664525u+1013904223u+atomicAdd(&s,1u); else v=v*3u+1u;"),
    ("q_shv", 16, "__shared__ unsigned s; if(t==0)s=0; __syncthreads();", "v = v*1664525u+1013904223u+atomicAdd(&s,v&3);"),
    ("q_shv_part", 16, "__shared__ unsigned s; if(t==0)s=0; __syncthreads();", "if(v&4096) v = v*1664525u+1013904223u+atomicAdd(&s,v&3); else v=v*3u+1u;"),
    ("q_gl1", 1, "", "v = v*1664525u+1013904223u+atomicAdd((unsigned*)acc,1u);"),
    ("q_gl1c", 2, "", "if(v&4096) v = v*1664525u+1013904223u+atomicAdd((unsigned*)acc,1u); else v=v*3u+1u;"),
    ("q_append", 1, "", "if(v&4096){ unsigned p=atomicAdd((unsigned*)acc,1u); if(p<n) out[p]=x; }"),
    ("sh_unused_v", 16, "__shared__ unsigned s; if(t==0)s=0; __syncthreads();", "atomicAdd(&s,v&3); v=v*1664525u+1013904223u;"),
    ("sh_unused_f1", 4, "__shared__ float s; if(t==0)s=0; __syncthreads();", "atomicAdd(&s,x); x*=0.99f;"),
    ("sh_max1", 16, "__shared__ int s; if(t==0)s=0; __syncthreads();", "atomicMax(&s,(int)(v>>1)); v=v*1664525u+1013904223u;"),
    ("sh_or", 16, "__shared__ unsigned s[32]; if(t<32)s[t]=0; __syncthreads();", "atomicOr(&s[(v>>8)&31],1u<<(v&31)); v=v*1664525u+1013904223u;"),
    ("sh_exch", 16, "__shared__ unsigned s[256]; if(t<256)s[t]=0; __syncthreads();", "v+=atomicExch(&s[(v>>8)&255],v); v=v*1664525u+1013904223u;"),
    ("sh_cas_used", 16, "__shared__ unsigned s[256]; if(t<256)s[t]=0; __syncthreads();", "v+=atomicCAS(&s[(v>>8)&255],0u,v); v=v*1664525u+1013904223u;"),
    ("sh_hist256", 16, "__shared__ unsigned s[256]; if(t<256)s[t]=0; __syncthreads();", "atomicAdd(&s[(v>>8)&255],1u); v=v*1664525u+1013904223u;"),
    ("sh_wsum", 16, "__shared__ float s[256]; if(t<256)s[t]=0; __syncthreads();", "atomicAdd(&s[(v>>8)&255],x); v=v*1664525u+1013904223u;"),
    ("gl_f1", 1, "", "atomicAdd(acc,x);"),
    ("gl_f8", 1, "", "atomicAdd(&acc[(v>>8)&7],x); v=v*1664525u+1013904223u;"),
    ("gl_f64", 1, "", "atomicAdd(&acc[(v>>8)&63],x); v=v*1664525u+1013904223u;"),
    ("gl_f512", 1, "", "atomicAdd(&acc[(v>>8)&511],x); v=v*1664525u+1013904223u;"),
    ("gl_f4096", 1, "", "atomicAdd(&acc[(v>>8)&4095],x); v=v*1664525u+1013904223u;"),
    ("gl_f_lane", 1, "", "atomicAdd(&acc[t&31],x);"),
    ("gl_f_block", 1, "", "atomicAdd(&acc[t],x);"),
    ("gl_u64p", 1, "", "atomicAdd(&((unsigned*)acc)[(v>>8)&63],v); v=v*1664525u+1013904223u;"),
    ("gl_u4096", 1, "", "atomicAdd(&((unsigned*)acc)[(v>>8)&4095],v); v=v*1664525u+1013904223u;"),
    ("gl_f_used", 2, "", "x+=atomicAdd(&acc[(v>>8)&4095],x)*1e-9f; v=v*1664525u+1013904223u;"),
    ("gl_f_row_n", 1, "", "atomicAdd(&out[(i*33)%n],x);"),
    ("match2", 16, "", "v += __match_any_sync(~0u,v&1)*3u+1u;"),
    ("match32", 16, "", "v += __match_any_sync(~0u,(v>>5)&31)*3u+1u;"),
    ("match_full", 16, "", "v += __match_any_sync(~0u,v)*3u+1u;"),
    ("match_same", 16, "", "v += __match_any_sync(~0u,k)*3u+1u;"),
    ("match64", 16, "", "w += __match_any_sync(~0u,w&7)*3ull+1u;"),
    ("match_all", 16, "", "int p; v += __match_all_sync(~0u,v&1,&p)*3u+p;"),
    ("shfl_idx", 16, "", "v += __shfl_sync(~0u,v,v&31);"),
    ("wscan", 8, "", "float y=x; for(int o=1;o<32;o<<=1){float z=__shfl_up_sync(~0u,y,o); if((t&31)>=o) y+=z;} x=y*0.03f;"),
    ("ilp4", 32, "float a=x,b=x+1,c=x+2,e=x+3;", "a=a*0.9f+x;b=b*0.8f+x;c=c*0.7f+x;e=e*0.6f+x; if(k==31)x=a+b+c+e;"),
    ("ilp8d", 32, "double a=d,b=d+1,c=d+2,e=d+3;", "a=a*0.9+x;b=b*0.8+x;c=c*0.7+x;e=e*0.6+x; if(k==31)d=a+b+c+e;"),
    ("collatz", 1, "", "unsigned q=(v>>12)|1; int c=0; while(q!=1&&c<200){ q=(q&1)?q*3+1:q>>1; c++; } v+=c;"),
    ("trip", 4, "", "for(unsigned q=0;q<(v>>27);q++) x=x*0.99f+0.01f; v=v*1664525u+1013904223u;"),
    ("sinf_fast", 16, "", "x=__sinf(x)+__expf(-x)*0.5f;"),
    ("div_fast", 16, "", "x=__fdividef(x+1.0f,x+2.0f);"),
    ("div_f", 16, "", "x=(x+1.0f)/(x+2.0f);"),
    ("rsqrt", 16, "", "x=rsqrtf(x+1.0f);"),
    ("sqrt_f", 16, "", "x=sqrtf(x+1.0f);"),
    ("cvt", 16, "", "v=(unsigned)(x*1000.0f)+v; x=(float)(v&1023)*0.001f;"),
    ("cvt_d", 16, "", "d=(double)(int)(d*1000.0)*0.0011;"),
    ("div_d", 8, "", "d=(d+1.0)/(d+2.0);"),
    ("sqrt_d", 8, "", "d=sqrt(d+1.0);"),
    ("fmod_d", 4, "", "d=fmod(d*7.3+1.0,1.7);"),
    ("sh_bcast", 64, "__shared__ float s[256]; s[t]=x; __syncthreads();", "x+=s[k*4]*0.01f;"),
    ("sh_f4", 16, "__shared__ float4 s[256]; s[t]=make_float4(x,x,x,x); __syncthreads();", "float4 y=s[(t+k)&255]; x+=(y.x+y.y+y.z+y.w)*0.01f;"),
    ("sh_s2", 32, "__shared__ float s[2048]; for(int q=t;q<2048;q+=256)s[q]=x; __syncthreads();", "x+=s[(t*2+k*32)&2047]*0.01f;"),
    ("sh_s8", 32, "__shared__ float s[2048]; for(int q=t;q<2048;q+=256)s[q]=x; __syncthreads();", "x+=s[(t*8+k)&2047]*0.01f;"),
    ("sh_rand", 32, "__shared__ float s[2048]; for(int q=t;q<2048;q+=256)s[q]=x; __syncthreads();", "x+=s[(v>>8)&2047]*0.01f; v=v*1664525u+1013904223u;"),
    ("l1_row", 32, "", "x+=in[(t+k*32)&1023]*0.01f;"),
    ("l1_bcast", 64, "", "x+=in[k]*0.01f;"),
    ("l1_rand", 32, "", "x+=in[(v>>8)&1023]*0.01f; v=v*1664525u+1013904223u;"),
    ("ld_str2", 8, "", "x+=in[(i*2+k*64)%n];"),
    ("ld_str32", 8, "", "x+=in[(i*32+k)%n];"),
    ("ld_cg", 8, "", "x+=__ldcg(&in[(i+k*4096)%n]);"),
    ("ld_vol_row", 8, "", "x+=((volatile const float*)in)[(i+k*32)%n];"),
    ("ld_vol_rand", 8, "", "x+=((volatile const float*)in)[(v>>6)%n]; v=v*1664525u+1013904223u;"),
    ("st_str2", 4, "", "out[(i*2+k)%n]=x;"),
    ("st_byte", 4, "", "((unsigned char*)out)[i+k]=(unsigned char)v; v=v*1664525u+1013904223u;"),
    ("copy4", 1, "", "if((i&3)==0){ float4 y=*(const float4*)&in[i]; *(float4*)&out[i]=y; }"),
    ("sincos_m", 8, "", "float s,c; sincosf(x*3000.0f,&s,&c); x = s*0.5f+c;"),
    ("sinf_l", 8, "", "x = sinf(x*1e6f);"),
    ("sin_l_d", 4, "", "d = sin(d*1e9);"),
    ("rec_d", 4, "", "x = rec((v>>29)+1,x); v=v*1664525u+1013904223u;"),
    ("m32_1", 64, "unsigned key=(t&31)%1,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m32_2", 64, "unsigned key=(t&31)%2,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m32_3", 64, "unsigned key=(t&31)%3,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m32_4", 64, "unsigned key=(t&31)%4,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m32_8", 64, "unsigned key=(t&31)%8,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m32_16", 64, "unsigned key=(t&31)%16,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m32_32", 64, "unsigned key=(t&31)%32,m;", 'asm volatile("match.any.sync.b32 %0,%1,%2;":"=r"(m):"r"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m64_1", 64, "unsigned long long key=(t&31)%1; unsigned m;", 'asm volatile("match.any.sync.b64 %0,%1,%2;":"=r"(m):"l"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m64_2", 64, "unsigned long long key=(t&31)%2; unsigned m;", 'asm volatile("match.any.sync.b64 %0,%1,%2;":"=r"(m):"l"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m64_8", 64, "unsigned long long key=(t&31)%8; unsigned m;", 'asm volatile("match.any.sync.b64 %0,%1,%2;":"=r"(m):"l"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("m64_32", 64, "unsigned long long key=(t&31)%32; unsigned m;", 'asm volatile("match.any.sync.b64 %0,%1,%2;":"=r"(m):"l"(key),"r"(~0u)); key+=(m==0); v+=m;'),
    ("c_s64_f64", 64, "long long q=v;", 'asm volatile("cvt.rn.f64.s64 %0,%1;":"=d"(d):"l"(q)); q=__double_as_longlong(d)>>3;'),
    ("c_f64_s64", 64, "long long q=v;", 'asm volatile("cvt.rzi.s64.f64 %0,%1;":"=l"(q):"d"(d)); d=__longlong_as_double(q^0x3ff0000000000000ll);'),
    ("c_f64_f32", 64, "", 'asm volatile("cvt.rn.f32.f64 %0,%1;":"=f"(x):"d"(d)); d=__hiloint2double(__float_as_int(x),5);'),
    ("c_f32_f64", 64, "", 'asm volatile("cvt.f64.f32 %0,%1;":"=d"(d):"f"(x)); x=__int_as_float(__double2hiint(d));'),
    ("c_s32_f64", 64, "int q=v;", 'asm volatile("cvt.rn.f64.s32 %0,%1;":"=d"(d):"r"(q)); q=__double2hiint(d);'),
    ("c_f64_s32", 64, "int q=v;", 'asm volatile("cvt.rzi.s32.f64 %0,%1;":"=r"(q):"d"(d)); d=__hiloint2double(q,5);'),
    ("c_s64_f32", 64, "long long q=v;", 'asm volatile("cvt.rn.f32.s64 %0,%1;":"=f"(x):"l"(q)); q=__float_as_int(x);'),
    ("c_f32_s64", 64, "long long q=v;", 'asm volatile("cvt.rzi.s64.f32 %0,%1;":"=l"(q):"f"(x)); x=__int_as_float((int)q);'),
    ("c_s32_f32", 64, "int q=v;", 'asm volatile("cvt.rn.f32.s32 %0,%1;":"=f"(x):"r"(q)); q=__float_as_int(x);'),
    ("c_f32_s32", 64, "int q=v;", 'asm volatile("cvt.rzi.s32.f32 %0,%1;":"=r"(q):"f"(x)); x=__int_as_float(q);'),
    ("c_f32_f16", 64, "unsigned short q=v;", 'asm volatile("cvt.rn.f16.f32 %0,%1;":"=h"(q):"f"(x)); x=__int_as_float(q);'),
    ("c_rint", 64, "", 'asm volatile("cvt.rni.f32.f32 %0,%0;":"+f"(x)); x+=0.25f;'),
    ("c_rint_d", 64, "", 'asm volatile("cvt.rni.f64.f64 %0,%0;":"+d"(d)); d+=0.25;'),
    ("mulwide", 64, "unsigned long long q=v;", 'asm volatile("mul.wide.u32 %0,%1,%2;":"=l"(q):"r"((unsigned)q),"r"(v));'),
    ("madwide", 64, "unsigned long long q=v;", 'asm volatile("mad.wide.u32 %0,%1,%2,%0;":"+l"(q):"r"((unsigned)q),"r"(v));'),
    ("addc", 64, "unsigned a=v,b=v;", 'asm volatile("add.cc.u32 %0,%0,%2; addc.u32 %1,%1,%2;":"+r"(a),"+r"(b):"r"(v));'),
    ("selp", 64, "", "v = (v&(1u<<(k&31)))? v*3u : v+7u;"),
    ("dmul", 64, "", 'asm volatile("mul.rn.f64 %0,%0,%1;":"+d"(d):"d"(1.0000001));'),
    ("ex2", 64, "", 'asm volatile("ex2.approx.ftz.f32 %0,%0;":"+f"(x));'),
    ("bar", 32, "", "__syncthreads(); v++;"),
    ("syncwarp", 64, "", "__syncwarp(); v++;"),
    ("fence", 8, "", "out[i]=x; __threadfence(); v++;"),
    ("ldglob4", 8, "", "if(i*4<n){ float4 y=((const float4*)in)[(i+k*128)&(n/4-1)]; x+=y.x+y.y+y.z+y.w; }"),
    ("sh_f2", 32, "__shared__ float2 s[256]; s[t]=make_float2(x,x); __syncthreads();", "float2 y=s[(t+k)&255]; x+=(y.x+y.y)*0.01f;"),
    ("sh_d", 32, "__shared__ double s[256]; s[t]=d; __syncthreads();", "d+=s[(t+k)&255]*0.01;"),
    ("sh_st", 32, "__shared__ float s[256];", "s[(t+k)&255]=x; __syncwarp(); x=s[t]*0.9f; __syncwarp();"),
    ("ldcg_chain", 16, "", "v=__ldcg(&((const unsigned*)in)[v%(unsigned)n])+k;"),
]

# Name, threads of a block, blocks, bytes of dynamic shared memory, what is declared, what is done, what is
# stored, whether threads from n on return.
ONCE = [
    ("fma_b32", 32, "ceil(n / 32)", 0, "", "for(int q=0;q<64;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("copy_b32", 32, "ceil(n / 32)", 0, "", "", "out[i]=x;", True),
    ("bar_b32", 32, "ceil(n / 32)", 0, "", "for(int q=0;q<16;q++){ x=x*0.9f+0.1f; __syncthreads(); }", "out[i]=x;", True),
    ("fma_b64", 64, "ceil(n / 64)", 0, "", "for(int q=0;q<64;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("copy_b64", 64, "ceil(n / 64)", 0, "", "", "out[i]=x;", True),
    ("bar_b64", 64, "ceil(n / 64)", 0, "", "for(int q=0;q<16;q++){ x=x*0.9f+0.1f; __syncthreads(); }", "out[i]=x;", True),
    ("fma_b128", 128, "ceil(n / 128)", 0, "", "for(int q=0;q<64;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("copy_b128", 128, "ceil(n / 128)", 0, "", "", "out[i]=x;", True),
    ("bar_b128", 128, "ceil(n / 128)", 0, "", "for(int q=0;q<16;q++){ x=x*0.9f+0.1f; __syncthreads(); }", "out[i]=x;", True),
    ("fma_b512", 512, "ceil(n / 512)", 0, "", "for(int q=0;q<64;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("copy_b512", 512, "ceil(n / 512)", 0, "", "", "out[i]=x;", True),
    ("bar_b512", 512, "ceil(n / 512)", 0, "", "for(int q=0;q<16;q++){ x=x*0.9f+0.1f; __syncthreads(); }", "out[i]=x;", True),
    ("fma_b1024", 1024, "ceil(n / 1024)", 0, "", "for(int q=0;q<64;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("copy_b1024", 1024, "ceil(n / 1024)", 0, "", "", "out[i]=x;", True),
    ("bar_b1024", 1024, "ceil(n / 1024)", 0, "", "for(int q=0;q<16;q++){ x=x*0.9f+0.1f; __syncthreads(); }", "out[i]=x;", True),
    ("stride_g1", 256, "1", 0, "", "", "for(int j=i;j<n;j+=gridDim.x*blockDim.x) out[j]=in[j]*2.0f;", False),
    ("strsum_g1", 256, "1", 0, "", "float s=0; for(int j=i;j<n;j+=gridDim.x*blockDim.x) s+=in[j]; x=s;", "if(i<n) out[i]=x;", False),
    ("stride_g33", 256, "33", 0, "", "", "for(int j=i;j<n;j+=gridDim.x*blockDim.x) out[j]=in[j]*2.0f;", False),
    ("strsum_g33", 256, "33", 0, "", "float s=0; for(int j=i;j<n;j+=gridDim.x*blockDim.x) s+=in[j]; x=s;", "if(i<n) out[i]=x;", False),
    ("stride_g132", 256, "132", 0, "", "", "for(int j=i;j<n;j+=gridDim.x*blockDim.x) out[j]=in[j]*2.0f;", False),
    ("strsum_g132", 256, "132", 0, "", "float s=0; for(int j=i;j<n;j+=gridDim.x*blockDim.x) s+=in[j]; x=s;", "if(i<n) out[i]=x;", False),
    ("stride_g133", 256, "133", 0, "", "", "for(int j=i;j<n;j+=gridDim.x*blockDim.x) out[j]=in[j]*2.0f;", False),
    ("strsum_g133", 256, "133", 0, "", "float s=0; for(int j=i;j<n;j+=gridDim.x*blockDim.x) s+=in[j]; x=s;", "if(i<n) out[i]=x;", False),
    ("stride_g264", 256, "264", 0, "", "", "for(int j=i;j<n;j+=gridDim.x*blockDim.x) out[j]=in[j]*2.0f;", False),
    ("strsum_g264", 256, "264", 0, "", "float s=0; for(int j=i;j<n;j+=gridDim.x*blockDim.x) s+=in[j]; x=s;", "if(i<n) out[i]=x;", False),
    ("stride_g1056", 256, "1056", 0, "", "", "for(int j=i;j<n;j+=gridDim.x*blockDim.x) out[j]=in[j]*2.0f;", False),
    ("strsum_g1056", 256, "1056", 0, "", "float s=0; for(int j=i;j<n;j+=gridDim.x*blockDim.x) s+=in[j]; x=s;", "if(i<n) out[i]=x;", False),
    ("smem16", 256, "ceil(n / 256)", 16384, "extern __shared__ float s[];", "s[threadIdx.x]=x; __syncthreads(); for(int q=0;q<32;q++) x=x*0.9f+s[(threadIdx.x+q)&255];", "out[i]=x;", True),
    ("smem48", 256, "ceil(n / 256)", 49152, "extern __shared__ float s[];", "s[threadIdx.x]=x; __syncthreads(); for(int q=0;q<32;q++) x=x*0.9f+s[(threadIdx.x+q)&255];", "out[i]=x;", True),
    ("smem100", 256, "ceil(n / 256)", 102400, "extern __shared__ float s[];", "s[threadIdx.x]=x; __syncthreads(); for(int q=0;q<32;q++) x=x*0.9f+s[(threadIdx.x+q)&255];", "out[i]=x;", True),
    ("smem200", 256, "ceil(n / 256)", 204800, "extern __shared__ float s[];", "s[threadIdx.x]=x; __syncthreads(); for(int q=0;q<32;q++) x=x*0.9f+s[(threadIdx.x+q)&255];", "out[i]=x;", True),
    ("exit_most", 256, "ceil(n / 256)", 0, "", "if((i&1023)!=5) return; for(int q=0;q<200;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("exit_blocks", 256, "ceil(n / 256)", 0, "", "if(blockIdx.x%16) return; for(int q=0;q<400;q++) x=sinf(x)+0.1f;", "out[i]=x;", True),
    ("uneven_blocks", 256, "ceil(n / 256)", 0, "", "for(int q=0;q<(int)(blockIdx.x%7)*40;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("uneven_warps", 256, "ceil(n / 256)", 0, "", "for(int q=0;q<(int)(threadIdx.x/32)*40;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("long_one", 256, "ceil(n / 256)", 0, "", "int m=blockIdx.x==0?4000:40; for(int q=0;q<m;q++) x=x*0.999f+0.001f;", "out[i]=x;", True),
    ("half2", 256, "ceil(n / 256)", 0, "", "__half2 h=__float2half2_rn(x); for(int q=0;q<64;q++) h=__hfma2(h,h,h); x=__low2float(h);", "out[i]=x;", True),
    ("half_scalar", 256, "ceil(n / 256)", 0, "", "__half h=__float2half(x); for(int q=0;q<64;q++) h=__hfma(h,h,h); x=__half2float(h);", "out[i]=x;", True),
    ("bf162", 256, "ceil(n / 256)", 0, "", "__nv_bfloat162 h=__float2bfloat162_rn(x); for(int q=0;q<64;q++) h=__hfma2(h,h,h); x=__low2float(h);", "out[i]=x;", True),
    ("hexp", 256, "ceil(n / 256)", 0, "", "__half2 h=__float2half2_rn(x); for(int q=0;q<16;q++) h=h2exp(h); x=__low2float(h);", "out[i]=x;", True),
    ("hdiv", 256, "ceil(n / 256)", 0, "", "__half2 h=__float2half2_rn(x+1.f); for(int q=0;q<8;q++) h=__h2div(h,__hadd2(h,h)); x=__low2float(h);", "out[i]=x;", True),
    ("half_load", 256, "ceil(n / 256)", 0, "", "const __half2*hp=(const __half2*)in; float s=0; for(int q=0;q<4;q++){ float2 f=__half22float2(hp[(i+q*1024)%n]); s+=f.x+f.y;} x=s;", "out[i]=x;", True),
    ("half2_atomic", 256, "ceil(n / 256)", 0, "", "atomicAdd(&((__half2*)acc)[i&1023],__float2half2_rn(x));", "out[i]=x;", True),
    ("half2_sh_atomic", 256, "ceil(n / 256)", 0, "__shared__ __half2 s[64];", "if(threadIdx.x<64) s[threadIdx.x]=__float2half2_rn(0.f); __syncthreads(); for(int q=0;q<4;q++) atomicAdd(&s[(i*7+q*5)&63],__float2half2_rn(x)); __syncthreads();", "out[i]=x;", True),
    ("tf32_mma", 256, "ceil(n / 256)", 0, "", 'float c[4]={0,0,0,0}; unsigned a=__float_as_uint(x); for(int q=0;q<32;q++) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(a)); x=c[0];', "out[i]=x;", True),
    ("f16_mma", 256, "ceil(n / 256)", 0, "", 'float c[4]={0,0,0,0}; unsigned a=__float_as_uint(x); for(int q=0;q<32;q++) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};":"+f"(c[0]),"+f"(c[1]),"+f"(c[2]),"+f"(c[3]):"r"(a)); x=c[0];', "out[i]=x;", True),
    ("s8_mma", 256, "ceil(n / 256)", 0, "", 'int c[4]={0,0,0,0}; unsigned a=__float_as_uint(x); for(int q=0;q<32;q++) asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%4,%4,%4},{%4,%4},{%0,%1,%2,%3};":"+r"(c[0]),"+r"(c[1]),"+r"(c[2]),"+r"(c[3]):"r"(a)); x=c[0];', "out[i]=x;", True),
    ("f64_mma", 256, "ceil(n / 256)", 0, "", 'double c[2]={0,0}; double a=x; for(int q=0;q<32;q++) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};":"+d"(c[0]),"+d"(c[1]):"d"(a)); x=c[0];', "out[i]=x;", True),
    ("ldmatrix", 256, "ceil(n / 256)", 0, "__shared__ __align__(16) float s[256];", 's[threadIdx.x]=x; __syncthreads(); unsigned r0,r1,r2,r3,sum=0; unsigned at=(unsigned)__cvta_generic_to_shared(s)+(threadIdx.x&31)*16; for(int q=0;q<16;q++){ asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(r0),"=r"(r1),"=r"(r2),"=r"(r3):"r"(at)); sum+=r0+r1+r2+r3; at^=(sum==77)*16; } x=sum;', "out[i]=x;", True),
    ("cpasync", 256, "ceil(n / 256)", 0, "__shared__ __align__(16) float s[1024];", 'unsigned at=(unsigned)__cvta_generic_to_shared(&s[threadIdx.x*4]); for(int q=0;q<8;q++){ asm volatile("cp.async.cg.shared.global [%0],[%1],16;"::"r"(at),"l"(&in[((i*4)+q*1024)%n])); asm volatile("cp.async.commit_group; cp.async.wait_group 0;"); __syncthreads(); x+=s[(threadIdx.x*5)&1023]; __syncthreads(); }', "out[i]=x;", True),
    ("cg_reduce", 256, "ceil(n / 256)", 0, "", "auto w=cg::tiled_partition<32>(cg::this_thread_block()); for(int q=0;q<8;q++) x=x*0.5f+cg::reduce(w,x,cg::plus<float>())*0.01f;", "out[i]=x;", True),
    ("cg_tile8", 256, "ceil(n / 256)", 0, "", "auto w=cg::tiled_partition<8>(cg::this_thread_block()); for(int q=0;q<8;q++) x=x*0.5f+cg::reduce(w,x,cg::plus<float>())*0.1f;", "out[i]=x;", True),
    ("cg_coal", 256, "ceil(n / 256)", 0, "", "if(i&1){ auto g=cg::coalesced_threads(); for(int q=0;q<8;q++) x+=g.shfl(x,(g.thread_rank()+1)%g.size())*0.1f; }", "out[i]=x;", True),
    ("warp_agg", 256, "ceil(n / 256)", 0, "", "auto g=cg::coalesced_threads(); int p=0; if(g.thread_rank()==0) p=atomicAdd((int*)acc,(int)g.size()); p=g.shfl(p,0)+g.thread_rank(); x+=p&1;", "out[i]=x;", True),
    ("block_scan", 256, "ceil(n / 256)", 0, "__shared__ float s[32];", "int l=threadIdx.x&31,w=threadIdx.x>>5; for(int r=0;r<4;r++){ float y=x; for(int o=1;o<32;o<<=1){float z=__shfl_up_sync(~0u,y,o); if(l>=o)y+=z;} if(l==31)s[w]=y; __syncthreads(); if(w==0){ float z=l<8?s[l]:0; for(int o=1;o<8;o<<=1){float u=__shfl_up_sync(~0u,z,o); if(l>=o)z+=u;} if(l<8)s[l]=z; } __syncthreads(); x=(w?s[w-1]:0)*0.01f+y*0.02f; __syncthreads(); }", "out[i]=x;", True),
    ("aos16", 256, "ceil(n / 256)", 0, "", "const float4*p=(const float4*)in; x=p[(i*7)%(n/4)].y;", "out[i]=x;", True),
    ("double2", 256, "ceil(n / 256)", 0, "", "const double2*p=(const double2*)in; double2 q=p[i%(n/4)]; x=q.x+q.y;", "out[i]=x;", True),
    ("char4", 256, "ceil(n / 256)", 0, "", "const uchar4*p=(const uchar4*)in; uchar4 q=p[i]; x=q.x+q.y+q.z+q.w;", "out[i]=x;", True),
    ("byte_ld", 256, "ceil(n / 256)", 0, "", "const unsigned char*p=(const unsigned char*)in; unsigned s=0; for(int q=0;q<8;q++) s+=p[(i+q*33)]; x=s;", "out[i]=x;", True),
    ("transpose", 256, "ceil(n / 256)", 0, "__shared__ float s[16][16];", "s[threadIdx.x&15][threadIdx.x>>4]=x; __syncthreads(); x=s[threadIdx.x>>4][threadIdx.x&15];", "out[i]=x;", True),
    ("stencil", 256, "ceil(n / 256)", 0, "__shared__ float s[258];", "s[threadIdx.x+1]=x; if(threadIdx.x==0)s[0]=i?in[i-1]:0; if(threadIdx.x==255)s[257]=i+1<n?in[i+1]:0; __syncthreads(); x=(s[threadIdx.x]+s[threadIdx.x+1]+s[threadIdx.x+2])*0.33f;", "out[i]=x;", True),
    ("gstencil", 256, "ceil(n / 256)", 0, "", "x=(in[i?i-1:0]+in[i]+in[i+1<n?i+1:i])*0.33f;", "out[i]=x;", True),
    ("loop_ld", 256, "ceil(n / 256)", 0, "", "float s=0; for(int q=0;q<64;q++) s+=in[(i+q*997)%n]; x=s;", "out[i]=x;", True),
    ("bsearch", 256, "ceil(n / 256)", 0, "", "int lo=0,hi=n; while(lo<hi){int m=(lo+hi)/2; if(in[m]<x) lo=m+1; else hi=m;} x=lo;", "out[i]=x;", True),
    ("hash_ins", 256, "ceil(n / 256)", 0, "", "unsigned h=__float_as_uint(x)*2654435761u; for(int q=0;q<8;q++){ unsigned*p=(unsigned*)acc+((h>>20)+q)%4096; if(atomicCAS(p,0u,h)==0u) break; }", "out[i]=x;", True),
    ("launch_bound_reg", 256, "ceil(n / 256)", 0, "", "float r[64]; for(int q=0;q<64;q++) r[q]=x+q; for(int z=0;z<8;z++) for(int q=0;q<64;q++) r[q]=r[q]*r[(q+1)&63]+0.1f; for(int q=0;q<64;q++) x+=r[q];", "out[i]=x;", True),
    ("spill", 256, "ceil(n / 256)", 0, "", "float r[200]; for(int q=0;q<200;q++) r[q]=x+q; for(int z=0;z<4;z++) for(int q=0;q<200;q++) r[q]=r[q]*r[(q+7)%200]+0.1f; for(int q=0;q<200;q++) x+=r[q];", "out[i]=x;", True),
    ("gridsync_free", 256, "ceil(n / 256)", 0, "", "__threadfence(); x+=1;", "out[i]=x;", True),
    ("last_block", 256, "ceil(n / 256)", 0, "__shared__ float s[256]; __shared__ bool last;", "s[threadIdx.x]=x; __syncthreads(); for(int o=128;o;o>>=1){ if(threadIdx.x<o) s[threadIdx.x]+=s[threadIdx.x+o]; __syncthreads(); } if(threadIdx.x==0){ out[blockIdx.x]=s[0]; __threadfence(); last=atomicAdd((unsigned*)acc,1u)==gridDim.x-1; } __syncthreads(); if(last){ float t=0; for(int j=threadIdx.x;j<gridDim.x;j+=256) t+=out[j]; x=t; }", "if(x==77.f) out[n-1]=x;", True),
]

HEAD = """/* warpscope
sizes  = "%s"
block  = 256
grid   = "ceil(n / 256)"
args   = [
    "d_in: f32[n] uniform",
    "d_out: f32[n] zeros",
    "d_acc: f32[4096] zeros",
    "d_none: f32[1] zeros",
    "n: i32 = n",
]
output = "d_none"
%s"""


def kernel(name, body):
    arguments = "const float* in, float* out, float* acc, float* none, int n"
    return f"""
extern "C" __global__ void k_{name}({arguments})
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (n < 0) none[0] = t;
{body}
}}
"""


def loops():
    """Results may hang on the order of threads: what is compared is a buffer that nothing is stored to."""
    tables = "".join(f'[kernel.k_{name}]\nreference = "k_{name}"\n' for name, *_ in LOOPS)
    print(HEAD % ("2^5, 2^10, 2^15, 2^19", 'constants = ["table: f32[64] uniform"]\n' + tables + "*/"))
    print("""__constant__ float table[64];
__device__ __noinline__ float callee(float x, unsigned v) { return x * 0.9f + (float)(v & 7); }
__device__ __noinline__ float callee2(float x, unsigned v) { return x * 0.8f + (float)(v & 3); }
__device__ __noinline__ float rec(int depth, float x) { return depth == 0 ? x * 0.5f : rec(depth - 1, x * 0.9f) + 0.01f; }""")
    for name, rounds, before, body in LOOPS:
        print(kernel(name, f"""    if (i >= n) return;
    float x = in[i];
    unsigned v = __float_as_uint(x) * 2654435761u + i;
    double d = x;
    unsigned long long w = ((unsigned long long)v << 32) + i;
    {before}
    #pragma unroll 1
    for (int k = 0; k < {rounds}; k++) {{ {body} }}
    out[i] = x + (float)v + (float)d + (float)w;"""))


def once():
    tables = ""
    for name, block, grid, shared, *_ in ONCE:
        tables += f'[kernel.k_{name}]\nreference = "k_{name}"\nblock = {block}\ngrid = "{grid}"\n'
        tables += f'shared = "{shared}"\n' if shared else ""
    print(HEAD % ("2^10, 2^16, 2^20", tables + "*/"))
    print("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>")
    print("#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;")
    for name, _, _, _, before, body, after, guard in ONCE:
        leaves = "if (i >= n) return;" if guard else ""
        print(kernel(name, f"    {before}\n    float x = in[i % n];\n    {leaves}\n    {body}\n    {after}"))


if __name__ == "__main__":
    kinds = {"loops": loops, "once": once}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit("which kernels: loops or once")
    kinds[sys.argv[1]]()
