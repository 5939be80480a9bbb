#!/usr/bin/env python3
"""What run.sh's measurements come to: whether repeated medians agree, whether
they agree with nvbench's, and how long 100 cases took.

    python3 benches/h200/method/report.py FOLDER

Reads twice.csv, nvbench.json, twice_1.jsonl, hundred.jsonl and
hundred_seconds.txt of FOLDER; writes nvbench.csv and report.txt there.
"""

import array
import csv
import json
import pathlib
import statistics
import sys

LONG = 20e-6  # above it medians have to agree within 1 %, below within 3 %


def twice(folder):
    """Yields lines about the two runs of the same experiment."""
    rows = [row for row in csv.DictReader(open(folder / "twice.csv")) if row["ratio"]]
    apart = []
    for row in rows:
        a, b = float(row["baseline_seconds"]), float(row["other_seconds"])
        bound = 0.01 if min(a, b) > LONG else 0.03
        off = max(a, b) / min(a, b) - 1
        if off > bound:
            apart.append(f"  beyond: {row['baseline_case']}: {a * 1e6:.3f} us, {b * 1e6:.3f} us ({off:.2%})")
    for name, keep in (("over 20 us", lambda t: t > LONG), ("shorter", lambda t: t <= LONG)):
        offs = [max(a, b) / min(a, b) - 1 for a, b in
                ((float(r["baseline_seconds"]), float(r["other_seconds"])) for r in rows) if keep(min(a, b))]
        if offs:
            yield f"twice, {name}: {len(offs)} cases, medians apart by {statistics.median(offs):.2%} " \
                  f"in the middle, {max(offs):.2%} at most"
    yield f"twice: {len(rows) - len(apart)} of {len(rows)} within 1 % (3 % up to 20 us)"
    yield from apart


def nvbench_medians(path):
    """Median, mean and number of nvbench's samples by case."""
    found = {}
    for state in json.load(open(path))["benchmarks"][0]["states"]:
        summaries = {it["tag"]: {d["name"]: d["value"] for d in it.get("data", [])}
                     for it in state.get("summaries") or []}
        name = state["axis_values"][0]["value"] if state.get("axis_values") else state["name"]
        binary = summaries.get("nv/json/bin:nv/cold/sample_times")
        if not binary:
            continue
        file = pathlib.Path(binary["filename"])
        for candidate in (file, path.parent / file, path.parent / file.name,
                          path.parent / (path.name + "-bin") / file.name):
            if candidate.is_file():
                samples = array.array("f", candidate.read_bytes())
                found[name] = statistics.median(samples), statistics.fmean(samples), len(samples)
                break
    return found


def against_nvbench(folder):
    """Yields lines about warpscope beside nvbench; writes nvbench.csv."""
    theirs, ours, counts = {}, {}, {}
    for name, (median, _, count) in nvbench_medians(folder / "nvbench.json").items():
        key = name.split(" #")[0]
        theirs.setdefault(key, []).append(median)
        counts.setdefault(key, count)
    for file in sorted([*folder.glob("twice_*.jsonl"), *folder.glob("places_*.jsonl")], reverse=True):
        for line in open(file):
            it = json.loads(line)
            usual = it["algorithm"] == "matmul" or (it["block"], it["coarsen"]) == (256, 64)
            if it.get("seconds") and usual:
                key = f"{it['algorithm']} {it['variant']} {it['n']}"
                ours.setdefault(key, []).append(it["seconds"]["median"])
    worst = 0
    with open(folder / "nvbench.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["case", "warpscope_seconds", "warpscope_processes", "warpscope_least", "warpscope_most",
                        "nvbench_seconds", "nvbench_loads", "nvbench_least", "nvbench_most", "nvbench_samples", "ratio"])
        for key in theirs:
            mine, yours = ours.get(key), theirs[key]
            if not mine:
                continue
            a, b = statistics.median(mine), statistics.median(yours)
            worst = max(worst, abs(a / b - 1))
            table.writerow([key, a, len(mine), min(mine), max(mine), b, len(yours), min(yours), max(yours),
                            counts[key], round(a / b, 5)])
            span = lambda times: f"{statistics.median(times) * 1e6:.3f}" + (
                f" ({min(times) * 1e6:.3f} to {max(times) * 1e6:.3f} in {len(times)})" if len(times) > 1 else "")
            yield f"nvbench: {key}: {span(mine)} us; nvbench {span(yours)}, {a / b - 1:+.2%}"
    yield f"nvbench: at most {worst:.2%} apart"


def hundred(folder):
    """Yields a line about the time that 100 cases took."""
    records = [json.loads(line) for line in open(folder / "hundred.jsonl")]
    seconds = float((folder / "hundred_seconds.txt").read_text())
    medians = [it["seconds"]["median"] for it in records if it.get("seconds")]
    yield f"hundred: {len(records)} cases of {min(medians) * 1e6:.1f} to {max(medians) * 1e6:.1f} us " \
          f"in {seconds:.2f} s; {sum(it['verified'] is True for it in records)} verified"


def main():
    folder = pathlib.Path(sys.argv[1])
    lines = []
    for part in (twice, against_nvbench, hundred):
        try:
            lines.extend(part(folder))
        except (OSError, KeyError, ValueError, IndexError) as error:
            lines.append(f"{part.__name__}: {type(error).__name__}: {error}")
    text = "\n".join(lines) + "\n"
    (folder / "report.txt").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
