#!/usr/bin/env python3
"""Compare the program's predictions with what an H200 measured: one call, from the
recordings and the program to a table of errors and a plot.

    cargo build --release --bench timing
    python3 benches/timing/compare.py target/release/deps/timing-* [--counts FOLDER]
    python3 benches/timing/compare.py --predictions FILE   (what `timing predict` wrote)
    python3 benches/timing/compare.py --cases benches/data/h200/timing.csv

Needs Python 3.9 and nothing else. The program emulates the cases as it does for a user,
all blocks or a sample, keeps what its model sees of them in FOLDER (target/timing unless
given), which a second call does not emulate again, and predicts. Cases that would issue
more warp instructions than the budget are left out. benches/data/h200/timing.csv,
timing.md and assets/screens/predicted.svg follow from the predictions.

The model was fitted to the parts fit, outside, suite-fit, suite-report, blind and blind-2, and to random
to random-7:
  fit, held-out   cases of assets/recordings, split once and for all by a SHA-256 of what
                  identifies a case (its first byte even or odd)
  fresh           benches/data/h200/fresh.jsonl: the same systems at block sizes,
                  coarsenings and sizes that no recording has
  again           benches/data/h200/again.jsonl: the same way, others, measured later still
  random, random-2 to random-21
                  benches/data/h200/random*.jsonl: the same systems, cases drawn by `timing draw` and
                  kept, each set until one more form of the model was frozen
  outside         benches/data/h200/outside.jsonl: thirteen kernels that no system has
  suite-fit, suite-report
                  benches/data/h200/suite.jsonl: 88 kernels that no system has, in two halves;
                  an earlier model was fitted to the first half only
  blind, blind-2 to blind-12
                  benches/data/h200/suite_blind*.jsonl: kernels written by someone who had not worked
                  on the model, and kept likewise from those who did
Errors are |predicted / measured - 1|.
"""

import argparse
import collections
import csv
import glob
import itertools
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "benches/data/h200"
RANDOM = ["random", *(f"random-{number}" for number in range(2, 22))]
SUITE = ["suite-fit", "suite-report"]
BLIND = ["blind", *(f"blind-{number}" for number in range(2, 13))]
# Blind sets and random cases whose first comparison is in first.csv, and all that nothing is fitted to.
FIRST = {"blind": BLIND[4:12], "random": RANDOM[5:21]}
UNFITTED = {"blind": BLIND[2:], "random": RANDOM[7:]}
# Kernels of no system.
OTHERS = ["outside", *SUITE, *BLIND]
PARTS = ["fit", "held-out", "fresh", "again", *RANDOM, *OTHERS]
# Recordings after the first fresh one, and their parts.
LATER = {part.replace("-", "_"): part for part in ["again", *RANDOM]}
# What the cases have in common that Kendall's tau compares, where not as usual.
COMPARED = {"outside": ["variant", "n"], **dict.fromkeys(RANDOM, ["algorithm"]), **dict.fromkeys(SUITE + BLIND, [])}
FIELDS = ["algorithm", "variant", "block", "coarsen", "n", "params", "part", "sampled", "measured",
          "predicted", "bound_by", "low_confidence"]


# Warp instructions of a case that is not sampled, at most, and its largest n, where not as
# usual.
SETTINGS = {"distance_histogram_h200": (12_000_000, 1 << 40), "outside": (3_000_000, 1 << 40)}


def emulate(program, folder, budget):
    """What the model sees of every case that is within the budget: a file for each source."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    recordings = sorted(glob.glob(str(ROOT / "assets/recordings/*_h200.jsonl")))
    sources = [("counts", pathlib.Path(path)) for path in recordings]
    sources += [("counts", DATA / f"{name}.jsonl") for name in ["fresh", *LATER]]
    suites = ["suite", *("suite_" + part.replace("-", "_") for part in BLIND)]
    sources += [("outside", DATA / "outside.jsonl"), *(("suite", DATA / f"{name}.jsonl") for name in suites)]
    for mode, source in sources:
        if not source.exists():
            continue
        most, largest = SETTINGS.get(source.stem, (budget, 1 << 40))
        path = folder / f"{source.stem}.{most}.jsonl"
        files.append(path)
        if not path.exists():
            partial = path.with_suffix(".partial")
            with open(partial, "w") as out:
                subprocess.run([program, mode, source, "--budget", str(most), "--most", str(largest), "--report"], stdout=out, check=True)
            partial.rename(path)
    return files


def predict(program, file, factors):
    """The program's predictions of the cases in a file."""
    others = ["--factors", factors] if factors else []
    done = subprocess.run([program, "predict", file, *others], check=True, stdout=subprocess.PIPE, text=True)
    later = LATER.get(file.name.split(".")[0], "fresh")
    return [line.replace('"part":"fresh"', f'"part":"{later}"') for line in done.stdout.splitlines()]


