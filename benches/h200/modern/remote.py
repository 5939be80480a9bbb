"""Kernels whose blocks reach each other's shared memory without waiting: asynchronous stores and
reductions, arrivals at barriers of other blocks, atomics, bulk copies to several blocks."""

from common import MODULES, PLAN, WAIT, kernel

SHARED = ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b8 bar[16];\n.reg .b32 v<4>;\n.reg .b64 x<4>;\n.reg .f32 f<2>;\n.reg .f64 g<2>;\n.reg .b16 h<2>;\n.reg .u32 mine, theirs, far, rank;\n"


def start(size, tx, count=1):
    """All shared memory is a pattern; the barrier waits for `count` arrivals and `tx` bytes; then the
    cluster meets. `theirs` and `far` are the tile and barrier of the next block."""
    return f"""
mov.u32 rank, %cluster_ctarank;
mov.u32 mine, tile;
mov.u32 t2, tid;
fill:
shl.b32 t3, t2, 2;
add.u32 t3, t3, mine;
mad.lo.u32 idx, rank, 10000, t2;
st.shared.u32 [t3], idx;
add.u32 t2, t2, 32;
setp.lt.u32 p, t2, 1024;
@p bra fill;
setp.ne.u32 q, tid, 0;
@q bra start;
mbarrier.init.shared::cta.b64 [bar], {count};
{f"mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], {tx};" if tx else ""}
fence.mbarrier_init.release.cluster;
start:
fence.proxy.async;
barrier.cluster.arrive;
barrier.cluster.wait;
add.u32 t1, rank, 1;
rem.u32 t1, t1, {size};
mapa.shared::cluster.u32 theirs, mine, t1;
mov.u32 t2, bar;
mapa.shared::cluster.u32 far, t2, t1;
"""


# The tile and the barrier's word, once all is done.
DUMP = """
barrier.cluster.arrive;
barrier.cluster.wait;
ld.shared.b64 w0, [bar];
mov.u32 t2, tid;
mul.wide.u32 at, cta, 8192;
add.u64 out, out, at;
setp.ne.u32 q, tid, 0;
@!q st.global.b64 [out+4096], w0;
mul.wide.u32 at, tid, 4;
add.u64 out, out, at;
dump:
shl.b32 t3, t2, 2;
add.u32 t3, t3, mine;
ld.shared.u32 t1, [t3];
st.global.u32 [out], t1;
add.u64 out, out, 128;
add.u32 t2, t2, 32;
setp.lt.u32 p, t2, 1024;
@p bra dump;
"""


def cluster(name, size, body, grid=None, ncu=False, **more):
    grid = grid or 2 * size
    kernel("remote", name, body, regs=SHARED, attr=f".reqnctapercluster {size}, 1, 1\n")
    PLAN.append(dict(module="remote", kernel=name, grid=grid, block=32, bytes_in=8192, bytes_out=8192 * grid, input=["count"], group="remote", ncu=ncu, **more))


LANE = "shl.b32 t0, tid, {};\nadd.u32 t0, t0, theirs;\n"
for name, shift, width, setup, op in (
        ("b32", 2, 4, "mul.lo.u32 v0, tid, 77;\n", "b32 [t0], v0"),
        ("u64", 3, 8, "mul.wide.u32 x0, tid, 0x7654321;\n", "u64 [t0], x0"),
        ("v2_b32", 3, 8, "mul.lo.u32 v0, tid, 77;\nadd.u32 v1, v0, 5;\n", "v2.b32 [t0], {v0, v1}"),
        ("v4_f32", 4, 16, "mul.lo.u32 v0, tid, 77;\nadd.u32 v1, v0, 5;\nadd.u32 v2, v0, 6;\nadd.u32 v3, v0, 7;\n", "v4.b32 [t0], {v0, v1, v2, v3}"),
        ("v2_b64", 4, 16, "mul.wide.u32 x0, tid, 0x7654321;\nadd.u64 x1, x0, 3;\n", "v2.b64 [t0], {x0, x1}")):
    for size in (2, 4):
        cluster(f"st_async_{name}_{size}", size, start(size, 32 * width) + LANE.format(shift) + setup +
                f"st.async.shared::cluster.mbarrier::complete_tx::bytes.{op}, [far];\n" + WAIT.format(0, 0) + DUMP, ncu=size == 2)
