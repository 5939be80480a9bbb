"""How long a warp that runs alone takes for each of its machine instructions.

From Volta on, an instruction says in itself when the next one may follow. Bits 105 to 125 of
its 128 have, from the lowest: the cycles until the next instruction issues (4 bits), a hint to
change warps (1), the number of the scoreboard that it frees when its result is there, and of that
when it has read its operands (3 each, 7 for none), and the scoreboards that it waits for (6).
`ptxas` knows the latency of arithmetic and puts it into the cycles; what has no fixed latency
frees a scoreboard.

The blocks of a function are walked in their order, each loop of one block twice, of which the
second round counts. What memory takes is left to the emulator, which knows where data lies: here,
it is there at once, but for each load the cycles count that the warp has other things to do until
it wants the result, in the same basic block. What else frees scoreboards takes as long as it does in chains of one
instruction on an H200 (`benches/data/h200/chains.csv`).
"""

import collections
import re

# Cycles until the result of an instruction is there that frees a scoreboard.
LATENCY = [
    (re.compile(r"MUFU|F2I|I2F|F2F|FRND|POPC|FLO|BREV"), 17),
    (re.compile(r"FCHK"), 14),
    (re.compile(r"D(ADD|MUL|FMA|SETP)"), 8),
    (re.compile(r"SHFL"), 24),
    (re.compile(r"VOTE"), 12),
    (re.compile(r"MATCH"), 39),
    (re.compile(r"REDUX"), 38),
    (re.compile(r"S2R|S2UR|CS2R|LDC|ULDC"), 22),
    (re.compile(r"(LDGSTS|LDSM|SYNCS|QSPC|CCTL|ERRBAR|MEMBAR)(\.|$)"), 0),
]
LOAD = re.compile(r"(LDG|LDS|LDL|LD|ATOM|ATOMG|ATOMS)(\.|$)")
OTHERS = 10

# Cycles until the operands of a store are read.
READ = 8

# Cycles that a branch over a way that is hardly taken costs beyond its own: a rounded quotient takes
# 58 in all.
OVER = 6

# Cycles beyond its own until a warp goes on whose lanes have met (`BSYNC`; benches/data/h200/ways.csv).
MET = 9

SCOREBOARDS = 6

# A product of a warp group: it issues when the tensor core has taken the one before, which takes four
# cycles per eight columns.
PRODUCT = re.compile(r"HGMMA\.\d+x(\d+)x")


def latency(mnemonic):
    """Cycles until the scoreboard of an instruction is free."""
    return 0 if LOAD.match(mnemonic) else next((cycles for pattern, cycles in LATENCY if pattern.match(mnemonic)), OTHERS)


def rare(blocks):
    """Whether each block hardly runs: it calls the slow way of a quotient or root, it is for a
    shuffle that not all lanes take part in (`BRA.DIV` leads there), or it is the branch to itself
    that ends each function."""
    found = [any(mnemonic.startswith("CALL") and re.search("slowpath|mediumpath|rn_f64_full", operands)
                 for _, _, mnemonic, operands, _ in block) for _, block in blocks]
    apart = {name for _, block in blocks for _, _, mnemonic, operands, _ in block if mnemonic == "BRA.DIV"
             for name in re.findall(r"\((\.L_x_\d+)\)", operands)}
    inside = False
    for number, (labels, block) in enumerate(blocks):
        inside = inside or not apart.isdisjoint(labels)
        to_itself = len(block) == 1 and any(f"({label})" in block[0][3] for label in labels)
        found[number] |= inside or to_itself
        inside &= not (block and block[-1][1] is None and re.match(r"(BRA|EXIT)$", block[-1][2]))
    return found


def walk(blocks):
    """Two things per basic block of one function: the cycles of each instruction; and by the place
    of a load, those from its issue to the first use of its result, if that is in the block. Zeros
    and nothing for a block that hardly runs, and for machine code without such bits."""
    found, now, free, is_rare = [], 0.0, [0.0] * SCOREBOARDS, rare(blocks)
    core = 0.0  # When the tensor core takes the next product of a warp group.
    for number, (labels, block) in enumerate(blocks):
        taken, ahead = [0.0] * len(block), {}
        found.append((taken, ahead))
        if is_rare[number] or any(control is None for *_, control in block):
            continue
        last = block[-1] if block else (0, None, "", "", 0)
        loops = last[2].startswith("BRA") and any(f"({label})" in last[3] for label in labels)
        over = last[2].startswith("BRA") and is_rare[number + 1:number + 2] == [True]
        for _ in range(2 if loops else 1):
            loads = [{} for _ in free]  # By scoreboard: the places of loads, and when they were issued.
            for at, (_, _, mnemonic, _, control) in enumerate(block):
                begin = now
                waits = [board for board in range(SCOREBOARDS) if control >> 11 + board & 1]
                issued = max([free[board] for board in waits] + [now])
                if product := PRODUCT.match(mnemonic):
                    issued = max(issued, core)
                    core = issued + int(product[1]) / 2
                for board in waits:
                    ahead.update((load, issued - since) for load, since in loads[board].items())
                    loads[board] = {}
                written, read = control >> 5 & 7, control >> 8 & 7
                if written < SCOREBOARDS:
                    free[written] = max(free[written], issued + latency(mnemonic))
                    if LOAD.match(mnemonic):
                        loads[written][at] = issued
                if read < SCOREBOARDS:
                    free[read] = max(free[read], issued + READ)
                now = issued + max(control & 15, 1) + MET * mnemonic.startswith("BSYNC")
                taken[at] = now - begin
            if over:
                now += OVER
                taken[-1] += OVER
    return found


def ahead(listed):
    """Yield (kernel, PTX line, cycles from the issue of a load to the first use of its result),
    by line, for the functions of batches.machine; the mean of all copies of a line."""
    for kernel, blocks in sorted(listed.items()):
        cycles = collections.defaultdict(list)
        for (_, block), (_, loads) in zip(blocks, walk(blocks)):
            for at, many in loads.items():
                cycles[block[at][0]].append(many)
        for line, all_copies in sorted(cycles.items()):
            mean = round(sum(all_copies) / len(all_copies))
            if line and mean:
                yield kernel, line, mean
