"""Kernels that time themselves: latency and throughput in cycles."""

from common import M, MODULES, PLAN, WAIT, kernel, vec


def timed(module, name, setup, op, regs="", count=16, loops=16, blocks=(32,), attr="", grid=1, after="", group="times"):
    body = setup + "\nmov.u32 idx, 0;\nbar.sync 0;\nmov.u64 w2, %clock64;\nloop:\n"
    for i in range(count): body += (op(i) if callable(op) else op) + "\n"
    body += f"add.u32 idx, idx, 1;\nsetp.lt.u32 q, idx, {loops};\n@q bra loop;\n" + after + """
mov.u64 w3, %clock64;
sub.u64 w3, w3, w2;
mad.lo.u32 t0, cta, 1024, tid;
mul.wide.u32 at, t0, 8;
add.u64 out, out, at;
st.global.u64 [out], w3;
"""
    kernel(module, name, body, regs=regs, attr=attr)
    for b in blocks:
        PLAN.append(dict(module=module, kernel=name, grid=grid, block=b, bytes_in=1 << 17, bytes_out=8192*(grid if isinstance(grid, int) else grid[0]), input=["zero"], group=group, ops=count*loops))
def mma_times(tag, word, a, b, c, ra, rc):
    regs = f".reg {ra} a<{a}>;\n.reg {ra} b<{b}>;\n.reg {rc} c<{c*8}>;\n"
    zero = {".f64": "0d0000000000000000", ".f32": "0f00000000"}
    z = lambda r: zero.get(r, "tid")
    def first(p, i, r):
        if p != "c": return z(r)
        return {".f64": f"0d3ff{i:013x}", ".f32": f"0f3f{i:06x}"}.get(r, str(i * 3 + 1))
    setup = "".join(f"mov{r} {p}{i}, {first(p, i, r)};\n" for p, n, r in (("a", a, ra), ("b", b, ra), ("c", c*8, rc)) for i in range(n))
    one = lambda k: f"{word} {vec([f'c{k*c+i}' for i in range(c)])}, {vec([f'a{i}' for i in range(a)])}, {vec([f'b{i}' for i in range(b)])}, {vec([f'c{k*c+i}' for i in range(c)])};"
    st = {".f64": ".f64", ".f32": ".f32"}.get(rc, ".b32")
    fin = "".join(f"st.global{st} [in+{8*i}], c{i};\n" for i in range(c*8))
    timed("times", f"lat_{tag}", setup, lambda i: one(0), regs=regs, after="")
    timed("times", f"thr_{tag}", setup, lambda i: one(i % 8), regs=regs, blocks=(32, 128, 256, 512), after="")
    # keep results alive
    for k in (-1, -2):
        MODULES["times"][k] = MODULES["times"][k].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\n" + (fin if k == -1 else fin))
