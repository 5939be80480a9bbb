"""Kernels of `wmma`: fragments, their product and their way back."""

from common import PLAN, kernel, vec

SHAPES = [("m16n16k16", 16, 16, 16), ("m32n8k16", 32, 8, 16), ("m8n32k16", 8, 32, 16)]
def wmma_one(shape, m, n, k, ta, tc, la, lb, ld_, space, nregs, size_a, size_c, tag):
    """Load a, b, c from in (A at 0, B at 4096, C at 8192), mma, dump fragments of a, b, c, d, store d at the end."""
    na, nb, nc = nregs
    ra = ".f64" if ta == "f64" else ".b32"
    rc = {"f64": ".f64", "f32": ".f32", "s32": ".b32", "f16": ".b32"}[tc]
    lda = {"row": k, "col": m}[la]; ldb = {"row": n, "col": k}[lb]; ldc = {"row": n, "col": m}[ld_]
    stride = 16384
    regs = f".reg {ra} a<{na}>;\n.reg {ra} b<{nb}>;\n.reg {rc} c<{nc}>;\n.reg {rc} d<{nc}>;\n"
    body = f"mul.wide.u32 at, cta, {stride};\nadd.u64 in, in, at;\nmul.wide.u32 at, cta, {32768};\nadd.u64 out, out, at;\n"
    where = "in"
    if space == "shared":
        regs += ".shared .align 128 .b8 buf[16384];\n"
        body += """
mov.u32 t0, tid;
cvt.u64.u32 w0, tid;
shl.b64 w0, w0, 2;
add.u64 w0, w0, in;
mov.u32 t2, buf;
copy:
ld.global.u32 t1, [w0];
shl.b32 t3, t0, 2;
add.u32 t3, t3, t2;
st.shared.u32 [t3], t1;
add.u64 w0, w0, 128;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, 4096;
@p bra copy;
bar.warp.sync 0xffffffff;
mov.u32 t2, buf;
"""
        where = "t2"
    elt = {"f16": "f16", "bf16": "bf16", "tf32": "tf32", "s8": "s8", "u8": "u8", "f64": "f64"}[ta]
    R = lambda p, c: vec([f"{p}{i}" for i in range(c)])
    body += f"wmma.load.a.sync.aligned.{la}.{shape}.{space}.{elt} {R('a', na)}, [{where}], {lda};\n"
    body += f"wmma.load.b.sync.aligned.{lb}.{shape}.{space}.{elt} {R('b', nb)}, [{where}+4096], {ldb};\n"
    body += f"wmma.load.c.sync.aligned.{ld_}.{shape}.{space}.{tc} {R('c', nc)}, [{where}+8192], {ldc};\n"
    if ta in ("f16",): ts = f"{tc}.{tc}"
    elif ta in ("bf16", "tf32"): ts = f"f32.{ta}.{ta}.f32"
    elif ta == "f64": ts = "f64.f64.f64.f64"
    else: ts = f"s32.{ta}.{ta}.s32"
    rn = ".rn" if ta == "f64" else ""
    body += f"wmma.mma.sync.aligned.{la}.{lb}.{shape}{rn}.{ts} {R('d', nc)}, {R('a', na)}, {R('b', nb)}, {R('c', nc)};\n"
    sa = 8 if ta == "f64" else 4; sc = 8 if tc == "f64" else 4
    words = (na + nb) * sa // 4 + nc * sc // 4
    body += f"mul.lo.u32 t0, tid, {4*words};\ncvt.u64.u32 at, t0;\nadd.u64 w1, out, at;\n"
    off = 0
    for p, cnt, size, r in (("a", na, sa, ra), ("b", nb, sa, ra), ("c", nc, sc, rc)):
        for i in range(cnt):
            body += f"st.global{r} [w1+{off}], {p}{i};\n"; off += size
    if space == "global":
        body += f"wmma.store.d.sync.aligned.{ld_}.{shape}.global.{tc} [out+16384], {R('d', nc)}, {ldc};\n"
    else:
        body += f"bar.warp.sync 0xffffffff;\nwmma.store.d.sync.aligned.{ld_}.{shape}.shared.{tc} [t2], {R('d', nc)}, {ldc};\nbar.warp.sync 0xffffffff;\n"
        body += """
mov.u32 t0, tid;
cvt.u64.u32 w0, tid;
shl.b64 w0, w0, 2;
add.u64 w0, w0, out;
back:
shl.b32 t3, t0, 2;
add.u32 t3, t3, t2;
ld.shared.u32 t1, [t3];
st.global.u32 [w0+16384], t1;
add.u64 w0, w0, 128;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, 1024;
@p bra back;
"""
    name = f"wmma_{shape}_{ta}_{tc}_{la}_{lb}_{ld_}_{space}"
    kernel("wmma", name, body, regs=regs)
    PLAN.append(dict(module="wmma", kernel=name, grid=3, block=32, bytes_in=stride*3, bytes_out=32768*3, input=["wmma", ta, tc], group="values", ncu=shape in ("m16n16k16", "m16n16k8", "m8n8k4")))

for shape, m, n, k in SHAPES:
    cfgs = [("row", "col", "row", "global"), ("col", "row", "col", "global"), ("row", "row", "row", "shared")] if shape == "m16n16k16" else [("row", "col", "row", "global"), ("col", "row", "col", "shared")]
    for la, lb, ld_, space in cfgs:
        wmma_one(shape, m, n, k, "f16", "f32", la, lb, ld_, space, (8, 8, 8), 2, 4, "")
        wmma_one(shape, m, n, k, "f16", "f16", la, lb, ld_, space, (8, 8, 4), 2, 2, "")
        bf = {"m16n16k16": (4, 4), "m32n8k16": (8, 2), "m8n32k16": (2, 8)}[shape]
        wmma_one(shape, m, n, k, "bf16", "f32", la, lb, ld_, space, (*bf, 8), 2, 4, "")
        i8 = {"m16n16k16": (2, 2), "m32n8k16": (4, 1), "m8n32k16": (1, 4)}[shape]
        wmma_one(shape, m, n, k, "s8", "s32", la, lb, ld_, space, (*i8, 8), 1, 4, "")
        wmma_one(shape, m, n, k, "u8", "s32", la, lb, ld_, space, (*i8, 8), 1, 4, "")
for la, lb, ld_, space in [("row", "col", "row", "global"), ("col", "row", "col", "shared")]:
    wmma_one("m16n16k8", 16, 16, 8, "tf32", "f32", la, lb, ld_, space, (4, 4, 8), 4, 4, "")
    wmma_one("m8n8k4", 8, 8, 4, "f64", "f64", la, lb, ld_, space, (1, 1, 2), 8, 8, "")
