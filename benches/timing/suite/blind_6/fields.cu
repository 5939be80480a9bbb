// Compiled for compute_70.
// Steps on grids, and filters of pictures.

// A step of Perona and Malik's diffusion: it smooths a picture, but less across edges.
extern "C" __global__ void perona_malik(const float *in, float *out, float edge, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int at = y * width + x;
    float here = in[at], sum = 0.0f;
    float change[4] = {in[y > 0 ? at - width : at] - here, in[y < height - 1 ? at + width : at] - here,
                       in[x > 0 ? at - 1 : at] - here, in[x < width - 1 ? at + 1 : at] - here};
#pragma unroll
    for (int k = 0; k < 4; k++) sum += change[k] * expf(-change[k] * change[k] * edge);
    out[at] = here + 0.2f * sum;
}

// A derivative of order eight along rows, which close to rings. A block has its part of the rows in shared memory.
extern "C" __global__ void derivative_rows(const float *in, float *out, float scale, int width, int height)
{
    extern __shared__ float parts[];
    int left = blockIdx.x * blockDim.x, y = blockIdx.y * blockDim.y + threadIdx.y, tx = threadIdx.x, size = blockDim.x + 8;
    float *row = parts + threadIdx.y * size;
    if (y < height)
        for (int k = tx; k < size; k += blockDim.x) row[k] = in[y * width + (left + k - 4 + width) % width];
    __syncthreads();
    if (y >= height || left + tx >= width) return;
    float *p = row + tx + 4;
    out[y * width + left + tx] = scale * (0.8f * (p[1] - p[-1]) - 0.2f * (p[2] - p[-2]) + 0.038095238f * (p[3] - p[-3])
                                          - 0.0035714286f * (p[4] - p[-4]));
}

// When does a front arrive? A step of the eikonal equation from the neighbours that it reached first.
extern "C" __global__ void eikonal_step(const float *time, const float *slowness, float *next, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int at = y * side + x;
    float a = fminf(x > 0 ? time[at - 1] : 1e9f, x < side - 1 ? time[at + 1] : 1e9f);
    float b = fminf(y > 0 ? time[at - side] : 1e9f, y < side - 1 ? time[at + side] : 1e9f);
    float cost = slowness[at], apart = a - b;
    float arrives = fabsf(apart) >= cost ? fminf(a, b) + cost : 0.5f * (a + b + sqrtf(2.0f * cost * cost - apart * apart));
    next[at] = fminf(time[at], arrives);
}

// A forest: 0 is bare ground, 1 a tree, 2 a fire. Trees grow and lightning strikes at random.
extern "C" __global__ void forest_fire(const unsigned char *in, unsigned char *out, unsigned seed, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int at = y * side + x, state = in[at];
    unsigned random = (at ^ seed) * 2654435769u;
    random = (random ^ random >> 15) * 2246822519u;
    random ^= random >> 13;
    if (state == 2) {
        state = 0;
    } else if (state == 0) {
        state = random % 100 < 5;
    } else {
        bool burns = random % 10000 == 0;
        for (int r = max(y - 1, 0); r <= min(y + 1, side - 1) && !burns; r++)
            for (int c = max(x - 1, 0); c <= min(x + 1, side - 1); c++) burns = burns || in[r * side + c] == 2;
        state = burns ? 2 : 1;
    }
    out[at] = state;
}

// Kuwahara's filter: of the four squares of 4 x 4 pixels at a pixel, the mean of the most even one.
extern "C" __global__ void kuwahara(const unsigned char *image, unsigned char *out, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    int least = 1 << 30, mean = 0;
    for (int part = 0; part < 4; part++) {
        int left = x - (part & 1) * 3, top = y - (part >> 1) * 3, sum = 0, squares = 0;
        for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
                int p = image[min(max(top + r, 0), side - 1) * side + min(max(left + c, 0), side - 1)];
                sum += p;
                squares += p * p;
            }
        int spread = 16 * squares - sum * sum;
        if (spread < least) {
            least = spread;
            mean = (sum + 8) / 16;
        }
    }
    out[y * side + x] = mean;
}

// A pass of Zhang and Suen's thinning: takes pixels off the rim of a shape without breaking it.
extern "C" __global__ void zhang_suen_pass(const unsigned char *in, unsigned char *out, int odd, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
    const unsigned char *p = in + y * side + x;
    int value = p[0];
    if (value) {
        int ring[8] = {p[-side], p[1 - side], p[1], p[1 + side], p[side], p[side - 1], p[-1], p[-side - 1]};
        int many = 0, turns = 0;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            many += ring[k];
            turns += ring[k] == 0 && ring[(k + 1) % 8] == 1;
        }
        bool first = odd ? ring[0] * ring[2] * ring[6] == 0 : ring[0] * ring[2] * ring[4] == 0;
        bool second = odd ? ring[0] * ring[4] * ring[6] == 0 : ring[2] * ring[4] * ring[6] == 0;
        if (many >= 2 && many <= 6 && turns == 1 && first && second) value = 0;
    }
    out[y * side + x] = value;
}

__device__ float linear(unsigned char byte)
{
    float c = byte / 255.0f;
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

__device__ float curve(float t)
{
    return t > 0.008856f ? cbrtf(t) : 7.787f * t + 0.13793f;
}

// Red, green and blue become CIE's lightness and two axes of colour, each in its plane.
extern "C" __global__ void rgb_to_lab(const uchar4 *rgb, float *lab, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 pixel = rgb[i];
    float r = linear(pixel.x), g = linear(pixel.y), b = linear(pixel.z);
    float x = curve((0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.9505f);
    float y = curve(0.2126f * r + 0.7152f * g + 0.0722f * b);
    float z = curve((0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.089f);
    lab[i] = 116.0f * y - 16.0f;
    lab[n + i] = 500.0f * (x - y);
    lab[2 * n + i] = 200.0f * (y - z);
}

// Shows a flow: the mean of noise along the stream line through a pixel, 12 steps each way, or up to the rim.
extern "C" __global__ void line_integral(const float2 *flow, const float *noise, float *out, int side)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= side || py >= side) return;
    float sum = noise[py * side + px];
    int many = 1;
    for (int way = -1; way <= 1; way += 2) {
        float x = px + 0.5f, y = py + 0.5f;
        for (int step = 0; step < 12; step++) {
            float2 v = flow[(int)y * side + (int)x];
            float scale = way * rsqrtf(v.x * v.x + v.y * v.y + 1e-6f);
            x += v.x * scale;
            y += v.y * scale;
            if (x < 0.0f || y < 0.0f || x >= side || y >= side) break;
            sum += noise[(int)y * side + (int)x];
            many++;
        }
    }
    out[py * side + px] = sum / many;
}

// How far is the next set pixel of the column? A thread goes down its column, and up again.
extern "C" __global__ void distance_columns(const unsigned char *image, int *distance, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    int far = height;
    for (int y = 0; y < height; y++) {
        far = image[y * width + x] ? 0 : far + 1;
        distance[y * width + x] = far;
    }
    far = height;
    for (int y = height - 1; y >= 0; y--) {
        far = min(far + 1, distance[y * width + x]);
        distance[y * width + x] = far;
    }
}
