"""How many machine instructions a kernel issues, by basic block of its PTX.

The emulator counts how often each PTX instruction runs. What `ptxas` makes of it differs:
it drops address arithmetic, unrolls loops, joins instructions. The table of a kernel has,
for each basic block of the PTX, the machine instructions of one run through it: all, and
those of the units for integers, for products, for special functions, for floats and for doubles;
how often a warp jumps; and the cycles that a warp takes for it that runs alone,
without memory (alone.py).

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

What a branch leads over runs under predicates if machine code does without the branch: then its
instructions count for the block before it.

What is moved out of a loop, or into one, counts for the block that it is moved to.

Code for rare operands, such as quotients of denormals, is left out: it hardly runs.
"""

import collections
import math
import re
import statistics

import alone
import batches

# Machine instructions that PTX has one to one; others of the same line, such as those that take
# a word apart, tell nothing.
SINGLE = re.compile(r"(LDG|LDS|LDL|LD|STG|STS|STL|ST|ATOMG|ATOMS|ATOM|REDG|RED|SHFL|BAR|HMMA|IMMA|DMMA)(\.|$)")

# PTX instructions that machine code has one to one, where a block has none of these.
SIMPLE = re.compile(r"(setp|selp|add|sub|mul|fma|min|max|and|or|xor|shl|shr|not)(\.\w+)*\.([bsuf]32|f64)(?![\w.])")

# And those of which it has two, one for each half of 64 bits.
HALVES = re.compile(r"(setp|selp|add|sub|and|or|xor|not)(\.\w+)*\.[bsu]64(?![\w.])")

# Sums and products of floats, of which machine code has one each. Of the same load in several copies it
# may have fewer, since they share what they load.
FLOATS = re.compile(r"(add|sub|mul|fma)(\.\w+)*\.f32(?![\w.])")

# So many of those tell how often a block is there; if it has fewer, its rarest instruction does.
ENOUGH = 3

BRANCH = re.compile(r"(BRA|BRX|JMP|JMX|EXIT|RET)(\.|$)")

# Machine instructions of the unit for integers and comparisons.
INTEGER = re.compile(r"(IADD3|LOP3|SHF|ISETP|FSETP|SEL|FSEL|FMNMX|PRMT|LEA|VIMNMX|VIADDMNMX|IABS|MOV|I2FP"
                     r"|PLOP3|VABSDIFF|BMSK|SGXT|IMNMX|FCHK|P2R|R2P|SHL|SHR|LOP|IADD)(\.|$)")
# Of the unit for products of integers, at half the rate of floats.
PRODUCT = re.compile(r"(IMAD|IDP|IMUL|XMAD)(\.|$)")
# Those of which the unit takes twice as long: upper halves of products, and all of their bits
# (products in a loop on an H200: 2 cycles per warp and scheduler for the lower half, 4 for these).
TWICE = re.compile(r"IMAD\.(WIDE|HI)(\.|$)")
# A scheduler has further turns of them, which count as instructions: 2.5 to 3.7 beside none to eight
# multiply-adds (benches/data/h200/turns.csv), about 2 in kernels whose other instructions are more.
TURNS = 2
# Of the unit for special functions and conversions.
SPECIAL = re.compile(r"(MUFU|POPC|FLO|BREV|I2F|F2I|F2F|FRND)(\.|$)")
# Of the unit for floats, which also takes pairs of halves, and of that for doubles.
FLOAT = re.compile(r"(FADD|FMUL|FFMA|HADD2|HMUL2|HFMA2)(\.|$)")
DOUBLE = re.compile(r"(DADD|DMUL|DFMA|DSETP|DMNMX)(\.|$)")
# A product of matrices of doubles takes that unit as long as one of them for each 64 products, and as
# long as eight at least (benches/data/h200/modern_times.csv).
MATRIX = re.compile(r"DMMA\.(\d+)x(\d+)x(\d+)")

# What makes lanes meet again. It has no PTX line of its own, so it tells nothing about copies.
GATHER = re.compile(r"BSSY|BSYNC")

