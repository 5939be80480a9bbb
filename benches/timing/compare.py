#!/usr/bin/env python3
"""Compare the timing model with the recordings: one call, from the recordings and the
program to a table of errors and a plot.

    cargo build --release --bench timing
    python3 benches/timing/compare.py target/release/deps/timing-* [--budget WARP_INSTRUCTIONS]
    python3 benches/timing/compare.py --cases benches/data/h200/timing.csv

Needs Python 3.9 and nothing else. With a program, every measured case of
assets/recordings/*_h200.jsonl that issues no more warp instructions than the budget
is emulated and predicted, and benches/data/h200/timing.csv is written anew; with
--cases, that file is read instead. Either way benches/data/h200/timing.md (errors) and
assets/screens/predicted.svg (plot) follow from it.

Cases are split once and for all: a SHA-256 of what identifies a case decides whether
it may be used for fitting or is held out. All of distance-histogram is outside: the
numbers of the model do not come from it. Errors are |predicted / measured - 1|.
"""

import argparse
import collections
import csv
import glob
import hashlib
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "benches/data/h200"
OUTSIDE = {"distance-histogram"}
# What a reader must know of the numbers that a table was made from.
NOTE = []
FROM_FIT = ["", "These predictions are those of `fit.py`, which has the formula of `src/gpu/model.rs`",
            "and its numbers; they were not made by the program case by case. Cases are those of at",
            "most some million warp instructions, so large sizes are few."]
FIELDS = ["algorithm", "variant", "block", "coarsen", "n", "params", "part", "measured", "predicted"]


def part(case):
    """`fit`, `held-out` or `outside`."""
    if case["algorithm"] in OUTSIDE:
        return "outside"
    key = "%s %s %d %d %d %s" % (case["algorithm"], case["variant"], case["block"],
                                 case["coarsen"], case["n"],
                                 json.dumps(case["params"], sort_keys=True))
    return "held-out" if hashlib.sha256(key.encode()).digest()[0] & 1 else "fit"


