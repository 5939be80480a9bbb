#!/usr/bin/env python3
"""Join what Nsight Compute counted with which launch of the outside suite it was.

    python3 benches/timing/join.py FOLDER > benches/data/h200/suite_counters.csv

FOLDER holds ncu.txt and machine.txt of benches/timing/suite.sh. The profiler's rows come
in the order of the launches, and so do the lines of `timing suite-once` among them.
"""

import csv
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
lines = (folder / "ncu.txt").read_text(errors="replace").splitlines()
launches = [line.split(",")[1:4] for line in lines if line.startswith("launch,")]
counted = list(csv.DictReader(line for line in lines if line.startswith('"')))[1:]  # units
assert [row["Kernel Name"].split("(")[0] for row in counted] == [name for name, *_ in launches]
metrics = [name for name in counted[0] if name.endswith(".sum") or name == "sm__cycles_elapsed.max"]
print("# " + "; ".join((folder / "machine.txt").read_text().splitlines()))
print("# Command: benches/timing/suite.sh BINARY FOLDER")
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["kernel", "n", "block", *metrics])
for launch, row in zip(launches, counted):
    out.writerow([*launch, *(row[name].replace(",", "") for name in metrics)])
