"""Sweeps of warpscope beside the times of the libraries: a table with a row per mark.

    python3 rows.py WARPSCOPE FOLDER [ROW...]

Called by ../h200.sh, which has put libraries.csv into FOLDER. `None` for WARPSCOPE prints the
table from the files that are there. Only the standard library.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import time

# Each sweep has this many seconds; what was measured until then counts.
LIMIT = float(os.environ.get("LIMIT", "100"))
N = 1 << 28


def bandwidth(n, bytes_each):
    """GB/s of a time in seconds."""
    return lambda seconds: n * bytes_each / seconds / 1e9


def rate(n):
    """Billions of keys a second."""
    return lambda seconds: n / seconds / 1e9


def product(n):
    """TFLOP/s of a square product."""
    return lambda seconds: 2 * n**3 / seconds / 1e12


def milliseconds(seconds):
    """The time itself: less is better."""
    return 1e3 * seconds


# Variants of each system that are known to be far from its limit. All others are swept.
SLOW = {
    "histogram": ["global"],
    "reduce": ["interleaved", "sequential"],
    "scan": ["hillis", "blelloch", "decoupled"],
    "radix-partition": ["single-thread", "histogram=global", "reorder=global", "reorder=shared",
                        "reorder=stable", "reorder=staged"],
    "merge-sort": ["insertion-per-thread", "merge-path", "bitonic-block+merge-path"],
    "matmul": ["global", "tiled", "block-per-element", "window-2x2", "thread-per-element"],
    "distance-histogram": ["global", "privatised", "tiled-privatised", "shuffle-tiled"],
    "dominant-peaks": ["global", "block-per-peaks"],
}

# Name, system, n, parameters, options of the sweep, unit, figure of a time, library, marks.
ROWS = [
    *[(f"histogram, {bins} bins", "histogram", N, {"bins": bins},
       ["--set", "binning=range", "--block", "512,1024", "--coarsen", "64,256,993"],
       "GB/s", bandwidth(N, 4), "CUB", [4000]) for bins in (8, 256, 2048)],
    ("reduce f32", "reduce", N, {"dtype": "f32"},
     ["--block", "512,1024", "--coarsen", "16,32"], "GB/s", bandwidth(N, 4), "CUB", [4381]),
    ("scan u32", "scan", N, {"dtype": "u32", "sums": "inclusive"},
     ["--block", "256,1024", "--coarsen", "20,32"], "GB/s", bandwidth(N, 8), "CUB", [3500, 3800]),
    ("radix partition, 8 bits", "radix-partition", N, {"bits": 8},
     ["--block", "512", "--coarsen", "24"], "G keys/s", rate(N), "CUB", [180, 230]),
    ("radix partition, 9 bits", "radix-partition", N, {"bits": 9},
     ["--block", "512", "--coarsen", "24"], "G keys/s", rate(N), "CUB", [160]),
    ("merge sort u32", "merge-sort", N, {"payload": "none"},
     ["--block", "128,256,512", "--coarsen", "16,32"], "G keys/s", rate(N), "CUB", [24, 30]),
    ("matmul FP32 8192", "matmul", 8192, {}, ["--block", "64,128,256", "--coarsen", "1"],
     "TFLOP/s", product(8192), "cuBLAS FP32", [51.3, 54]),
    ("matmul TF32 8192", "matmul", 8192, {}, ["--block", "128,256,384", "--coarsen", "1"],
     "TFLOP/s", product(8192), "cuBLAS TF32", [250, 400]),
    ("2-body, 512000 atoms", "distance-histogram", 512000, {},
     ["--block", "128,256", "--coarsen", "4,8"], "ms", milliseconds, None, [70]),
    ("dominant peaks, 65536", "dominant-peaks", 65536, {},
     ["--block", "64,128,256", "--coarsen", "1,2,4,8"], "ms", milliseconds, None, [0.4]),
]


def libraries(folder):
    """Seconds of each library by library, system, n and parameters."""
    with open(folder / "libraries.csv", newline="") as file:
        for line in csv.DictReader(file):
            params = dict(pair.split("=") for pair in line["params"].split(";") if pair)
            yield line, params


def of_library(folder, library, system, n, params):
    """Seconds of the row that agrees in all parameters which both name."""
    for line, known in libraries(folder):
        named = (line["library"], line["algorithm"], int(line["n"]))
        agree = all(str(params[key]) == known[key] for key in known.keys() & params.keys())
        if named == (library, system, n) and agree:
            return float(line["milliseconds"]) / 1e3
    return None


def variants(warpscope, system, title):
    """The variants of a system that are near its limit."""
    listed = json.loads(subprocess.run([warpscope, "list", system, "--json"], check=True,
                                       capture_output=True, text=True).stdout)
    algorithms = listed if isinstance(listed, list) else listed["algorithms"]
    names = [variant["name"] for it in algorithms if it["name"] == system
             for variant in it["variants"]]
    slow = SLOW[system]
    exact = system in ("merge-sort", "matmul", "histogram", "distance-histogram")
    near = [name for name in names
            if not any(name == part if exact else part in name for part in slow)]
    if system == "matmul":
        near = [name for name in near if ("tensor" in name) == ("TF32" in title)]
    return near


def sweep(warpscope, file, system, n, params, options, names):
    """Measures what is not in the file yet."""
    command = [warpscope, "sweep", system, "--backend", "cuda", "--variant", ",".join(names),
               "-n", str(n), *options, "--quiet", "-o", str(file)]
    for key, value in params.items():
        command += ["--set", f"{key}={value}"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        child.wait(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        # As Ctrl-C: the case that runs is not stored.
        child.send_signal(2)
        child.wait()


def best(file, n, params):
    """The fastest verified case of a file, as seconds and what it was, and how many are wrong."""
    found, wrong = None, 0
    for line in file.read_text().splitlines() if file.exists() else []:
        record = json.loads(line)
        if record["n"] != n or any(record["params"].get(key) != params[key] for key in params):
            continue
        if record.get("wrong"):
            wrong += 1
            print(f"WRONG: {record['algorithm']} {record['variant']} block {record['block']}"
                  f" x{record['coarsen']}: {json.dumps(record['wrong'])[:200]}", file=sys.stderr)
        if record.get("verified") and record.get("seconds"):
            seconds = record["seconds"]["median"]
            if found is None or seconds < found[0]:
                found = (seconds, f"{record['variant']} {record['block']} x{record['coarsen']}")
    return found, wrong


def main():
    warpscope, folder, wanted = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    lines = []
    for name, bytes_each in (("copy", 8), ("read", 4)):
        seconds = of_library(folder, "CUDA", name, N, {})
        if seconds:
            lines.append(f"{name}: {bandwidth(N, bytes_each)(seconds):,.0f} GB/s")
    first = next(libraries(folder), None)
    if first:
        lines += [f"{first[0]['gpu']}, driver {first[0]['driver']}, {first[0]['date']}"]
    lines += ["", "| row | library | warpscope | ratio | fastest case | marks | met |",
              "|---|--:|--:|--:|---|--:|--:|"]
    for title, system, n, params, options, unit, figure, library, marks in ROWS:
        if wanted and not any(part in title for part in wanted):
            continue
        file = folder / (title.replace(",", "").replace(" ", "_") + ".jsonl")
        start = time.monotonic()
        if warpscope != "None":
            names = variants(warpscope, system, title)
            if names:
                sweep(warpscope, file, system, n, params, options, names)
        took = time.monotonic() - start
        theirs = of_library(folder, library, system, n, params) if library else None
        ours, wrong = best(file, n, params)
        cells = [title, "", "", "", "", " / ".join(f"{mark:,}" for mark in marks), ""]
        if theirs:
            cells[1] = f"{figure(theirs):,.4g} {unit}"
        if ours:
            value = figure(ours[0])
            less = figure is milliseconds
            cells[2] = f"{value:,.4g} {unit}"
            cells[4] = ours[1]
            met = [value <= mark if less else value >= mark for mark in marks]
            cells[6] = f"{sum(met)} of {len(marks)}"
            if theirs:
                cells[3] = f"{100 * theirs / ours[0]:.0f} %"
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], f"{took:.0f} s, {wrong} wrong", file=sys.stderr, flush=True)
    table = "\n".join(lines) + "\n"
    (folder / "table.md").write_text(table)
    print(table)


if __name__ == "__main__":
    main()
