"""How many machine instructions a kernel issues, by basic block of its PTX.

The emulator counts how often each PTX instruction runs. What `ptxas` makes of it differs:
it drops address arithmetic, unrolls loops, joins instructions. The table of a kernel has,
for each basic block of the PTX, the machine instructions of one run through it: all, and
those of the units for integers, for products, for special functions, for floats and for doubles;
and the cycles that a warp takes for it that runs alone, without memory (alone.py).

  1. Each machine instruction names its PTX line (batches.py).
  2. A basic block of PTX that is there several times, because its loop is unrolled, has
     each instruction as often. What machine code has one to one (loads, stores,
     matrix products, shuffles, barriers; else arithmetic on 32 bits or on doubles) tells how
     often; or sums and products of floats, if there are more of them.
  3. The instructions of all copies / the copies are those of one run. Of a loop of one basic
     block, those of the loop of machine code with the most copies count: what is left over after
     it runs few rounds.

`ptxas` joins loads of neighbouring words from shared and constant memory. A load that it joined to another
has a line of its own, with zeros.

Code for rare operands, such as quotients of denormals, is left out: it hardly runs.
"""

import collections
import re
import statistics

import alone
import batches

# Machine instructions that PTX has one to one; others of the same line, such as those that take
# a word apart, tell nothing.
SINGLE = re.compile(r"(LDG|LDS|LDL|LD|STG|STS|STL|ST|ATOMG|ATOMS|ATOM|REDG|RED|SHFL|BAR|HMMA|IMMA|DMMA)(\.|$)")

# PTX instructions that machine code has one to one, where a block has none of these.
SIMPLE = re.compile(r"(setp|selp|add|sub|mul|fma|min|max|and|or|xor|shl|shr|not)(\.\w+)*\.([bsuf]32|f64)(?![\w.])")

# Sums and products of floats, of which machine code has one each. Of the same load in several copies it
# may have fewer, since they share what they load.
FLOATS = re.compile(r"(add|sub|mul|fma)(\.\w+)*\.f32(?![\w.])")

# So many of those tell how often a block is there; if it has fewer, its rarest instruction does.
ENOUGH = 3

# Machine instructions of the unit for integers and comparisons.
INTEGER = re.compile(r"(IADD3|LOP3|SHF|ISETP|FSETP|SEL|FSEL|FMNMX|PRMT|LEA|VIMNMX|VIADDMNMX|IABS|MOV|I2FP"
                     r"|PLOP3|VABSDIFF|BMSK|SGXT|IMNMX|FCHK|P2R|R2P|SHL|SHR|LOP|IADD)(\.|$)")
# Of the unit for products of integers, at half the rate of floats.
PRODUCT = re.compile(r"(IMAD|IDP|IMUL|XMAD)(\.|$)")
# Of the unit for special functions and conversions.
SPECIAL = re.compile(r"(MUFU|POPC|FLO|BREV|I2F|F2I|F2F|FRND)(\.|$)")
# Of the unit for floats, which also takes pairs of halves, and of that for doubles.
FLOAT = re.compile(r"(FADD|FMUL|FFMA|HADD2|HMUL2|HFMA2)(\.|$)")
DOUBLE = re.compile(r"(DADD|DMUL|DFMA|DSETP|DMNMX)(\.|$)")

# What the table has of a block; behind it, counted machine instructions that PTX has one to one.
KINDS, SINGLES = 7, 7


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
        if re.match(r"[$\w]+:", text) or ".entry" in text or ".func" in text:
            close()
        elif it := re.match(r"(@!?%\w+\s+)?([a-z][\w.:]*)\b.*;$", text):
            block.append((at, bool(it[1])))
            if re.match(r"(bra|brx|ret|exit)\b", it[2]):
                close()
    close()
    return found


