"""Times the kernels of atomics.cu on a GPU: CSV on standard output. Needs the driver only.

    nvcc -cubin -arch=sm_90 -o atomics.cubin benches/h200/atomics.cu
    python3 benches/h200/atomics.py > benches/data/h200/atomics.csv

Seconds include about 17 microseconds of launching: nothing holds the stream.
"""
import ctypes, statistics, sys, time, traceback

cuda = ctypes.CDLL("libcuda.so.1")
u32, u64, vp = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p


def call(name, *args):
    code = getattr(cuda, name)(*args)
    if code:
        raise RuntimeError(f"{name}: {code}")


call("cuInit", 0)
device, context, module = ctypes.c_int(), vp(), vp()
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoad", ctypes.byref(module), b"atomics.cubin")
name = ctypes.create_string_buffer(100)
call("cuDeviceGetName", name, 100, device)
version = ctypes.c_int()
call("cuDriverGetVersion", ctypes.byref(version))
print(f"# {name.value.decode()}, CUDA driver {version.value}")
print("probe,kernel,setting,blocks,threads,rounds,seconds,cycles,extra")
start, stop = vp(), vp()
call("cuEventCreate", ctypes.byref(start), 0)
call("cuEventCreate", ctypes.byref(stop), 0)
functions = {}


def function(kernel):
    if kernel not in functions:
        found = vp()
        call("cuModuleGetFunction", ctypes.byref(found), module, kernel.encode())
        functions[kernel] = found
    return functions[kernel]


