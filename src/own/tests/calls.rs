//! Variables that calls of the CUDA runtime set, and rows of memory that `cudaMallocPitch` allocates.

use super::infer::block;

#[test]
fn rows_begin_at_multiples_of_the_pitch() {
    const SOURCE: &str = r"
__global__ void blur(const unsigned char *in, unsigned char *out, int w, int h, size_t pitch) {
    out[threadIdx.x * pitch] = in[threadIdx.x * pitch];
}
__global__ void scale(float *data, int pitch, int n) { data[threadIdx.x * pitch] *= 2; }
int main() {
    const int width = 1000, height = 700, n = 2000;
    unsigned char *in, *out;
    float *data;
    size_t pitch, row;
    cudaMallocPitch((void **)&in, &pitch, width, height);
    cudaMallocPitch(&out, &pitch, 64, 700);
    cudaMallocPitch(&data, &row, n * sizeof(float), n);
    cudaMemcpy2D(in, pitch, image, width, width, height, cudaMemcpyHostToDevice);
    cudaMemset2D(out, pitch, 0, 64, 700);
    blur<<<4, 256>>>(in, out, width, height, pitch);
    scale<<<(n + 255) / 256, 256>>>(data, row / sizeof(float), n);
    cudaMemcpy2D(image, width, out, pitch, 64, 700, cudaMemcpyDeviceToHost);
}";
    let blur: &[&str] = &["u64", "u64", "u32", "u32", "u64"];
    let found = block(SOURCE, &[("blur", blur), ("scale", &["u64", "u32", "u32"])]);
    for line in [
        // The last call before the launch sets the pitch, here of rows of 64 bytes.
        "\"pitch: u64 = 512\"",
        "\"in: u8[716800] uniform\"",
        "\"out: u8[358400] zeros\"",
        "\"data: f32[128 * ceil(4 * n / 512) * n] zeros\"",
        "\"pitch: i32 = 128 * ceil(4 * n / 512)\"",
    ] {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
    assert!(found.contains("output = \"out\""), "{found}");
}

#[test]
fn grids_of_a_block_for_each_multiprocessor_are_those_of_an_h200() {
    const SOURCE: &str = r"
__global__ void sum(const float *in, float *out, int n) { out[blockIdx.x] = in[n - 1]; }
int main() {
    int n = 1 << 20, processors, other;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaDeviceGetAttribute(&other, cudaDevAttrMaxThreadsPerBlock, 0);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, 2 * processors * sizeof(float));
    sum<<<BLOCKS, 256>>>(in, out, n);
}";
    let kernels: &[(&str, &[&str])] = &[("sum", &["u64", "u64", "u32"])];
    for (blocks, grid) in [
        ("2 * processors", "264"),
        ("properties.multiProcessorCount * 4", "528"),
        // An unknown number of blocks is enough for an element per thread.
        ("other", "ceil(n / block)"),
    ] {
        let found = block(&SOURCE.replace("BLOCKS", blocks), kernels);
        assert!(found.contains(&format!("grid   = \"{grid}\"\n")), "{found}");
        assert!(found.contains("\"out: f32[264] zeros\""), "{found}");
    }
}
