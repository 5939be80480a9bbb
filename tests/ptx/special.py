"""Kernels written by hand: moves, memory, atomics, warps, barriers, control flow."""

TYPES = ["u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64"]
# What stands before the kernels of a file.
HEADS = {
    "wide": ".global .align 16 .b8 place[8192];\n",
    "memory": """
.const .align 8 .b8 table[64] = {1, 2, 3, 255, 128, 127, 0, 9, 10, 11, 12, 13, 14, 15, 16, 200,
17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 250,
33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 190,
49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 240};
.const .align 4 .u32 words[4] = {1, 0xffffffff, 7, 0x80000000};
.const .align 4 .f32 floats[4] = {0f3f800000, 0f40490fdb, 0fff800000, 0f00000001};
.const .align 8 .f64 doubles[2] = {0d3ff0000000000000, 0d400921fb54442d18};
.global .align 4 .u32 counter = 41;
.global .align 8 .u64 wide[3] = {1, 2, 0x123456789abcdef0};
.global .align 4 .s16 shorts[4] = {-1, 2, -3, 4};
.global .align 8 .u64 pointer = generic(wide);
.global .align 4 .b8 zeroed[256];
.shared .align 16 .b8 module_tile[1024];
""",
    "control": """
.func (.param .b32 result) square(.param .b32 value)
{
.reg .u32 v;
ld.param.b32 v, [value];
mul.lo.u32 v, v, v;
st.param.b32 [result], v;
ret;
}
.func (.reg .u32 result) add_registers(.reg .u32 left, .reg .u32 right)
{
add.u32 result, left, right;
ret;
}
.func (.param .b32 result) fibonacci(.param .b32 value)
{
.reg .u32 v, x, y;
.reg .pred p;
ld.param.b32 v, [value];
setp.lt.u32 p, v, 2;
@p bra SMALL;
sub.u32 x, v, 1;
{
.param .b32 arg; .param .b32 back;
st.param.b32 [arg], x;
call.uni (back), fibonacci, (arg);
ld.param.b32 y, [back];
}
sub.u32 x, v, 2;
{
.param .b32 arg; .param .b32 back;
st.param.b32 [arg], x;
call.uni (back), fibonacci, (arg);
ld.param.b32 x, [back];
}
add.u32 v, x, y;
SMALL:
st.param.b32 [result], v;
ret;
}
.func (.param .align 8 .b8 result[16]) swap(.param .align 8 .b8 pair[16])
{
.reg .u64 x, y;
ld.param.b64 x, [pair];
ld.param.b64 y, [pair+8];
st.param.b64 [result], y;
st.param.b64 [result+8], x;
ret;
}
.func store_through(.param .b64 place, .param .b32 value)
{
.reg .u64 p;
.reg .u32 v;
ld.param.b64 p, [place];
ld.param.b32 v, [value];
st.u32 [p], v;
ret;
}
""",
}


def register(ty):
    """The register type that holds `ty`."""
    return f".{ty}" if ty[0] == "f" else f".b{max(16, int(ty[1:]))}"


def add(case):
    """Add every kernel."""
    moves(case)
    memory(case)
    atomics(case)
    warp(case)
    control(case)


