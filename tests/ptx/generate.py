#!/usr/bin/env python3
"""Write tests/ptx/*.ptx and cases.csv: one kernel per instruction and type form.

    python3 tests/ptx/generate.py

Every kernel has two parameters, `in` and `out`, and runs on one block. `in`
holds three columns of 512 64-bit cells (operands a, b, c of each thread),
`out` one 64-bit cell per thread. cases.csv says how tests/integration/ptx_cases.rs fills
the columns and compares the results. Expected results are recorded on a GPU:
see tests/integration/ptx_cases.rs. Hand-written kernels are in special.py and wide.py.
"""

import csv
import pathlib

import special
import video
import wide

HERE = pathlib.Path(__file__).resolve().parent
HEAD = "// Written by generate.py.\n.version {}\n.target sm_90\n.address_size 64\n"
# PTX ISA of the files with instructions that came after 7.8.
VERSIONS = {"narrow": "8.2", **wide.VERSIONS}
REGISTER = {"pred": ".pred", "f32": ".f32", "f64": ".f64", "f16x2": ".b32", "bf16x2": ".b32", "tf32": ".b32"}
CASES = []
TEXTS = {}


def bits(ty):
    """Size of a type in bits."""
    return 32 if ty in ("f16x2", "bf16x2", "tf32") else int(ty.lstrip("bfsu"))


def leaves(to, source):
    """Whether some value of integer type `source` is outside `to`."""
    def span(ty):
        return (-(1 << bits(ty) - 1), (1 << bits(ty) - 1) - 1) if ty[0] == "s" else (0, (1 << bits(ty)) - 1)
    (low, high), (least, most) = span(to), span(source)
    return least < low or most > high


def register(ty):
    """The register type that holds `ty`."""
    return REGISTER.get(ty) or f".b{max(16, bits(ty))}"


def load(ty, name, offset):
    """Load operand `ty` from the thread's cell."""
    size = bits(ty)
    word = ("s8" if ty == "s8" else "u8") if size == 8 else ty if ty in ("f32", "f64") else f"b{size}"
    return f"ld.global.{word} {name}, [in+{offset}];"


def store(ty, name):
    """Store result `ty` into the thread's cell."""
    if ty == "pred":
        return f"selp.u32 bit, 1, 0, {name};\nst.global.u32 [out], bit;"
    word = ty if ty in ("f32", "f64") else f"b{bits(ty)}"
    return f"st.global.{word} [out], {name};"


def case(file, name, kinds, body, rule="exact", threads=None, more=""):
    """A kernel with this body, which finds its cells at [in] and [out]."""
    name = name.replace(".", "_").replace("::", "_")
    threads = threads or (256 if len(kinds) == 1 else 512)
    assert all(row[1] != name for row in CASES if row[0] == file), (file, name)
    CASES.append((file, name, " ".join(kinds), threads, rule))
    TEXTS.setdefault(file, []).append(
        f"\n.visible .entry {name}(.param .u64 in_ptr, .param .u64 out_ptr)\n{{\n"
        ".reg .u64 in, out, at;\n.reg .u32 tid, bit;\n" + more +
        "ld.param.u64 in, [in_ptr];\nld.param.u64 out, [out_ptr];\n"
        "mov.u32 tid, %tid.x;\nmul.wide.u32 at, tid, 8;\nadd.u64 in, in, at;\nadd.u64 out, out, at;\n"
        f"{body.strip()}\nret;\n}}\n")


def form(file, word, result, operands, rule="exact", kinds=None, text=None):
    """The form `word d, a, b, c`: types of the result and of the operands."""
    names = "abc"[:len(operands)]
    declare = f".reg {register(result)} d;\n" + "".join(
        f".reg {register(ty)} {name};\n" for ty, name in zip(operands, names))
    loads = "\n".join(load(ty, name, 4096 * at) for at, (ty, name) in enumerate(zip(operands, names)))
    text = text or f"{word} d, {', '.join(names)};"
    case(file, word, kinds or operands, f"{loads}\n{text}\n{store(result, 'd')}", rule, more=declare)