def memory(size):
    found = u64()
    call("cuMemAlloc_v2", ctypes.byref(found), ctypes.c_size_t(size))
    call("cuMemsetD32_v2", found, 0, ctypes.c_size_t(size // 4))
    return found.value


def zero(place, size):
    call("cuMemsetD32_v2", u64(place), 0, ctypes.c_size_t(size // 4))


def launch(kernel, blocks, threads, args, shared=0):
    values = [a if isinstance(a, ctypes._SimpleCData) else u64(a) for a in args]
    pointers = (vp * len(values))(*[ctypes.cast(ctypes.byref(v), vp) for v in values])
    call("cuLaunchKernel", function(kernel), blocks, 1, 1, threads, 1, 1, shared, None, pointers, None)


def timed(kernel, blocks, threads, args, before=None, times=5, shared=0):
    """Median seconds of some launches after a first."""
    found = []
    for turn in range(times + 1):
        if before:
            before()
        call("cuEventRecord", start, None)
        launch(kernel, blocks, threads, args, shared)
        call("cuEventRecord", stop, None)
        call("cuEventSynchronize", stop)
        ms = ctypes.c_float()
        call("cuEventElapsedTime", ctypes.byref(ms), start, stop)
        if turn:
            found.append(ms.value * 1e-3)
    return statistics.median(found)


def words(place, count):
    values = (u64 * count)()
    call("cuMemcpyDtoH_v2", values, u64(place), ctypes.c_size_t(8 * count))
    return list(values)


def row(probe, kernel, setting, blocks, threads, rounds, seconds, cycles="", extra=""):
    print(f"{probe},{kernel},{setting},{blocks},{threads},{rounds},{seconds:.9g},{cycles},{extra}", flush=True)


SMS = 132
OUT = memory(64 << 20)
CYCLES = memory(1 << 20)
COUNT = memory(1024)
TRASH = memory(128 << 20)
RANDOM, SIDE, ONE = 0, 1, 2


def flush():
    zero(TRASH, 128 << 20)


def cas():
    cells = memory(64 << 20)
    def before():
        zero(COUNT, 1024)
        zero(cells, 4 << 20)
    for power in [0, 3, 6, 8, 10, 13, 16]:
        for lanes in [1, 32]:
            for blocks, threads in [(1, 32), (132, 32), (132, 256), (528, 256)]:
                if power < 6 and blocks * threads * lanes > 200000 or power < 3 and blocks * threads * lanes > 2000000:
                    continue
                rounds = 4 if power > 3 else 1
                seconds = timed("cas_loop", blocks, threads, [cells, 1 << power, u32(rounds), u32(lanes), COUNT], before, times=2)
                row("cas", "cas_loop", f"cells={1 << power};lanes={lanes}", blocks, threads, rounds, seconds, "", words(COUNT, 1)[0])
    for power in [0, 6, 10, 13, 16]:
        for blocks, threads in [(1, 32), (132, 256), (528, 256), (8448, 256)]:
            seconds = timed("cas_max", blocks, threads, [cells, 1 << power, u32(1), u32(32), COUNT], before, times=2)
            row("cas", "cas_max", f"cells={1 << power}", blocks, threads, 1, seconds, "", words(COUNT, 1)[0])
    for count in [1, 4, 16, 64, 256]:
        for blocks in [1, 33, 132, 1056, 8448]:
            if blocks / count > 600:
                continue
            for fenced in [0, 1]:
                seconds = timed("lock", blocks, 128, [cells, cells + (1 << 20), u32(count), u32(fenced), COUNT], before, times=2)
                row("lock", "lock", f"locks={count};fenced={fenced}", blocks, 128, 1, seconds, "", words(COUNT, 1)[0])


def atomics():
    big = memory(1 << 30)
    zero(big, 1 << 30)
    small = "red_add atom_add atom_exch atom_max cas_hit cas_miss red_float atom_float store load".split()
    for name in small + ["red_u64", "red_f64", "cas_u64"]:
        size = 8 if name[-2:] == "64" else 4
        for power in [5, 12, 16, 20, 24, 26, 30]:
            for mode in [RANDOM, SIDE]:
                if mode == SIDE and power < 12:
                    continue
                rounds = 8 if power > 12 else 4
                seconds = timed("at_" + name, SMS * 8, 256, [big, (1 << power) // size, u32(rounds), u32(mode), OUT], times=2)
                row("atomic", name, f"bytes={1 << power};mode={mode}", SMS * 8, 256, rounds, seconds)
        for mode in [ONE]:
            for blocks, threads in [(1, 32), (132, 32), (132, 256)]:
                seconds = timed("at_" + name, blocks, threads, [big, 1, u32(8), u32(mode), OUT], times=2)
                row("atomic", name, f"bytes={size};mode={mode}", blocks, threads, 8, seconds)
        # Latency: one warp, lanes apart.
        seconds = timed("at_" + name, 1, 32, [big, (1 << 16) // size, u32(64), u32(RANDOM), OUT], times=2)
        row("atomic", name, f"bytes={1 << 16};mode=0", 1, 32, 64, seconds)
    call("cuMemFree_v2", u64(big))


def fences():
    big = memory(512 << 20)
    for level in ["gpu", "block", "system", "none"]:
        for blocks, threads in [(1, 32), (132, 32), (132, 256), (132, 1024), (1056, 256)]:
            for stores in [0, 1, 4, 16]:
                for apart in [1, 8]:
                    if stores == 0 and apart == 8:
                        continue
                    seconds = timed("fence_" + level, blocks, threads, [big, CYCLES, u32(16), u32(stores), u32(apart)], times=2)
                    cycles = statistics.mean(words(CYCLES, blocks))
                    row("fence", level, f"stores={stores};apart={apart}", blocks, threads, 16, seconds, f"{cycles / 16:.0f}")
    call("cuMemFree_v2", u64(big))


def shared():
    for name in "add add_used inc max float double add64 cas max_float".split():
        for stride in [0, 1, 2, 32]:
            for own in [0, 1]:
                for blocks, threads in [(132, 32), (132, 256), (132, 1024)]:
                    rounds = 16 if stride in (0, 32) else 64
                    seconds = timed("sh_" + name, blocks, threads, [OUT, CYCLES, u32(rounds), u32(stride), u32(own)], times=2)
                    cycles = statistics.mean(words(CYCLES, blocks))
                    row("shared", name, f"stride={stride};own={own}", blocks, threads, rounds, seconds, f"{cycles / rounds:.1f}")
    for name in ["conflicts", "conflicts_64"]:
        for stride in [1, 2, 4, 8, 16, 32, 33]:
            for blocks, threads in [(132, 32), (132, 256), (132, 1024), (264, 1024)]:
                seconds = timed(name, blocks, threads, [OUT, CYCLES, u32(128), u32(stride)], times=2)
                cycles = statistics.mean(words(CYCLES, blocks))
                row("shared", name, f"stride={stride}", blocks, threads, 128, seconds, f"{cycles / 128:.1f}")


def barriers():
    for name in ["barriers", "barrier_one"]:
        for threads in [32, 64, 128, 256, 512, 1024]:
            for each in [1, 2, 4, 8, 16]:
                if threads * each > 2048:
                    continue
                blocks = SMS * each
                seconds = timed(name, blocks, threads, [OUT, CYCLES, u32(128), u32(0)], times=2, shared=8192)
                cycles = statistics.mean(words(CYCLES, blocks))
                row("barrier", name, f"resident={each}", blocks, threads, 128, seconds, f"{cycles / 128:.1f}")


def operations():
    names = ("udiv urem sdiv udiv64 urem64 udiv64_small mul64 add64 shift64 fdiv fsqrt dadd ddiv dsqrt dconv fconv "
             "popc brev clz rotate imad exp sincos pow").split()
    for name in names:
        for blocks, threads in [(132, 32), (132, 128), (132, 1024), (264, 1024)]:
            seconds = timed("op_" + name, blocks, threads, [OUT, CYCLES, u32(32), u32(12345), u32(7)], times=2)
            cycles = statistics.mean(words(CYCLES, blocks))
            row("op", name, "", blocks, threads, 128, seconds, f"{cycles / 128:.1f}")
    for blocks, threads in [(132, 32), (132, 128), (132, 512), (264, 1024)]:
        for name, args in [("loop_collatz", [u32(77031)]), ("loop_gcd", [u32(2971215073), u32(1836311903)]),
                           ("loop_orbit", [ctypes.c_float(-0.1), ctypes.c_float(0.1), u32(1000)])]:
            seconds = timed(name, blocks, threads, [OUT, CYCLES, *args], times=2)
            found = words(CYCLES, 2 * blocks)
            row("loop", name, "", blocks, threads, found[1], seconds, f"{statistics.mean(found[::2]) / found[1]:.1f}")


for part in [fences, atomics, cas, barriers, shared, operations]:
    try:
        start_of_part = time.time()
        part()
        print(f"# {part.__name__}: {time.time() - start_of_part:.1f} s", flush=True)
    except Exception:
        print("# failed:", part.__name__, traceback.format_exc().replace("\n", " | "), flush=True)