def rows_of(lines):
    """The lines of timing.csv."""
    for line in lines:
        case = json.loads(line)
        about = case["case"]
        params = ";".join(f"{name}={value}" for name, value in sorted(about["params"].items()))
        longest = max(case["launches"], key=lambda launch: launch["seconds"], default={})
        yield {"algorithm": about["algorithm"], "variant": about["variant"], "block": about["block"],
               "coarsen": about["coarsen"], "n": about["n"], "params": params,
               "part": case["part"], "sampled": int(case["sampled"]),
               "measured": float("%.5g" % case["seconds"]),
               "predicted": float("%.5g" % case["predicted"]),
               "bound_by": longest.get("bound_by", ""),
               "low_confidence": "; ".join(sorted({reason for launch in case["launches"]
                                                   for reason in launch.get("low_confidence", [])}))}


def errors(rows):
    """Number, mean, median, 95th percentile."""
    each = sorted(error(row) for row in rows)
    if not each:
        return 0, math.nan, math.nan, math.nan
    at = lambda share: each[min(len(each) - 1, int(share * len(each)))]
    return len(each), sum(each) / len(each), at(0.5), at(0.95)


def error(row):
    return abs(row["predicted"] / row["measured"] - 1)


def said(rows):
    """Of the cases more than 30 % off, the share that says so; of all, the share that does."""
    off = [row for row in rows if error(row) > 0.3]
    warned = [row for row in rows if row["low_confidence"]]
    right = [row for row in off if row["low_confidence"]]
    share = f"{len(right)} of {len(off)}" if off else "none is"
    return f"{share}; {len(warned)} of all {len(rows)}"


def kendall(groups):
    """Kendall's tau-a of pairs whose measured times differ by 2 %: the number of groups
    that have such pairs, the mean over groups, and that of all pairs together."""
    taus = []
    all_pairs = all_score = 0
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
            all_pairs += pairs
            all_score += score
    if not taus:
        return 0, math.nan, math.nan
    return len(taus), sum(taus) / len(taus), all_score / all_pairs


def pooled(rows, sets):
    """A line for each kind of parts together: errors, Kendall's tau, confidence."""
    for kind, parts in sets.items():
        those = [row for row in rows if row["part"] in parts]
        count, mean, median, high = errors(those)
        pairs = kendall([those] if kind == "blind" else grouped(those, "part", "algorithm"))[2]
        products = percent(errors([row for row in those if row["algorithm"] == "matmul"])[1])
        yield (f"| {parts[0]} to {parts[-1]} | {count} | {percent(mean)} | {percent(median)} | {percent(high)} | "
               f"{pairs:.3f} | {products} | {said(those)} |")


def grouped(rows, *names):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return list(groups.values())


def best_block(rows, least, most):
    """How often the best predicted block size is at most one step from the best measured,
    of lines with so many block sizes."""
    hits = cases = 0
    for group in grouped(rows, "algorithm", "variant", "coarsen", "n", "params"):
        blocks = sorted({row["block"] for row in group})
        if not least <= len(blocks) <= most:
            continue
        cases += 1
        measured = min(group, key=lambda row: row["measured"])
        predicted = min(group, key=lambda row: row["predicted"])
        # As good as the best within 2 % is as good as the best.
        good = [row for row in group if row["measured"] <= 1.02 * measured["measured"]]
        place = blocks.index(predicted["block"])
        hits += any(abs(blocks.index(row["block"]) - place) <= 1 for row in good)
    return cases, hits / cases if cases else math.nan


def percent(value):
    return "" if math.isnan(value) else f"{value:.1%}"