def integer():
    """Integer arithmetic and bit fields."""
    f = "integer"
    ints = ["u16", "u32", "u64", "s16", "s32", "s64"]
    for ty in ints:
        for op in ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max", "sad"]:
            form(f, f"{op}.{ty}", ty, [ty] * (3 if op == "sad" else 2))
        wide = f"{ty[0]}{2 * bits(ty)}"
        for op in ["mad.lo", "mad.hi"]:
            form(f, f"{op}.{ty}", ty, [ty] * 3)
        if bits(ty) < 64:
            form(f, f"mul.wide.{ty}", wide, [ty] * 2)
            form(f, f"mad.wide.{ty}", wide, [ty, ty, wide])
        if ty[0] == "s":
            form(f, f"abs.{ty}", ty, [ty])
            form(f, f"neg.{ty}", ty, [ty])
    for op, n in [("add.sat", 2), ("sub.sat", 2), ("mad.hi.sat", 3), ("mad24.hi.sat", 3)]:
        form(f, f"{op}.s32", "s32", ["s32"] * n)
    for ty in ["u32", "s32"]:
        for op, n in [("mul24.lo", 2), ("mul24.hi", 2), ("mad24.lo", 3), ("mad24.hi", 3)]:
            form(f, f"{op}.{ty}", ty, [ty] * n)
        for mode in ["clamp", "wrap"]:
            form(f, f"szext.{mode}.{ty}", ty, [ty, "u32"], kinds=[ty, "amount"])
        for other in ["u32", "s32"]:
            out = "u32" if (ty, other) == ("u32", "u32") else "s32"
            form(f, f"dp4a.{ty}.{other}", out, [ty, other, out])
            for half in ["lo", "hi"]:
                form(f, f"dp2a.{half}.{ty}.{other}", out, [ty, other, out])
    for mode in ["clamp", "wrap"]:
        form(f, f"bmsk.{mode}.b32", "b32", ["u32", "u32"], kinds=["amount", "amount"])
    for ty in ["b32", "b64"]:
        form(f, f"popc.{ty}", "u32", [ty])
        form(f, f"clz.{ty}", "u32", [ty])
        form(f, f"brev.{ty}", ty, [ty])
        case(f, f"bfi.{ty}", [ty, ty, "fields"], f"{load(ty, 'a', 0)}\n{load(ty, 'b', 4096)}\n"
             f"ld.global.u32 c, [in+8192];\nshr.u32 e, c, 16;\nand.b32 c, c, 0xffff;\nbfi.{ty} d, a, b, c, e;\n"
             + store(ty, "d"), more=f".reg .{ty} a, b, d;\n.reg .u32 c, e;\n")
    for ty in ["u32", "s32", "u64", "s64"]:
        form(f, f"bfind.{ty}", "u32", [ty])
        form(f, f"bfind.shiftamt.{ty}", "u32", [ty])
        form(f, f"bfe.{ty}", ty, [ty, "u32", "u32"], kinds=[ty, "amount", "amount"])
        lo, hi = ("mad.lo.cc", "madc.hi")
        for first, second in [("add.cc", "addc"), ("sub.cc", "subc"), ("add.cc", "subc"), ("sub.cc", "addc")]:
            form(f, f"{first}_{second}.{ty}", ty, [ty] * 3,
                 text=f"{first}.{ty} d, a, b;\n{second}.{ty} d, c, a;")
        form(f, f"{lo}_{hi}.{ty}", ty, [ty] * 3, text=f"{lo}.{ty} d, a, b, c;\n{hi}.{ty} d, a, b, d;")
        form(f, f"mad.hi.cc_madc.lo.{ty}", ty, [ty] * 3, text=f"mad.hi.cc.{ty} d, a, b, c;\nmadc.lo.cc.{ty} d, a, b, d;\naddc.{ty} d, d, c;")
        form(f, f"addc.cc_addc.{ty}", ty, [ty] * 3,
             text=f"add.cc.{ty} d, a, b;\naddc.cc.{ty} d, b, c;\naddc.{ty} d, c, d;")
        form(f, f"subc.cc_subc.{ty}", ty, [ty] * 3,
             text=f"sub.cc.{ty} d, a, b;\nsubc.cc.{ty} d, b, c;\nsubc.{ty} d, c, d;")
    form(f, "fns.b32", "b32", ["b32", "u32", "s32"], kinds=["b32", "lane", "small"])


