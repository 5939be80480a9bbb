#!/usr/bin/env python3
"""Times kernels of kernels/ptx/ with nvbench, launched as warpscope launches them.

    python3 benches/h200/method/nvbench_cases.py OUT.json

nvbench flushes the L2, holds the stream and times with events, as warpscope
does, in code of its own. Needs a GPU, the Python packages `cuda-bench` and
`numpy`. OUT.json is nvbench's own output with its sample times beside it.
"""

import ctypes
import pathlib
import sys

import cuda.bench as bench
import numpy

PTX = pathlib.Path(__file__).resolve().parents[3] / "kernels" / "ptx"
DRIVER = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(DRIVER, name)(*arguments)
    if code:
        sys.exit(f"{name} returned {code}")


def upload(array):
    """The device address of a copy of `array`."""
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
    call("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
    return address


def histogram(n, random):
    """`histogram --variant shared --block 256 --coarsen 64 --bins 256`"""
    values = random.integers(0, 1 << 32, n, dtype=numpy.uint32)
    buffers = [values, numpy.zeros(256, numpy.uint32)]
    a, b = map(upload, buffers)
    arguments = [a, ctypes.c_uint32(n), b, ctypes.c_uint32(256)]
    return "histogram", "histogram_shared_modulo", max(1, -(-n // (256 * 64))), 256, 4 * 256, arguments


def matmul(kernel, tile_rows, tile_columns):
    """`matmul --variant tiled|register-tiled --block 256 --coarsen 1`"""
    def case(n, random):
        matrices = [random.uniform(-1, 1, n * n).astype(numpy.float32) for _ in range(3)]
        arguments = [*map(upload, matrices), *[ctypes.c_uint32(n)] * 3]
        return "matmul", kernel, -(-n // tile_rows) * -(-n // tile_columns), 256, 0, arguments
    return case


# Each case loads its module and its data anew, so a case that is named again
# (#2, ...) has them elsewhere in memory.
CASES = {
    **{f"histogram shared {n}": (histogram, n) for n in (1 << 16, 1 << 20, 1 << 24, 1 << 26)},
    **{f"matmul tiled {n}": (matmul("matmul_tiled_16", 16, 16), n) for n in (64, 128, 512, 1024)},
    **{f"matmul register-tiled {n}": (matmul("matmul_register_tiled_256", 128, 128), n)
       for n in (128, 512, 1024)},
    **{f"matmul tiled {n} #{again}": (matmul("matmul_tiled_16", 16, 16), n)
       for again in (2, 3, 4) for n in (64, 128)},
}


def times(state):
    make, n = CASES[state.get_string("case")]
    module_name, kernel, grid, block, shared, arguments = make(n, numpy.random.default_rng(7))
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), (PTX / f"{module_name}.ptx").read_bytes() + b"\0")
    call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(it) for it in arguments])

    def launch(it):
        stream = ctypes.c_void_p(it.get_stream().addressof())
        call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, shared, stream, pointers, None)

    state.exec(launch, batched=False)
    for address in arguments:
        if isinstance(address, ctypes.c_uint64):
            call("cuMemFree_v2", address)


if __name__ == "__main__":
    bench.register(times).add_string_axis("case", list(CASES))
    # A fifth of nvbench's least time per case, since its 0.5 s of kernel time
    # are 100,000 samples of a short kernel; everything else as it comes.
    bench.run_all_benchmarks([sys.argv[0], "--min-time", "0.1", "--timeout", "4", "--jsonbin", sys.argv[1]])
