#!/usr/bin/env python3
"""Compare predictions of kernels that users bring with what an H200 measured, with the compilers and tools of
this machine: those of the first 20 files of tests/own/right.

    cargo build --release
    python3 benches/timing/corpus.py target/release/warpscope

`ptxas` and `nvdisasm` are taken from PATH, if they are there; without them, what they would report is
estimated. Needs Python 3.9 and a compiler (`warpscope doctor` says which it found). Errors are
|predicted / measured - 1| over all cases of a file, and over all files.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def case(of, file):
    return (file, of["variant"], *(int(of[name]) for name in ["n", "block", "coarsen"]))


def errors(found):
    """Number, mean, median, 95th percentile."""
    found = sorted(found)
    at = lambda share: found[int(share * (len(found) - 1))]
    return (f"{len(found)} cases, mean {sum(found) / len(found):.1%}, "
            f"median {at(0.5):.1%}, 95th percentile {at(0.95):.1%}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("program", type=pathlib.Path, help="the warpscope to run, such as target/release/warpscope")
    program = arguments.parse_args().program.resolve()
    if not program.is_file():
        arguments.error(f"no such program: {program}")
    with open(ROOT / "benches/data/own_corpus_h200.csv") as text:
        rows = csv.DictReader(line for line in text if not line.startswith("#"))
        measured = {case(row, row["file"]): float(row["median"]) for row in rows}
    everything = []
    with tempfile.TemporaryDirectory() as folder:
        # Nothing that an earlier run with other tools has kept.
        environment = {**os.environ, "WARPSCOPE_CACHE": f"{folder}/cache"}
        for file in sorted({file for file, *_ in measured}):
            out = pathlib.Path(folder, file).with_suffix(".jsonl")
            command = [program, "sweep", ROOT / "tests/own/right" / file, "--backend", "emulator",
                       "--variant", "all", "-q", "-o", out]
            subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            found = []
            for line in out.read_text().splitlines() if out.exists() else []:
                record = json.loads(line)
                known = measured.get(case(record, file)) if record.get("seconds") else None
                if known:
                    found.append(abs(record["seconds"]["median"] / known - 1))
            print(f"{file}: {errors(found) if found else 'no case ran'}", flush=True)
            everything += found
    if everything:
        print(f"all: {errors(everything)}")


if __name__ == "__main__":
    main()
