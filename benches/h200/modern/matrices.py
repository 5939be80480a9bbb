"""Kernels of products: `mma` in every shape and type."""

from common import M, PLAN, kernel, record, vec


# name, A regs, B regs, C regs, D regs, element types, reg kind
def mma(module, word, a, b, c, d, types, trials, wide=False, sc=False):
    name = word.replace("mma.sync.aligned.", "mma_").replace(".row.col", "").replace(".", "_").replace("::", "_")
    ta, tb, tc, td = types
    def decl(prefix, n, ty):
        r = {"f64": ".f64", "f32": ".f32"}.get(ty, ".b32")
        return f".reg {r} {prefix}<{n}>;\n"
    ca, cb, cc, cd = ([8 if t == "f64" else 4][0] for t in types)
    regs = decl("a", a, ta) + decl("b", b, tb) + decl("c", c, tc) + decl("d", d, td)
    if tb == "tf32" or ta == "tf32":
        regs = f".reg .b32 a<{a}>;\n.reg .b32 b<{b}>;\n.reg .f32 c<{c}>;\n.reg .f32 d<{d}>;\n"
    words_in = (a*ca + b*cb + c*cc)//4
    words_out = d*cd//4
    body = record(words_in, words_out)
    off = 0
    def ldword(t): return {"f64": "f64", "f32": "f32"}.get(t, "b32")
    for prefix, n, t, size in (("a", a, ta, ca), ("b", b, tb, cb), ("c", c, tc, cc)):
        for i in range(n):
            body += f"ld.global.{ldword(t)} {prefix}{i}, [in+{off}];\n"; off += size
    R = lambda p, n: vec([f"{p}{i}" for i in range(n)])
    body += f"{word} {R('d', d)}, {R('a', a)}, {R('b', b)}, {R('c', c)};\n"
    for i in range(d):
        body += f"st.global.{ldword(td)} [out+{i*cd}], d{i};\n"
    kernel(module, name, body, regs=regs)
    PLAN.append(dict(module=module, kernel=name, grid=trials, block=32, words_in=words_in, words_out=words_out,
                     input=["mma", [[a, ta], [b, tb], [c, tc]]], group="values"))

T = 96
for c in ("f32", "f16"):
    n = 4 if c == "f32" else 2
    t = c if c == "f32" else "f16x2"
    mma("matrix", f"{M}m16n8k8.row.col.{c}.f16.f16.{c}", 2, 1, n, n, ("f16x2", "f16x2", t, t), T)
    mma("matrix", f"{M}m16n8k16.row.col.{c}.f16.f16.{c}", 4, 2, n, n, ("f16x2", "f16x2", t, t), T)
for k, a, b in (("k8", 2, 1), ("k16", 4, 2)):
    mma("matrix", f"{M}m16n8{k}.row.col.f32.bf16.bf16.f32", a, b, 4, 4, ("bf16x2", "bf16x2", "f32", "f32"), T)
for k, a, b in (("k4", 2, 1), ("k8", 4, 2)):
    mma("matrix", f"{M}m16n8{k}.row.col.f32.tf32.tf32.f32", a, b, 4, 4, ("tf32", "tf32", "f32", "f32"), T)
mma("matrix", f"{M}m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, 2, ("f64",)*4, T)
for k, a, b in (("k4", 2, 1), ("k8", 4, 2), ("k16", 8, 4)):
    mma("matrix", f"{M}m16n8{k}.row.col.f64.f64.f64.f64", a, b, 4, 4, ("f64",)*4, T)
for x, y in (("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")):
    for sat in ("", ".satfinite"):
        for shape, a, b, c in (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)):
            if sat and shape != "m16n8k32" or (x != y and shape != "m16n8k32"): continue
            mma("matrix", f"{M}{shape}.row.col{sat}.s32.{x}.{y}.s32", a, b, c, c, ("i8", "i8", "i32", "i32"), 16)
for x, y in (("s4", "s4"), ("u4", "u4"), ("s4", "u4")):
    for shape, a, b, c in (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)):
        mma("matrix", f"{M}{shape}.row.col.s32.{x}.{y}.s32", a, b, c, c, ("i8", "i8", "i32", "i32"), 16)
for op in ("xor", "and"):
    for shape, a, b, c in (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)):
        mma("matrix", f"{M}{shape}.row.col.s32.b1.b1.s32.{op}.popc", a, b, c, c, ("i8", "i8", "i32", "i32"), 16)
for x, y in (("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e4m3", "e5m2")):
    mma("matrix", f"{M}m16n8k32.row.col.f32.{x}.{y}.f32", 4, 2, 4, 4, (x + "x4", y + "x4", "f32", "f32"), T)
