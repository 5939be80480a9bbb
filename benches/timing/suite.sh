#!/bin/bash
# Times and counters of the outside suite on a machine with an NVIDIA GPU and CUDA's
# Nsight Compute; about five minutes:
#
#     cargo build --release --bench timing
#     benches/timing/suite.sh target/release/deps/timing-* FOLDER [SET]
#
# SET: suite (the two halves), suite_blind, or suite_blind_2 to suite_blind_12. FOLDER
# gets SET.jsonl and SET_counters.csv, which belong to benches/data/h200, and machine.txt. Nothing about the
# GPU is changed.
set -eu
binary=$1 folder=$2 set=${3:-suite}
export CUDA_MODULE_LOADING=EAGER PATH=$PATH:/usr/local/cuda/bin
{
    nvidia-smi --query-gpu=name,driver_version,uuid,clocks.sm,clocks.max.sm,clocks.max.mem --format=csv
    ncu --version | tail -1; date -u +%FT%TZ
} | tee "$folder/machine.txt"
"$binary" suite-measure --set "$set" > "$folder/$set.jsonl"
wanted="gpu__time_duration.sum sm__cycles_elapsed.max dram__bytes_read.sum dram__bytes_write.sum
    l1tex__data_pipe_lsu_wavefronts.sum lts__d_atomic_input_cycles_active.sum lts__t_sectors.sum"
for kind in inst_executed thread_inst_executed inst_executed_op_branch inst_executed_pipe_xu inst_executed_pipe_lsu; do
    wanted+=" smsp__$kind.sum"
done
for op in ld st red atom; do
    wanted+=" l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum"
done
for op in ld st; do
    wanted+=" l1tex__t_requests_pipe_lsu_mem_local_op_$op.sum l1tex__t_sectors_pipe_lsu_mem_local_op_$op.sum"
    wanted+=" l1tex__t_sectors_pipe_lsu_mem_local_op_${op}_lookup_hit.sum"
done
for op in ld st atom; do
    wanted+=" l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum"
done
for kind in op_read op_write op_red op_atom srcunit_tex_lookup_hit srcunit_tex_lookup_miss; do
    wanted+=" lts__t_sectors_$kind.sum"
done
wanted+=" l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
names=$("$binary" suite-names --set "$set" | cut -d, -f1 | paste -sd'|')
ncu --clock-control none --csv --page raw --print-units base -k "regex:^($names)\$" \
    --metrics "$(tr -s ' \n' ',' <<<"$wanted" | sed 's/,$//')" "$binary" suite-once --set "$set" > "$folder/ncu.txt"
python3 "$(dirname "$0")/join.py" "$folder" > "$folder/${set}_counters.csv"
