#!/bin/bash
# Everything that benches/h200 records, on a machine with an NVIDIA GPU, CUDA's
# Nsight Compute and compute-sanitizer:
#
#     benches/h200/run.sh BINARIES FOLDER
#
# BINARIES holds `h200`, `integration` and `cuda_fault`, as `cargo build --bench
# h200` and `cargo test --no-run` leave them in target/debug/deps, without the
# hash in their names. Results go to FOLDER. Nothing about the GPU is changed.
set -u
binaries=$1 folder=$2
export CUDA_MODULE_LOADING=EAGER PATH=$PATH:/usr/local/cuda/bin
{
    nvidia-smi --query-gpu=name,driver_version,uuid,clocks.sm,clocks.max.sm,clocks.max.mem --format=csv
    uname -r; date -u +%FT%TZ
} | tee "$folder/machine.txt"

echo "== tests"
timeout 150 "$binaries/integration" cuda_backend:: --nocapture --test-threads=1 > "$folder/tests.txt" 2>&1; echo "cuda_backend $?"
timeout 60 "$binaries/cuda_fault" --nocapture >> "$folder/tests.txt" 2>&1; echo "cuda_fault $?"
grep -aE '^test |cases|panicked|error|result' "$folder/tests.txt"

echo "== times"
timeout 150 "$binaries/h200" facts "$folder"; echo "facts $?"

echo "== counters"
hardware="
    smsp__inst_executed smsp__thread_inst_executed sm__cycles_elapsed gpu__time_duration
    l1tex__data_pipe_lsu_wavefronts_mem_shared l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom
    l1tex__data_pipe_lsu_wavefronts smsp__inst_executed_op_shared_atom
    l1tex__t_requests_pipe_lsu_mem_global_op_ld l1tex__t_sectors_pipe_lsu_mem_global_op_ld
    l1tex__t_requests_pipe_lsu_mem_global_op_st l1tex__t_sectors_pipe_lsu_mem_global_op_st
    l1tex__t_requests_pipe_lsu_mem_global_op_red l1tex__t_sectors_pipe_lsu_mem_global_op_red
    l1tex__t_requests_pipe_lsu_mem_global_op_atom l1tex__t_sectors_pipe_lsu_mem_global_op_atom
    lts__t_requests_op_red lts__t_sectors_op_red lts__t_requests_op_atom lts__t_sectors_op_atom
    lts__t_requests_srcunit_tex_op_red lts__t_requests_srcunit_tex_op_atom lts__d_atomic_input_cycles_active"
known=$(ncu --query-metrics --chip gh100 | awk '{print $1}')
metrics=""
for metric in $hardware; do
    grep -qx "$metric" <<<"$known" && metrics+="$metric.sum," || echo "no metric $metric"
done
profile() {
    timeout 200 ncu --clock-control none --csv --page raw --print-units base \
        -k 'regex:probe_|histogram_' --metrics "$1" "$binaries/h200" once > "$2" 2> "$2.err"
    echo "ncu $? $(grep -ac '"' "$2") lines"; grep -a '==ERROR==' "$2" "$2.err"
}
profile "${metrics%,}" "$folder/counters_hardware.csv"
sass=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum,smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum,memory_l2_theoretical_sectors_global,smsp__sass_average_branch_targets_threads_uniform.pct
profile "$sass" "$folder/counters_sass.csv"

echo "== compute-sanitizer"
for tool in memcheck racecheck initcheck synccheck; do
    timeout 100 compute-sanitizer --tool $tool "$binaries/integration" cuda_backend::a_few --nocapture --test-threads=1 \
        > "$folder/sanitizer_$tool.txt" 2>&1
    echo "$tool $?"; grep -aE '=========|cases|test result' "$folder/sanitizer_$tool.txt" | tail -8
done
