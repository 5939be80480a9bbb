"""Compiles programs.cu with NVRTC 11.8 and 12.9, for two architectures each.

    python3 -m venv venv11 && venv11/bin/pip install nvidia-cuda-nvrtc-cu11==11.8.89
    venv11/bin/python tests/ptx_programs/build.py
    python3 -m venv venv12 && venv12/bin/pip install nvidia-cuda-nvrtc-cu12==12.9.86
    venv12/bin/python tests/ptx_programs/build.py
"""

import ctypes
import pathlib
import sysconfig

here = pathlib.Path(__file__).parent
site = pathlib.Path(sysconfig.get_paths()["purelib"])
(library,) = (site / "nvidia/cuda_nvrtc/lib").glob("libnvrtc.so.*")
nvrtc = ctypes.CDLL(str(library))
major, minor = ctypes.c_int(), ctypes.c_int()
nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))


def compile_for(architecture, flags):
    # NVRTC has no assert.h: what it has to say fits into a line.
    source = (here / "programs.cu").read_bytes().replace(
        b"#include <assert.h>",
        b'extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);'
        b"\n#define assert(e) ((e) ? (void)0 : __assertfail(#e, __FILE__, __LINE__, __func__, 1))",
    )
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"programs.cu", 0, None, None)
    options = [f"--gpu-architecture=compute_{architecture}".encode(), b"--std=c++17", *flags]
    status = nvrtc.nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*options)
    )
    size = ctypes.c_size_t()
    if status != 0:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(log.value.decode())
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    name = f"programs_{major.value}.{minor.value}_sm_{architecture}.ptx"
    (here / name).write_bytes(ptx.value)


compile_for(70, [b"--device-debug"] if major.value == 12 else [])
compile_for(90, [])