def logic():
    """Logic, shifts, permutation, comparison and selection."""
    f = "logic"
    for ty in ["b16", "b32", "b64"]:
        for op in ["and", "or", "xor"]:
            form(f, f"{op}.{ty}", ty, [ty, ty])
        for op in ["not", "cnot"]:
            form(f, f"{op}.{ty}", ty, [ty])
        form(f, f"shl.{ty}", ty, [ty, "u32"], kinds=[ty, "amount"])
        for kind in "bus":
            form(f, f"shr.{kind}{ty[1:]}", ty, [ty, "u32"], kinds=[ty, "amount"])
    for op in ["and", "or", "xor", "not"]:
        operands = "p" if op == "not" else "p, q"
        case(f, f"{op}.pred", ["u32"] * 2, "ld.global.b32 a, [in];\nld.global.b32 b, [in+4096];\n"
             f"setp.lt.s32 p, a, b;\nsetp.gt.u32 q, a, b;\n{op}.pred d, {operands};\n" + store("pred", "d"),
             more=".reg .pred p, q, d;\n.reg .b32 a, b;\n")
    for table in [0x00, 0x1e, 0x3a, 0x80, 0x96, 0xb8, 0xca, 0xe8, 0xfe, 0xff]:
        form(f, f"lop3.b32.{table:02x}", "b32", ["b32"] * 3, text=f"lop3.b32 d, a, b, c, {table:#x};")
    for way in "lr":
        for mode in ["clamp", "wrap"]:
            form(f, f"shf.{way}.{mode}.b32", "b32", ["b32", "b32", "u32"], kinds=["b32", "b32", "amount"])
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"]:
        form(f, f"prmt.b32{mode}", "b32", ["b32"] * 3)
    for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"]:
        form(f, f"selp.{ty}", ty, [ty, ty, "u32"], kinds=[ty, ty, "lane"],
             text=f"{{ .reg .pred p; setp.gt.u32 p, c, 12; selp.{ty} d, a, b, p; }}")
        form(f, f"slct.{ty}.s32", ty, [ty, ty, "s32"])
        for ftz in ["", ".ftz"]:
            form(f, f"slct{ftz}.{ty}.f32", ty, [ty, ty, "f32"])


def compare():
    """setp and set, every comparison of every type."""
    f = "compare"
    signed = ["eq", "ne", "lt", "le", "gt", "ge"]
    unsigned = signed + ["lo", "ls", "hi", "hs"]
    floats = signed + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f16", "bf16", "f32", "f64"]:
        ops = {"b": ["eq", "ne"], "u": unsigned, "s": signed, "f": floats}.get(ty[0], floats)
        ops = floats if ty == "bf16" else ops
        for op in ops:
            form(f, f"setp.{op}.{ty}", "pred", [ty, ty])
            if ty in ("f16", "f32"):
                form(f, f"setp.{op}.ftz.{ty}", "pred", [ty, ty])
        for out in ["u32", "s32", "f32"]:
            if ty not in ("f16", "bf16"):
                form(f, f"set.{ops[-1]}.{out}.{ty}", out, [ty, ty])
        q = "" if "f16" in ty else "|q"
        for op, negated in [("and", ""), ("or", "!"), ("xor", "")]:
            form(f, f"setp.{ops[0]}.{op}.{ty}", "u32", [ty, ty, "u32"], kinds=[ty, ty, "lane"],
                 text=f"{{ .reg .pred p, q, r; .reg .u32 e; setp.gt.u32 r, c, 12; setp.ne.u32 q, c, c;\n"
                 f"setp.{ops[0]}.{op}.{ty} p{q}, a, b, {negated}r;\n"
                 "selp.u32 d, 1, 0, p; selp.u32 e, 2, 0, q; add.u32 d, d, e; }")
    for ty in ["f16x2", "bf16x2"]:
        for op in floats:
            form(f, f"setp.{op}.{ty}", "u32", [ty, ty], text=f"{{ .reg .pred p, q; .reg .u32 e; "
                 f"setp.{op}.{ty} p|q, a, b;\nselp.u32 d, 1, 0, p; selp.u32 e, 2, 0, q; add.u32 d, d, e; }}")
    for op in floats:
        form(f, f"set.{op}.ftz.f32.f32", "f32", ["f32", "f32"])
        form(f, f"set.{op}.and.u32.f32", "u32", ["f32", "f32", "u32"], kinds=["f32", "f32", "lane"],
             text=f"{{ .reg .pred r; setp.gt.u32 r, c, 12; set.{op}.and.u32.f32 d, a, b, r; }}")
    for out in ["f16", "u16", "u32"]:
        form(f, f"set.lt.{out}.f16", out, ["f16", "f16"])
    for out in ["bf16", "u16", "u32"]:
        form(f, f"set.geu.{out}.bf16", out, ["bf16", "bf16"])
    form(f, "set.gtu.f16x2.f16x2", "f16x2", ["f16x2", "f16x2"])
    form(f, "set.le.bf16x2.bf16x2", "bf16x2", ["bf16x2", "bf16x2"])