def name_of(row):
    coarsen = f", coarsen {row['coarsen']}" if row["coarsen"] != 1 else ""
    return (f"{row['algorithm']} {row['variant']}, block {row['block']}{coarsen}, n = {row['n']}, "
            f"{row['params']}").rstrip(", ")


def worst(rows, count=10, each=2):
    """The worst of the rows by ratio, at most so many of one variant."""
    taken = collections.Counter()
    for row in sorted(rows, key=lambda row: -abs(math.log(row["predicted"] / row["measured"]))):
        key = row["algorithm"], row["variant"]
        if taken[key] < each and sum(taken.values()) < count:
            taken[key] += 1
            yield row


def orders(rows):
    """By system and parameters, at its largest size: each variant's fastest configuration against each
    other's. Yields a line of a table: how many are in the predicted order, and those that are not."""
    for of_system in sorted(grouped(rows, "algorithm"), key=lambda those: those[0]["algorithm"]):
        system = of_system[0]["algorithm"]
        largest = max(row["n"] for row in of_system)
        pairs, wrong = 0, []
        for group in grouped([row for row in of_system if row["n"] == largest], "params"):
            best = [min(those, key=lambda row: row["measured"]) for those in grouped(group, "variant")]
            for a, b in itertools.combinations(best, 2):
                measured, predicted = (math.log(a[key] / b[key]) for key in ("measured", "predicted"))
                if abs(measured) > 0.02:
                    pairs += 1
                    if measured * predicted <= 0:
                        wrong.append(f"`{a['variant']}` and `{b['variant']}`")
        if pairs:
            yield f"| {system} | {largest} | {pairs - len(wrong)} of {pairs} | {', '.join(wrong)} |"


