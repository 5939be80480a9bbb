"""Kernels written by hand: atomics on vectors and on 128 bits, copies that are not awaited at once."""

# These came with later versions of PTX than the rest.
VERSIONS = {"wide": "8.4"}
COLUMNS = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1), (0, 0), (1, 1)]


def add(case):
    """Add every kernel."""
    vectors(case)
    quads(case)
    copies(case)


def vectors(case):
    """atom and red on vectors in global memory: element by element, of pairs of columns."""
    forms = [("add", "f32", n) for n in (2, 4)]
    for op in ["add.noftz", "min.noftz", "max.noftz"]:
        forms += [(op, ty, n) for ty in ("f16", "bf16") for n in (2, 4, 8)]
        forms += [(op, ty, n) for ty in ("f16x2", "bf16x2") for n in (2, 4)]
    for op, ty, n in forms:
        size = 32 if ty in ("f32", "f16x2", "bf16x2") else 16
        word = f"b{size}"
        names = [", ".join(f"{name}{i}" for i in range(n)) for name in "abcd"]
        text = f"mov.u64 here, place;\nmul.wide.u32 v, tid, {n * size // 8};\nadd.u64 here, here, v;\n"
        for i in range(n):
            a, b = COLUMNS[i]
            text += f"ld.global.{word} a{i}, [in+{4096 * a}];\nld.global.{word} b{i}, [in+{4096 * b}];\n"
            text += f"st.global.{word} [here+{i * size // 8}], a{i};\n"
        back = "".join(f"ld.global.{word} c{i}, [here+{i * size // 8}];\n" for i in range(n))
        fold = "mov.u64 p, 0;\n"
        widen = "cvt.u64.u16" if size == 16 else "cvt.u64.u32"
        reg = f".reg .{'f32' if ty == 'f32' else word} a<8>, b<8>, c<8>, d<8>;\n.reg .b32 x;\n.reg .u64 here, v, p, q;\n"

        def mix(name, fold):
            for i in range(n):
                source = f"{name}{i}"
                if ty == "f32":
                    fold += f"mov.b32 x, {source};\n"
                    source = "x"
                fold += f"{widen} q, {source};\nmul.lo.u64 p, p, 0x100000001b3;\nxor.b64 p, p, q;\n"
            return fold
        kinds = [ty] * 3
        case("wide", f"atom.global.{op}.v{n}.{ty}", kinds, text + f"atom.global.{op}.v{n}.{ty} {{{names[3]}}}, [here], {{{names[1]}}};\n"
             + back + mix("d", mix("c", fold)) + "st.global.u64 [out], p;", more=reg)
        case("wide", f"red.global.{op}.v{n}.{ty}", kinds, text + f"red.global.{op}.v{n}.{ty} [here], {{{names[1]}}};\n"
             + back + mix("c", fold) + "st.global.u64 [out], p;", more=reg)


def quads(case):
    """128 bits: registers, loads, stores, atomics."""
    regs = ".reg .b128 a, b, c, d;\n.reg .b64 x, y, z, w, here, v;\n"
    load = "ld.global.b64 x, [in];\nld.global.b64 y, [in+4096];\nld.global.b64 z, [in+8192];\n"
    give = "xor.b64 x, x, y;\nmul.lo.u64 z, z, 3;\nxor.b64 x, x, z;\nmul.lo.u64 w, w, 5;\nxor.b64 x, x, w;\nst.global.b64 [out], x;"
    kinds = ["b64"] * 3
    case("wide", "mov.b128", kinds, load + "mov.b128 a, {x, y};\nmov.b128 b, a;\nmov.b128 {z, w}, b;\n" + give, more=regs)
    where = {"global": "mov.u64 here, place;\n", "shared": "mov.u64 here, tile;\n", "generic": "mov.u64 here, tile;\ncvta.shared.u64 here, here;\n"}
    tile = ".shared .align 16 .b8 tile[8192];\n"
    for space, start in where.items():
        dot = "" if space == "generic" else f".{space}"
        start = load + start + "shl.b64 v, at, 1;\nand.b64 v, v, 8191;\nadd.u64 here, here, v;\nmov.b128 a, {x, y};\n"
        case("wide", f"ld_st.{space}.b128", kinds, start + f"st{dot}.b128 [here], a;\nld{dot}.b128 b, [here];\nmov.b128 {{z, w}}, b;\n" + give, more=regs + tile)
        back = f"ld{dot}.v2.b64 {{x, y}}, [here];\nmov.b128 {{z, w}}, d;\n" + give
        case("wide", f"atom.{space}.exch.b128", kinds, start + f"st{dot}.v2.b64 [here], {{y, z}};\natom{dot}.exch.b128 d, [here], a;\n" + back, more=regs + tile)
        # Equal in every other thread.
        case("wide", f"atom.{space}.cas.b128", kinds, start + f"and.b64 w, at, 8;\nadd.u64 w, y, w;\nst{dot}.v2.b64 [here], {{x, w}};\nmov.b128 b, {{z, x}};\n"
             f"atom{dot}.cas.b128 d, [here], a, b;\n" + back, more=regs + tile)


def copies(case):
    """cp.async: sizes from registers, sources that are not read, groups."""
    regs = ".reg .b32 a, b, n;\n.reg .u64 v, w, source;\n.reg .pred p;\n.shared .align 16 .b8 tile[4096];\n"
    start = ("shl.b64 v, at, 1;\nand.b64 v, v, 4095;\nmov.u64 w, tile;\nadd.u64 w, w, v;\nld.param.u64 source, [in_ptr];\nadd.u64 source, source, v;\n"
             "st.shared.v4.u32 [w], {tid, tid, tid, tid};\n")
    give = "ld.shared.v4.u32 {a, b, n, bit}, [w];\nmad.lo.u32 a, b, 3, a;\nmad.lo.u32 b, bit, 5, n;\nst.global.v2.u32 [out], {a, b};"
    for size in [4, 8, 16]:
        case("wide", f"cp.async.ca.{size}.some", ["b64"], start + f"and.b32 n, tid, {size - 1};\n"
             f"cp.async.ca.shared.global [w], [source], {size}, n;\ncp.async.wait_all;\n" + give, more=regs)
        case("wide", f"cp.async.ca.{size}.ignored", ["b64"], start + f"and.b32 n, tid, 1;\nsetp.ne.u32 p, n, 0;\n"
             f"cp.async.ca.shared.global [w], [source], {size}, p;\ncp.async.wait_all;\n" + give, more=regs)
    case("wide", "cp.async.cg.16.hints", ["b64"], start + "cp.async.cg.shared::cta.global.L2::128B [w], [source], 16;\ncp.async.wait_all;\n" + give, more=regs)
    case("wide", "cp.async.groups", ["b64"], start + "cp.async.ca.shared.global [w], [source], 4;\ncp.async.commit_group;\n"
         "cp.async.ca.shared.global [w+4], [source+8], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\ncp.async.wait_group 0;\n" + give, more=regs)
