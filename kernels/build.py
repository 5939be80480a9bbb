#!/usr/bin/env python3
"""Build the PTX of the kernels, and a table of the resources that each kernel uses.

    python3 kernels/build.py [--check] [--compilers FOLDER] [NAME ...]

The sources are kernels/*.cu, the teaching kernels, kernels/contracts/*.cu, the templates
for kernels of the user, and kernels/device/*.cu, which
measure a device. NAME.ptx and NAME.csv are written to the folder ptx/ beside the source.

Needs Python 3.9 or newer and PyPI; no GPU, no CUDA toolkit and no driver. The compilers
are pinned wheels, installed into a virtual environment in a temporary folder
(--compilers names a folder to keep them in):

  NVRTC 11.8   compiles CUDA C++ to PTX. This version still targets compute_50, and all
               drivers from R520 on load its PTX (ISA 7.8).
  NVRTC 12.0   does the same for compute_90 and newer: bulk copies, barriers that count
               bytes and `wgmma` need ISA 8.0. Drivers from R525 on load it.
  ptxas 13.0   assembles that PTX for each architecture and reports registers, shared
               memory and spills (NAME.csv). The driver that the recordings were made with
               (580) has the same one: others convert bytes in other ways, for example.
  ptxas 12.9   does the same for architectures before sm_75, which 13.0 no longer has.
  nvdisasm 13  disassembles the machine code, in which batches.py counts waits and
               issues.py instructions (columns of NAME.csv; from sm_75 on).

Sources are compiled for compute_50, which all GPUs from Maxwell on can run. A source
that needs more has a line such as `// Compiled for compute_70.`: independent progress
of lanes or blocks (spin locks, look-back). PTX for compute_90a runs on GPUs of compute
capability 9.0 only, and the table has that architecture only.

Each PTX file starts with a SHA-256 of the source, the options and the compiler's
version. `cargo test` recomputes it and fails if the PTX was not rebuilt. --check writes
nothing and fails if the committed files differ from what the compilers give.
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

import alone
import batches
import issues

KERNELS = pathlib.Path(__file__).resolve().parent
FOLDERS = [KERNELS, KERNELS / "device", KERNELS / "contracts"]
NVRTC = "nvidia-cuda-nvrtc-cu11==11.8.89"
# The oldest with PTX ISA 8.0, so that most drivers load what it writes.
NEWER_NVRTC = "nvidia-cuda-nvrtc-cu12==12.0.140"
# From this compute capability on, a source is compiled by the newer one.
NEWER_FROM = 90
PTXAS = "nvidia-cuda-nvcc==13.0.88"
OLDER_PTXAS = "nvidia-cuda-nvcc-cu12==12.9.86"
NVDISASM = "nvidia-cuda-nvdisasm==13.5.37"
OPTIONS = ["--std=c++14", "--generate-line-info"]
# The newer ptxas and the disassembler do not know older architectures.
OLDEST_SHOWN = 75
ARCHITECTURES = [50, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120]


def install(folder):
    """Make a virtual environment with the wheels if there is none; return (libnvrtc, nvdisasm)."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    NVRTC, NEWER_NVRTC, PTXAS, OLDER_PTXAS, NVDISASM], check=True)
    return tuple(next(folder.rglob(name)) for name in ["libnvrtc.so.11*", "bin/nvdisasm"])


def assembler(folder, architecture):
    """The ptxas for an architecture among those that `install` put there."""
    package = "cu13" if capability(architecture) >= OLDEST_SHOWN else "cuda_nvcc"
    return next(folder.rglob(f"{package}/bin/ptxas"))


def target(source):
    """The virtual architecture that the source asks for: `compute_50`, `compute_90a`."""
    found = re.search(r"^// Compiled for (compute_\d+a?)\.$", source, re.MULTILINE)
    return found[1] if found else "compute_50"


def capability(least):
    """The compute capability of an architecture: 90 for `compute_90a` and for `90a`."""
    return int(re.search(r"\d+", least)[0])


def architectures(least, of=ARCHITECTURES):
    """The architectures that run PTX for a virtual architecture, by the names that `ptxas` has."""
    number = capability(least)
    if least.endswith("a"):
        return [f"{number}a"]
    return [str(architecture) for architecture in of if architecture >= number]


def compiler(least):
    """The package of the NVRTC that compiles for a virtual architecture."""
    return NVRTC if capability(least) < NEWER_FROM else NEWER_NVRTC


def libraries(folder):
    """The NVRTC libraries that `install` put there, by package."""
    return {package: ctypes.CDLL(str(next(folder.rglob(f"libnvrtc.so.{major}*"))))
            for package, major in [(NVRTC, 11), (NEWER_NVRTC, 12)]}


