#!/usr/bin/env python3
"""Write the PTX of tests/ptx_modern, its table of cases, and the plan of a recording.

    python3 benches/h200/modern/build.py FOLDER          # *.ptx and plan.json for run.sh
    python3 benches/h200/modern/build.py FOLDER RECORDED # also tests/ptx_modern, from RECORDED/out
"""

import json
import pathlib
import struct
import sys

import barriers  # noqa: F401
import clusters  # noqa: F401
import common
import fragments  # noqa: F401
import later_times  # noqa: F401
import matrices  # noqa: F401
import remote  # noqa: F401
import rows
import tensors
import times  # noqa: F401
import wgmma  # noqa: F401

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[2] / "tests" / "ptx_modern"
HEAD = ".version {}\n.target {}\n.address_size 64\n"
VERSIONS = {"matrix": "8.4", "times": "8.4", "remote": "8.1", "wgmma": "8.4", "later": "8.1"}
# Instructions of this architecture alone.
ALONE = {"wgmma", "tensor", "later"}
# What these leave open: the clock, and shared memory that nobody wrote.
# On several lanes, `min.s64` loses updates in another block, and `ptxas` adds `f16x2` as integers.
OPEN = {"far_min_s64", "far_add_f16x2", "mbar_poll", "bulk_in_32_0", "bulk_in_32_16", "bulk_in_48_0", "bulk_in_48_16"}
# Kernels that show addresses in shared memory, of which only the block's number is compared.
ADDRESSES = {f"cluster_{dims}" for dims in ("2_1_1", "2_2_1", "4_1_2", "8_1_1", "1_1_1")}


def fnv(data):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & ((1 << 64) - 1)
    return value


def texts():
    return {module: HEAD.format(VERSIONS.get(module, "8.0"), "sm_90a" if module in ALONE else "sm_90") + "".join(parts) for module, parts in common.MODULES.items()}


def maps(launch):
    """The tensor map of a launch: buffer, type, and the numbers of each dimension; whether the output is noise."""
    if "tensor" not in launch:
        return ""
    tensor = launch["tensor"]
    names = {number: name for name, (number, _) in tensors.TYPES.items()}
    lists = ["x".join(map(str, tensor[name])) for name in ("dims", "strides", "box", "steps")]
    swizzle = {number: span for span, number in tensors.SWIZZLES.items()}[tensor["swizzle"]]
    numbers = [swizzle, tensor["nan"], tensor["offset"], int(launch.get("fill", False))]
    return " ".join([tensor["of"], names[tensor["type"]], *(text or "-" for text in lists), *map(str, numbers)])


def row(launch, recorded):
    """The line of cases.csv and that of expected.txt."""
    grid = launch["grid"] if isinstance(launch["grid"], list) else [launch["grid"], 1, 1]
    threads = grid[0] * grid[1] * grid[2] * launch["block"]
    size = [launch.get(f"bytes_{way}") or threads * launch[f"words_{way}"] * 4 for way in ("in", "out")]
    kind = launch["input"]
    words = [kind[0]] + [f"{count}:{ty}" for count, ty in kind[1]] if kind[0] in ("mma", "cells") else kind
    by_block = launch["module"] in ("matrix", "rows", "wgmma", "remote")
    chunk = size[1] // grid[0] if by_block else size[1] if launch["module"] == "tensor" else min(size[1], 1024)
    data = (recorded / "out" / (launch["kernel"] + ".bin")).read_bytes()
    if launch["module"] == "mbar":
        chunk //= 2
        seen = [word for _, word in struct.iter_unpack("<QQ", data)]
        data = b"".join(struct.pack("<Q", word >> 32 or word) for word in seen)
    if launch["kernel"] in ADDRESSES:
        shown = list(struct.unpack(f"<{len(data) // 4}I", data))
        for at in range(0, len(shown), 64):
            shown[at + 17] &= 0xFF000000
            shown[at + 18] &= 0xFF000000
        data = struct.pack(f"<{len(shown)}I", *shown)
    if launch["module"] == "remote":
        # The word of the barrier, which `ptxas` reads at the start.
        data = b"".join(data[at:at + 4096] + bytes(8) + data[at + 4104:at + 8192] for at in range(0, len(data), 8192))
    hashes = " ".join(f"{fnv(data[at:at + chunk]):x}" for at in range(0, len(data), chunk))
    fields = [launch["module"], launch["kernel"], " ".join(map(str, grid)), launch["block"], *size, chunk, " ".join(words), maps(launch)]
    return ",".join(map(str, fields)), f"{launch['kernel']} {hashes}"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for module, text in texts().items():
        (folder / f"{module}.ptx").write_text(text)
    (folder / "plan.json").write_text(json.dumps({"plan": common.PLAN, "offsets": rows.OFF, "asked": tensors.ASKED}))
    if len(sys.argv) < 3:
        return
    wanted, seen = [], set(OPEN)
    for launch in common.PLAN:
        known = (pathlib.Path(sys.argv[2]) / "out" / (launch["kernel"] + ".bin")).exists()
        if launch["group"] not in ("times", "later", "tell") and launch["kernel"] not in seen and known:
            seen.add(launch["kernel"])
            wanted.append(row(launch, pathlib.Path(sys.argv[2])))
    head = "file,kernel,grid,block,bytes_in,bytes_out,chunk,input,map"
    (TESTS / "cases.csv").write_text("\n".join([head] + [case for case, _ in wanted]) + "\n")
    (TESTS / "expected.txt").write_text("\n".join(line for _, line in wanted) + "\n")
    (TESTS / "offsets.txt").write_text("\n".join(" ".join(map(str, row)) for row in rows.OFF) + "\n")
    for module, text in texts().items():
        if module not in ("times", "later"):
            (TESTS / f"{module}.ptx").write_text(text)


main()
