#!/usr/bin/env python3
"""Build benches/timing/outside.ptx and outside.csv with the compilers of kernels/build.py.

    python3 benches/timing/build.py [FOLDER]

FOLDER keeps the compilers; without it, they come into a temporary folder.
"""

import ctypes
import os
import pathlib
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "kernels"))
import build  # noqa: E402, kernels/build.py


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else scratch
        library, ptxas, _ = build.install(folder)
        nvrtc = ctypes.CDLL(str(library))
        # NVRTC puts the working directory into the PTX; from `/` every machine gives the same.
        os.chdir("/")
        path = REPOSITORY / "benches/timing/outside.cu"
        options = ["--gpu-architecture=compute_50", *build.OPTIONS]
        name = path.relative_to(REPOSITORY).as_posix()
        ptx = build.compile_ptx(nvrtc, name, path.read_text(), options)
        path.with_suffix(".ptx").write_text(ptx)
        # As of kernels that a user brings, nothing is known of their waits for loads.
        rows = [(kernel, f"sm_{architecture}", *rest, "")
                for architecture in [50, 70, 80, 90]
                for kernel, *rest in build.resources(ptxas, ptx, architecture, scratch)]
        path.with_suffix(".csv").write_text(build.table(rows))


if __name__ == "__main__":
    main()
