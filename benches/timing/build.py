#!/usr/bin/env python3
"""Build the PTX and the resources of the benchmark's kernels with the compilers of
kernels/build.py: benches/timing/outside.cu, and benches/timing/suite/**/*.cu.

    python3 benches/timing/build.py [FOLDER]

FOLDER keeps the compilers; without it, they come into a temporary folder.

PTX that is there stays: it is what was measured. To compile a source anew, delete its PTX,
and measure again.
"""

import collections
import os
import pathlib
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "kernels"))
import alone  # noqa: E402, kernels/alone.py
import batches  # noqa: E402, kernels/batches.py
import build  # noqa: E402, kernels/build.py
import issues  # noqa: E402, kernels/issues.py

HERE = REPOSITORY / "benches/timing"


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else scratch
        _, disassembler = build.install(folder)
        nvrtc = build.libraries(folder)
        # NVRTC puts the working directory into the PTX; from `/` every machine gives the same.
        os.chdir("/")
        for path in [HERE / "outside.cu", *sorted((HERE / "suite").rglob("*.cu"))]:
            source = path.read_text()
            least = build.target(source)
            kept = path.with_suffix(".ptx")
            if not kept.exists():
                options = [f"--gpu-architecture={least}", *build.OPTIONS]
                name = path.relative_to(REPOSITORY).as_posix()
                kept.write_text(build.compile_ptx(nvrtc[build.compiler(least)], name, source, options))
            ptx = kept.read_text()
            rows = []
            for architecture in build.architectures(least, [50, 70, 80, 90]):
                ptxas = build.assembler(folder, architecture)
                # The older thirteen stand for kernels of which nothing is known of their
                # waits; the suite for those of a user who has `ptxas` and `nvdisasm`.
                waits, issued, ahead = (collections.defaultdict(list) for _ in range(3))
                if path.parent != HERE and build.capability(architecture) >= build.OLDEST_SHOWN:
                    listing = batches.disassemble(ptxas, disassembler, ptx, architecture, scratch)
                    without = ((kernel, line, 0) for kernel, line in issues.without(ptx, listing))
                    for kernel, line, many in sorted([*batches.batches(ptx, listing), *without]):
                        waits[kernel].append(f"{line}={many:g}")
                    for kernel, line, kinds in issues.issues(ptx, listing):
                        issued[kernel].append((line, kinds))
                    for kernel, line, many in alone.ahead(batches.machine(listing)):
                        ahead[kernel].append(f"{line}={many}")
                rows += [(kernel, f"sm_{build.capability(architecture)}", *numbers, " ".join(waits[kernel]), issues.column(issued[kernel]), " ".join(ahead[kernel]), saves)
                         for kernel, *numbers, saves in build.resources(ptxas, ptx, architecture, scratch)]
            path.with_suffix(".csv").write_text(build.table(rows))


if __name__ == "__main__":
    main()
