#!/usr/bin/env python3
"""Build tests/check/*.ptx from tests/check/*.cu with NVRTC 11.8.

    python3 tests/check/build.py [path of libnvrtc.so.11.2]

Without a path, NVRTC comes as a wheel from PyPI into a temporary folder that
is removed afterwards. Needs no GPU and no CUDA toolkit.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
NVRTC = "nvidia-cuda-nvrtc-cu11==11.8.89"
# Votes and shuffles with masks, and lanes that progress on their own, need 7.0.
ARCHITECTURES = {"mask": "compute_70"}
OPTIONS = ["--std=c++14", "--generate-line-info"]


def install(folder):
    """NVRTC in a new virtual environment; gives the path of the library."""
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet",
                    "--disable-pip-version-check", NVRTC], check=True)
    return next(path for path in folder.rglob("libnvrtc.so.*"))


def compile_ptx(nvrtc, name, source, options):
    """CUDA C++ text to PTX text, or exit with the compiler's log."""
    program = ctypes.c_void_p()

    def call(function, *arguments):
        status = getattr(nvrtc, function)(*arguments)
        if status:
            size = ctypes.c_size_t()
            nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            nvrtc.nvrtcGetProgramLog(program, log)
            sys.exit(f"{function} failed with {status} on {name}.cu\n{log.value.decode()}")

    call("nvrtcCreateProgram", ctypes.byref(program), source.encode(),
         f"tests/check/{name}.cu".encode(), 0, None, None)
    flags = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    call("nvrtcCompileProgram", program, len(options), flags)
    size = ctypes.c_size_t()
    call("nvrtcGetPTXSize", program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    call("nvrtcGetPTX", program, text)
    call("nvrtcDestroyProgram", ctypes.byref(program))
    return re.sub(r'(\.file\s+\d+\s+)"/?(tests/[^"]+)"', r'\1"\2"', text.value.decode())


def main():
    with tempfile.TemporaryDirectory() as scratch:
        library = sys.argv[1] if len(sys.argv) > 1 else install(pathlib.Path(scratch) / "venv")
        nvrtc = ctypes.CDLL(str(library))
        # NVRTC puts the working directory into the PTX; from `/` every machine gives the same.
        os.chdir("/")
        for path in sorted(HERE.glob("*.cu")):
            options = [f"--gpu-architecture={ARCHITECTURES.get(path.stem, 'compute_50')}", *OPTIONS]
            ptx = compile_ptx(nvrtc, path.stem, path.read_text(), options)
            path.with_suffix(".ptx").write_text(ptx)


if __name__ == "__main__":
    main()
