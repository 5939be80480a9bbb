// C = A B in rows: to cuBLAS, which knows columns, that is the product B A of the transposes.
#include <cublas_v2.h>

#include "peer.cuh"

int main() {
    constexpr int MOST = 8192;
    const float *a = floats(size_t{MOST} * MOST), *b = floats(size_t{MOST} * MOST);
    float* c = device<float>(size_t{MOST} * MOST);
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    for (bool rounded : {false, true}) {
        cublasSetMathMode(handle, rounded ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
        const char* library = rounded ? "cuBLAS TF32" : "cuBLAS FP32";
        for (int n = 16; n <= MOST; n *= 2) {
            float one = 1, zero = 0;
            auto product = [&] {
                cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c,
                            n);
            };
            row(library, "matmul", n, "m=0;k=0", median(product, n > 4096 ? 7 : 21));
        }
    }
}