def moves(case):
    """mov: packing, unpacking, immediates and special registers."""
    f = "move"
    for ty in ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"]:
        word = ty if ty[0] == "f" else "b" + ty[1:]
        case(f, f"mov.{ty}", [ty], f"ld.global.{word} a, [in];\nmov.{ty} d, a;\nst.global.{word} [out], d;",
             more=f".reg {register(ty)} a, d;\n")
    case(f, "mov.pred", ["u32"], "ld.global.u32 a, [in];\nsetp.gt.s32 p, a, 5;\nmov.pred q, p;\n"
         "selp.u32 a, 1, 0, q;\nst.global.u32 [out], a;", more=".reg .u32 a;\n.reg .pred p, q;\n")
    for whole, part, n in [("b32", "b16", 2), ("b64", "b32", 2), ("b64", "b16", 4), ("b32", "b8", 4), ("b16", "b8", 2)]:
        parts = "pqrs"[:n]
        if part == "b8":
            continue
        declare = f".reg .{whole} a, d;\n.reg .{part} {', '.join(parts)};\n"
        case(f, f"mov.unpack.{whole}.{part}", [whole], f"ld.global.{whole} a, [in];\n"
             f"mov.{whole} {{{', '.join(parts)}}}, a;\nmov.{whole} d, {{{', '.join(reversed(parts))}}};\n"
             f"st.global.{whole} [out], d;", more=declare)
    case(f, "mov.sink", ["b64"], "ld.global.b64 a, [in];\nmov.b64 {_, h}, a;\nst.global.u32 [out], h;",
         more=".reg .b64 a;\n.reg .b32 h;\n")
    for name, ty, text in [("decimal", "u32", "4000000000"), ("negative", "s32", "-7"), ("hex", "u64", "0xfedcba9876543210U"),
                           ("octal", "u32", "0777"), ("binary", "u32", "0b1011"), ("float", "f32", "0fC0490FDB"),
                           ("double", "f64", "0dC00921FB54442D18"), ("decimal_double", "f64", "1.5e-3"),
                           ("expression", "s32", "3*4+2"), ("half", "b16", "0x3c00")]:
        word = ty if ty[0] == "f" else "b" + ty[1:]
        case(f, f"immediate.{name}", ["u32"], f"mov.{ty} d, {text};\nst.global.{word} [out], d;", more=f".reg {register(ty)} d;\n")
    for name in ["%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
                 "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%lanemask_eq", "%lanemask_le", "%lanemask_lt",
                 "%lanemask_ge", "%lanemask_gt", "%dynamic_smem_size"]:
        case(f, f"special.{name[1:]}", ["u32"], f"mov.u32 d, {name};\nst.global.u32 [out], d;", more=".reg .u32 d;\n")
    case(f, "special.warpid", ["u32"], "mov.u32 d, %warpid;\nsetp.lt.u32 p, d, 64;\nselp.u32 d, 1, 0, p;\nst.global.u32 [out], d;",
         more=".reg .u32 d;\n.reg .pred p;\n")
    for name, ty in [("%smid", "u32"), ("%nsmid", "u32"), ("%nwarpid", "u32"), ("%gridid", "u64"), ("%total_smem_size", "u32"),
                     ("%clock", "u32"), ("%clock_hi", "u32"), ("%clock64", "u64"), ("%globaltimer", "u64"),
                     ("%globaltimer_lo", "u32"), ("%globaltimer_hi", "u32")]:
        case(f, f"special.{name[1:]}", ["u32"], f"mov.{ty} d, {name};\nxor.b{ty[1:]} d, d, d;\nst.global.{ty} [out], d;",
             more=f".reg .{ty} d;\n")
    case(f, "clock.grows", ["u32"], "mov.u64 a, %clock64;\nbar.sync 0;\nmov.u64 b, %clock64;\nsetp.gt.u64 p, b, a;\n"
         "selp.u32 d, 1, 0, p;\nst.global.u32 [out], d;", more=".reg .u64 a, b;\n.reg .u32 d;\n.reg .pred p;\n")


