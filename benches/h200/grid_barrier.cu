// How long grid.sync() takes: n of them in one launch, by blocks and by threads of a block.
//
//     warpscope sweep benches/h200/grid_barrier.cu --backend cuda --variant all -o grid_barrier.jsonl
//
// benches/data/h200/grid_barrier.csv has what an H200 gave (driver 580.159.04, CUDA 13.0, 2026-11-29).

/* warpscope
sizes  = "1,2,4,8,16,32"
block  = 256
grid   = "132"
args   = [ "out: i32[600000] zeros", "n: i32 = n" ]
output = "out"
[kernel.g1]
kernel = "syncs"
grid = "1"
reference = "g1"
[kernel.g264]
kernel = "syncs"
grid = "264"
reference = "g264"
[kernel.g528]
kernel = "syncs"
grid = "528"
reference = "g528"
[kernel.g1056]
kernel = "syncs"
grid = "1056"
reference = "g1056"
[kernel.b32]
kernel = "syncs"
block = 32
reference = "b32"
[kernel.b1024]
kernel = "syncs"
block = 1024
reference = "b1024"
[kernel.b1024g264]
kernel = "syncs"
block = 1024
grid = "264"
reference = "b1024g264"
*/
#include <cooperative_groups.h>
__global__ void syncs(int *out, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        grid.sync();
        sum += i;
    }
    out[grid.thread_rank()] = sum;
}
