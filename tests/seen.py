"""What is seen in a picture."""

import numpy as np


def something(image, paper=(250, 251, 252), apart=60):
    """Pixels that are neither paper nor shadow."""
    return np.abs(np.asarray(image).astype(int) - paper).sum(axis=2) > apart
