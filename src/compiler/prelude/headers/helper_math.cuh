// Arithmetic of vectors, as <helper_math.h> of NVIDIA's samples has it: operators by component, and the
// usual functions of geometry.

#define __WS_OPERATOR(T, N, OP, BOTH, LEFT, RIGHT, EACH, ONE)                              \
    __WS T##N operator OP(T##N a, T##N b) { return make_##T##N BOTH; }                     \
    __WS T##N operator OP(T##N a, T b) { return make_##T##N RIGHT; }                       \
    __WS T##N operator OP(T a, T##N b) { return make_##T##N LEFT; }                        \
    __WS void operator OP##=(T##N &a, T##N b) { EACH }                                     \
    __WS void operator OP##=(T##N &a, T b) { ONE }
#define __WS_OPERATOR2(T, OP)                                                              \
    __WS_OPERATOR(T, 2, OP, (a.x OP b.x, a.y OP b.y), (a OP b.x, a OP b.y),                \
                  (a.x OP b, a.y OP b), a.x OP##= b.x; a.y OP##= b.y;, a.x OP##= b; a.y OP##= b;)
#define __WS_OPERATOR3(T, OP)                                                              \
    __WS_OPERATOR(T, 3, OP, (a.x OP b.x, a.y OP b.y, a.z OP b.z),                          \
                  (a OP b.x, a OP b.y, a OP b.z), (a.x OP b, a.y OP b, a.z OP b),          \
                  a.x OP##= b.x; a.y OP##= b.y; a.z OP##= b.z;,                            \
                  a.x OP##= b; a.y OP##= b; a.z OP##= b;)
#define __WS_OPERATOR4(T, OP)                                                              \
    __WS_OPERATOR(T, 4, OP, (a.x OP b.x, a.y OP b.y, a.z OP b.z, a.w OP b.w),              \
                  (a OP b.x, a OP b.y, a OP b.z, a OP b.w),                                \
                  (a.x OP b, a.y OP b, a.z OP b, a.w OP b),                                \
                  a.x OP##= b.x; a.y OP##= b.y; a.z OP##= b.z; a.w OP##= b.w;,             \
                  a.x OP##= b; a.y OP##= b; a.z OP##= b; a.w OP##= b;)
#define __WS_OPERATORS(T, OP) __WS_OPERATOR2(T, OP) __WS_OPERATOR3(T, OP) __WS_OPERATOR4(T, OP)
// From one number, from shorter and longer vectors, and by component.
#define __WS_VECTORS(T)                                                                    \
    __WS_OPERATORS(T, +) __WS_OPERATORS(T, -) __WS_OPERATORS(T, *)                         \
    __WS T##2 make_##T##2(T s) { return make_##T##2(s, s); }                               \
    __WS T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); }                        \
    __WS T##2 make_##T##2(T##4 a) { return make_##T##2(a.x, a.y); }                        \
    __WS T##3 make_##T##3(T s) { return make_##T##3(s, s, s); }                            \
    __WS T##3 make_##T##3(T##2 a) { return make_##T##3(a.x, a.y, 0); }                     \
    __WS T##3 make_##T##3(T##2 a, T z) { return make_##T##3(a.x, a.y, z); }                \
    __WS T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); }                   \
    __WS T##4 make_##T##4(T s) { return make_##T##4(s, s, s, s); }                         \
    __WS T##4 make_##T##4(T##3 a) { return make_##T##4(a.x, a.y, a.z, 0); }                \
    __WS T##4 make_##T##4(T##3 a, T w) { return make_##T##4(a.x, a.y, a.z, w); }           \
    __WS T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                           \
    __WS T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }               \
    __WS T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define __WS_BY2(T, NAME, F) \
    __WS T##2 NAME(T##2 a, T##2 b) { return make_##T##2(F(a.x, b.x), F(a.y, b.y)); }
#define __WS_BY3(T, NAME, F) \
    __WS T##3 NAME(T##3 a, T##3 b) { return make_##T##3(F(a.x, b.x), F(a.y, b.y), F(a.z, b.z)); }
#define __WS_BY4(T, NAME, F)                                                               \
    __WS T##4 NAME(T##4 a, T##4 b)                                                         \
    {                                                                                      \
        return make_##T##4(F(a.x, b.x), F(a.y, b.y), F(a.z, b.z), F(a.w, b.w));            \
    }
#define __WS_BY(T, NAME, F) __WS_BY2(T, NAME, F) __WS_BY3(T, NAME, F) __WS_BY4(T, NAME, F)
#define __WS_FLOATS(NAME, F)                                                               \
    __WS float2 NAME(float2 a) { return make_float2(F(a.x), F(a.y)); }                     \
    __WS float3 NAME(float3 a) { return make_float3(F(a.x), F(a.y), F(a.z)); }             \
    __WS float4 NAME(float4 a) { return make_float4(F(a.x), F(a.y), F(a.z), F(a.w)); }

typedef unsigned int uint;
typedef unsigned short ushort;
__WS_VECTORS(float)
__WS_VECTORS(int)
__WS_VECTORS(uint)
__WS_OPERATORS(float, /)
__WS_BY(float, fminf, ::fminf)
__WS_BY(float, fmaxf, ::fmaxf)
__WS_BY(float, fmodf, ::fmodf)
__WS_BY(int, min, ::min)
__WS_BY(int, max, ::max)
__WS_BY(uint, min, ::min)
__WS_BY(uint, max, ::max)

__WS float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }
__WS float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
__WS float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
__WS int2 operator-(int2 a) { return make_int2(-a.x, -a.y); }
__WS int3 operator-(int3 a) { return make_int3(-a.x, -a.y, -a.z); }
__WS int4 operator-(int4 a) { return make_int4(-a.x, -a.y, -a.z, -a.w); }
__WS float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
__WS float3 make_float3(int3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
__WS float4 make_float4(int4 a)
{
    return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w);
}
__WS int2 make_int2(float2 a) { return make_int2((int)a.x, (int)a.y); }
__WS int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
__WS int4 make_int4(float4 a) { return make_int4((int)a.x, (int)a.y, (int)a.z, (int)a.w); }

__WS float fracf(float v) { return v - floorf(v); }
__WS float clamp(float v, float least, float most) { return fmaxf(least, fminf(v, most)); }
__WS int clamp(int v, int least, int most) { return max(least, min(v, most)); }
__WS uint clamp(uint v, uint least, uint most) { return max(least, min(v, most)); }
__WS float lerp(float a, float b, float t) { return a + t * (b - a); }
__WS float smoothstep(float a, float b, float x)
{
    float t = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
__WS_FLOATS(floorf, ::floorf)
__WS_FLOATS(fracf, ::fracf)
__WS_FLOATS(fabs, ::fabsf)
__WS float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
#define __WS_GEOMETRY(V)                                                                   \
    __WS float length(V a) { return sqrtf(dot(a, a)); }                                    \
    __WS V normalize(V a) { return a * rsqrtf(dot(a, a)); }                                \
    __WS V lerp(V a, V b, float t) { return a + t * (b - a); }                             \
    __WS V clamp(V v, float least, float most)                                             \
    {                                                                                      \
        return fmaxf(make_##V(least), fminf(v, make_##V(most)));                           \
    }                                                                                      \
    __WS V clamp(V v, V least, V most) { return fmaxf(least, fminf(v, most)); }
__WS_GEOMETRY(float2)
__WS_GEOMETRY(float3)
__WS_GEOMETRY(float4)
__WS float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
