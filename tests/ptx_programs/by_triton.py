"""Compiles two kernels with Triton, which needs no GPU for that.

    python3 -m venv venv && venv/bin/pip install --no-deps triton==3.9.0
    venv/bin/python tests/ptx_programs/by_triton.py
"""

import os
import pathlib

# Line information has the folders of this machine.
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

here = pathlib.Path(__file__).parent


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + at, e / tl.sum(e, axis=0), at < n)


@triton.jit
def product(a, b, c, M, N, K, SIDE: tl.constexpr, STEP: tl.constexpr):
    i = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    j = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    step = tl.arange(0, STEP)
    sums = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(0, K, STEP):
        left = tl.load(a + i[:, None] * K + (k + step)[None, :])
        right = tl.load(b + (k + step)[:, None] * N + j[None, :])
        sums += tl.dot(left, right)
    tl.store(c + i[:, None] * N + j[None, :], sums)


def compile_for(architecture, kernel, types, constants):
    signature = {**types, **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", architecture, 32))
    name = f"triton_{kernel.__name__}_sm_{architecture}.ptx"
    (here / name).write_text(compiled.asm["ptx"])


floats = {"out": "*fp32", "x": "*fp32", "stride": "i32", "n": "i32"}
halves = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
compile_for(70, softmax, floats, {"BLOCK": 1024})
compile_for(80, product, halves, {"SIDE": 64, "STEP": 32})
compile_for(90, product, halves, {"SIDE": 64, "STEP": 32})
