"""Times the kernels of classes.cu on a GPU: CSV on standard output. Needs the driver only.

    nvcc -cubin -arch=sm_90 -o classes.cubin benches/h200/classes.cu
    python3 benches/h200/classes.py > benches/data/h200/classes.csv
"""
import ctypes, statistics, sys, traceback

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
call("cuModuleLoad", ctypes.byref(module), b"classes.cubin")
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


def launch(kernel, blocks, threads, args):
    values = [a if isinstance(a, ctypes._SimpleCData) else u64(a) for a in args]
    pointers = (vp * len(values))(*[ctypes.cast(ctypes.byref(v), vp) for v in values])
    call("cuLaunchKernel", function(kernel), blocks, 1, 1, threads, 1, 1, 0, None, pointers, None)


def timed(kernel, blocks, threads, args, before=None, times=5):
    """Median seconds of some launches after a first."""
    found = []
    for turn in range(times + 1):
        if before:
            before()
        call("cuEventRecord", start, None)
        launch(kernel, blocks, threads, args)
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
TRASH = memory(256 << 20)


def flush():
    # As the program does before each sample: twice the cache is written.
    zero(TRASH, 2 * 62914560)


def gathers():
    big = memory(16 << 30)
    for power in [24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34]:
        for log in [2, 5, 6, 7, 8, 10]:
            if log > 2 and power not in (24, 26, 28, 30, 33):
                continue
            chunks = 1 << (power - max(log, 5))
            rounds = 16
            seconds = timed("gather", SMS * 8, 256, [big, OUT, chunks, u32(log), u32(rounds)], times=3)
            row("gather", "gather", f"bytes={1 << power};log={log}", SMS * 8, 256, rounds, seconds)
            if log <= 7:
                seconds = timed("scatter", SMS * 8, 256, [big, chunks, u32(log), u32(rounds)], times=3)
                row("scatter", "scatter", f"bytes={1 << power};log={log}", SMS * 8, 256, rounds, seconds)
    for power in [26, 30, 33]:
        for blocks in [132, 264, 528, 2112]:
            seconds = timed("gather", blocks, 256, [big, OUT, 1 << (power - 5), u32(2), u32(16)], times=3)
            row("gather", "gather", f"bytes={1 << power};log=2", blocks, 256, 16, seconds)
    zero(big, 16 << 30)
    for power in [20, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34]:
        seconds = timed("chase", 1, 1, [big, CYCLES, 1 << (power - 7), u32(4000)], times=2)
        row("chase", "chase", f"bytes={1 << power}", 1, 1, 4000, seconds, words(CYCLES, 1)[0])
    for width in [1024, 4096, 8192, 8224, 16384]:
        for writes in [0, 1]:
            args = [big, big + (8 << 30), u32(width), u32(width), u32(writes)]
            seconds = timed("columns", width * width // 256, 256, args, before=flush, times=3)
            row("columns", "columns", f"width={width};writes={writes}", width * width // 256, 256, 1, seconds)
    call("cuMemFree_v2", u64(big))


def locals_():
    for kind in ["local", "local_scattered"]:
        for many in [16, 64, 256, 1024]:
            for blocks, threads in [(132, 32), (132, 256), (132 * 4, 256), (132 * 8, 256)]:
                rounds = 512 if many < 1024 else 256
                seconds = timed(f"{kind}_{many}", blocks, threads, [OUT, CYCLES, u32(rounds)], times=3)
                cycles = statistics.mean(words(CYCLES, blocks))
                row("local", f"{kind}_{many}", "", blocks, threads, rounds, seconds, f"{cycles:.0f}")
    for many in [16, 64, 256]:
        for blocks, threads in [(132, 32), (132, 256), (132 * 4, 256), (132 * 8, 256)]:
            seconds = timed(f"local_reads_{many}", blocks, threads, [OUT, CYCLES, u32(512)], times=3)
            cycles = statistics.mean(words(CYCLES, blocks))
            row("local", f"local_reads_{many}", "", blocks, threads, 512, seconds, f"{cycles:.0f}")


def specials():
    for what in "rsqrt sqrt divide fast_divide exp fast_exp log sin fast_sin tanh to_int fma".split():
        for kind, threads in [("chain", 32), ("rate", 1024)]:
            rounds = 256
            blocks = 132 if threads == 32 else 264
            seconds = timed(f"{kind}_{what}", blocks, threads, [OUT, CYCLES, u32(rounds), ctypes.c_float(1.5)], times=3)
            cycles = statistics.mean(words(CYCLES, blocks))
            row("special", f"{kind}_{what}", "", blocks, threads, rounds, seconds, f"{cycles:.0f}")


def atomics():
    cells = memory(64 << 20)
    failures = memory(1024)
    for power in [0, 3, 5, 7, 10, 15, 20, 24]:
        for blocks, threads in [(1, 32), (1, 256), (132, 32), (132, 256), (1056, 256)]:
            rounds = 4 if power > 3 else 1
            def before():
                zero(failures, 1024)
            seconds = timed("cas_loop", blocks, threads, [cells, 1 << power, u32(rounds), failures], before, times=3)
            failed = words(failures, 1)[0] & 0xffffffff
            row("cas", "cas_loop", f"cells={1 << power}", blocks, threads, rounds, seconds, "", failed)
    for power in [12, 16, 20, 24]:
        for load in [0.25, 0.5, 0.75]:
            keys = int((1 << power) * load)
            seconds = timed("insert", max(1, keys // 256), 256, [cells, 1 << power, keys], lambda: zero(cells, 64 << 20), times=3)
            row("cas", "insert", f"places={1 << power};keys={keys}", max(1, keys // 256), 256, 1, seconds)
    for kernel in ["uniform_unused", "uniform_used", "uniform_values", "uniform_values_used", "uniform_floats",
                   "uniform_max", "uniform_some"]:
        for blocks, threads in [(1, 32), (1, 256), (132, 256), (1056, 256)]:
            seconds = timed(kernel, blocks, threads, [cells, OUT, u32(16)], times=3)
            row("uniform", kernel, "", blocks, threads, 16, seconds)


def shared():
    for stride in [0, 1, 2, 4, 8, 16, 32, 33]:
        for threads in [32, 256, 1024]:
            seconds = timed("shared_chase", 264, threads, [OUT, CYCLES, u32(stride), u32(1024)], times=3)
            cycles = statistics.mean(words(CYCLES, 264))
            row("shared", "shared_chase", f"stride={stride}", 264, threads, 1024, seconds, f"{cycles:.0f}")
    for kernel in ["shared_wide", "shared_wide_body"]:
        for blocks, threads in [(132, 32), (132, 128), (132, 256), (264, 256), (264, 512), (264, 1024)]:
            seconds = timed(kernel, blocks, threads, [OUT, CYCLES, u32(1024)], times=3)
            cycles = statistics.mean(words(CYCLES, blocks))
            row("shared", kernel, "", blocks, threads, 1024, seconds, f"{cycles:.0f}")


def streams():
    a, b = memory(1 << 30), memory(1 << 30)
    for width in [4, 8, 16]:
        for kind in ["copy", "read", "write"]:
            if width == 8 and kind != "copy":
                continue
            for power in [20, 22, 23, 24, 25, 26, 27, 28, 30]:
                for each in [1, 8]:
                    items = (1 << power) // width
                    blocks = max(1, items // 256 // each)
                    seconds = timed(f"{kind}_{width}", blocks, 256, [a, b, items], before=flush)
                    row("stream", f"{kind}_{width}", f"bytes={1 << power};each={each}", blocks, 256, 1, seconds)
    for blocks, threads in [(1, 32), (132, 32), (132, 256), (1056, 256)]:
        seconds = timed("fences", blocks, threads, [a, CYCLES, u32(64)], times=3)
        cycles = statistics.mean(words(CYCLES, blocks))
        row("fence", "fences", "", blocks, threads, 64, seconds, f"{cycles:.0f}")


for part in [streams, specials, shared, atomics, locals_, gathers]:
    try:
        part()
    except Exception:
        print("# failed:", part.__name__, traceback.format_exc().replace("\n", " | "), flush=True)
