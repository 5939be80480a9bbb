"""Kernels of clusters of blocks, and of single instructions."""

from common import PLAN, WAIT, kernel

SPECIAL = ["clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z", "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z",
           "cluster_nctaid.x", "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank", "ctaid.x", "ctaid.y"]
for dims, grid in (((2, 1, 1), (4, 2, 1)), ((2, 2, 1), (4, 4, 2)), ((4, 1, 2), (4, 2, 2)), ((8, 1, 1), (8, 1, 1)), ((1, 1, 1), (2, 1, 1))):
    total = dims[0]*dims[1]*dims[2]
    body = "mov.u32 t0, %nctaid.x;\nmov.u32 t1, %ctaid.y;\nmad.lo.u32 cta, t1, t0, cta;\nmov.u32 t1, %nctaid.y;\nmul.lo.u32 t0, t0, t1;\nmov.u32 t1, %ctaid.z;\nmad.lo.u32 cta, t1, t0, cta;\n"
    body += "mad.lo.u32 idx, cta, 32, tid;\nmul.wide.u32 at, idx, 256;\nadd.u64 out, out, at;\n"
    for i, s in enumerate(SPECIAL): body += f"mov.u32 t0, %{s};\nst.global.u32 [out+{4*i}], t0;\n"
    body += f"""mov.pred p, %is_explicit_cluster;
selp.u32 t0, 1, 0, p;
st.global.u32 [out+64], t0;
mov.u32 t0, tile;
mov.u32 t3, %cluster_ctarank;
add.u32 t3, t3, 1;
rem.u32 t3, t3, {total};
mapa.shared::cluster.u32 t1, t0, t3;
st.global.u32 [out+68], t0;
st.global.u32 [out+72], t1;
getctarank.shared::cluster.u32 t2, t1;
st.global.u32 [out+76], t2;
cvta.shared.u64 w0, w0;
cvt.u64.u32 w0, t0;
cvta.shared.u64 w0, w0;
mapa.u64 w1, w0, t3;
sub.u64 w2, w1, w0;
st.global.u64 [out+80], w2;
getctarank.u64 t2, w1;
st.global.u32 [out+88], t2;
isspacep.shared::cluster p, w1;
selp.u32 t2, 1, 0, p;
isspacep.shared::cta p, w1;
selp.u32 w2l, 2, 0, p;
or.b32 t2, t2, w2l;
isspacep.shared p, w0;
selp.u32 w2l, 4, 0, p;
or.b32 t2, t2, w2l;
isspacep.shared::cluster p, w0;
selp.u32 w2l, 8, 0, p;
or.b32 t2, t2, w2l;
isspacep.global p, w1;
selp.u32 w2l, 16, 0, p;
or.b32 t2, t2, w2l;
st.global.u32 [out+92], t2;
shl.b32 t2, tid, 2;
add.u32 t0, t0, t2;
add.u32 t1, t1, t2;
mad.lo.u32 t3, cta, 1000, tid;
st.shared.u32 [t0], t3;
st.shared.u32 [t0+128], 0;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
ld.shared::cluster.u32 t2, [t1];
st.global.u32 [out+96], t2;
cvt.u64.u32 at, tid;
shl.b64 at, at, 2;
add.u64 w1, w1, at;
ld.u32 t2, [w1];
st.global.u32 [out+100], t2;
atom.shared::cluster.add.u32 t2, [t1+128], t3;
st.global.u32 [out+104], t2;
atom.add.u32 t2, [w1+128], 5;
st.global.u32 [out+108], t2;
red.shared::cluster.add.u32 [t1+128], 7;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
ld.shared.u32 t2, [t0+128];
st.global.u32 [out+112], t2;
barrier.cluster.arrive.relaxed;
barrier.cluster.wait;
st.shared::cluster.u32 [t1+128], t3;
barrier.cluster.arrive;
barrier.cluster.wait;
ld.shared.u32 t2, [t0+128];
st.global.u32 [out+116], t2;
"""
    name = "cluster_" + "_".join(map(str, dims))
    kernel("cluster", name, body, regs=".shared .align 128 .b8 tile[256];\n.reg .u32 w2l;\n", attr=f".reqnctapercluster {dims[0]}, {dims[1]}, {dims[2]}\n")
    PLAN.append(dict(module="cluster", kernel=name, grid=list(grid), block=32, bytes_in=64, bytes_out=grid[0]*grid[1]*grid[2]*32*256, input=["zero"], group="cluster", ncu=True))
