#!/bin/bash
# Does the way of measuring hold up? On a machine with an NVIDIA GPU, in the
# repository's root:
#
#     benches/h200/method/run.sh WARPSCOPE FOLDER
#
# 1. The same experiment in two processes: medians within 1 % for kernels over
#    20 us and 3 % for shorter ones.
# 2. The same kernels from the same PTX through nvbench: within 2 %.
# 3. 100 cases of microsecond kernels in under 20 s.
# 4. What the steps of a sample do to its time, and what the place of code and
#    data in memory does (sample.cpp).
#
# nvbench comes as the Python package `cuda-bench`, which has to be on
# PYTHONPATH (pip install --target FOLDER cuda-bench==0.3.0), with numpy. FOLDER
# gets everything that was measured; report.py, called at the end, says what
# holds and writes the tables that benches/data/h200/method/ keeps. Nothing about
# the GPU is changed.
set -u
warpscope=$1 folder=$2 here=$(dirname "$0")
export CUDA_MODULE_LOADING=EAGER PATH=$PATH:/usr/local/cuda/bin
mkdir -p "$folder"
{
    nvidia-smi --query-gpu=name,driver_version,uuid,clocks.sm,clocks.max.sm --format=csv
    date -u +%FT%TZ; uname -r; nproc
    "$warpscope" --version
    echo "benches/h200/method/run.sh WARPSCOPE FOLDER"
} | tee "$folder/machine.txt"

experiment() {  # into file $1
    local sweep="$warpscope sweep --backend cuda -q -o $1"
    $sweep histogram --variant shared --block 256 --coarsen 64 --bins 256 -n 2^16,2^20,2^24,2^26
    $sweep histogram --variant all --block 128 --coarsen 4 --bins 8 -n 2^12,2^16,2^20,2^22
    $sweep matmul --variant tiled,register-tiled --block 256 --coarsen 1 -n 64,128,512,1024
    $sweep reduce --variant sequential+final=gpu,shuffle --block 256 --coarsen 16 -n 2^16,2^20,2^24,2^26
    $sweep scan --variant decoupled-lookback --block 256 --coarsen 16 -n 2^16,2^20,2^24
}
for number in 1 2; do
    start=$(date +%s.%N)
    experiment "$folder/twice_$number.jsonl"
    echo "experiment $number: exit $?, $(echo "$(date +%s.%N) - $start" | bc 2>/dev/null || python3 -c "import time;print(time.time()-$start)") s"
done

# The same short kernels in further processes, alone (1, 2) and in turns (3, 4).
for number in 1 2 3 4; do
    "$warpscope" sweep matmul --backend cuda -q --block 256 --coarsen 1 -n 64,128 \
        --variant "$([ $number -le 2 ] && echo tiled || echo tiled,register-tiled)" -o "$folder/places_$number.jsonl"
done

start=$(python3 -c 'import time; print(time.time())')
"$warpscope" sweep histogram --backend cuda -q --variant all --block 32,64,128,256,512 --coarsen 4 \
    -n 2^10..2^19 -o "$folder/hundred.jsonl"
echo "hundred: exit $?"
python3 -c "import time; print(time.time() - $start)" > "$folder/hundred_seconds.txt"

nvcc -O2 -o /tmp/sample "$here/sample.cpp" -lcuda && /tmp/sample "$here/../../../kernels/ptx" > "$folder/sample.csv"
echo "sample: exit $?"
timeout 150 python3 "$here/nvbench_cases.py" "$folder/nvbench.json" > "$folder/nvbench.txt" 2>&1
echo "nvbench: exit $?"
"$warpscope" run matmul --backend cuda --variant tiled --block 256 --coarsen 1 -n 1024 > "$folder/run.txt" 2>&1
"$warpscope" compare "$folder/twice_1.jsonl" "$folder/twice_2.jsonl" > "$folder/twice.txt"
echo "compare: exit $?"
"$warpscope" compare "$folder/twice_1.jsonl" "$folder/twice_2.jsonl" --format csv -o "$folder/twice.csv"
python3 "$here/report.py" "$folder"