def report(rows):
    of = {name: [row for row in rows if row["part"] == name] for name in PARTS}
    out = ["# The timing model against an H200", "",
           "Written by `benches/timing/compare.py` from `timing.csv`: the program's own",
           "predictions, case by case, beside what an H200 measured (driver 580.159.04).",
           "Errors are |predicted / measured - 1|.", "",
           "- **fit**: one half of the cases of `assets/recordings`, by the first bit of a hash of the",
           "  case's identity. The model's factors are fitted to it.",
           "- **held-out**: the other half. It has the same kernels, block sizes and inputs, in other",
           "  combinations of size, block and coarsening.",
           "- **fresh**: the same systems, measured later on another H200, with block sizes,",
           "  coarsenings and sizes that no recording has (`fresh.jsonl`).",
           "- **again**: the same systems with further values, on one more H200 (`again.jsonl`), measured",
           "  when the model already used waits from machine code. The first comparison was 7.8 % off,",
           "  24.1 % at the 95th percentile, Kendall 0.940; partial stores and double precision were",
           "  added to the model after that.",
           "- **random**, **random-2** to **random-21**: the same systems: cases drawn by `timing draw` (any",
           "  variant, parameter and input, block sizes that are no powers of two, odd n), measured, and kept",
           "  until one more form of the model was frozen: `timing draw --seed N --count 240 --record >",
           "  random_N.jsonl` for set N from 5 on, but seeds 1818, 1919, 2020 and 2121 for the last four; 320 cases with the seeds",
           "  700146788 and 1795382871 for the first two, 240 with 1795392647 and 1795471203 for the next. The first",
           "  seven are fitted now.",
           "- **outside**: thirteen kernels of no system (`outside.jsonl`, `benches/timing/outside.cu`).",
           "- **suite-fit, suite-report**: 88 kernels of no system, in 42 classes, each at three sizes",
           "  (`suite.jsonl`, `benches/timing/suite`), split by kernel before any of them was measured.",
           "  An earlier model was fitted to the first half only; now both halves are fitted.",
           "- **blind**, **blind-2** to **blind-12**: more kernels of no system, each at three sizes",
           "  (`suite_blind*.jsonl`, `benches/timing/suite/blind*`). Each set was written by someone who had not",
           "  worked on the model, and nobody who did saw its kernels, times or predictions before one more",
           "  form of the model was frozen. After that the model was changed with its errors in view.",
           "  `docs/accuracy.md` has the first comparison of each set and what it showed. The first two are",
           "  fitted now.",
           "", "**fit**, **outside**, **suite-fit**, **suite-report**, **blind**, **blind-2** and **random** to **random-7**",
           "were fitted; `timing folds` says how far off kernels of no system are where a fit has not seen them.",
           "**held-out**, **fresh**, **again** and the other random sets but the last had been compared with earlier",
           "forms of the model.", "",
           "| part | cases | mean | median | 95th percentile | Kendall | best block within one step, 3 sizes | 4 and more |",
           "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for name in PARTS:
        if not of[name]:
            continue
        count, mean, median, high = errors(of[name])
        groups, tau, pairs = kendall(grouped(of[name], *COMPARED.get(name, ["algorithm", "n", "params"])))
        cells = []
        for least, most in [(3, 3), (4, 99)]:
            cases, share = best_block(of[name], least, most)
            cells.append(f"{share:.0%} of {cases}" if cases else "")
        out.append(f"| **{name}** | {count} | **{percent(mean)}** | **{percent(median)}** | **{percent(high)}** | **{pairs:.3f}**, "
                   f"{tau:.3f} of {groups} | {cells[0]} | {cells[1]} |")
    both = of["fit"] + of["held-out"]
    cells = [best_block(both, 3, 3), best_block(both, 4, 99)]
    groups, tau, pairs = kendall(grouped(both, "algorithm", "n", "params"))
    out.append(f"| fit and held-out | {len(both)} | | | | {pairs:.3f}, {tau:.3f} of {groups} | "
               + " | ".join(f"{share:.0%} of {cases}" for cases, share in cells) + " |")
    out += ["", "Kendall's tau compares variants and configurations of one size and set of parameters (outside:",
            "configurations of one kernel and size; random: all cases of one system; suite and blind: all",
            "cases of the part). The first number is over all such pairs, the second the mean over the groups; some groups",
            "have two cases. Pairs measured within 2 % of each other are left out. A line of block sizes",
            "counts as right if the best predicted size is at most one step from one that is within 2 % of",
            "the best measured.", "",
            "Variants at the largest size above, each with its fastest block size and coarsening; pairs measured",
            "within 2 % of each other are left out:", "",
            "| system | n | in the measured order | not |", "|---|--:|--:|---|", *orders(both), "",
            "Cases more than 30 % off whose prediction says `low confidence`; and all that do:", ""]
    out += [f"- {name}: {said(of[name])}" for name in PARTS if of[name]]
    head = ["| parts | cases | mean | median | 95th percentile | Kendall | matrix products | more than 30 % off, with low confidence |",
            "|---|--:|--:|--:|--:|--:|--:|---|"]
    out += ["", "Kernels of no system and random cases that nothing is fitted to, now:", "", *head, *pooled(rows, UNFITTED),
            "", "The same when each was first compared with a model that had been frozen before anyone saw it (`first.csv`):",
            "", *head, *pooled(read(DATA / "first.csv"), FIRST)]
    out += ["", "| part | system | cases | sampled | mean | median | 95th percentile |", "|---|---|--:|--:|--:|--:|--:|"]
    for name in PARTS:
        key = "variant" if name in OTHERS else "algorithm"
        for system in sorted({row[key] for row in of[name]}):
            those = [r for r in of[name] if r[key] == system]
            count, mean, median, high = errors(those)
            sampled = sum(row["sampled"] for row in those)
            out.append(f"| {name} | {system} | {count} | {sampled or ''} | {percent(mean)} | "
                       f"{percent(median)} | {percent(high)} |")
    out += ["", "| size | held-out | mean | 95th percentile | fresh and again | mean | 95th percentile |",
            "|---|--:|--:|--:|--:|--:|--:|"]
    for low in range(4, 32, 4):
        line = []
        for those in [of["held-out"], of["fresh"] + of["again"]]:
            count, mean, _, high = errors([r for r in those if 2 ** low <= r["n"] < 2 ** (low + 4)])
            line += [count or "", percent(mean), percent(high)]
        if any(line):
            out.append(f"| 2^{low} <= n < 2^{low + 4} | " + " | ".join(str(cell) for cell in line) + " |")
    for name in PARTS[1:]:
        if not of[name]:
            continue
        out += ["", f"The ten worst cases, {name} (at most two of a variant):", "",
                "| case | measured | predicted | | bound by |", "|---|--:|--:|--:|---|"]
        for row in worst(of[name]):
            out.append(f"| {name_of(row)} | {row['measured'] * 1e6:.1f} µs | "
                       f"{row['predicted'] * 1e6:.1f} µs | {row['predicted'] / row['measured'] - 1:+.0%} | "
                       f"{row['bound_by']} |")
    text = "\n".join(out) + "\n"
    notes = DATA / "timing_notes.md"
    return text + ("\n" + notes.read_text() if notes.exists() else "")


COLOURS = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5",
           "#9c6b4e"]


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
        label = {-5: "10 µs", -4: "100 µs", -3: "1 ms", -2: "10 ms", -1: "100 ms", 0: "1 s", 1: "10 s", 2: "100 s"}[exponent]
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
    for row in sorted(rows, key=lambda row: row["part"] != "fit"):
        colour = COLOURS[names.index(row["algorithm"]) % len(COLOURS)]
        fill = colour if row["part"] != "fit" else "none"
        out.append(f'<circle cx="{x(row["measured"]):.1f}" cy="{y(row["predicted"]):.1f}" r="2" '
                   f'fill="{fill}" stroke="{colour}" stroke-width="0.8"/>')
    for index, name in enumerate(names):
        at = top + 12 + 20 * index
        colour = COLOURS[index % len(COLOURS)]
        out += [f'<circle cx="{left + size + 20}" cy="{at - 4}" r="5" fill="{colour}"/>',
                f'<text x="{left + size + 30}" y="{at}">{name}</text>']
    at = top + 30 + 20 * len(names)
    for text in ["filled: not fitted to", "open: fitted to", "dashed: ±20 %"]:
        out.append(f'<text x="{left + size + 14}" y="{at}">{text}</text>')
        at += 18
    out += [f'<text x="{left + size / 2}" y="{height - 30}" text-anchor="middle">measured on an H200</text>',
            f'<text transform="translate(16 {top + size / 2}) rotate(-90)" text-anchor="middle">'
            'predicted</text>', "</svg>"]
    return "\n".join(out) + "\n"


