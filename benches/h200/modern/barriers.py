"""Kernels of `mbarrier` and of bulk copies."""

from common import PLAN, WAIT, kernel


def show(n): return f"ld.volatile.shared.b64 w0, [bar];\nst.global.b64 [out+{16*n}], w0;\nst.global.b64 [out+{16*n+8}], w1;\n"
def mbar(name, steps, threads=1, extra=""):
    body = "mul.wide.u32 at, tid, 1024;\nadd.u64 out, out, at;\nmov.u64 w1, 0;\nmov.u64 w2, 0;\n"
    n = 0
    for step in steps:
        body += step + "\n"
        if not step.startswith("//"): body += show(n); n += 1
    kernel("mbar", name, body, regs=".shared .align 8 .b8 bar[16];\n")
    PLAN.append(dict(module="mbar", kernel=name, grid=1, block=threads, bytes_in=64, bytes_out=1024*threads, input=["zero"], group="async"))
init = "mbarrier.init.shared.b64 [bar], {};"
arrive = "mbarrier.arrive.shared.b64 w1, [bar];"
SEL = "selp.u64 w1, 1, 0, p;"
pend = "mbarrier.pending_count.b64 t0, w1;\ncvt.u64.u32 w1, t0;"
for count in (1, 2, 3, 100, 0xFFFFF):
    mbar(f"mbar_init_{count}", [init.format(count), arrive, pend, "mbarrier.arrive.expect_tx.shared.b64 w1, [bar], 64;" if count > 2 else "mov.u64 w1, 5;"])
mbar("mbar_phases", [init.format(2), arrive, arrive, "mbarrier.test_wait.shared.b64 p, [bar], w1;\n" + SEL, arrive, pend, arrive,
     "mbarrier.test_wait.parity.shared.b64 p, [bar], 0;\n" + SEL, "mbarrier.test_wait.parity.shared.b64 p, [bar], 1;\n" + SEL,
     "mbarrier.try_wait.parity.shared.b64 p, [bar], 1;\n" + SEL, "mbarrier.try_wait.parity.shared.b64 p, [bar], 0;\n" + SEL, arrive,
     "mbarrier.test_wait.shared.b64 p, [bar], w1;\n" + SEL, "mbarrier.inval.shared.b64 [bar];"])
mbar("mbar_drop", [init.format(3), "mbarrier.arrive_drop.shared.b64 w1, [bar];", arrive, arrive, arrive, arrive, pend,
     "mbarrier.arrive_drop.shared.b64 w1, [bar];", arrive, arrive, arrive])
mbar("mbar_count", [init.format(5), "mbarrier.arrive.shared.b64 w1, [bar], 3;", "mbarrier.arrive.noComplete.shared.b64 w1, [bar], 1;", pend, arrive, arrive,
     "mbarrier.arrive_drop.shared.b64 w1, [bar], 2;", pend, arrive, arrive, arrive])
