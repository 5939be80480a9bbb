#!/usr/bin/env python3
"""Fit the numbers of src/gpu/model/rates.rs to measured cases, the held-out half left alone.

    target/release/deps/timing-* assets/recordings/reduce_h200.jsonl > reduce.jsonl   (and so on)
    python3 benches/timing/fit.py *.jsonl [--steps 10] [--predict FILE]

Needs numpy and scipy. `model` is the formula of src/gpu/model.rs once more, on what the
program wrote of each launch; PRIOR holds what every number starts from and, as a
factor, how far it may easily move (a log-normal prior: what was measured alone moves
little). The committed numbers came from two such fits, the second from where the first
ended, with the radix partition added: one from PRIOR lands near them, not on them.
Algorithms count alike, however many cases each has. The numbers go to standard output; --predict
writes all cases, the held-out ones too, as lines for `compare.py --lines`.
"""

import argparse
import json

import numpy as np
from scipy.optimize import least_squares

from compare import part

SMS, CLOCK = 132, 1.98e9
WAITS = ["arithmetic", "slow", "exchange", "shared", "shared_atomic", "near", "far", "atomic",
         "barrier", "branch", "issue"]
CLASSES = ["integer", "product", "float", "double", "special", "memory", "control"]
PRIOR = {
    "launch": (3.1e-6, .1), "next_launch": (3.15e-6, .1), "code": (.3, .7), "arithmetic": (4, .15),
    "slow": (20, .3), "exchange": (24, .15), "shared": (24, .15), "shared_atomic": (80, .4),
    "near": (39, .1), "far": (700, .1), "atomic": (800, .2), "barrier": (25, .3),
    "branch": (15, .3), "issue": (1, .2), "warm": (.5, .5), "block_start": (1.2, .1),
    "turnover": (100, .7), "integer": (.7, .15), "product": (.8, .2), "float": (.8, .2),
    "double": (2, .1), "special": (2, .15), "memory": (.8, .3), "control": (1.2, .2),
    "lsu": (1, .2), "wavefront": (1, .05), "atomic_wavefront": (1.8, .2), "l1": (128, .3),
    "l2": (64, .3), "l2_total": (4.5e12, .5), "dram_read": (2.8e12, .5), "dram_write": (2.5e12, .5),
    "slices": (1, .2), "look_back": (130, .5),
}


