"""What the comparisons of formulations share: mechanisms with references, measured runs, pages and tables."""

import os
import sys
from pathlib import Path

# one thread, set before numpy is imported
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

# models come from the examples, one reference from the tests
_ROOT = Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(_ROOT / "examples"), str(_ROOT / "tests" / "oracles")]
