"""Inputs of the kernels: a hash of trial, operand and index, as emulator/tests/modern/inputs.rs."""
import struct
FORMATS = {"f16": (5, 10, 2), "bf16": (8, 7, 2), "tf32": (8, 23, 4), "f32": (8, 23, 4), "f64": (11, 52, 8), "e4m3": (4, 3, 1), "e5m2": (5, 2, 1)}
MASK = (1 << 64) - 1
def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31
def value(fmt, accumulator, trial, r):
    E, M, _ = FORMATS[fmt]
    emax, bias = (1 << E) - 1, (1 << E - 1) - 1
    sign, x, pick = r & 1, r >> 32 & 0xffff, r >> 56
    mant = (r >> 1 & 0x7fffff) & (1 << M) - 1 if M <= 23 else mix(r) >> 12
    k = trial % 8
    special = None
    if k == 5:
        if pick < 4: special = (emax, 0)
        elif pick < 8: special = (emax, (1 << M) - 1)
        elif pick < 64: special = (0, 0)
    zero = False
    if accumulator:
        e = [bias-2+x%4, bias-12+x%24, bias-20+x%40, x%4, emax-1-x%4, bias-8+x%16, bias-16+x%32, bias-8+x%24][k]
        zero = k in (3, 6) and pick < 128
    else:
        e = [bias-2+x%4, bias-8+x%16, x%emax, x%4, emax-1-x%4, bias-8+x%16, bias-12+x%24, bias-8+x%8][k]
        zero = k == 6 and pick >= 64
    e = max(0, min(emax-1, e))
    if special: e, mant = special
    if zero: e = mant = 0
    return (sign << E | e) << M | mant
def integer(accumulator, trial, r):
    if accumulator:
        return [r >> 32, (0x7fffffff if r & 1 else 0x80000000) ^ (r >> 40 & 0xfff), (r >> 40 & 0xff), 0][trial % 4] & 0xffffffff
    return [r >> 32 & 0xff, (0x80, 0x7f, 0xff, 0x88)[r >> 8 & 3], r >> 16 & 3, (0x80, 0x7f)[trial >> 2 & 1]][trial % 4]
def mma(operands, trials):
    """Per trial and lane: the operands' registers, one after another."""
    out = bytearray()
    for trial in range(trials):
        for lane in range(32):
            for which, (regs, ty) in enumerate(operands):
                per, fmt = 1, ty
                if ty.endswith("x2"): per, fmt = 2, ty[:-2]
                if ty.endswith("x4"): per, fmt = 4, ty[:-2]
                if ty == "i8": per = 4
                for reg in range(regs):
                    for j in range(per):
                        r = mix(trial << 32 | which << 24 | (lane * regs + reg) * per + j)
                        if ty == "i8": out.append(integer(False, trial, r))
                        elif ty == "i32": out += struct.pack("<I", integer(True, trial, r))
                        else: out += value(fmt, which == 2, trial, r).to_bytes(FORMATS[fmt][2], "little")
    return bytes(out)
def wmma(ta, tc):
    """Three runs: positions as numbers; random."""
    out = bytearray()
    size = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1, "f64": 8}[ta]
    csize = {"f16": 2, "f32": 4, "s32": 4, "f64": 8}[tc]
    for run in range(3):
        for which, (sz, ty, room) in enumerate(((size, ta, 4096), (size, ta, 4096), (csize, tc, 8192))):
            for i in range(room // sz):
                if run == 0:
                    v = i + 1 if sz > 1 else (i * 7 + which) & 0xff
                    v &= (1 << 8 * sz) - 1
                    if ty == "tf32": v = (i + 1) << 13
                    out += v.to_bytes(sz, "little")
                else:
                    r = mix(run << 32 | which << 24 | i)
                    if ty in ("s8", "u8"): out.append(r >> 32 & 0xff)
                    elif ty == "s32": out += struct.pack("<I", r >> 44)
                    else: out += value(ty, which == 2, run - 1, r).to_bytes(sz, "little")
    return bytes(out)
def cells(kinds, trials):
    """Per trial: the elements of each operand, one after another, as memory holds them."""
    out = bytearray()
    for trial in range(trials):
        for which, (count, ty) in enumerate(kinds):
            for i in range(count):
                r = mix(trial << 32 | which << 24 | i)
                if ty == "i8": out.append(integer(False, trial, r))
                elif ty == "i32": out += struct.pack("<I", integer(True, trial, r))
                else: out += value(ty, which == 2, trial, r).to_bytes(FORMATS[ty][2], "little")
    return bytes(out)
def of(launch, offsets):
    kind = launch["input"]
    grid = launch["grid"]
    if kind[0] == "cells": return cells(kind[1], grid)
    if kind[0] == "noise": return b"".join(struct.pack("<Q", mix(i)) for i in range(launch["bytes_in"] // 8))
    if kind[0] == "mma": return mma(kind[1], grid)
    if kind[0] == "wmma": return wmma(kind[1], kind[2])
    if kind[0] == "rows":
        rows = offsets if "pattern" not in launch else [offsets[launch["pattern"]]]
        return b"".join(struct.pack("<I", o) for row in rows for o in row)
    if kind[0] == "count": return b"".join(struct.pack("<I", i * 3 + 1) for i in range(launch["bytes_in"] // 4))
    return bytes(launch["bytes_in"])
