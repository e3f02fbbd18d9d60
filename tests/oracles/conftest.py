"""The models of examples/ are the models of these tests: `import pendulum` and its siblings work here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
