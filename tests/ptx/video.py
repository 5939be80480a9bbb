"""Forms of the video instructions."""

SIGNS = ["u32", "s32"]


def add(form):
    """Add every form."""
    f = "video"

    def scalar(name, text, n=3):
        form(f, name, "b32", ["b32"] * n, text=text)

    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
        for d in SIGNS:
            for a in SIGNS:
                for b in SIGNS:
                    for sat in ["", ".sat"]:
                        scalar(f"{op}.{d}.{a}.{b}{sat}", f"{op}.{d}.{a}.{b}{sat} d, a, b;", 2)
        # Parts, merges and second operations.
        scalar(f"{op}.s32.u32.s32.sat.merge.b2", f"{op}.s32.u32.s32.sat d.b2, a.b1, b.h1, c;")
        scalar(f"{op}.u32.s32.s32.sat.merge.h1", f"{op}.u32.s32.s32.sat d.h1, a.h0, b.b3, c;")
        scalar(f"{op}.u32.u32.u32.merge.h0", f"{op}.u32.u32.u32 d.h0, a.b0, b, c;")
        for second in ["add", "min", "max"]:
            scalar(f"{op}.s32.s32.u32.sat.{second}", f"{op}.s32.s32.u32.sat.{second} d, a.h1, b.b2, c;")
            scalar(f"{op}.u32.u32.s32.{second}", f"{op}.u32.u32.s32.{second} d, a, b.h0, c;")
    for op in ["vshl", "vshr"]:
        for d in SIGNS:
            for a in SIGNS:
                for sat in ["", ".sat"]:
                    for mode in ["clamp", "wrap"]:
                        form(f, f"{op}.{d}.{a}.u32{sat}.{mode}", "b32", ["b32", "u32"], kinds=["b32", "amount"])
        scalar(f"{op}.u32.s32.u32.clamp.merge", f"{op}.u32.s32.u32.clamp d.b1, a.h0, b.b0, c;")
        scalar(f"{op}.s32.u32.u32.sat.wrap.add", f"{op}.s32.u32.u32.sat.wrap.add d, a.b3, b.b1, c;")
    for d, a, b in [("u32", "u32", "u32"), ("s32", "s32", "s32"), ("s32", "u32", "s32"), ("s32", "s32", "u32")]:
        for po in ["", ".po"]:
            for sat in ["", ".sat"]:
                for scale in ["", ".shr7", ".shr15"]:
                    scalar(f"vmad.{d}.{a}.{b}{po}{sat}{scale}", f"vmad.{d}.{a}.{b}{po}{sat}{scale} d, a, b, c;")
        scalar(f"vmad.{d}.{a}.{b}.parts", f"vmad.{d}.{a}.{b} d, a.b2, b.h1, c;")
    for test in ["eq", "ne", "lt", "le", "gt", "ge"]:
        for a in SIGNS:
            for b in SIGNS:
                scalar(f"vset.{a}.{b}.{test}", f"vset.{a}.{b}.{test} d, a, b;", 2)
        scalar(f"vset.s32.u32.{test}.add", f"vset.s32.u32.{test}.add d, a.b1, b.b2, c;")
        scalar(f"vset.u32.s32.{test}.merge", f"vset.u32.s32.{test} d.h1, a.b1, b.h0, c;")
    for n, letter in [(2, "h"), (4, "b")]:
        mixed = {2: ("10", "h03", "h21"), 4: ("20", "b0527", "b7160")}[n]
        for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"]:
            for d, a, b in [(x, y, z) for x in SIGNS for y in SIGNS for z in SIGNS]:
                for sat in ["", ".sat"]:
                    if op == "vavrg" and sat:
                        continue
                    scalar(f"{op}{n}.{d}.{a}.{b}{sat}", f"{op}{n}.{d}.{a}.{b}{sat} d, a, b, c;")
                scalar(f"{op}{n}.{d}.{a}.{b}.add", f"{op}{n}.{d}.{a}.{b}.add d, a, b, c;")
            scalar(f"{op}{n}.s32.u32.s32.parts", f"{op}{n}.s32.u32.s32 d.{letter}{mixed[0]}, a.{mixed[1]}, b.{mixed[2]}, c;")
            scalar(f"{op}{n}.u32.s32.u32.add.parts", f"{op}{n}.u32.s32.u32.add d.{letter}0, a.{mixed[1]}, b.{mixed[2]}, c;")
        for test in ["eq", "ne", "lt", "le", "gt", "ge"]:
            scalar(f"vset{n}.s32.u32.{test}", f"vset{n}.s32.u32.{test} d, a, b, c;")
            scalar(f"vset{n}.u32.u32.{test}.add", f"vset{n}.u32.u32.{test}.add d, a, b, c;")
