#!/usr/bin/env python3
"""Build kernels/ptx/ from kernels/*.cu: PTX, and a table of what each kernel takes.

    python3 kernels/build.py [--check] [--compilers FOLDER] [NAME ...]

Needs Python 3.9 or newer and a way to install packages from PyPI; no GPU, no
CUDA toolkit and no driver. The compilers come as pinned wheels, installed into
a virtual environment in a temporary folder that is removed afterwards
(--compilers names a folder to keep them in):

  NVRTC 11.8   compiles CUDA C++ to PTX. This version still targets compute_50,
               and its PTX (ISA 7.8) loads on every driver from R520 on.
  ptxas 12.9   assembles that PTX for each architecture, only to report the
               registers, shared memory and spills (kernels/ptx/NAME.csv).
  nvdisasm 13  shows the machine code, where batches.py reads how often it waits
               (the last column there; from sm_75 on).

Sources are compiled for compute_50, which runs on every GPU from Maxwell on. One
that needs more says so in a line of its own: `// Compiled for compute_70.` where
lanes or blocks have to progress on their own (spin locks, look-back).

Each PTX file starts with a comment that holds a SHA-256 over the source, the
options and the compiler's version. `cargo test` recomputes it, so a kernel
whose PTX was not rebuilt fails the tests. --check builds nothing new on disk:
it fails when the committed files differ from what the compilers give.
"""

import argparse
import collections
import csv
import ctypes
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

import batches

KERNELS = pathlib.Path(__file__).resolve().parent
PTX = KERNELS / "ptx"
NVRTC = "nvidia-cuda-nvrtc-cu11==11.8.89"
PTXAS = "nvidia-cuda-nvcc-cu12==12.9.86"
NVDISASM = "nvidia-cuda-nvdisasm==13.5.37"
OPTIONS = ["--std=c++14", "--generate-line-info"]
# Machine code of older architectures is not shown by that disassembler.
OLDEST_SHOWN = 75
ARCHITECTURES = [50, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120]


def install(folder):
    """Make a virtual environment with the wheels, unless it is there; return (libnvrtc, ptxas, nvdisasm)."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    NVRTC, PTXAS, NVDISASM], check=True)
    return tuple(next(folder.rglob(name)) for name in ["libnvrtc.so.*", "bin/ptxas", "bin/nvdisasm"])


def target(source):
    """The virtual architecture that the source asks for."""
    found = re.search(r"^// Compiled for (compute_\d+)\.$", source, re.MULTILINE)
    return found[1] if found else "compute_50"


def fingerprint(source, options):
    """SHA-256 over source, options and compiler. `tests/integration/ptx_fresh.rs` computes the same."""
    text = "\n".join([NVRTC, " ".join(options), source])
    return hashlib.sha256(text.encode()).hexdigest()


def compile_ptx(nvrtc, path, source, options):
    """CUDA C++ text of the file at `path`, from the repository, to PTX text; or exit with
    the compiler's log. tests/check/build.py compiles with this too."""
    program = ctypes.c_void_p()

    def call(function, *arguments):
        status = getattr(nvrtc, function)(*arguments)
        if status == 0:
            return
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(f"{function} failed with status {status} on {path}\n{log.value.decode()}")

    call("nvrtcCreateProgram", ctypes.byref(program), source.encode(),
         path.encode(), 0, None, None)
    flags = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    call("nvrtcCompileProgram", program, len(options), flags)
    size = ctypes.c_size_t()
    call("nvrtcGetPTXSize", program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    call("nvrtcGetPTX", program, text)
    call("nvrtcDestroyProgram", ctypes.byref(program))
    # NVRTC makes the path in `.file` absolute. Keep it relative to the repository.
    return text.value.decode().replace(f'"/{path}"', f'"{path}"')


def resources(ptxas, ptx, architecture, folder):
    """Yield (kernel, registers, static shared, stack, spill stores, spill loads)."""
    path = folder / "kernel.ptx"
    path.write_text(ptx)
    done = subprocess.run([ptxas, "-v", f"-arch=sm_{architecture}", path, "-o", folder / "out"],
                          check=True, capture_output=True, text=True)
    report = done.stdout + done.stderr
    # One "Compiling entry function" per kernel, then its stack line, then its registers.
    for part in report.split("Compiling entry function '")[1:]:
        stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        registers = re.search(r"Used (\d+) registers", part)
        shared = re.search(r"(\d+) bytes smem", part)
        yield (part.split("'")[0], int(registers[1]), int(shared[1]) if shared else 0,
               int(stack[1]), int(stack[2]), int(stack[3]))


def table(rows):
    """The rows of one source's kernels as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["kernel", "architecture", "registers", "static_shared_bytes",
                     "stack_bytes", "spill_store_bytes", "spill_load_bytes", "waits"])
    writer.writerows(sorted(rows, key=lambda row: (row[0], int(row[1].removeprefix("sm_")))))
    return text.getvalue()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    arguments.add_argument("--compilers", type=pathlib.Path, metavar="FOLDER", help="keep the compilers there")
    arguments.add_argument("names", nargs="*", metavar="NAME", help="sources to build, such as histogram; all unless given")
    given = arguments.parse_args()
    names = given.names or sorted(path.stem for path in KERNELS.glob("*.cu"))

    files = {}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        library, ptxas, disassembler = install((given.compilers or scratch / "venv").resolve())
        nvrtc = ctypes.CDLL(str(library))
        # NVRTC puts the working directory into the PTX; from `/` every machine gives the same.
        os.chdir("/")
        for name in names:
            # Bytes, so that the hash does not depend on the platform's line endings.
            source = (KERNELS / f"{name}.cu").read_bytes().replace(b"\r\n", b"\n").decode()
            least = target(source)
            options = [f"--gpu-architecture={least}", *OPTIONS]
            ptx = compile_ptx(nvrtc, f"kernels/{name}.cu", source, options)
            header = (f"// warpscope kernels/{name}.cu sha256 {fingerprint(source, options)}\n"
                      f"// {NVRTC} {' '.join(options)}\n")
            files[PTX / f"{name}.ptx"] = header + ptx
            rows = []
            for architecture in ARCHITECTURES:
                if architecture < int(least.removeprefix("compute_")):
                    continue
                waits = collections.defaultdict(list)
                if architecture >= OLDEST_SHOWN:
                    # Lines are those of the file, which has its header before the PTX.
                    for kernel, line, many in batches.batches(ptxas, disassembler, header + ptx, architecture, scratch):
                        waits[kernel].append(f"{line}={many:g}")
                rows += [(kernel, f"sm_{architecture}", *numbers, " ".join(waits[kernel]))
                         for kernel, *numbers in resources(ptxas, ptx, architecture, scratch)]
            files[PTX / f"{name}.csv"] = table(rows)

    PTX.mkdir(exist_ok=True)
    stale = [path for path, text in files.items()
             if not path.exists() or path.read_bytes() != text.encode()]
    for path in stale:
        print(("differs: " if given.check else "written: ") + str(path.relative_to(KERNELS.parent)))
        if not given.check:
            path.write_bytes(files[path].encode())
    if not stale:
        print("kernels/ptx is up to date")
    return 1 if given.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
