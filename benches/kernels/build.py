"""Compiles speed.cu to speed.ptx with NVRTC 11.8.

    python3 -m venv venv && venv/bin/pip install nvidia-cuda-nvrtc-cu11==11.8.89
    venv/bin/python benches/kernels/build.py
"""

import ctypes
import pathlib
import sysconfig

here = pathlib.Path(__file__).parent
site = pathlib.Path(sysconfig.get_paths()["purelib"])
nvrtc = ctypes.CDLL(str(site / "nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2"))


def check(status):
    if status != 0:
        raise SystemExit(f"NVRTC failed with status {status}")


source = (here / "speed.cu").read_bytes()
program = ctypes.c_void_p()
check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"speed.cu", 0, None, None))
options = [b"--gpu-architecture=compute_50", b"--std=c++17"]
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
(here / "speed.ptx").write_bytes(ptx.value)
