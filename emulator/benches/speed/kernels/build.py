"""Compiles the kernels of the suite with NVRTC 12.9.

    python3 -m venv venv && venv/bin/pip install nvidia-cuda-nvrtc-cu12==12.9.86
    venv/bin/python emulator/benches/speed/kernels/build.py
"""

import ctypes
import pathlib
import sysconfig

here = pathlib.Path(__file__).parent
site = pathlib.Path(sysconfig.get_paths()["purelib"])
nvrtc = ctypes.CDLL(str(site / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"))


def check(status):
    if status != 0:
        raise SystemExit(f"NVRTC failed with status {status}")


# clang compiles debug.cu, as it says.
for path in sorted(set(here.glob("*.cu")) - {here / "debug.cu"}):
    program = ctypes.c_void_p()
    name = path.name.encode()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), name, 0, None, None))
    architecture = b"90" if path.stem == "modern" else b"80"
    options = [b"--gpu-architecture=compute_" + architecture, b"--std=c++17"]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    if status != 0:
        check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value)
        check(nvrtc.nvrtcGetProgramLog(program, log))
        raise SystemExit(log.value.decode())
    check(nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)))
    ptx = ctypes.create_string_buffer(size.value)
    check(nvrtc.nvrtcGetPTX(program, ptx))
    path.with_suffix(".ptx").write_bytes(ptx.value)
