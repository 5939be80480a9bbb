#!/bin/bash
# See benches/h200/merges.cu.
set -eu
names="l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum lts__t_sectors_op_write.sum lts__t_sectors_srcunit_tex_lookup_hit.sum sm__cycles_elapsed.max"
echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%F), benches/h200/merges.sh"
echo "words,row_bytes,gap,warps,stored,seen,hit,cycles"
paste -d, <("$1") <(ncu --clock-control none --csv --page raw --print-units base --metrics "${names// /,}" "$1" |
    python3 -c '
import csv, sys
lines = [line for line in sys.stdin if line.startswith("\"")]
for row in list(csv.DictReader(lines))[1:]:
    print(",".join(row[name].replace(",", "") for name in sys.argv[1:]))' $names)