def single():
    """f32 and f64."""
    f = "float"
    rounds = [".rn", ".rz", ".rm", ".rp"]
    for op in ["add", "sub", "mul", "fma", "mad"]:
        n = 3 if op in ("fma", "mad") else 2
        for rnd in rounds + ([""] if n == 2 else []):
            for ftz in ["", ".ftz"]:
                for sat in ["", ".sat"]:
                    form(f, f"{op}{rnd}{ftz}{sat}.f32", "f32", ["f32"] * n)
            form(f, f"{op}{rnd}.f64", "f64", ["f64"] * n)
    for rnd in rounds:
        form(f, f"div{rnd}.f64", "f64", ["f64"] * 2)
        for ftz in ["", ".ftz"]:
            form(f, f"div{rnd}{ftz}.f32", "f32", ["f32"] * 2)
        for op in ["rcp", "sqrt"]:
            form(f, f"{op}{rnd}.f64", "f64", ["f64"])
            for ftz in ["", ".ftz"]:
                form(f, f"{op}{rnd}{ftz}.f32", "f32", ["f32"])
    # Bounds: twice the ISA's, since the GPU is as far from the truth as we may be.
    for ftz in ["", ".ftz"]:
        form(f, f"div.approx{ftz}.f32", "f32", ["f32", "f32"], "rel 21")
        form(f, f"div.full{ftz}.f32", "f32", ["f32", "f32"], "rel 21")
        form(f, f"rcp.approx{ftz}.f32", "f32", ["f32"], "rel 22")
        form(f, f"sqrt.approx{ftz}.f32", "f32", ["f32"], "rel 22")
        form(f, f"rsqrt.approx{ftz}.f32", "f32", ["f32"], "rel 21.9")
        form(f, f"sin.approx{ftz}.f32", "f32", ["f32"], "abs 19.5", ["angle"])
        form(f, f"cos.approx{ftz}.f32", "f32", ["f32"], "abs 19.5", ["angle"])
        form(f, f"lg2.approx{ftz}.f32", "f32", ["f32"], "either 21.6")
        form(f, f"ex2.approx{ftz}.f32", "f32", ["f32"], "rel 21", ["exponent"])
    form(f, "tanh.approx.f32", "f32", ["f32"], "rel 10", ["exponent"])
    form(f, "rsqrt.approx.f64", "f64", ["f64"], "rel 20")
    form(f, "rcp.approx.ftz.f64", "f64", ["f64"], "rel 18")
    form(f, "rsqrt.approx.ftz.f64", "f64", ["f64"], "rel 18")
    for ty in ["f32", "f64"]:
        for ftz in ["", ".ftz"] if ty == "f32" else [""]:
            form(f, f"abs{ftz}.{ty}", ty, [ty])
            form(f, f"neg{ftz}.{ty}", ty, [ty])
            for op in ["min", "max"]:
                form(f, f"{op}{ftz}.{ty}", ty, [ty, ty])
                if ty == "f32":
                    form(f, f"{op}{ftz}.NaN.{ty}", ty, [ty, ty])
                    form(f, f"{op}{ftz}.xorsign.abs.{ty}", ty, [ty, ty])
                    form(f, f"{op}{ftz}.NaN.xorsign.abs.{ty}", ty, [ty, ty])
        form(f, f"copysign.{ty}", ty, [ty, ty])
        for test in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]:
            form(f, f"testp.{test}.{ty}", "pred", [ty])


