#!/usr/bin/env python3
"""Run the launches of one group through the driver API; run.sh calls this.

    record.py parent FOLDER GROUP         # starts workers, each from where one failed
    record.py worker FOLDER GROUP START
"""
import ctypes, json, os, pathlib, subprocess, sys, time
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import inputs

def chosen(group):
    data = json.loads((folder / "plan.json").read_text())
    plan, offsets = data["plan"], data["offsets"]
    if group == "ncu_rows":
        names = ["ldmatrix_x1", "ldmatrix_x2", "ldmatrix_x4", "ldmatrix_x4_trans", "stmatrix_x1", "stmatrix_x2", "stmatrix_x4", "stmatrix_x4_trans"]
        out = []
        for l in plan:
            if l["kernel"] in names:
                out += [dict(l, grid=1, pattern=i) for i in range(len(offsets))]
        return out, offsets
    if group == "ncu_other":
        return [l for l in plan if l.get("ncu") and l["module"] != "rows"], offsets
    if group == "ncu_far":
        return [l for l in plan if l.get("ncu") and l["module"] in ("remote", "tensor")], offsets
    return [l for l in plan if l["group"] == group], offsets

def encoded(cu, tensor, address):
    """The driver's answer, and the map aligned to 64 bytes."""
    room = ctypes.create_string_buffer(192)
    at = (ctypes.addressof(room) + 63) // 64 * 64
    u64s, u32s = (lambda values: (ctypes.c_uint64 * max(1, len(values)))(*values)), (lambda values: (ctypes.c_uint32 * len(values))(*values))
    code = cu.cuTensorMapEncodeTiled(ctypes.c_void_p(at), tensor["type"], len(tensor["dims"]), ctypes.c_void_p(address + tensor["offset"]), u64s(tensor["dims"]), u64s(tensor["strides"]),
                                     u32s(tensor["box"]), u32s(tensor["steps"]), tensor["interleave"], tensor["swizzle"], 0, tensor["nan"])
    return code, room, at

class Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint32 * 16)]

class Config(ctypes.Structure):
    _fields_ = [("extents", ctypes.c_uint * 7), ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]

def clustered(cu, f, grid, block, dims, args):
    """Launches with a cluster size."""
    attribute = Attribute(4, 0)
    attribute.value[:3] = dims
    config = Config((ctypes.c_uint * 7)(*grid, block, 1, 1, 0), None, ctypes.pointer(attribute), 1)
    return cu.cuLaunchKernelEx(ctypes.byref(config), f, args, None)

