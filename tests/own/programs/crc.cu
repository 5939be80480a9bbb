/* warpscope
sizes  = "2^6..2^16:x4,100000"   # n is `lines`
block  = 192
grid   = "ceil(n / block)"
args   = [
    "d_text: u8[79 * n] uniform from 32 below 127",
    "d_offset: i32[n + 1] sums of uniform from 20 below 80",
    "d_crc: u32[n] zeros",
    "lines: i32 = n",
]
output = "d_crc"
constants = ["crc_table: u32[256] iota"]
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__constant__ unsigned int crc_table[256];

__global__ void crc_lines(const unsigned char *text, const int *offset, unsigned int *crc, int lines)
{
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines)
        return;
    unsigned int c = 0xffffffff;
    for (int i = offset[line]; i < offset[line + 1]; i++)
        c = crc_table[(c ^ text[i]) & 255] ^ (c >> 8);
    crc[line] = ~c;
}

int main(void)
{
    const int lines = 100000;
    unsigned int table[256];
    for (unsigned int i = 0; i < 256; i++) {
        unsigned int c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    cudaMemcpyToSymbol(crc_table, table, sizeof table);
    int *offset = (int *)malloc((lines + 1) * sizeof(int));
    offset[0] = 0;
    for (int i = 0; i < lines; i++)
        offset[i + 1] = offset[i] + 20 + rand() % 60;
    int bytes = offset[lines];
    unsigned char *text = (unsigned char *)malloc(bytes);
    for (int i = 0; i < bytes; i++)
        text[i] = 32 + rand() % 95;

    unsigned char *d_text;
    int *d_offset;
    unsigned int *d_crc;
    cudaMalloc((void **)&d_text, bytes);
    cudaMalloc((void **)&d_offset, (lines + 1) * sizeof(int));
    cudaMalloc((void **)&d_crc, lines * sizeof(unsigned int));
    cudaMemcpy(d_text, text, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_offset, offset, (lines + 1) * sizeof(int), cudaMemcpyHostToDevice);
    int blockSize = 192;
    int gridSize = (int)ceil((float)lines / blockSize);
    crc_lines<<<gridSize, blockSize>>>(d_text, d_offset, d_crc, lines);
    unsigned int *crc = (unsigned int *)malloc(lines * sizeof(unsigned int));
    cudaMemcpy(crc, d_crc, lines * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    printf("%08x\n", crc[0]);
    free(crc); free(text); free(offset);
    cudaFree(d_text); cudaFree(d_offset); cudaFree(d_crc);
    return 0;
}
