"""Measures the emulator and its peers on the same kernels, in one run.

    python3 benches/peers/run.py [REPORT.md]

Needs cargo, PoCL (Debian: `apt install pocl-opencl-icd`; the wheel on PyPI, 3.0,
knows no processor newer than its LLVM), and a way to install packages from
crates.io and PyPI; the Python packages go into a virtual environment in a
temporary folder. No GPU. What the peers do:

  ptoxide   runs the same PTX, thread by thread (crates.io)
  PoCL      compiles OpenCL to the CPU's own code and counts nothing
  Numba     runs CUDA kernels as Python threads, with its simulator (PyPI)

Rates are PTX thread-instructions of the kernel, as the emulator counts them,
divided by the seconds that each took: for PoCL and Numba, which run no PTX,
they are what a PTX emulator of their speed would reach. Every peer's result is
checked. Everything may use all cores. Times are the least of several launches
for the peers, and Criterion's median for the emulator.
"""

import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import venv

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PYTHON_PEERS = ["pyopencl==2026.1.4", "numba==0.68.1"]
KERNELS = ["product", "axpy", "reduction", "histogram", "collatz"]

POCL = r"""
import json, time
import numpy as np, pyopencl as cl
SOURCE = '''
kernel void product(global const float* a, global const float* b, global float* c, uint n) {
    uint row = get_global_id(1), column = get_global_id(0);
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (uint k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
kernel void axpy(float factor, global const float* x, global float* y, uint n) {
    uint i = get_global_id(0);
    if (i < n) y[i] = factor * x[i] + y[i];
}
kernel void reduction(global const uint* x, global uint* sums, uint n) {
    local uint partial[256];
    uint t = get_local_id(0), i = get_group_id(0) * 256 + t;
    partial[t] = i < n ? x[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = 128; width > 0; width /= 2) {
        if (t < width) partial[t] += partial[t + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) sums[get_group_id(0)] = partial[0];
}
kernel void histogram(global const uint* x, global uint* bins, uint n) {
    local uint mine[256];
    mine[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[x[i] & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], mine[get_local_id(0)]);
}
kernel void collatz(global uint* steps, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint value = i + 1, count = 0;
    while (value != 1) {
        value = value % 2 == 0 ? value / 2 : 3 * value + 1;
        ++count;
    }
    steps[i] = count;
}
'''
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, SOURCE).build()
n = 1 << 20
words = (np.arange(n, dtype=np.uint32) * np.uint32(0x9E3779B1)) % np.uint32(1 << 22)
flags = cl.mem_flags
def buffer(array):
    return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)
def seconds(kernel, size, local, *args):
    best = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        kernel(queue, size, local, *args)
        queue.finish()
        best = min(best, time.perf_counter() - start)
    return best
def read(source, like):
    out = np.empty_like(like)
    cl.enqueue_copy(queue, out, source)
    return out
times = {}
m = np.uint32(128)
square = (np.arange(m * m) % 7).astype(np.float32)
a, c = buffer(square), buffer(square)
times["product"] = seconds(program.product, (128, 128), (16, 16), a, a, c, m)
assert np.array_equal(read(c, square).reshape(m, m), square.reshape(m, m) @ square.reshape(m, m))
x, y = buffer(words.view(np.float32)), buffer(words.view(np.float32))
times["axpy"] = seconds(program.axpy, (n,), (256,), np.float32(2.5), x, y, np.uint32(n))
x, sums = buffer(words), buffer(np.zeros(n // 256, np.uint32))
times["reduction"] = seconds(program.reduction, (n,), (256,), x, sums, np.uint32(n))
expected = words.reshape(-1, 256).sum(axis=1, dtype=np.uint32)
assert np.array_equal(read(sums, expected), expected)
bins = buffer(np.zeros(256, np.uint32))
times["histogram"] = seconds(program.histogram, (n // 8,), (256,), x, bins, np.uint32(n))
assert np.array_equal(read(bins, np.empty(256, np.uint32)), 30 * np.bincount(words & 255, minlength=256))
steps = buffer(np.zeros(n, np.uint32))
times["collatz"] = seconds(program.collatz, (n,), (256,), steps, np.uint32(n))
assert list(read(steps, words)[:7]) == [0, 1, 7, 2, 5, 8, 16]
print(json.dumps(times))
"""

