//! What host code fills buffers with.

use super::infer::block;

#[test]
fn vectors_with_one_value_and_halves_are_filled_as_the_host_fills_them() {
    const SOURCE: &str = r"
__global__ void bfs(const int *row, int *dist, int level, int vertices) { dist[level] = dist[row[0]]; }
__global__ void scale(const __half *in, half2 *out, int n) { out[0] = in[n - 1]; }
int main() {
    const int V = 1 << 16;
    std::vector<int> row(V + 1), dist(V, -1);
    std::vector<__half> values(V);
    for (int v = 0; v <= V; v++) row[v] = v * 8;
    for (int v = 0; v < V; v++) values[v] = __float2half(v);
    dist[0] = 0;
    int *d_row, *d_dist;
    __half *in;
    half2 *out;
    cudaMalloc(&d_row, (V + 1) * sizeof(int));
    cudaMalloc(&d_dist, V * sizeof(int));
    cudaMalloc(&in, V * sizeof(__half));
    cudaMalloc(&out, V * sizeof(half2));
    cudaMemcpy(d_row, row.data(), (V + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_dist, dist.data(), V * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(in, values.data(), V * sizeof(__half), cudaMemcpyHostToDevice);
    bfs<<<(V + 255) / 256, 256>>>(d_row, d_dist, 0, V);
    scale<<<(V + 255) / 256, 256>>>(in, out, V);
    cudaMemcpy(dist.data(), d_dist, V * sizeof(int), cudaMemcpyDeviceToHost);
}";
    let found =
        block(SOURCE, &[("bfs", &["u64", "u64", "u32", "u32"]), ("scale", &["u64", "u64", "u32"])]);
    for line in [
        "\"d_row: i32[n + 1] = 8 * i\"",
        "\"d_dist: i32[n] = -1\"",
        // The bits of numbers from 0 to 1.
        "\"in: u16[n] uniform below 15361\"",
        "\"out: u16[2 * n] zeros\"",
    ] {
        assert!(found.contains(line), "{line} is missing in\n{found}");
    }
}