for op, ty, shift in (("add", "u32", 2), ("add", "s32", 2), ("add", "u64", 3), ("min", "u32", 2), ("max", "s32", 2), ("inc", "u32", 2), ("dec", "u32", 2), ("and", "b32", 2), ("or", "b32", 2), ("xor", "b32", 2)):
    width = 4 << (shift - 2)
    value = "mul.lo.u32 v0, tid, 0x7777777;\n" if shift == 2 else "mul.wide.u32 x0, tid, 0x77777777;\n"
    cluster(f"red_async_{op}_{ty}", 2, start(2, 64 * width) + value + LANE.format(shift) +
            f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{ty} [t0], {'v0' if shift == 2 else 'x0'}, [far];\n"
            f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{ty} [theirs+1024], {'v0' if shift == 2 else 'x0'}, [far];\n" + WAIT.format(0, 0) + DUMP, ncu=(op, ty) == ("add", "u32"))
# Arrivals at the next block's barrier.
for name, count, op in (("one", 32, "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far];"), ("some", 96, "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far], 3;"),
                        ("default", 32, "mbarrier.arrive.shared::cluster.b64 _, [far];"),
                        ("tx", 32, "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [far], 16;\nmbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [far], 16;"),
                        ("drop", 64, "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [far];\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [far];"),
                        ("expect", 33, "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [far], 8;\nmbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [far], 8;\nmbarrier.arrive.shared::cluster.b64 _, [far];")):
    if name == "expect": count = 32
    cluster(f"far_arrive_{name}", 2, start(2, 0, count) + op + "\n" + ("" if name == "drop" else "") + WAIT.format(0, 0) + DUMP, ncu=name == "one")
# Atomics on the next block's memory: each lane its own word, then all on one.
for op, ty, value, word in (("exch", "b32", "v0", "v1"), ("min", "s32", "v0", "v1"), ("max", "u32", "v0", "v1"), ("and", "b32", "v0", "v1"), ("or", "b32", "v0", "v1"), ("xor", "b32", "v0", "v1"), ("inc", "u32", "v0", "v1"), ("dec", "u32", "v0", "v1"),
                            ("cas", "b32", "v0, v2", "v1"), ("cas", "b64", "x0, x2", "x1"), ("exch", "b64", "x0", "x1"), ("add", "u64", "x0", "x1"), ("min", "s64", "x0", "x1"), ("add", "f32", "f0", "f1"), ("add", "f64", "g0", "g1"), ("add.noftz", "f16x2", "v0", "v1"), ("add.noftz", "f16", "h0", "h1")):
    wide = ty in ("b64", "u64", "s64", "f64")
    size = 8 if wide else 4
    setup = "mul.lo.u32 v0, tid, 0x1003;\nmov.u32 v2, 99;\nmul.wide.u32 x0, tid, 0x100003;\nmov.u64 x2, 88;\ncvt.rn.f32.u32 f0, tid;\nmul.f32 f0, f0, 0f3e99999a;\ncvt.rn.f64.u32 g0, tid;\ncvt.u16.u32 h0, v0;\nmul.wide.u32 at, cta, 8192;\nadd.u64 w1, out, at;\nmul.wide.u32 at, tid, 8;\nadd.u64 w1, w1, at;\n"
    show = f"st.global.{'b64' if wide else 'b16' if ty == 'f16' else 'b32'} [w1+{{}}], {word};\n"
    cluster(f"far_{op.split('.')[0]}_{ty}", 2, start(2, 0) + setup + LANE.format(3 if wide else 2) +
            f"atom.shared::cluster.{op}.{ty} {word}, [t0], {value};\n" + show.format(4352) + f"atom.shared::cluster.{op}.{ty} {word}, [theirs+1024], {value};\n" +
            show.format(4608) + f"red.shared::cluster.{op}.{ty} [theirs+2048], {value};\n" * (op not in ("cas", "exch")) + DUMP, ncu=(op, ty) in (("add", "u64"), ("cas", "b32"), ("add", "f32")))
# Loads and stores of every width, by both kinds of address; several blocks in one access.
cluster("far_widths", 2, start(2, 0) + """
mul.wide.u32 at, cta, 8192;
add.u64 w1, out, at;
mul.wide.u32 at, tid, 64;
add.u64 w1, w1, at;
cvt.u64.u32 w2, mine;
cvta.shared.u64 w2, w2;
mapa.u64 w2, w2, t1;
cvt.u64.u32 w3, tid;
add.u64 w3, w2, w3;
ld.u8 v0, [w3];
st.global.u32 [w1+4608], v0;
add.u32 t0, theirs, tid;
ld.shared::cluster.s8 v0, [t0];
st.global.u32 [w1+4612], v0;
add.u32 t0, t0, tid;
ld.shared::cluster.u16 h0, [t0];
cvt.u32.u16 v0, h0;
st.global.u32 [w1+4616], v0;
shl.b32 t0, tid, 4;
add.u32 t0, theirs, t0;
ld.shared::cluster.v4.u32 {v0, v1, v2, v3}, [t0];
st.global.v4.u32 [w1+4624], {v3, v2, v1, v0};
ld.shared::cluster.v2.u64 {x0, x1}, [t0];
st.global.u64 [w1+4640], x1;
ld.shared::cluster.b64 x0, [t0];
st.global.u64 [w1+4648], x0;
shl.b32 v0, tid, 24;
and.b32 v0, v0, 0x1000000;
shl.b32 v1, tid, 2;
add.u32 v1, v1, mine;
and.b32 v1, v1, 0xffffff;
add.u32 v0, v0, v1;
ld.shared::cluster.u32 v2, [v0];
st.global.u32 [w1+4656], v2;
barrier.cluster.arrive;
barrier.cluster.wait;
shl.b32 t0, tid, 2;
add.u32 t0, theirs, t0;
st.shared::cluster.u8 [t0], tid;
cvt.u16.u32 h0, tid;
st.shared::cluster.u16 [t0+2], h0;
cvt.u64.u32 w3, tid;
shl.b64 w3, w3, 4;
add.u64 w3, w2, w3;
st.v4.u32 [w3+1024], {tid, cta, rank, tid};
st.shared::cluster.u32 [v0+2048], tid;
""" + DUMP, ncu=True)
# Bulk copies to several blocks, reductions in another one.
for size, mask, bytes_ in ((4, 0b1111, 1024), (4, 0b0110, 512), (8, 0b10100101, 2048), (2, 0b01, 256)):
    cluster(f"multicast_{size}_{mask:b}", size, start(size, bytes_) + f"""
setp.ne.u32 p, rank, {size - 1};
or.pred p, p, q;
@p bra skip;
.reg .b16 mask;
mov.b16 mask, {mask};
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile+512], [in+32], {bytes_}, [bar], mask;
skip:
mov.u32 t0, {mask};
shr.b32 t0, t0, rank;
and.b32 t0, t0, 1;
setp.eq.u32 p, t0, 0;
@p bra done;
""" + WAIT.format(0, 0) + "done:\n" + DUMP, ncu=True)
for op, ty in (("add", "u32"), ("add", "u64"), ("inc", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("xor", "b32")):
    cluster(f"far_bulk_{op}_{ty}", 2, start(2, 1024) + f"""
@q bra skip;
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{ty} [theirs], [tile+1024], 1024, [far];
skip:
""" + WAIT.format(0, 0) + DUMP, ncu=(op, ty) == ("add", "u32"))
# Half of a warp, or a whole block, ends before the others meet.
cluster("meet_without", 2, """
setp.eq.u32 p, cta, 1;
@p bra end;
mov.u32 t0, %laneid;
setp.gt.u32 p, t0, 15;
@p bra end;
barrier.cluster.arrive;
barrier.cluster.wait;
mul.wide.u32 at, cta, 128;
add.u64 out, out, at;
mul.wide.u32 at, tid, 4;
add.u64 out, out, at;
st.global.u32 [out], 7;
end:
""", grid=4)
# What blocks are told, by how they are launched.
TELL = "mul.wide.u32 at, cta, 128;\nadd.u64 out, out, at;\n"
for i, s in enumerate(("clusterid.x", "nclusterid.x", "cluster_ctaid.x", "cluster_nctaid.x", "cluster_ctarank", "cluster_nctarank", "cluster_nctaid.y", "nclusterid.y", "nclusterid.z", "cluster_nctaid.z")):
    TELL += f"mov.u32 t0, %{s};\nst.global.u32 [out+{4*i}], t0;\n"
TELL += "mov.pred p, %is_explicit_cluster;\nselp.u32 t0, 1, 0, p;\nst.global.u32 [out+40], t0;\n"
for name, attr, launches in (
        ("plain", "", (None, [2, 1, 1], [4, 1, 1], [8, 1, 1], [16, 1, 1], [3, 1, 1])), ("fixed", ".reqnctapercluster 2, 1, 1\n", (None, [2, 1, 1], [4, 1, 1])),
        ("open", ".explicitcluster\n", (None, [2, 1, 1], [1, 1, 1])), ("most", ".explicitcluster\n.maxclusterrank 4\n", ([2, 1, 1], [4, 1, 1], [8, 1, 1])), ("limit", ".maxclusterrank 4\n", (None, [8, 1, 1]))):
    kernel("remote", f"tell_{name}", TELL, attr=attr)
    for index, dims in enumerate(launches):
        PLAN.append(dict(module="remote", kernel=f"tell_{name}", name=f"tell_{name}_{index}", grid=16, block=32, bytes_in=64, bytes_out=2048, input=["zero"], group="tell", cluster=dims))
PLAN.append(dict(module="remote", kernel="tell_fixed", name="tell_odd", grid=3, block=32, bytes_in=64, bytes_out=2048, input=["zero"], group="tell"))
PLAN.append(dict(module="remote", kernel="tell_fixed", name="tell_y", grid=[1, 2, 1], block=32, bytes_in=64, bytes_out=2048, input=["zero"], group="tell"))
