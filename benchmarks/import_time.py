"""CPU time of `import vincolo` in a fresh interpreter, beside that of numpy alone.

python benchmarks/import_time.py
"""

from __future__ import annotations

import subprocess
import sys

from results_file import write

ROUNDS = 5
CODE = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"


def seconds(package: str) -> float:
    """Best of several fresh interpreters."""
    command = [sys.executable, "-c", CODE.format(package)]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(ROUNDS))


def main() -> None:
    rows = [{"package": package, "cpu_s": seconds(package)} for package in ("numpy", "vincolo")]
    write("import.json", rows)
    for row in rows:
        print(f"import {row['package']:<8} {row['cpu_s']:.3f} s")


if __name__ == "__main__":
    main()
