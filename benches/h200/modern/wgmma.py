"""Kernels of `wgmma`: every type, with the layouts of its matrices in shared memory.

A block is one warpgroup. Shared memory holds bytes of the input as they are, so that only the
instruction decides what is a row.
"""

from common import MODULES, PLAN, vec

# Bits of an element, and the elements of a product's depth.
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
SWIZZLE = {0: 0, 128: 1, 64: 2, 32: 3}


def descriptor(layout):
    """All but the address: offsets of leading and stride dimension, base offset, swizzle."""
    leading, stride, swizzle, base = layout["lbo"], layout["sbo"], layout.get("swizzle", 0), layout.get("base", 0)
    return leading >> 4 << 16 | stride >> 4 << 32 | base << 49 | SWIZZLE[swizzle] << 62


def wgmma(name, d, a, b, n, trials, la, lb, registers=False, scale=1, signs=(1, 1), trans=None, tail="", steps=1):
    half = d == "f16"
    depth = 256 // BITS[a]
    sums = n // 4 if half else n // 2
    room_a = 0 if registers else la["room"]
    room_b = lb["room"]
    regs_a = 4 if registers else 0
    ty_a, ty_b = ({"s8": "i8", "u8": "i8", "b1": "i8"}.get(t, t) for t in (a, b))
    size = lambda t: {"f16": 2, "bf16": 2, "tf32": 4}.get(t, 1)
    ty_c = {"s32": "i32"}.get(d, d)
    count_a = (128 * 16 if registers else room_a) // size(a)
    cells = [[count_a, ty_a], [room_b // size(b), ty_b], [128 * sums * (2 if half else 1), ty_c]]
    bytes_in = (128 * 16 if registers else room_a) + room_b + 128 * sums * 4
    reg = ".b32" if half or d == "s32" else ".f32"
    acc = vec([f"d{i}" for i in range(sums)])
    body = f".visible .entry {name}(.param .u64 in_ptr, .param .u64 out_ptr)\n{{\n"
    body += ".reg .u64 in, out, at, from, da, db;\n.reg .u32 tid, cta, t0, t1, t2;\n.reg .pred p;\n"
    body += f".reg {reg} d<{sums}>;\n.reg .b32 a<4>;\n.shared .align 1024 .b8 tile[{room_a + room_b}];\n"
    body += f"""ld.param.u64 in, [in_ptr];
ld.param.u64 out, [out_ptr];
mov.u32 tid, %tid.x;
mov.u32 cta, %ctaid.x;
mul.wide.u32 at, cta, {bytes_in};
add.u64 in, in, at;
mul.wide.u32 at, cta, {512 * sums};
add.u64 out, out, at;
mul.wide.u32 at, tid, {4 * sums};
add.u64 out, out, at;
add.u64 at, in, at;
"""
    start = 2048 if registers else 0
    if registers:
        body += "mul.wide.u32 from, tid, 16;\nadd.u64 from, in, from;\n"
        body += "".join(f"ld.global.b32 a{i}, [from+{4*i}];\n" for i in range(4))
    body += f"""shl.b32 t0, tid, 2;
fill:
setp.ge.u32 p, t0, {room_a + room_b};
@p bra filled;
cvt.u64.u32 from, t0;
add.u64 from, in, from;
ld.global.u32 t1, [from+{start}];
mov.u32 t2, tile;
add.u32 t2, t2, t0;
st.shared.u32 [t2], t1;
add.u32 t0, t0, 512;
bra fill;
filled:
fence.proxy.async.shared::cta;
bar.sync 0;
"""
    body += "".join(f"ld.global{reg} d{i}, [at+{start + room_a + room_b + 4*i}];\n" for i in range(sums))
    for register, layout, base in (("da", la, 0), ("db", lb, room_a)):
        if layout is None: continue
        body += f"mov.u32 t0, tile;\nadd.u32 t0, t0, {base + layout.get('offset', 0)};\nshr.u32 t0, t0, 4;\nand.b32 t0, t0, 0x3fff;\n"
        body += f"cvt.u64.u32 {register}, t0;\nor.b64 {register}, {register}, {descriptor(layout):#x};\n"
    body += f"setp.ne.u32 p, {scale}, 0;\nwgmma.fence.sync.aligned;\n"
    floats = a not in ("s8", "u8", "b1")
    immediates = f", {signs[0]}, {signs[1]}" if floats else ""
    if BITS[a] == 16:
        ta, tb = trans or (0, 0)
        immediates += f", {tb}" if registers else f", {ta}, {tb}"
    types = f"{d}.{a}.{b}" + tail
    operand = vec([f"a{i}" for i in range(4)]) if registers else "da"
    for _ in range(steps):
        body += f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.{types} {acc}, {operand}, db, p{immediates};\n"
    body += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    body += "".join(f"st.global{reg} [out+{4*i}], d{i};\n" for i in range(sums)) + "ret;\n}\n\n"
    MODULES.setdefault("wgmma", []).append(body)
    PLAN.append(dict(module="wgmma", kernel=name, grid=trials, block=128, bytes_in=bytes_in * trials, bytes_out=512 * sums * trials,
                     input=["cells", cells], group="wgmma"))


def plain(rows): return dict(lbo=128, sbo=256, room=rows * 32)


A, B8 = plain(64), plain(8)
for d, a, b, trials in (("f32", "f16", "f16", 64), ("f16", "f16", "f16", 64), ("f32", "bf16", "bf16", 64), ("f32", "tf32", "tf32", 64),
                        ("f32", "e4m3", "e4m3", 96), ("f32", "e5m2", "e5m2", 64), ("f32", "e4m3", "e5m2", 64), ("f32", "e5m2", "e4m3", 32), ("f16", "e4m3", "e4m3", 64), ("f16", "e5m2", "e5m2", 32),
                        ("s32", "s8", "s8", 16), ("s32", "u8", "u8", 8), ("s32", "s8", "u8", 8), ("s32", "u8", "s8", 8)):
    wgmma(f"w_{d}_{a}_{b}", d, a, b, 8, trials, A, B8)
    wgmma(f"w_reg_{d}_{a}_{b}", d, a, b, 8, 16, None, B8, registers=True)
wgmma("w_s32_s8_satfinite", "s32", "s8", "s8", 8, 16, A, B8, tail=".satfinite")
wgmma("w_s32_b1", "s32", "b1", "b1", 8, 8, A, B8, tail=".and.popc")
wgmma("w_reg_s32_b1", "s32", "b1", "b1", 8, 8, None, B8, registers=True, tail=".and.popc")
for a in ("f16", "e4m3", "tf32"):
    wgmma(f"w_zero_{a}", "f32", a, a, 8, 16, A, B8, scale=0)
    wgmma(f"w_minus_a_{a}", "f32", a, a, 8, 16, A, B8, signs=(-1, 1))
    wgmma(f"w_minus_b_{a}", "f32", a, a, 8, 16, A, B8, signs=(1, -1))
    wgmma(f"w_twice_{a}", "f32", a, a, 8, 32, A, B8, steps=2)
wgmma("w_minus_reg_f16", "f32", "f16", "f16", 8, 8, None, B8, registers=True, signs=(-1, -1))
wgmma("w_four_e4m3", "f32", "e4m3", "e4m3", 8, 32, A, B8, steps=4)
wgmma("w_four_f16", "f32", "f16", "f16", 8, 16, A, B8, steps=4)
for n in (16, 24, 72, 128, 256):
    wgmma(f"w_n{n}", "f32", "f16", "f16", n, 4, A, plain(n))
wgmma("w_n256_f16", "f16", "f16", "f16", 256, 2, A, plain(256))
wgmma("w_n96_s8", "s32", "s8", "s8", 96, 4, A, plain(96))
wgmma("w_n32_tf32", "f32", "tf32", "tf32", 32, 4, A, plain(32))
wgmma("w_n40_e4m3", "f32", "e4m3", "e4m3", 40, 4, A, plain(40))
# Layouts, depth first.
LAYOUTS = dict(
    far=dict(lbo=1024, sbo=128, room=2048), odd=dict(lbo=2320, sbo=272, room=4608), near=dict(lbo=16, sbo=48, room=1024),
    s32=dict(lbo=16, sbo=256, swizzle=32, room=2048), s32_wide=dict(lbo=512, sbo=768, swizzle=32, room=6144),
    s64=dict(lbo=16, sbo=512, swizzle=64, room=4096), s64_at32=dict(lbo=16, sbo=512, swizzle=64, offset=32, room=4096),
    s128=dict(lbo=16, sbo=1024, swizzle=128, room=8192), s128_at32=dict(lbo=16, sbo=1024, swizzle=128, offset=32, room=8192),
    s128_at96=dict(lbo=16, sbo=1024, swizzle=128, offset=96, room=8192), s128_wide=dict(lbo=256, sbo=2048, swizzle=128, room=16384),
    s128_row3=dict(lbo=16, sbo=1024, swizzle=128, offset=384, room=9216), s128_row3_base=dict(lbo=16, sbo=1024, swizzle=128, offset=384, base=3, room=9216),
    s64_row3_base=dict(lbo=16, sbo=512, swizzle=64, offset=192, base=1, room=5120), s32_row=dict(lbo=16, sbo=256, swizzle=32, offset=96, room=3072),
)
for name, layout in LAYOUTS.items():
    wgmma(f"w_lay_a_{name}", "f32", "f16", "f16", 8, 2, layout, B8)
    wgmma(f"w_lay_b_{name}", "f32", "f16", "f16", 64, 1, A, layout)
for name in ("odd", "s32", "s64_at32", "s128_at96"):
    wgmma(f"w_lay_tf32_{name}", "f32", "tf32", "tf32", 64, 1, LAYOUTS[name], LAYOUTS[name])
    wgmma(f"w_lay_s8_{name}", "s32", "s8", "s8", 64, 1, LAYOUTS[name], LAYOUTS[name])
# Rows first (`trans`).
ACROSS = dict(
    none=dict(lbo=1024, sbo=128, room=2048), none_b=dict(lbo=128, sbo=256, room=2048), none_odd=dict(lbo=2320, sbo=272, room=4608),
    s32=dict(lbo=512, sbo=256, swizzle=32, room=2048), s32_b=dict(lbo=256, sbo=1024, swizzle=32, room=2048), s32_odd=dict(lbo=768, sbo=2816, swizzle=32, room=6144),
    s64=dict(lbo=1024, sbo=512, swizzle=64, room=2048), s64_b=dict(lbo=512, sbo=1024, swizzle=64, room=2048), s64_odd=dict(lbo=1536, sbo=3584, swizzle=64, room=8192),
    s128=dict(lbo=2048, sbo=1024, swizzle=128, room=2048), s128_b=dict(lbo=1024, sbo=2048, swizzle=128, room=4096), s128_wide=dict(lbo=4096, sbo=3072, swizzle=128, room=5120),
)
for name, layout in ACROSS.items():
    wgmma(f"w_across_a_{name}", "f32", "f16", "f16", 8, 2, layout, B8, trans=(1, 0))
    wgmma(f"w_across_b_{name}", "f32", "bf16", "bf16", 64, 1, A, layout, trans=(0, 1))
wgmma("w_across_b128_s128", "f32", "f16", "f16", 128, 1, A, dict(lbo=2048, sbo=1024, swizzle=128, room=4096), trans=(0, 1))
wgmma("w_across_b128_s64", "f32", "f16", "f16", 128, 1, A, dict(lbo=1024, sbo=512, swizzle=64, room=4096), trans=(0, 1))
wgmma("w_across_both", "f16", "f16", "f16", 128, 1, ACROSS["s128"], dict(lbo=2048, sbo=1024, swizzle=128, room=4096), trans=(1, 1))
wgmma("w_across_reg", "f32", "f16", "f16", 128, 1, None, dict(lbo=2048, sbo=1024, swizzle=128, room=4096), registers=True, trans=(0, 1))