def worker(folder, group, start):
    launches, offsets = chosen(group)
    cu = ctypes.CDLL("libcuda.so.1")
    def check(code, what):
        if code:
            name = ctypes.c_char_p()
            cu.cuGetErrorName(code, ctypes.byref(name))
            raise RuntimeError(f"{what}: {code} {name.value}")
    check(cu.cuInit(0), "init")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cu.cuDeviceGet(ctypes.byref(device), 0), "device")
    check(cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "retain")
    check(cu.cuCtxSetCurrent(context), "current")
    modules = {}
    u64 = ctypes.c_uint64
    for index in range(start, len(launches)):
        l = launches[index]
        (folder / f"{group}.at").write_text(str(index))
        grid = l["grid"] if isinstance(l["grid"], list) else [l["grid"], 1, 1]
        lanes = grid[0] * grid[1] * grid[2] * l["block"]
        bytes_in = l.get("bytes_in") or lanes * l["words_in"] * 4
        bytes_out = l.get("bytes_out") or lanes * l["words_out"] * 4
        data = inputs.of(l, offsets)
        assert len(data) == bytes_in, (l["kernel"], len(data), bytes_in)
        if l["module"] not in modules:
            m = ctypes.c_void_p()
            check(cu.cuModuleLoadData(ctypes.byref(m), (folder / f"{l['module']}.cubin").read_bytes()), "load")
            modules[l["module"]] = m
        f = ctypes.c_void_p()
        check(cu.cuModuleGetFunction(ctypes.byref(f), modules[l["module"]], l["kernel"].encode()), "function " + l["kernel"])
        a, b = u64(), u64()
        check(cu.cuMemAlloc_v2(ctypes.byref(a), ctypes.c_size_t(bytes_in)), "alloc")
        check(cu.cuMemAlloc_v2(ctypes.byref(b), ctypes.c_size_t(bytes_out)), "alloc")
        repeats = 3 if group in ("times", "later") else 1
        result = None
        for _ in range(repeats):
            check(cu.cuMemcpyHtoD_v2(a, data, ctypes.c_size_t(bytes_in)), "copy")
            check(cu.cuMemsetD8_v2(b, ctypes.c_ubyte(0), ctypes.c_size_t(bytes_out)), "set")
            if l.get("fill"):
                check(cu.cuMemcpyHtoD_v2(b, inputs.of(dict(l, input=["noise"], bytes_in=bytes_out), offsets), ctypes.c_size_t(bytes_out)), "copy")
            pointers = [ctypes.cast(ctypes.byref(a), ctypes.c_void_p), ctypes.cast(ctypes.byref(b), ctypes.c_void_p)]
            if "tensor" in l:
                code, room, at = encoded(cu, l["tensor"], (a if l["tensor"]["of"] == "in" else b).value)
                check(code, "map " + l["kernel"])
                pointers.append(ctypes.c_void_p(at))
            args = (ctypes.c_void_p * 3)(*pointers)
            if l["group"] == "tell":
                if l.get("cluster"): code = clustered(cu, f, grid, l["block"], l["cluster"], args)
                else: code = cu.cuLaunchKernel(f, grid[0], grid[1], grid[2], l["block"], 1, 1, 0, None, args, None)
                with open(folder / "codes.txt", "a") as codes: codes.write(f"{l['name']} {code}\n")
            else:
                check(cu.cuLaunchKernel(f, grid[0], grid[1], grid[2], l["block"], 1, 1, 0, None, args, None), "launch " + l["kernel"])
            limit = time.time() + 1.5
            while True:
                code = cu.cuStreamQuery(None)
                if code == 0: break
                if code != 600 or time.time() > limit:
                    print(f"{l['kernel']}: stopped with {code}", flush=True)
                    os._exit(3)
            out = ctypes.create_string_buffer(bytes_out)
            check(cu.cuMemcpyDtoH_v2(out, b, ctypes.c_size_t(bytes_out)), "back")
            result = out.raw
        if group in ("times", "later"):
            n = grid[0]
            cycles = [int.from_bytes(result[8192*c + 8*32*w:][:8], "little") for c in range(n) for w in range((l["block"] + 31) // 32)]
            with open(folder / "times.csv", "a") as t:
                t.write(f"{l['kernel']},{l['block']},{n},{l['ops']},{min(cycles)},{max(cycles)}\n")
        elif not group.startswith("ncu"):
            (folder / "out").mkdir(exist_ok=True)
            (folder / "out" / (l.get("name", l["kernel"]) + ".bin")).write_bytes(result)
        cu.cuMemFree_v2(a); cu.cuMemFree_v2(b)
    (folder / f"{group}.at").write_text("done")

def parent(folder, group):
    start = 0
    while True:
        at = folder / f"{group}.at"
        at.write_text(str(start))
        p = subprocess.run([sys.executable, __file__, "worker", str(folder), group, str(start)], capture_output=True, text=True, timeout=60)
        text = (p.stdout + p.stderr).strip()
        if text:
            with open(folder / "log.txt", "a") as log: log.write(f"{group} {start}: {text[-600:]}\n")
        state = at.read_text()
        if state == "done": return
        start = int(state) + 1
        if start >= len(chosen(group)[0]): return

def maps(folder):
    """What the driver says to maps, and the maps."""
    cu = ctypes.CDLL("libcuda.so.1")
    cu.cuInit(0)
    context, device = ctypes.c_void_p(), ctypes.c_int()
    cu.cuDeviceGet(ctypes.byref(device), 0)
    cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    cu.cuCtxSetCurrent(context)
    address = ctypes.c_uint64()
    cu.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 20))
    asked = json.loads((folder / "plan.json").read_text())["asked"]
    with open(folder / "maps.txt", "w") as out:
        for tensor in asked:
            code, room, at = encoded(cu, tensor, address.value)
            out.write(f"{code} {ctypes.string_at(at, 128).hex()} {address.value:x} {json.dumps(tensor)}\n")

folder = pathlib.Path(sys.argv[2])
if sys.argv[1] == "maps": maps(folder)
elif sys.argv[1] == "worker": worker(folder, sys.argv[3], int(sys.argv[4]))
else: parent(folder, sys.argv[3])
