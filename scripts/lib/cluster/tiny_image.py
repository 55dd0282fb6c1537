"""Writes an image with one static program to the standard output, as `docker save` would.

Usage: tiny_image.py NAME:TAG PROGRAM [USER]      by default 65532:65532; root if it is empty
"""

import hashlib
import io
import json
import pathlib
import platform
import sys
import tarfile

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm"}


def tar_of(files, mode=0o644):
    """A tar file with the same bytes for the same content."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def image(name, program, user="65532:65532"):
    layer = tar_of({program.name: program.read_bytes()}, mode=0o755)
    config = json.dumps({
        "architecture": ARCHITECTURES[platform.machine()], "os": "linux",
        "config": {"Entrypoint": ["/" + program.name], "User": user},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }).encode()
    manifest = json.dumps([{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}])
    return tar_of({"layer.tar": layer, "config.json": config, "manifest.json": manifest.encode()})


if __name__ == "__main__":
    sys.stdout.buffer.write(image(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]))