def memory(case):
    """Loads and stores: spaces, types, vectors, cache hints, and address forms."""
    f = "memory"
    spaces = {"global": "mov.u64 here, out;", "shared": "mov.u64 here, tile;\nadd.u64 here, here, own;",
              "local": "mov.u64 here, mine;", "generic": "cvta.shared.u64 here, tile_at;\nadd.u64 here, here, own;",
              "generic_local": "cvta.local.u64 here, mine_at;"}
    for space, address in spaces.items():
        dot = "" if space.startswith("generic") else f".{space}"
        declare = (".shared .align 16 .b8 tile[8192];\n.local .align 16 .b8 mine[32];\n"
                   ".reg .u64 here, own, tile_at, mine_at;\n.reg .u32 seen;\n")
        prepare = f"shl.b64 own, at, 1;\nmov.u64 tile_at, tile;\nmov.u64 mine_at, mine;\n{address}\n"
        for ty in TYPES:
            size = int(ty[1:])
            if size < 64:
                # A narrow load extends; a narrow store keeps its neighbours.
                wide = "s64" if ty[0] == "s" else "u64"
                body = (f"{prepare}ld.global.b64 whole, [in];\nst{dot}.b64 [here], whole;\n"
                        f"ld{dot}.{ty} v, [here+{8 // 2 if size < 64 else 0}];\nst{dot}.{ty} [here], v;\nld{dot}.b64 whole, [here];\n"
                        "st.global.b64 [out], whole;")
                more = f"{declare}.reg .b64 whole;\n.reg {register(ty)} v;\n"
                if ty[0] != "f":
                    case(f, f"ld.{space}.{ty}.extends", ["b64"], f"{prepare}ld.global.b64 whole, [in];\nst{dot}.b64 [here], whole;\n"
                         f"ld{dot}.{ty} whole, [here];\nst.global.b64 [out], whole;",
                         threads=128, more=f"{declare}.reg .{'b64' if ty[0] == 'b' else wide} whole;\n")
            else:
                body = (f"{prepare}ld.global.{ty} v, [in];\nst{dot}.{ty} [here], v;\nld{dot}.{ty} v, [here];\nst.global.{ty} [out], v;")
                more = f"{declare}.reg {register(ty)} v;\n"
            case(f, f"ld.st.{space}.{ty}", ["b64"], body, threads=128, more=more)
            for n in [2, 4]:
                if size * n > 128 or (space == "global" and size * n > 64):
                    continue
                names = "vwxy"[:n]
                # Rotated by one and folded to a cell.
                turned = names[1:] + names[0]
                body = (f"{prepare}ld.global.b64 whole, [in];\nst{dot}.b64 [here], whole;\n")
                if size * n > 64:
                    body += f"ld.global.b64 other, [in+4096];\nst{dot}.b64 [here+8], other;\n"
                body += (f"ld{dot}.v{n}.{ty} {{{', '.join(names)}}}, [here];\nst{dot}.v{n}.{ty} [here], {{{', '.join(turned)}}};\n"
                         f"ld{dot}.b64 whole, [here];\n")
                if size * n > 64:
                    body += f"ld{dot}.b64 other, [here+8];\nmul.lo.u64 other, other, 3;\nxor.b64 whole, whole, other;\n"
                case(f, f"ld.st.{space}.v{n}.{ty}", ["b64", "b64"], body + "st.global.b64 [out], whole;", threads=128,
                     more=f"{declare}.reg .b64 whole, other;\n.reg {register(ty)} {', '.join(names)};\n")
    for ty, n in [("b64", 2), ("u64", 2), ("f64", 2), ("b32", 4), ("f32", 4), ("u32", 4), ("s32", 4)]:
        names = "vwxy"[:n]
        case(f, f"ld.global.v{n}.{ty}", ["b64"], "shl.b64 at, at, 1;\nld.param.u64 in, [in_ptr];\nadd.u64 in, in, at;\n"
             f"ld.global.v{n}.{ty} {{{', '.join(names)}}}, [in];\nst.global.{ty} [out], {names[n - 1]};",
             threads=128, more=f".reg {register(ty)} {', '.join(names)};\n")
    one = ".reg .u32 a, b;\n.reg .u64 v, w;\n"
    for ty in ["s8", "u8", "s16"]:
        case(f, f"ld.global.{ty}.in_16_bits", ["b64"], f"ld.global.{ty} h, [in];\nld.global.v2.{ty} {{k, l}}, [in];\ncvt.u32.u16 a, h;\ncvt.u32.u16 b, l;\n"
             "shl.b32 b, b, 7;\nxor.b32 a, a, b;\nst.global.u32 [out], a;", threads=128, more=one + ".reg .b16 h, k, l;\n")
    for word in [".nc", ".ca", ".cg", ".cs", ".lu", ".cv", ".nc.L1::no_allocate", ".L1::evict_first", ".L1::evict_last", ".L1::no_allocate", ".L1::evict_unchanged",
                 ".L1::evict_normal", ".L2::64B", ".L2::128B", ".L2::256B", ".nc.L2::128B", ".nc.L1::no_allocate.L2::128B"]:
        case(f, f"ld.global{word}.u32", ["u32"], f"ld.global{word}.u32 a, [in];\nst.global.u32 [out], a;", threads=64, more=one)
    for word in [".weak", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".acquire.cta", ".acquire.gpu", ".acquire.sys"]:
        head, tail = (f"ld{word}.global", f"ld{word}")
        case(f, f"{head}.u32", ["u32"], f"{head}.u32 a, [in];\nst.global.u32 [out], a;", threads=64, more=one)
        case(f, f"{tail}.u32", ["u32"], f"{tail}.u32 a, [in];\nst.global.u32 [out], a;", threads=64, more=one)
    for word in [".wb", ".cg", ".cs", ".wt", ".L1::no_allocate", ".L1::evict_last"]:
        case(f, f"st.global{word}.u32", ["u32"], f"ld.global.u32 a, [in];\nst.global{word}.u32 [out], a;", threads=64, more=one)
    for word in [".weak", ".volatile", ".relaxed.cta", ".relaxed.gpu", ".relaxed.sys", ".release.cta", ".release.gpu", ".release.sys"]:
        case(f, f"st{word}.global.u32", ["u32"], f"ld.global.u32 a, [in];\nst{word}.global.u32 [out], a;", threads=64, more=one)
    case(f, "ldu.global.u32", ["u32"], "ldu.global.u32 a, [in];\nst.global.u32 [out], a;", threads=64, more=one)
    case(f, "ldu.global.v2.u32", ["b64"], "ldu.global.v2.u32 {a, b}, [in];\nst.global.v2.u32 [out], {b, a};", threads=64, more=one)
    for word in [".global.L1", ".global.L2", ".L1", ".L2", ".global.L2::evict_last", ".global.L2::evict_normal"]:
        case(f, f"prefetch{word}", ["u32"], f"prefetch{word} [in];\nld.global.u32 a, [in];\nst.global.u32 [out], a;", threads=64, more=one)
    case(f, "prefetchu.L1", ["u32"], "prefetchu.L1 [in];\nld.global.u32 a, [in];\nst.global.u32 [out], a;", threads=64, more=one)
    for name, text in {
        "const.u8": "and.b64 v, at, 63;\nmov.u64 w, table;\nadd.u64 w, w, v;\nld.const.u8 a, [w];",
        "const.s8": "shr.u64 v, at, 3;\nand.b64 v, v, 63;\nmov.u64 w, table;\nadd.u64 w, w, v;\nld.const.s8 a, [w];",
        "const.offset": "ld.const.u32 a, [table+12];", "const.u32": "ld.const.u32 a, [words+4];",
        "const.f32": "ld.const.b32 a, [floats+8];", "const.index": "ld.const.u32 a, [table+60];",
        "const.v2": "ld.const.v2.u32 {b, a}, [table+8];", "const.v4": "ld.const.v4.u32 {b, b, b, a}, [words];",
        "const.generic": "cvta.const.u64 w, v;\nld.u32 a, [w+8];", "global.counter": "ld.global.u32 a, [counter];",
        "global.short": "ld.global.s16 a, [shorts+4];",
        "global.generic": "mov.u64 w, counter;\ncvta.global.u64 w, w;\nld.u32 a, [w];",
        "global.shared_module": "mov.u64 w, module_tile;\nadd.u64 w, w, at;\nst.shared.u32 [w], tid;\nbar.sync 0;\nxor.b64 v, at, 8;\n"
                                "mov.u64 w, module_tile;\nadd.u64 w, w, v;\nld.shared.u32 a, [w];",
        "shared.address32": "cvt.u32.u64 b, at;\nmov.u32 a, module_tile;\nadd.u32 a, a, b;\nst.shared.u32 [a], tid;\nld.shared.u32 a, [a];",
        "shared.offset": "st.shared.u32 [module_tile+16], 99;\nbar.sync 0;\nld.shared.u32 a, [module_tile+16];",
        "global.zeroed": "ld.global.u32 a, [zeroed+252];",
        "cvta.to.global": "cvta.to.global.u64 w, in;\nld.global.u32 a, [w];",
        "cvta.to.shared": "mov.u64 w, module_tile;\ncvta.shared.u64 w, w;\ncvta.to.shared.u64 w, w;\nadd.u64 w, w, at;\nst.shared.u32 [w], 5;\nld.shared.u32 a, [w];",
    }.items():
        text = text.replace("cvta.const.u64 w, v;", "mov.u64 v, words;\ncvta.const.u64 w, v;")
        case(f, name, ["u32"], text + "\nst.global.u32 [out], a;", threads=64, more=one)
    for name, text in {
        "const.f64": "ld.const.f64 x, [doubles+8];\nmov.b64 v, x;", "global.u64": "ld.global.u64 v, [wide+16];",
        "global.pointer": "ld.global.u64 w, [pointer];\nld.u64 v, [w+8];",
    }.items():
        case(f, name, ["u32"], text + "\nst.global.u64 [out], v;", threads=64, more=one + ".reg .f64 x;\n")
    for space in ["global", "shared", "local", "const"]:
        tests = "".join(f"isspacep.{space} p, g{n};\nselp.u32 b, {1 << n}, 0, p;\nor.b32 a, a, b;\n" for n in range(4))
        case(f, f"isspacep.{space}", ["u32"], "mov.u32 a, 0;\nmov.u64 v, module_tile;\ncvta.shared.u64 g0, v;\nmov.u64 v, mine;\n"
             "cvta.local.u64 g1, v;\nmov.u64 v, words;\ncvta.const.u64 g2, v;\nmov.u64 g3, in;\n" + tests + "st.global.u32 [out], a;",
             threads=32, more=one + ".local .align 8 .b8 mine[16];\n.reg .u64 g<4>;\n.reg .pred p;\n")
    for size in [4, 8, 16]:
        for hint in ["ca"] + (["cg"] if size == 16 else []):
            wait = {4: "cp.async.wait_all;", 8: "cp.async.commit_group;\ncp.async.wait_group 0;", 16: "cp.async.commit_group;\ncp.async.wait_all;"}[size]
            for kept in ["", ", 4"]:
                case(f, f"cp.async.{hint}.{size}{'.partly' if kept else ''}", ["b64"], "shl.b64 v, at, 1;\nld.param.u64 in, [in_ptr];\nadd.u64 in, in, v;\n"
                     f"mov.u64 w, tile;\nadd.u64 w, w, v;\ncp.async.{hint}.shared.global [w], [in], {size}{kept};\n{wait}\n"
                     f"ld.shared.u32 a, [w+{size - 4}];\nld.shared.u32 b, [w];\nst.global.v2.u32 [out], {{a, b}};",
                     threads=128, more=one + ".shared .align 16 .b8 tile[2048];\n")
    case(f, "local.array", ["u32"], "mov.u64 w, mine;\nmov.u32 a, 0;\nFILL:\nmul.wide.u32 v, a, 4;\nadd.u64 v, v, w;\nadd.u32 b, a, tid;\n"
         "st.local.u32 [v], b;\nadd.u32 a, a, 1;\nsetp.lt.u32 p, a, 16;\n@p bra FILL;\nand.b32 a, tid, 15;\nmul.wide.u32 v, a, 4;\nadd.u64 v, v, w;\n"
         "ld.local.u32 a, [v];\nst.global.u32 [out], a;", threads=64, more=one + ".local .align 4 .b8 mine[64];\n.reg .pred p;\n")