kernel("cluster", "cluster_bulk", """
mov.u32 t0, %cluster_ctarank;
xor.b32 t1, t0, 1;
setp.ne.u32 q, tid, 0;
mov.u32 t2, tid;
fill:
shl.b32 t3, t2, 2;
mov.u32 idx, tile;
add.u32 t3, t3, idx;
mad.lo.u32 idx, t0, 10000, t2;
st.shared.u32 [t3], idx;
add.u32 t2, t2, 32;
setp.lt.u32 p, t2, 256;
@p bra fill;
@q bra start;
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], 1024;
fence.mbarrier_init.release.cluster;
start:
fence.proxy.async;
barrier.cluster.arrive;
barrier.cluster.wait;
@q bra skip;
mov.u32 t2, tile;
add.u32 t3, t2, 1024;
mapa.shared::cluster.u32 t3, t3, t1;
mov.u32 t2, bar;
mapa.shared::cluster.u32 idx, t2, t1;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [t3], [tile], 1024, [idx];
skip:
""" + WAIT.format(0, 0) + """
mov.u32 t2, tile;
shl.b32 t3, tid, 2;
add.u32 t2, t2, t3;
mad.lo.u32 t0, cta, 1024, t3;
cvt.u64.u32 at, t0;
add.u64 out, out, at;
mov.u32 t0, 0;
more:
ld.shared.u32 t1, [t2+1024];
st.global.u32 [out], t1;
add.u32 t2, t2, 128;
add.u64 out, out, 128;
add.u32 t0, t0, 1;
setp.lt.u32 p, t0, 8;
@p bra more;
barrier.cluster.arrive;
barrier.cluster.wait;
""", regs=".shared .align 128 .b8 tile[2048];\n.shared .align 8 .b8 bar[8];\n", attr=".reqnctapercluster 2, 1, 1\n")
PLAN.append(dict(module="cluster", kernel="cluster_bulk", grid=4, block=32, bytes_in=64, bytes_out=8192, input=["zero"], group="cluster"))
kernel("cluster", "cluster_multicast", """
mov.u32 t0, %cluster_ctarank;
setp.ne.u32 q, tid, 0;
@q bra start;
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], 1024;
fence.mbarrier_init.release.cluster;
start:
fence.proxy.async;
barrier.cluster.arrive;
barrier.cluster.wait;
@q bra skip;
setp.ne.u32 p, t0, 0;
@p bra skip;
.reg .b16 mask;
mov.b16 mask, 11;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [in], 1024, [bar], mask;
skip:
setp.eq.u32 p, t0, 2;
@p bra end;
""" + WAIT.format(0, 0) + """
mov.u32 t2, tile;
shl.b32 t3, tid, 2;
add.u32 t2, t2, t3;
mad.lo.u32 t0, cta, 1024, t3;
cvt.u64.u32 at, t0;
add.u64 out, out, at;
mov.u32 t0, 0;
more:
ld.shared.u32 t1, [t2];
st.global.u32 [out], t1;
add.u32 t2, t2, 128;
add.u64 out, out, 128;
add.u32 t0, t0, 1;
setp.lt.u32 p, t0, 8;
@p bra more;
end:
barrier.cluster.arrive;
barrier.cluster.wait;
""", regs=".shared .align 128 .b8 tile[2048];\n.shared .align 8 .b8 bar[8];\n", attr=".reqnctapercluster 4, 1, 1\n")
PLAN.append(dict(module="cluster", kernel="cluster_multicast", grid=4, block=32, bytes_in=1024, bytes_out=4096, input=["count"], group="cluster", ncu=True))

# ---------------------------------------------------------------- other
kernel("other", "elect", """
mov.u32 t0, 0;
mov.u32 t2, 0;
elect.sync t0|p, 0xffffffff;
selp.u32 t1, 1, 0, p;
mul.wide.u32 at, tid, 16;
add.u64 out, out, at;
st.global.u32 [out], t0;
st.global.u32 [out+4], t1;
and.b32 t3, tid, 8;
setp.eq.u32 q, t3, 0;
@q bra end;
elect.sync t0|p, 0xff00ff00;
selp.u32 t1, 1, 0, p;
st.global.u32 [out+8], t0;
st.global.u32 [out+12], t1;
end:
""")
PLAN.append(dict(module="other", kernel="elect", grid=1, block=32, bytes_in=64, bytes_out=512, input=["zero"], group="values"))
kernel("other", "dependent", "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\nst.global.u32 [out], 7;")
PLAN.append(dict(module="other", kernel="dependent", grid=1, block=32, bytes_in=64, bytes_out=64, input=["zero"], group="values"))
