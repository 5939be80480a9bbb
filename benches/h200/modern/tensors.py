"""Kernels that copy boxes of tensors, by maps that the host makes."""

from common import MODULES, PLAN, WAIT

# As `CUtensorMapDataType` counts them, and bytes.
TYPES = {"u8": (0, 1), "u16": (1, 2), "u32": (2, 4), "s32": (3, 4), "u64": (4, 8), "s64": (5, 8), "f16": (6, 2), "f32": (7, 4), "f64": (8, 8),
         "bf16": (9, 2), "f32ftz": (10, 4), "tf32": (11, 4), "tf32ftz": (12, 4)}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
ROOM = 16384


def kernel(name, body, attr=""):
    MODULES.setdefault("tensor", []).append(
        f".visible .entry {name}(.param .u64 in_ptr, .param .u64 out_ptr, .param .align 64 .b8 map_ptr[128])\n{attr}{{\n"
        ".reg .u64 in, out, at, map, w0;\n.reg .u32 tid, cta, idx, t0, t1, t2, t3;\n.reg .pred p, q;\n.reg .b16 mask;\n"
        f".shared .align 1024 .b8 tile[{ROOM}];\n.shared .align 8 .b8 bar[8];\n"
        "ld.param.u64 in, [in_ptr];\nld.param.u64 out, [out_ptr];\nmov.b64 map, map_ptr;\ncvta.param.u64 map, map;\n"
        "mov.u32 tid, %tid.x;\nmov.u32 cta, %ctaid.x;\nsetp.ne.u32 q, tid, 0;\n" + body.strip() + "\nret;\n}\n\n")


FILL = f"""
mov.u32 t0, tid;
fill:
shl.b32 t1, t0, 2;
mov.u32 t2, tile;
add.u32 t1, t1, t2;
mad.lo.u32 t3, t0, 0x10003, 0x5a005a01;
st.shared.u32 [t1], t3;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, {ROOM // 4};
@p bra fill;
fence.proxy.async.shared::cta;
bar.sync 0;
"""
DUMP = f"""
mul.wide.u32 at, cta, {ROOM};
add.u64 out, out, at;
mul.wide.u32 at, tid, 4;
add.u64 out, out, at;
mov.u32 t0, tid;
dump:
shl.b32 t1, t0, 2;
mov.u32 t2, tile;
add.u32 t1, t1, t2;
ld.shared.u32 t3, [t1];
st.global.u32 [out], t3;
add.u64 out, out, 128;
add.u32 t0, t0, 32;
setp.lt.u32 p, t0, {ROOM // 4};
@p bra dump;
"""


