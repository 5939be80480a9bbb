"""Kernels of `ldmatrix` and `stmatrix`, with patterns of addresses."""

from common import PLAN, kernel, record, vec

FILL = """
mov.u32 t0, tid;
fill:
mul.lo.u32 t1, t0, 0x20002;
add.u32 t1, t1, 0x10000;
shl.b32 t2, t0, 2;
mov.u32 t3, tile;
add.u32 t2, t2, t3;
st.shared.u32 [t2], t1;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, 2048;
@p bra fill;
bar.warp.sync 0xffffffff;
"""
def offsets():
    rows = []
    def pat(f): rows.append([f(l) % 8192 // 16 * 16 for l in range(32)])
    for s in (16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 208, 256): pat(lambda l: l*s)
    pat(lambda l: 0)
    pat(lambda l: l//2*16)
    pat(lambda l: l % 8 * 128 + l//8*16)
    pat(lambda l: l % 8 * 128 + ((l//8) ^ (l % 8))*16)
    pat(lambda l: l % 16 * 64 + l//16*16)
    pat(lambda l: l % 16 * 64 + ((l//16) ^ (l//2 % 4))*16)
    pat(lambda l: l % 16 * 32 + l//16*16)
    pat(lambda l: l % 8 * 144 + l//8*16)
    pat(lambda l: l % 2 * 16)
    pat(lambda l: l % 2 * 128)
    pat(lambda l: l % 8 * 16 + l//8*2048)
    x = 12345
    for _ in range(8):
        row = []
        for l in range(32):
            x = (x*1103515245 + 12345) & 0x7fffffff
            row.append((x >> 8) % 512 * 16)
        rows.append(row)
    return rows
OFF = offsets()
for n in (1, 2, 4):
    for tr in ("", ".trans"):
        word = f"ldmatrix.sync.aligned.m8n8.x{n}{tr}.shared.b16"
        name = word.replace(".sync.aligned.m8n8", "").replace(".shared.b16", "").replace(".", "_")
        kernel("rows", name, record(1, n) + FILL + "ld.global.u32 t0, [in];\nmov.u32 t1, tile;\nadd.u32 t0, t0, t1;\n"
               f"{word} {vec([f'd{i}' for i in range(n)])}, [t0];\n" + "".join(f"st.global.b32 [out+{4*i}], d{i};\n" for i in range(n)),
               decl=f"", regs=".shared .align 128 .b8 tile[8192];\n" + f".reg .b32 d<{n}>;\n")
        PLAN.append(dict(module="rows", kernel=name, grid=len(OFF), block=32, words_in=1, words_out=n, input=["rows"], group="values", ncu=True))
        word = f"stmatrix.sync.aligned.m8n8.x{n}{tr}.shared.b16"
        name = word.replace(".sync.aligned.m8n8", "").replace(".shared.b16", "").replace(".", "_")
        kernel("rows", name, record(1, 64) + """
mov.u32 t0, tid;
mov.u32 t3, tile;
zero:
shl.b32 t2, t0, 2;
add.u32 t2, t2, t3;
st.shared.u32 [t2], 0;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, 2048;
@p bra zero;
bar.warp.sync 0xffffffff;
ld.global.u32 t0, [in];
add.u32 t0, t0, t3;
""" + "".join(f"mad.lo.u32 d{i}, tid, 0x100010, {0x30002 + 0x20002*2*i//2 - 0x10001:#x};\n" for i in range(n)) +
               f"{word} [t0], {vec([f'd{i}' for i in range(n)])};\nbar.warp.sync 0xffffffff;\n" + """
mov.u32 t0, 0;
shl.b32 t1, tid, 2;
add.u32 t1, t1, t3;
dump:
ld.shared.u32 t2, [t1];
st.global.u32 [out], t2;
add.u64 out, out, 4;
add.u32 t1, t1, 128;
add.u32 t0, t0, 1;
setp.lt.u32 p, t0, 64;
@p bra dump;
""", regs=".shared .align 128 .b8 tile[8192];\n" + f".reg .b32 d<{n}>;\n")
        PLAN.append(dict(module="rows", kernel=name, grid=len(OFF), block=32, words_in=1, words_out=64, input=["rows"], group="values", ncu=True))
