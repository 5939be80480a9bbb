"""How often a kernel's machine code waits for loads from global memory, and for loops.

PTX has the dependencies, but `ptxas` decides how many loads are in flight before the
first wait. If it unrolls a loop, it waits once for the loads of four rounds; if it runs
out of registers, it waits four times for the loads of one. The emulator runs PTX, so it
reads the number of waits from a table that this file computes:

  1. Each PTX instruction gets its own `.loc`. `ptxas` carries it into the machine code
     and the disassembler prints it, so each machine instruction names its PTX line.
  2. The machine code is walked in order. The first use of a load in flight waits for it
     and for all loads issued before it. A loop is walked twice and counted the second
     time.
  3. The cost of a load per execution in PTX is the waits that it causes, divided by its
     copies in the same basic block.
  4. The PTX of a basic block alone would wait once per level of dependent loads. The
     table has the quotient, for each load where it is not 1.
"""

import collections
import re
import statistics
import subprocess

# Cycles of a load and of the issue of an instruction, about.
LATENCY = 500
ISSUE = 2

LOAD = re.compile(r"^ld\.(?!.*\b(shared|param|const|local)\b)")


def located(ptx):
    """The PTX with a `.loc` before every instruction, naming its own line."""
    # A call has several lines: only the first statement after an ended one gets a `.loc`.
    out, depth, ended = [], 0, True
    for number, line in enumerate(ptx.split("\n"), 1):
        text = line.strip()
        if re.match(r"\.(loc|file)\s", text):
            out.append("")
            continue
        plain = text.split("//")[0].strip()
        if depth and ended and plain.endswith(";") and not plain.startswith((".", "{")):
            out.append(f".loc 1 {number} 0")
        depth += plain.count("{") - plain.count("}")
        if plain:
            ended = plain.endswith((";", "{", "}", ":"))
        out.append(line)
        if text.startswith(".address_size"):
            out.append('.file 1 "k.ptx"')
    return "\n".join(out)


def registers(text, width):
    """Machine registers that an operand names, widened to `width` words."""
    found = re.match(r"R(\d+)", text)
    return range(int(found[1]), int(found[1]) + width) if found else range(0)


def machine(listing):
    """The listing of the disassembler: per function, its basic blocks; a block is a list of
    (PTX line, predicate, mnemonic, operands, control bits), with the labels that lead to it. The
    control bits are what alone.py reads; None where an instruction has none."""
    functions, blocks, line = {}, None, 0
    for text in listing.split("\n"):
        text = text.strip()
        if name := re.fullmatch(r"\.text\.(\S+):", text):
            blocks = functions[name[1]] = [([], [])]
        elif name := re.search(r"//## File \"k.ptx\", line (\d+)", text):
            line = int(name[1])
        elif blocks is None:
            continue
        elif re.fullmatch(r"\$\S+:", text):
            # A function of the assembler, such as for a quotient: of no PTX line.
            line = 0
            blocks.append(([], []))
        elif name := re.fullmatch(r"(\.L_x_\d+):", text):
            if blocks[-1][1]:
                blocks.append(([], []))
            blocks[-1][0].append(name[1])
        elif name := re.match(r"/\*[0-9a-f]+\*/\s+(?:@!?(\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;", text):
            if blocks[-1][1] and blocks[-1][1][-1][2].startswith(("BRA", "EXIT", "RET", "BRX")):
                blocks.append(([], []))
            blocks[-1][1].append((line, name[1], name[2], name[3], None))
        elif blocks[-1][1] and (name := re.fullmatch(r"/\* 0x([0-9a-f]{16}) \*/", text)):
            # The second half of an instruction has its control bits.
            blocks[-1][1][-1] = (*blocks[-1][1][-1][:4], int(name[1], 16) >> 41 & (1 << 21) - 1)
    for blocks in functions.values():
        gather(blocks)
    return functions


def gather(blocks):
    """Gives what makes the lanes of a branch meet again (`BSSY` before it, `BSYNC` where it leads) the
    line of the branch. `ptxas` gives both that of an instruction before them, and so to a way that not
    all warps go."""
    ends = {}  # By label: the block before it, if that ends with a meeting.
    for (_, block), (labels, _) in zip(blocks, blocks[1:]):
        if block and block[-1][2].startswith("BSYNC"):
            ends.update((label, block) for label in labels)
    for _, block in blocks:
        line, _, mnemonic, _, _ = block[-1] if block else (0, None, "", "", None)
        for at, (_, guard, begins, operands, control) in enumerate(block):
            found = re.fullmatch(r"(\w+), `\((\.L_x_\d+)\)", operands) if begins.startswith("BSSY") else None
            if not found or not mnemonic.startswith("BRA"):
                continue
            block[at] = line, guard, begins, operands, control
            end = ends.get(found[2])
            if end and end[-1][3] == found[1]:
                end[-1] = line, *end[-1][1:]


def words(mnemonic):
    return 4 if ".128" in mnemonic else 2 if ".64" in mnemonic else 1