mbar("mbar_tx", [init.format(2), "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 256;", arrive, arrive,
     "mbarrier.test_wait.shared.b64 p, [bar], w1;\n" + SEL, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 200;",
     "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 56;", "mbarrier.test_wait.parity.shared.b64 p, [bar], 0;\n" + SEL,
     "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 32;", arrive, "mbarrier.arrive.expect_tx.shared.b64 w1, [bar], 32;",
     "mbarrier.arrive.expect_tx.shared.b64 w1, [bar], 0xfffff;", arrive, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 1;"])
mbar("mbar_cluster_forms", [init.format(2), "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];", "mbarrier.arrive.release.cta.shared::cta.b64 w1, [bar];",
     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [bar], 0, 100;\n" + SEL, "mbarrier.try_wait.acquire.cta.shared::cta.b64 p, [bar], w1;\n" + SEL])
mbar("mbar_cp_async", [init.format(2), "// cp", "cp.async.mbarrier.arrive.shared.b64 [bar];\ncp.async.wait_all;", "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\ncp.async.wait_all;", arrive, arrive])
mbar("mbar_poll", [init.format(1), "mov.u64 w1, %clock64;\nmbarrier.try_wait.parity.shared.b64 p, [bar], 0;\nmov.u64 w2, %clock64;\nsub.u64 w1, w2, w1;",
     "mov.u64 w1, %clock64;\nmbarrier.try_wait.parity.shared.b64 p, [bar], 0, 1000;\nmov.u64 w2, %clock64;\nsub.u64 w1, w2, w1;",
     "mov.u64 w1, %clock64;\nmbarrier.try_wait.parity.shared.b64 p, [bar], 0, 100000;\nmov.u64 w2, %clock64;\nsub.u64 w1, w2, w1;"])

# ---------------------------------------------------------------- bulk copies: in -> shared -> out, from[cta]: offset, size
BULK = """
mov.u32 t0, bar;
setp.ne.u32 q, tid, 0;
@q bra start;
mbarrier.init.shared::cta.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
fence.proxy.async.shared::cta;
start:
bar.sync 0;
"""
for size in (16, 32, 48, 256, 4096, 16384):
    for skew in (0, 16):
        kernel("bulk", f"bulk_in_{size}_{skew}", BULK + f"""
@q bra skip;
mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], {size};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [in+{skew}], {size}, [bar];
skip:
""" + WAIT.format(0, 0) + f"""
mov.u32 t1, tile;
shl.b32 t0, tid, 2;
cvt.u64.u32 at, t0;
add.u64 out, out, at;
add.u32 t1, t1, t0;
more:
ld.shared.u32 t2, [t1];
st.global.u32 [out], t2;
add.u64 out, out, 128;
add.u32 t1, t1, 128;
add.u32 t0, t0, 128;
setp.lt.u32 p, t0, {size};
@p bra more;
""", regs=".shared .align 128 .b8 tile[16384];\n.shared .align 8 .b8 bar[8];\n")
        PLAN.append(dict(module="bulk", kernel=f"bulk_in_{size}_{skew}", grid=1, block=32, bytes_in=32768, bytes_out=32768, input=["count"], group="async", ncu=True))
    kernel("bulk", f"bulk_out_{size}", f"""
mov.u32 t0, tid;
fill:
shl.b32 t2, t0, 2;
mov.u32 t3, tile;
add.u32 t2, t2, t3;
st.shared.u32 [t2], t0;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, 4096;
@p bra fill;
fence.proxy.async.shared::cta;
bar.sync 0;
setp.ne.u32 q, tid, 0;
@q bra done;
cp.async.bulk.global.shared::cta.bulk_group [out+16], [tile], {size};
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
cp.async.bulk.wait_group 0;
done:
""", regs=".shared .align 128 .b8 tile[16384];\n")
    PLAN.append(dict(module="bulk", kernel=f"bulk_out_{size}", grid=1, block=32, bytes_in=64, bytes_out=32768, input=["zero"], group="async", ncu=True))
for op, ty in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("inc", "u32"), ("add", "f32"), ("add", "f16"), ("add.noftz", "f16"), ("add", "u64"), ("add", "f64")):
    if (op, ty) == ("add", "f16"): continue
    name = f"bulk_reduce_{op}_{ty}".replace(".", "_")
    kernel("bulk", name, f"""
mov.u32 t0, tid;
fill:
shl.b32 t2, t0, 2;
mov.u32 t3, tile;
add.u32 t2, t2, t3;
mul.lo.u32 t1, t0, 0x3a017;
st.shared.u32 [t2], t1;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, 256;
@p bra fill;
fence.proxy.async.shared::cta;
bar.sync 0;
setp.ne.u32 q, tid, 0;
@q bra done;
cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{ty} [out], [tile], 1024;
cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{ty} [out+512], [tile], 512;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
done:
""", regs=".shared .align 128 .b8 tile[1024];\n")
    PLAN.append(dict(module="bulk", kernel=name, grid=1, block=32, bytes_in=64, bytes_out=2048, input=["zero"], group="async", ncu=True))
