"""Measures the emulator and its peers on the same kernels, in one run.

    python3 benches/peers/run.py [REPORT.md]

Needs cargo and a way to install packages from crates.io and PyPI; the Python
packages go into a virtual environment in a temporary folder. No GPU. Under four
minutes once the programs are built. What the peers do:

  ptoxide   runs the same PTX, thread by thread (crates.io)
  PoCL      compiles OpenCL to the CPU's own code and counts nothing: the one
            that the machine has (Debian: `apt install pocl-opencl-icd`), else
            the one on PyPI, 3.0, which knows no processor newer than its LLVM
  Numba     runs CUDA kernels as Python threads, with its simulator (PyPI)

Rates are PTX thread-instructions of the kernel, as the emulator counts them,
divided by the seconds that each took: for PoCL and Numba, which run no PTX,
they are what a PTX emulator of their speed would reach. Every peer's result is
checked. Everything may use all cores. Times are the least of several launches
for the peers, and Criterion's median for the emulator, so that noise is never
counted in its favour.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
import venv

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PYTHON_PEERS = ["pyopencl==2026.1.4", "numba==0.68.1"]
POCL_WHEEL = "pocl-binary-distribution==3.0"
# Where a machine's own OpenCL implementations are listed.
VENDORS = pathlib.Path("/etc/OpenCL/vendors")
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
pocl = next(p for p in cl.get_platforms() if p.name == "Portable Computing Language")
device = pocl.get_devices()[0]
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
times["version"] = pocl.version
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


def results(printed, group):
    """What `cargo bench --bench emulator` printed: {name: (elements per launch, median seconds)}."""
    lines = re.findall(rf"^{group}/(\S+) .*, (\d+) in (\S+) s$", printed, re.M)
    return {name: (int(amount), float(seconds)) for name, amount, seconds in lines}


def processor():
    """What the machine calls its CPU."""
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")),
                platform.processor())


def pocl(python):
    """Seconds per kernel with PoCL, and its version; nothing where none works."""
    if VENDORS.exists() and any("pocl" in file.name for file in VENDORS.iterdir()):
        environment = {"OCL_ICD_VENDORS": str(VENDORS)}
    else:
        install(python, POCL_WHEEL)
        environment = {}
    try:
        return json.loads(output([python, "-W", "ignore", "-c", POCL], **environment))
    except subprocess.CalledProcessError:
        print("PoCL does not work here and is left out", file=sys.stderr)
        return {}


def install(python, *packages):
    """Install packages from PyPI."""
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)


def memory(program):
    """Peak memory of a launch over buffers of several sizes:
    [(elements, bytes of buffers, peak bytes of the process)]."""
    found = []
    for power in range(10, 27, 4):
        n = 1 << power
        command = [program, "exec", "benches/kernels/speed.ptx", "--entry", "axpy_u32",
                   "--grid", str(n // 256 or 1), "--block", "256", "--arg", "u32=3",
                   "--arg", f"buffer=u32:{n}:iota", "--arg", f"buffer=u32:{n}:iota",
                   "--arg", f"u32={n}"]
        child = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        assert status == 0, command
        found.append((power, 8 * n, usage.ru_maxrss * 1024))
    return found


def main():
    begun = time.monotonic()
    load = os.getloadavg()[0]
    metadata = output(["cargo", "metadata", "--format-version=1", "--no-deps"])
    target = pathlib.Path(json.loads(metadata)["target_directory"])
    manifest = "benches/peers/ptoxide/Cargo.toml"
    # Built first, so that nothing is measured while something is built.
    for build in (["cargo", "build", "--release", "--bin", "warpscope"],
                  ["cargo", "bench", "--bench", "emulator", "--no-run"],
                  ["cargo", "build", "--release", "--locked", "--manifest-path", manifest]):
        subprocess.run(build, cwd=REPOSITORY, check=True)
    built = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench = subprocess.run(
        ["cargo", "bench", "--bench", "emulator"],
        cwd=REPOSITORY, check=True, capture_output=True, text=True)
    counted = r"^(\w+): \d+ thread-instructions in (\d+) warp-instructions$"
    warps = {name: int(count) for name, count in re.findall(counted, bench.stderr, re.M)}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic() - built
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ours, sizes, decode = (results(bench.stdout, group) for group in ("speed", "sizes", "decode"))
    peers = {"PoCL": {}, "ptoxide": {}, "Numba simulator": {}}
    peers["ptoxide"]["product"] = float(
        output(["cargo", "run", "--release", "--quiet", "--locked", "--manifest-path", manifest]))
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder) / "bin" / "python"
        install(python, *PYTHON_PEERS)
        peers["PoCL"] = pocl(python)
        peers["Numba simulator"] = json.loads(
            output([python, "-W", "ignore", "-c", NUMBA], NUMBA_ENABLE_CUDASIM="1"))
        memories = memory(target / "release" / "warpscope")
    version = peers["PoCL"].pop("version", "absent")
    cores = len(os.sched_getaffinity(0))
    lines = [
        "# How fast the emulator is", "",
        f"{datetime.date.today()}, {processor()}, {cores} cores, {platform.system()}, PoCL:"
        f" {version}. `python3 benches/peers/run.py benches/data/emulator_speed.md`.", "",
        f"Load of the machine before: {load:.1f}. While the emulator was measured it had"
        f" {busy / wall:.2f} of {cores} cores; where that is far from {cores}, others used the"
        " machine too and the rates are too low.", "",
        "Million PTX thread-instructions a second, all counters on, all cores; the peers count"
        " nothing. `benches/peers/run.py` says how they are compared.", "",
        "| kernel | warpscope | million warp-instructions a second | " + " | ".join(peers)
        + " | PoCL / warpscope |",
        "|---|---|---|" + "---|" * (len(peers) + 1),
    ]
    for name, (instructions, seconds) in ours.items():
        like = name.removesuffix("_u32")
        cells = [f"{count / seconds / 1e6:,.0f}" for count in (instructions, warps[name])]
        for times in peers.values():
            known = name == like and name in times
            cells.append(f"{instructions / times[name] / 1e6:,.1f}" if known else "")
        known = name == like and name in peers["PoCL"]
        cells.append(f"{seconds / peers['PoCL'][name]:.2f}" if known else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "`axpy_u32` by the number of elements: the cost is linear.", "",
              "| elements | seconds | million thread-instructions a second |", "|---|---|---|"]
    for name, (instructions, seconds) in sorted(sizes.items(), key=lambda item: item[1]):
        lines.append(f"| {name} | {seconds:.2e} | {instructions / seconds / 1e6:,.0f} |")
    lines += ["", "Peak memory of `warpscope exec` with the same kernel, and how much of it is"
              " not buffers.", "", "| elements | buffers, MiB | peak, MiB | beside buffers, MiB |",
              "|---|---|---|---|"]
    for power, buffers, peak in memories:
        cells = [f"{bytes_ / 2**20:,.1f}" for bytes_ in (buffers, peak, peak - buffers)]
        lines.append(f"| 2^{power} | " + " | ".join(cells) + " |")
    for name, (size, seconds) in decode.items():
        lines += ["", f"From text to something that can be launched: {seconds * 1e3:.2f} ms for"
                  f" `{name}`, {size:,} bytes, the largest PTX file of the project."]
    report = "\n".join(lines) + "\n"
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(report)
    print(report)
    print(f"{time.monotonic() - built:.0f} s, and {built - begun:.0f} s to build", file=sys.stderr)


if __name__ == "__main__":
    main()