def fingerprint(source, package, options):
    """SHA-256 over source, options and compiler. `tests/integration/ptx_fresh.rs` computes the same."""
    text = "\n".join([package, " ".join(options), source])
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
    """Yield (kernel, registers, static shared, stack, spill stores, spill loads, `NAME=WORDS` of the
    functions that it calls and that save registers): the spills are those of the kernel."""
    path = folder / "kernel.ptx"
    path.write_text(ptx)
    done = subprocess.run([ptxas, "-v", f"-arch=sm_{architecture}", path, "-o", folder / "out"],
                          check=True, capture_output=True, text=True)
    report = done.stdout + done.stderr
    # One "Compiling entry function" per kernel, then its stack line, then its registers.
    for part in report.split("Compiling entry function '")[1:]:
        stack = re.search(r"(\d+) bytes stack frame", part)
        kernel = part.split("'")[0]
        spills = re.findall(r"Function properties for (\S+)\s+\d+ bytes stack frame, (\d+) bytes spill stores, (\d+) bytes", part)
        stores, loads = next((int(stores), int(loads)) for name, stores, loads in spills if name == kernel)
        saves = [f"{name}={int(stores) // 4}" for name, stores, _ in spills if name != kernel and int(stores)]
        registers = re.search(r"Used (\d+) registers", part)
        shared = re.search(r"(\d+) bytes smem", part)
        yield (kernel, int(registers[1]), int(shared[1]) if shared else 0,
               int(stack[1]), stores, loads, " ".join(saves))


def table(rows):
    """The rows of one source's kernels as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["kernel", "architecture", "registers", "static_shared_bytes",
                     "stack_bytes", "spill_store_bytes", "spill_load_bytes", "waits", "issues", "ahead", "saves"])
    writer.writerows(sorted(rows, key=lambda row: (row[0], int(row[1].removeprefix("sm_")))))
    return text.getvalue()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    arguments.add_argument("--compilers", type=pathlib.Path, metavar="FOLDER", help="keep the compilers there")
    arguments.add_argument("names", nargs="*", metavar="NAME", help="sources to build, such as histogram [default: all]")
    given = arguments.parse_args()
    sources = [path for folder in FOLDERS for path in sorted(folder.glob("*.cu"))
               if not given.names or path.stem in given.names]
    if unknown := set(given.names) - {path.stem for path in sources}:
        arguments.error(f"no such source: {', '.join(sorted(unknown))}")

    files = {}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        compilers = (given.compilers or scratch / "venv").resolve()
        _, disassembler = install(compilers)
        nvrtc = libraries(compilers)
        # NVRTC puts the working directory into the PTX; from `/` every machine gives the same.
        os.chdir("/")
        for path in sources:
            name = path.relative_to(KERNELS.parent).as_posix()
            # Bytes, so that the hash does not depend on the platform's line endings.
            source = path.read_bytes().replace(b"\r\n", b"\n").decode()
            least = target(source)
            package, options = compiler(least), [f"--gpu-architecture={least}", *OPTIONS]
            ptx = compile_ptx(nvrtc[package], name, source, options)
            header = (f"// warpscope {name} sha256 {fingerprint(source, package, options)}\n"
                      f"// {package} {' '.join(options)}\n")
            files[path.parent / "ptx" / f"{path.stem}.ptx"] = header + ptx
            if path.parent.name == "contracts":
                continue  # A kernel of the user has no table either.
            rows = []
            for architecture in architectures(least):
                ptxas = assembler(compilers, architecture)
                waits, issued, ahead = (collections.defaultdict(list) for _ in range(3))
                if capability(architecture) >= OLDEST_SHOWN:
                    # Lines are those of the file, which has its header before the PTX.
                    listing = batches.disassemble(ptxas, disassembler, header + ptx, architecture, scratch)
                    without = ((kernel, line, 0) for kernel, line in issues.without(header + ptx, listing))
                    for kernel, line, many in sorted([*batches.batches(header + ptx, listing), *without]):
                        waits[kernel].append(f"{line}={many:g}")
                    for kernel, line, kinds in issues.issues(header + ptx, listing):
                        issued[kernel].append((line, kinds))
                    for kernel, line, many in alone.ahead(batches.machine(listing)):
                        ahead[kernel].append(f"{line}={many}")
                # The program looks for the row of a compute capability, which has no `a`.
                rows += [(kernel, f"sm_{capability(architecture)}", *numbers, " ".join(waits[kernel]), issues.column(issued[kernel]), " ".join(ahead[kernel]), saves)
                         for kernel, *numbers, saves in resources(ptxas, ptx, architecture, scratch)]
            files[path.parent / "ptx" / f"{path.stem}.csv"] = table(rows)

    stale = [path for path, text in files.items()
             if not path.exists() or path.read_bytes() != text.encode()]
    for path in stale:
        print(("differs: " if given.check else "written: ") + str(path.relative_to(KERNELS.parent)))
        if not given.check:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(files[path].encode())
    if not stale:
        print("the PTX is up to date")
    return 1 if given.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