# Instructions after which a warp jumps. Of branches ahead with a condition, half do.
JUMP = re.compile(r"(BRA|BRX|JMP|JMX|RET|CALL|BSYNC)(\.|$)")
# How many jumps take a scheduler as long as a return, and how many as long as a call whose address is
# in a register.
RETURN, INDIRECT = 2.9, 6.9

# What the table has of a block; behind it, counted machine instructions that PTX has one to one, and
# those that count beside the line's own.
KINDS, SINGLES, FURTHER = 8, 8, 9


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


def together(ptx, block_of, branches):
    """Two maps of the basic blocks' names: to the block that one runs as often as, and to the one
    that has as many copies. And the lines of branches that machine code does without, by their blocks.
    `branches` has the lines of those that are left in it.

    Where a branch over some blocks is not, those run under predicates: every warp that reaches
    the branch issues them. What follows is there as often, if nothing else leads to it."""
    order = sorted(set(block_of.values()))
    place = {start: number for number, start in enumerate(order)}
    # By name of a block: the line of the branch it ends with, whether that has a guard, where it leads.
    labels, leads, ends, waiting, function = {}, collections.Counter(), {}, [], 0
    for at, text in enumerate(ptx.split("\n"), 1):
        text = text.split("//")[0].strip()
        if ".entry" in text or ".func" in text:
            function += 1
        if name := re.match(r"([$\w]+):", text):
            waiting.append((function, name[1]))
        elif at in block_of:
            labels.update((name, place[block_of[at]]) for name in waiting)
            waiting = []
            if branch := re.match(r"(@!?%\w+\s+)?bra(?:\.uni)?\s+([$\w]+);", text):
                ends[block_of[at]] = at, bool(branch[1]), (function, branch[2])
                leads[function, branch[2]] += 1
    often, copies, gone = {start: start for start in order}, {start: start for start in order}, {}
    for start in order:
        at, guarded, target = ends.get(start, (0, False, None))
        number, after = place[start] + 1, labels.get(target, 0)
        if not guarded or at in branches or after < number:
            continue
        gone[start] = at
        targets = {target}
        while number < after:
            often[order[number]], copies[order[number]] = often[start], copies[start]
            at, guarded, target = ends.get(order[number], (0, True, None))
            if at in branches:
                break
            if at:
                gone[order[number]] = at
            number += 1
            if at and number <= labels.get(target, 0):
                # Beyond `else`, if the way before it jumps over that.
                after = max(after, labels[target])
                targets.add(target)
        else:
            if after < len(order) and all(leads[target] == 1 for target in targets):
                copies[order[after]] = copies[start]
    return often, copies, gone


def nested(blocks):
    """How many loops each basic block of machine code is in. A branch back ends a loop if there is no
    way to it but through where it leads; else it comes from code that was moved out of the way."""
    places = {label: number for number, (labels, _) in enumerate(blocks) for label in labels}
    leads, after = [], [[] for _ in blocks]
    for number, (_, block) in enumerate(blocks):
        _, guard, mnemonic, operands, _ = block[-1] if block else (0, None, "", "", None)
        to = [places[name] for name in re.findall(r"\((\.L_x_\d+)\)", operands) if name in places]
        goes = re.match(r"(EXIT|BRA)$|RET(\.|$)", mnemonic) and not guard
        leads.append(to + [number + 1] * (not goes and number + 1 < len(blocks)))
        for other in leads[-1]:
            after[other].append(number)

    def reach(first, edges, without):
        found, left = set(), [first]
        while left:
            at = left.pop()
            if at not in found and at != without:
                found.add(at)
                left += edges[at]
        return found

    depths, bodies = [0] * len(blocks), {}
    for number, to in enumerate(leads):
        for first in to:
            if first <= number and number not in reach(0, leads, first):
                bodies.setdefault(first, {first}).update(reach(number, after, first))
    for body in bodies.values():
        for number in body:
            depths[number] += 1
    return depths