def loops_of(ptx, block_of):
    """The basic blocks of PTX that end with a branch to their own start, by their names."""
    found, label, names = set(), None, {}
    for at, text in enumerate(ptx.split("\n"), 1):
        text = text.split("//")[0].strip()
        if name := re.match(r"([$\w]+):", text):
            label = name[1]
        elif at in block_of:
            # The block that comes after the label.
            names.setdefault(label, block_of[at])
            branch = re.match(r"(?:@!?%\w+\s+)?bra(?:\.uni)?\s+([$\w]+);", text)
            if branch and names.get(branch[1]) == block_of[at]:
                found.add(block_of[at])
    return found


def issues(ptx, listing):
    """Yield (kernel, PTX line, (all, integers, products, special, floats, doubles, cycles)), by line."""
    block_of = starts(ptx)
    own = loops_of(ptx, block_of)
    simple, floats = ({at for at, text in enumerate(ptx.split("\n"), 1)
                       if re.match(r"(@!?%\w+\s+)?" + kind.pattern, text.strip())} for kind in (SIMPLE, FLOATS))

    def copies_of(counts, lines):
        """How often machine code has a basic block with these lines."""
        there = [line for line in lines if line in counts]
        single = [counts[line][SINGLES] for line in there if counts[line][SINGLES]]
        alike = [counts[line][0] for line in there if line in simple]
        if len(alike) < ENOUGH:
            alike = [min((counts[line][0] for line in there), default=0)]
        sums = [counts[line][4] for line in there if line in floats]
        shared = statistics.median_low(sums) if len(sums) >= ENOUGH else 0
        return max(statistics.median_low(single or alike), shared)

    for kernel, blocks in sorted(batches.machine(listing).items()):
        counts, loops = {}, []
        for (labels, block), (cycles, _) in zip(blocks, alone.walk(blocks)):
            if alone.is_rare(block):
                continue
            here = {}
            for (line, _, mnemonic, _, _), alone_for in zip(block, cycles):
                if line in block_of and mnemonic != "NOP":
                    kinds = here.setdefault(line, [0] * (SINGLES + 1))
                    kinds[0] += 1
                    for kind, pattern in enumerate([INTEGER, PRODUCT, SPECIAL, FLOAT, DOUBLE], 1):
                        kinds[kind] += bool(pattern.match(mnemonic))
                    kinds[KINDS - 1] += alone_for
                    kinds[SINGLES] += bool(SINGLE.match(mnemonic))
            for line, kinds in here.items():
                counts[line] = [a + b for a, b in zip(counts.get(line, [0] * (SINGLES + 1)), kinds)]
            if block and block[-1][2].startswith("BRA") and any(f"({label})" in block[-1][3] for label in labels):
                loops.append(here)
        by_block = {}
        for line in sorted(counts):
            by_block.setdefault(block_of[line], []).append(line)
        # Such a load without machine code beside one with it was joined to it.
        shared = {at for at, text in enumerate(ptx.split("\n"), 1) if re.match(r"\s*ld\.(shared|const)\.", text)}
        joined = {line for line in shared - set(counts)
                  if line in block_of and line != block_of[line] and shared & set(by_block.get(block_of[line], []))}
        found = {line: (0,) * KINDS for line in joined}
        for start, lines in sorted(by_block.items()):
            there = counts
            if start in own:
                # A loop of its own in machine code is what most rounds run through.
                most = [loop for loop in loops if 2 * sum(line in loop for line in lines) > len(lines)]
                there = max(most, key=lambda loop: copies_of(loop, lines), default=counts)
            copies = copies_of(there, lines) or 1
            found[start] = tuple(sum(there[line][kind] for line in lines if line in there) / copies for kind in range(KINDS))
        yield from ((kernel, line, kinds) for line, kinds in sorted(found.items()))


def column(found):
    """What the table has of a kernel: `LINE=ALL:INTEGERS:PRODUCTS:SPECIAL:FLOATS:DOUBLES:CYCLES`."""
    return " ".join(f"{line}=" + ":".join(f"{round(many, 1):g}" for many in kinds) for line, kinds in found)
