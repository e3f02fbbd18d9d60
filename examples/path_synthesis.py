"""A four-bar whose coupler point passes eighteen points of a loop, timed with its crank by 20 degrees from each to the
next.

Source: the points of Kunjur and Krishnamurty (1997), used by Cabrera, Simon and Prado (2002) and Acharyya and Mandal
(2009). A linkage near the one that a search from nothing found is polished to its error of 0.0098957, the sum of
squared distances (published: 0.043 and 0.0349), and the kernel traces the same path as the closed form.
"""

import numpy as np

from comparison import compare
from vincolo.studies.synthesis import FourBar, path_linkage

POINTS = [(0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0, 0.5), (0, 0.4),
          (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0)]
LIMITS = {**dict.fromkeys(("ground", "crank", "coupler", "rocker"), (0.01, 50.0)), "px": (-1, 1), "py": (-1, 1),
          "angle": (0, 2 * np.pi), "x": (-1, 1), "y": (-1, 1), "theta": (-np.pi, np.pi)}
BEGIN = FourBar(49.0, 0.327, 0.491, 48.858, px=0.144, py=-0.324, angle=3.293, x=0.543, y=0.732)
REFERENCE = 0.0098957  # of path_linkage(..., rounds=2) without a start


def main() -> list[float]:
    timing = np.deg2rad(20.0 * np.arange(len(POINTS)))
    found = path_linkage(POINTS, limits=LIMITS, timing=timing, rounds=0, start=BEGIN)
    print(found.linkage, found.defects or "without defects", f"after {found.evaluations:,} linkages")
    return [compare("sum of squared distances", found.error, REFERENCE, "m2"),
            compare("path by the kernel and in closed form", found.linkage.checked(found.theta), 0.0, "m")]


if __name__ == "__main__":
    main()
