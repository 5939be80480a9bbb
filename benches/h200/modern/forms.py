#!/usr/bin/env python3
"""Write what `ptxas` says to each form of tests/ptx_modern/forms.txt:

    python3 benches/h200/modern/forms.py PTXAS
"""

import pathlib
import subprocess
import sys
import tempfile

FORMS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "ptx_modern" / "forms.txt"
HEAD = """.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 o) {
.reg .b32 r<8>; .reg .b64 d<4>; .reg .v4 .f32 v; .reg .v2 .b32 w; .reg .f32 f<4>; .reg .u64 u; .reg .s64 s;
.reg .pred p; .reg .b16 h<4>; .reg .b128 q;
"""


def main():
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "k.ptx"
        for line in FORMS.read_text().splitlines():
            form = line.split(" ", 1)[1]
            source.write_text(f"{HEAD}{form}\nret; }}\n")
            run = subprocess.run([sys.argv[1], "-arch=sm_90a", source, "-o", "/dev/null"], capture_output=True)
            lines.append(("refused " if run.returncode else "accepted ") + form)
    FORMS.write_text("\n".join(lines) + "\n")


main()
