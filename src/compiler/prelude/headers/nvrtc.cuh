
#line 1 "warpscope.cuh"
// What the headers below need of NVRTC, which has the rest built in.
#define __WS __device__ __forceinline__
#define __WSM __device__ __forceinline__