def atomics(case):
    """atom and red: every function, type, space; scopes and orders; contention."""
    f = "atomic"
    functions = [(op, ty) for op in ["and", "or", "xor", "exch", "cas"] for ty in ["b32", "b64"]]
    functions += [("cas", "b16"), ("inc", "u32"), ("dec", "u32")]
    functions += [(op, ty) for op in ["min", "max"] for ty in ["u32", "s32", "u64", "s64"]]
    functions += [("add", ty) for ty in ["u32", "s32", "u64", "f32", "f64"]]
    functions += [("add.noftz", ty) for ty in ["f16", "f16x2", "bf16", "bf16x2"]]
    for op, ty in functions:
        size = 32 if ty.endswith("x2") else 16 if "f16" in ty else int(ty[1:])
        kind, word = ty, f"b{size}"
        for space in ["global", "shared", "generic"]:
            dot = "" if space == "generic" else f".{space}"
            here = {"global": "mov.u64 here, out;\nadd.u64 here, here, 0;", "shared": "mov.u64 here, tile;\nadd.u64 here, here, at;",
                    "generic": "mov.u64 here, tile;\ncvta.shared.u64 here, here;\nadd.u64 here, here, at;"}[space]
            extra = ", c" if op == "cas" else ""
            fill = f"{here}\nld.global.{word} a, [in];\nld.global.{word} b, [in+4096];\nld.global.{word} c, [in+8192];\nst{dot}.{word} [here], a;\n"
            reg = f".{ty}" if ty in ("f32", "f64") else f".b{size}"
            more = f".shared .align 8 .b8 tile[4096];\n.reg .u64 here;\n.reg {reg} a, b, c, d;\n.reg .b64 p, q;\n"
            fold = (f"atom{dot}.{op}.{ty} d, [here], b{extra};\nmov.u64 p, 0;\nld{dot}.{word} a, [here];\n"
                    + {16: "cvt.u64.u16 p, a;\ncvt.u64.u16 q, d;", 32: "mov.b64 p, {a, a};\nmov.b64 q, {d, d};", 64: "mov.b64 p, a;\nmov.b64 q, d;"}[size]
                    + "\nmul.lo.u64 q, q, 5;\nxor.b64 p, p, q;\nst.global.b64 [out], p;")
            case(f, f"atom{dot or '.generic'}.{op}.{ty}", [kind, kind, kind], fill + fold, more=more)
            if op not in ("exch", "cas"):
                case(f, f"red{dot or '.generic'}.{op}.{ty}", [kind, kind, kind], fill + f"red{dot}.{op}.{ty} [here], b;\n"
                     f"ld{dot}.{word} a, [here];\nst.global.{word} [out], a;", more=more)
    plain = ".reg .u32 a, b;\n.reg .u64 here;\n"
    for order in ["", ".relaxed", ".acquire", ".release", ".acq_rel"]:
        for scope in ["", ".cta", ".gpu", ".sys"] if order else [".cta", ".gpu", ".sys"]:
            if order and not scope:
                continue
            case(f, f"atom{order}{scope}.global.add.u32", ["u32"] * 2, f"ld.global.u32 a, [in];\natom{order}{scope}.global.add.u32 b, [out], a;\n"
                 "add.u32 b, b, a;\nst.global.u32 [out+0], b;", threads=64, more=plain)
            if order in ("", ".relaxed", ".release"):
                case(f, f"red{order}{scope}.global.max.u32", ["u32"] * 2, f"ld.global.u32 a, [in];\nred{order}{scope}.global.max.u32 [out], a;", threads=64, more=plain)
    # Every thread on one of a few cells; the final value does not depend on the order.
    for op in ["add", "min", "max", "and", "or", "xor", "inc"]:
        ty = "b32" if op in ("and", "or", "xor") else "u32"
        for space in ["global", "shared"]:
            value = "1000000" if op == "inc" else "a"
            case(f, f"contended.{space}.{op}", ["u32"], "ld.param.u64 out, [out_ptr];\nand.b64 at, at, 24;\nadd.u64 out, out, at;\nld.global.u32 a, [in];\n"
                 + ("" if space == "global" else "mov.u64 here, tile;\nadd.u64 here, here, at;\nst.shared.u32 [here], 0;\nbar.sync 0;\n")
                 + f"red.{space}.{op}.{ty} [{'out' if space == 'global' else 'here'}], {value};\n"
                 + ("" if space == "global" else "bar.sync 0;\nld.shared.u32 b, [here];\nst.global.u32 [out], b;"),
                 more=plain + ".shared .align 8 .b8 tile[64];\n")