def tensor(ty, dims, box, at, strides=None, swizzle=0, nan=False, steps=None, interleave=0, offset=0):
    """`strides` are in bytes, from the second dimension on; packed to 16 bytes if not given."""
    size = TYPES[ty][1]
    if strides is None:
        strides, run = [], dims[0] * size
        for dim in dims[1:]:
            run = (run + 15) // 16 * 16
            strides.append(run)
            run *= dim
    bytes_ = size
    # The first dimension has no step.
    for extent, step in zip(box, [1, *(steps or [1] * len(box))[1:]]): bytes_ *= -(-extent // (step or 1))
    return dict(type=TYPES[ty][0], dims=dims, strides=strides, box=box, steps=steps or [1] * len(dims), swizzle=SWIZZLES[swizzle], nan=int(nan), interleave=interleave, offset=offset), at, bytes_


def coordinates(at): return "{" + ", ".join(map(str, at)) + "}"


def load(name, ty, dims, box, at, **more):
    shape, at, bytes_ = tensor(ty, dims, box, at, **more)
    kernel(name, FILL + f"""
@q bra skip;
mbarrier.init.shared::cta.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
prefetch.tensormap [map];
mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], {bytes_};
cp.async.bulk.tensor.{len(dims)}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [map, {coordinates(at)}], [bar];
skip:
bar.sync 0;
""" + WAIT.format(0, 0) + DUMP)
    PLAN.append(dict(module="tensor", kernel=name, grid=1, block=32, bytes_in=65536, bytes_out=ROOM, input=["noise"], group="tensor", tensor=dict(shape, of="in"), ncu="f16" not in name and "nan" not in name and "type" not in name))


def store(name, ty, dims, box, at, op=None, **more):
    shape, at, _ = tensor(ty, dims, box, at, **more)
    word = f"cp.reduce.async.bulk.tensor.{len(dims)}d.global.shared::cta.{op}.tile.bulk_group" if op else f"cp.async.bulk.tensor.{len(dims)}d.global.shared::cta.tile.bulk_group"
    kernel(name, FILL + f"""
@q bra skip;
{word} [map, {coordinates(at)}], [tile];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
skip:
""")
    PLAN.append(dict(module="tensor", kernel=name, grid=1, block=32, bytes_in=64, bytes_out=65536, input=["zero"], group="tensor", tensor=dict(shape, of="out"), fill=bool(op), ncu=not op or ty in ("f32", "u64")))


# Boxes start at multiples of 16 bytes along the first dimension: others are illegal instructions.
load("t_1d", "u32", [1000], [64], [100])
load("t_1d_odd", "u32", [1000], [64], [101])
load("t_1d_end", "u32", [1000], [64], [972])
load("t_1d_before", "f32", [1000], [64], [-8])
load("t_1d_u8", "u8", [1000], [256], [-16])
load("t_1d_step", "u32", [1000], [64], [4], steps=[3])
for swizzle in (0, 32, 64, 128):
    inner = {0: 32, 32: 8, 64: 16, 128: 32}[swizzle]
    load(f"t_2d_{swizzle}", "u32", [100, 40], [inner, 16], [12, 7], swizzle=swizzle)
    load(f"t_2d_out_{swizzle}", "f32", [100, 40], [inner, 24], [-4, 30], swizzle=swizzle, nan=True)
    load(f"t_2d_f16_{swizzle}", "f16", [200, 40], [2 * inner, 20], [64, 0], swizzle=swizzle)
    load(f"t_2d_short_{swizzle}", "u16", [200, 40], [8, 20], [64, 3], swizzle=swizzle)
for ty in TYPES:
    load(f"t_type_{ty}", ty, [64, 48], [16, 24], [48, -4])
    if ty in ("f16", "bf16", "f32", "f64", "tf32", "f32ftz", "tf32ftz"): load(f"t_nan_{ty}", ty, [64, 48], [16, 24], [56, -4], nan=True)
load("t_2d_pitch", "u32", [90, 40], [32, 16], [72, 30], strides=[400])
load("t_2d_step", "u32", [90, 40], [32, 16], [8, 3], strides=[400], steps=[1, 2])
load("t_2d_step2", "u16", [90, 40], [32, 16], [8, 3], strides=[400], steps=[2, 3])
load("t_2d_step_out", "u32", [90, 40], [32, 16], [8, -5], strides=[400], steps=[1, 3])
load("t_3d", "u32", [20, 15, 12], [16, 4, 3], [8, 13, 10])
load("t_3d_swizzle", "f16", [64, 15, 12], [64, 5, 3], [0, 13, -1], swizzle=128)
load("t_4d", "u16", [24, 9, 8, 7], [16, 3, 2, 3], [-8, 1, 7, 5])
load("t_5d", "u16", [16, 5, 6, 5, 4], [8, 2, 3, 2, 2], [8, -1, 2, 4, 3])
load("t_5d_step", "u32", [16, 5, 6, 5, 4], [8, 2, 3, 2, 4], [4, 1, 2, 4, 0], steps=[1, 1, 2, 1, 2])
load("t_far", "u32", [100, 40], [32, 16], [2000, 7])
load("t_2d_strange", "u32", [100, 40], [32, 16], [4, 2], strides=[16])
load("t_offset", "u32", [100, 40], [32, 16], [4, 2], offset=4096)
store("t_store_1d_in", "u32", [1000], [64], [100])
store("t_store_1d", "u32", [1000], [64], [972])
store("t_store_in", "f32", [100, 40], [32, 24], [16, 8])
store("t_store_above", "f32", [100, 40], [32, 24], [16, -8])
store("t_store_below", "f32", [100, 40], [32, 24], [16, 32])
store("t_store_left", "f32", [100, 40], [32, 24], [-4, 8])
store("t_store_right", "f32", [100, 40], [32, 24], [80, 8])
for swizzle in (0, 32, 64, 128):
    inner = {0: 32, 32: 8, 64: 16, 128: 32}[swizzle]
    store(f"t_store_{swizzle}", "f32", [100, 40], [inner, 24], [-4, 30], swizzle=swizzle)
store("t_store_3d", "u16", [24, 15, 12], [16, 4, 3], [8, -1, 10])
store("t_store_4d", "u16", [24, 9, 8, 7], [16, 3, 2, 3], [-8, 1, 7, 5])
store("t_store_5d", "u16", [16, 5, 6, 5, 4], [8, 2, 3, 2, 2], [8, -1, 2, 4, 3])
store("t_store_step", "u32", [90, 40], [32, 16], [8, 3], strides=[400], steps=[1, 2])
store("t_store_tf32", "tf32", [64, 48], [16, 24], [56, 8])
store("t_store_f32ftz", "f32ftz", [64, 48], [16, 24], [56, 8])
for op, ty in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("add", "f32"), ("add", "f16"), ("add", "bf16"), ("add", "f64"), ("min", "s32"), ("max", "u32"), ("min", "f16"), ("max", "bf16"),
               ("min", "s64"), ("max", "u64"), ("inc", "u32"), ("dec", "u32"), ("and", "u32"), ("or", "u64"), ("xor", "u32"), ("and", "u8"), ("xor", "u16"), ("add", "tf32"), ("add", "f32ftz")):
    store(f"t_reduce_{op}_{ty}", ty, [64, 48], [16, 24], [48, 8], op=op)