def loops_of(ptx, block_of):
    """The basic blocks of PTX that end with a branch to their own start, and those of all loops, by
    their names."""
    found, inside, label, names = set(), set(), None, {}
    for at, text in enumerate(ptx.split("\n"), 1):
        text = text.split("//")[0].strip()
        if name := re.match(r"([$\w]+):", text):
            label = name[1]
        elif at in block_of:
            # The block that comes after the label.
            names.setdefault(label, block_of[at])
            branch = re.match(r"(?:@!?%\w+\s+)?bra(?:\.uni)?\s+([$\w]+);", text)
            if branch and branch[1] in names:
                inside.update(start for start in block_of.values() if names[branch[1]] <= start <= block_of[at])
                if names[branch[1]] == block_of[at]:
                    found.add(block_of[at])
    return found, inside


def branches(blocks):
    """The PTX lines of the branches of machine code."""
    return {line for _, block in blocks for line, _, mnemonic, _, _ in block if BRANCH.match(mnemonic)}


def without(ptx, listing):
    """Yield (kernel, PTX line), by line: the branches that the machine code of a kernel does without."""
    block_of = starts(ptx)
    order = sorted(set(block_of.values()))
    for kernel, blocks in sorted(batches.machine(listing).items()):
        there = {block_of[line] for _, block in blocks for line, *_ in block if line in block_of}
        _, _, gone = together(ptx, block_of, branches(blocks))
        # A block may be nothing but its branch; then what that leads over has machine code.
        follows = dict(zip(order, order[1:]))
        yield from ((kernel, line) for start, line in sorted(gone.items()) if there & {start, follows.get(start)})


