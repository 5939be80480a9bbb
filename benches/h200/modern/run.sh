#!/usr/bin/env bash
# Records values, shared-memory passes, sectors and times of the kernels here, on a GPU of compute
# capability 9.0 with the CUDA toolkit: run.sh FOLDER. Then `build.py FOLDER FOLDER` writes
# tests/ptx_modern.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1
(cd "$here" && python3 build.py "$work")
for ptx in "$work"/*.ptx; do ptxas -arch=sm_90 "$ptx" -o "${ptx%.ptx}.cubin"; done
for group in values async cluster times; do
  python3 "$here/record.py" parent "$work" "$group"
done
metrics="l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
ncu --csv --page raw --metrics "$metrics" python3 "$here/record.py" worker "$work" ncu_rows 0 > "$work/ncu_rows.csv"
metrics="lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum,lts__t_sectors_op_red.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
ncu --csv --page raw --metrics "$metrics" python3 "$here/record.py" worker "$work" ncu_other 0 > "$work/ncu_other.csv"
