"""Builds the programs of this folder against the kernel's library, without Python in them, and runs them.

The library is the one that the package was built from; each program says whether it met its number.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from checked import ROOT, tool  # noqa: E402

PROGRAMS = [file.stem for file in sorted(Path(__file__).parent.glob("*.cpp"))]


def folders() -> list[Path]:
    """Where kernels of this environment were built, newest first."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-"
    found = [cache.parent for cache in (ROOT / "build").glob(f"*{tag}*/CMakeCache.txt")]
    return sorted(found, key=lambda folder: folder.stat().st_mtime, reverse=True)


def main() -> int:
    for folder in folders()[:1]:
        kernels = [library.stem.removeprefix("libkernel_") for library in sorted(folder.glob("libkernel_*.a"))]
        names = [f"{program}_{kernel}" for program in PROGRAMS for kernel in kernels]
        subprocess.run([*tool("cmake"), "--build", folder, "--target", *names], check=True, stdout=subprocess.DEVNULL)
        return max((subprocess.run([folder / name], check=False).returncode for name in names), default=1)
    print("no kernel was built here: run make demo or make test first", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