def issues(ptx, listing):
    """Yield (kernel, PTX line, (all, integers, products, special, floats, doubles, jumps, cycles)), by line."""
    block_of = starts(ptx)
    own, inside = loops_of(ptx, block_of)
    atomics, matrices = ({at for at, text in enumerate(ptx.split("\n"), 1) if re.search(kind, text)}
                         for kind in (r"\b(atom|red)\.", r"\bwmma\."))
    simple, halves, floats = ({at for at, text in enumerate(ptx.split("\n"), 1)
                               if re.match(r"(@!?%\w+\s+)?" + kind.pattern, text.strip())}
                              for kind in (SIMPLE, HALVES, FLOATS))

    def copies_of(counts, lines):
        """How often machine code has a basic block with these lines."""
        there = [line for line in lines if line in counts]
        single = [counts[line][SINGLES] for line in there if counts[line][SINGLES]]
        if not single and lines and block_of[lines[0]] not in inside:
            return 1
        each = {line: (sum(counts[line][1:6]) or counts[line][0]) / (2 if line in halves else 1) for line in there}
        alike = [many for line, many in each.items() if line in simple]
        if len(alike) < ENOUGH:
            alike = [many for line, many in each.items() if line in simple | halves]
            if len(alike) < ENOUGH:
                alike = [min(filter(None, each.values()), default=0)]
        sums = [counts[line][4] for line in there if line in floats]
        shared = statistics.median_low(sums) if len(sums) >= ENOUGH else 0
        return max(statistics.median_low(single or alike), shared)

    for kernel, blocks in sorted(batches.machine(listing).items()):
        often, alike, _ = together(ptx, block_of, branches(blocks))
        depths = nested(blocks)
        known = [[(at, often[block_of[it[0]]]) for at, it in enumerate(block) if it[0] in block_of and it[2] != "NOP"]
                 if not is_rare else [] for (_, block), is_rare in zip(blocks, alone.rare(blocks))]
        # The depth at which most of a basic block's lines are.
        at_depth = {}
        for (_, block), depth, instructions in zip(blocks, depths, known):
            for at, start in instructions:
                at_depth.setdefault(start, {}).setdefault(depth, set()).add(block[at][0])
        depth_of = {start: max(many, key=lambda depth: (len(many[depth]), depth)) for start, many in at_depth.items()}
        counts, loops, around = {}, [], {}
        places = {label: number for number, (labels, _) in enumerate(blocks) for label in labels}

        def jumps(number, guard, mnemonic, operands):
            if not JUMP.match(mnemonic):
                return 0
            if mnemonic.startswith("RET"):
                return RETURN
            if mnemonic.startswith("CALL") and operands.startswith("R"):
                return INDIRECT
            to = re.search(r"\((\.L_x_\d+)\)", operands)
            return 0.5 if guard and to and places.get(to[1], 0) > number else 1

        for number, ((labels, block), depth, instructions, (cycles, _)) in enumerate(
                zip(blocks, depths, known, alone.walk(blocks))):
            here = {}
            owners = collections.Counter(start for _, start in instructions if depth_of[start] == depth)
            owner = max(owners, key=owners.get, default=around.get(depth) if len(block) == 1 else None)
            around[depth] = owner or around.get(depth)
            for at, start in instructions:
                line, guard, mnemonic, operands, _ = block[at]
                # What is moved out of a loop, or into one, runs as often as what is around it.
                moved = owner and depth_of[start] != depth
                kinds = here.setdefault(-owner if moved else line, [0] * (FURTHER + 1))
                kinds[0] += not GATHER.match(mnemonic)
                for kind, pattern in enumerate([INTEGER, PRODUCT, SPECIAL, FLOAT, DOUBLE], 1):
                    kinds[kind] += bool(pattern.match(mnemonic))
                kinds[2] += bool(TWICE.match(mnemonic))
                if shape := MATRIX.match(mnemonic):
                    kinds[5] += max(8, math.prod(map(int, shape.groups())) / 64)
                kinds[KINDS - 2] += jumps(number, guard, mnemonic, operands)
                kinds[KINDS - 1] += cycles[at]
                several = line in matrices or mnemonic.startswith("SHFL") and line in atomics
                kinds[SINGLES] += bool(SINGLE.match(mnemonic)) and not several
                kinds[FURTHER] += TURNS * bool(TWICE.match(mnemonic)) + bool(GATHER.match(mnemonic))
            for line, kinds in here.items():
                counts[line] = [a + b for a, b in zip(counts.get(line, [0] * (FURTHER + 1)), kinds)]
            if block and block[-1][2].startswith("BRA") and any(f"({label})" in block[-1][3] for label in labels):
                loops.append(here)
        by_block, by_copies = {}, {}
        for line in sorted(counts):
            by_block.setdefault(-line if line < 0 else often[block_of[line]], []).append(line)
            if line > 0:
                by_copies.setdefault(alike[block_of[line]], []).append(line)
        # Such a load without machine code beside one with it was joined to it.
        shared = {at for at, text in enumerate(ptx.split("\n"), 1) if re.match(r"\s*ld\.(shared|const)\.", text)}
        joined = {line for line in shared - set(counts)
                  if line in block_of and line != block_of[line] and shared & set(by_block.get(often[block_of[line]], []))}
        found = {line: (0,) * KINDS for line in joined}
        for start, lines in sorted(by_block.items()):
            there, like = counts, by_copies.get(alike[start], [])
            if start in own:
                # A loop of its own in machine code is what most rounds run through.
                most = [loop for loop in loops if 2 * sum(line in loop for line in like) > len(like)]
                there = max(most, key=lambda loop: copies_of(loop, like), default=counts)
            copies = max(copies_of(there, like), 1)
            total = [sum(there[line][kind] for line in lines if line in there) for kind in range(FURTHER + 1)]
            total[0] += total[FURTHER]
            found[start] = tuple(many / copies for many in total[:KINDS])
        yield from ((kernel, line, kinds) for line, kinds in sorted(found.items()))


def column(found):
    """What the table has of a kernel: `LINE=ALL:INTEGERS:PRODUCTS:SPECIAL:FLOATS:DOUBLES:JUMPS:CYCLES`."""
    return " ".join(f"{line}=" + ":".join(f"{round(many, 1):g}" for many in kinds) for line, kinds in found)
