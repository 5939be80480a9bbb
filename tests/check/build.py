#!/usr/bin/env python3
"""Build tests/check/*.ptx from tests/check/*.cu with the compiler of kernels/build.py.

    python3 tests/check/build.py [FOLDER]

FOLDER keeps the compiler, as --compilers does there; without it, it comes into a
temporary folder that is removed afterwards. Needs no GPU and no CUDA toolkit.
"""

import ctypes
import os
import pathlib
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "kernels"))
import build  # noqa: E402, kernels/build.py

# Votes and shuffles with masks, and lanes that progress on their own, need 7.0.
ARCHITECTURES = {"mask": "compute_70"}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else scratch).resolve()
        library, *_ = build.install(folder)
        nvrtc = ctypes.CDLL(str(library))
        # NVRTC puts the working directory into the PTX; from `/` every machine gives the same.
        os.chdir("/")
        for path in sorted((REPOSITORY / "tests" / "check").glob("*.cu")):
            options = [f"--gpu-architecture={ARCHITECTURES.get(path.stem, 'compute_50')}",
                       *build.OPTIONS]
            name = path.relative_to(REPOSITORY).as_posix()
            ptx = build.compile_ptx(nvrtc, name, path.read_text(), options)
            path.with_suffix(".ptx").write_text(ptx)


if __name__ == "__main__":
    main()
