#!/usr/bin/env python3
"""Join what Nsight Compute counted with which probe it was.

    python3 benches/h200/join.py FOLDER > benches/data/h200/counters.csv

FOLDER holds run.sh's output. The profiler's rows come in the order of the
launches, and so do the lines of `h200 once`, which it prints among them.
"""

import csv
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])


def rows(name):
    """(launches, profile): the probes' own lines and the profiler's rows."""
    lines = (folder / name).read_text().splitlines()
    launches = list(csv.DictReader(line for line in lines
                                   if line[:1].isdigit() or line.startswith("index,")))
    profile = list(csv.DictReader(line for line in lines if line.startswith('"')))[1:]  # units
    assert len(launches) == len(profile), (len(launches), len(profile))
    return launches, profile


launches, hardware = rows("counters_hardware.csv")
_, sass = rows("counters_sass.csv")
metrics = [(table, name) for table in (hardware, sass) for name in table[0]
           if name.endswith((".sum", ".pct")) and "profiler" not in name and "occupancy" not in name
           and "maximum" not in name or name == "memory_l2_theoretical_sectors_global"]
keys = ["index", "kernel", "grid", "block", "params"]
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(keys + [name for _, name in metrics])
for index, launch in enumerate(launches):
    assert hardware[index]["Kernel Name"] == sass[index]["Kernel Name"] == launch["kernel"]
    out.writerow([launch[key] for key in keys] + [table[index][name].replace(",", "") for table, name in metrics])
