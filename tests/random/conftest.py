"""Mechanisms of this folder carry parts of the combination matrix, and are judged by its judges."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "matrix"))
