#!/usr/bin/env bash
# CUB, cuBLAS and warpscope on the same systems and sizes, in one call on one GPU:
#
#     benches/peers/h200.sh WARPSCOPE FOLDER [ROW...]
#
# It builds the programs in h200/ with the machine's nvcc, runs them, sweeps block size and
# coarsening with WARPSCOPE (a release binary), and prints per row: library, ours, ratio, mark.
# FOLDER gets libraries.csv (the times of the libraries), one .jsonl per row (ours) and the table.
# ROW selects rows by a part of their name. Needs nvcc, cuBLAS and Python.
# LIMIT: most seconds of a row (default 100). All rows take about five minutes; the CPU reference
# of 2-body alone takes one.
set -euo pipefail
warpscope=$(realpath "$1") folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$folder"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
command -v nvcc > /dev/null || PATH=$PATH:/usr/local/cuda/bin
unset NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
programs="copy reduce scan histogram radix_partition merge_sort matmul"
builds=()
for program in $programs; do
    blas=""; [ "$program" = matmul ] && blas=-lcublas
    nvcc -O3 -std=c++17 -arch=native -o "$build/$program" "$here/h200/$program.cu" $blas &
    builds+=($!)
done
for one in "${builds[@]}"; do wait "$one"; done
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)
{
    echo "library,algorithm,n,params,milliseconds,gpu,driver,date"
    for program in $programs; do "$build/$program"; done | sed "s/\$/,$gpu,$driver,$(date -u +%F)/"
} > "$folder/libraries.csv"
nvcc --version | grep release
exec python3 "$here/h200/rows.py" "$warpscope" "$folder" "${@:3}"
