"""The numbers of Radau IIA of order 5 (Hairer and Wanner 1996)."""

import numpy as np

ROOT6 = np.sqrt(6.0)
A = np.array([[(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225],
              [(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225],
              [(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9]])
NODES = A.sum(axis=1)
ERROR = np.array([-13 - 7 * ROOT6, -13 + 7 * ROOT6, -1]) / 3
GAMMA = 0.2748888295956774  # the real eigenvalue of A