def waits_of(blocks):
    """Per PTX line of a load: waits that it causes, and those that all loads cause, in the
    basic block of the machine code that has the most copies of it, over the copies. A wait
    that overlaps with an earlier one counts by the part that does not."""
    best = {}
    pending = {}  # machine register: (when issued, PTX line, waits of its block)
    now = waited = 0

    def use(names):
        nonlocal now, waited
        for register in names:
            if load := pending.pop(register, None):
                issued, line, waits = load
                ready = issued + LATENCY
                waits[line] += max(ready - max(issued, waited), 0) / LATENCY
                waited, now = max(waited, ready), max(now, ready)

    for labels, block in blocks:
        last = block[-1] if block else (0, None, "", "", None)
        loops = last[2].startswith("BRA") and any(f"({label})" in last[3] for label in labels)
        for _ in range(2 if loops else 1):
            copies, waits = collections.Counter(), collections.Counter()
            for line, _, mnemonic, operands, _ in block:
                now += ISSUE
                load = re.match(r"LDG|LD(\.|$)", mnemonic)
                gives = not re.match(r"ST|RED|BRA|BAR|EXIT|[A-Z]*SETP", mnemonic)
                first, *rest = [operand.strip() for operand in operands.split(",")]
                for operand in rest if gives else [first, *rest]:
                    for name in re.findall(r"\bR\d+(?:\.64)?", operand):
                        wide = 2 if ".64" in name else words(mnemonic) if mnemonic.startswith("ST") else 1
                        use(registers(name, wide))
                target = registers(first, words(mnemonic)) if gives else []
                if not load:
                    # What is overwritten before it was used is not waited for; nor is what
                    # a product of two words in the other.
                    use([register for register in target if mnemonic.startswith("IMAD.WIDE")])
                for register in target:
                    pending.pop(register, None)
                if load:
                    copies[line] += 1
                    for register in target:
                        pending[register] = now, line, waits
        for line, many in copies.items():
            if line not in best or (loops, many) > best[line][0]:
                best[line] = (loops, many), waits, many
    return {line: (waits[line] / many, max(sum(waits.values()), 1) / many) for line, (_, waits, many) in best.items()}


def loops_of(blocks):
    """Loops of one basic block in the machine code: for each, copies per PTX line."""
    found = []
    for labels, block in blocks:
        last = block[-1] if block else (0, None, "", "", None)
        if last[2].startswith("BRA") and any(f"({label})" in last[3] for label in labels):
            found.append(collections.Counter(line for line, *_ in block))
    return found


def rounds(ptx, machine_loops):
    """Per PTX line of a branch back to the start of its own basic block: rounds of the PTX
    that one round of the machine code stands for."""
    found, start, label = {}, 0, None
    for at, text in enumerate(ptx.split("\n"), 1):
        text = text.strip()
        if name := re.match(r"([$\w]+):", text):
            start, label = at, name[1]
        branch = re.match(r"(?:@!?%\w+\s+)?bra(?:\.uni)?\s+([$\w]+);", text)
        if branch and branch[1] == label:
            inside = range(start, at + 1)
            shares = [sum(loop[line] for line in inside) for loop in machine_loops]
            if shares and max(shares) > 0:
                loop = machine_loops[shares.index(max(shares))]
                found[at] = statistics.median_low(many for line, many in loop.items() if line in inside)
        if branch:
            label = None
    return found


def depths(ptx):
    """Per PTX line of a load from global memory: (number of its basic block, how many loads
    hang on each other in that block)."""
    found, block, number = {}, [], 0
    levels, memory, lines = {}, 0, []

    def close():
        depth = max([level for _, level in lines], default=0)
        for line, _ in lines:
            found[line] = number, depth

    for at, text in enumerate(ptx.split("\n"), 1):
        text = text.strip()
        if re.match(r"[$\w]+:", text) or not text or text.startswith(".entry"):
            close()
            levels, memory, lines, number = {}, 0, [], number + 1
            continue
        it = re.match(r"(?:@!?(%\w+)\s+)?([a-z][\w.:]*)\s*(.*);", text)
        if not it:
            continue
        guard, word, operands = it.groups()
        names = re.findall(r"%[\w]+", operands)
        store = word.startswith(("st.", "red."))
        split = operands.split(",", 1)[0]
        if split.startswith("{"):
            split = operands[:operands.index("}")]
        targets = [] if store or word.startswith("bra") else re.findall(r"%[\w]+", split)
        sources = [name for name in names if name not in targets] + ([guard] if guard else [])
        level = max([levels.get(name, 0) for name in sources], default=0)
        if LOAD.match(word):
            if ".nc" not in word:
                level = max(level, memory)
            level += 1
            lines.append((at, level))
        elif store and not re.search("shared|local", word):
            memory = max(memory, level)
        for name in targets:
            levels[name] = level
        # Rounded quotients and roots branch in machine code, as the emulator has it.
        if word.startswith(("bra", "ret", "bar", "sqrt.rn", "div.rn")):
            close()
            levels, memory, lines, number = {}, 0, [], number + 1
    close()
    return found


def disassemble(ptxas, disassembler, ptx, architecture, folder):
    """The listing of one architecture's machine code."""
    path, out = folder / "located.ptx", folder / "located.cubin"
    path.write_text(located(ptx))
    subprocess.run([ptxas, "-lineinfo", f"-arch=sm_{architecture}", path, "-o", out], check=True, capture_output=True)
    return subprocess.run([disassembler, "-g", "-c", "-hex", out], check=True, capture_output=True, text=True).stdout


def batches(ptx, listing):
    """Yield (kernel, PTX line, waits), by line: the loads and branches of machine code that
    wait more or less often than their PTX says."""
    natural = depths(ptx)
    for kernel, blocks in sorted(machine(listing).items()):
        waits = waits_of(blocks)
        together = collections.defaultdict(float)
        for line, (own, _) in waits.items():
            if line in natural:
                together[natural[line][0]] += own
        times = {line: 1 / many for line, many in rounds(ptx, loops_of(blocks)).items()}
        for line in waits:
            if line in natural:
                number, depth = natural[line]
                # Loads that are waited for together with those of another basic block wait
                # as often as those do: one wait of PTX stays one, unless of several rounds.
                times[line] = max(together[number], min(waits[line][1], 1)) / depth
        for line, many in sorted(times.items()):
            if not 0.95 < many < 1.05:
                yield kernel, line, round(many, 2)