def half():
    """f16 and bf16, alone and in pairs."""
    f = "half"
    for ty in ["f16", "f16x2"]:
        for ftz in ["", ".ftz"]:
            for op in ["add", "sub", "mul"]:
                for rnd in ["", ".rn"]:
                    for sat in ["", ".sat"]:
                        form(f, f"{op}{rnd}{ftz}{sat}.{ty}", ty, [ty, ty])
            for mode in ["", ".sat", ".relu"]:
                form(f, f"fma.rn{ftz}{mode}.{ty}", ty, [ty] * 3)
            form(f, f"neg{ftz}.{ty}", ty, [ty])
            form(f, f"abs{ftz}.{ty}", ty, [ty])
            for op in ["min", "max"]:
                for mode in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"]:
                    form(f, f"{op}{ftz}{mode}.{ty}", ty, [ty, ty])
        form(f, f"ex2.approx.{ty}", ty, [ty], f"half {ty} 8.9")
        form(f, f"tanh.approx.{ty}", ty, [ty], f"half {ty} 9.9")
    for ty in ["bf16", "bf16x2"]:
        for op in ["add", "sub", "mul"]:
            for rnd in ["", ".rn"]:
                form(f, f"{op}{rnd}.{ty}", ty, [ty, ty])
        for mode in ["", ".relu"]:
            form(f, f"fma.rn{mode}.{ty}", ty, [ty] * 3)
        form(f, f"neg.{ty}", ty, [ty])
        form(f, f"abs.{ty}", ty, [ty])
        for op in ["min", "max"]:
            for mode in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"]:
                form(f, f"{op}{mode}.{ty}", ty, [ty, ty])
        form(f, f"ex2.approx.ftz.{ty}", ty, [ty], f"half {ty} 6")
        form(f, f"tanh.approx.{ty}", ty, [ty], f"half {ty} 7")