def read(path):
    """The rows of a timing.csv, or of first.csv, whose `low_confidence` is 1 or 0."""
    rows = list(csv.DictReader(open(path)))
    for row in rows:
        for name in ["block", "coarsen", "n", "sampled"]:
            row[name] = int(row.get(name) or 0)
        for name in ["measured", "predicted"]:
            row[name] = float(row[name])
        # A comparison from before predictions said how far to trust them has none.
        row["low_confidence"] = row.get("low_confidence", "").removesuffix("0")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", help="the timing program")
    parser.add_argument("--budget", type=int, default=2_000_000, help="warp instructions of a case")
    parser.add_argument("--counts", type=pathlib.Path, default=ROOT / "target/timing",
                        help="folder for what the model sees of the cases")
    parser.add_argument("--factors", help="other factors than the program's: what `timing fit` wrote")
    parser.add_argument("--predictions", nargs="*", help="what `timing predict` wrote")
    parser.add_argument("--cases", help="a timing.csv in place of all that")
    arguments = parser.parse_args()
    path = DATA / "timing.csv"
    if arguments.cases:
        path = pathlib.Path(arguments.cases)
    else:
        if arguments.predictions:
            lines = [line for name in arguments.predictions for line in open(name)]
        else:
            files = emulate(arguments.program, arguments.counts, arguments.budget)
            lines = [line for file in files for line in predict(arguments.program, file, arguments.factors)]
        unique = {}
        for number, row in enumerate(rows_of(lines)):
            # Blocks of two shapes may have as many threads.
            shape = number if row["algorithm"] == "suite" else 0
            unique[*(str(row[name]) for name in FIELDS[:6]), shape] = row
        with open(path, "w", newline="") as out:
            writer = csv.DictWriter(out, FIELDS, lineterminator="\n")
            writer.writeheader()
            order = sorted(unique, key=lambda key: (PARTS.index(unique[key]["part"]), key[0], key[1], int(key[4]), key))
            writer.writerows(unique[key] for key in order)
    rows = read(path)
    text = report(rows)
    (DATA / "timing.md").write_text(text)
    (ROOT / "assets/screens/predicted.svg").write_text(plot(rows))
    print(text)


if __name__ == "__main__":
    main()