def warp(case):
    """Shuffles, votes, matches, reductions and barriers."""
    f = "warp"
    regs = ".reg .b32 a, b, c, d, e;\n.reg .b64 w;\n.reg .pred p, q;\n"
    loads = "ld.global.u32 a, [in];\nld.global.u32 b, [in+4096];\n"
    give = "st.global.u32 [out], d;"
    for mode in ["up", "down", "bfly", "idx"]:
        for clamp in ["0x1f", "0x1c1f", "0x181f", "0x1c03", "0"]:
            tail = "0" if mode == "up" and clamp == "0x1f" else clamp
            for amount in ["1", "3", "17"]:
                case(f, f"shfl.sync.{mode}.{clamp}.{amount}", ["u32"], loads + f"shfl.sync.{mode}.b32 d|p, a, {amount}, {tail}, 0xffffffff;\n"
                     "selp.u32 b, 1, 2, p;\nst.global.v2.u32 [out], {d, b};", threads=64, more=regs)
        case(f, f"shfl.sync.{mode}.by_lane", ["u32", "lane"], loads + f"shfl.sync.{mode}.b32 d, a, b, {'0' if mode == 'up' else '31'}, -1;\n" + give, threads=256, more=regs)
        case(f, f"shfl.sync.{mode}.half_mask", ["u32", "lane"], loads + "mov.u32 d, 7;\nand.b32 c, tid, 31;\nsetp.lt.u32 p, c, 16;\n"
             f"@!p bra REST;\nshfl.sync.{mode}.b32 d|q, a, 2, {'0' if mode == 'up' else '0x100f'}, 0xffff;\nselp.u32 e, 1, 0, q;\nadd.u32 d, d, e;\nREST:\n" + give, threads=64, more=regs)
    for ty in ["all", "any", "uni"]:
        for limit in ["0", "100000", "-1"]:
            case(f, f"vote.sync.{ty}.{limit}".replace("-1", "minus"), ["u32"], loads + f"setp.gt.s32 p, a, {limit};\nvote.sync.{ty}.pred q, p, -1;\nselp.u32 d, 1, 0, q;\n" + give, more=regs)
            case(f, f"vote.sync.{ty}.not.{limit}".replace("-1", "minus"), ["u32"], loads + f"setp.gt.u32 p, a, {limit};\nvote.sync.{ty}.pred q, !p, -1;\nselp.u32 d, 1, 0, q;\n" + give, more=regs)
    case(f, "vote.sync.ballot", ["u32"], loads + "setp.gt.s32 p, a, 5;\nvote.sync.ballot.b32 d, p, -1;\n" + give, more=regs)
    case(f, "vote.sync.ballot.not", ["u32"], loads + "setp.gt.s32 p, a, 5;\nvote.sync.ballot.b32 d, !p, -1;\n" + give, more=regs)
    split = "and.b32 c, tid, 1;\nsetp.eq.u32 q, c, 0;\n@!q bra ODD;\n"
    case(f, "vote.sync.ballot.parted", ["u32"], loads + "setp.gt.s32 p, a, 5;\n" + split + "vote.sync.ballot.b32 d, p, 0x55555555;\nbra END;\n"
         "ODD:\nvote.sync.ballot.b32 d, p, 0xaaaaaaaa;\nEND:\n" + give, more=regs)
    case(f, "activemask", ["u32"], loads + "activemask.b32 d;\n" + give, more=regs)
    case(f, "activemask.some_exited", ["u32"], "and.b32 c, tid, 31;\nsetp.ge.u32 p, c, 20;\n@p exit;\nbar.warp.sync 0xfffff;\nactivemask.b32 d;\n" + give, threads=64, more=regs)
    for mask in ["all", "part"]:
        for op, ty in [("add", "u32"), ("add", "s32"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")]:
            word = f"redux.sync.{op}.{ty} d, a, "
            body = word + "-1;\n" if mask == "all" else split + word + "0x55555555;\nbra END;\nODD:\n" + word + "0xaaaaaaaa;\nEND:\n"
            case(f, f"redux.sync.{op}.{ty}.{mask}", ["u32"], loads + body + give, threads=256, more=regs)
        for ty in ["b32", "b64"]:
            src = "a" if ty == "b32" else "w"
            any_word = f"match.any.sync.{ty} d, {src}, "
            body = any_word + "-1;\n" if mask == "all" else split + any_word + "0x55555555;\nbra END;\nODD:\n" + any_word + "0xaaaaaaaa;\nEND:\n"
            case(f, f"match.any.sync.{ty}.{mask}", ["lane"], loads + "mul.wide.u32 w, a, 65537;\n" + body + give, threads=256, more=regs)
            case(f, f"match.all.sync.{ty}.{mask}", ["lane"], loads + ("" if mask == "all" else "mov.u32 a, 5;\n") + "mul.wide.u32 w, a, 65537;\n"
                 f"match.all.sync.{ty} d|p, {src}, -1;\nselp.u32 e, 1, 0, p;\nadd.u32 d, d, e;\n" + give, threads=64, more=regs)
    for word in ["membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.sc.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu",
                 "fence.acq_rel.sys", "bar.warp.sync -1", "bar.sync 0", "bar.sync 3, 64", "barrier.sync 1", "barrier.sync.aligned 2", "barrier.cta.sync 4", "bar.cta.sync 5", "nanosleep.u32 20"]:
        name = word.replace(" ", "_").replace(",", "").replace("-", "minus")
        case(f, name, ["u32"], loads + f"{word};\nst.global.u32 [out], a;", threads=64, more=regs)
    tile = regs + ".shared .align 4 .b8 tile[256];\n.reg .b32 place;\n"
    put = "mov.u32 place, tile;\nshl.b32 c, tid, 2;\nadd.u32 place, place, c;\n"
    case(f, "bar.sync.exchange", ["u32"], loads + put + "st.shared.u32 [place], a;\nbar.sync 0;\nxor.b32 c, c, 0xfc;\nmov.u32 place, tile;\nadd.u32 place, place, c;\n"
         "ld.shared.u32 d, [place];\n" + give, threads=64, more=tile)
    case(f, "bar.arrive.sync", ["u32"], loads + put + "setp.lt.u32 p, tid, 32;\n@!p bra WAIT;\nst.shared.u32 [place], a;\nbar.arrive 1, 64;\nmov.u32 d, a;\nbra END;\n"
         "WAIT:\nbar.sync 1, 64;\nld.shared.u32 d, [place+-128];\nEND:\n" + give, threads=64, more=tile)
    for op in ["popc.u32", "and.pred", "or.pred"]:
        for operand in ["p", "!p"]:
            d = "d" if op[0] == "p" else "q"
            case(f, f"bar.red.{op}{'.not' if operand[0] == '!' else ''}", ["u32"], loads + f"setp.gt.s32 p, a, 5;\nbar.red.{op} {d}, 0, {operand};\n"
                 + ("" if d == "d" else "selp.u32 d, 1, 0, q;\n") + give, threads=256, more=regs)
    case(f, "barrier.red.popc.count", ["u32"], loads + "setp.gt.s32 p, a, 5;\nbarrier.red.popc.u32 d, 2, 128, p;\n" + give, threads=128, more=regs)
    # Inclusive scan of a warp, and a reduction of a block.
    steps = "".join(f"shfl.sync.up.b32 b|p, d, {1 << n}, 0, -1;\n@p add.u32 d, d, b;\n" for n in range(5))
    case(f, "scan", ["u32"], loads + "mov.u32 d, a;\n" + steps + give, threads=256, more=regs)


def control(case):
    """Branches, calls, exits."""
    f = "control"
    regs = ".reg .u32 a, b, c, d, n;\n.reg .pred p, q;\n.reg .u64 x, y;\n"
    load = "ld.global.u32 a, [in];\n"
    give = "\nst.global.u32 [out], d;"
    case(f, "bra.guarded", ["u32"], load + "mov.u32 d, 1;\nsetp.lt.s32 p, a, 10;\n@p bra L;\nmov.u32 d, 2;\nL:" + give, more=regs)
    case(f, "bra.negated", ["u32"], load + "mov.u32 d, 1;\nsetp.lt.s32 p, a, 10;\n@!p bra L;\nmov.u32 d, 2;\nL:" + give, more=regs)
    case(f, "bra.uni", ["u32"], load + "mov.u32 d, 1;\nbra.uni L;\nmov.u32 d, 2;\nL:" + give, more=regs)
    case(f, "loop.divergent", ["u32"], load + "mov.u32 d, 0;\nand.b32 n, a, 31;\nL:\nmad.lo.u32 d, d, 3, a;\nsub.u32 n, n, 1;\nsetp.ge.s32 p, n, 0;\n@p bra L;" + give, more=regs)
    case(f, "loop.nested", ["u32"], load + "mov.u32 d, 0;\nand.b32 n, a, 7;\nO:\nmov.u32 b, n;\nI:\nadd.u32 d, d, b;\nsub.u32 b, b, 1;\nsetp.ge.s32 p, b, 0;\n@p bra I;\n"
         "sub.u32 n, n, 1;\nsetp.ge.s32 p, n, 0;\n@p bra O;" + give, more=regs)
    case(f, "loop.break", ["u32"], load + "mov.u32 d, 0;\nL:\nadd.u32 d, d, 1;\nadd.u32 b, d, a;\nand.b32 b, b, 15;\nsetp.eq.u32 p, b, 3;\n@p bra END;\nsetp.lt.u32 q, d, 12;\n@q bra L;\n"
         "add.u32 d, d, 100;\nEND:" + give, more=regs)
    case(f, "brx.idx", ["u32"], load + "and.b32 b, a, 3;\nT: .branchtargets A, B, C, A;\nbrx.idx b, T;\nA:\nmov.u32 d, 10;\nbra END;\nB:\nmov.u32 d, 20;\nbra END;\nC:\nmov.u32 d, 30;\nEND:" + give, more=regs)
    case(f, "exit.some", ["u32"], load + "mov.u32 d, 1;\nsetp.lt.s32 p, a, 10;\n@p exit;" + give, more=regs)
    case(f, "ret.some", ["u32"], load + "mov.u32 d, 1;\nsetp.lt.s32 p, a, 10;\n@p ret;" + give, more=regs)
    case(f, "predicated.store", ["u32"], load + "setp.lt.s32 p, a, 10;\n@p st.global.u32 [out], a;\n@!p st.global.u32 [out], 3;", more=regs)

    def call(word, value):
        return f"{{\n.param .b32 arg; .param .b32 back;\nst.param.b32 [arg], {value};\n{word} (back), %s, (arg);\nld.param.b32 d, [back];\n}}"
    case(f, "call.square", ["u32"], load + call("call", "a") % "square" + give, more=regs)
    case(f, "call.uni.square", ["u32"], load + call("call.uni", "a") % "square" + give, more=regs)
    case(f, "call.guarded", ["u32"], load + "mov.u32 d, 9;\nsetp.lt.s32 p, a, 10;\n@!p bra L;\n" + call("call", "a") % "square" + "\nL:" + give, more=regs)
    case(f, "call.registers", ["u32"], load + "call (d), add_registers, (a, tid);" + give, more=regs)
    case(f, "call.recursive", ["u32"], load + "and.b32 a, a, 7;\n" + call("call", "a") % "fibonacci" + give, more=regs)
    case(f, "call.struct", ["b64", "b64"], "ld.global.u64 x, [in];\nld.global.u64 y, [in+4096];\n{\n.param .align 8 .b8 arg[16]; .param .align 8 .b8 back[16];\nst.param.b64 [arg], x;\n"
         "st.param.b64 [arg+8], y;\ncall (back), swap, (arg);\nld.param.b64 x, [back];\nld.param.b64 y, [back+8];\n}\nshl.b64 y, y, 1;\nxor.b64 x, x, y;\nst.global.u64 [out], x;", more=regs)
    case(f, "call.pointer", ["u32"], load + "{\n.param .b64 place; .param .b32 value;\nst.param.b64 [place], out;\nst.param.b32 [value], a;\ncall store_through, (place, value);\n}", more=regs)
    case(f, "call.local_pointer", ["u32"], load + "{\n.reg .u64 m;\nmov.u64 m, mine;\ncvta.local.u64 m, m;\n{\n.param .b64 place; .param .b32 value;\nst.param.b64 [place], m;\nst.param.b32 [value], a;\n"
         "call store_through, (place, value);\n}\nld.local.u32 d, [mine];\n}" + give, more=regs + ".local .align 4 .b8 mine[4];\n")
    case(f, "scoped.registers", ["u32"], load + "mov.u32 d, 1;\n{\n.reg .u32 d;\nmov.u32 d, 2;\nadd.u32 a, a, d;\n}\nadd.u32 d, d, a;" + give, more=regs)