def emulate(program, recordings, budget):
    """Predicted and measured seconds of every case that is within the budget."""
    for recording in recordings:
        command = [program, recording, "--budget", str(budget)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            for line in running.stdout:
                yield json.loads(line)


def rows_of(cases):
    """The lines of timing.csv."""
    for case in cases:
        if not any("kernel" in launch for launch in case["launches"]):
            NOTE[:] = FROM_FIT
        predicted = sum(launch.get("seconds", 0) for launch in case["launches"])
        params = ";".join(f"{name}={value}" for name, value in sorted(case["params"].items()))
        yield {"algorithm": case["algorithm"], "variant": case["variant"], "block": case["block"],
               "coarsen": case["coarsen"], "n": case["n"], "params": params,
               "part": part(case), "measured": case["seconds"],
               "predicted": float("%.4g" % predicted)}


def errors(rows):
    """Number, mean, 95th percentile."""
    each = sorted(abs(row["predicted"] / row["measured"] - 1) for row in rows)
    if not each:
        return 0, math.nan, math.nan
    return len(each), sum(each) / len(each), each[min(len(each) - 1, int(0.95 * len(each)))]


def kendall(groups):
    """Mean over groups of Kendall's tau-a, of pairs whose measured times differ by 2 %."""
    taus = []
    for rows in groups:
        score = pairs = 0
        for i, a in enumerate(rows):
            for b in rows[:i]:
                if abs(math.log(a["measured"] / b["measured"])) < 0.02:
                    continue
                pairs += 1
                measured = a["measured"] - b["measured"]
                predicted = a["predicted"] - b["predicted"]
                score += 1 if measured * predicted > 0 else -1 if measured * predicted < 0 else 0
        if pairs:
            taus.append(score / pairs)
    return len(taus), sum(taus) / len(taus) if taus else math.nan


def grouped(rows, *names):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return list(groups.values())


def best_block(rows):
    """How often the best predicted block size is at most one step from the best measured."""
    hits = cases = 0
    for group in grouped(rows, "algorithm", "variant", "coarsen", "n", "params"):
        blocks = sorted({row["block"] for row in group})
        if len(blocks) < 3:
            continue
        cases += 1
        measured = min(group, key=lambda row: row["measured"])
        predicted = min(group, key=lambda row: row["predicted"])
        # As good as the best within 2 % is as good as the best.
        good = [row for row in group if row["measured"] <= 1.02 * measured["measured"]]
        place = blocks.index(predicted["block"])
        hits += any(abs(blocks.index(row["block"]) - place) <= 1 for row in good)
    return cases, hits / cases if cases else math.nan


def report(rows):
    out = ["# The timing model against an H200", "",
           "Written by `benches/timing/compare.py` from `timing.csv`; errors are",
           "|predicted / measured - 1|. `fit` was used for fitting, `held-out` was not,",
           "`outside` is an algorithm left out of the fit; half of its cases were looked at",
           "while the formula was sought. The same kernels, at other sizes, are in both halves.",
           *NOTE, "",
           "| part | algorithm | cases | mean | 95th percentile |", "|---|---|--:|--:|--:|"]
    for name in ["fit", "held-out", "outside"]:
        those = [row for row in rows if row["part"] == name]
        for algorithm in sorted({row["algorithm"] for row in those}):
            count, mean, high = errors([r for r in those if r["algorithm"] == algorithm])
            out.append(f"| {name} | {algorithm} | {count} | {mean:.1%} | {high:.1%} |")
        count, mean, high = errors(those)
        out.append(f"| **{name}** | all | {count} | **{mean:.1%}** | **{high:.1%}** |")
    held = [row for row in rows if row["part"] == "held-out"]
    out += ["", "| held-out | cases | mean | 95th percentile |", "|---|--:|--:|--:|"]
    for low in range(4, 28, 4):
        those = [r for r in held if 2 ** low <= r["n"] < 2 ** (low + 4)]
        count, mean, high = errors(those)
        if count:
            out.append(f"| 2^{low} <= n < 2^{low + 4} | {count} | {mean:.1%} | {high:.1%} |")
    all_in = [row for row in rows if row["part"] != "outside"]
    for label, those in [("held-out", held), ("fit and held-out", all_in)]:
        groups, tau = kendall(grouped(those, "algorithm", "n", "params"))
        out += ["", f"Kendall rank correlation of variants and configurations at each n, {label}: "
                    f"**{tau:.3f}** over {groups} groups (pairs measured within 2 % left out)."]
    cases, share = best_block(all_in)
    out += ["", f"Best block size within one step: **{share:.0%}** of {cases} lines (most have three "
            "sizes, so that one step is much)."]
    out += ["", "The ten worst held-out cases:", "",
            "| case | measured | predicted | |", "|---|--:|--:|--:|"]
    held.sort(key=lambda row: -abs(math.log(row["predicted"] / row["measured"])))
    for row in held[:10]:
        out.append(f"| {row['algorithm']} {row['variant']}, block {row['block']}, coarsen "
                   f"{row['coarsen']}, n = {row['n']}, {row['params']} | "
                   f"{row['measured'] * 1e6:.1f} µs | {row['predicted'] * 1e6:.1f} µs | "
                   f"{row['predicted'] / row['measured'] - 1:+.0%} |")
    return "\n".join(out) + "\n"


COLOURS = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5"]


def plot(rows):
    """Predicted against measured seconds, both logarithmic, as SVG."""
    width, height, left, top, size = 760, 620, 70, 30, 520
    low, high = -5.6, max(math.log10(max(r["measured"], r["predicted"])) for r in rows)
    high = math.ceil(2 * high) / 2
    x = lambda s: left + (math.log10(s) - low) / (high - low) * size
    y = lambda s: top + size - (math.log10(s) - low) / (high - low) * size
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           'font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for exponent in range(math.ceil(low), math.floor(high) + 1):
        label = {-5: "10 µs", -4: "100 µs", -3: "1 ms", -2: "10 ms", -1: "100 ms", 0: "1 s"}[exponent]
        s = 10 ** exponent
        out += [f'<line x1="{x(s):.1f}" x2="{x(s):.1f}" y1="{top}" y2="{top + size}" stroke="#ddd"/>',
                f'<line y1="{y(s):.1f}" y2="{y(s):.1f}" x1="{left}" x2="{left + size}" stroke="#ddd"/>',
                f'<text x="{x(s):.1f}" y="{top + size + 18}" text-anchor="middle">{label}</text>',
                f'<text x="{left - 6}" y="{y(s) + 4:.1f}" text-anchor="end">{label}</text>']
    ends = 10 ** low, 10 ** high
    for factor, dash in [(1, ""), (1.2, "4 4"), (1 / 1.2, "4 4")]:
        a, b = (ends[0] * max(1, 1 / factor), ends[1] * min(1, 1 / factor))
        out.append(f'<line x1="{x(a):.1f}" y1="{y(a * factor):.1f}" x2="{x(b):.1f}" '
                   f'y2="{y(b * factor):.1f}" stroke="#555" stroke-dasharray="{dash}"/>')
    names = sorted({row["algorithm"] for row in rows})
    for row in sorted(rows, key=lambda row: row["part"] == "held-out"):
        colour = COLOURS[names.index(row["algorithm"]) % len(COLOURS)]
        fill = colour if row["part"] == "held-out" else "none"
        out.append(f'<circle cx="{x(row["measured"]):.1f}" cy="{y(row["predicted"]):.1f}" r="2.5" '
                   f'fill="{fill}" stroke="{colour}" stroke-width="0.8"/>')
    for index, name in enumerate(names):
        at = top + 12 + 20 * index
        colour = COLOURS[index % len(COLOURS)]
        out += [f'<circle cx="{left + size + 20}" cy="{at - 4}" r="5" fill="{colour}"/>',
                f'<text x="{left + size + 30}" y="{at}">{name}</text>']
    at = top + 30 + 20 * len(names)
    for text in ["filled: held out", "open: fit, outside", "dashed: ±20 %"]:
        out.append(f'<text x="{left + size + 14}" y="{at}">{text}</text>')
        at += 18
    out += [f'<text x="{left + size / 2}" y="{height - 30}" text-anchor="middle">measured on an H200</text>',
            f'<text transform="translate(16 {top + size / 2}) rotate(-90)" text-anchor="middle">'
            'predicted</text>', "</svg>"]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", help="the timing program")
    parser.add_argument("--budget", type=int, default=50_000_000)
    parser.add_argument("--cases", help="a timing.csv in place of the program")
    parser.add_argument("--lines", nargs="*", help="what the program wrote earlier")
    arguments = parser.parse_args()
    path = DATA / "timing.csv"
    if arguments.cases:
        path = pathlib.Path(arguments.cases)
    else:
        if arguments.lines:
            cases = (json.loads(line) for name in arguments.lines for line in open(name))
        else:
            recordings = sorted(glob.glob(str(ROOT / "assets/recordings/*_h200.jsonl")))
            cases = emulate(arguments.program, recordings, arguments.budget)
        unique = {}
        for row in rows_of(cases):
            unique[tuple(row[name] for name in FIELDS[:6])] = row
        with open(path, "w", newline="") as out:
            writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(unique[key] for key in sorted(unique))
    rows = list(csv.DictReader(open(path)))
    for row in rows:
        for name in ["block", "coarsen", "n"]:
            row[name] = int(row[name])
        for name in ["measured", "predicted"]:
            row[name] = float(row[name])
    text = report(rows)
    (DATA / "timing.md").write_text(text)
    (ROOT / "assets/screens/predicted.svg").write_text(plot(rows))
    print(text)


if __name__ == "__main__":
    main()
