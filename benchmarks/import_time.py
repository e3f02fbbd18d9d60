"""CPU time of `import vincolo` in a fresh interpreter, beside that of numpy alone; byte code is there, as it is at
every start but the first.

python benchmarks/import_time.py
"""

from __future__ import annotations

import os
import subprocess
import sys

from results_file import write

ROUNDS = 5
CODE = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"


def seconds(package: str) -> float:
    """Best of several fresh interpreters, of which the first writes byte code if there is none."""
    command = [sys.executable, "-c", CODE.format(package)]
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=env) for _ in range(ROUNDS)]
    return min(float(run.stdout) for run in runs)


def main() -> None:
    rows = [{"package": package, "cpu_s": seconds(package)} for package in ("numpy", "vincolo")]
    write("import.json", rows)
    for row in rows:
        print(f"import {row['package']:<8} {row['cpu_s']:.3f} s")


if __name__ == "__main__":
    main()