def convert():
    """cvt between all types, with every rounding and saturation."""
    f = "convert"
    ints = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    floats = ["f16", "bf16", "f32", "f64"]
    for to in ints:
        for source in ints:
            # ptxas refuses saturation where the range cannot be left.
            for sat in ["", ".sat"] if leaves(to, source) else [""]:
                form(f, f"cvt{sat}.{to}.{source}", to, [source])
        for source in floats:
            for rnd in ["rni", "rzi", "rmi", "rpi"]:
                for ftz in ["", ".ftz"] if source == "f32" else [""]:
                    for sat in ["", ".sat"] if rnd == "rzi" else [""]:
                        if source != "bf16":
                            form(f, f"cvt.{rnd}{ftz}{sat}.{to}.{source}", to, [source])
    for source in ints:
        for to in ["f16", "f32", "f64"]:
            for rnd in ["rn", "rz", "rm", "rp"]:
                form(f, f"cvt.{rnd}.{to}.{source}", to, [source])
            form(f, f"cvt.rn.sat.{to}.{source}", to, [source])
    for ty in ["f16", "f32", "f64"]:
        for rnd in ["rni", "rzi", "rmi", "rpi"]:
            for mode in ["", ".sat"] + ([".ftz", ".ftz.sat"] if ty == "f32" else []):
                form(f, f"cvt.{rnd}{mode}.{ty}.{ty}", ty, [ty])
        form(f, f"cvt.sat.{ty}.{ty}", ty, [ty])
    for to, source in [("f32", "f64"), ("f16", "f64"), ("f16", "f32")]:
        for rnd in ["rn", "rz", "rm", "rp"]:
            form(f, f"cvt.{rnd}.{to}.{source}", to, [source])
        form(f, f"cvt.rn.sat.{to}.{source}", to, [source])
    for to, source in [("f64", "f32"), ("f64", "f16"), ("f32", "f16")]:
        form(f, f"cvt.{to}.{source}", to, [source])
        form(f, f"cvt.sat.{to}.{source}", to, [source])
    form(f, "cvt.ftz.f32.f16", "f32", ["f16"])
    form(f, "cvt.ftz.f64.f32", "f64", ["f32"])
    form(f, "cvt.rn.ftz.f32.f64", "f32", ["f64"])
    form(f, "cvt.rn.ftz.f16.f32", "f16", ["f32"])
    form(f, "cvt.f32.bf16", "f32", ["bf16"])
    form(f, "cvt.rna.tf32.f32", "tf32", ["f32"])
    for rnd in ["rn", "rz"]:
        for relu in ["", ".relu"]:
            form(f, f"cvt.{rnd}{relu}.bf16.f32", "bf16", ["f32"])
            form(f, f"cvt.{rnd}{relu}.f16x2.f32", "f16x2", ["f32", "f32"])
            form(f, f"cvt.{rnd}{relu}.bf16x2.f32", "bf16x2", ["f32", "f32"])
    for to in ["u16", "s16"]:
        form(f, f"cvt.pack.sat.{to}.s32", "b32", ["s32", "s32"])
    for to in ["u8", "s8", "u4", "s4", "u2", "s2"]:
        form(f, f"cvt.pack.sat.{to}.s32.b32", "b32", ["s32", "s32", "b32"])


def narrow():
    """Floats of 8 and 19 bits, pairs of 16-bit integers, lop3 with a predicate."""
    f = "narrow"
    for ty in ["e4m3x2", "e5m2x2"]:
        for relu in ["", ".relu"]:
            form(f, f"cvt.rn.satfinite{relu}.{ty}.f32", "b16", ["f32", "f32"])
            form(f, f"cvt.rn.satfinite{relu}.{ty}.f16x2", "b16", ["f16x2"])
            form(f, f"cvt.rn{relu}.f16x2.{ty}", "b32", ["b16"])
    for rnd in ["rn", "rz", "rn.relu", "rz.relu", "rna.satfinite"]:
        form(f, f"cvt.{rnd}.tf32.f32", "tf32", ["f32"])
    for op in ["add", "min", "max"]:
        for ty in ["u16x2", "s16x2"]:
            form(f, f"{op}.{ty}", "b32", ["b32", "b32"])
    for op in ["min", "max"]:
        form(f, f"{op}.s16x2.relu", "b32", ["b32", "b32"])
        form(f, f"{op}.relu.s32", "s32", ["s32", "s32"])
    for op in ["or", "and"]:
        for q in ["q", "!q"]:
            form(f, f"lop3.{op}.b32{'.not' if q[0] == '!' else ''}", "b32", ["b32"] * 3, text="{ .reg .pred p, q; .reg .b32 e; setp.gt.s32 q, a, 5;\n"
                 f"lop3.{op}.b32 d|p, a, b, c, 0x80, {q}; selp.b32 e, 1, 0, p; add.u32 d, d, e; }}")


def main():
    """Write everything."""
    for table in [integer, logic, compare, single, half, convert, narrow]:
        table()
    video.add(form)
    special.add(case)
    wide.add(case)
    for file, texts in TEXTS.items():
        head = HEAD.format(VERSIONS.get(file, "7.8")) + special.HEADS.get(file, "")
        (HERE / f"{file}.ptx").write_text(head + "".join(texts))
    with open(HERE / "cases.csv", "w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["file", "kernel", "operands", "threads", "rule"])
        rows.writerows(CASES)


if __name__ == "__main__":
    main()
