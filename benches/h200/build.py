#!/usr/bin/env python3
"""Build the probes' PTX with the compiler that kernels/build.py pins.

    python3 benches/h200/build.py
"""

import ctypes
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "kernels"))
import build  # noqa: E402

with tempfile.TemporaryDirectory() as scratch:
    library, *_ = build.install(pathlib.Path(scratch) / "venv")
    nvrtc = ctypes.CDLL(str(library))
    # As in kernels/build.py: from `/`, every machine gives the same text.
    os.chdir("/")
    for source, target in [("probes", 50), ("progress", 50), ("progress", 70), ("patterns", 80)]:
        text = (HERE / f"{source}.cu").read_text()
        options = [f"--gpu-architecture=compute_{target}", "--std=c++14"]
        ptx = build.compile_ptx(nvrtc, source, text, options)
        (HERE / f"{source}_{target}.ptx").write_text(ptx)
