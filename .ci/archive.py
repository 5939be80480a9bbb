#!/usr/bin/env python3
"""Packs a program as an archive of a release, with its SHA-256 checksum beside it.

    .ci/archive.py TARGET PROGRAM FOLDER

Writes FOLDER/warpscope-TARGET.tar.gz (.zip for Windows) and the same name with .sha256,
and prints the name. The same program and files give the same bytes.
"""

import gzip
import hashlib
import io
import pathlib
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "assets/licences/Hack-Regular.txt"]


def pack(target, program, folder):
    """The path of the archive of `program` for `target`."""
    top = f"warpscope-{target}"
    windows = "windows" in target
    files = [("warpscope.exe" if windows else "warpscope", pathlib.Path(program), 0o755)]
    files += [(pathlib.Path(name).name, ROOT / name, 0o644) for name in TEXTS]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (top + (".zip" if windows else ".tar.gz"))
    if windows:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, source, _ in files:
                archive.writestr(zipfile.ZipInfo(f"{top}/{name}"), source.read_bytes(), zipfile.ZIP_DEFLATED)
    else:
        # No name and no time in the header of gzip.
        with open(path, "wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=0) as zipped:
            with tarfile.open(fileobj=zipped, mode="w") as archive:
                for name, source, mode in files:
                    data = source.read_bytes()
                    entry = tarfile.TarInfo(f"{top}/{name}")
                    entry.size, entry.mode = len(data), mode
                    archive.addfile(entry, io.BytesIO(data))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(path.name + ".sha256").write_text(f"{digest}  {path.name}\n")
    return path


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(pack(*sys.argv[1:]))
