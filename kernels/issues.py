"""How many machine instructions a kernel issues, by basic block of its PTX.

The emulator counts how often each PTX instruction runs. What `ptxas` makes of it differs:
it drops address arithmetic, unrolls loops, joins instructions. The table of a kernel has,
for each basic block of the PTX, the machine instructions of one run through it: all, and
those of the units for integers, for products and for special functions.

  1. Each machine instruction names its PTX line (batches.py).
  2. A basic block of PTX that is there several times, because its loop is unrolled, has
     each instruction as often. What machine code has one to one (loads, stores,
     matrix products, shuffles, barriers; else arithmetic on 32 bits) tells how often.
  3. The instructions of all copies / the copies are those of one run.

`ptxas` joins loads of neighbouring words from shared memory. A load that it joined to another
has a line of its own, with zeros.

Code for rare operands, such as quotients of denormals, is left out: it hardly runs.
"""

import re
import statistics

import batches

# PTX instructions that machine code has one to one.
SINGLE = re.compile(r"(ld|st|atom|red|shfl|bar|mma|wmma)\b")

# The same where a block has none of these.
SIMPLE = re.compile(r"(setp|selp|add|sub|mul|min|max|and|or|xor|shl|shr|not)(\.\w+)*\.[bsuf]32(?![\w.])")

# Machine instructions of the unit for integers and comparisons.
INTEGER = re.compile(r"(IADD3|LOP3|SHF|ISETP|FSETP|SEL|FSEL|FMNMX|PRMT|LEA|VIMNMX|VIADDMNMX|IABS|MOV|I2FP"
                     r"|PLOP3|VABSDIFF|BMSK|SGXT|IMNMX|FCHK|P2R|R2P|SHL|SHR|LOP|IADD)(\.|$)")
# Of the unit for products of integers, at half the rate of floats.
PRODUCT = re.compile(r"(IMAD|IDP|IMUL|XMAD)(\.|$)")
# Of the unit for special functions and conversions.
SPECIAL = re.compile(r"(MUFU|POPC|FLO|BREV|I2F|F2I|F2F|FRND)(\.|$)")


def starts(ptx):
    """Per line of an instruction: the line that its basic block is known by, its first
    instruction without a guard."""
    found, block = {}, []

    def close():
        plain = [at for at, guarded in block if not guarded]
        for at, _ in block:
            found[at] = (plain or [block[0][0]])[0]
        block.clear()

    for at, text in enumerate(ptx.split("\n"), 1):
        text = text.split("//")[0].strip()
        if re.match(r"[$\w]+:", text) or text in ["{", "}"] or ".entry" in text or ".func" in text:
            close()
        elif it := re.match(r"(@!?%\w+\s+)?([a-z][\w.:]*)\b.*;$", text):
            block.append((at, bool(it[1])))
            if re.match(r"(bra|brx|ret|exit)\b", it[2]):
                close()
    close()
    return found


def issues(ptx, listing):
    """Yield (kernel, PTX line, (all, integers, products, special)), by line."""
    block_of = starts(ptx)
    def lines_of(pattern):
        return {at for at, text in enumerate(ptx.split("\n"), 1)
                if re.match(r"(@!?%\w+\s+)?" + pattern.pattern, text.strip())}

    single, simple = lines_of(SINGLE), lines_of(SIMPLE)
    for kernel, blocks in sorted(batches.machine(listing).items()):
        counts = {}
        for _, block in blocks:
            if any(mnemonic.startswith("CALL") and "_slowpath" in operands for _, _, mnemonic, operands in block):
                continue
            for line, _, mnemonic, _ in block:
                if line in block_of and mnemonic != "NOP":
                    kinds = counts.setdefault(line, [0, 0, 0, 0])
                    kinds[0] += 1
                    for kind, pattern in enumerate([INTEGER, PRODUCT, SPECIAL], 1):
                        kinds[kind] += bool(pattern.match(mnemonic))
        by_block = {}
        for line in sorted(counts):
            by_block.setdefault(block_of[line], []).append(line)
        # A load of shared memory without machine code beside one with it was joined to it.
        shared = {at for at, text in enumerate(ptx.split("\n"), 1) if re.match(r"\s*ld\.shared\.", text)}
        joined = {line for line in shared - set(counts)
                  if line in block_of and line != block_of[line] and shared & set(by_block.get(block_of[line], []))}
        found = {line: (0, 0, 0, 0) for line in joined}
        for start, lines in sorted(by_block.items()):
            alike = ([counts[line][0] for line in lines if line in single]
                     or [counts[line][0] for line in lines if line in simple]
                     or [min(counts[line][0] for line in lines)])
            copies = statistics.median_low(alike)
            found[start] = tuple(sum(counts[line][kind] for line in lines) / copies for kind in range(4))
        yield from ((kernel, line, kinds) for line, kinds in sorted(found.items()))


def column(found):
    """What the table has of a kernel: `LINE=ALL:INTEGERS:PRODUCTS:SPECIAL`."""
    return " ".join(f"{line}=" + ":".join(f"{round(many, 1):g}" for many in kinds) for line, kinds in found)
