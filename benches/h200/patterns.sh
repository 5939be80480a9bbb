#!/bin/bash
# Profiles tests/integration/oracle_patterns.rs with Nsight Compute, on a machine with an
# NVIDIA GPU, and prints benches/data/h200/patterns.csv:
#
#     benches/h200/patterns.sh BINARY > benches/data/h200/patterns.csv
#
# BINARY is what `cargo test --no-run --test integration` leaves in
# target/debug/deps. Nothing about the GPU is changed.
set -u
export CUDA_MODULE_LOADING=EAGER PATH=$PATH:/usr/local/cuda/bin
folder=$(mktemp -d)
wanted="
    smsp__inst_executed.sum smsp__thread_inst_executed.sum smsp__inst_executed_op_branch.sum
    smsp__sass_branch_targets.sum smsp__sass_branch_targets_threads_divergent.sum
    smsp__sass_average_branch_targets_threads_uniform.pct memory_l2_theoretical_sectors_global
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
for op in ld st red atom ldgsts_cache_access; do
    wanted+=" l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum"
done
for op in ld st atom; do
    wanted+=" l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum"
done
known=$(ncu --query-metrics --chip gh100 | awk '{print $1}')
metrics=""
for metric in $wanted; do
    base=${metric%.sum}; base=${base%.pct}
    if grep -qx "$base" <<<"$known" || [[ $metric != *.* || $base == smsp__sass* ]]; then metrics+="$metric,"
    else echo "no metric $metric" >&2; fi
done
timeout 250 ncu --clock-control none --csv --page raw --print-units base -k regex:pattern_ \
    --metrics "${metrics%,}" "$1" oracle_patterns::gpu --nocapture --test-threads=1 > "$folder/raw.csv" 2> "$folder/err" \
    || cat "$folder/err" "$folder/raw.csv" >&2
echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(ncu --version | tail -1), $(date -u +%F)"
echo "# Command: benches/h200/patterns.sh BINARY > benches/data/h200/patterns.csv"
python3 - "$folder/raw.csv" "${metrics%,}" <<'PYTHON'
import csv, sys
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
rows = list(csv.DictReader(lines))[1:]  # the first is units
names = [name for name in sys.argv[2].split(",") if name in rows[0]]
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["kernel", *names])
for row in rows:
    out.writerow([row["Kernel Name"].split("(")[0], *(row[name].replace(",", "") for name in names)])
PYTHON
