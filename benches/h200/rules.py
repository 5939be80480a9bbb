#!/usr/bin/env python3
"""Check the rules for counting shared and atomic accesses against an H200.

    python3 benches/h200/rules.py [benches/data/h200/counters.csv]

Every access pattern that was profiled must give exactly what the rule says.
"""

import collections
import csv
import pathlib
import sys

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "h200" / "counters.csv"
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"


def words_per_bank(offsets, width):
    """Most different 4-byte words that these lanes touch in one of the 32 banks."""
    banks = collections.defaultdict(set)
    for offset in offsets:
        for byte in range(offset, offset + width, 4):
            banks[byte // 4 % 32].add(byte // 4)
    return max(map(len, banks.values()))


def groups(offsets, lanes):
    return [offsets[first:first + lanes] for first in range(0, 32, lanes)]


def wavefronts(offsets, width, load):
    """A plain access: 8 bytes go by half-warps and 16 bytes by quarter-warps. A
    load whose lanes all agree with their neighbour (lane ^ 1), or all with the
    lane two away (lane ^ 2), goes in groups of twice that size."""
    lanes = {4: 32, 8: 16, 16: 8}[width]
    alike = any(all(offsets[lane] == offsets[lane ^ away] for lane in range(32)) for away in (1, 2))
    if load and alike:
        lanes = min(32, 2 * lanes)
    return sum(words_per_bank(group, width) for group in groups(offsets, lanes))


def atomic_wavefronts(offsets, increment):
    """Adding the constant 1 with the result unused (ATOMS.POPC.INC) combines lanes
    on one word: as a 4-byte access. Every other addition (ATOMS.ADD) is done lane
    by lane within a bank."""
    if increment:
        return words_per_bank(offsets, 4)
    return max(collections.Counter(offset // 4 % 32 for offset in offsets).values())


def atomic_passes(offsets):
    """Global memory: each 32-byte sector is passed as often as the most lanes on one
    of its words."""
    sectors = collections.defaultdict(collections.Counter)
    for offset in offsets:
        sectors[offset // 32][offset] += 1
    return sum(max(lanes.values()) for lanes in sectors.values())


checked, wrong = collections.Counter(), 0
for row in csv.DictReader(open(sys.argv[1] if len(sys.argv) > 1 else DATA)):
    params = dict(word.split("=") for word in row["params"].split())
    if "offsets" not in params:
        continue
    offsets = [int(offset) for offset in params["offsets"].split(";")]
    kernel = row["kernel"].removeprefix("probe_")
    warps = int(row["grid"]) * int(row["block"]) // 32
    accesses = warps * int(params["repeat"])
    if kernel.startswith("shared_load"):
        # Besides the measured accesses, the first warp reads once.
        measured = (int(row[SHARED + "ld.sum"]) - 1) / accesses
        expected = wavefronts(offsets, int(kernel.removeprefix("shared_load")), True)
    elif kernel.startswith("shared_store"):
        # ... and the block clears 1024 words.
        measured = (int(row[SHARED + "st.sum"]) - 32) / accesses
        expected = wavefronts(offsets, int(kernel.removeprefix("shared_store")), False)
    elif kernel.startswith("shared_"):
        measured = int(row[SHARED + "atom.sum"]) / accesses
        expected = atomic_wavefronts(offsets, kernel == "shared_one_unused")
    else:
        operation = "red" if kernel.endswith("unused") else "atom"
        measured = int(row[f"l1tex__t_sectors_pipe_lsu_mem_global_op_{operation}.sum"]) / accesses
        assert measured == int(row["lts__d_atomic_input_cycles_active.sum"]) / accesses
        expected = atomic_passes(offsets)
    checked[kernel] += 1
    if measured != expected:
        wrong += 1
        print(f"{kernel}: {measured} measured, {expected} by the rule: {params['offsets']}")
for kernel, count in sorted(checked.items()):
    print(f"{kernel}: {count} patterns")
print(f"{wrong} differ from the rule" if wrong else "all equal the rule")
sys.exit(wrong > 0)
