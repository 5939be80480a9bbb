"""What all writers of kernels share: modules of PTX, and the plan of launches."""

MODULES = {}
PLAN = []
M = "mma.sync.aligned."
WAIT = "wait{0}:\nmbarrier.try_wait.parity.shared::cta.b64 p, [bar], {1};\n@!p bra wait{0};\n"


def kernel(module, name, body, decl="", regs="", attr=""):
    MODULES.setdefault(module, []).append(
        f"{decl}.visible .entry {name}(.param .u64 in_ptr, .param .u64 out_ptr)\n{attr}{{\n"
        ".reg .u64 in, out, at, w0, w1, w2, w3;\n.reg .u32 tid, cta, idx, t0, t1, t2, t3;\n.reg .pred p, q;\n" + regs +
        "ld.param.u64 in, [in_ptr];\nld.param.u64 out, [out_ptr];\n"
        "mov.u32 tid, %tid.x;\nmov.u32 cta, %ctaid.x;\n" + body.strip() + "\nret;\n}\n\n")


def record(words_in, words_out):
    """in/out point to this thread's record (blocks of 32 threads)."""
    return (f"mov.u32 idx, %ntid.x;\nmad.lo.u32 idx, cta, idx, tid;\n"
            f"mul.wide.u32 at, idx, {4*words_in};\nadd.u64 in, in, at;\n"
            f"mul.wide.u32 at, idx, {4*words_out};\nadd.u64 out, out, at;\n")


def vec(regs): return "{" + ", ".join(regs) + "}"