mma_times("m16n8k8_f16_f32", f"{M}m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, ".b32", ".f32")
mma_times("m16n8k16_f16_f32", f"{M}m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, ".b32", ".f32")
mma_times("m16n8k16_f16_f16", f"{M}m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, ".b32", ".b32")
mma_times("m16n8k16_bf16", f"{M}m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, ".b32", ".f32")
mma_times("m16n8k4_tf32", f"{M}m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, ".b32", ".f32")
mma_times("m16n8k8_tf32", f"{M}m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, ".b32", ".f32")
mma_times("m8n8k4_f64", f"{M}m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, ".f64", ".f64")
mma_times("m16n8k8_f64", f"{M}m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, ".f64", ".f64")
mma_times("m16n8k16_f64", f"{M}m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, ".f64", ".f64")
mma_times("m8n8k16_s8", f"{M}m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, ".b32", ".b32")
mma_times("m16n8k16_s8", f"{M}m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, ".b32", ".b32")
mma_times("m16n8k32_s8", f"{M}m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, ".b32", ".b32")
mma_times("m16n8k64_s4", f"{M}m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, ".b32", ".b32")
mma_times("m16n8k256_b1", f"{M}m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, ".b32", ".b32")
mma_times("m16n8k32_e4m3", f"{M}m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, ".b32", ".f32")
SH = ".shared .align 128 .b8 tile[32768];\n.shared .align 8 .b8 bar[8];\n"
ZERO = """
mov.u32 t0, tid;
mov.u32 t3, %ntid.x;
zero:
shl.b32 t1, t0, 2;
mov.u32 t2, tile;
add.u32 t1, t1, t2;
st.shared.u32 [t1], 0;
add.u32 t0, t0, t3;
setp.lt.u32 p, t0, 8192;
@p bra zero;
mov.u32 t3, tile;
shl.b32 t0, tid, 4;
add.u32 t3, t3, t0;
bar.sync 0;
"""
for n in (1, 2, 4):
    d = vec([f"d{i}" for i in range(n)])
    timed("times", f"lat_ldmatrix_x{n}", ZERO, f"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16 {d}, [t3];\nadd.u32 t3, t3, d{n-1};", regs=SH + f".reg .b32 d<{n}>;\n")
    MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u32 [in], t3;")
    timed("times", f"thr_ldmatrix_x{n}", ZERO, lambda i: f"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16 {vec([f'd{i%4*n+k}' for k in range(n)])}, [t3+{i%4*512}];\n" + "".join(f"xor.b32 t2, t2, d{i%4*n+k};\n" for k in range(n)),
          regs=SH + f".reg .b32 d<{4*n}>;\n", blocks=(32, 256, 1024))
    MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u32 [in], t2;")
    timed("times", f"thr_stmatrix_x{n}", ZERO, f"stmatrix.sync.aligned.m8n8.x{n}.shared.b16 [t3], {vec(['tid']*n)};", regs=SH, blocks=(32, 256, 1024))
timed("times", "lat_ld_shared", ZERO, "ld.shared.u32 t0, [t3];\nadd.u32 t3, t3, t0;", regs=SH)
MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u32 [in], t3;")
timed("times", "lat_st_ld_matrix", ZERO + "mov.u32 t2, 0;\n", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [t3], {t2};\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {t2}, [t3];", regs=SH)
INITB = "setp.ne.u32 p, tid, 0;\n@p bra go;\nmbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\ngo:\nbar.sync 0;\n"
def ph(i): return WAIT.format(i, i % 2)
timed("times", "lat_mbar_arrive_wait", INITB, lambda i: "mbarrier.arrive.shared.b64 w0, [bar];\n" + ph(i), regs=SH, blocks=(1,))
timed("times", "lat_mbar_arrive", INITB.replace("[bar], 1;", "[bar], 1000000;"), "mbarrier.arrive.shared.b64 w0, [bar];", regs=SH, blocks=(1, 32))
timed("times", "lat_mbar_test", INITB + "setp.ne.u32 p, tid, 0;\n@p bra gone;\nmbarrier.arrive.shared.b64 w0, [bar];\ngone:\n", lambda i: WAIT.format(i, 0), regs=SH, blocks=(1, 32))
timed("times", "lat_mbar_block", "setp.ne.u32 p, tid, 0;\nmov.u32 t0, %ntid.x;\n@p bra go;\nmbarrier.init.shared.b64 [bar], t0;\ngo:\nbar.sync 0;\n", lambda i: "mbarrier.arrive.shared.b64 w0, [bar];\n" + ph(i), regs=SH, blocks=(32, 128, 256, 1024))
timed("times", "lat_barrier", "", "bar.sync 0;", blocks=(32, 128, 256, 1024))
timed("times", "lat_elect", "", "elect.sync _|p, 0xffffffff;\n@p add.u32 t0, t0, 1;")
for size in (16, 128, 1024, 4096, 16384, 32768):
    timed("times", f"lat_bulk_in_{size}", INITB + "fence.proxy.async.shared::cta;\n", lambda i: f"mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], {size};\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [in], {size}, [bar];\n" + ph(i), regs=SH, blocks=(1,), count=4, loops=8)
    timed("times", f"lat_bulk_out_{size}", "", f"cp.async.bulk.global.shared::cta.bulk_group [in], [tile], {size};\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;", regs=SH, blocks=(1,), count=4, loops=8)
    timed("times", f"lat_bulk_read_{size}", "", f"cp.async.bulk.global.shared::cta.bulk_group [in], [tile], {size};\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;", regs=SH, blocks=(1,), count=4, loops=8)
timed("times", "lat_ld_global", "and.b32 t0, tid, 31;\nmul.wide.u32 at, t0, 8;\nadd.u64 w0, in, at;\n", "ld.global.cg.u64 w1, [w0];\nadd.u64 w0, w0, w1;", regs="")
MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u64 [in+8192], w0;")
for c in (2, 4, 8):
    A = f".reqnctapercluster {c}, 1, 1\n"
    PEER = ZERO + f"mov.u32 t0, %cluster_ctarank;\nadd.u32 t0, t0, 1;\nrem.u32 t0, t0, {c};\nmapa.shared::cluster.u32 t3, t3, t0;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    END = "mov.u32 t2, t2;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    timed("times", f"lat_dsm_ld_{c}", PEER, "ld.shared::cluster.u32 t0, [t3];\nadd.u32 t3, t3, t0;", regs=SH, attr=A, grid=c)
    MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u32 [in], t3;\n" + END)
    timed("times", f"lat_dsm_atom_{c}", PEER, "atom.shared::cluster.add.u32 t0, [t3], 0;\nadd.u32 t3, t3, t0;", regs=SH, attr=A, grid=c)
    MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u32 [in], t3;\n" + END)
    timed("times", f"thr_dsm_ld_{c}", PEER, lambda i: f"ld.shared::cluster.v4.u32 {{d0, d1, d2, d3}}, [t3+{i%16*512}];\nxor.b32 t2, t2, d0;\nxor.b32 t2, t2, d3;", regs=SH + ".reg .b32 d<4>;\n", attr=A, grid=c, blocks=(32, 256, 1024))
    MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\nst.global.u32 [in], t2;\n" + END)
    timed("times", f"thr_dsm_st_{c}", PEER, lambda i: f"st.shared::cluster.v4.u32 [t3+{i%16*512}], {{tid, tid, tid, tid}};", regs=SH, attr=A, grid=c, blocks=(32, 256, 1024))
    MODULES["times"][-1] = MODULES["times"][-1].replace("st.global.u64 [out], w3;", "st.global.u64 [out], w3;\n" + END)
    timed("times", f"lat_cluster_barrier_{c}", "", "barrier.cluster.arrive;\nbarrier.cluster.wait;", attr=A, grid=c, blocks=(32, 256, 1024))
