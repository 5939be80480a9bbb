"""Runs the kernels that `ARITH_CAPTURE=FOLDER cargo test --test integration emulator_arith`
wrote on the first GPU, and prints one line per case for h200.txt.

    python3 tests/arith/capture.py FOLDER [RESULTS] > tests/arith/h200.txt

With RESULTS, also keeps all results there, one file for all cases.
"""

import ctypes
import pathlib
import sys

COUNT = 1024
folder = pathlib.Path(sys.argv[1])
cuda = ctypes.CDLL("libcuda.so.1")


def check(status, what):
    if status:
        raise RuntimeError(f"{what}: CUDA error {status}")


check(cuda.cuInit(0), "init")
device, context = ctypes.c_int(), ctypes.c_void_p()
check(cuda.cuDeviceGet(ctypes.byref(device), 0), "device")
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
check(cuda.cuCtxSetCurrent(context), "context")
inputs = (folder / "inputs.bin").read_bytes()
source, target = ctypes.c_uint64(), ctypes.c_uint64()
check(cuda.cuMemAlloc_v2(ctypes.byref(source), ctypes.c_size_t(len(inputs))), "memory")
check(cuda.cuMemAlloc_v2(ctypes.byref(target), ctypes.c_size_t(8 * COUNT)), "memory")
check(cuda.cuMemcpyHtoD_v2(source, inputs, ctypes.c_size_t(len(inputs))), "copy")
everything = b""
for path in sorted(folder.glob("*.ptx")):
    name = path.with_suffix(".name").read_text()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    log = ctypes.create_string_buffer(4096)
    # CU_JIT_ERROR_LOG_BUFFER and its size.
    options = (ctypes.c_int * 2)(5, 6)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    status = cuda.cuModuleLoadDataEx(
        ctypes.byref(module), path.read_bytes() + b"\0", 2, options, values
    )
    results = bytes(8 * COUNT)
    if status:
        print(f"{name}: {log.value.decode()}", file=sys.stderr)
    else:
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"k"), name)
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(target))
        check(cuda.cuMemsetD8_v2(target, 0, ctypes.c_size_t(8 * COUNT)), name)
        check(cuda.cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, None, pointers, None), name)
        check(cuda.cuCtxSynchronize(), name)
        check(cuda.cuMemcpyDtoH_v2(results, target, ctypes.c_size_t(8 * COUNT)), name)
        check(cuda.cuModuleUnload(module), name)
        digest = 0xCBF29CE484222325
        for byte in results:
            digest = (digest ^ byte) * 0x100000001B3 % 2**64
        print(f"{name} | {digest:016x}")
    everything += results
if len(sys.argv) > 2:
    pathlib.Path(sys.argv[2]).write_bytes(everything)