store("t_reduce_out", "u32", [64, 48], [16, 24], [56, -4], op="add")
# To several blocks of a cluster; to another one.
MANY = """
@q bra init;
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 w0, [bar], 2048;
fence.mbarrier_init.release.cluster;
init:
barrier.cluster.arrive;
barrier.cluster.wait;
mov.u32 t0, %cluster_ctarank;
setp.ne.u32 p, t0, 1;
or.pred p, p, q;
@p bra skip;
mov.b16 mask, 13;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [tile], [map, {12, 7}], [bar], mask;
mov.u32 t1, tile;
mapa.shared::cluster.u32 t1, t1, 0;
"""
kernel("t_multicast", FILL + MANY + """
skip:
setp.eq.u32 p, t0, 1;
@p bra done;
""" + WAIT.format(0, 0) + "done:\n" + DUMP + "barrier.cluster.arrive;\nbarrier.cluster.wait;\n", attr=".reqnctapercluster 4, 1, 1\n")
PLAN.append(dict(module="tensor", kernel="t_multicast", grid=4, block=32, bytes_in=65536, bytes_out=4 * ROOM, input=["noise"], group="tensor", tensor=dict(tensor("u32", [100, 40], [32, 16], [])[0], of="in"), ncu=True))

# Maps that the driver refuses, or not: only its answer is kept.
ASKED = [tensor(*args, **more)[0] for args, more in (
    ((("u32"), [100, 40], [32, 16], []), {}), (("u32", [100, 40], [64, 16], []), dict(swizzle=128)), (("u32", [100, 40], [16, 16], []), dict(swizzle=32)),
    (("u32", [100, 40], [32, 257], []), {}), (("u32", [100, 40], [256, 256], []), {}), (("u32", [100, 40], [0, 2], []), {}), (("u32", [100, 40], [3, 2], []), {}), (("u32", [100, 40], [200, 2], []), {}),
    (("u32", [100, 40], [32, 16], []), dict(strides=[408])), (("u32", [100, 40], [32, 16], []), dict(strides=[96])), (("u32", [100, 40], [32, 16], []), dict(offset=8)), (("u32", [100, 40], [32, 16], []), dict(offset=16)),
    (("u32", [0, 40], [32, 16], []), {}), (("u32", [100, 40], [32, 16], []), dict(steps=[1, 9])), (("u32", [100, 40], [32, 16], []), dict(steps=[0, 1])), (("u32", [100, 40], [32, 16], []), dict(steps=[8, 8])),
    (("u32", [100, 40], [32, 16], []), dict(nan=True)), (("u8", [100, 40], [256, 16], []), dict(swizzle=128)), (("u8", [1 << 32, 40], [128, 16], []), dict(strides=[1 << 32])), (("u8", [(1 << 32) + 1, 40], [128, 16], []), dict(strides=[(1 << 32) + 16])),
    (("u8", [100, 40], [128, 16], []), dict(strides=[1 << 40])), (("u8", [100, 40], [128, 16], []), dict(strides=[(1 << 40) - 16])), (("u32", [100, 40], [8, 16], []), dict(interleave=1)), (("u16", [16, 4, 5], [8, 4, 5], []), dict(interleave=1)), (("u16", [16, 4, 5], [16, 4, 5], []), dict(interleave=2, swizzle=32)),
    (("f32", [100], [32], []), dict(swizzle=64)))]
