#!/bin/bash
# The rows that a program prints, one for each launch, and what Nsight Compute counts there: sectors stored,
# sectors that L2 sees written, those of loads and stores that it finds, cycles of the launch. Or others:
#
#     benches/h200/stored.sh PROGRAM [NAME=METRIC...]
#
# With the argument `once`, the program launches each of its cases once. L2 of an H200 counts a sector
# that is written 1.5 times on average: those of its other half on both sides.
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- stored=l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum seen=lts__t_sectors_op_write.sum \
    hit=lts__t_sectors_srcunit_tex_lookup_hit.sum cycles=sm__cycles_elapsed.max
names=${*%%=*} metrics=${*#*=}
echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(date -u +%F), benches/h200/stored.sh $(basename "$program")"
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
"$program" > "$rows"
echo "$(head -1 "$rows"),${names// /,}"
paste -d, <(tail -n +2 "$rows") <(ncu --clock-control none --csv --page raw --print-units base --metrics "${metrics// /,}" "$program" once |
    python3 -c '
import csv, sys
lines = [line for line in sys.stdin if line.startswith("\"")]
for row in list(csv.DictReader(lines))[1:]:
    print(",".join(row[name].replace(",", "") for name in sys.argv[1:]))' $metrics)