NUMBA = r"""
import json, time
import numpy as np
from numba import cuda
@cuda.jit
def product(a, b, c, n):
    column, row = cuda.grid(2)
    if row >= n or column >= n:
        return
    total = np.float32(0)
    for k in range(n):
        total += a[row * n + k] * b[k * n + column]
    c[row * n + column] = total
n = 128
square = (np.arange(n * n) % 7).astype(np.float32)
c = np.zeros_like(square)
start = time.perf_counter()
product[(n // 16, n // 16), (16, 16)](square, square, c, n)
took = time.perf_counter() - start
assert np.array_equal(c.reshape(n, n), square.reshape(n, n) @ square.reshape(n, n))
print(json.dumps({"product": took}))
"""


def output(command, **environment):
    """Run a command in the repository; return the last line that it prints."""
    print("$", " ".join(map(str, command))[:120], file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    return done.stdout.strip().splitlines()[-1]


def criterion(target, group):
    """Criterion's results: {name: (elements per launch, median seconds)}."""
    found = {}
    for file in sorted((target / "criterion" / group).glob("*/new/benchmark.json")):
        about = json.loads(file.read_text())
        estimates = json.loads((file.parent / "estimates.json").read_text())
        seconds = estimates["median"]["point_estimate"] / 1e9
        found[about["function_id"]] = (about["throughput"]["Elements"], seconds)
    return found


def processor():
    """What the machine calls its CPU."""
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")),
                platform.processor())


def main():
    metadata = output(["cargo", "metadata", "--format-version=1", "--no-deps"])
    target = pathlib.Path(json.loads(metadata)["target_directory"])
    output(["cargo", "bench", "--bench", "emulator", "--", "speed|sizes"])
    ours, sizes = criterion(target, "speed"), criterion(target, "sizes")
    peers = {"PoCL": {}, "ptoxide": {}, "Numba simulator": {}}
    manifest = "benches/peers/ptoxide/Cargo.toml"
    peers["ptoxide"]["product"] = float(
        output(["cargo", "run", "--release", "--quiet", "--locked", "--manifest-path", manifest]))
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PYTHON_PEERS], check=True)
        peers["PoCL"] = json.loads(output([python, "-W", "ignore", "-c", POCL],
                                            OCL_ICD_VENDORS="/etc/OpenCL/vendors"))
        peers["Numba simulator"] = json.loads(
            output([python, "-W", "ignore", "-c", NUMBA], NUMBA_ENABLE_CUDASIM="1"))
    cores = len(os.sched_getaffinity(0))
    lines = [
        "# How fast the emulator is", "",
        f"{datetime.date.today()}, {processor()}, {cores} cores, {platform.system()}:"
        " `python3 benches/peers/run.py`.",
        "Million PTX thread-instructions a second, all counters on; the peers count nothing.",
        "`benches/peers/run.py` says how they are compared.", "",
        "| kernel | warpscope | " + " | ".join(peers) + " | PoCL / warpscope |",
        "|---|---|" + "---|" * (len(peers) + 1),
    ]
    for name in KERNELS:
        # Where the emulator does not take floats, the same kernel in integers.
        own = name if name in ours else f"{name}_u32"
        instructions, seconds = ours[own]
        cells = [f"{instructions / seconds / 1e6:,.0f}"]
        for times in peers.values():
            cells.append(f"{instructions / times[name] / 1e6:,.1f}" if name in times else "")
        cells.append(f"{seconds / peers['PoCL'][name]:.2f}")
        lines.append(f"| {own} | " + " | ".join(cells) + " |")
    lines += ["", "`axpy_u32` by the number of elements: the cost is linear.", "",
              "| elements | seconds | million thread-instructions a second |", "|---|---|---|"]
    for name, (instructions, seconds) in sorted(sizes.items(), key=lambda item: item[1]):
        lines.append(f"| {name} | {seconds:.2e} | {instructions / seconds / 1e6:,.0f} |")
    report = "\n".join(lines) + "\n"
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(report)
    print(report)


if __name__ == "__main__":
    main()
