"""Compiles medley.cu with the NVRTC of the environment that runs this.

    for v in cu11==11.8.89 cu12==12.9.86; do
        python3 -m venv v && v/bin/pip install nvidia-cuda-nvrtc-$v nvidia-cuda-runtime-$v
        v/bin/python tests/ptx_medley/build.py; rm -r v
    done
    python3 -m venv v
    v/bin/pip install nvidia-cuda-nvrtc==13.5.37 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37
    v/bin/python tests/ptx_medley/build.py

The runtime package holds cuda_fp16.h (cu11 and cu12 take the version that goes
with NVRTC's).
"""

import ctypes
import pathlib
import sysconfig

HERE = pathlib.Path(__file__).parent
SITE = pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia"
(library,) = [p for p in SITE.glob("*/lib/libnvrtc.so.*") if "alt" not in p.name]
HEADERS = sorted({str(p.parent) for p in SITE.glob("*/include/cuda_fp16.h")})
nvrtc = ctypes.CDLL(str(library))
major, minor = ctypes.c_int(), ctypes.c_int()
nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))


def compile_for(architecture):
    """Write the PTX for one architecture."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    source = (HERE / "medley.cu").read_bytes()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"medley.cu", 0, None, None)
    options = [f"--gpu-architecture=compute_{architecture}", "--std=c++17", "--device-int128"]
    options += [f"--include-path={path}" for path in HEADERS]
    words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    if nvrtc.nvrtcCompileProgram(program, len(options), words) != 0:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(log.value.decode())
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    name = f"medley_{major.value}.{minor.value}_compute_{architecture}.ptx"
    (HERE / name).write_bytes(ptx.value)
    print(name)


for architecture in [70, 80, 90] if major.value < 13 else [75, 90]:
    compile_for(architecture)
if major.value == 11:
    compile_for(53)
