"""Kernels that time `wgmma`, copies of boxes and asynchronous stores."""

from common import MODULES, WAIT, vec
from times import INITB, SH, ZERO, ph, timed

TILES = ".shared .align 1024 .b8 tile[32768];\n.shared .align 8 .b8 bar[8];\n.reg .b64 da, db;\n"
# Tiles of 128-byte rows, as libraries lay them out.
DESCRIPTORS = """
mov.u32 t0, tile;
shr.u32 t0, t0, 4;
and.b32 t0, t0, 0x3fff;
cvt.u64.u32 da, t0;
or.b64 da, da, 0x4000004000010000;
mov.b64 db, da;
setp.eq.u32 p, tid, tid;
"""


def products(tag, types, depth, n, sums, reg, tail):
    acc = vec([f"d{i}" for i in range(sums)])
    one = f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.{types} {acc}, da, db, p{tail};\n"
    zero = "0f00000000" if reg == ".f32" else "0"
    setup = ZERO + "".join(f"mov{reg} d{i}, {zero};\n" for i in range(sums)) + DESCRIPTORS
    end = "".join(f"st.global{reg} [in+{8*i}], d{i};\n" for i in range(sums))
    for name, count in (("lat", 1), ("thr", 8)):
        op = "wgmma.fence.sync.aligned;\n" + one * count + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
        timed("later", f"{name}_wgmma_{tag}_n{n}", setup, op, regs=TILES + f".reg {reg} d<{sums}>;\n", count=1, loops=32, blocks=(128,) if name == "lat" else (128, 256), group="later")
        MODULES["later"][-1] = MODULES["later"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\n" + end)


for n in (8, 64, 128, 256):
    products("f16", "f32.f16.f16", 16, n, n // 2, ".f32", ", 1, 1, 0, 0")
products("half", "f16.f16.f16", 16, 128, 32, ".b32", ", 1, 1, 0, 0")
products("tf32", "f32.tf32.tf32", 8, 128, 64, ".f32", ", 1, 1")
products("e4m3", "f32.e4m3.e4m3", 32, 128, 64, ".f32", ", 1, 1")
products("s8", "s32.s8.s8", 32, 128, 64, ".b32", "")
for size in (2, 4):
    attr = f".reqnctapercluster {size}, 1, 1\n"
    peer = ZERO + INITB.replace("bar.sync 0;", "") + f"mov.u32 t0, %cluster_ctarank;\nadd.u32 t0, t0, 1;\nrem.u32 t0, t0, {size};\nmapa.shared::cluster.u32 t3, t3, t0;\nmov.u32 t1, bar;\nmapa.shared::cluster.u32 t2, t1, t0;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    timed("later", f"lat_st_async_{size}", peer, lambda i: "mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], 4;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [t3], tid, [t2];\n" + ph(i), regs=SH, attr=attr, grid=size, blocks=(1,), group="later")
    timed("later", f"lat_far_arrive_{size}", peer, lambda i: "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [t2];\n" + ph(i), regs=SH, attr=attr, grid=size, blocks=(1,), group="later")
    timed("later", f"lat_far_bulk_{size}", peer, lambda i: "mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], 1024;\ncp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [t3], [tile], 1024, [t2];\n" + ph(i), regs=SH, attr=attr, grid=size, blocks=(1,), group="later")
    for name in [f"lat_st_async_{size}", f"lat_far_arrive_{size}", f"lat_far_bulk_{size}"]:
        at = next(i for i, text in enumerate(MODULES["later"]) if f" {name}(" in text)
        MODULES["later"][at] = MODULES["later"][at].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n")