def residency(threads, registers, shared):
    """Blocks per multiprocessor of an H200, as src/gpu/occupancy.rs has it."""
    warps = -(-threads // 32)
    per_warp = (max(registers, 1) * 32 + 255) // 256 * 256
    taken = (shared + 127) // 128 * 128 + 1024
    return max(1, min(64 // warps, 32, 65536 // 4 // per_warp * 4 // warps, 228 * 1024 // taken))


def rows_of(index, case):
    """What the model sees of each launch of a case."""
    held = {}
    launches = [launch for launch in case["launches"] if "kernel" in launch]
    for number, launch in enumerate(launches):
        count = lambda name: launch["counters"].get(name, 0)
        cold = warm = written = 0.0
        for allocation, (size, loads, stores, atomics) in enumerate(launch["touched"]):
            here, before = size / 32, held.get(allocation, 0.0)
            loads, stores, atomics = min(here, loads), min(here, stores), min(here, atomics)
            cold += max(0.0, max(loads, atomics) - before) * 32
            warm += min(before, loads) * 32
            written += stores * 32
            held[allocation] = max(before, loads, stores, atomics)
        asked = sum(course["sectors"][0] for course in launch["courses"])
        found = sum(course["sectors"][1] for course in launch["courses"])
        chains = np.array([course["chain"] for course in launch["courses"]])
        nominal = chains @ np.array([5, 25, 25, 30, 70, 40, 600, 700, 25, 12, 1])
        yield {
            "case": index, "first": number == 0, "blocks": launch["blocks"],
            "resident": residency(launch["threads"], launch["registers"], launch["shared"]),
            "longest": chains[nominal.argmax()], "mean": chains.mean(0), "mix": launch["mix"],
            "code": max(course["code"] for course in launch["courses"]),
            "plain": count("shared_load_wavefronts") + count("shared_store_wavefronts"),
            "atomic": count("shared_atomic_wavefronts"), "loads": count("global_load_sectors"),
            "to_l2": count("global_load_sectors") * (1 - found / max(asked, 1))
                     + count("global_store_sectors"),
            "cold": cold, "written": written, "warm": warm / max(warm + cold, 1),
            "slices": launch["parts"].get("l2_atomics", 0.0),
            "look_back": float(launch.get("reads_others", "lookback" in launch["kernel"])),
        }


def model(p, t):
    """Seconds of every launch."""
    far = 1 - t["warm"] * (1 - p["warm"])
    cycles = np.array([p[name] for name in WAITS])

    def chain(waits):
        waits = waits.copy()
        waits[:, WAITS.index("far")] *= far
        return waits @ cycles

    longest, mean = chain(t["longest"]), chain(t["mean"]) + p["turnover"]
    its = np.ceil(t["blocks"] / SMS)
    resident = np.minimum(t["resident"], its)
    rounds, share = its / resident, its / t["blocks"]
    units = [
        t["mix"] @ np.array([p[name] for name in CLASSES]) / 4,
        t["mix"][:, CLASSES.index("memory")] * p["lsu"],
        t["plain"] * p["wavefront"] + t["atomic"] * p["atomic_wavefront"],
        t["loads"] * 32 / p["l1"],
        t["to_l2"] * 32 / p["l2"],
    ]
    busiest = np.maximum.reduce(units) * share
    look = t["look_back"] * p["look_back"] * resident * np.minimum(t["blocks"], SMS) / 32
    multiprocessor = longest + (rounds - 1) * mean + busiest + rounds * look
    whole = longest + np.maximum.reduce([
        (t["cold"] / p["dram_read"] + t["written"] / p["dram_write"]) * CLOCK,
        t["to_l2"] * 32 / p["l2_total"] * CLOCK,
        t["slices"] * p["slices"] * CLOCK,
        t["blocks"] * p["block_start"],
    ])
    body = (multiprocessor ** 8 + whole ** 8) ** (1 / 8) + p["code"] * t["code"]
    return np.where(t["first"], p["launch"], p["next_launch"]) + body / CLOCK


def table(cases):
    rows = [row for index, case in enumerate(cases) for row in rows_of(index, case)]
    return {name: np.array([row[name] for row in rows], dtype=None if name == "case" else float)
            for name in rows[0]}


def predict(p, t, count):
    return np.bincount(t["case"], weights=model(p, t), minlength=count)


def fit(cases, steps):
    t, measured = table(cases), np.array([case["seconds"] for case in cases])
    names = [case["algorithm"] for case in cases]
    weight = np.array([(len(names) / (names.count(name) * len(set(names)))) ** .5 for name in names])
    numbers = lambda x: {name: start * np.exp(spread * by)
                         for (name, (start, spread)), by in zip(PRIOR.items(), x)}

    def residuals(x):
        wrong = np.log(predict(numbers(x), t, len(cases)) / measured)
        return np.concatenate([wrong * weight, 0.05 * x])

    found = least_squares(residuals, np.zeros(len(PRIOR)), loss="soft_l1", f_scale=0.08,
                          max_nfev=steps)
    return numbers(found.x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lines", nargs="+", help="what the timing program wrote")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--predict", help="file for the predictions of all cases")
    arguments = parser.parse_args()
    cases = [json.loads(line) for name in arguments.lines for line in open(name)]
    numbers = fit([case for case in cases if part(case) == "fit"], arguments.steps)
    for name, value in numbers.items():
        print(f"{name:20} {value:.4g}")
    if arguments.predict:
        seconds = predict(numbers, table(cases), len(cases))
        with open(arguments.predict, "w") as out:
            for case, second in zip(cases, seconds):
                out.write(json.dumps({**case, "launches": [{"seconds": second}]}) + "\n")


if __name__ == "__main__":
    main()
